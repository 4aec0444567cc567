"""What happens in a deal. State changes by these and by nothing else."""

from dataclasses import dataclass
from enum import StrEnum

from games.kernel import Payment, Seat
from games.mahjong.actions import Choice
from games.mahjong.hand import FanScore, WinBy
from games.mahjong.melds import MeldKind
from games.mahjong.ruleset import Ruleset
from games.mahjong.tiles import Tile


class DrawSource(StrEnum):
    """Where the tile of a turn comes from."""

    DEAL = "deal"
    WALL = "wall"
    REPLACEMENT = "replacement"
    FLOWER = "flower"
    CLAIM = "claim"


class EndCause(StrEnum):
    """Why a deal is over (BB-11)."""

    WALL_EMPTY = "wall_empty"
    ONE_LEFT = "one_left"
    WON = "won"
    ESCAPED = "escaped"


class KongOutcome(StrEnum):
    """What became of a kong's rain (BB-32)."""

    OPEN = "open"
    PAID = "paid"
    TRANSFERRED = "transferred"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Opened:
    """The wall is built and the dice are thrown (BB-3).

    Attributes:
        ruleset: the rules of the whole deal.
        dealer: who deals.
        dice: the dealer's two, then the two thrown back.
        wall: all tiles in their physical order, seat 0's wall first.
        wall_start: index in `wall` where drawing starts.
        tail_count: tiles at the end of the drawing order that only replacements take; 0 but
            in arranged walls.
        deal_index: deals played at the table before this one (DZ-13).
        draws_in_row: exhaustive draws just before it (SH-33).
        undrawn_count: tiles of the wall that stay in it (DZ-6).
        kong_dice: one for each kong there can be, in the order they are thrown (DZ-5); 0 where the die
            lies hidden, as all do until thrown.
    """

    ruleset: Ruleset
    dealer: Seat
    dice: tuple[int, ...]
    wall: tuple[Tile, ...]
    wall_start: int
    tail_count: int = 0
    deal_index: int = 0
    draws_in_row: int = 0
    undrawn_count: int = 0
    kong_dice: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Dealt:
    """Every seat has its tiles (BB-4); hands in display order."""

    hands: tuple[tuple[Tile, ...], ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A tile leaves the wall for a hand.

    Attributes:
        die: the die thrown for a kong's replacement (DZ-5); None where none is.
    """

    seat: Seat
    tile: Tile
    source: DrawSource
    die: int | None = None


@dataclass(frozen=True, slots=True)
class Discarded:
    """A tile is put on the table; the question who claims it opens."""

    seat: Seat
    tile: Tile


@dataclass(frozen=True, slots=True)
class Answered:
    """A seat's answer to the shared question. Private until the question closes."""

    seat: Seat
    choice: Choice


@dataclass(frozen=True, slots=True)
class Melded:
    """The last discard becomes a pung or a chow.

    Attributes:
        tile: the claimed tile.
        lowest: lowest tile of a chow; None for a pung.
        shared: whether it was won as well (BB-14).
    """

    seat: Seat
    tile: Tile
    from_seat: Seat
    lowest: Tile | None = None
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Konged:
    """A kong is declared; an added one opens the question who robs it.

    Attributes:
        owing: seats that owe for it, in turn order from the declarer (BB-30).
        shared: whether the claimed discard was won as well (BB-14).
    """

    seat: Seat
    kind: MeldKind
    tile: Tile
    from_seat: Seat | None
    owing: tuple[Seat, ...]
    shared: bool = False


@dataclass(frozen=True, slots=True)
class WinnerResult:
    """One winner's share of a win (BB-53).

    Attributes:
        rank: 1 for the first winner; winners on one tile share it.
        payments: what is asked, in order.
        base_sum: the base sum, where the game has one (SH-20).
    """

    seat: Seat
    rank: int
    fans: tuple[FanScore, ...]
    fan_total: int
    amount: int
    payments: tuple[Payment, ...]
    base_sum: int | None = None


@dataclass(frozen=True, slots=True)
class Won:
    """The winners on one tile, in turn order from the discarder (BB-12).

    Attributes:
        by: how they won.
        tile: the tile; None for a win without one, on the tiles dealt or on all flowers.
        from_seat: the discarder or the robbed kong's owner; None for a self-draw.
        winners: one or more.
        transferred: kongs whose rain goes to them (BB-33), by their place in the deal.
    """

    by: WinBy
    tile: Tile | None
    from_seat: Seat | None
    winners: tuple[WinnerResult, ...]
    transferred: tuple[int, ...] = ()

    @property
    def payments(self) -> tuple[Payment, ...]:
        """What is asked, in order."""
        return tuple(payment for winner in self.winners for payment in winner.payments)


@dataclass(frozen=True, slots=True)
class Locked:
    """A ready hand is locked (BB-17)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Declared:
    """Ready hands are declared (BB-18): of all who were asked, or of the dealer; maybe nobody's."""

    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Flowered:
    """A flower is exposed (DZ-4)."""

    seat: Seat
    tile: Tile


@dataclass(frozen=True, slots=True)
class Declined:
    """The win offered for all flowers is declined (SH-11)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Began:
    """Nobody holds a flower any more: the dealer's turn begins."""


@dataclass(frozen=True, slots=True)
class WentAway:
    """The server plays for the seat from now on (BB-60)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class CameBack:
    """The seat is in its player's control again (BB-61)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class ReadyCheck:
    """One seat at the ready check (BB-40); `amount` is the most it could win, 0 if not ready."""

    seat: Seat
    ready: bool
    amount: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The deal is over; all hands are shown.

    Attributes:
        payments: rain, then check, in the order they move (BB-50).
        checks: the ready check; empty where there was none.
        kong_outcomes: one a kong, in order of declaration.
        next_dealer: None where the table ends with the deal.
        hands: all concealed tiles.
    """

    cause: EndCause
    payments: tuple[Payment, ...]
    checks: tuple[ReadyCheck, ...]
    kong_outcomes: tuple[KongOutcome, ...]
    next_dealer: Seat | None
    hands: tuple[tuple[Tile, ...], ...]


Event = (
    Opened
    | Dealt
    | Drawn
    | Discarded
    | Answered
    | Melded
    | Konged
    | Won
    | Locked
    | Declared
    | Flowered
    | Declined
    | Began
    | WentAway
    | CameBack
    | Ended
)
PRIVATE_EVENTS = (Answered,)
"""Events that take no place in the public log; the table keeps them aside until the question closes."""
