"""`cardroom books verify`: the books checked from the archive's files alone, by rules written down a second time.

It shares no code with the ledger: who doubts the ledger need not believe it. Everything the journal says is recomputed:
the chains of entries and segments, every balance, what each payer could pay, who was reserved by which table, and the
numbers along which statements are read.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import click

from clients.cli.faults import CommandError

SHOWN_MAX = 50
MOST = 2**53 - 1
_NAME = re.compile(r"[0-9]{16}\.seg")
ISSUE, PENALTIES, FUND = "issuance", "penalties", "fund:"


_Check = Callable[[object], bool]


class Damage(Exception):
    """Something that cannot be read at all; the text says what."""


@dataclass
class Books:
    """One asset's books, recomputed entry by entry.

    Attributes:
        number, digest: of the last entry.
        balances: account -> units.
        faults: what is wrong, in words.
        noted: hashes of entries whose numbers were noted elsewhere, by number; as far as they are here.
    """

    asset: str
    number: int = 0
    digest: str = ""
    balances: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    accepted: int = 0
    fault_count: int = 0
    noted: dict[int, str] = field(default_factory=dict)
    _lasts: dict[str, int] = field(default_factory=dict)
    _locks: dict[str, tuple[str, str]] = field(default_factory=dict)
    _seqs: dict[str, int] = field(default_factory=dict)
    _has_reservations: bool = False
    _stakes: dict[str, str] = field(default_factory=dict)
    """Tables that hold a stake, and the deal's that it is."""
    _kept: set[str] = field(default_factory=set)
    """Those that have held it since their last settlement: their record in the store has not been forgotten."""
    _reversed: dict[int, int] = field(default_factory=dict)
    _figures: list[tuple[int, str]] = field(default_factory=list)
    _requests: dict[str, int] = field(default_factory=dict)

    def take(self, digest: str, body: str) -> None:
        """Take the next entry."""
        expected = hashlib.sha1(f"{self.digest}\n{body}".encode(), usedforsecurity=False).hexdigest()
        try:
            fields = _fields(body)
            number, legs = fields["number"], [_Leg(*row) for row in fields["legs"]]
        except Damage as error:
            number, fields, legs = self.number + 1, {}, []
            self.fault(f"entry {number} cannot be read: {error}")
        if number != self.number + 1:
            self.fault(f"entry {number} stands after entry {self.number}")
        if digest != expected:
            self.fault(f"entry {number} was edited, or is not the successor of entry {self.number}")
        self.number, self.digest = number, digest
        if number in self.noted:
            self.noted[number] = digest
        self._check_pointers(fields, number)
        self._check_kind(fields, legs)
        self._move(legs, number)

    def end(self) -> None:
        """Everything was taken: what stays to be said of the whole."""
        self.fault_count += len(self._figures)
        self.faults += [text for _, text in self._figures]
        if sum(self.balances.values()) != 0:
            self.fault(f"the sum over all accounts is {sum(self.balances.values())}, not 0")

    def compare_noted(self, number: int, digest: str) -> None:
        """Compare with an entry's hash as it was noted elsewhere."""
        if self.number < number:
            self.fault(f"the archive ends with entry {self.number}, but had gone to entry {number}")
        elif not self.noted[number]:
            self.fault(f"entry {number}, which was noted, is missing")
        elif self.noted[number] != digest:
            self.fault(f"entry {number} has the hash {self.noted[number]}, not {digest}: it was written anew")

    def fault(self, text: str) -> None:
        """Note something wrong."""
        self.fault_count += 1
        self.faults.append(text)

    def summary(self) -> str:
        """Sizes and totals in one line."""
        penalties = self.balances.get(PENALTIES, 0)
        funds = sum(units for account, units in self.balances.items() if account.startswith(FUND))
        supply = -self.balances.get(ISSUE, 0)
        accepted = f"; {self.accepted} wrong figures accepted by an operator" if self.accepted else ""
        return (
            f"{self.asset}: {self.number} entries, head {self.digest or '-'}; supply {supply} = players "
            f"{supply - penalties - funds} + penalties {penalties} + funds {funds}{accepted}: "
            f"{f'WRONG, {self.fault_count} faults' if self.fault_count else 'right'}"
        )

    def _check_pointers(self, fields: dict[str, Any], number: int) -> None:
        for account, before in (fields.get("before") or {}).items():
            if before != self._lasts.get(account, 0):
                self._figure(number, f"{account}'s entry before it is {self._lasts.get(account, 0)}, not {before}")
            self._lasts[account] = number

    def _check_kind(self, fields: dict[str, Any], legs: Sequence["_Leg"]) -> None:
        number, kind, seq = self.number, fields.get("kind"), fields.get("seq", 0)
        table, deal = str(fields.get("table")), str(fields.get("deal"))
        request = str(fields.get("request") or "")
        first = self._requests.setdefault(request, number) if request else number
        if first != number:
            self._figure(number, f"it carries out request {request}, which entry {first} has")
        if kind in ("settle", "void"):
            last = self._seqs.get(table, 0)
            is_begun_anew = seq == 1 and table not in self._kept  # the store forgets idle tables
            if last and seq != last + 1 and not is_begun_anew:
                self._figure(number, f"settlement {seq} of {table} stands after {last}")
            self._seqs[table] = seq
            if table in self._stakes:
                self._kept.add(table)
        if kind == "settle" and self._has_reservations:  # the oldest journals had none
            for account in {leg.payer for leg in legs}:
                if self._locks.get(account) != (table, deal):
                    self.fault(f"entry {number}: {account} pays at {table}, which had not reserved it for {deal}")
        if kind == "reserve":
            self._has_reservations = True
            self._stakes[table] = deal
            for account in fields.get("accounts", ()):
                if account in self._locks:
                    self.fault(f"entry {number}: {account} is reserved by {self._locks[account][0]} already")
                self._locks[account] = (table, deal)
        if kind == "release":
            if self._stakes.get(table, deal) == deal:  # else another deal's stake stays
                self._stakes.pop(table, None)
                self._kept.discard(table)
            for account in fields.get("accounts", ()):
                self._locks.pop(account, None)
        if kind == "reverse":
            reverses = fields.get("reverses", 0)
            first = self._reversed.setdefault(reverses, number)
            if first != number:
                self._figure(number, f"it reverses entry {reverses}, which entry {first} has reversed")
            for account in {leg.payer for leg in legs} & set(self._locks):
                self.fault(f"entry {number}: {account} is debited while {self._locks[account][0]} has it reserved")
        if kind == "resume":
            kept = [row for row in self._figures if row[0] > fields.get("accepts", 0)]
            self.accepted += len(self._figures) - len(kept)
            self._figures = kept

    def _move(self, legs: Sequence["_Leg"], number: int) -> None:
        for group in _runs(legs):
            available = self._available(group[0].payer)
            shares = _shares([leg.asked for leg in group], available)
            if sorted(leg.paid for leg in group) != sorted(shares):
                self._figure(
                    number, f"{group[0].payer} has {available}, is asked {_sum(group)} and pays {_paid(group)}"
                )
            for leg in group:
                self._add(leg.payer, -leg.paid, leg.payer_after, number)
                self._add(leg.payee, leg.paid, leg.payee_after, number)

    def _available(self, name: str) -> int:
        balance = self.balances.get(_account(name), 0)
        return MOST + balance if name == ISSUE else balance

    def _add(self, name: str, change: int, recorded: int, number: int) -> None:
        account = _account(name)
        after = self.balances[account] = self.balances.get(account, 0) + change
        if after != recorded:
            self._figure(number, f"{account} has {after} after it, not {recorded}")
        if after < 0 and account != ISSUE:
            self._figure(number, f"{account} has {after} after it")

    def _figure(self, number: int, text: str) -> None:
        """Something that stays wrong for ever; an operator may have accepted it later."""
        self._figures.append((number, f"entry {number}: {text}"))


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MOST


def _is_text(value: object) -> bool:
    """Half a surrogate pair, which no terminal takes, is none."""
    return isinstance(value, str) and not any("\ud800" <= sign <= "\udfff" for sign in value)


def _is_row(*parts: _Check) -> _Check:
    return lambda row: isinstance(row, list) and len(row) == len(parts) and all(map(_holds, parts, row))


def _holds(check: _Check, value: object) -> bool:
    return check(value)


def _are(check: _Check) -> _Check:
    return lambda rows: isinstance(rows, list) and all(map(check, rows))


def _is_before(value: object) -> bool:
    if value is None:
        return True
    return isinstance(value, dict) and all(map(_is_text, value)) and all(map(_is_whole, value.values()))


_MEMBERS: Final[Mapping[str, _Check]] = MappingProxyType(
    {
        **dict.fromkeys(("number", "at_ms", "epoch", "seq", "prior", "reverses", "accepts", "lost"), _is_whole),
        **dict.fromkeys(("kind", "actor", "why", "request", "table", "deal"), _is_text),
        "accounts": _are(_is_text),
        "groups": _are(_is_row(_is_whole, _is_text)),
        "before": _is_before,
        "legs": _are(_is_row(_is_text, _is_text, *[_is_whole] * 4, _is_text, _is_whole)),
    }
)
"""What each member of an entry may hold (docs/operating-the-ledger.md names them)."""


def _fields(body: str) -> dict[str, Any]:
    """An entry's members. Raises: Damage: it is not of the shape an entry has."""
    fields = _json(body)
    if not isinstance(fields, dict):
        raise Damage("it is no object")
    for name, check in _MEMBERS.items():
        if not (check(fields[name]) if name in fields else name not in ("number", "legs")):
            raise Damage(f"its {name} cannot be")
    return fields


def _json(text: str | bytes) -> object:
    """Raises: Damage: it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise Damage("it is not JSON") from None


@dataclass(frozen=True, slots=True)
class _Leg:
    payer: str
    payee: str
    asked: int
    paid: int
    payer_after: int
    payee_after: int
    reason: str
    group: int


def _account(name: str) -> str:
    return PENALTIES if name == "system" else name


def _runs(legs: Sequence[_Leg]) -> Iterator[list[_Leg]]:
    """Legs of one group stand together; a leg of none stands alone."""
    run: list[_Leg] = []
    for leg in legs:
        if run and (leg.group == 0 or leg.group != run[-1].group):
            yield run
            run = []
        run.append(leg)
    if run:
        yield run


def _shares(asks: Sequence[int], available: int) -> list[int]:
    """Max-min fair: the same for all, nobody more than asked; the odd units, one each, to whom does not matter here."""
    shares, left = [], available
    for place, ask in enumerate(sorted(asks)):
        share = min(ask, left // (len(asks) - place))
        shares.append(share)
        left -= share
    return shares


def _sum(group: Sequence[_Leg]) -> int:
    return sum(leg.asked for leg in group)


def _paid(group: Sequence[_Leg]) -> str:
    return ", ".join(str(leg.paid) for leg in group)


def read_asset(folder: Path, *, noted: Iterable[int] = ()) -> Books:
    """The books in a folder of segments, all of it recomputed. Raises: Damage: there is nothing to read.

    Args:
        noted: numbers of entries whose hashes are wanted.
    """
    books = Books(folder.name, noted=dict.fromkeys(noted, ""))
    named = sorted(folder.glob("*.seg"))
    paths = [path for path in named if _NAME.fullmatch(path.name)]
    for path in named:
        if path not in paths:
            books.fault(f"{path.name} is no segment: it is passed over")
    if not paths:
        raise Damage(f"{folder} holds no segments")
    before = ""
    for path in paths:
        before = _read_segment(path, books, before, is_last=path is paths[-1])
    books.end()
    return books


def _read_segment(path: Path, books: Books, before: str, *, is_last: bool) -> str:
    """Take a segment's entries; returns the digest it ends with, empty if it is open."""
    digest, sealed = hashlib.sha256(), ""
    with path.open("rb") as file:
        for place, line in enumerate(file):
            if sealed:
                books.fault(f"{path.name} goes on after its end")
                break
            if not line.endswith(b"\n"):
                if not is_last:
                    books.fault(f"{path.name} is torn")
                break
            if place == 0:
                _check_header(path, line, books, before)
            elif line.startswith(b"{"):
                sealed = _check_footer(path, line, books, digest.hexdigest())
                continue
            else:
                books.take(line[:40].decode("ascii", "replace"), line[41:-1].decode("utf-8", "replace"))
            digest.update(line)
    if not sealed and not is_last:
        books.fault(f"{path.name} has no end")
    return sealed


def _check_header(path: Path, line: bytes, books: Books, before: str) -> None:
    expected = {
        "segment": 1, "asset": books.asset, "first": books.number + 1, "before": books.digest, "previous": before,
    }  # fmt: skip
    try:
        found = _json(line)
    except Damage:
        found = None
    if found != expected or int(path.stem) != books.number + 1:
        books.fault(f"{path.name} does not continue entry {books.number} and the segment that ends with it")


def _check_footer(path: Path, line: bytes, books: Books, digest: str) -> str:
    try:
        found = _json(line)
    except Damage:
        found = None
    if found != {"last": books.number, "hash": books.digest, "sha256": digest}:
        books.fault(f"{path.name} is not what it was when it was sealed")
    return str(found.get("sha256", "-")) if isinstance(found, dict) else "-"


@click.group()
def books() -> None:
    """Check the ledger's archive."""


@books.command()
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--head", "heads", multiple=True, metavar="ASSET=NUMBER:HASH", help="An entry, as noted elsewhere; may be repeated."
)
@click.option("--balances", "is_printing", is_flag=True, help="Print every account's balance.")
def verify(directory: Path, heads: Sequence[str], is_printing: bool) -> None:
    """Recompute the books from DIRECTORY, the ledger's archive; nothing else is needed, and nothing is changed.

    One line an asset, then what is wrong with it. Status 0: all is right; 1: something is wrong; 2: it cannot be read.
    """
    expected: dict[str, list[tuple[int, str]]] = {}
    for asset, noted in map(_head, heads):
        expected.setdefault(asset, []).append(noted)
    folders = sorted(folder for folder in directory.iterdir() if folder.is_dir())
    missing = sorted(set(expected) - {folder.name for folder in folders})
    if not folders or missing:
        raise CommandError(f"{directory} holds no segments{f' of {missing[0]}' if missing else ''}")
    is_right, unread = True, list[str]()
    for folder in folders:
        try:
            found = read_asset(folder, noted=[number for number, _ in expected.get(folder.name, ())])
        except (Damage, OSError) as error:
            unread.append(str(error))  # the other assets are looked at all the same
            continue
        for number, digest in expected.get(folder.name, ()):
            found.compare_noted(number, digest)
        click.echo(found.summary())
        for text in found.faults[:SHOWN_MAX]:
            click.echo(f"  {text}")
        if is_printing:
            for account, units in sorted(found.balances.items()):
                click.echo(f"  {account} {units}")
        is_right = is_right and not found.fault_count
    if unread:
        raise CommandError("; ".join(unread))
    if not is_right:
        raise SystemExit(1)


def _head(text: str) -> tuple[str, tuple[int, str]]:
    asset, _, place = text.partition("=")
    number, _, digest = place.partition(":")
    if not (asset and number.isascii() and number.isdigit() and len(number) <= 16 and digest):
        raise click.BadParameter("write ASSET=NUMBER:HASH", param_hint="--head")
    return asset, (int(number), digest)
