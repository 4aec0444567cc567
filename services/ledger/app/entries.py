"""A journal entry: how it is chained, and what its body says. Pure: text in, values out."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from services.ledger.app.fingerprint import settlement_fingerprint, void_fingerprint
from services.ledger.ports import JournalFault
from services.ledger.values import PENALTIES, SYSTEM, UNITS_MAX, Entry, EntryKind, Group, Leg, Line, Settlement, Void

LEG_PARTS = 8
_AT_MS_MAX = 253_402_300_799_999
"""The end of the year 9999, beyond which no timestamp goes."""


@dataclass(frozen=True, slots=True)
class JournalLeg:
    """A leg as the journal holds it: names as they were asked, units asked and moved, both balances after."""

    payer: str
    payee: str
    asked: int
    paid: int
    payer_after: int
    payee_after: int
    reason: str
    group: int

    def line(self) -> Line:
        """The leg as a settlement's result has it."""
        return Line(self.payer, self.payee, self.asked, self.paid, self.payer_after, self.payee_after, self.reason)


@dataclass(frozen=True, slots=True)
class Record:
    """What an entry says.

    ``before`` maps each of the legs' accounts to the number of its entry before this one, ``prior`` is the table's; 0:
    there is none. ``before`` is None in entries that were written before the journal had it.
    """

    number: int
    kind: str
    at_ms: int
    actor: str
    why: str
    request: str
    table: str
    epoch: int
    seq: int
    deal: str
    prior: int
    reverses: int
    accepts: int
    lost: int
    accounts: tuple[str, ...]
    groups: tuple[Group, ...]
    before: dict[str, int] | None
    legs: tuple[JournalLeg, ...]

    def earlier(self, account: str) -> int:
        """Number of the entry of this account before this one; of this table, where ``account`` is empty."""
        number = self.prior if not account else (self.before or {}).get(account, 0)
        return number if number < self.number else 0

    def lines(self) -> tuple[Line, ...]:
        """The legs as a settlement's result has them."""
        return tuple(leg.line() for leg in self.legs)

    def fingerprint(self, asset: str) -> str:
        """That of the settlement or void that was asked. Raises: ValueError: the entry is neither."""
        if self.kind == EntryKind.VOID:
            return void_fingerprint(Void(self.table, self.epoch, self.seq, self.deal, asset, self.why))
        if self.kind != EntryKind.SETTLE:
            raise ValueError(f"entry {self.number} is no settlement")
        legs = tuple(Leg(leg.payer, leg.payee, leg.asked, leg.reason, leg.group) for leg in self.legs)
        return settlement_fingerprint(Settlement(self.table, self.epoch, self.seq, self.deal, asset, legs, self.groups))


def chain_hash(before: str, body: str) -> str:
    """Hash of an entry: 40 hex digits over the hash before it ('' for entry 1) and its body."""
    return hashlib.sha1(f"{before}\n{body}".encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()


def account_of(name: str) -> str:
    """The account that a party's name stands for."""
    return PENALTIES if name == SYSTEM else name


def record_of(entry: Entry) -> Record:
    """What an entry says. Raises: JournalFault: it cannot be read."""
    try:
        return parse_body(entry.body)
    except ValueError as error:
        raise JournalFault(f"entry {entry.number} cannot be read: {error}", entry.number) from error


def is_text(entry: Entry) -> bool:
    """Whether the entry can be shown as it is stored: all of it is text."""
    try:
        (entry.body + entry.hash).encode()
    except UnicodeEncodeError:
        return False
    return True


def parse_body(body: str) -> Record:
    """What an entry says. Raises: ValueError, and nothing else whatever the text is: it is not one of ours."""
    try:
        return _record(json.loads(body))
    except RecursionError:
        raise ValueError("nested too deep") from None


def _record(fields: object) -> Record:
    if not isinstance(fields, dict) or not isinstance(fields.get("legs"), list):
        raise ValueError("an entry has no legs")
    before = fields.get("before")
    if not isinstance(before, dict | None):
        raise ValueError("before is not an object")
    return Record(
        number=_count(fields.get("number")),
        kind=_text(fields.get("kind", "")),
        at_ms=_count(fields.get("at_ms", 0), _AT_MS_MAX),
        actor=_text(fields.get("actor", "")),
        why=_text(fields.get("why", "")),
        request=_text(fields.get("request", "")),
        table=_text(fields.get("table", "")),
        epoch=_count(fields.get("epoch", 0)),
        seq=_count(fields.get("seq", 0)),
        deal=_text(fields.get("deal", "")),
        prior=_count(fields.get("prior", 0)),
        reverses=_count(fields.get("reverses", 0)),
        accepts=_count(fields.get("accepts", 0)),
        lost=_count(fields.get("lost", 0)),
        accounts=tuple(map(_text, _list(fields.get("accounts", [])))),
        groups=tuple(map(_group, _list(fields.get("groups", [])))),
        before=None if before is None else {_text(name): _count(number) for name, number in before.items()},
        legs=tuple(map(_leg, fields["legs"])),
    )


def _leg(row: object) -> JournalLeg:
    parts = _list(row)
    if len(parts) != LEG_PARTS:
        raise ValueError(f"a leg has not {LEG_PARTS} parts")
    payer, payee, asked, paid, payer_after, payee_after, reason, group = parts
    return JournalLeg(
        _text(payer), _text(payee), _count(asked), _count(paid), _whole(payer_after), _whole(payee_after),
        _text(reason), _count(group),
    )  # fmt: skip


def _group(row: object) -> Group:
    parts = _list(row)
    if len(parts) != 2:
        raise ValueError("a group has not 2 parts")
    return Group(_count(parts[0]), _text(parts[1]))


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("not a list")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("not a text")
    value.encode()  # half a surrogate pair, which no protobuf takes either, raises a ValueError
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError("a number is not whole")
    if abs(value) > UNITS_MAX:
        raise ValueError("a number is larger than any of ours")
    return value


def _count(value: object, most: int = UNITS_MAX) -> int:
    if not 0 <= _whole(value) <= most:
        raise ValueError("a number is below zero or too large")
    return _whole(value)
