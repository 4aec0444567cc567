"""What happens in a deal. State changes by these and by nothing else; all of them are public."""

from dataclasses import dataclass
from enum import StrEnum

from games.kernel import Payment, Seat
from games.landlord.cards import Card
from games.landlord.combinations import Reading
from games.landlord.ruleset import Ruleset


class EndCause(StrEnum):
    """Why a deal is over."""

    OUT = "out"
    """Somebody has no cards left (TY-25)."""
    ALL_PASSED = "all_passed"
    """Nobody called: a new deal (TY-12)."""
    ESCAPED = "escaped"
    """A player left (TY-33)."""


class Spring(StrEnum):
    """Whether one side never got to play (TY-32)."""

    NONE = "none"
    SPRING = "spring"
    ANTI_SPRING = "anti_spring"


@dataclass(frozen=True, slots=True)
class Opened:
    """The pack is shuffled.

    Attributes:
        ruleset: the rules of the whole deal.
        dealer: who bids first (TY-10).
        wall: all cards in the order they are dealt.
    """

    ruleset: Ruleset
    dealer: Seat
    wall: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Dealt:
    """Every seat has its cards, in display order; the bottom cards lie face down (TY-1)."""

    hands: tuple[tuple[Card, ...], ...]
    bottom: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Called:
    """A seat is the landlord; he alone looks at the bottom cards, and not if he called blind (TY-12, TY-13).

    Attributes:
        bottom: what he sees.
    """

    seat: Seat
    blind: bool
    bottom: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Doubled:
    """倒 (TY-14)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Redoubled:
    """拉 (TY-14)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Passed:
    """The seat does not what it was asked about: call, double, redouble or play."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class BottomTaken:
    """The landlord takes the bottom cards, and everybody sees them (TY-13)."""

    seat: Seat
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """Cards on the table, in display order, and what they are read as (TY-24)."""

    seat: Seat
    cards: tuple[Card, ...]
    reading: Reading


@dataclass(frozen=True, slots=True)
class Ended:
    """The deal is over; all cards are shown.

    Attributes:
        winners: the landlord, or the other two in turn order from him; none unless somebody is out.
        multiplier: with spring and anti-spring (TY-30..32).
        scores: raw score of each seat (TY-31, TY-33).
        payments: in the room's asset, in the order they move (TY-40..43).
        point_payments: the scores as payments in points, in the same order.
        next_dealer: who bids first next time (TY-26).
        hands: cards left, one tuple a seat.
        bottom: the bottom cards; none before they are dealt.
    """

    cause: EndCause
    winners: tuple[Seat, ...]
    escaper: Seat | None
    spring: Spring
    multiplier: int
    scores: tuple[int, ...]
    payments: tuple[Payment, ...]
    point_payments: tuple[Payment, ...]
    next_dealer: Seat
    hands: tuple[tuple[Card, ...], ...]
    bottom: tuple[Card, ...]


Event = Opened | Dealt | Called | Doubled | Redoubled | Passed | BottomTaken | Played | Ended
