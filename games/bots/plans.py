"""What a hand may be made into for the sake of its fans: plans as data, and how far a hand is from each.

The distance of a plan is that of `games.mahjong.distance`: tiles to exchange until the hand waits for one that
completes the plan; 0 is ready. Tiles that the plan has no use for do not count.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from itertools import permutations

from games.mahjong.decomposition import SUIT_BITS, Packed
from games.mahjong.distance import packed_distance, pair_count
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.tiles import HONOURS, KIND_COUNT, Tile, parse

RANKS = 9
SUITS = tuple(range(3))
ALL = frozenset(range(KIND_COUNT))
FAR = 99
"""A distance that no hand ever covers."""


class Sort(Enum):
    """What a plan asks for."""

    SHAPE = auto()
    """Any sets and a pair of the kinds allowed."""
    PUNGS = auto()
    """Pungs and a pair of the kinds allowed."""
    FIGURE = auto()
    """Certain runs, and the rest of any sort."""
    PAIRS = auto()
    """Seven pairs."""
    SINGLES = auto()
    """Fourteen different tiles of the kinds allowed."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One aim.

    Attributes:
        name: the fan it aims at.
        sort: what it asks for.
        fan: what it is worth, in fan, when it comes about, with what usually comes with it.
        kinds: kinds that may be in the hand.
        runs: lowest tiles of the runs that a figure needs.
        knitted: tiles that a knitted figure needs, which nobody can claim as a set.
    """

    name: str
    sort: Sort
    fan: float
    kinds: frozenset[Tile] = ALL
    runs: tuple[Tile, ...] = ()
    knitted: tuple[Tile, ...] = ()


@dataclass(frozen=True, slots=True)
class Aim:
    """A plan beside the melds a seat has.

    Attributes:
        plan: which.
        needed: tiles it still needs for its figure, and how many of each.
        set_count: sets still to be made beside them.
        mask: the kinds allowed, all three bits of each.
    """

    plan: Plan
    needed: tuple[tuple[Tile, int], ...]
    set_count: int
    mask: Packed


@lru_cache(maxsize=1 << 12)
def aims(plans: tuple[Plan, ...], melds: tuple[Meld, ...], set_count: int) -> tuple[Aim, ...]:
    """The plans that the melds of a seat still allow; `set_count` is that of a hand without melds."""
    return tuple(aim for plan in plans if (aim := _aim(plan, melds, set_count)) is not None)


def _aim(plan: Plan, melds: Sequence[Meld], set_count: int) -> Aim | None:
    if melds and plan.sort in (Sort.PAIRS, Sort.SINGLES):
        return None
    if any(tile not in plan.kinds for meld in melds for tile in meld.tiles):
        return None
    if plan.sort is Sort.PUNGS and any(meld.kind is MeldKind.CHOW for meld in melds):
        return None
    runs, others = list(plan.runs), 0
    for meld in melds:
        if meld.kind is MeldKind.CHOW and meld.tile in runs:
            runs.remove(meld.tile)
        else:
            others += 1
    left = set_count - others - len(plan.runs) - len(plan.knitted) // 3
    if left < 0:
        return None
    needed: dict[Tile, int] = dict.fromkeys(plan.knitted, 1)
    for lowest in runs:
        for tile in (lowest, lowest + 1, lowest + 2):
            needed[tile] = needed.get(tile, 0) + 1
    return Aim(plan, tuple(needed.items()), left, _mask(plan.kinds))


def _mask(kinds: frozenset[Tile]) -> Packed:
    values = [0, 0, 0, 0]
    for tile in kinds:
        values[tile // RANKS] |= 7 << SUIT_BITS * (tile % RANKS)
    return values[0], values[1], values[2], values[3]


ONES = 0o111_111_111


def distance(aim: Aim, packed: Packed) -> int:
    """How far concealed tiles are from what a plan asks for."""
    return _DISTANCES[aim.plan.sort](aim, packed)


def _allowed(aim: Aim, packed: Packed) -> Packed:
    """Those of the tiles that the plan has a use for."""
    one, two, three, four = aim.mask
    return packed[0] & one, packed[1] & two, packed[2] & three, packed[3] & four


def _shape(aim: Aim, packed: Packed) -> int:
    return packed_distance(_allowed(aim, packed), aim.set_count, False)


def _pungs(aim: Aim, packed: Packed) -> int:
    pungs = pairs = 0
    for value in _allowed(aim, packed):
        threes = (value >> 1 & value | value >> 2) & ONES
        pungs += threes.bit_count()
        pairs += (value >> 1 & ONES & ~threes).bit_count()
    missing = aim.set_count - pungs
    if missing < 0:
        return 0 if not pairs else -1
    return 2 * missing - min(pairs, missing + 1)


def _figure(aim: Aim, packed: Packed) -> int:
    rest, missing = list(packed), 0
    for tile, wanted in aim.needed:
        suit, place = tile // RANKS, SUIT_BITS * (tile % RANKS)
        held = rest[suit] >> place & 7
        if held < wanted:
            missing += wanted - held
            if missing > FIGURE_MISSING_MAX:
                return FAR
            wanted = held
        rest[suit] -= wanted << place
    return missing + packed_distance((rest[0], rest[1], rest[2], rest[3]), aim.set_count, False)


FIGURE_MISSING_MAX = 4
"""Tiles of a figure that may be missing; one that lacks more is no aim."""


def _pairs(aim: Aim, packed: Packed) -> int:
    return 6 - pair_count(packed)


def _singles(aim: Aim, packed: Packed) -> int:
    kinds = sum(((value | value >> 1 | value >> 2) & ONES).bit_count() for value in _allowed(aim, packed))
    return 13 - kinds


_DISTANCES: Mapping[Sort, Callable[[Aim, Packed], int]] = {
    Sort.SHAPE: _shape,
    Sort.PUNGS: _pungs,
    Sort.FIGURE: _figure,
    Sort.PAIRS: _pairs,
    Sort.SINGLES: _singles,
}
assert set(_DISTANCES) == set(Sort)


# --- what there is to aim at ----------------------------------------------------------------------


def _suit(suit: int) -> frozenset[Tile]:
    return frozenset(range(RANKS * suit, RANKS * (suit + 1)))


def _flushes(half: float, full: float, sort: Sort = Sort.SHAPE) -> list[Plan]:
    """One suit with honours, and alone."""
    honours = frozenset(HONOURS)
    return [
        *(Plan("half_flush", sort, half, _suit(suit) | honours) for suit in SUITS),
        *(Plan("full_flush", sort, full, _suit(suit)) for suit in SUITS),
    ]


def _knitted() -> list[tuple[Tile, ...]]:
    """The nine tiles of each of the six ways to give 147, 258 and 369 to the suits."""
    return [
        tuple(RANKS * suit + start + step for suit, start in enumerate(starts) for step in (0, 3, 6))
        for starts in permutations(SUITS)
    ]


def _figures() -> list[Plan]:
    ways = list(permutations(SUITS))
    pure = [(16.0, "pure_straight", (0, 3, 6))]
    pure += [(16.0, "pure_shifted_chows", (rank, rank + step, rank + 2 * step)) for step in (1, 2) for rank in range(3)]
    found = [
        Plan(name, Sort.FIGURE, fan + 1, runs=tuple(RANKS * suit + rank for rank in ranks))
        for fan, name, ranks in pure
        for suit in SUITS
    ]
    mixed = [(8.0, "mixed_triple_chow", (rank, rank, rank), ways[:1]) for rank in range(7)]
    mixed += [(8.0, "mixed_straight", (0, 3, 6), ways)]
    mixed += [(6.0, "mixed_shifted_chows", (rank, rank + 1, rank + 2), ways) for rank in range(5)]
    found += [
        Plan(name, Sort.FIGURE, fan + 2, runs=tuple(RANKS * suit + rank for suit, rank in zip(way, ranks, strict=True)))
        for fan, name, ranks, chosen in mixed
        for way in chosen
    ]
    found += [Plan("knitted_straight", Sort.FIGURE, 13.0, knitted=tiles) for tiles in _knitted()]
    return found


DAZHONG = (
    Plan("any", Sort.SHAPE, 3.0),
    Plan("all_simples", Sort.SHAPE, 5.0, frozenset(parse("2345678m2345678p2345678s"))),
    *_flushes(9.0, 27.0),
    Plan("all_pungs", Sort.PUNGS, 9.0),
    Plan("seven_pairs", Sort.PAIRS, 26.0),
    Plan("upper_four", Sort.SHAPE, 15.0, frozenset(parse("6789m6789p6789s"))),
    Plan("lower_four", Sort.SHAPE, 15.0, frozenset(parse("1234m1234p1234s"))),
    *(Plan("lesser_honours_and_knitted", Sort.SINGLES, 13.0, frozenset((*tiles, *HONOURS))) for tiles in _knitted()),
    *_figures(),
)
"""Rows of the table of 大众麻将 that come about in ordinary play."""

SHANGHAI = (
    *_flushes(16.0, 30.0),
    Plan("all_pungs", Sort.PUNGS, 16.0),
    *_flushes(30.0, 60.0, Sort.PUNGS),
    Plan("honours_all_pungs", Sort.PUNGS, 120.0, frozenset(HONOURS)),
)
"""Kinds of win of SH-12, by what one payer is asked at stake 1; any other shape may not win (SH-10)."""
