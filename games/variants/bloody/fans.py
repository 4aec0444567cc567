"""What a 血战 hand is worth (BB-20..24): one detector a row of the fan table, same ids."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from games.mahjong.decomposition import Packed, Reading, counts_of, is_all_pairs, readings
from games.mahjong.hand import FanScore, HandError, Score, Situation, WinBy, WinningHand
from games.mahjong.melds import MeldKind
from games.mahjong.ruleset import Ruleset
from games.mahjong.tiles import Tile
from games.mahjong.waits import COPIES
from games.variants.bloody.fan_table import FANS, fans_of


@dataclass(frozen=True, slots=True)
class ReadHand:
    """A winning hand in one reading.

    Attributes:
        hand: the hand.
        copies: how many of each kind in hand and melds, the winning tile included.
        reading: the concealed tiles as sets and a pair; None where they are all pairs.
    """

    hand: WinningHand
    copies: Counter[Tile]
    reading: Reading | None


def _has(situation: Situation, by: WinBy | None = None) -> Callable[[ReadHand], int]:
    def detect(read: ReadHand) -> int:
        return situation in read.hand.situations and by in (None, read.hand.by)

    return detect


def _all_pungs(read: ReadHand) -> int:
    return read.reading is not None and not read.reading.runs


def _full_flush(read: ReadHand) -> int:
    return len({tile // 9 for tile in read.copies}) == 1


def _all_pairs(read: ReadHand) -> int:
    return read.reading is None


def _gui(read: ReadHand) -> int:
    return sum(held == COPIES for held in read.copies.values())


def _robbing(read: ReadHand) -> int:
    return read.hand.by is WinBy.ROB


def _declarations(read: ReadHand) -> int:
    """One for each side that has declared (BB-18)."""
    return len(read.hand.situations & {Situation.DECLARED, Situation.PAYER_DECLARED})


DETECTORS: dict[str, Callable[[ReadHand], int]] = {
    "heavenly_win": _has(Situation.HEAVENLY),
    "earthly_win": _has(Situation.EARTHLY),
    "all_pungs": _all_pungs,
    "full_flush": _full_flush,
    "seven_pairs": _all_pairs,
    "four_pairs": _all_pairs,
    "gui": _gui,
    "win_on_replacement": _has(Situation.KONG_REPLACEMENT),
    "robbing_the_kong": _robbing,
    "win_after_kong": _has(Situation.AFTER_KONG),
    "last_tile_draw": _has(Situation.LAST_TILE, WinBy.SELF),
    "last_tile_discard": _has(Situation.LAST_TILE, WinBy.DISCARD),
    "ready_declaration": _declarations,
}
assert list(DETECTORS) == [fan.fan_id for fan in FANS]


def score(rules: Ruleset, hand: WinningHand) -> Score | None:
    """What the hand is worth in its best reading; None if it does not win (BB-21)."""
    found = read(rules, hand)
    if not found:
        return None
    fans = dearest(found).fans
    total = sum(row.value for row in fans)
    return Score(fans, total, amount_of(rules, total, hand.by))


@dataclass(frozen=True, slots=True)
class CountedReading:
    """A reading and its fans; `reading` is None where the tiles are all pairs."""

    reading: Reading | None
    fans: tuple[FanScore, ...]


def read(rules: Ruleset, hand: WinningHand) -> tuple[CountedReading, ...]:
    """Every reading of the hand with its fans; none if it does not win."""
    packed = hand.packed()
    shapes = tuple(_shapes(rules, hand, packed))
    copies: Counter[Tile] = Counter(dict(counts_of(packed))) if shapes else Counter()
    if shapes:
        for meld in hand.melds:
            copies.update(meld.tiles)
    return tuple(CountedReading(shape, _fans(rules, ReadHand(hand, copies, shape))) for shape in shapes)


def dearest(found: tuple[CountedReading, ...]) -> CountedReading:
    """The first of the readings with the most fan."""
    return max(found, key=lambda one: sum(row.value for row in one.fans))


SELF_DRAW_BONUS_BASES = {4: 0, 6: 1}
"""Bases every payer adds on a self-draw, after doubling, by number of players (BB-23)."""


def amount_of(rules: Ruleset, fan_total: int, by: WinBy) -> int:
    """What one payer is asked for (BB-21, BB-23), in units of the asset."""
    bonus = SELF_DRAW_BONUS_BASES[rules.seat_count] if by is WinBy.SELF else 0
    return (rules.stake << fan_total) + bonus * rules.stake


def _shapes(rules: Ruleset, hand: WinningHand, packed: Packed) -> Iterator[Reading | None]:
    """Every reading of the concealed tiles; None stands for all pairs (BB-20)."""
    yield from readings(packed)
    if rules.pairs_win and not hand.melds and is_all_pairs(packed):
        yield None


def _fans(rules: Ruleset, read: ReadHand) -> tuple[FanScore, ...]:
    counted = ((fan, int(DETECTORS[fan.fan_id](read))) for fan in fans_of(rules.seat_count))
    return tuple(
        FanScore(fan.fan_id, fan.name_zh, times * fan.value[rules.seat_count]) for fan, times in counted if times
    )


# --- what cannot be ------------------------------------------------------------------------


def check_hand(rules: Ruleset, hand: WinningHand) -> None:
    """Raise HandError if the situations contradict the hand or each other (BB-70)."""
    for situation in Situation:
        if situation in hand.situations:
            problem = _CONTRADICTIONS[situation](rules, hand)
            if problem:
                raise HandError("situation", "BB-70", f"{situation}: {problem}")
    if hand.by is WinBy.ROB:
        problem = _rob_problem(hand)
        if problem:
            raise HandError("by", "BB-70", f"rob: {problem}")


def _rob_problem(hand: WinningHand) -> str:
    if Situation.LAST_TILE in hand.situations:
        return "no kong when the wall is empty, so not with last_tile"
    if Situation.PAYER_DECLARED in hand.situations:
        return "a declared hand has no pung to add to"
    own = (*hand.concealed, *(tile for meld in hand.melds for tile in meld.tiles))
    return "the kong's owner holds the other three" if hand.tile in own else ""


def _heavenly_problem(rules: Ruleset, hand: WinningHand) -> str:
    if hand.by is not WinBy.SELF:
        return "only by self"
    if hand.melds:
        return "only before any meld"
    alone = hand.situations <= {Situation.HEAVENLY, Situation.PAYER_DECLARED}
    return "" if alone else "stands alone"


def _earthly_problem(rules: Ruleset, hand: WinningHand) -> str:
    if hand.by is not WinBy.DISCARD:
        return "only on a discard"
    if hand.melds:
        return "only before any meld"
    return "not with last_tile" if Situation.LAST_TILE in hand.situations else ""


def _replacement_problem(rules: Ruleset, hand: WinningHand) -> str:
    if hand.by is not WinBy.SELF:
        return "only by self"
    if Situation.DECLARED in hand.situations:
        return "a declared hand makes no kong"
    if any(meld.is_kong for meld in hand.melds):
        return ""
    if rules.robbed_kong_stands:
        return "needs a kong"
    robbed = any(_could_have_been_robbed(hand, meld.kind, meld.tile) for meld in hand.melds)
    return "" if robbed else "needs a kong, or a pung whose fourth tile was robbed"


def _could_have_been_robbed(hand: WinningHand, kind: MeldKind, tile: Tile) -> bool:
    return kind is MeldKind.PUNG and tile not in (*hand.concealed, hand.tile)


def _after_kong_problem(rules: Ruleset, hand: WinningHand) -> str:
    return "" if hand.by is WinBy.DISCARD else "only on a discard"


def _declared_problem(rules: Ruleset, hand: WinningHand) -> str:
    claimed = any(meld.kind is not MeldKind.CONCEALED_KONG for meld in hand.melds)
    return "only concealed kongs before it" if claimed else ""


def _no_problem(rules: Ruleset, hand: WinningHand) -> str:
    return ""


def _other_game(rules: Ruleset, hand: WinningHand) -> str:
    return "not in this game"


_CONTRADICTIONS: dict[Situation, Callable[[Ruleset, WinningHand], str]] = {
    Situation.LAST_TILE: _no_problem,
    Situation.KONG_REPLACEMENT: _replacement_problem,
    Situation.FLOWER_REPLACEMENT: _other_game,
    Situation.LAST_OF_KIND: _other_game,
    Situation.HEAVENLY: _heavenly_problem,
    Situation.EARTHLY: _earthly_problem,
    Situation.AFTER_KONG: _after_kong_problem,
    Situation.DECLARED: _declared_problem,
    Situation.PAYER_DECLARED: _no_problem,
}
