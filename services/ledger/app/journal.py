"""The journal as one, wherever its entries lie: the newest in the store, all that were archived in the archive."""

import asyncio
from collections.abc import Callable
from itertools import takewhile
from typing import Final, TypeVar

from services.ledger.app.entries import Record, is_text, record_of
from services.ledger.ports import ArchiveFault, JournalArchive, JournalFault, LedgerStore
from services.ledger.values import UNITS_MAX, ArchiveNote, Entry, EntryKind, Head, Settled

SEARCH_MAX: Final = 20_000
"""Entries of a table that are looked through for an old settlement."""
_WALK: Final = 50
"""Entries that one call of the store reads backwards."""

_T = TypeVar("_T")


class Journal:
    """Reads.

    Args:
        store: has the newest entries.
        archive: has all but the newest; None: nothing is archived, and the store has them all.
    """

    def __init__(self, store: LedgerStore, archive: JournalArchive | None = None) -> None:
        self._store = store
        self._archive = archive

    @property
    def is_archived(self) -> bool:
        """Whether there is an archive."""
        return self._archive is not None

    async def kept_head(self, asset: str) -> Head:
        """Where the part ends that outlives the store."""
        return await self._store.kept_head(asset)

    async def entries(self, asset: str, after: int, count: int) -> list[Entry]:
        """Entries that follow number ``after``, in order, at most ``count``; none at the end.

        The store's where it has them, the archive's before those. Entries are missing in between only where neither
        has them.
        """
        found = await self._store.entries(asset, after, count)
        if not found or found[0].number > after + 1:
            first = found[0].number if found else after + count + 1
            found = [*await self.archived(asset, after, first - after - 1), *found]
        return found or await self._next_entries(asset, after, count)

    async def consecutive(self, asset: str, after: int, count: int) -> list[Entry]:
        """The entries ``after + 1 ..``, one at least and ``count`` at most, as far as none is missing.

        Raises: JournalFault: the first of them is missing, or is no text that could be shown.
        """
        try:
            found = await self.entries(asset, after, count)
        except JournalFault:
            if count == 1:
                raise
            return await self.consecutive(asset, after, 1)  # it may lie before what is damaged
        run = [entry for number, entry in enumerate(found, after + 1) if entry.number == number]
        run = list(takewhile(is_text, run))
        if not run:
            raise JournalFault(f"entry {after + 1} of {asset} is missing or no text", after + 1)
        return run

    async def _next_entries(self, asset: str, after: int, count: int) -> list[Entry]:
        stored = await self._store.next_entries(asset, after, count)
        archived = await self._archived(
            lambda archive: archive.next_entries(asset, after, count), list[Entry](), after + 1
        )
        return min((stored, archived), key=lambda entries: entries[0].number if entries else UNITS_MAX)

    async def archived(self, asset: str, after: int, count: int) -> list[Entry]:
        """The archive's copies of the entries ``after + 1 .. after + count``; none without an archive."""
        return await self._archived(lambda archive: archive.entries(asset, after, count), [], after + 1)

    async def entry(self, asset: str, number: int) -> Entry | None:
        """One entry; None if it is nowhere."""
        found = await self._store.entries(asset, number - 1, 1)
        if found:
            return found[0]
        return await self._archived(lambda archive: archive.entry(asset, number), None, number)

    async def archived_head(self, asset: str) -> Head:
        """Where the archive ends; number 0 without one."""
        return await self._archived(lambda archive: archive.head(asset), Head(0, ""))

    async def shortened_archive(self, asset: str) -> tuple[int, int] | None:
        """Where the archive ends, and how far it had gone, if that was farther: somebody cut it. It is noted then.

        Raises: ArchiveFault: it cannot be read.
        """
        if self._archive is None:
            return None
        note = await self._store.noted_archive(asset)
        if not self._archive.is_held():  # on shared volumes only the one who writes sees it all
            return None if note.cut_to is None else (note.cut_to, note.number)
        ends = (await self.archived_head(asset)).number
        if ends >= note.number:
            return None
        if await self._store.noted_archive(asset) != note:  # an operator has just decided about it
            return await self.shortened_archive(asset)
        await self._store.note_archive(asset, note, ArchiveNote(note.number, cut_to=ends))
        return ends, note.number

    async def archive_faults(self, asset: str) -> list[tuple[int, str]]:
        """What is wrong with the archive's files."""
        return await self._archived(lambda archive: archive.faults(asset), [])

    async def archive_strays(self, asset: str) -> list[str]:
        """Names of files in the archive that are no part of it."""
        return await self._archived(lambda archive: archive.strays(asset), [])

    async def walk(
        self, asset: str, number: int, account: str, count: int, *, may_end_early: bool = False
    ) -> list[Record]:
        """Entries of an account, or where it is empty of a table, backwards from one of them, at most ``count``.

        Args:
            may_end_early: where there is no archive, what the store has not is not missed.
        Raises: JournalFault: one of them is missing or cannot be read.
        """
        records: list[Record] = []
        while number and len(records) < count:
            wanted = min(count - len(records), _WALK)
            entries, number = await self._store.walk(asset, number, account, wanted)
            records += map(record_of, entries)
            if len(entries) < wanted:
                break
        if not number or len(records) >= count:
            return records
        if self._archive is None:
            if may_end_early:
                return records
            raise JournalFault(f"entry {number} of {asset} is not in the store", number)
        missing = count - len(records)
        return records + await self._archived(
            lambda archive: _walk_archive(archive, asset, number, account, missing), list[Record](), number
        )

    async def answered(self, asset: str, last: int, seq: int, fingerprint: str) -> Settled | None:
        """The result of an old settlement or void, found backwards from the table's last entry.

        Returns: None: it is not to be found any more.
        Raises: ValueError: that seq had other content. JournalFault: an entry on the way is missing or cannot be read.
        """
        number, left = last, SEARCH_MAX
        while number and left > 0:
            records = await self.walk(asset, number, "", _WALK, may_end_early=True)
            for record in records:
                if record.seq == seq and record.kind in (EntryKind.SETTLE, EntryKind.VOID):
                    if record.fingerprint(asset) != fingerprint:
                        raise ValueError(f"entry {record.number} has other content")
                    return Settled(record.number, record.lines(), duplicate=True)
            number = records[-1].earlier("") if records else 0
            left -= len(records)
        return None

    async def _archived(self, read: Callable[[JournalArchive], _T], otherwise: _T, number: int = 0) -> _T:
        """What the archive says; a fault of it names the entry that was looked for."""
        if self._archive is None:
            return otherwise
        try:
            return await asyncio.to_thread(read, self._archive)
        except ArchiveFault as error:
            raise ArchiveFault(str(error), error.number or number) from error


def _walk_archive(archive: JournalArchive, asset: str, number: int, account: str, count: int) -> list[Record]:
    records: list[Record] = []
    while number and len(records) < count:
        try:
            entry = archive.entry(asset, number)
        except ArchiveFault as error:
            raise ArchiveFault(str(error), number) from error
        if entry is None:
            raise ArchiveFault(f"entry {number} of {asset} is not in the archive", number)
        records.append(record_of(entry))
        number = records[-1].earlier(account)
    return records
