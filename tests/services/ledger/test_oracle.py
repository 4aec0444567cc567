"""The scripts do what plain Python says (PF-50..55, reliability 33)."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from refusals import Refusal
from services.ledger.adapters.keys import Keys
from services.ledger.app.checks import check_settlement
from services.ledger.app.fingerprint import grant_fingerprint, settlement_fingerprint
from services.ledger.values import UNITS_MAX, Grant, Group, Leg, Reservation, Settled, Settlement, Stake
from tests.services.ledger.oracle import Oracle, Table, is_right, share_out
from tests.services.ledger.rig import CALL, Rig, new_asset

PLAYERS = ("ann", "bob", "cyd", "dan", "robot:1")
STRANGER = "eve"
TABLES = ("t1", "t2")
REQUESTS = ("00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002")

_MOSTLY = st.sampled_from
_newer = _MOSTLY((*[0] * 16, 1, -1))
"""How much newer an epoch is than the table's."""
_deals = _MOSTLY((*[""] * 8, "d1", "d2", "d3"))
"""Empty: the deal whose stake is held."""
_next_deals = _MOSTLY(("", "d1", "d2", "d3", "d4", "d5", "d6"))
_units = st.one_of(st.integers(0, 40), st.integers(0, 40), _MOSTLY((0, 1, 7, 50, UNITS_MAX - 300, UNITS_MAX)))
_openings = st.tuples(*[st.integers(0, 40)] * 3, _MOSTLY((3, UNITS_MAX - 300)), _MOSTLY((0, 5)))
_players = _MOSTLY((*[*PLAYERS] * 5, STRANGER))


@st.composite
def _legs(draw: st.DrawFn) -> tuple[tuple[Leg, ...], tuple[Group, ...]]:
    """Mostly a settlement that makes sense; now and then one that breaks a rule."""
    legs: list[Leg] = []
    groups: list[Group] = []
    for number in range(draw(_MOSTLY((1, 1, 1, 2, 2, 2, 2, 3, 3, 0)))):
        payer = draw(_MOSTLY((*[*PLAYERS[:4]] * 6, "issuance", "penalties", STRANGER)))
        others = [name for name in PLAYERS if name != payer]
        if draw(st.booleans()):
            payees = draw(st.lists(_MOSTLY(others), min_size=1, max_size=4, unique=draw(_MOSTLY((*[True] * 9, False)))))
            legs += [Leg(payer, payee, draw(_units), "rain", number + 1) for payee in payees]
            if draw(_MOSTLY((*[True] * 19, False))):
                groups.append(Group(number + 1, draw(_MOSTLY(("", "", payees[0], payees[-1], payees[-1])))))
        else:
            payee = draw(_MOSTLY((*[*others] * 3, *["system"] * 3, payer, STRANGER)))
            wrong = draw(_MOSTLY((*[False] * 19, True)))
            legs.append(Leg(payer, payee, draw(_units), "penalty" if (payee == "system") is not wrong else "win"))
    if len(legs) > 2 and draw(_MOSTLY((*[False] * 9, True))):
        legs[0], legs[-1] = legs[-1], legs[0]
    return tuple(legs), tuple(groups)


_DETAILS: dict[str, tuple[int, tuple[st.SearchStrategy[Any], ...]]] = {
    # what happens: how often, and with which details
    "settle": (8, (_MOSTLY(TABLES), _newer, _MOSTLY((*[1] * 14, 2, 0, -15, -16, -17)), _deals, _legs())),
    "again": (4, (st.integers(0, 19), _newer, _MOSTLY((False, False, True)))),
    "burst": (2, (_MOSTLY(TABLES), _MOSTLY((3, 10, 18)))),
    "reserve": (
        3,
        (
            _MOSTLY(TABLES),
            _newer,
            _next_deals,
            st.lists(_players, min_size=1, max_size=4, unique=True),
            _MOSTLY((0, 0, 30)),
        ),
    ),
    "release": (2, (_MOSTLY(TABLES), _newer, _deals)),
    "claim": (1, (_MOSTLY(TABLES), _newer)),
    "grant": (1, (_MOSTLY(REQUESTS), _players, _MOSTLY((1, 2, 3, UNITS_MAX)))),
    "open": (1, (_MOSTLY(PLAYERS), _units)),
    "freeze": (3, (_MOSTLY(PLAYERS), _MOSTLY((False, False, True)))),
}
_kinds = _MOSTLY([kind for kind, (weight, _) in _DETAILS.items() for _ in range(weight)])
_steps = _kinds.flatmap(lambda kind: st.tuples(st.just(kind), *_DETAILS[kind][1]))


class _Twins:
    """The real books and the oracle, told the same."""

    def __init__(self, rig: Rig, seen: Counter[str]) -> None:
        self.asset = new_asset()
        self.seen = seen
        self.rig, self.store = rig, rig.store
        self.oracle = Oracle()
        self.sent: list[Settlement] = []

    def epoch(self, table: str, newer: int) -> int:
        return max(self.oracle.tables.get(table, Table()).epoch, 5) + newer

    def deal(self, table: str, deal: str) -> str:
        return deal or self.oracle.tables.get(table, Table()).deal or "d1"

    async def settle(self, table: str, newer: int, offset: int, deal: str, given: Any) -> None:
        last = len(self.oracle.tables.get(table, Table()).done)
        legs, groups = given
        await self._settle(
            Settlement(
                table,
                self.epoch(table, newer),
                max(last + offset, 1),
                self.deal(table, deal),
                self.asset,
                legs,
                groups,
            )
        )

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

    async def _settle(self, asked: Settlement) -> None:
        self.sent.append(asked)
        answer = await self._answer(self.store.settle(asked, settlement_fingerprint(asked), CALL))
        assert answer == self.oracle.settle(asked), asked
        assert _checked(asked) == is_right(asked), asked

    async def reserve(self, table: str, newer: int, deal: str, accounts: list[str], least: int) -> None:
        epoch, deal = self.epoch(table, newer), self.deal(table, deal)
        stake = Stake(table, epoch, deal, self.asset, tuple(accounts), least)
        answer = await self._answer(self.store.reserve(stake, CALL))
        assert answer == self.oracle.reserve(stake)

    async def release(self, table: str, newer: int, deal: str) -> None:
        epoch, deal = self.epoch(table, newer), self.deal(table, deal)
        answer = await self._answer(self.store.release(table, epoch, deal, self.asset, CALL))
        assert answer == self.oracle.release(table, epoch, deal)

    async def claim(self, table: str, newer: int) -> None:
        epoch = self.epoch(table, newer)
        answer = await self._answer(self.store.claim(table, epoch, self.asset, CALL))
        assert answer == self.oracle.claim(table, epoch)

    async def grant(self, request: str, account: str, amount: int) -> None:
        grant = Grant(request, account, self.asset, amount, "because")
        assert await self._answer(self.store.grant(grant, grant_fingerprint(grant), CALL)) == self.oracle.grant(grant)

    async def open(self, account: str, opening: int) -> None:
        answer = await self._answer(self.store.open_account(account, self.asset, opening, CALL))
        told = self.oracle.open(account, opening)
        assert (answer if isinstance(answer, str) else (answer[0].units, answer[1])) == told

    async def freeze(self, account: str, frozen: bool) -> None:
        key = Keys.of(self.asset).frozen
        await (self.rig.client.sadd(key, account) if frozen else self.rig.client.srem(key, account))
        (self.oracle.frozen.add if frozen else self.oracle.frozen.discard)(account)

    async def _answer(self, call: Any) -> Any:
        """The answer, or the reason of the refusal; what it was is counted."""
        try:
            answer = await call
        except Refusal as refusal:
            self.seen[str(refusal.reason)] += 1
            return str(refusal.reason)
        if isinstance(answer, Settled):
            self.seen["repeat" if answer.duplicate else "settled"] += 1
            self.seen["short"] += any(line.paid < line.asked for line in answer.lines)
        if isinstance(answer, Reservation):
            self.seen.update(f"seat {row.refusal}" for row in answer.rows)
        return answer

    async def compare(self) -> None:
        """Balances, locks and the journal are what the oracle says; the books are right (PF-50)."""
        told = self.oracle.balances
        rows = await self.store.balances(list(told), self.asset)
        assert {row.account: row.units for row in rows if row} == told
        assert {row.account: row.locked_by for row in rows if row and row.locked_by} == self.oracle.locked_by
        state = await self.rig.verify(self.asset)
        assert not state.faults
        assert state.entry_count == self.oracle.entry_count
        assert (state.supply, state.sum_total) == (-told["issuance"], 0)
        assert min(units for account, units in told.items() if account != "issuance") >= 0


def _checked(asked: Settlement) -> bool:
    try:
        check_settlement(asked, (asked.asset,))
    except Refusal:
        return False
    return True


_SEEN_MIN = {
    "settled": 300,
    "short": 50,
    "repeat": 30,
    **dict.fromkeys(("INVALID_FIELD", "FENCED", "SETTLEMENT_CONFLICT", "STAKE_MISSING", "ACCOUNT_FROZEN"), 2),
    **dict.fromkeys(("SETTLEMENT_GAP", "SETTLEMENT_OLD", "ACCOUNT_UNKNOWN", "REQUEST_ID_REUSED", "AMOUNT_LIMIT"), 2),
    **dict.fromkeys(("seat ", "seat BELOW_MINIMUM", "seat LOCKED_ELSEWHERE", "seat ACCOUNT_UNKNOWN", "seat FROZEN"), 2),
}
"""How often each answer must come up, or the test tests little."""


def test_random_histories_are_answered_as_the_oracle_says(runner: asyncio.Runner, shared_rig: Rig) -> None:
    """Reliability 33: settle, retry, changed retry, gap, stale owner, stakes, grants, bursts past the ring."""
    seen: Counter[str] = Counter()

    async def history(openings: Sequence[int], steps: Sequence[tuple[Any, ...]]) -> None:
        twins = _Twins(shared_rig, seen)
        for account, units in zip(PLAYERS, openings, strict=True):
            await twins.open(account, units)
        await twins.reserve("t1", 1, "d1", list(PLAYERS[:4]), 0)
        for kind, *details in steps:
            await getattr(twins, kind)(*details)
        await twins.compare()

    @settings(max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(openings=_openings, steps=st.lists(_steps, min_size=15, max_size=40))
    def histories(openings: Sequence[int], steps: Sequence[tuple[Any, ...]]) -> None:
        runner.run(history(openings, steps))

    histories()
    assert {name: seen[name] for name, least in _SEEN_MIN.items() if seen[name] < least} == {}


@pytest.mark.fast
@pytest.mark.parametrize(
    ("available", "asks", "paid"),
    [(10, (8, 8, 8), [4, 3, 3]), (10, (2, 8, 8), [2, 4, 4]), (14, (0, 10, 10), [0, 7, 7]), (1, (5, 5), [1, 0])],
)
def test_the_oracle_itself_shares_as_the_design_says(available: int, asks: tuple[int, ...], paid: list[int]) -> None:
    """PF-52: or the test above would test nothing."""
    assert share_out(available, asks, None) == paid
