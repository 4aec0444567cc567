"""The journal as one, wherever its entries lie: the newest in the store, all that were archived in the archive."""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from services.ledger.app.entries import Record, parse_body
from services.ledger.ports import ArchiveFault, JournalArchive, LedgerStore
from services.ledger.values import UNITS_MAX, Entry, EntryKind, Head, Settled

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

    async def _next_entries(self, asset: str, after: int, count: int) -> list[Entry]:
        stored = await self._store.next_entries(asset, after, count)
        archived = await self._archived(lambda archive: archive.next_entries(asset, after, count), list[Entry]())
        return min((stored, archived), key=lambda entries: entries[0].number if entries else UNITS_MAX)

    async def archived(self, asset: str, after: int, count: int) -> list[Entry]:
        """The archive's copies of the entries ``after + 1 .. after + count``; none without an archive."""
        return await self._archived(lambda archive: archive.entries(asset, after, count), [])

    async def entry(self, asset: str, number: int) -> Entry | None:
        """One entry; None if it is nowhere."""
        found = await self._store.entries(asset, number - 1, 1)
        return found[0] if found else await self._archived(lambda archive: archive.entry(asset, number), None)

    async def archived_head(self, asset: str) -> Head:
        """Where the archive ends; number 0 without one."""
        return await self._archived(lambda archive: archive.head(asset), Head(0, ""))

    async def archive_faults(self, asset: str) -> list[tuple[int, str]]:
        """What is wrong with the archive's files."""
        return await self._archived(lambda archive: archive.faults(asset), [])

    async def archive_strays(self, asset: str) -> list[str]:
        """Names of files in the archive that are no part of it."""
        return await self._archived(lambda archive: archive.strays(asset), [])

    async def walk(self, asset: str, number: int, account: str, count: int) -> list[Record]:
        """Entries of an account, or where it is empty of a table, backwards from one of them, at most ``count``."""
        records: list[Record] = []
        while number and len(records) < count:
            wanted = min(count - len(records), _WALK)
            entries, number = await self._store.walk(asset, number, account, wanted)
            records += [parse_body(entry.body) for entry in entries]
            if len(entries) < wanted:
                break
        if not number or len(records) >= count:
            return records
        missing = count - len(records)
        return records + await self._archived(
            lambda archive: _walk_archive(archive, asset, number, account, missing), list[Record]()
        )

    async def answered(self, asset: str, last: int, seq: int, fingerprint: str) -> Settled | None:
        """The result of an old settlement or void, found backwards from the table's last entry.

        Returns: None: it is not to be found any more.
        Raises: ValueError: that seq had other content.
        """
        number, left = last, SEARCH_MAX
        while number and left > 0:
            records = await self.walk(asset, number, "", _WALK)
            for record in records:
                if record.seq == seq and record.kind in (EntryKind.SETTLE, EntryKind.VOID):
                    if record.fingerprint(asset) != fingerprint:
                        raise ValueError(f"entry {record.number} has other content")
                    return Settled(record.number, record.lines(), duplicate=True)
            number = records[-1].earlier("") if records else 0
            left -= len(records)
        return None

    async def _archived(self, read: Callable[[JournalArchive], _T], otherwise: _T) -> _T:
        archive = self._archive
        return otherwise if archive is None else await asyncio.to_thread(read, archive)


def _walk_archive(archive: JournalArchive, asset: str, number: int, account: str, count: int) -> list[Record]:
    records: list[Record] = []
    while number and len(records) < count:
        entry = archive.entry(asset, number)
        if entry is None:
            raise ArchiveFault(f"entry {number} of {asset} is not in the archive")
        records.append(parse_body(entry.body))
        number = records[-1].earlier(account)
    return records
