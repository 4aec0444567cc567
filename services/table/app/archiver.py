"""Logs of tables that are over go to the archive, and then out of the store.

A finished table stays on its pod's list until its log is out of the store, so that nothing is forgotten: who finds it
there (the same pod, restarted, or another that inherits it) does again what may have been done. The archive keeps a log
once, and only what it keeps is trimmed.
"""

import asyncio
from collections.abc import Sequence

from services.table.app.outside import PAGE_COUNT, Outside
from services.table.archives import ArchiveAway, ArchivedLog, ArchiveStore
from services.table.ports import StoreAway, StoredEntry, StoreFull

_AT_ONCE = 32
"""Logs that are synced to the archive together."""
RETRY_MS = 1_000
_DROP_EVERY_MS = 3_600_000


class Archiver:
    """The logs of one pod on their way to the archive."""

    def __init__(self, outside: Outside, archive: ArchiveStore) -> None:
        self._outside = outside
        self._archive = archive
        self._pending: dict[str, None] = {}
        self._given_up: set[str] = set()
        self._filled = asyncio.Event()
        self._dropped_ms = -_DROP_EVERY_MS

    def take(self, table_id: str) -> None:
        """A finished table on this pod's list; again, nothing happens."""
        if table_id not in self._given_up:
            self._pending[table_id] = None
            self._filled.set()

    def holds(self, table_id: str) -> bool:
        """Whether it is seen to already, or cannot be."""
        return table_id in self._pending or table_id in self._given_up

    async def run(self) -> None:
        """Bring logs to the archive until cancelled."""
        while True:
            try:
                await self._drop_old()
                await self._carry(tuple(self._pending)[:_AT_ONCE])
            except (StoreAway, StoreFull, ArchiveAway) as error:
                self._outside.journal.warning("not_archived", error=type(error).__name__, count=len(self._pending))
                await self._outside.clock.sleep_ms(RETRY_MS)
            except Exception as error:  # one log that cannot be kept keeps no other waiting
                self._give_up(tuple(self._pending)[:_AT_ONCE], error)
            if not self._pending:
                self._filled.clear()
                await self._rest()

    async def _rest(self) -> None:
        """Wait for the next log, or for the time to drop old ones."""
        pause = asyncio.ensure_future(self._outside.clock.sleep_ms(_DROP_EVERY_MS))
        news = asyncio.ensure_future(self._filled.wait())
        try:
            await asyncio.wait((pause, news), return_when=asyncio.FIRST_COMPLETED)
        finally:
            pause.cancel()
            news.cancel()

    async def _carry(self, table_ids: Sequence[str]) -> None:
        found = [(table_id, await self._log(table_id)) for table_id in table_ids]
        logs = [log for _, log in found if log is not None]
        if logs:
            await self._archive.put(logs)
            self._outside.checkpoints.reach("archived")
        for table_id, log in found:
            if log is not None:
                await self._outside.log.trim(table_id)
                self._outside.meters.archived()
            await self._outside.log.strike(self._outside.pod, table_id)
            self._pending.pop(table_id, None)

    async def _log(self, table_id: str) -> ArchivedLog | None:
        """The log, if the table is over, this pod's, and still in the store."""
        owner = await self._outside.log.owner(table_id)
        if owner is None or owner.finished is None or owner.pod != self._outside.pod:
            return None
        entries: list[StoredEntry] = []
        while page := await self._outside.log.entries(table_id, entries[-1].seq if entries else 0, PAGE_COUNT):
            entries += page
        return ArchivedLog(table_id, owner.finished, tuple(entries)) if entries else None

    def _give_up(self, table_ids: Sequence[str], error: Exception) -> None:
        """They stay in the store and on the list; the next process tries again."""
        for table_id in table_ids:
            self._outside.journal.error("not_archived", table_id=table_id, error=type(error).__name__)
            del self._pending[table_id]
            self._given_up.add(table_id)

    async def _drop_old(self) -> None:
        now_ms = self._outside.clock.monotonic_ms()
        if now_ms - self._dropped_ms < _DROP_EVERY_MS:
            return
        self._dropped_ms = now_ms
        limits, store_ms = self._outside.limits, await self._outside.log.now_ms()
        dropped = await self._archive.drop(
            settled_before_ms=store_ms - limits.keep_log_ms, faulty_before_ms=store_ms - limits.keep_faulted_log_ms
        )
        if dropped:
            self._outside.journal.info("archive_dropped", count=dropped)
