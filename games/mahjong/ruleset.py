"""What makes a variant of the family: one frozen value, most of it data."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from games.mahjong.hand import Score, Situation, WinningHand
from games.mahjong.melds import MeldKind
from games.mahjong.tiles import Tile

if TYPE_CHECKING:
    from games.kernel import Payment, Seat
    from games.mahjong.events import Ended
    from games.mahjong.state import State


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a variant decides itself: the few places where data is not enough.

    Attributes:
        check_hand: raises HandError if a hand cannot be; shapes and counts are checked before.
        score: what a winning hand is worth; None if it does not win.
        win_payments: what a winner's payers are asked for, in order.
        transferred: kongs whose rain goes to the winners of the open question.
        end: the last event of a deal.
    """

    check_hand: Callable[["Ruleset", WinningHand], None]
    score: Callable[["Ruleset", WinningHand], Score | None]
    win_payments: Callable[["State", "Seat", Score], tuple["Payment", ...]]
    transferred: Callable[["State"], tuple[int, ...]]
    end: Callable[["State"], "Ended"]


@dataclass(frozen=True, slots=True)
class Ruleset:
    """The rules of a deal, money included.

    Attributes:
        variant: id, such as "bloody4".
        version: of the variant's rules; a released one is never edited.
        options: the named options of the variant's page, by name, all of them.
        stake: base in units of the asset, above zero.
        seat_count: players.
        kinds: kinds of tiles, four of each.
        hand_size: tiles of a non-dealer.
        set_count: sets of a winning hand, beside the pair.
        deal_portions: tiles a seat in each round of the deal; the dealer's extra one comes last.
        wall_stacks: stacks of two in front of each seat.
        pairs_win: whether all pairs win.
        must_win_tiles: a win must be taken from the draw of this tile, counted from the end,
            on (BB-16); 0 for never.
        locks: whether a ready hand may be locked (BB-17).
        declares: whether ready hands may be declared before the first discard (BB-18).
        shares_tiles: whether a tile that is won may be melded by another too (BB-14).
        robbed_kong_stands: whether a robbed kong stays a kong (BB-15).
        rain_bases: bases each owing seat pays for a kong of each kind (BB-30); empty where
            kongs cost nothing.
        hand_situations: situations a hand may be scored with.
        wait_situations: those that make sense for a hand without its winning tile.
        judgement: what the variant decides itself.
    """

    variant: str
    version: int
    options: tuple[tuple[str, object], ...]
    stake: int
    seat_count: int
    kinds: tuple[Tile, ...]
    hand_size: int
    set_count: int
    deal_portions: tuple[int, ...]
    wall_stacks: int
    pairs_win: bool
    must_win_tiles: int
    locks: bool
    declares: bool
    shares_tiles: bool
    robbed_kong_stands: bool
    rain_bases: tuple[tuple[MeldKind, int], ...]
    hand_situations: frozenset[Situation]
    wait_situations: frozenset[Situation]
    judgement: Judgement = field(repr=False)

    def option(self, name: str) -> object:
        """The value of a named option; KeyError if the variant has none of this name."""
        return dict(self.options)[name]

    def rain_amount(self, kind: MeldKind) -> int:
        """What each owing seat pays for a kong, in units of the asset (BB-30)."""
        return dict(self.rain_bases).get(kind, 0) * self.stake

    @property
    def tile_count(self) -> int:
        """Tiles in the wall before the deal."""
        return 4 * len(self.kinds)
