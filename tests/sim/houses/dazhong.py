"""大众麻将 by its clauses.

What a hand is worth is asked of the independent evaluator where that is installed (DZ-32), else of the scorer that
knows no table: shapes, situations and payments are worked out here in any case.
"""

import importlib.util
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from games.catalog import variant_of
from games.mahjong.events import DrawSource, EndCause, KongOutcome
from games.mahjong.hand import Situation, WinBy, WinningHand
from games.mahjong.melds import Meld
from games.mahjong.scoring import score_win
from games.mahjong.tiles import WINDS
from tests.contract import brute
from tests.sim.dazhong.reference import Reference
from tests.sim.houses.house import Ending, House, Line, Worth, escape_payments, own_wall_start

if TYPE_CHECKING:
    from tests.sim.books import Books

TILES = 144
MIXED_KONGS, MIXED_KONGS_LESS = "明暗杠", 2
"""Where the evaluator pays 明暗杠 5, the table pays 暗杠 and 明杠, 3 (DZ-32)."""
EVALUATOR = importlib.util.find_spec("MahjongGB") is not None
ORPHANS = frozenset((0, 8, 9, 17, 18, 26, *range(27, 34)))
HONOURS = frozenset(range(27, 34))


class Dazhong(House):
    """大众麻将."""

    flowers = True
    replacement = "die"
    opening_dice = 2
    several = False
    win_ends = leaving_ends = True
    last_melds = False
    contradiction_rule = "DZ-44"

    def __init__(self) -> None:
        self._reference: Reference | None = None

    def __del__(self) -> None:
        if self._reference is not None:
            self._reference.__exit__(None, None, None)

    def wall_start(self, dealer: int, dice: tuple[int, ...]) -> int:
        """DZ-3."""
        return own_wall_start(dealer, dice)

    def undrawn(self, books: "Books") -> int:
        """DZ-6."""
        live = books.ruleset.option("live_tiles")
        assert isinstance(live, int)
        return TILES - live

    def chow_seats(self, books: "Books", giver: int) -> list[int]:
        """DZ-9."""
        others = books.after(giver)
        return others if books.ruleset.option("chow_from") == "any" else others[:1]

    def worth(self, books: "Books", seat: int, tile: int | None, by: WinBy | None) -> Worth | None:
        """DZ-20, DZ-21, DZ-40."""
        tiles = tuple(sorted((*books.hands[seat],) if tile is None else (*books.hands[seat], tile)))
        if tile is not None and (*tiles, *books.meld_tiles(seat)).count(tile) > 4:
            return None
        if not wins(tiles, len(books.melds[seat])):
            return None
        hand = self._hand(books, seat, tile, by)
        total = self._total(hand)
        rules = books.ruleset
        least, base = rules.option("minimum_fan"), rules.option("base_points")
        assert isinstance(least, int) and isinstance(base, int)
        if total - len(hand.flowers) < least:
            return None
        return Worth(None, total, (base + total) * rules.stake)

    def _hand(self, books: "Books", seat: int, tile: int | None, by: WinBy | None) -> WinningHand:
        held = sorted(books.hands[seat])
        won = tile
        if won is None:
            won = held[-1] if books.drawn is None else books.drawn
            held.remove(won)
        melds = tuple(Meld(note.kind, note.tile, note.from_seat) for note in books.melds[seat])
        wind = WINDS.start + (seat - books.dealer) % 4
        assert by is not None
        return WinningHand(
            tuple(held),
            melds,
            won,
            by,
            self.situations(books, seat, won, by),
            tuple(books.flowers[seat]),
            wind,
            WINDS.start + books.deal_index // 4 % 4,
        )

    def situations(self, books: "Books", seat: int, tile: int, by: WinBy) -> frozenset[Situation]:
        """DZ-39, DZ-43, DZ-44."""
        found = set()
        if by is WinBy.SELF and books.source is DrawSource.REPLACEMENT:
            found.add(Situation.KONG_REPLACEMENT)
        if by is WinBy.SELF and books.source is DrawSource.DEAL:
            return frozenset({Situation.HEAVENLY})
        if by is not WinBy.ROB and books.last_tile():
            found.add(Situation.LAST_TILE)
        table = books.open_discards[:-1] if by is WinBy.DISCARD else books.open_discards
        melded = [one for melds in books.melds for meld in melds for one in meld.tiles]
        if Counter((*table, *melded))[tile] == 3:
            found.add(Situation.LAST_OF_KIND)
        return frozenset(found)

    @lru_cache(maxsize=1 << 12)  # noqa: B019 - a house lives as long as the process
    def _total(self, hand: WinningHand) -> int:
        """The evaluator knows no hand without a winning tile (DZ-43): there the scorer is believed too."""
        if Situation.HEAVENLY in hand.situations or not EVALUATOR:
            score = score_win(variant_of("dazhong").ruleset({}, 1), hand)
            assert score is not None
            return score.fan_total
        if self._reference is None:
            self._reference = Reference().__enter__()
        ((_, fans),) = self._reference.answers([hand])
        assert fans is not None, hand
        total = sum(value * times for value, times, _ in fans)
        return total - MIXED_KONGS_LESS * sum(name == MIXED_KONGS for _, _, name in fans)

    def asks(self, books: "Books", seat: int, worth: Worth, by: WinBy, owner: int | None) -> list[Line]:
        """DZ-40, DZ-42."""
        if owner is None:
            lines = [(payer, seat, worth.amount, "win") for payer in books.after(seat)]
        else:
            base = books.ruleset.option("base_points")
            assert isinstance(base, int)
            others = [payer for payer in books.after(seat) if payer != owner]
            lines = [(owner, seat, worth.amount, "win")]
            lines += [(payer, seat, base * books.ruleset.stake, "win") for payer in others]
        return [line for line in lines if line[2]]

    def ending(self, books: "Books", cause: EndCause, escaper: int | None) -> Ending:
        """DZ-12, DZ-50."""
        outcomes = (KongOutcome.VOID,) * len(books.kongs)
        if cause is EndCause.ESCAPED:
            return Ending(escape_payments(books, escaper), None, {}, outcomes)
        following = books.winners[0] if books.winners else books.after(books.dealer)[0]
        return Ending([], following, {}, outcomes)


# --- shapes (DZ-20) ---------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 15)
def wins(tiles: tuple[int, ...], meld_count: int) -> bool:
    """Whether concealed tiles, the winning one among them, are one of the five shapes."""
    if brute.completes(tiles, meld_count=meld_count, pairs_win=True) or _knitted_straight(tiles):
        return True
    return not meld_count and (_thirteen_orphans(tiles) or _lesser_knitted(tiles))


def _thirteen_orphans(tiles: tuple[int, ...]) -> bool:
    return set(tiles) == ORPHANS and len(tiles) == len(ORPHANS) + 1


def _knits() -> list[frozenset[int]]:
    """The six assignments of 147, 258 and 369 to the suits."""
    orders = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    return [
        frozenset(9 * suit + first + step for suit, first in enumerate(order) for step in (0, 3, 6)) for order in orders
    ]


KNITS = _knits()


def _lesser_knitted(tiles: tuple[int, ...]) -> bool:
    kinds = set(tiles)
    return len(kinds) == len(tiles) == 14 and any(kinds <= knit | HONOURS for knit in KNITS)


def _knitted_straight(tiles: tuple[int, ...]) -> bool:
    kinds = set(tiles)
    return any(knit <= kinds and bool(brute.readings(brute.without(tiles, knit))) for knit in KNITS)
