"""What happened at tables, in the journal's order: for teams that watch risk and keep statistics."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass
from typing import Final

from services.ledger.app.entries import Record, account_of, record_of
from services.ledger.app.journal import Journal
from services.ledger.ports import Clock, JournalFault
from services.ledger.values import PENALTIES, SYSTEM, EntryKind

BATCH: Final = 200
POLL_MS: Final = 500
"""Pause between two looks at a journal that has nothing new."""
HEARTBEAT_MS: Final = 15_000
_SHOWN: Final = frozenset({EntryKind.SETTLE, EntryKind.VOID, EntryKind.REVERSE, EntryKind.RELEASE})


@dataclass(frozen=True, slots=True)
class DealResults:
    """What a deal came to: how many settlements it had, and what it brought each account, in order of appearance."""

    settlement_count: int
    changes: dict[str, int]


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that happened, or with ``record`` None nothing for a while. ``results`` where a deal has finished."""

    cursor: int
    record: Record | None = None
    results: DealResults | None = None


class Deals:
    """Follows a journal.

    Args:
        journal: where entries are.
        clock: for pauses.
    """

    def __init__(self, journal: Journal, clock: Clock) -> None:
        self._journal = journal
        self._clock = clock

    async def watch(self, asset: str, after: int, is_over: Callable[[], bool]) -> AsyncGenerator[Happening, None]:
        """What happened after an entry, and then what happens, until it is over.

        Raises: JournalFault: an entry is missing or cannot be read; what happened before it was told.
        """
        cursor, told_ms = after, self._clock.monotonic_ms()
        while not is_over():
            before = cursor
            async for happening in self._next(asset, cursor):
                cursor = happening.cursor
                if happening.record is not None:
                    yield happening
                    told_ms = self._clock.monotonic_ms()
            if self._clock.monotonic_ms() - told_ms >= HEARTBEAT_MS:
                yield Happening(cursor)
                told_ms = self._clock.monotonic_ms()
            if cursor == before:
                await self._clock.sleep_ms(POLL_MS)

    async def _next(self, asset: str, after: int) -> AsyncIterator[Happening]:
        """One happening an entry; those that nobody watches have no record."""
        head = await self._journal.kept_head(asset)
        if head.number <= after:
            return
        for entry in await self._journal.consecutive(asset, after, min(BATCH, head.number - after)):
            record = record_of(entry)
            if record.kind not in _SHOWN or (record.kind == EntryKind.RELEASE and not record.accounts):
                yield Happening(entry.number)
            elif record.kind == EntryKind.RELEASE:
                try:
                    results = await self._results(asset, record)
                except JournalFault as error:  # by the release's number: who goes on behind it meets it no more
                    raise JournalFault(f"deal {record.deal} cannot be added up: {error}", entry.number) from error
                yield Happening(entry.number, record, results)
            else:
                yield Happening(entry.number, record)

    async def _results(self, asset: str, release: Record) -> DealResults:
        """Adds up the deal's settlements, from its release back to its reservation."""
        settlements: list[Record] = []
        number = release.prior
        while number:
            records = await self._walked(asset, number)
            for record in records:
                if record.kind == EntryKind.RESERVE:
                    return _added_up(settlements)
                if record.kind == EntryKind.SETTLE and record.deal == release.deal:
                    settlements.append(record)
            number = records[-1].earlier("") if records else 0
        return _added_up(settlements)

    async def _walked(self, asset: str, number: int) -> list[Record]:
        """Entries of a table backwards from one: many at once, or this one where that meets damage before the deal."""
        try:
            return await self._journal.walk(asset, number, "", BATCH)
        except JournalFault:
            return await self._journal.walk(asset, number, "", 1)


def _added_up(settlements: list[Record]) -> DealResults:
    changes: dict[str, int] = {}
    for record in reversed(settlements):
        for leg in record.legs:
            for name, change in ((leg.payer, -leg.paid), (leg.payee, leg.paid)):
                shown = SYSTEM if account_of(name) == PENALTIES else name
                changes[shown] = changes.get(shown, 0) + change
    return DealResults(len(settlements), changes)
