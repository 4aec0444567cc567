"""Starts the ledger: ``python -m services.ledger.main``."""

import sys
from typing import cast

from serving.early import end_when_told

if __name__ == "__main__":
    end_when_told()  # before what takes long to import

import redis.asyncio

from services.ledger.adapters.barrier import barrier_for
from services.ledger.adapters.connecting import cluster_faults, connect_cluster, server_faults
from services.ledger.component import LedgerComponent
from services.ledger.settings import LedgerSettings
from serving.errors import StartError
from serving.main import serve
from serving.runtime import Runtime
from serving.store import connect_redis

SERVICE = "ledger"


async def build(runtime: Runtime) -> LedgerComponent:
    """Connects the store. Raises: StartError: it is out of reach, or not durable and not trusted."""
    settings = runtime.settings
    assert isinstance(settings, LedgerSettings), settings
    if settings.ledger_cluster:
        cluster = await connect_cluster(
            settings.ledger_redis_url, trust_store=settings.trust_store, timeout_ms=settings.store_timeout_ms
        )
        faults = cluster_faults(cluster, trusted=settings.trust_store)
        return LedgerComponent(runtime, settings, cast("redis.asyncio.Redis", cluster), faults)
    client = await connect_redis(
        settings.ledger_redis_url,
        need_fsync=True,
        trust_store=settings.trust_store,
        timeout_ms=settings.store_timeout_ms,
        log=runtime.log,
    )
    try:
        barrier = await barrier_for(client, settings.ledger_replicas, settings.barrier_timeout_ms)
    except StartError:
        await client.aclose()
        raise
    faults = server_faults(client, trusted=settings.trust_store, replica_count=settings.ledger_replicas)
    return LedgerComponent(runtime, settings, client, faults, barrier)


def main() -> int:
    """The process's exit status: 0 after an orderly end, 2 if it did not start."""
    return serve(SERVICE, LedgerSettings, build)


if __name__ == "__main__":
    sys.exit(main())
