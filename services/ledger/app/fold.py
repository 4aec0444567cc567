"""The journal folded to balances, with everything wrong that the fold meets. Pure: entries in, faults out."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Final

from services.ledger.app.entries import Record, account_of, chain_hash, parse_body
from services.ledger.values import ISSUANCE, Entry, EntryKind, Head, StoredTable

TABLES_MAX: Final = 100_000
"""Tables kept in mind; beyond them those that have been silent longest and hold no stake are forgotten."""
FAULTS_MAX: Final = 100
"""Wrong figures reported of one asset, and other faults; more say no more."""


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
    """A journal entry was edited, does not follow the one before it, or is another one in the archive; a file of the
    archive was altered, or the archive ends before where it had gone.
    """
    FROZEN = "frozen"
    """An account is frozen without an entry that says so, or the other way round."""
    STRAY = "stray"
    """A file lies in the archive that is no part of it."""
    LOCK = "lock"
    """An account is locked by another table than the journal says."""
    TABLE = "table"
    """What the store remembers of a table differs from what the journal says."""
    ORDER = "order"
    """An entry was reversed twice, an operator's call carried out twice; a table's settlements do not follow each
    other: one was made twice, or is missing (PF-53); or an entry names another one as an account's before it than
    there is.
    """


_ACCEPTABLE: Final = frozenset({FaultKind.BALANCE, FaultKind.NEGATIVE, FaultKind.ORDER})
_OF_TABLES: Final = frozenset({EntryKind.RESERVE, EntryKind.RELEASE, EntryKind.SETTLE, EntryKind.VOID})


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with the books; ``account`` and ``number`` where it concerns one."""

    kind: FaultKind
    detail: str
    account: str = ""
    number: int = 0

    @property
    def is_figure(self) -> bool:
        """Whether it stands in an entry and an operator can accept it."""
        return self.number > 0 and self.kind in _ACCEPTABLE


@dataclass(slots=True)
class TableBooks:
    """A table as the journal tells it.

    Attributes:
        epoch: the owner's that wrote last.
        entry: number of its last entry.
        seq: of its last settlement or void; 0: there was none.
        deal: whose stake it holds; empty: none.
        accounts: the stake's.
        is_kept: its record in the store cannot have been forgotten since that settlement: it holds the same stake.
    """

    epoch: int = 0
    entry: int = 0
    seq: int = 0
    deal: str = ""
    accounts: tuple[str, ...] = ()
    is_kept: bool = False

    def differences(self, stored: StoredTable) -> Iterator[str]:
        """What the store has otherwise, in words. It may have forgotten a table that holds no stake, and claims are in
        no journal.
        """
        holds = bool(self.deal)
        is_forgotten = not holds and stored.entry is None  # and claimed anew since
        for name, found, told, is_right in (
            ("epoch", stored.epoch, self.epoch, is_forgotten or _is_at_least(stored.epoch, self.epoch)),
            ("last entry", stored.entry, self.entry, stored.entry == self.entry),
            ("last seq", stored.seq, self.seq, stored.seq == self.seq),
            ("deal", stored.deal, self.deal, stored.deal == self.deal),
            ("accounts", " ".join(stored.accounts), " ".join(self.accounts), stored.accounts == self.accounts),
        ):
            may_lack = not self.is_kept if name == "last seq" else not holds
            if not is_right and not (found is None and may_lack):
                yield f"{name} {found!r} in the store, the journal says {told!r}"


def _is_at_least(value: int | str | None, least: int) -> bool:
    return isinstance(value, int) and value >= least


@dataclass(slots=True)
class Fold:
    """The books as the journal tells them, up to entry ``number``."""

    number: int = 0
    hash: str = ""
    entry_count: int = 0
    balances: dict[str, int] = field(default_factory=dict)
    lasts: dict[str, int] = field(default_factory=dict)
    """Account -> number of its last entry."""
    frozen: set[str] = field(default_factory=set)
    tables: dict[str, TableBooks] = field(default_factory=dict)
    requests: dict[str, int] = field(default_factory=dict)
    """Request id of an operator's call -> number of its entry."""
    reversed: dict[int, int] = field(default_factory=dict)
    """Number of an entry -> number of its reversal."""
    faults: list[Fault] = field(default_factory=list)
    figures_through: int = 0
    """Number of the last entry with a wrong figure beyond FAULTS_MAX of them, which are not noted; 0: there is none."""
    _noted: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    """How many of the faults are wrong figures, and how many are not."""
    accepted: list[Fault] = field(default_factory=list)
    """Wrong figures in entries that an operator has looked at and accepted since."""

    def add(self, entry: Entry) -> None:
        """Takes the next entry. What is wrong with it becomes a fault, and the fold goes on."""
        if entry.number > self.number + 1:
            self.fault(FaultKind.GAP, f"entries {self.number + 1}-{entry.number - 1} are missing", number=entry.number)
        elif entry.number <= self.number:
            self.fault(FaultKind.GAP, f"stands after entry {self.number}", number=entry.number)
        if entry.number == self.number:
            return  # the second of two: it moves nothing again
        if entry.hash != chain_hash(self.hash, entry.body):
            self.fault(FaultKind.CHAIN, "edited, or not the successor of the entry before it", number=entry.number)
        self.number, self.hash = entry.number, entry.hash
        self.entry_count += 1
        try:
            record = parse_body(entry.body)
        except ValueError:
            self.fault(FaultKind.CHAIN, "not readable as a journal entry", number=entry.number)
            return
        if record.number != entry.number:
            self.fault(FaultKind.GAP, f"this is entry {record.number}", number=entry.number)
        self._move(record, entry.number)
        self._point(record, entry.number)
        self._ask(record.request, entry.number)
        if record.kind in _OF_TABLES:
            self._seat(record, number=entry.number)
        elif record.kind == EntryKind.REVERSE:
            self._reverse(record.reverses, entry.number)
        elif record.kind == EntryKind.FREEZE:
            self.frozen.update(record.accounts)
        elif record.kind == EntryKind.UNFREEZE:
            self.frozen.difference_update(record.accounts)
        elif record.kind == EntryKind.RESUME:
            self._accept(record.accepts)

    def _accept(self, through: int) -> None:
        """Sets aside wrong figures in entries up to a number: no correction can mend them. A broken chain stays one."""
        accepted = [fault for fault in self.faults if fault.is_figure and fault.number <= through]
        self.accepted += accepted
        self.faults = [fault for fault in self.faults if fault not in accepted]
        self._noted[True] = sum(fault.is_figure for fault in self.faults)
        if self.figures_through > through:
            detail = "wrong figures in more entries than are noted, up to this one"
            self.faults.append(Fault(FaultKind.BALANCE, detail, number=self.figures_through))
        self.figures_through = 0

    def _move(self, record: Record, number: int) -> None:
        for leg in record.legs:
            for name, change, recorded in (
                (leg.payer, -leg.paid, leg.payer_after),
                (leg.payee, leg.paid, leg.payee_after),
            ):
                account = account_of(name)
                after = self.balances.get(account, 0) + change
                self.balances[account] = after
                if after != recorded:
                    self.fault(
                        FaultKind.BALANCE, f"the entry says {recorded} after it, the journal {after}", account, number
                    )
                if after < 0 and account != ISSUANCE:
                    self.fault(FaultKind.NEGATIVE, f"{after} after this entry", account, number)

    def _point(self, record: Record, number: int) -> None:
        """Statements are read along these numbers; one that was altered in the store stays wrong for ever."""
        if record.before is None:
            return
        for account, before in record.before.items():
            if before != self.lasts.get(account, 0):
                self.fault(
                    FaultKind.ORDER,
                    f"says that entry {before} came before, it was {self.lasts.get(account, 0)}",
                    account,
                    number,
                )
            self.lasts[account] = number

    def _seat(self, record: Record, number: int) -> None:
        """Seqs go on by one (PF-53). They begin anew where the store has forgotten a table that held no stake."""
        table = self.tables.pop(record.table, None) or TableBooks()
        self.tables[record.table] = table  # the one heard of last stands last
        if len(self.tables) > TABLES_MAX:
            self._forget_tables()
        table.epoch, table.entry = record.epoch, number
        if record.kind == EntryKind.RESERVE:
            table.deal, table.accounts = record.deal, record.accounts
        elif record.kind == EntryKind.RELEASE:
            if table.deal in ("", record.deal):
                table.deal, table.accounts, table.is_kept = "", (), False
        else:
            is_begun_anew = record.seq == 1 and not table.is_kept
            if table.seq and record.seq != table.seq + 1 and not is_begun_anew:
                detail = f"settlement {record.seq} of {record.table} stands after {table.seq}"
                self.fault(FaultKind.ORDER, detail, number=number)
            table.seq, table.is_kept = record.seq, bool(table.deal)

    def _forget_tables(self) -> None:
        """Of the longer silent half those that hold no stake: what a table did months ago is not compared for ever."""
        for name in list(islice(self.tables, TABLES_MAX // 2)):
            if not self.tables[name].deal:
                del self.tables[name]

    def _ask(self, request: str, number: int) -> None:
        first = self.requests.setdefault(request, number) if request else number
        if first != number:
            self.fault(FaultKind.ORDER, f"carries out request {request}, which entry {first} has", number=number)

    def _reverse(self, reversed_number: int, number: int) -> None:
        first = self.reversed.setdefault(reversed_number, number)
        if first != number:
            detail = f"reverses entry {reversed_number}, which entry {first} has reversed"
            self.fault(FaultKind.ORDER, detail, number=number)

    def end(self, head: Head) -> None:
        """Compares with where the store says that the journal ends."""
        if head.number != self.number:
            self.fault(
                FaultKind.GAP, f"the journal ends at {self.number}, its head says {head.number}", number=head.number
            )
        elif head.hash != self.hash:
            self.fault(FaultKind.CHAIN, "the head's hash is not the last entry's", number=head.number)

    def compare(self, stored: Mapping[str, int | str | None], lasts: Mapping[str, int | str]) -> None:
        """Compares with balances as they were stored at this entry; None: there is no such account, text: no number."""
        for account, units in stored.items():
            told = self.balances.get(account)
            if units is None and told is not None:
                self.fault(FaultKind.BALANCE, f"not in the store, the journal says {told}", account)
            elif units is not None and told is None:
                self.fault(FaultKind.BALANCE, f"{units} in the store, unknown to the journal", account)
            elif units != told:
                self.fault(FaultKind.BALANCE, f"{units} in the store, the journal says {told}", account)
            if isinstance(units, int) and units < 0 and account != ISSUANCE and units != told:
                self.fault(FaultKind.NEGATIVE, f"{units} in the store", account)
            if lasts.get(account, 0) != self.lasts.get(account, 0):
                detail = f"{lasts.get(account, 0)} in the store as its last entry, it is {self.lasts.get(account, 0)}"
                self.fault(FaultKind.CHAIN, detail, account)

    def compare_frozen(self, stored: Collection[str]) -> None:
        """Compares with the accounts that were frozen in the store at this entry."""
        for account in sorted(self.frozen.symmetric_difference(stored)):
            detail = "frozen in the store, not by the journal" if account in stored else "frozen by the journal only"
            self.fault(FaultKind.FROZEN, detail, account)

    def compare_locks(self, stored: Mapping[str, str]) -> None:
        """Compares with each locked account's table in the store at this entry (PF-55)."""
        told = {account: name for name, table in self.tables.items() if table.deal for account in table.accounts}
        for account in sorted({*told, *stored}):
            if told.get(account) != stored.get(account):
                detail = f"locked by {stored.get(account, 'no table')} in the store"
                self.fault(FaultKind.LOCK, f"{detail}, by {told.get(account, 'no table')} in the journal", account)

    def compare_tables(self, stored: Mapping[str, StoredTable]) -> None:
        """Compares with tables as they were stored at this entry."""
        for name, found in stored.items():
            table = self.tables.get(name)
            for detail in table.differences(found) if table is not None else ():
                self.fault(FaultKind.TABLE, f"table {name}: {detail}", number=table.entry if table else 0)

    def fault(self, kind: FaultKind, detail: str, account: str = "", number: int = 0) -> None:
        """Notes one thing wrong: up to FAULTS_MAX wrong figures, and as many other faults."""
        found = Fault(kind, detail, account, number)
        if self._noted[found.is_figure] < FAULTS_MAX:
            self._noted[found.is_figure] += 1
            self.faults.append(found)
        elif found.is_figure:
            self.figures_through = max(self.figures_through, number)


@dataclass(frozen=True, slots=True)
class BooksState:
    """An asset's books: sizes, totals of the stored balances, and what is wrong. Right: ``faults`` is empty."""

    entry_count: int
    account_count: int
    supply: int
    players_total: int
    penalties_total: int
    funds_total: int
    sum_total: int
    faults: Sequence[Fault]
    accepted: Sequence[Fault] = ()
