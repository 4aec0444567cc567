"""The books in plain Python, written apart from the scripts and from ``games``: what the ledger must answer.

An answer is a value, or the name of the reason of a refusal. Nothing here is fast or survives anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from services.ledger.values import (
    Claimed,
    Grant,
    Granted,
    Group,
    Leg,
    Line,
    Reservation,
    Settled,
    Settlement,
    Stake,
    StakeRow,
)
from services.ledger.values import StakeRefusal as No

MOST = 9_007_199_254_740_991
REMEMBERED = 16
NOT_PLAYERS = ("system", "penalties", "issuance")


@dataclass(slots=True)
class Table:
    """What the books know of a table."""

    epoch: int = 0
    deal: str = ""
    accounts: tuple[str, ...] = ()
    released: str = ""
    done: list[tuple[Settlement, Settled]] = field(default_factory=list)


def is_right(asked: Settlement) -> bool:
    """Whether a settlement is one the books can carry out, whatever their state."""
    for leg in asked.legs:
        if leg.payer in NOT_PLAYERS or leg.payee in ("penalties", "issuance") or leg.payer == leg.payee:
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


class Oracle:
    """The books of one asset."""

    def __init__(self) -> None:
        self.balances: dict[str, int] = {"issuance": 0, "penalties": 0}
        self.locked_by: dict[str, str] = {}
        self.frozen: set[str] = set()
        self.tables: dict[str, Table] = {}
        self.grants: dict[str, tuple[Grant, Granted]] = {}
        self.entry_count = 0

    def open(self, account: str, opening: int) -> tuple[int, bool] | str:
        if account in self.balances:
            return self.balances[account], False
        if not self._issue(account, opening):
            return "AMOUNT_LIMIT"
        return self.balances[account], True

    def grant(self, grant: Grant) -> Granted | str:
        if grant.request_id in self.grants:
            before, granted = self.grants[grant.request_id]
            return replace(granted, duplicate=True) if before == grant else "REQUEST_ID_REUSED"
        if grant.account not in self.balances:
            return "ACCOUNT_UNKNOWN"
        if not self._issue(grant.account, grant.amount):
            return "AMOUNT_LIMIT"
        granted = Granted(self.entry_count, self.balances[grant.account], False)
        self.grants[grant.request_id] = grant, granted
        return granted

    def reserve(self, stake: Stake) -> Reservation | str:
        table = self._table(stake.table)
        if stake.epoch < table.epoch:
            return "FENCED"
        again = table.deal == stake.deal
        if (table.deal and not again) or (again and table.accounts != stake.accounts):
            return "SETTLEMENT_CONFLICT"
        if not table.deal and table.released == stake.deal:
            return "SETTLEMENT_CONFLICT"
        rows = tuple(
            StakeRow(account, self.balances.get(account, 0), No.NONE if again else self._no(account, stake))
            for account in stake.accounts
        )
        if any(row.refusal for row in rows):
            return Reservation(False, rows)
        self.tables[stake.table] = replace(table, epoch=stake.epoch, deal=stake.deal, accounts=stake.accounts)
        self.locked_by.update(dict.fromkeys(stake.accounts, stake.table))
        return Reservation(True, rows)

    def release(self, name: str, epoch: int, deal: str) -> tuple[str, ...] | str:
        table = self._table(name)
        if epoch < table.epoch:
            return "FENCED"
        self.tables[name] = table = replace(table, epoch=epoch)
        if table.deal not in ("", deal):
            return ()
        self.tables[name] = replace(table, deal="", accounts=(), released=deal)
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
        problem = self._problem(asked, table)
        if problem:
            return problem
        lines = tuple(self._carry_out(asked.legs, {group.id: group for group in asked.groups}))
        self.entry_count += 1
        settled = Settled(self.entry_count, lines)
        self.tables[asked.table] = replace(table, epoch=asked.epoch, done=[*table.done, (asked, settled)])
        return settled

    def _problem(self, asked: Settlement, table: Table) -> str:
        payers = {leg.payer for leg in asked.legs}
        parties = payers | {leg.payee for leg in asked.legs} - {"system"}
        if not parties <= set(self.balances):
            return "ACCOUNT_UNKNOWN"
        if table.deal != asked.deal or any(self.locked_by.get(payer) != asked.table for payer in payers):
            return "STAKE_MISSING"
        if payers & self.frozen:
            return "ACCOUNT_FROZEN"
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
        self.balances[leg.payer] -= paid
        self.balances[payee] += paid
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
        self.balances["issuance"] -= amount
        self.balances[account] = self.balances.get(account, 0) + amount
        self.entry_count += 1
        return True

    def _table(self, name: str) -> Table:
        return self.tables.setdefault(name, Table())
