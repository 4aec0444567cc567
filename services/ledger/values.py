"""The ledger's values. Amounts are whole units of one asset, 0 .. UNITS_MAX."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

UNITS_MAX: Final = 2**53 - 1
"""The most units an asset may have: numbers in the store's scripts are doubles, exact up to here."""

RING: Final = 16
"""Settlements of a table and asset whose results are answered again from memory."""

SYSTEM: Final = "system"
"""The payee that stands for the penalty account."""
PENALTIES: Final = "penalties"
"""The account that receives penalties (PF-54)."""
ISSUANCE: Final = "issuance"
"""The account money comes from (PF-50): the only one below zero; its negative is the supply."""
FUND_PREFIX: Final = "fund:"
RELIEF_FUND: Final = "fund:relief"
"""What reliefs of players come from."""
ROBOTS_FUND: Final = "fund:robots"
"""What robots begin with, and their reliefs, come from."""
FUNDS: Final = (RELIEF_FUND, ROBOTS_FUND)
ROBOT_PREFIX: Final = "robot:"
RESERVED_ACCOUNTS: Final = frozenset({SYSTEM, PENALTIES, ISSUANCE})
RESERVED_PREFIXES: Final = (FUND_PREFIX, "sys:")
SYSTEM_ACCOUNTS: Final = (ISSUANCE, PENALTIES, *FUNDS)
"""Accounts that belong to no player and no robot."""


class PaymentReason(StrEnum):
    """Why a leg moves money, for the statement."""

    WIN = "win"
    RAIN = "rain"
    CHECK = "check"
    LIABILITY = "liability"
    PENALTY = "penalty"
    RETURN = "return"


class EntryKind(StrEnum):
    """What a journal entry is."""

    OPEN = "open"
    GRANT = "grant"
    RELIEF = "relief"
    SETTLE = "settle"
    VOID = "void"
    REVERSE = "reverse"
    RESERVE = "reserve"
    RELEASE = "release"
    FREEZE = "freeze"
    UNFREEZE = "unfreeze"
    RESUME = "resume"


@dataclass(frozen=True, slots=True)
class Leg:
    """One payment asked: ``payer`` pays ``payee`` at most ``amount``; ``group`` 0 is none (PF-51, PF-52)."""

    payer: str
    payee: str
    amount: int
    reason: str
    group: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """How the legs of a group share a shortfall: equally, odd units first to ``remainder_to`` (PF-52)."""

    id: int
    remainder_to: str = ""


@dataclass(frozen=True, slots=True)
class Settlement:
    """An ordered list of payments. Its id is (table, asset, seq); ``epoch`` fences and is no part of the content."""

    table: str
    epoch: int
    seq: int
    deal: str
    asset: str
    legs: tuple[Leg, ...]
    groups: tuple[Group, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """What became of one leg: units asked and moved, and both balances after it."""

    payer: str
    payee: str
    asked: int
    paid: int
    payer_after: int
    payee_after: int
    reason: str


@dataclass(frozen=True, slots=True)
class Settled:
    """A settlement's result: the same on every repeat but for ``duplicate``. ``number`` is its journal entry.

    A voided seq has no lines.
    """

    number: int
    lines: tuple[Line, ...]
    duplicate: bool = False

    @property
    def voided(self) -> bool:
        """Whether the seq was voided; a settlement has a line at least."""
        return not self.lines


@dataclass(frozen=True, slots=True)
class Void:
    """A seq that is not to be settled. Its id is (table, asset, seq), like a settlement's."""

    table: str
    epoch: int
    seq: int
    deal: str
    asset: str
    why: str


@dataclass(frozen=True, slots=True)
class Claimed:
    """Where a table's settlements stand: number of the last one (0: none) and its result.

    ``missed``: numbers and results of those after the one the caller knows, as far as they are remembered.
    """

    last_seq: int
    last_result: Settled | None
    missed: tuple[tuple[int, Settled], ...] = ()


@dataclass(frozen=True, slots=True)
class Balance:
    """What an account has in one asset, and the table that has it locked (empty: none)."""

    account: str
    asset: str
    units: int
    locked_by: str = ""
    frozen: bool = False


class StakeRefusal(StrEnum):
    """Why one account stops a reservation; empty: it does not."""

    NONE = ""
    BELOW_MINIMUM = "BELOW_MINIMUM"
    LOCKED_ELSEWHERE = "LOCKED_ELSEWHERE"
    ACCOUNT_UNKNOWN = "ACCOUNT_UNKNOWN"
    FROZEN = "FROZEN"


@dataclass(frozen=True, slots=True)
class Stake:
    """A reservation asked: the whole balances of ``accounts``, for one deal of a table (PF-55)."""

    table: str
    epoch: int
    deal: str
    asset: str
    accounts: tuple[str, ...]
    least: int


@dataclass(frozen=True, slots=True)
class StakeRow:
    """One account's part of a reservation."""

    account: str
    units: int
    refusal: StakeRefusal


@dataclass(frozen=True, slots=True)
class Reservation:
    """Whether all accounts are locked; if not, none is. One row an account, in the order asked."""

    reserved: bool
    rows: tuple[StakeRow, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """Where given money comes from: issuance, or a fund.

    ``budget`` is what the fund that takes part, as source or as receiver, begins with when it is first needed.
    """

    account: str = ISSUANCE
    budget: int = 0


@dataclass(frozen=True, slots=True)
class Grant:
    """Money for an account, out of issuance; ``request_id`` makes it happen once."""

    request_id: str
    account: str
    asset: str
    amount: int
    why: str


@dataclass(frozen=True, slots=True)
class Freeze:
    """An account frozen, or with ``verb`` UNFREEZE free again, in all assets."""

    request_id: str
    account: str
    verb: EntryKind
    why: str


@dataclass(frozen=True, slots=True)
class Reversal:
    """An entry to be moved back. ``legs`` are mirrored: from the last to the first, payer and payee changed."""

    request_id: str
    asset: str
    number: int
    why: str
    legs: tuple[Leg, ...] = ()
    table: str = ""
    deal: str = ""


@dataclass(frozen=True, slots=True)
class ArchiveNote:
    """What the store remembers of the archive: ``number`` of its last entry, 0 if nothing is noted; and where it was
    found to end since, if that was earlier.
    """

    number: int = 0
    cut_to: int | None = None


@dataclass(frozen=True, slots=True)
class Resumption:
    """An operator's decision to go on with the books as they stand up to entry ``number``.

    ``is_end``: the journal must end there. ``lost_count``: entries that only the archive had, and are set aside.
    ``archived``: where the archive ends from then on; None: that is not known, and stays as it was noted.
    """

    request_id: str
    asset: str
    number: int
    why: str
    is_end: bool = True
    lost_count: int = 0
    archived: int | None = None


@dataclass(frozen=True, slots=True)
class Granted:
    """A grant's result; ``number`` is its journal entry."""

    number: int
    after: int
    duplicate: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """One journal entry as it is stored: ``body`` is JSON text, ``hash`` covers the hash before it and the body."""

    number: int
    body: str
    hash: str


@dataclass(frozen=True, slots=True)
class Head:
    """Where the journal ends: number and hash of the last entry; 0 and empty if there is none."""

    number: int
    hash: str


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table's record as it is stored: None where it does not say, as text what is no number.

    ``deal`` and ``accounts`` are the stake's that it holds; empty: none.
    """

    epoch: int | str | None
    seq: int | str | None
    entry: int | str | None
    deal: str
    accounts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Totals:
    """What an asset comes to, as it is kept. ``wrong``: the last check found the books wrong."""

    head: Head
    wrong: bool
    account_count: int
    locked_count: int
    frozen_count: int
    system: dict[str, int]
    """Balances of SYSTEM_ACCOUNTS."""
