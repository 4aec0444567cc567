"""The connection to the ledger's store: one server, or a Redis Cluster."""

from collections.abc import Awaitable, Callable
from typing import Any, cast

import redis.asyncio
from redis.asyncio.cluster import ClusterNode, RedisCluster
from redis.exceptions import RedisClusterException, RedisError

from services.ledger.adapters.barrier import replica_fault
from serving.errors import StartError
from serving.store import connect_redis, durability_fault, when_written
from serving.store_connections import cancellable
from serving.store_file import StoreFile

Faults = Callable[[], Awaitable[str | None]]
"""Says in words what makes the store lose acknowledged writes; None if nothing does."""


def server_faults(client: redis.asyncio.Redis, *, trusted: bool = False, replica_count: int = 0) -> Faults:
    """Asks one server for its settings, unless it is trusted, and for its replicas."""

    async def ask() -> str | None:
        fault = None if trusted else await durability_fault(client)
        return fault or await replica_fault(client, replica_count)

    return ask


def cluster_faults(cluster: RedisCluster, *, trusted: bool = False) -> Faults:
    """Asks every primary of a cluster."""

    async def ask() -> str | None:
        for node in [] if trusted else cluster.get_primaries():
            fault = await durability_fault(cast("redis.asyncio.Redis", _Node(cluster, node)))
            if fault is not None:
                return f"node {node.name} {fault}"
        return None

    return ask


async def connect_cluster(url: str, *, trust_store: bool, timeout_ms: int) -> RedisCluster:
    """A client of a cluster whose primaries were asked whether they will do. Answers as bytes.

    Raises: StartError: it is out of reach, no cluster, too old, or set up so that it loses data.
    """
    node = await connect_redis(url, need_fsync=True, trust_store=trust_store, timeout_ms=timeout_ms)
    await node.aclose()
    timeout_s = timeout_ms / 1000
    cluster = RedisCluster.from_url(url, socket_timeout=timeout_s, socket_connect_timeout=timeout_s)
    _prepare_connections(cluster, None if trust_store else StoreFile(timeout_ms // 2))
    faults = cluster_faults(cluster, trusted=trust_store)

    async def ask() -> str | None:
        await cluster.initialize()
        return await faults()

    try:
        fault = await when_written(ask)
    except (RedisError, RedisClusterException, OSError) as error:
        fault = f"is no cluster that answers ({type(error).__name__}); see CARDROOM_LEDGER_CLUSTER"
    if fault is not None:
        await cluster.aclose()
        raise StartError(f"the ledger's Redis Cluster {fault}")
    return cluster


def _prepare_connections(cluster: RedisCluster, file: StoreFile | None) -> None:
    """Connections to every node, those included that are found later: cancellable, and none before the node's file is
    written anew after its start; None: the store is trusted.
    """
    more = {} if file is None else {"redis_connect_func": file.on_connect}
    kind = cancellable(cluster.connection_kwargs["connection_class"])
    cluster.connection_kwargs.update(connection_class=kind, **more)
    for node in cluster.nodes_manager.startup_nodes.values():
        node.connection_class = kind
        node.connection_kwargs.update(more)


class _Node:
    """One node of a cluster, as far as its settings are asked for."""

    def __init__(self, cluster: RedisCluster, node: ClusterNode) -> None:
        self._cluster = cluster
        self._node = node

    async def config_get(self, name: str) -> Any:
        """Its setting of this name."""
        return await self._cluster.config_get(name, target_nodes=self._node)
