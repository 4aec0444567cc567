"""A Redis Cluster of three nodes on loopback, without replicas."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import redis

from deploy.local.ports import claim_ports
from deploy.local.redis_server import RedisServer

SLOTS = 16_384
NODES = 3
_FORMED_LIMIT_S = 60.0
_POLL_S = 0.05


@contextmanager
def running_cluster(folder: Path) -> Iterator[list[RedisServer]]:
    """Start the nodes, share the slots among them, wait until each says that the cluster is whole."""
    nodes: list[RedisServer] = []
    try:
        for number in range(NODES):
            ports = claim_ports({"node": 0, "bus": 0})
            options = {"cluster-enabled": "yes", "cluster-port": str(ports["bus"]), "cluster-node-timeout": "2000"}
            nodes.append(RedisServer.start(folder / f"node-{number}", ports["node"], settings=options))
        _join(nodes)
        yield nodes
    finally:
        for node in nodes:
            node.kill()


def _join(nodes: list[RedisServer]) -> None:
    clients: list[Any] = [redis.Redis(port=node.port, decode_responses=True) for node in nodes]
    share = SLOTS // len(nodes) + 1
    for number, client in enumerate(clients):
        first = number * share
        client.execute_command("CLUSTER", "ADDSLOTSRANGE", first, min(first + share, SLOTS) - 1)
        client.execute_command("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
    for node in nodes[1:]:
        bus = clients[nodes.index(node)].config_get("cluster-port")["cluster-port"]
        clients[0].execute_command("CLUSTER", "MEET", "127.0.0.1", node.port, bus)
    until = time.monotonic() + _FORMED_LIMIT_S
    while not all(_is_whole(client, len(nodes)) for client in clients):
        assert time.monotonic() < until, "the cluster does not form"
        time.sleep(_POLL_S)
    for client in clients:
        client.close()


def _is_whole(client: Any, node_count: int) -> bool:
    info = client.execute_command("CLUSTER", "INFO")
    fields = info if isinstance(info, dict) else dict(line.split(":") for line in info.split("\r\n") if ":" in line)
    return fields["cluster_state"] == "ok" and int(fields["cluster_known_nodes"]) == node_count
