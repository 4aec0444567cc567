"""The journal is copied out of the store, checked, and then trimmed there; the copy says what the store must have."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from services.ledger.app.entries import chain_hash
from services.ledger.app.stops import Stops
from services.ledger.ports import ArchiveFault, JournalArchive, LedgerStore
from services.ledger.values import ArchiveNote, Entry, Head

BATCH: Final = 500
"""Entries copied at once."""


class Archiver:
    """Copies one journal after the other.

    Args:
        store: has the journals.
        archive: gets them.
        stops: which books are closed; those of them are left alone.
        kept_count: newest entries that stay in the store.
    """

    def __init__(self, store: LedgerStore, archive: JournalArchive, stops: Stops, *, kept_count: int) -> None:
        self._store = store
        self._archive = archive
        self._stops = stops
        self._kept_count = max(kept_count, 1)

    async def check(self, asset: str) -> Head:
        """Closes the books if the store lacks entries that the archive has, or has others; returns the store's head.

        An archive that was cut closes nothing: what it lacks says nothing about the store.
        Raises: ArchiveFault.
        """
        noted = (await self._store.noted_archive(asset)).number
        archived = await asyncio.to_thread(self._archive.head, asset)  # first: the store never has less than it had
        head = await self._store.head(asset)
        if head.number < archived.number:
            self._stops.stop(asset, f"the journal ends at {head.number}, the archive at {archived.number}")
        elif archived.number:
            entries = await self._store.next_entries(asset, archived.number - 1, 1)
            is_cut = archived.number < noted and (not entries or entries[0].number > archived.number + 1)
            joins = any(Head(entry.number, entry.hash) == archived or _follows(archived, entry) for entry in entries)
            if not is_cut and not joins:
                self._stops.stop(asset, f"the journal has another entry {archived.number} than the archive")
        return head

    async def copy(self, asset: str) -> int:
        """Copies what is new and trims what need not stay; returns the number of the last entry copied.

        Raises: ArchiveFault: an entry does not follow the one before it, the archive ends before where it had gone, or
            the files cannot be written.
        """
        await self.check(asset)
        if self._stops.why(asset):
            return (await asyncio.to_thread(self._archive.head, asset)).number
        note = await self._store.noted_archive(asset)
        head = await self._store.kept_head(asset)
        archived = await asyncio.to_thread(self._archive.head, asset)
        if archived.number < note.number:
            # The store may have what is missing. But what became of the archive is to be seen before it is whole again.
            await self._store.note_archive(asset, note, replace(note, cut_to=archived.number))
            raise ArchiveFault(shortened(archived.number, note.number), archived.number + 1)
        while archived.number < head.number:
            entries = await self._store.entries(asset, archived.number, min(BATCH, head.number - archived.number))
            archived = followed(archived, entries)
            await _to_the_end(partial(self._archive.append, asset, entries))
        if note != ArchiveNote(archived.number):
            await self._store.note_archive(asset, note, ArchiveNote(archived.number))
        await self._trim(asset, archived.number)
        return archived.number

    async def _trim(self, asset: str, archived: int) -> None:
        through = archived - self._kept_count
        if through <= 0:
            return
        oldest = await self._store.next_entries(asset, 0, 1)
        if not oldest or oldest[0].number > through:
            return
        through = min(through, await asyncio.to_thread(self._archive.sealed, asset))
        if through >= oldest[0].number:
            await self._store.trim(asset, through)


def _follows(head: Head, entry: Entry) -> bool:
    return entry.number == head.number + 1 and entry.hash == chain_hash(head.hash, entry.body)


def shortened(number: int, noted: int) -> str:
    """What is said of an archive that ends at a number, and went further."""
    why = "it was cut, an older copy is in its place, or its volume is not mounted"
    return f"it ends at {number} and went to {noted}: {why}"


async def _to_the_end(write: Callable[[], None]) -> None:
    """In a thread; whoever is cancelled meanwhile waits for it, as it cannot be stopped and another copy may follow."""
    writing = asyncio.create_task(asyncio.to_thread(write))
    try:
        await asyncio.shield(writing)
    except asyncio.CancelledError:
        await asyncio.wait([writing])
        raise


def followed(head: Head, entries: Sequence[Entry]) -> Head:
    """The last of the entries, if they follow a head without a gap. Raises: ArchiveFault."""
    if not entries:
        raise ArchiveFault(f"entry {head.number + 1} is missing in the store")
    for entry in entries:
        if not _follows(head, entry):
            raise ArchiveFault(f"entry {entry.number} in the store does not follow entry {head.number}")
        head = Head(entry.number, entry.hash)
    return head


async def common_number(store: LedgerStore, archive: JournalArchive, asset: str) -> int:
    """Number of the last entry that store and archive have in common; found by halving, as histories part once.

    Raises: ArchiveFault: they have nothing in common, though the store's journal does not begin at 1.
    """
    last = min((await store.head(asset)).number, (await asyncio.to_thread(archive.head, asset)).number)
    oldest = await store.next_entries(asset, 0, 1)
    low = oldest[0].number - 1 if oldest else last
    if low and oldest:
        before = await asyncio.to_thread(archive.entry, asset, low)
        if before is None or chain_hash(before.hash, oldest[0].body) != oldest[0].hash:
            raise ArchiveFault(f"entry {oldest[0].number} of {asset} does not follow the archive's entry {low}", low)
    high = max(last, low)
    while low < high:
        middle = (low + high + 1) // 2
        stored = await store.entries(asset, middle - 1, 1)
        if stored and stored[0] == await asyncio.to_thread(archive.entry, asset, middle):
            low = middle
        else:
            high = middle - 1
    return low
