"""All that the store holds of an asset, made again from its journal: a lost store is rebuilt from the archive."""

import json
from dataclasses import dataclass, field
from typing import Final

from services.ledger.app.entries import JournalLeg, Record, account_of
from services.ledger.app.fingerprint import (
    freeze_fingerprint,
    grant_fingerprint,
    relief_fingerprint,
    resumption_fingerprint,
    reversal_fingerprint,
)
from services.ledger.values import (
    RING,
    Entry,
    EntryKind,
    Freeze,
    Grant,
    Head,
    Resumption,
    Reversal,
)

BEGINNING: Final = Head(0, "")


@dataclass(slots=True)
class TableRecord:
    """What the books remember of a table.

    Attributes:
        released: deals whose stake was given back, the newest first; at most RING.
        ring: slot -> fingerprint and result of its last settlements.
    """

    epoch: int = 0
    seq: int = 0
    entry: int = 0
    deal: str = ""
    accounts: tuple[str, ...] = ()
    released: tuple[str, ...] = ()
    at_ms: int = 0
    ring: dict[int, tuple[str, str]] = field(default_factory=dict)


@dataclass(slots=True)
class Replay:
    """The state of one asset after the entries taken. Entries are right: they were verified.

    Attributes:
        balances: account -> units.
        lasts: account -> number of its last entry.
        locks: account -> table.
        frozen: accounts.
        requests: request id -> fingerprint and result.
        reversed: number of an entry -> number of its reversal.
        tables: table -> its record.
    """

    asset: str
    head: Head = BEGINNING
    balances: dict[str, int] = field(default_factory=dict)
    lasts: dict[str, int] = field(default_factory=dict)
    locks: dict[str, str] = field(default_factory=dict)
    frozen: set[str] = field(default_factory=set)
    requests: dict[str, tuple[str, str]] = field(default_factory=dict)
    reversed: dict[int, int] = field(default_factory=dict)
    tables: dict[str, TableRecord] = field(default_factory=dict)

    def add(self, entry: Entry, record: Record) -> None:
        """Take the next entry."""
        self.head = Head(entry.number, entry.hash)
        for leg in record.legs:  # by what moved: a balance that an entry tells may be one that was accepted as wrong
            for name, change in ((leg.payer, -leg.paid), (leg.payee, leg.paid)):
                account = account_of(name)
                self.balances[account] = self.balances.get(account, 0) + change
        if record.before is not None:
            self.lasts.update(dict.fromkeys(record.before, entry.number))
        if record.kind == EntryKind.FREEZE:
            self.frozen.update(record.accounts)
        elif record.kind == EntryKind.UNFREEZE:
            self.frozen.difference_update(record.accounts)
        if record.reverses:
            self.reversed[record.reverses] = entry.number
        if record.request:
            self.requests[record.request] = self._remembered(record)
        if record.kind in _OF_TABLES:
            self._table(record)

    def _table(self, record: Record) -> None:
        table = self.tables.setdefault(record.table, TableRecord())
        table.epoch, table.entry, table.at_ms = record.epoch, record.number, record.at_ms
        if record.kind == EntryKind.RESERVE:
            table.deal, table.accounts = record.deal, record.accounts
            self.locks.update(dict.fromkeys(record.accounts, record.table))
        elif record.kind == EntryKind.RELEASE:
            table.released = (record.deal, *table.released)[:RING]
            if table.deal in ("", record.deal):
                table.deal, table.accounts = "", ()
            for account in record.accounts:
                self.locks.pop(account, None)
        else:
            table.seq = record.seq
            table.ring[record.seq % RING] = (record.fingerprint(self.asset), _result(record))

    def _remembered(self, record: Record) -> tuple[str, str]:
        """Fingerprint and result of an operator's call."""
        request, asset, why = record.request, self.asset, record.why
        if record.kind in (EntryKind.GRANT, EntryKind.RELIEF):
            leg = record.legs[-1]
            grant = Grant(request, leg.payee, asset, leg.asked, why)
            is_grant = record.kind == EntryKind.GRANT
            fingerprint = grant_fingerprint(grant) if is_grant else relief_fingerprint(grant)
            return fingerprint, f"{record.number} {leg.payee_after}"
        if record.kind == EntryKind.REVERSE:
            return reversal_fingerprint(Reversal(request, asset, record.reverses, why)), _result(record)
        if record.kind == EntryKind.RESUME:
            return resumption_fingerprint(
                Resumption(request, asset, record.accepts, why)
            ), f"{record.number} {record.lost}"
        freeze = Freeze(request, record.accounts[0], EntryKind(record.kind), why)
        return freeze_fingerprint(freeze), str(record.number)


_OF_TABLES = frozenset({EntryKind.RESERVE, EntryKind.RELEASE, EntryKind.SETTLE, EntryKind.VOID})


def _result(record: Record) -> str:
    """A result as the script stores it."""
    return json.dumps(
        {"number": record.number, "legs": [_parts(leg) for leg in record.legs]},
        separators=(",", ":"),
        ensure_ascii=False,
    )


def _parts(leg: JournalLeg) -> tuple[object, ...]:
    return leg.payer, leg.payee, leg.asked, leg.paid, leg.payer_after, leg.payee_after, leg.reason, leg.group
