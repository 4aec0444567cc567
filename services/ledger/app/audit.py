"""VerifyBooks: the whole journal, folded and compared with every balance, while play goes on.

Balances are read in batches, each together with the head of the journal at the same moment. The fold goes up to
that head before it compares, so that a settlement in between is no difference. A stored balance that differs from
the fold differs at every later moment too: totals are the fold's at the end plus those differences.
"""

import asyncio
from collections.abc import Collection, Iterable
from typing import Final

from services.ledger.app.checks import check_asset
from services.ledger.app.fold import BooksState, FaultKind, Fold
from services.ledger.ports import LedgerStore
from services.ledger.values import ISSUANCE, PENALTIES, Head

BATCH: Final = 500
"""Entries or accounts read at once."""


class _Audit:
    """One run over one asset."""

    def __init__(self, store: LedgerStore, asset: str, batch: int) -> None:
        self._store = store
        self._asset = asset
        self._batch = batch
        self._fold = Fold()
        self._differences: dict[str, int] = {}
        self._seen: set[str] = set()
        self._account_count = 0

    async def run(self) -> BooksState:
        await self._fold_to(await self._store.head(self._asset))
        async for batch in self._store.accounts(self._asset):
            await self._compare(batch)
        told = [account for account in self._fold.balances if account not in self._seen]
        for start in range(0, len(told), self._batch):
            await self._compare(told[start : start + self._batch])
        await self._end()
        return self._state()

    async def _fold_to(self, head: Head) -> None:
        fold = self._fold
        while fold.number < head.number:
            before = fold.number
            entries = await self._store.entries(self._asset, before, min(self._batch, head.number - before))
            for entry in entries:
                if entry.number <= head.number:
                    fold.add(entry)
            if fold.number <= before:
                break
            await asyncio.sleep(0)

    async def _end(self) -> None:
        head = await self._store.head(self._asset)
        await self._fold_to(head)
        self._fold.end(head)
        beyond = await self._store.entries(self._asset, head.number, 1)
        if beyond and beyond[0].number > (await self._store.head(self._asset)).number:
            self._fold.fault(FaultKind.GAP, "stands beyond the head of the journal", number=beyond[0].number)

    async def _compare(self, accounts: Iterable[str]) -> None:
        batch = [account for account in dict.fromkeys(accounts) if account not in self._seen]
        if not batch:
            return
        self._seen.update(batch)
        head, units = await self._store.units(self._asset, batch)
        await self._fold_to(head)
        stored = dict(zip(batch, units, strict=True))
        self._fold.compare(stored)
        for account, value in stored.items():
            self._account_count += value is not None
            difference = (value or 0) - self._fold.balances.get(account, 0)
            if difference:
                self._differences[account] = difference

    def _state(self) -> BooksState:
        totals = dict.fromkeys((ISSUANCE, PENALTIES), 0) | self._fold.balances
        for account, difference in self._differences.items():
            totals[account] = totals.get(account, 0) + difference
        sum_total = sum(totals.values())
        if sum_total:
            self._fold.fault(FaultKind.SUM, f"the sum over all accounts is {sum_total}, not 0")
        return BooksState(
            entry_count=self._fold.entry_count,
            account_count=self._account_count,
            supply=-totals[ISSUANCE],
            players_total=sum(units for account, units in totals.items() if account not in (ISSUANCE, PENALTIES)),
            penalties_total=totals[PENALTIES],
            sum_total=sum_total,
            faults=tuple(self._fold.faults),
        )


class Auditor:
    """Checks the books.

    Args:
        store: where they are.
        assets: the assets there are.
        batch: entries or accounts read at once.
    """

    def __init__(self, store: LedgerStore, assets: Collection[str], batch: int = BATCH) -> None:
        self._store = store
        self._batch = batch
        self._assets = tuple(assets)

    async def verify(self, asset: str) -> BooksState:
        """Folds the whole journal of an asset and compares (PF-50). It changes nothing, whatever it finds."""
        check_asset(asset, self._assets)
        return await _Audit(self._store, asset, self._batch).run()
