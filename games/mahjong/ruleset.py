"""What makes a variant of the family: one frozen value, most of it data."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from games.kernel import Reason
from games.mahjong.explanation import Explanation, whole_hand
from games.mahjong.hand import Score, Situation, WinningHand
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.tiles import Tile

if TYPE_CHECKING:
    from games.kernel import Payment, Seat
    from games.mahjong.events import EndCause, Ended
    from games.mahjong.state import State


class WallBreak(StrEnum):
    """How dice choose where drawing starts."""

    THROWN_BACK = "thrown_back"
    """Four dice: the dealer's two choose who throws two back; the smallest counts (BB-3)."""
    OWN_WALL = "own_wall"
    """Two dice of the dealer, in his own wall (DZ-3)."""


class ReplacementFrom(StrEnum):
    """Where the replacement for a kong or a flower comes from."""

    NEXT = "next"
    """The next tile in the drawing order (BB-6)."""
    TAIL = "tail"
    """The last tile of the wall (SH-2)."""
    DIE = "die"
    """For a flower the last tile; for a kong a stack near the end that a die chooses (DZ-4, DZ-5)."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a variant decides itself: the few places where data is not enough.

    Attributes:
        check_hand: raises HandError if a hand cannot be; shapes and counts are checked before.
        score: what a winning hand is worth; None if it does not win.
        waits: kinds that complete concealed tiles beside melds, ascending; none of which all four are
            one's own.
        flower_score: what all flowers are worth where a win is offered for them (SH-11).
        win_payments: what a winner's payers are asked for, in order.
        transferred: kongs whose rain goes to the winners of the open question.
        earthly: whether a win of this seat now is one of the deal's first moments.
        end: the last event of a deal, for this cause.
        explain: why a winning hand is worth what `score` says; None if it does not win.
        more_lacks: what concealed tiles beside melds lack for shapes other than sets with a pair, all pairs and
            honours alone (`goals`); None where there are no others.
        liability: whether players can be liable for each other's wins (SH-40).
        draws_raise_pay: whether a deal pays more after exhaustive draws (SH-33).
    """

    check_hand: Callable[["Ruleset", WinningHand], None]
    score: Callable[["Ruleset", WinningHand], Score | None]
    waits: Callable[["Ruleset", tuple[Tile, ...], tuple[Meld, ...]], tuple[Tile, ...]]
    flower_score: Callable[["Ruleset"], Score | None]
    win_payments: Callable[["State", "Seat", Score], tuple["Payment", ...]]
    transferred: Callable[["State"], tuple[int, ...]]
    earthly: Callable[["State", "Seat"], bool]
    end: Callable[["State", "EndCause"], "Ended"]
    explain: Callable[["Ruleset", WinningHand], Explanation | None] = whole_hand
    more_lacks: Callable[[tuple[Tile, ...], tuple[Meld, ...]], tuple[tuple[int, int], ...]] | None = None
    liability: bool = False
    draws_raise_pay: bool = False


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
        wall_break: how dice choose where drawing starts.
        flowers: flower tiles the game is played with, one of each.
        flower_offer_count: flowers exposed at which a win is offered (SH-11); 0 for never.
        live_tiles: tiles of the whole wall that are dealt and drawn at most; the rest stay undrawn (DZ-6).
        replacement_from: where replacements come from.
        chow_from: who may claim a chow: nobody, the player after the discarder, or any.
        honours_win: whether honours alone win without a shape (SH-12, kind 5).
        win_ends_deal: whether the first win ends the deal.
        several_winners: whether several may win on one tile.
        last_discard_melds: whether the last discard may be melded.
        leaving_ends_deal: whether a player who leaves ends the deal (PF-23), or the server
            plays for him (BB-60).
        escape_penalty: what he then pays, in units of the asset.
        pairs_win: whether all pairs win.
        must_win_tiles: a win must be taken from the draw of this tile, counted from the end,
            on (BB-16); 0 for never.
        locks: whether a ready hand may be locked (BB-17).
        declares: whether ready hands may be declared before the first discard (BB-18).
        shares_tiles: whether a tile that is won may be melded by another too (BB-14).
        robbed_kong_stands: whether a robbed kong stays a kong (BB-15).
        rain_bases: bases each owing seat pays for a kong of each kind (BB-30); empty where
            kongs cost nothing.
        winds: whether seats and rounds have winds (DZ-13).
        hand_situations: situations a hand may be scored with.
        wait_situations: those that make sense for a hand without its winning tile.
        clauses: the variant's rule behind each refusal.
        hand_clauses: the rule behind each refusal of a hand: "tiles", "size", "situation".
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
    wall_break: WallBreak
    flowers: tuple[Tile, ...]
    flower_offer_count: int
    live_tiles: int
    replacement_from: ReplacementFrom
    chow_from: str
    honours_win: bool
    win_ends_deal: bool
    several_winners: bool
    last_discard_melds: bool
    leaving_ends_deal: bool
    escape_penalty: int
    pairs_win: bool
    must_win_tiles: int
    locks: bool
    declares: bool
    shares_tiles: bool
    robbed_kong_stands: bool
    rain_bases: tuple[tuple[MeldKind, int], ...]
    winds: bool
    hand_situations: frozenset[Situation]
    wait_situations: frozenset[Situation]
    clauses: tuple[tuple[Reason, str], ...]
    hand_clauses: tuple[tuple[str, str], ...]
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
        return 4 * len(self.kinds) + len(self.flowers)

    def hand_clause(self, part: str) -> str:
        """Number of the rule behind a refusal of a hand, or of a record's opening."""
        return dict(self.hand_clauses)[part]

    def clause(self, reason: Reason) -> str:
        """Number of the rule behind a refusal; empty if the variant names none."""
        return dict(self.clauses).get(reason, "")
