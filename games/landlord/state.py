"""Where a deal stands. A view of it is the same value with cards face down."""

from dataclasses import dataclass
from enum import StrEnum

from games.kernel import Seat, turn_order
from games.landlord.cards import Card
from games.landlord.combinations import Reading
from games.landlord.events import Ended
from games.landlord.ruleset import Ruleset


class Phase(StrEnum):
    """Where a deal stands."""

    CLOSED = "closed"
    OPENED = "opened"
    BIDDING = "bidding"
    DOUBLING = "doubling"
    REDOUBLING = "redoubling"
    TAKING = "taking"
    PLAYING = "playing"
    SETTLING = "settling"
    OVER = "over"


ASKING = frozenset({Phase.BIDDING, Phase.DOUBLING, Phase.REDOUBLING, Phase.PLAYING})
"""Phases in which the seat whose turn it is decides."""


class Word(StrEnum):
    """What a seat says before the play."""

    PASS = "pass"
    CALL = "call"
    BLIND = "blind"
    DOUBLE = "double"
    REDOUBLE = "redouble"


@dataclass(frozen=True, slots=True)
class Speech:
    """A word and whose it is."""

    seat: Seat
    word: Word


@dataclass(frozen=True, slots=True)
class TablePlay:
    """A move of the play; a pass has no cards and no reading."""

    seat: Seat
    cards: tuple[Card, ...] = ()
    reading: Reading | None = None


@dataclass(frozen=True)  # no slots: `changed` copies it at every step
class State:
    """A deal.

    Attributes:
        ruleset: the rules it is played by.
        dealer: who bids first.
        phase: where it stands; TAKING and SETTLING are passed through, never rested in.
        wall: cards not dealt yet; none after the deal.
        hands: cards of each seat in display order.
        bottom: the bottom cards, also after they are taken; none before the deal.
        turn: whose turn it is.
        landlord: who called; None before.
        blind: whether he called blind.
        speeches: everything said in bidding and doubling, in order.
        plays: all moves of the play, passes among them, in order.
        multiplier: as it stands, without spring (TY-30).
        result: how the deal ended.
    """

    ruleset: Ruleset
    dealer: Seat
    phase: Phase = Phase.CLOSED
    wall: tuple[Card, ...] = ()
    hands: tuple[tuple[Card, ...], ...] = ()
    bottom: tuple[Card, ...] = ()
    turn: Seat = 0
    landlord: Seat | None = None
    blind: bool = False
    speeches: tuple[Speech, ...] = ()
    plays: tuple[TablePlay, ...] = ()
    multiplier: int = 1
    result: Ended | None = None

    @property
    def seats(self) -> range:
        """All seats."""
        return range(self.ruleset.seat_count)

    def others(self, seat: Seat) -> tuple[Seat, ...]:
        """The other seats in turn order from this one."""
        return tuple(turn_order(seat, self.ruleset.seat_count))

    def after(self, seat: Seat) -> Seat:
        """The next seat in turn order."""
        return (seat + 1) % self.ruleset.seat_count

    @property
    def last(self) -> TablePlay | None:
        """The play to beat; None when the seat whose turn it is leads (TY-20)."""
        for play in self.plays[: -self.ruleset.seat_count : -1]:
            if play.reading is not None:
                return play
        return None

    def doubled(self) -> bool:
        """Whether anybody has doubled against the landlord."""
        return any(speech.word is Word.DOUBLE for speech in self.speeches)

    def play_count(self, seat: Seat) -> int:
        """How many times the seat has played cards."""
        return sum(play.seat == seat and play.reading is not None for play in self.plays)


def initial(ruleset: Ruleset, dealer: Seat) -> State:
    """A table before its cards are shuffled; `dealer` bids first."""
    empty: tuple[tuple[Card, ...], ...] = ((),) * ruleset.seat_count
    return State(ruleset=ruleset, dealer=dealer, hands=empty, turn=dealer)
