"""What the ledger needs from outside: a store that carries money."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from services.ledger.values import (
    Balance,
    Claimed,
    Entry,
    Grant,
    Granted,
    Head,
    Reservation,
    Settled,
    Settlement,
    Stake,
)


class Clock(Protocol):
    """Time, as far as the ledger sees it: what an entry is stamped with, and deadlines."""

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        ...

    def monotonic_ms(self) -> int:
        """Milliseconds since some moment; never goes back."""
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
    happen) or STORE_NOT_DURABLE. A repeat of a changing call returns the first result.
    """

    async def open_account(self, account: str, asset: str, opening: int, call: Call) -> tuple[Balance, bool]:
        """The account's balance, and whether it was opened now with ``opening`` units out of issuance.

        Raises: Refusal AMOUNT_LIMIT: the supply would pass UNITS_MAX.
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

    async def release(self, table: str, epoch: int, deal: str, asset: str, call: Call) -> tuple[str, ...]:
        """Unlocks the accounts of a deal; returns those unlocked now. Raises: Refusal FENCED."""
        ...

    async def claim(self, table: str, epoch: int, asset: str, call: Call) -> Claimed:
        """Makes ``epoch`` the table's owner. Raises: Refusal FENCED."""
        ...

    async def settle(self, settlement: Settlement, fingerprint: str, call: Call) -> Settled:
        """Carries out a settlement.

        Raises: Refusal FENCED, SETTLEMENT_GAP, SETTLEMENT_OLD, SETTLEMENT_CONFLICT, ACCOUNT_UNKNOWN, STAKE_MISSING,
            ACCOUNT_FROZEN, AMOUNT_LIMIT, INVALID_FIELD; none of them takes a seq or changes anything.
        """
        ...

    async def grant(self, grant: Grant, fingerprint: str, call: Call) -> Granted:
        """Brings money into being for an account.

        Raises: Refusal ACCOUNT_UNKNOWN, REQUEST_ID_REUSED, AMOUNT_LIMIT.
        """
        ...

    async def knows_request(self, request_id: str, asset: str) -> bool:
        """Whether a grant of this asset has this request id."""
        ...

    async def head(self, asset: str) -> Head:
        """Where the journal ends."""
        ...

    async def entries(self, asset: str, after: int, count: int) -> list[Entry]:
        """At most ``count`` journal entries that follow number ``after``, in order."""
        ...

    def accounts(self, asset: str) -> AsyncIterator[tuple[str, ...]]:
        """Ids of all accounts, the system's included, in batches; an id may come twice."""
        ...

    async def units(self, asset: str, accounts: Sequence[str]) -> tuple[Head, list[int | None]]:
        """Stored balances of accounts and the head of the journal at the same moment; None where there is none."""
        ...
