"""What the ledger needs from outside: a store that carries money, and an archive of its journal."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from services.ledger.values import (
    ArchiveNote,
    Balance,
    Claimed,
    Entry,
    Freeze,
    Grant,
    Granted,
    Head,
    Reservation,
    Resumption,
    Reversal,
    Settled,
    Settlement,
    Source,
    Stake,
    StoredTable,
    Totals,
    Void,
)


class Clock(Protocol):
    """Time, as far as the ledger sees it: what an entry is stamped with, deadlines, and pauses."""

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        ...

    def monotonic_ms(self) -> int:
        """Milliseconds since some moment; never goes back."""
        ...

    async def sleep_ms(self, ms: int) -> None:
        """Return after so many milliseconds."""
        ...


@dataclass(frozen=True, slots=True)
class Call:
    """What comes with a request: who asks (journaled), and until when he waits, on the monotonic clock."""

    actor: str
    deadline_ms: int | None = None


class LedgerStore(Protocol):
    """A store of accounts, stakes and settlements. Values are checked before they come here.

    Every call is carried out as one or not at all, and is answered after it is stored. Every call may raise
    ``Refusal`` with STORE_UNAVAILABLE (unknown whether it happened: repeat it as it was), OVERLOADED (it did not
    happen), STORE_NOT_DURABLE, or BOOKS_STOPPED: the journal ends before what this process has seen of it. A repeat of
    a changing call returns the first result.
    """

    async def open_account(
        self, account: str, asset: str, opening: int, source: Source, call: Call
    ) -> tuple[Balance, bool]:
        """The account's balance, and whether it was opened now with ``opening`` units out of the source.

        Raises: Refusal AMOUNT_LIMIT: the supply would pass UNITS_MAX; BUDGET_EXHAUSTED: the fund has not enough.
        """
        ...

    async def balances(self, accounts: Sequence[str], asset: str) -> list[Balance | None]:
        """Balances at one moment, in the order asked; None where no account is open."""
        ...

    async def reserve(self, stake: Stake, call: Call) -> Reservation:
        """Locks all of the stake's accounts, or none.

        Raises: Refusal FENCED; SETTLEMENT_CONFLICT: the table holds the stake of another deal, of the same deal with
            other accounts, or has released this deal.
        """
        ...

    async def release(
        self, table: str, epoch: int, deal: str, asset: str, call: Call, *, why: str = ""
    ) -> tuple[str, ...]:
        """Unlocks the accounts of a deal, or with none of whichever the table holds; returns those unlocked now.

        Raises: Refusal FENCED.
        """
        ...

    async def claim(self, table: str, epoch: int, asset: str, call: Call, *, known_seq: int | None = None) -> Claimed:
        """Makes ``epoch`` the table's owner; with ``known_seq`` also returns the settlements after it.

        Raises: Refusal FENCED.
        """
        ...

    async def settle(self, settlement: Settlement, fingerprint: str, call: Call) -> Settled:
        """Carries out a settlement.

        Raises: Refusal FENCED, SETTLEMENT_GAP, SETTLEMENT_OLD (metadata ``journal_number``: the table's last entry),
            SETTLEMENT_CONFLICT, ACCOUNT_UNKNOWN, STAKE_MISSING, AMOUNT_LIMIT, INVALID_FIELD; none of them takes a seq
            or changes anything.
        """
        ...

    async def void(self, void: Void, fingerprint: str, call: Call) -> Settled:
        """Takes a seq. Raises: Refusal FENCED, SETTLEMENT_GAP, SETTLEMENT_OLD, SETTLEMENT_CONFLICT."""
        ...

    async def grant(self, grant: Grant, source: Source, fingerprint: str, call: Call) -> Granted:
        """Gives an account money out of the source.

        Raises: Refusal ACCOUNT_UNKNOWN, REQUEST_ID_REUSED, AMOUNT_LIMIT, BUDGET_EXHAUSTED, BOOKS_WRONG.
        """
        ...

    async def freeze(self, freeze: Freeze, asset: str, fingerprint: str, call: Call) -> bool:
        """Freezes an account in one asset, or ends that; returns whether it was carried out before.

        Raises: Refusal ACCOUNT_UNKNOWN, REQUEST_ID_REUSED.
        """
        ...

    async def reverse(self, reversal: Reversal, fingerprint: str, call: Call) -> Settled:
        """Moves an entry back.

        Raises: Refusal ENTRY_REVERSED, ACCOUNT_UNKNOWN, LOCKED_ELSEWHERE, REQUEST_ID_REUSED, INVALID_FIELD;
            BOOKS_WRONG: issuance would pay.
        """
        ...

    async def resume(self, resumption: Resumption, fingerprint: str, call: Call) -> tuple[int, int]:
        """Takes the journal as it stands for the one that counts, and journals that, once a request id.

        Returns: the entry's number, and how many entries it says are lost.

        Raises: Refusal INVALID_FIELD: it ends before that number, or must end there and does not; REQUEST_ID_REUSED.
        """
        ...

    async def resumed(self, resumption: Resumption, fingerprint: str) -> tuple[int, int] | None:
        """What `resume` returned for this request id before; None if it did not. Raises: Refusal REQUEST_ID_REUSED."""
        ...

    async def bind_request(self, request_id: str, fingerprint: str, call: Call) -> None:
        """Ties a request id to one content, over all assets. Raises: Refusal REQUEST_ID_REUSED."""
        ...

    async def head(self, asset: str) -> Head:
        """Where the journal ends."""
        ...

    async def kept_head(self, asset: str) -> Head:
        """Where the part of the journal ends that outlives the store: what its replicas have, where it has some."""
        ...

    async def entries(self, asset: str, after: int, count: int) -> list[Entry]:
        """The stored entries with the numbers ``after + 1 .. after + count``, in order."""
        ...

    async def next_entries(self, asset: str, after: int, count: int) -> list[Entry]:
        """At most ``count`` stored entries that follow number ``after``, however far, in order."""
        ...

    async def walk(self, asset: str, number: int, account: str, count: int) -> tuple[list[Entry], int]:
        """Entries of an account, or where it is empty of a table, backwards from one of them; and the number of the
        next one: 0 at the end, the last one looked for where it is no longer stored.
        """
        ...

    async def last_entry(self, asset: str, account: str) -> int:
        """Number of the last entry of an account; 0 if there is none."""
        ...

    async def trim(self, asset: str, through: int) -> None:
        """Drops the entries up to this number from the store."""
        ...

    def accounts(self, asset: str) -> AsyncIterator[tuple[str, ...]]:
        """Ids of all accounts, the system's included, in batches; an id may come twice."""
        ...

    async def units(self, asset: str, accounts: Sequence[str]) -> tuple[Head, list[int | str | None], list[int | str]]:
        """Head of the journal, stored balances (None: there is none) and last entries of accounts, at one moment; as
        text what is no number.
        """
        ...

    async def frozen(self, asset: str) -> tuple[Head, frozenset[str]]:
        """Head of the journal and the frozen accounts, at one moment."""
        ...

    async def locks(self, asset: str) -> tuple[Head, dict[str, str]]:
        """Head of the journal and each locked account's table, at one moment."""
        ...

    async def tables(self, asset: str, tables: Sequence[str]) -> tuple[Head, list[StoredTable]]:
        """Head of the journal and the records of tables, at one moment."""
        ...

    async def totals(self, asset: str) -> Totals:
        """What the asset comes to."""
        ...

    async def noted_archive(self, asset: str) -> ArchiveNote:
        """What is noted of the archive."""
        ...

    async def note_archive(self, asset: str, before: ArchiveNote, note: ArchiveNote) -> None:
        """Notes it, if it still ends where it did before; for the process that writes the archive."""
        ...

    async def mark(self, asset: str, *, wrong: bool) -> None:
        """Notes whether the last check found the books wrong; while they are, nothing is granted."""
        ...


class JournalFault(Exception):
    """An entry that is needed is missing or cannot be read; ``number`` is its number, 0 where that is not known."""

    def __init__(self, text: str, number: int = 0) -> None:
        super().__init__(text)
        self.number = number


class ArchiveFault(JournalFault):
    """The archive cannot be read or written, or is damaged; the text says where."""


class ArchiveAway(ArchiveFault):
    """Nothing is wrong with the archive as far as is known: another process writes it, or its disk does not answer."""


class JournalArchive(Protocol):
    """A copy of the journal outside of the store. Calls block; each may raise ``ArchiveFault`` or ``OSError``."""

    def hold(self) -> bool:
        """Become the only one that writes to it, for good; returns whether one is."""
        ...

    def is_held(self) -> bool:
        """Whether this process writes it, or did when it last looked: others may see it as it was a minute ago."""
        ...

    def head(self, asset: str) -> Head:
        """Where the copy ends."""
        ...

    def sealed(self, asset: str) -> int:
        """Number of the last entry that is sealed and was checked after it was written; 0 if there is none."""
        ...

    def append(self, asset: str, entries: Sequence[Entry]) -> None:
        """Adds the next entries; they are on disk when it returns."""
        ...

    def entry(self, asset: str, number: int) -> Entry | None:
        """One entry, if it is there."""
        ...

    def entries(self, asset: str, after: int, count: int) -> list[Entry]:
        """The entries with the numbers ``after + 1 .. after + count`` that are there, in order."""
        ...

    def next_entries(self, asset: str, after: int, count: int) -> list[Entry]:
        """At most ``count`` entries that follow number ``after``, however far, in order."""
        ...

    def set_aside(self, asset: str, after: int) -> int:
        """Keeps the entries after this number apart, too; returns how many. Again, it does nothing."""
        ...

    def cut(self, asset: str, after: int) -> None:
        """Takes the entries after this number out of the copy. Raises: ArchiveFault: they are not kept apart."""
        ...

    def faults(self, asset: str) -> list[tuple[int, str]]:
        """What is wrong with the files: number of the first entry concerned, and in words."""
        ...

    def strays(self, asset: str) -> list[str]:
        """Names of files that look like parts of the copy and are none; they are neither read nor written."""
        ...
