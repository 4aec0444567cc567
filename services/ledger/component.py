"""The ledger put together: which adapter stands behind which port."""

from collections.abc import Sequence

import grpc.aio
import redis.asyncio
from cardroom.ledger.v1 import (
    account_pb2,
    account_pb2_grpc,
    admin_pb2,
    admin_pb2_grpc,
    audit_pb2,
    audit_pb2_grpc,
    ledger_pb2,
    ledger_pb2_grpc,
)

from services.ledger.adapters.barrier import Barrier
from services.ledger.adapters.coalescer import Coalescer
from services.ledger.adapters.connecting import Faults
from services.ledger.adapters.durability import DurabilityWatch
from services.ledger.adapters.redis_store import RedisLedgerStore
from services.ledger.adapters.segments import SegmentArchive
from services.ledger.app.archiving import Archiver
from services.ledger.app.audit import Auditor
from services.ledger.app.books import Books
from services.ledger.app.corrections import Corrections
from services.ledger.app.deals import Deals
from services.ledger.app.fold import BooksState
from services.ledger.app.funds import Funds
from services.ledger.app.journal import Journal
from services.ledger.app.statements import Statements
from services.ledger.app.stops import Stops
from services.ledger.duties import Duties
from services.ledger.edge.readers import AccountServicer, AuditServicer
from services.ledger.edge.servicers import AccountAdminServicer, Door, LedgerServicer
from services.ledger.meters import LedgerMeters
from services.ledger.ports import ArchiveFault
from services.ledger.settings import LedgerSettings
from serving.errors import StartError
from serving.runtime import Runtime

_SERVICES = (
    ledger_pb2.DESCRIPTOR.services_by_name["LedgerService"].full_name,
    account_pb2.DESCRIPTOR.services_by_name["AccountService"].full_name,
    admin_pb2.DESCRIPTOR.services_by_name["AccountAdminService"].full_name,
    audit_pb2.DESCRIPTOR.services_by_name["AuditService"].full_name,
)


class LedgerComponent:
    """The ledger's insides around a connected store."""

    def __init__(
        self,
        runtime: Runtime,
        settings: LedgerSettings,
        client: redis.asyncio.Redis,
        faults: Faults,
        barrier: Barrier | None = None,
    ) -> None:
        clock = runtime.clock
        self._runtime = runtime
        self._client = client
        self._meters = LedgerMeters(runtime.metrics)
        self._stops = Stops(self._told_open)
        self._calls = Coalescer(
            client,
            clock,
            batch_max=settings.batch_count_max,
            waiting_max=settings.waiting_count_max,
            on_batch=self._meters.batch,
            barrier=barrier,
        )
        self._watch = DurabilityWatch(faults, clock, runtime.log, self._told_durable)
        self._store = RedisLedgerStore(
            client,
            self._calls,
            clock,
            record_kept_days=settings.table_record_days,
            barrier=barrier,
            on_behind=self._told_behind,
        )
        folder = settings.ledger_archive_dir
        archive = SegmentArchive(folder, segment_count=settings.archive_segment_entries) if folder else None
        archiver = (
            Archiver(self._store, archive, self._stops, kept_count=settings.journal_kept_entries) if archive else None
        )
        self._journal = Journal(self._store, archive)
        self._funds = Funds(settings.opening_grants, settings.budgets)
        assets = self._funds.assets
        self._books = Books(self._store, self._funds, journal=self._journal, stops=self._stops)
        self._corrections = Corrections(
            self._store, self._funds, journal=self._journal, archive=archive, stops=self._stops
        )
        self._auditor = Auditor(self._store, assets, journal=self._journal, told=self._told_checked)
        self._audit = AuditServicer(
            self._auditor,
            self._store,
            self._journal,
            Deals(self._journal, clock),
            self._stops,
            assets,
            clock,
            runtime.stream_deadline,
        )
        self._duties = Duties(
            clock,
            runtime.log,
            self._meters,
            self._watch,
            self._store,
            self._auditor,
            archive,
            archiver,
            assets,
            archive_every_ms=settings.archive_every_ms,
            audit_every_minutes=settings.audit_every_minutes,
        )

    def register(self, server: grpc.aio.Server) -> Sequence[str]:
        """Adds the four services."""
        door = Door(self._watch.guard, self._runtime.clock)
        statements = Statements(self._store, self._journal, self._funds.assets)
        ledger_pb2_grpc.add_LedgerServiceServicer_to_server(LedgerServicer(self._books, door), server)
        account_pb2_grpc.add_AccountServiceServicer_to_server(AccountServicer(statements), server)
        admin_pb2_grpc.add_AccountAdminServiceServicer_to_server(AccountAdminServicer(self._corrections, door), server)
        audit_pb2_grpc.add_AuditServiceServicer_to_server(self._audit, server)
        return _SERVICES

    async def start(self) -> None:
        """Begins to send calls to the store, to watch it, and to archive.

        Raises: StartError: the archive cannot be read.
        """
        self._calls.start()
        try:
            await self._duties.start()
        except ArchiveFault as error:
            raise StartError(f"the ledger's archive: {error}; see CARDROOM_LEDGER_ARCHIVE_DIR") from error

    async def drain(self) -> None:
        """Says goodbye on streams; the calls that run come to their end by themselves."""
        self._audit.drain()

    async def stop(self) -> None:
        """Sends what still waits, archives what is new, and closes the connection."""
        await self._calls.stop()
        await self._duties.stop()
        await self._client.aclose()

    async def _told_durable(self, durable: bool) -> None:
        self._meters.store_durable.set(int(durable))
        await self._runtime.set_serving(durable)

    def _told_open(self, asset: str, why: str) -> None:
        self._meters.books_open.labels(asset).set(int(not why))
        if why:
            self._runtime.log.error("books_stopped", asset=asset, why=why)
        else:
            self._runtime.log.warning("books_resumed", asset=asset)

    def _told_behind(self, asset: str, number: int) -> None:
        self._stops.stop(asset, f"the journal ends at {number}, before what was acknowledged")

    async def _told_checked(self, asset: str, state: BooksState) -> None:
        self._meters.checked(asset, state, self._runtime.clock.now_ms())
        if state.faults:
            worst = state.faults[0]
            self._runtime.log.error(
                "books_wrong",
                asset=asset,
                fault_count=len(state.faults),
                kind=worst.kind,
                number=worst.number,
                account=worst.account,
                fault=worst.detail,
            )
