"""What is asked of a deal: moves of players, and what clock and table do."""

from dataclasses import dataclass

from games.kernel import Seat
from games.landlord.cards import Card
from games.landlord.combinations import Kind


@dataclass(frozen=True, slots=True)
class Call:
    """抓: be the landlord (TY-10)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class CallBlind:
    """闷: be the landlord without looking at the bottom cards (TY-12)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Double:
    """倒: double against the landlord (TY-14)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Redouble:
    """拉: the landlord's answer to a double (TY-14)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Play:
    """Play cards (TY-20).

    Attributes:
        cards: in any order.
        kind: how they are meant; None where the rules are to find out (TY-24).
    """

    seat: Seat
    cards: tuple[Card, ...]
    kind: Kind | None = None


@dataclass(frozen=True, slots=True)
class Pass:
    """Not call, not double, not redouble, or not play, by what the seat is asked."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Deal:
    """The pause before the cards is over: deal them (PF-12)."""


@dataclass(frozen=True, slots=True)
class Timeout:
    """The turn clock of a seat ran out (PF-21)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Leave:
    """逃跑: a player is away for good; the deal ends at his cost (PF-23, TY-33)."""

    seat: Seat


PlayerAction = Call | CallBlind | Double | Redouble | Play | Pass
SystemAction = Deal | Timeout | Leave
Action = PlayerAction | SystemAction
