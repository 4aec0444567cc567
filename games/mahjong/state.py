"""Where a deal stands. A view of it is the same value with tiles face down."""

from dataclasses import dataclass, replace
from enum import StrEnum

from games.kernel import Seat, turn_order
from games.mahjong.actions import Choice
from games.mahjong.events import DrawSource, Ended, KongOutcome, WinnerResult, Won
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.ruleset import Ruleset
from games.mahjong.tiles import WINDS, Tile


class Phase(StrEnum):
    """Where a deal stands."""

    CLOSED = "closed"
    OPENED = "opened"
    DECLARING = "declaring"
    OPENING = "opening"
    OFFER = "offer"
    TURN = "turn"
    CLAIMS = "claims"
    ROBBERY = "robbery"
    MOVING = "moving"
    OVER = "over"


class Fate(StrEnum):
    """What became of a discard."""

    TABLE = "table"
    MELDED = "melded"
    WON = "won"
    SHARED = "shared"


DEALS_A_ROUND = 4
"""Deals of a table under one round wind (DZ-13)."""

QUESTIONS = frozenset({Phase.CLAIMS, Phase.ROBBERY, Phase.DECLARING})
"""Phases in which a shared question stands open."""


@dataclass(frozen=True, slots=True)
class TableDiscard:
    """A discard and what became of it."""

    seat: Seat
    tile: Tile
    fate: Fate = Fate.TABLE


@dataclass(frozen=True, slots=True)
class Draw:
    """The tile a turn began with.

    Attributes:
        seat: whose turn.
        tile: the tile just drawn; None when nothing was drawn, or it has left the hand.
        source: where the turn's tile comes from.
    """

    seat: Seat
    tile: Tile | None
    source: DrawSource


@dataclass(frozen=True, slots=True)
class Question:
    """What several seats are asked at once: who claims a tile, or who declares a ready hand.

    Attributes:
        seat: who discarded the tile or adds it to a kong; the dealer where hands are declared.
        tile: the tile; None where hands are declared (BB-18).
        answers: one a seat; None where there is none yet, or it is not the viewer's.
    """

    seat: Seat
    tile: Tile | None
    answers: tuple[Choice | None, ...]


@dataclass(frozen=True, slots=True)
class KongRecord:
    """A kong and what is owed for it (BB-30..33).

    Attributes:
        owing: seats that owe, in turn order from the declarer.
        amount: what each of them owes, in units of the asset.
        receivers: who gets a transferred one, in turn order from the discarder.
    """

    seat: Seat
    kind: MeldKind
    tile: Tile
    owing: tuple[Seat, ...]
    amount: int
    outcome: KongOutcome = KongOutcome.OPEN
    receivers: tuple[Seat, ...] = ()


@dataclass(frozen=True)  # no slots: `changed` copies it at every step
class State:
    """A deal.

    Attributes:
        ruleset: the rules it is played by.
        dealer: who deals.
        phase: where it stands; MOVING is passed through, never rested in.
        dice: thrown at the opening; empty before.
        wall_start: index in the physical wall where drawing started.
        wall_length: tiles in it before the deal.
        wall: what is left, next tile first.
        tail: tiles of an arranged wall that only replacements take, in that order.
        undrawn_count: tiles of the wall that stay in it (DZ-6).
        kong_dice: dice not yet thrown for kongs (DZ-5); 0 where they lie hidden.
        end_stacks: tiles that replacements by dice have left of the stacks at the wall's end, the last
            stack first; stacks beyond are whole.
        deal_index: deals played at the table before this one.
        draws_in_row: exhaustive draws just before it.
        draw_count: tiles drawn since the deal, replacements included.
        hands: concealed tiles of each seat in display order.
        melds: sets on the table of each seat.
        flowers: flowers each seat has exposed.
        began: whether the opening flowers are exposed and play has begun.
        discards: all discards in order.
        turn: whose turn it is; in MOVING who draws next.
        due: in MOVING, where the next tile comes from.
        draw: what the turn that stands, or was last, began with; None when the deal is over.
        question: the shared question that stands open.
        kongs: all kongs in order.
        turn_kongs: kongs of the turn that stands or was last, by their place in `kongs`.
        wins: all wins in order.
        locked: seats with locked hands (BB-17, BB-18).
        declared: seats with declared hands (BB-18); the dealer's locks with his discard.
        away: seats the server plays for (BB-60).
        win_locked: seats that passed a win and may not win on another's tile until they
            draw (BB-19, option pass_locks_win).
        result: how the deal ended.
    """

    ruleset: Ruleset
    dealer: Seat
    phase: Phase = Phase.CLOSED
    dice: tuple[int, ...] = ()
    wall_start: int = 0
    wall_length: int = 0
    wall: tuple[Tile, ...] = ()
    tail: tuple[Tile, ...] = ()
    undrawn_count: int = 0
    kong_dice: tuple[int, ...] = ()
    end_stacks: tuple[int, ...] = ()
    deal_index: int = 0
    draws_in_row: int = 0
    draw_count: int = 0
    hands: tuple[tuple[Tile, ...], ...] = ()
    melds: tuple[tuple[Meld, ...], ...] = ()
    flowers: tuple[tuple[Tile, ...], ...] = ()
    began: bool = False
    discards: tuple[TableDiscard, ...] = ()
    turn: Seat = 0
    due: DrawSource | None = None
    draw: Draw | None = None
    question: Question | None = None
    kongs: tuple[KongRecord, ...] = ()
    turn_kongs: tuple[int, ...] = ()
    wins: tuple[Won, ...] = ()
    locked: frozenset[Seat] = frozenset()
    declared: frozenset[Seat] = frozenset()
    away: frozenset[Seat] = frozenset()
    win_locked: frozenset[Seat] = frozenset()
    result: Ended | None = None

    @property
    def seats(self) -> range:
        """All seats."""
        return range(self.ruleset.seat_count)

    def others(self, seat: Seat) -> tuple[Seat, ...]:
        """The other seats in turn order from this one."""
        return tuple(turn_order(seat, self.ruleset.seat_count))

    def winners(self) -> tuple[WinnerResult, ...]:
        """Everybody who has won, in order of rank and within it of payment."""
        return tuple(winner for won in self.wins for winner in won.winners)

    def has_won(self, seat: Seat) -> bool:
        """Whether the seat takes no further part (BB-11)."""
        for won in self.wins:
            for winner in won.winners:
                if winner.seat == seat:
                    return True
        return False

    def playing(self) -> tuple[Seat, ...]:
        """Seats that have not won, ascending."""
        won = {winner.seat for winner in self.winners()}
        return tuple(seat for seat in self.seats if seat not in won)

    def declares_with_discard(self, seat: Seat) -> bool:
        """Whether the seat has declared and has still to discard a tile that leaves it ready (BB-18)."""
        return seat in self.declared and seat not in self.locked

    def must_win(self) -> bool:
        """Whether every win must be taken now (BB-16): from the draw of the fourth tile from the end on."""
        return self.draw_count > 0 and self.left < self.ruleset.must_win_tiles

    def last_tile(self) -> bool:
        """Whether a win now is one on the last tile (海底): nothing is left to draw, not before the first draw."""
        return self.draw_count > 0 and not self.left

    @property
    def left(self) -> int:
        """Tiles that may still be drawn (DZ-6)."""
        return len(self.wall) - self.undrawn_count

    def seat_wind(self, seat: Seat) -> Tile | None:
        """The seat's wind: the dealer is East, then South, West, North (DZ-13); None in games without."""
        return WINDS[(seat - self.dealer) % self.ruleset.seat_count] if self.ruleset.winds else None

    def round_wind(self) -> Tile | None:
        """The round's wind: it changes every four deals of a table (DZ-13); None in games without."""
        return WINDS[self.deal_index // DEALS_A_ROUND % len(WINDS)] if self.ruleset.winds else None


def initial(ruleset: Ruleset, dealer: Seat, *, deal_index: int = 0, draws_in_row: int = 0) -> State:
    """A table before the wall is built.

    Args:
        deal_index: deals played at the table before this one.
        draws_in_row: exhaustive draws just before it.
    """
    empty: tuple[tuple[Tile, ...], ...] = ((),) * ruleset.seat_count
    return State(
        ruleset=ruleset,
        dealer=dealer,
        hands=empty,
        melds=((),) * ruleset.seat_count,
        flowers=empty,
        turn=dealer,
        deal_index=deal_index,
        draws_in_row=draws_in_row,
    )


__all__ = ["Draw", "Fate", "KongRecord", "Phase", "Question", "State", "TableDiscard", "initial", "replace"]
