"""What the ledger does by itself while it serves: watch its store, copy the journal, check the books."""

import asyncio
from collections.abc import Sequence
from typing import Final

import structlog.typing

from refusals import Refusal
from services.ledger.adapters.durability import DurabilityWatch
from services.ledger.adapters.redis_store import RedisLedgerStore
from services.ledger.adapters.segments import SegmentArchive
from services.ledger.app.archiving import Archiver
from services.ledger.app.audit import Auditor
from services.ledger.meters import LedgerMeters
from services.ledger.ports import Clock
from serving.tasks import end_tasks

_MS_PER_MINUTE: Final = 60_000
_TOTALS_EVERY_MS: Final = 10_000
_AWAY: Final = (Refusal, OSError)
"""The store is away; that says nothing about the books."""


class Duties:
    """Tasks beside the calls.

    Args:
        clock: for pauses.
        log: told what changes.
        meters: shown what is.
        watch: asks whether the store is durable.
        store: whose totals are shown.
        auditor: checks the books.
        archive: where the journal is copied to; None: nowhere.
        archiver: copies it.
        assets: the assets there are.
        archive_every_ms: pause between two copies.
        audit_every_minutes: pause between two checks; 0: none.
    """

    def __init__(
        self,
        clock: Clock,
        log: structlog.typing.FilteringBoundLogger,
        meters: LedgerMeters,
        watch: DurabilityWatch,
        store: RedisLedgerStore,
        auditor: Auditor,
        archive: SegmentArchive | None,
        archiver: Archiver | None,
        assets: Sequence[str],
        *,
        archive_every_ms: int,
        audit_every_minutes: int,
    ) -> None:
        self._clock = clock
        self._log = log
        self._meters = meters
        self._watch = watch
        self._store = store
        self._auditor = auditor
        self._archive = archive
        self._archiver = archiver
        self._assets = tuple(assets)
        self._archive_every_ms = archive_every_ms
        self._audit_every_ms = audit_every_minutes * _MS_PER_MINUTE
        self._copied = dict.fromkeys(assets, True)
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Look where each journal ends, close books that lost entries, then begin.

        Raises: ArchiveFault: the archive cannot be read.
        """
        for asset in self._assets:
            self._meters.begin(asset, self._clock.now_ms())
            head = await (self._archiver.check(asset) if self._archiver else self._store.head(asset))
            self._store.expect(asset, head.number)
        running = [self._watch.run(), self._show()]
        if self._archiver is not None:
            running.append(self._copy())
        if self._audit_every_ms:
            running.append(self._check())
        self._tasks = [asyncio.create_task(duty, name="ledger-duty") for duty in running]

    async def stop(self) -> None:
        """End, after a last copy of what is new."""
        await end_tasks(*self._tasks)
        if self._archive is not None:
            await self._copy_all()
            self._archive.let_go()

    async def _show(self) -> None:
        while True:
            for asset in self._assets:
                try:
                    self._meters.totals(asset, await self._store.totals(asset))
                except Exception as error:  # whatever somebody wrote there, the duty goes on
                    self._log.warning("totals_unknown", asset=asset, fault=type(error).__name__)
            await self._clock.sleep_ms(_TOTALS_EVERY_MS)

    async def _copy(self) -> None:
        while True:
            await self._copy_all()
            await self._clock.sleep_ms(self._archive_every_ms)

    async def _copy_all(self) -> None:
        assert self._archive is not None and self._archiver is not None
        for asset in self._assets:
            try:
                if not await asyncio.to_thread(self._archive.hold):
                    return  # another process of this ledger writes it, and its figures are the ones that count
                number = await self._archiver.copy(asset)
            except Exception as error:  # the other assets are copied all the same
                self._note_copy(asset, error)
            else:
                self._note_copy(asset, None)
                self._meters.archived_number.labels(asset).set(number)

    def _note_copy(self, asset: str, error: Exception | None) -> None:
        well = error is None
        self._meters.archive_right.labels(asset).set(int(well))
        if self._copied[asset] != well:
            self._copied[asset] = well
            if well:
                self._log.warning("archive_right_again", asset=asset)
            else:
                self._log.error("archive_fault", asset=asset, fault=str(error) or type(error).__name__)

    async def _check(self) -> None:
        while True:
            await self._clock.sleep_ms(self._audit_every_ms)
            for asset in self._assets:
                try:
                    await self._auditor.look_again(asset)
                except _AWAY as error:
                    self._log.warning("check_failed", asset=asset, fault=type(error).__name__)
                except Exception as error:  # whatever it is: books that cannot be checked are not right
                    self._meters.books_right.labels(asset).set(0)
                    self._log.error("check_failed", asset=asset, fault=type(error).__name__, exc_info=error)
