"""Starts the ledger: ``python -m services.ledger.main``."""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import suppress

import grpc.aio
import redis.asyncio
from cardroom.ledger.v1 import admin_pb2, admin_pb2_grpc, audit_pb2, audit_pb2_grpc, ledger_pb2, ledger_pb2_grpc

from services.ledger.adapters.coalescer import Coalescer
from services.ledger.adapters.durability import DurabilityWatch
from services.ledger.adapters.redis_store import RedisLedgerStore
from services.ledger.app.audit import Auditor
from services.ledger.app.books import Books
from services.ledger.edge.servicers import AccountAdminServicer, AuditServicer, Door, LedgerServicer
from services.ledger.settings import LedgerSettings
from serving.main import serve
from serving.runtime import Runtime
from serving.store import connect_redis

SERVICE = "ledger"
_SERVICES = (
    ledger_pb2.DESCRIPTOR.services_by_name["LedgerService"].full_name,
    admin_pb2.DESCRIPTOR.services_by_name["AccountAdminService"].full_name,
    audit_pb2.DESCRIPTOR.services_by_name["AuditService"].full_name,
)
_BATCH_SIZES = (1, 2, 4, 8, 16, 32, 64)


class LedgerComponent:
    """The ledger's insides around a connected store."""

    def __init__(self, runtime: Runtime, settings: LedgerSettings, client: redis.asyncio.Redis) -> None:
        metrics = runtime.metrics
        batches = metrics.histogram(
            "cardroom_ledger_batch_calls", "Calls sent to the store together.", (), _BATCH_SIZES
        )
        self._durable = metrics.gauge("cardroom_ledger_store_durable", "Whether the store keeps every write.")
        self._durable.set(1)
        self._runtime = runtime
        self._client = client
        self._calls = Coalescer(
            client,
            runtime.clock,
            batch_max=settings.batch_count_max,
            waiting_max=settings.waiting_count_max,
            on_batch=batches.observe,
        )
        self._watch = DurabilityWatch(
            client, runtime.clock, runtime.log, self._durability_changed, trusted=settings.trust_store
        )
        self._watching: asyncio.Task[None] | None = None
        store = RedisLedgerStore(client, self._calls, runtime.clock, record_kept_days=settings.table_record_days)
        self._books = Books(store, settings.opening_grants)
        self._auditor = Auditor(store, self._books.assets)

    def register(self, server: grpc.aio.Server) -> Sequence[str]:
        """Adds the three services."""
        door = Door(self._watch.guard, self._runtime.clock)
        ledger_pb2_grpc.add_LedgerServiceServicer_to_server(LedgerServicer(self._books, door), server)
        admin_pb2_grpc.add_AccountAdminServiceServicer_to_server(AccountAdminServicer(self._books, door), server)
        audit_pb2_grpc.add_AuditServiceServicer_to_server(AuditServicer(self._auditor), server)
        return _SERVICES

    async def start(self) -> None:
        """Begins to send calls to the store and to watch it."""
        self._calls.start()
        self._watching = asyncio.create_task(self._watch.run(), name="ledger-durability")

    async def drain(self) -> None:
        """Nothing to hand over: the calls that run come to their end by themselves."""

    async def stop(self) -> None:
        """Sends what still waits, and closes the connection."""
        if self._watching is not None:
            self._watching.cancel()
            with suppress(asyncio.CancelledError):
                await self._watching
        await self._calls.stop()
        await self._client.aclose()

    async def _durability_changed(self, durable: bool) -> None:
        self._durable.set(int(durable))
        await self._runtime.set_serving(durable)


async def build(runtime: Runtime) -> LedgerComponent:
    """Connects the store. Raises: StartError: it is out of reach, or not durable and not trusted."""
    settings = runtime.settings
    assert isinstance(settings, LedgerSettings), settings
    client = await connect_redis(
        settings.ledger_redis_url,
        need_fsync=True,
        trust_store=settings.trust_store,
        timeout_ms=settings.store_timeout_ms,
    )
    return LedgerComponent(runtime, settings, client)


def main() -> int:
    """The process's exit status: 0 after an orderly end, 2 if it did not start."""
    return serve(SERVICE, LedgerSettings, build)


if __name__ == "__main__":
    sys.exit(main())
