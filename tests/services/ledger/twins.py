"""The real books and the oracle, told the same, step by step."""

import asyncio
from collections import Counter
from dataclasses import replace
from typing import Any

from refusals import Refusal
from services.ledger.app.checks import check_settlement
from services.ledger.app.fingerprint import (
    freeze_fingerprint,
    grant_fingerprint,
    relief_fingerprint,
    reversal_fingerprint,
    settlement_fingerprint,
    void_fingerprint,
)
from services.ledger.values import (
    RELIEF_FUND,
    EntryKind,
    Freeze,
    Grant,
    Leg,
    Reservation,
    Reversal,
    Settled,
    Settlement,
    Source,
    Stake,
    Void,
)
from tests.services.ledger.oracle import Oracle, Table, is_right
from tests.services.ledger.rig import CALL, Rig, new_asset

PLAYERS = ("ann", "bob", "cyd", "dan", "robot:1")
BUDGET = 30


class Twins:
    """One asset in the books and in the oracle. Every method is a step, and asserts that both answer the same."""

    def __init__(self, rig: Rig, seen: Counter[str]) -> None:
        self.asset = new_asset()
        self.seen = seen
        self.rig, self.store = rig, rig.store
        self.oracle = Oracle(BUDGET)
        self.sent: list[Settlement] = []

    def epoch(self, table: str, newer: int) -> int:
        return max(self.oracle.tables.get(table, Table()).epoch, 5) + newer

    def deal(self, table: str, deal: str) -> str:
        return deal or self.oracle.tables.get(table, Table()).deal or "d1"

    def settlement(self, table: str, newer: int, offset: int, deal: str, given: Any) -> Settlement:
        last = len(self.oracle.tables.get(table, Table()).done)
        seq, (legs, groups) = max(last + offset, 1), given
        return Settlement(table, self.epoch(table, newer), seq, self.deal(table, deal), self.asset, legs, groups)

    async def settle(self, table: str, newer: int, offset: int, deal: str, given: Any) -> None:
        await self._settle(self.settlement(table, newer, offset, deal, given))

    async def again(self, place: int, newer: int, changed: bool) -> None:
        if self.sent:
            before = self.sent[-1 - place % len(self.sent)]
            legs = before.legs
            if changed and legs:
                legs = (*legs[:-1], Leg(legs[-1].payer, legs[-1].payee, 3, legs[-1].reason, legs[-1].group))
            await self._settle(replace(before, epoch=self.epoch(before.table, newer), legs=legs))

    async def burst(self, table: str, count: int) -> None:
        known = self.oracle.tables.get(table)
        if known is not None and known.accounts:
            leg = Leg(known.accounts[0], next(name for name in PLAYERS if name != known.accounts[0]), 1, "win")
            for _ in range(count):
                await self.settle(table, 0, 1, "", ((leg,), ()))
            for offset in (-15, -16):
                await self.settle(table, 0, offset, "", ((leg,), ()))

    async def killed(self, table: str, given: Any, delay_ms: float | None) -> None:
        """Kill -9 of the store while a settlement is under way; it is sent again until there is an answer.

        Args:
            delay_ms: from the call to the kill; None: until the call is answered.
        """
        asked = self.settlement(table, 0, 1, "", given)
        flying = asyncio.create_task(self._answer(self.store.settle(asked, settlement_fingerprint(asked), CALL)))
        await (asyncio.wait([flying]) if delay_ms is None else asyncio.sleep(delay_ms / 1000))
        await self.rig.kill_and_restart()
        first = await flying
        told = self.oracle.settle(asked)
        again = await self._answer(self.store.settle(asked, settlement_fingerprint(asked), CALL))
        self.seen["killed, answered before" if first != "STORE_UNAVAILABLE" else "killed, unknown"] += 1
        if isinstance(told, Settled):
            assert isinstance(again, Settled), again
            assert (again.number, again.lines) == (told.number, told.lines)
            assert first in ("STORE_UNAVAILABLE", told)
            assert again.duplicate or first == "STORE_UNAVAILABLE"
        else:
            assert again == told
            assert first in ("STORE_UNAVAILABLE", told)

    async def void(self, table: str, newer: int, offset: int, deal: str) -> None:
        last = len(self.oracle.tables.get(table, Table()).done)
        asked = Void(
            table, self.epoch(table, newer), max(last + offset, 1), self.deal(table, deal), self.asset, "not to be"
        )
        answer = await self._answer(self.store.void(asked, void_fingerprint(asked), CALL))
        assert answer == self.oracle.void(asked), asked

    async def reserve(self, table: str, newer: int, deal: str, accounts: list[str], least: int) -> None:
        epoch, deal = self.epoch(table, newer), self.deal(table, deal)
        stake = Stake(table, epoch, deal, self.asset, tuple(accounts), least)
        answer = await self._answer(self.store.reserve(stake, CALL))
        assert answer == self.oracle.reserve(stake)

    async def release(self, table: str, newer: int, deal: str) -> None:
        """Deal ``over``: whichever it holds, as the table is over."""
        epoch, deal = self.epoch(table, newer), "" if deal == "over" else self.deal(table, deal)
        answer = await self._answer(self.store.release(table, epoch, deal, self.asset, CALL))
        assert answer == self.oracle.release(table, epoch, deal)

    async def claim(self, table: str, newer: int) -> None:
        epoch = self.epoch(table, newer)
        answer = await self._answer(self.store.claim(table, epoch, self.asset, CALL))
        assert answer == self.oracle.claim(table, epoch)

    async def grant(self, request: str, account: str, amount: int) -> None:
        grant = Grant(request, account, self.asset, amount, "because")
        answer = await self._answer(self.store.grant(grant, Source(), grant_fingerprint(grant), CALL))
        assert answer == self.oracle.grant(grant)

    async def relieve(self, request: str, account: str, amount: int) -> None:
        relief = Grant(request, account, self.asset, amount, "because")
        source = Source(RELIEF_FUND, BUDGET)
        answer = await self._answer(self.store.grant(relief, source, relief_fingerprint(relief), CALL))
        assert answer == self.oracle.relieve(relief)

    async def freeze(self, request: str, account: str, is_frozen: bool) -> None:
        verb = EntryKind.FREEZE if is_frozen else EntryKind.UNFREEZE
        freeze = Freeze(request, account, verb, "because")
        answer = await self._answer(self.store.freeze(freeze, self.asset, freeze_fingerprint(freeze), CALL))
        assert answer == self.oracle.freeze(freeze)

    async def reverse(self, request: str, place: int) -> None:
        can_be = [index for index, entry in enumerate(self.oracle.entries, 1) if entry.can_be_reversed]
        if can_be:
            number = can_be[-1 - place % len(can_be)]
            moved = self.oracle.entries[number - 1].moved
            legs = tuple(Leg(payee, payer, paid, "reversal") for payer, payee, paid in reversed(moved))
            named = tuple(replace(leg, payer=_named(leg.payer), payee=_named(leg.payee)) for leg in legs)
            reversal = Reversal(request, self.asset, number, "because", named)
            answer = await self._answer(self.store.reverse(reversal, reversal_fingerprint(reversal), CALL))
            assert answer == self.oracle.reverse(reversal), reversal

    async def open(self, account: str, opening: int) -> None:
        answer = await self._answer(self.rig.open(account, self.asset, opening))
        told = self.oracle.open(account, opening)
        assert (answer if isinstance(answer, str) else (answer[0].units, answer[1])) == told

    async def _settle(self, asked: Settlement) -> None:
        self.sent.append(asked)
        answer = await self._answer(self.store.settle(asked, settlement_fingerprint(asked), CALL))
        told = self.oracle.settle(asked)
        assert answer == told, asked
        assert _checked(asked) == is_right(asked), asked
        if told == "SETTLEMENT_OLD":
            await self._old(asked)

    async def _old(self, asked: Settlement) -> None:
        """What the table's record has forgotten is found in the journal."""
        before, settled = self.oracle.tables[asked.table].done[asked.seq - 1]
        same = replace(before, epoch=0) == replace(asked, epoch=0)
        answer = await self._answer(self.rig.books(self.asset).settle(asked, CALL))
        assert answer == (replace(settled, duplicate=True) if same else "SETTLEMENT_CONFLICT")
        self.seen["old, answered" if same else "old, refused"] += 1

    async def _answer(self, call: Any) -> Any:
        """The answer, or the reason of the refusal; what it was is counted."""
        try:
            answer = await call
        except Refusal as refusal:
            self.seen[str(refusal.reason)] += 1
            return str(refusal.reason)
        if isinstance(answer, Settled):
            kind = "voided" if answer.voided else "settled"
            self.seen["repeat" if answer.duplicate else kind] += 1
            self.seen["short"] += any(line.paid < line.asked for line in answer.lines)
            self.seen["moved back"] += any(line.reason == "reversal" for line in answer.lines)
        if isinstance(answer, Reservation):
            self.seen.update(f"seat {row.refusal}" for row in answer.rows)
        return answer

    async def invariants(self) -> None:
        """After every step: balances and locks are what the oracle says, none negative, the sum zero (PF-50)."""
        told = self.oracle.balances
        rows = await self.store.balances(list(told), self.asset)
        assert {row.account: row.units for row in rows if row} == told
        assert {row.account: row.locked_by for row in rows if row and row.locked_by} == self.oracle.locked_by
        assert {row.account for row in rows if row and row.frozen} == self.oracle.frozen
        assert sum(told.values()) == 0
        assert min((units for account, units in told.items() if account != "issuance"), default=0) >= 0
        assert (await self.store.head(self.asset)).number == len(self.oracle.entries)

    async def compare(self) -> None:
        """At the end: the journal folds to all of it."""
        await self.invariants()
        state = await self.rig.verify(self.asset)
        assert not state.faults
        assert state.entry_count == len(self.oracle.entries)
        assert (state.supply, state.sum_total) == (-self.oracle.balances["issuance"], 0)


def _named(account: str) -> str:
    return "system" if account == "penalties" else account


def _checked(asked: Settlement) -> bool:
    try:
        check_settlement(asked, (asked.asset,))
    except Refusal:
        return False
    return True
