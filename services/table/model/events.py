"""What happens at a table. The log holds these in order, numbered from 1 without gaps."""

from dataclasses import dataclass
from enum import StrEnum

from games.kernel import Line, Payment, Seat
from services.table.model.play import GameEvent
from services.table.model.room import Room


class CloseCause(StrEnum):
    """Why a table is dissolved."""

    NOT_READY = "not_ready"
    BALANCE = "balance"
    DEALS_PLAYED = "deals_played"
    FAULT = "fault"
    STAKE = "stake"
    SCORING = "scoring"
    VOIDED = "voided"
    LEFT = "left"
    ESCAPED = "escaped"


FAULTS = frozenset({CloseCause.FAULT, CloseCause.SCORING, CloseCause.VOIDED})
"""Ends that somebody will want to look into."""


class VoidCause(StrEnum):
    """Why a deal is void. LOST_TAIL: the ledger had carried out payments whose entries the log has lost."""

    LOST_TAIL = "lost_tail"


class LeaveWhen(StrEnum):
    """When a player leaves: at once, a forced exit during a deal (PF-23); or after the deal (PF-13)."""

    NOW = "now"
    AFTER_DEAL = "after_deal"


@dataclass(frozen=True, slots=True)
class Created:
    """The table is made.

    Attributes:
        players: ids in seat order.
        first_dealer: who sat down first (BB-5).
        bots: for each seat how its bot plays, empty text for a person; nothing where no seat is a bot's (PF-10).
        correlation_id: of the call that made the table; only in the log.
    """

    room: Room
    players: tuple[str, ...]
    match_id: str
    first_dealer: Seat
    bots: tuple[str, ...] = ()
    correlation_id: str = ""


@dataclass(frozen=True, slots=True)
class Arrived:
    """A seat has shown its first sign of life (PF-12)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Ready:
    """A seat is ready for the next deal; `nonce` is its part of the shuffle, 0-32 bytes (PF-41)."""

    seat: Seat
    nonce: bytes


@dataclass(frozen=True, slots=True)
class DealStarted:
    """Stakes are reserved and the shuffle is committed to.

    Attributes:
        commitment: SHA-256 of the seed, 32 bytes (PF-41).
        nonces: one a seat.
        balances: units of the asset, one a seat.
        seed: 32 bytes; None for everybody until the deal is settled.
        points: one a seat, where the room moves them too (PF-60); else none.
    """

    deal_id: str
    deal_number: int
    dealer: Seat
    commitment: bytes
    nonces: tuple[bytes, ...]
    balances: tuple[int, ...]
    seed: bytes | None
    points: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Move:
    """An event of the game that is played."""

    event: GameEvent


@dataclass(frozen=True, slots=True)
class PaymentsDue:
    """One settlement that the rules ask for; `settlement_seq` counts from 1 at this table for this asset."""

    deal_id: str
    settlement_seq: int
    asset: str
    payments: tuple[Payment, ...]


@dataclass(frozen=True, slots=True)
class PaymentsMade:
    """What the ledger moved, in the order asked, and what every seat has now, in this asset."""

    deal_id: str
    settlement_seq: int
    asset: str
    lines: tuple[Line, ...]
    balances: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DealSettled:
    """All money of the deal has moved and the stakes are given back; the seed is shown (PF-41)."""

    deal_id: str
    seed: bytes
    balances: tuple[int, ...]
    points: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DealVoided:
    """A deal does not count: what its settlements moved has been moved back.

    Attributes:
        settlement_seq: number of the settlement that moved it back; 0 if nothing had moved.
        lines: what was moved back, in order.
        balances: units of the asset, one a seat.
        seed: 32 bytes (PF-41); None if it is among what was lost.
    """

    deal_id: str
    cause: VoidCause
    settlement_seq: int
    asset: str
    lines: tuple[Line, ...]
    balances: tuple[int, ...]
    seed: bytes | None


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A player gives his seat up."""

    seat: Seat
    when: LeaveWhen


@dataclass(frozen=True, slots=True)
class TrusteeSet:
    """The server plays for the seat from now on, or no more (PF-22); `by_server`: after time-outs."""

    seat: Seat
    on: bool
    by_server: bool


@dataclass(frozen=True, slots=True)
class TurnTimedOut:
    """The turn clock of a seat ran out; the next move is what the rules make of it (PF-21)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Closed:
    """The table is dissolved: the last entry of its log. `requeued`: seats that go back to the queue (PF-13)."""

    cause: CloseCause
    requeued: tuple[Seat, ...] = ()


TableEvent = (
    Created
    | Arrived
    | Ready
    | DealStarted
    | Move
    | PaymentsDue
    | PaymentsMade
    | DealSettled
    | DealVoided
    | SeatLeft
    | TrusteeSet
    | TurnTimedOut
    | Closed
)
