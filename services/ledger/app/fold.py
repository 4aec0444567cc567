"""The journal folded to balances, with everything wrong that the fold meets. Pure: entries in, faults out."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from services.ledger.values import ISSUANCE, PENALTIES, SYSTEM, Entry, Head

FAULTS_MAX: Final = 100
"""Faults reported of one asset; more say no more."""


class FaultKind(StrEnum):
    """What is wrong."""

    BALANCE = "balance"
    """A balance differs from what the journal says."""
    SUM = "sum"
    """The sum over all accounts is not zero."""
    NEGATIVE = "negative"
    """An account other than issuance is below zero."""
    GAP = "gap"
    """Journal entries are missing, or stand at the wrong number."""
    CHAIN = "chain"
    """A journal entry was edited, or does not follow the one before it."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with the books; ``account`` and ``number`` where it concerns one."""

    kind: FaultKind
    detail: str
    account: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class JournalLeg:
    """A leg as the journal holds it: the accounts' names, units moved and both balances after."""

    payer: str
    payee: str
    paid: int
    payer_after: int
    payee_after: int


def chain_hash(before: str, body: str) -> str:
    """Hash of an entry: 40 hex digits over the hash before it ('' for entry 1) and its body."""
    return hashlib.sha1(f"{before}\n{body}".encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()


def _account(name: object) -> str:
    if not isinstance(name, str):
        raise ValueError("an account's name is not a text")
    return PENALTIES if name == SYSTEM else name


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError("a number is not whole")
    return value


def _leg(row: object) -> JournalLeg:
    if not isinstance(row, list) or len(row) != 8:
        raise ValueError("a leg has not 8 parts")
    payer, payee, _asked, paid, payer_after, payee_after, _reason, _group = row
    return JournalLeg(_account(payer), _account(payee), _whole(paid), _whole(payer_after), _whole(payee_after))


def parse_body(body: str) -> tuple[int, tuple[JournalLeg, ...]]:
    """Number and legs of an entry. Raises: ValueError: it is not one of ours."""
    fields = json.loads(body)
    if not isinstance(fields, dict) or not isinstance(fields.get("legs"), list):
        raise ValueError("an entry has no legs")
    return _whole(fields.get("number")), tuple(_leg(row) for row in fields["legs"])


@dataclass(slots=True)
class Fold:
    """The books as the journal tells them, up to entry ``number``."""

    number: int = 0
    hash: str = ""
    entry_count: int = 0
    balances: dict[str, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def add(self, entry: Entry) -> None:
        """Takes the next entry. What is wrong with it becomes a fault, and the fold goes on."""
        if entry.number > self.number + 1:
            self.fault(FaultKind.GAP, f"entries {self.number + 1}-{entry.number - 1} are missing", number=entry.number)
        elif entry.number <= self.number:
            self.fault(FaultKind.GAP, f"stands after entry {self.number}", number=entry.number)
        if entry.hash != chain_hash(self.hash, entry.body):
            self.fault(FaultKind.CHAIN, "edited, or not the successor of the entry before it", number=entry.number)
        self.number, self.hash = entry.number, entry.hash
        self.entry_count += 1
        try:
            number, legs = parse_body(entry.body)
        except ValueError:
            self.fault(FaultKind.CHAIN, "not readable as a journal entry", number=entry.number)
            return
        if number != entry.number:
            self.fault(FaultKind.GAP, f"this is entry {number}", number=entry.number)
        for leg in legs:
            self._move(leg, entry.number)

    def _move(self, leg: JournalLeg, number: int) -> None:
        for account, change, recorded in (
            (leg.payer, -leg.paid, leg.payer_after),
            (leg.payee, leg.paid, leg.payee_after),
        ):
            after = self.balances.get(account, 0) + change
            self.balances[account] = after
            if after != recorded:
                self.fault(
                    FaultKind.BALANCE, f"the entry says {recorded} after it, the journal {after}", account, number
                )
            if after < 0 and account != ISSUANCE:
                self.fault(FaultKind.NEGATIVE, f"{after} after this entry", account, number)

    def end(self, head: Head) -> None:
        """Compares with where the store says that the journal ends."""
        if head.number != self.number:
            self.fault(
                FaultKind.GAP, f"the journal ends at {self.number}, its head says {head.number}", number=head.number
            )
        elif head.hash != self.hash:
            self.fault(FaultKind.CHAIN, "the head's hash is not the last entry's", number=head.number)

    def compare(self, stored: Mapping[str, int | None]) -> None:
        """Compares with balances as they were stored at this entry; None: there is no such account."""
        for account, units in stored.items():
            told = self.balances.get(account)
            if units is None and told is not None:
                self.fault(FaultKind.BALANCE, f"not in the store, the journal says {told}", account)
            elif units is not None and told is None:
                self.fault(FaultKind.BALANCE, f"{units} in the store, unknown to the journal", account)
            elif units != told:
                self.fault(FaultKind.BALANCE, f"{units} in the store, the journal says {told}", account)
            if units is not None and units < 0 and account != ISSUANCE:
                self.fault(FaultKind.NEGATIVE, f"{units} in the store", account)

    def fault(self, kind: FaultKind, detail: str, account: str = "", number: int = 0) -> None:
        """Notes one thing wrong, up to FAULTS_MAX of them."""
        if len(self.faults) < FAULTS_MAX:
            self.faults.append(Fault(kind, detail, account, number))


@dataclass(frozen=True, slots=True)
class BooksState:
    """An asset's books: sizes, totals of the stored balances, and what is wrong. Right: ``faults`` is empty."""

    entry_count: int
    account_count: int
    supply: int
    players_total: int
    penalties_total: int
    sum_total: int
    faults: Sequence[Fault]
