"""VerifyBooks: the whole journal, folded and compared with every balance, while play goes on.

Balances are read in batches, each together with the head of the journal at the same moment. The fold goes up to
that head before it compares, so that a settlement in between is no difference. A stored balance that differs from
the fold differs at every later moment too: totals are the fold's at the end plus those differences.

Where there is an archive its files are checked, the fold begins with its entries, and each entry that both have must be
the same in both.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable
from contextlib import suppress
from typing import Final

from refusals import Refusal
from services.ledger.app.archiving import shortened
from services.ledger.app.checks import check_asset
from services.ledger.app.fold import BooksState, FaultKind, Fold
from services.ledger.app.journal import Journal
from services.ledger.ports import ArchiveFault, LedgerStore
from services.ledger.values import FUNDS, ISSUANCE, PENALTIES, SYSTEM_ACCOUNTS, Entry, Head

_CAUSES_FIRST: Final = {FaultKind.GAP: 0, FaultKind.CHAIN: 1}
"""What other faults follow from is told before them."""
BATCH: Final = 500
"""Entries or accounts read at once."""


class _Audit:
    """One run over one asset."""

    def __init__(self, store: LedgerStore, journal: Journal, asset: str, batch: int, fold: Fold) -> None:
        self._store = store
        self._journal = journal
        self._asset = asset
        self._batch = batch
        self._fold = fold
        self._archived = 0
        self._differences: dict[str, int] = {}
        self._seen: set[str] = set()
        self._account_count = 0

    async def run(self, *, with_files: bool) -> BooksState:
        if with_files:
            await self._check_archive()
        await self._check_archive_end()
        await self._fold_to(await self._store.head(self._asset))
        async for batch in self._store.accounts(self._asset):
            await self._compare(batch)
        told = [account for account in self._fold.balances if account not in self._seen]
        for start in range(0, len(told), self._batch):
            await self._compare(told[start : start + self._batch])
        head, frozen = await self._store.frozen(self._asset)
        await self._fold_to(head)
        self._fold.compare_frozen(frozen)
        await self._compare_stakes()
        await self._end()
        return self._state()

    async def _compare_stakes(self) -> None:
        head, locks = await self._store.locks(self._asset)
        await self._fold_to(head)
        self._fold.compare_locks(locks)
        tables = list(self._fold.tables)
        for start in range(0, len(tables), self._batch):
            batch = tables[start : start + self._batch]
            head, rows = await self._store.tables(self._asset, batch)
            await self._fold_to(head)
            self._fold.compare_tables(dict(zip(batch, rows, strict=True)))

    async def _check_archive(self) -> None:
        try:
            for number, detail in await self._journal.archive_faults(self._asset):
                self._fold.fault(FaultKind.CHAIN, f"the archive: {detail}", number=number)
            for name in await self._journal.archive_strays(self._asset):
                self._fold.fault(FaultKind.STRAY, f"the archive holds {name}, which is no segment")
            self._archived = (await self._journal.archived_head(self._asset)).number
        except (ArchiveFault, OSError) as error:
            self._fold.fault(FaultKind.CHAIN, f"the archive cannot be read: {error}")

    async def _check_archive_end(self) -> None:
        try:
            short = await self._journal.shortened_archive(self._asset)
        except (ArchiveFault, OSError):
            return  # named already where the files are checked; else the figure `archive_right` tells
        if short is not None:
            self._fold.fault(FaultKind.CHAIN, f"the archive: {shortened(*short)}", number=short[0] + 1)

    async def _fold_to(self, head: Head) -> None:
        fold = self._fold
        while fold.number < head.number:
            before = fold.number
            entries = await self._next(before, min(self._batch, head.number - before))
            entries = [entry for entry in entries if entry.number <= head.number]
            await self._compare_copies(before, entries)
            for entry in entries:
                fold.add(entry)
            if fold.number <= before:
                break
            await asyncio.sleep(0)

    async def _next(self, after: int, count: int) -> list[Entry]:
        """Entries as far as the archive can be read, then what the store has; that it is damaged is named already."""
        try:
            return await self._journal.entries(self._asset, after, count)
        except ArchiveFault:
            if count > 1:
                return await self._next(after, 1)
            return await self._store.next_entries(self._asset, after, self._batch)

    async def _compare_copies(self, after: int, entries: Collection[Entry]) -> None:
        """Entries that are archived must be the archive's."""
        if after >= self._archived or not entries:
            return
        try:
            copies = await self._journal.archived(self._asset, after, self._batch)
        except (ArchiveFault, OSError):
            return  # named already
        archived = {copy.number: copy for copy in copies}
        for entry in entries:
            if archived.get(entry.number, entry) != entry:
                self._fold.fault(FaultKind.CHAIN, "the archive has another entry here", number=entry.number)

    async def _end(self) -> None:
        head = await self._store.head(self._asset)
        await self._fold_to(head)
        self._fold.end(head)
        beyond = await self._store.next_entries(self._asset, head.number, 1)
        if beyond and beyond[0].number == head.number:
            self._fold.fault(FaultKind.GAP, "stands twice at the end of the journal", number=head.number)
        elif beyond and beyond[0].number > (await self._store.head(self._asset)).number:
            self._fold.fault(FaultKind.GAP, "stands beyond the head of the journal", number=beyond[0].number)
        if self._archived > head.number:
            self._fold.fault(
                FaultKind.GAP, f"the archive goes to {self._archived}, the journal to {head.number}", number=head.number
            )

    async def _compare(self, accounts: Iterable[str]) -> None:
        batch = [account for account in dict.fromkeys(accounts) if account not in self._seen]
        if not batch:
            return
        self._seen.update(batch)
        head, units, lasts = await self._store.units(self._asset, batch)
        await self._fold_to(head)
        stored = dict(zip(batch, units, strict=True))
        self._fold.compare(stored, dict(zip(batch, lasts, strict=True)))
        for account, value in stored.items():
            self._account_count += value is not None
            difference = (value if isinstance(value, int) else 0) - self._fold.balances.get(account, 0)
            if difference:
                self._differences[account] = difference

    def _state(self) -> BooksState:
        totals = dict.fromkeys(SYSTEM_ACCOUNTS, 0) | self._fold.balances
        for account, difference in self._differences.items():
            totals[account] = totals.get(account, 0) + difference
        sum_total = sum(totals.values())
        if sum_total:
            self._fold.fault(FaultKind.SUM, f"the sum over all accounts is {sum_total}, not 0")
        return BooksState(
            entry_count=self._fold.entry_count,
            account_count=self._account_count,
            supply=-totals[ISSUANCE],
            players_total=sum(units for account, units in totals.items() if account not in SYSTEM_ACCOUNTS),
            penalties_total=totals[PENALTIES],
            funds_total=sum(totals[fund] for fund in FUNDS),
            sum_total=sum_total,
            faults=tuple(
                sorted(self._fold.faults, key=lambda fault: _CAUSES_FIRST.get(fault.kind, len(_CAUSES_FIRST)))
            ),
            accepted=tuple(self._fold.accepted),
        )


async def _nobody(asset: str, state: BooksState) -> None:
    """Nobody is told."""


class Auditor:
    """Checks the books.

    Args:
        store: where they are.
        assets: the assets there are.
        batch: entries or accounts read at once.
        journal: where all entries are; the store alone if absent.
        told: called with what each check found.
    """

    def __init__(
        self,
        store: LedgerStore,
        assets: Collection[str],
        batch: int = BATCH,
        *,
        journal: Journal | None = None,
        told: Callable[[str, BooksState], Awaitable[None]] = _nobody,
    ) -> None:
        self._store = store
        self._journal = journal or Journal(store)
        self._batch = batch
        self._assets = tuple(assets)
        self._told = told
        self._folds: dict[str, Fold] = {}

    async def verify(self, asset: str) -> BooksState:
        """Folds the whole journal of an asset and compares (PF-50).

        Whatever it finds, it changes no balance and no entry: what is wrong is for people to mend. While the books are
        wrong nothing is granted.
        """
        check_asset(asset, self._assets)
        return await self._noted(asset, await self._look(asset, Fold(), with_files=True))

    async def look_again(self, asset: str) -> BooksState:
        """The same, but entries that an earlier look found right are not read again; for a look every hour.

        The balances of all accounts as the journal tells them stay in memory between two looks.
        """
        known = self._folds.pop(asset, None)
        fold = known or Fold()
        state = await self._look(asset, fold, with_files=known is None)
        if state.faults and known is not None:  # or an operator has resumed another history than was read
            fold = Fold()
            state = await self._look(asset, fold, with_files=True)
        if not state.faults:
            self._folds[asset] = fold
        return await self._noted(asset, state)

    async def _look(self, asset: str, fold: Fold, *, with_files: bool) -> BooksState:
        return await _Audit(self._store, self._journal, asset, self._batch, fold).run(with_files=with_files)

    async def _noted(self, asset: str, state: BooksState) -> BooksState:
        with suppress(Refusal):  # a store that cannot be written grants nothing anyway
            await self._store.mark(asset, wrong=bool(state.faults))
        await self._told(asset, state)
        return state
