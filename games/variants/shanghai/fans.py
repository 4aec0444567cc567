"""What a 上海 hand is worth (SH-10..31): the best of the ways it may be counted."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from games.mahjong.decomposition import Reading, counts_of, readings
from games.mahjong.hand import FanScore, HandError, Score, Situation, WinBy, WinningHand
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.ruleset import Ruleset
from games.mahjong.tiles import HONOURS, Tile
from games.variants.shanghai.fan_table import KIND_BY_NUMBER

LEZI_STAKES = 30
"""Stakes in one lezi, the cap (SH-31)."""
BASIC_FACTOR = 4
"""A basic win pays the base sum four times (SH-30)."""
BASE = 2
DRAGONS = range(31, 34)

HEAVENLY, EARTHLY, EIGHT_FLOWERS, REPLACEMENT, SINGLE_WAIT, HALF_FLUSH, ALL_PUNGS = 1, 2, 3, 9, 10, 11, 12
HONOURS_PUNGS, ALL_HONOURS, FULL_PUNGS, FULL_FLUSH, HALF_PUNGS = 4, 5, 6, 7, 8

KONG_POINTS = {MeldKind.EXPOSED_KONG: 1, MeldKind.ADDED_KONG: 1, MeldKind.CONCEALED_KONG: 2}
"""Points of a suited kong; winds add 1, dragons 2 (SH-20)."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to count a hand: the kinds it shows, its caps, and what one payer is asked."""

    kinds: tuple[int, ...]
    lezi: int
    amount: int


def score(rules: Ruleset, hand: WinningHand) -> Score | None:
    """What the hand is worth; None if it may not win.

    The greatest amount stands; of equal amounts the one with the lower first kind.
    """
    counted = count_hand(rules, hand)
    return None if counted is None else _score(counted.way, counted.base_sum)


@dataclass(frozen=True, slots=True)
class CountedHand:
    """A winning hand: its readings, the way it is counted, and its base sum."""

    shapes: tuple[Reading, ...]
    way: Way
    base_sum: int


def count_hand(rules: Ruleset, hand: WinningHand) -> CountedHand | None:
    """The dearest way to count a hand; None if it may not win."""
    shapes = tuple(readings(hand.packed()))
    base_sum = BASE + sum(points for points, _, _ in sum_items(hand, shapes[0] if shapes else None))
    ways = list(_ways(rules, hand, shapes, base_sum))
    if not ways:
        return None
    return CountedHand(shapes, min(ways, key=lambda way: (-way.amount, way.kinds[0])), base_sum)


def flower_score(rules: Ruleset) -> Score | None:
    """What the eight flowers are worth when their win is taken (SH-11)."""
    lezi = KIND_BY_NUMBER[EIGHT_FLOWERS].lezi
    return _score(Way((EIGHT_FLOWERS,), lezi, lezi * lezi_amount(rules)), BASE + rules.flower_offer_count)


def lezi_amount(rules: Ruleset) -> int:
    """One lezi in units of the asset (SH-31)."""
    return LEZI_STAKES * rules.stake


def _score(way: Way, base_sum: int) -> Score:
    kinds = [KIND_BY_NUMBER[number] for number in way.kinds]
    fans = tuple(FanScore(kind.kind_id, kind.name_zh, kind.lezi, kind.number) for kind in kinds)
    return Score(fans, way.lezi, way.amount, base_sum=base_sum)


def _ways(rules: Ruleset, hand: WinningHand, shapes: tuple[Reading, ...], base_sum: int) -> Iterator[Way]:
    """Every way the hand may be counted (SH-10, SH-14)."""
    lezi = lezi_amount(rules)
    bonus = _bonus_kinds(hand)
    main = _main_kind(hand, shapes)
    if shapes or main is not None:
        for situation, number in ((Situation.HEAVENLY, HEAVENLY), (Situation.EARTHLY, EARTHLY)):
            if situation in hand.situations:
                multiple = KIND_BY_NUMBER[number].lezi
                yield Way((number,), multiple, multiple * lezi)
    if main is not None:
        multiple = KIND_BY_NUMBER[main].lezi << len(bonus)
        yield Way((main, *bonus), multiple, multiple * lezi)
        return
    basic = _basic_kind(hand, shapes)
    if not shapes:
        return
    if bonus and (basic is not None or rules.option("bonus_legalises_plain")):
        yield Way(bonus, 1, lezi)
    elif basic is not None and _may_win_basic(hand, base_sum):
        yield Way((basic,), 0, min(base_sum * BASIC_FACTOR * rules.stake, lezi))


def _may_win_basic(hand: WinningHand, base_sum: int) -> bool:
    """Without a flower point a basic win may only be self-drawn; robbing counts as a discard (SH-16)."""
    return hand.by is WinBy.SELF or base_sum > BASE


def _bonus_kinds(hand: WinningHand) -> tuple[int, ...]:
    """杠开 and 大吊车 (SH-12)."""
    replaced = hand.situations & {Situation.KONG_REPLACEMENT, Situation.FLOWER_REPLACEMENT}
    found = (REPLACEMENT,) if replaced else ()
    return (*found, SINGLE_WAIT) if len(hand.concealed) == 1 else found


def _tiles(hand: WinningHand) -> set[Tile]:
    tiles = {*hand.concealed, hand.tile}
    for meld in hand.melds:
        tiles.update(meld.tiles)
    return tiles


def _all_pungs(hand: WinningHand, shapes: tuple[Reading, ...]) -> bool:
    melded = all(meld.kind is not MeldKind.CHOW for meld in hand.melds)
    return melded and any(not reading.runs for reading in shapes)


def kinds_held(rules: Ruleset, hand: WinningHand, shapes: tuple[Reading, ...]) -> tuple[int, ...]:
    """Every kind that the hand shows, whether it counts or not, ascending (SH-12)."""
    tiles = _tiles(hand)
    suit_count = len({tile // 9 for tile in tiles if tile not in HONOURS})
    honours = any(tile in HONOURS for tile in tiles)
    pungs = _all_pungs(hand, shapes)
    shows = {
        HEAVENLY: Situation.HEAVENLY in hand.situations,
        EARTHLY: Situation.EARTHLY in hand.situations,
        HONOURS_PUNGS: not suit_count and bool(shapes),
        ALL_HONOURS: not suit_count,
        FULL_PUNGS: suit_count == 1 and not honours and pungs,
        FULL_FLUSH: suit_count == 1 and not honours and bool(shapes),
        HALF_PUNGS: suit_count == 1 and honours and pungs,
        **dict.fromkeys(_bonus_kinds(hand), True),
        HALF_FLUSH: suit_count == 1 and honours and bool(shapes),
        ALL_PUNGS: pungs,
    }
    return tuple(number for number, held in sorted(shows.items()) if held)


def _main_kind(hand: WinningHand, shapes: tuple[Reading, ...]) -> int | None:
    """The kind of 4-8 the hand has; the better of two that could both be read (SH-12, SH-15)."""
    tiles = _tiles(hand)
    suits = {tile // 9 for tile in tiles if tile not in HONOURS}
    honours = any(tile in HONOURS for tile in tiles)
    pungs = _all_pungs(hand, shapes)
    if not suits:
        return HONOURS_PUNGS if shapes else ALL_HONOURS
    if not shapes or len(suits) > 1:
        return None
    if honours:
        return HALF_PUNGS if pungs else None
    return FULL_PUNGS if pungs else FULL_FLUSH


def _basic_kind(hand: WinningHand, shapes: tuple[Reading, ...]) -> int | None:
    """混一色 or 碰碰胡 of a hand without a main kind (SH-12)."""
    tiles = _tiles(hand)
    suits = {tile // 9 for tile in tiles if tile not in HONOURS}
    if len(suits) == 1:
        return HALF_FLUSH
    return ALL_PUNGS if _all_pungs(hand, shapes) else None


# --- base sum ----------------------------------------------------------------------------------


SumItem = tuple[int, str, Tile]
"""Points, what brings them ("flower", a kind of meld, or "pung" for one in the hand), and its tile."""


def sum_items(hand: WinningHand, reading: Reading | None) -> list[SumItem]:
    """The flower points (SH-20); every reading has the same honour triplets."""
    triplets = reading.triplets if reading is not None else _concealed_triplets(hand)
    found: list[SumItem] = [(1, "flower", flower) for flower in hand.flowers]
    found += [(_meld_points(meld), meld.kind.value, meld.tile) for meld in hand.melds]
    found += [(_honour_points(tile), "pung", tile) for tile in triplets]
    return [item for item in found if item[0]]


def _concealed_triplets(hand: WinningHand) -> tuple[Tile, ...]:
    return tuple(tile for tile, held in counts_of(hand.packed()) if held >= 3)


def _honour_points(tile: Tile) -> int:
    """What a pung of honours counts: winds 1, dragons 2."""
    if tile not in HONOURS:
        return 0
    return 2 if tile in DRAGONS else 1


def _meld_points(meld: Meld) -> int:
    return KONG_POINTS.get(meld.kind, 0) + (0 if meld.kind is MeldKind.CHOW else _honour_points(meld.tile))


# --- what cannot be ----------------------------------------------------------------------------


def check_hand(rules: Ruleset, hand: WinningHand) -> None:
    """Raise HandError if the situations contradict the hand or each other (SH-50)."""
    for situation in sorted(hand.situations):
        problem = _CONTRADICTIONS[situation](hand)
        if problem:
            raise HandError("situation", "SH-50", f"{situation}: {problem}")
    if hand.by is WinBy.ROB:
        own = (*hand.concealed, *(tile for meld in hand.melds for tile in meld.tiles))
        if hand.tile in own:
            raise HandError("by", "SH-50", "rob: the kong's owner holds the other three")


def _self_only(hand: WinningHand) -> str:
    return "" if hand.by is WinBy.SELF else "only by self"


def _heavenly_problem(hand: WinningHand) -> str:
    if Situation.EARTHLY in hand.situations:
        return "not with earthly"
    return "only before any meld" if hand.melds else _self_only(hand)


def _kong_problem(hand: WinningHand) -> str:
    if Situation.FLOWER_REPLACEMENT in hand.situations:
        return "not with flower_replacement"
    return _self_only(hand) if any(meld.is_kong for meld in hand.melds) else "needs a kong"


def _flower_problem(hand: WinningHand) -> str:
    return _self_only(hand) if hand.flowers else "needs a flower"


def _no_problem(hand: WinningHand) -> str:
    return ""


_CONTRADICTIONS: dict[Situation, Callable[[WinningHand], str]] = {
    Situation.HEAVENLY: _heavenly_problem,
    Situation.EARTHLY: _no_problem,
    Situation.KONG_REPLACEMENT: _kong_problem,
    Situation.FLOWER_REPLACEMENT: _flower_problem,
    Situation.LAST_TILE: _no_problem,
}
SITUATIONS = frozenset(_CONTRADICTIONS)
