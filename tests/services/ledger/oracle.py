"""The books in plain Python, written apart from the scripts and from ``games``: what the ledger must answer.

An answer is a value, or the name of the reason of a refusal. Nothing here is fast or survives anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from services.ledger.values import (
    Claimed,
    Freeze,
    Grant,
    Granted,
    Group,
    Leg,
    Line,
    Reservation,
    Reversal,
    Settled,
    Settlement,
    Stake,
    StakeRow,
    Void,
)
from services.ledger.values import StakeRefusal as No

_Result = TypeVar("_Result", Granted, Settled)

MOST = 9_007_199_254_740_991
REMEMBERED = 16
FUND = "fund:relief"
NOT_PLAYERS = ("system", "penalties", "issuance", FUND)


@dataclass(slots=True)
class Table:
    """What the books know of a table."""

    epoch: int = 0
    deal: str = ""
    accounts: tuple[str, ...] = ()
    released: tuple[str, ...] = ()
    done: list[tuple[Settlement | Void, Settled]] = field(default_factory=list)


@dataclass(slots=True)
class Entry:
    """What the books remember of an entry: what moved, whether it can be moved back, and whether it was."""

    moved: list[tuple[str, str, int]]
    can_be_reversed: bool = True
    is_reversed: bool = False


def is_right(asked: Settlement) -> bool:
    """Whether a settlement is one the books can carry out, whatever their state."""
    for leg in asked.legs:
        if leg.payer in NOT_PLAYERS or leg.payee in ("penalties", "issuance", FUND) or leg.payer == leg.payee:
            return False
        if (leg.payee == "system") is not (leg.reason == "penalty"):
            return False
        if leg.group and leg.group not in [group.id for group in asked.groups]:
            return False
    for group in asked.groups:
        marks = "".join("x" if leg.group == group.id else "." for leg in asked.legs)
        inside = [leg for leg in asked.legs if leg.group == group.id]
        payees = [leg.payee for leg in inside]
        if not inside or "." in marks.strip("."):
            return False
        if any(leg.payer != inside[0].payer for leg in inside) or len(payees) > len(set(payees)):
            return False
        if group.remainder_to and group.remainder_to not in payees:
            return False
    return bool(asked.legs) and len({group.id for group in asked.groups}) == len(asked.groups)


def share_out(available: int, asks: Sequence[int], first: int | None) -> list[int]:
    """Round after round everybody still short gets the same; what is too little for a round goes unit by unit."""
    got = [0] * len(asks)
    order = ([first] if first is not None else []) + [place for place in range(len(asks)) if place != first]
    while available:
        short = [place for place in order if got[place] < asks[place]]
        if not short:
            break
        each = min([asks[place] - got[place] for place in short] + [available // len(short)])
        for place in short if each else short[:available]:
            got[place] += each or 1
            available -= each or 1
    return got


def _name(account: str) -> str:
    return "system" if account == "penalties" else account


class Oracle:
    """The books of one asset, with a relief fund that begins with ``budget``."""

    def __init__(self, budget: int = 0) -> None:
        self.balances: dict[str, int] = {"issuance": 0, "penalties": 0}
        self.locked_by: dict[str, str] = {}
        self.frozen: set[str] = set()
        self.tables: dict[str, Table] = {}
        self.requests: dict[str, tuple[object, Granted | Settled | None]] = {}
        self.entries: list[Entry] = []
        self.budget = budget

    def open(self, account: str, opening: int) -> tuple[int, bool] | str:
        if account in self.balances:
            return self.balances[account], False
        if not self._issue(account, opening):
            return "AMOUNT_LIMIT"
        self._write([("issuance", account, opening)], can_be_reversed=False)
        return self.balances[account], True

    def grant(self, grant: Grant) -> Granted | str:
        if grant.request_id in self.requests:
            return self._again(grant.request_id, grant, Granted)
        if grant.account not in self.balances:
            return "ACCOUNT_UNKNOWN"
        if not self._issue(grant.account, grant.amount):
            return "AMOUNT_LIMIT"
        self._write([("issuance", grant.account, grant.amount)])
        return self._granted(grant.request_id, grant, grant.account)

    def relieve(self, relief: Grant) -> Granted | str:
        if relief.request_id in self.requests:
            return self._again(relief.request_id, ("relief", relief), Granted)
        if relief.account not in self.balances:
            return "ACCOUNT_UNKNOWN"
        moved = []
        left = self.balances.get(FUND, self.budget)
        if FUND not in self.balances and self.budget > MOST + self.balances["issuance"]:
            return "AMOUNT_LIMIT"
        if relief.amount > left:
            return "BUDGET_EXHAUSTED"
        if FUND not in self.balances and self.budget:
            self._issue(FUND, self.budget)
            moved.append(("issuance", FUND, self.budget))
        self._move(FUND, relief.account, relief.amount)
        self._write([*moved, (FUND, relief.account, relief.amount)])
        return self._granted(relief.request_id, ("relief", relief), relief.account)

    def freeze(self, freeze: Freeze) -> bool | str:
        if freeze.request_id in self.requests:
            before, _ = self.requests[freeze.request_id]
            return True if before == freeze else "REQUEST_ID_REUSED"
        if freeze.account not in self.balances:
            return "ACCOUNT_UNKNOWN"
        (self.frozen.add if freeze.verb == "freeze" else self.frozen.discard)(freeze.account)
        self._write([], can_be_reversed=False)
        self.requests[freeze.request_id] = freeze, None
        return False

    def reverse(self, reversal: Reversal) -> Settled | str:
        """``legs`` of the reversal are not looked at: what is moved back is known here."""
        content = ("reverse", reversal.number, reversal.why)
        entry = self.entries[reversal.number - 1]
        if reversal.request_id in self.requests:
            return self._again(reversal.request_id, content, Settled)
        if entry.is_reversed:
            return "ENTRY_REVERSED"
        if any(self.locked_by.get(payee) for _, payee, _ in entry.moved):
            return "LOCKED_ELSEWHERE"
        lines = []
        for payer, payee, paid in reversed(entry.moved):
            has = MOST + self.balances["issuance"] if payee == "issuance" else self.balances[payee]
            back = min(paid, has)
            self._move(payee, payer, back)
            lines.append(
                Line(_name(payee), _name(payer), paid, back, self.balances[payee], self.balances[payer], "reversal")
            )
        entry.is_reversed = True
        self._write([(back.payer, back.payee, back.paid) for back in lines])
        settled = Settled(len(self.entries), tuple(lines))
        self.requests[reversal.request_id] = content, settled
        return settled

    def reserve(self, stake: Stake) -> Reservation | str:
        table = self._table(stake.table)
        if stake.epoch < table.epoch:
            return "FENCED"
        again = table.deal == stake.deal
        if (table.deal and not again) or (again and table.accounts != stake.accounts):
            return "SETTLEMENT_CONFLICT"
        if not table.deal and stake.deal in table.released:
            return "SETTLEMENT_CONFLICT"
        rows = tuple(
            StakeRow(account, self.balances.get(account, 0), No.NONE if again else self._no(account, stake))
            for account in stake.accounts
        )
        if any(row.refusal for row in rows):
            return Reservation(False, rows)
        if not again:
            self._write([], can_be_reversed=False)
        self.tables[stake.table] = replace(table, epoch=stake.epoch, deal=stake.deal, accounts=stake.accounts)
        self.locked_by.update(dict.fromkeys(stake.accounts, stake.table))
        return Reservation(True, rows)

    def release(self, name: str, epoch: int, deal: str) -> tuple[str, ...] | str:
        table = self._table(name)
        if epoch < table.epoch:
            return "FENCED"
        self.tables[name] = table = replace(table, epoch=epoch)
        deal = deal or table.deal
        if not deal or (table.deal != deal and deal in table.released):
            return ()
        self._write([], can_be_reversed=False)
        released = (deal, *table.released)[:REMEMBERED]
        if table.deal not in ("", deal):
            self.tables[name] = replace(table, released=released)
            return ()
        self.tables[name] = replace(table, deal="", accounts=(), released=released)
        for account in table.accounts:
            del self.locked_by[account]
        return table.accounts

    def claim(self, name: str, epoch: int) -> Claimed | str:
        table = self._table(name)
        if epoch < table.epoch:
            return "FENCED"
        self.tables[name] = replace(table, epoch=epoch)
        last = replace(table.done[-1][1], duplicate=True) if table.done else None
        return Claimed(len(table.done), last)

    def settle(self, asked: Settlement) -> Settled | str:
        if not is_right(asked):
            return "INVALID_FIELD"
        answer = self._in_sequence(asked)
        problem = answer or self._problem(asked, self._table(asked.table))
        if problem:
            return problem
        lines = tuple(self._carry_out(asked.legs, {group.id: group for group in asked.groups}))
        self._write([(line.payer, line.payee, line.paid) for line in lines])
        return self._done(asked, lines)

    def void(self, asked: Void) -> Settled | str:
        answer = self._in_sequence(asked)
        if answer:
            return answer
        self._write([], can_be_reversed=False)
        return self._done(asked, ())

    def _done(self, asked: Settlement | Void, lines: tuple[Line, ...]) -> Settled:
        table = self._table(asked.table)
        settled = Settled(len(self.entries), lines)
        self.tables[asked.table] = replace(table, epoch=asked.epoch, done=[*table.done, (asked, settled)])
        return settled

    def _in_sequence(self, asked: Settlement | Void) -> Settled | str:
        """Empty if it is the next one of its table."""
        table = self._table(asked.table)
        last = len(table.done)
        if asked.epoch < table.epoch:
            return "FENCED"
        if asked.seq > last + 1:
            return "SETTLEMENT_GAP"
        if asked.seq <= last - REMEMBERED:
            return "SETTLEMENT_OLD"
        if asked.seq <= last:
            before, settled = table.done[asked.seq - 1]
            if replace(before, epoch=0) != replace(asked, epoch=0):
                return "SETTLEMENT_CONFLICT"
            self.tables[asked.table] = replace(table, epoch=asked.epoch)
            return replace(settled, duplicate=True)
        return ""

    def _problem(self, asked: Settlement, table: Table) -> str:
        payers = {leg.payer for leg in asked.legs}
        parties = payers | {leg.payee for leg in asked.legs} - {"system"}
        if not parties <= set(self.balances):
            return "ACCOUNT_UNKNOWN"
        if table.deal != asked.deal or any(self.locked_by.get(payer) != asked.table for payer in payers):
            return "STAKE_MISSING"
        return ""

    def _carry_out(self, legs: Sequence[Leg], groups: dict[int, Group]) -> list[Line]:
        lines: list[Line] = []
        while len(lines) < len(legs):
            leg = legs[len(lines)]
            together = [other for other in legs if other.group == leg.group] if leg.group else [leg]
            payees = [other.payee for other in together]
            wanted = groups[leg.group].remainder_to if leg.group else ""
            first = payees.index(wanted) if wanted else None
            amounts = share_out(self.balances[leg.payer], [other.amount for other in together], first)
            lines += [self._pay(other, amount) for other, amount in zip(together, amounts, strict=True)]
        return lines

    def _pay(self, leg: Leg, paid: int) -> Line:
        payee = "penalties" if leg.payee == "system" else leg.payee
        self._move(leg.payer, payee, paid)
        return Line(leg.payer, leg.payee, leg.amount, paid, self.balances[leg.payer], self.balances[payee], leg.reason)

    def _no(self, account: str, stake: Stake) -> No:
        if account not in self.balances:
            return No.ACCOUNT_UNKNOWN
        if self.locked_by.get(account, stake.table) != stake.table:
            return No.LOCKED_ELSEWHERE
        if account in self.frozen:
            return No.FROZEN
        return No.BELOW_MINIMUM if self.balances[account] < stake.least else No.NONE

    def _issue(self, account: str, amount: int) -> bool:
        if amount - self.balances["issuance"] > MOST:
            return False
        self._move("issuance", account, amount)
        return True

    def _move(self, payer: str, payee: str, paid: int) -> None:
        self.balances[payer] = self.balances.get(payer, 0) - paid
        self.balances[payee] = self.balances.get(payee, 0) + paid

    def _write(self, moved: list[tuple[str, str, int]], *, can_be_reversed: bool = True) -> None:
        named = [("penalties" if payer == "system" else payer, "penalties" if payee == "system" else payee, paid)
                 for payer, payee, paid in moved]  # fmt: skip
        self.entries.append(Entry(named, can_be_reversed))

    def _granted(self, request_id: str, content: object, account: str) -> Granted:
        granted = Granted(len(self.entries), self.balances[account], False)
        self.requests[request_id] = content, granted
        return granted

    def _again(self, request_id: str, content: object, kind: type[_Result]) -> _Result | str:
        before, result = self.requests[request_id]
        if before != content:
            return "REQUEST_ID_REUSED"
        assert isinstance(result, kind)
        return replace(result, duplicate=True)

    def _table(self, name: str) -> Table:
        return self.tables.setdefault(name, Table())
