"""When each fan holds (DZ#1..81): one entry a row of the fan table, same ids, grouped by what they look at.

A set of fans is an int with a bit a row, as `fan_table.bit` says. Rows that can hold several times
are counted beside it: `times` has four bits a row of COUNTED.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from games.mahjong.tiles import HONOURS, Tile, parse
from games.variants.dazhong.combinations import dearest
from games.variants.dazhong.fan_table import FANS, bit
from games.variants.dazhong.sets import (
    ONES,
    RANKS,
    RUN_BASE,
    RUN_RANKS,
    SUIT_MASK,
    SUIT_WIDTH,
    TABLE_SIZE_MAX,
    Counts,
    counts_of,
)

COUNTED: Final = (
    "tile_hog",
    "double_pung",
    "pure_double_chow",
    "mixed_double_chow",
    "short_straight",
    "two_terminal_chows",
    "pung_of_terminals_or_honours",
)
"""Rows that one hand can show several times; flowers are added at the very end."""
TIMES_WIDTH: Final = 4
TIMES_MASK: Final = (1 << TIMES_WIDTH) - 1
ONCE: Final = {fan_id: 1 << (TIMES_WIDTH * place) for place, fan_id in enumerate(COUNTED)}
"""One occurrence of each, as `times`."""

Held = tuple[int, int]
"""A set of fans, and the times of those that are counted."""


def held(fan_ids: Sequence[str]) -> Held:
    """Fans as a set and times."""
    fans = times = 0
    for fan_id in fan_ids:
        fans |= bit(fan_id)
        times += ONCE.get(fan_id, 0)
    return fans, times


# --- fans of the tiles, whatever the shape (DZ-38) ----------------------------------------------

ONLY_OF: Final[Mapping[str, str]] = {
    "all_green": "23468sF",
    "all_terminals": "19m19p19s",
    "all_honours": "ESWNCFP",
    "all_terminals_and_honours": "19m19p19sESWNCFP",
    "upper_tiles": "789m789p789s",
    "middle_tiles": "456m456p456s",
    "lower_tiles": "123m123p123s",
    "upper_four": "6789m6789p6789s",
    "lower_four": "1234m1234p1234s",
    "reversible_tiles": "1234589p245689sP",
    "all_simples": "2345678m2345678p2345678s",
    "no_honours": "123456789m123456789p123456789s",
}
"""Fans that hold when a hand has no other tiles than these."""


def _others(tiles: str) -> Counts:
    """All kinds but these."""
    low, high = counts_of(parse(tiles))
    return ONES & ~low, ONES & ~high


_OTHERS: Final = [_others(tiles) for tiles in ONLY_OF.values()]
_WINDS: Final = counts_of(parse("ESWN"))[1]
_DRAGONS: Final = counts_of(parse("CFP"))[1]

BY_SUITS: Final[Mapping[str, Callable[[int, bool, bool], bool]]] = {
    "full_flush": lambda suits, winds, dragons: suits == 1 and not winds and not dragons,
    "half_flush": lambda suits, winds, dragons: suits == 1 and (winds or dragons),
    "all_types": lambda suits, winds, dragons: suits == 3 and winds and dragons,
    "one_voided_suit": lambda suits, winds, dragons: suits == 2,
}
"""Fans by the number of suits, and by whether there are winds and dragons."""

SUITS_SHIFT: Final = len(ONLY_OF)
WINDS_KEY: Final = 1 << SUITS_SHIFT + 2
DRAGONS_KEY: Final = 1 << SUITS_SHIFT + 3
ONLY_MASK: Final = (1 << SUITS_SHIFT) - 1
_LOW_KEYS: Final[dict[int, int]] = {}
_HIGH_KEYS: Final[dict[int, int]] = {}
_KIND_FANS: Final[dict[int, int]] = {}


def fans_of_kinds(low: int, high: int) -> int:
    """Fans of the kinds a hand has, melds and winning tile included, as single tiles.

    Each half says which fans of ONLY_OF it bears, how many suits it has, and whether it has winds and dragons.
    """
    of_low = _LOW_KEYS.get(low, -1)
    if of_low < 0:
        of_low = _kept(_LOW_KEYS, low, _read_low(low))
    of_high = _HIGH_KEYS.get(high, -1)
    if of_high < 0:
        of_high = _kept(_HIGH_KEYS, high, _read_high(high))
    key = (of_low & of_high & ONLY_MASK) + (of_low & ~ONLY_MASK) + (of_high & ~ONLY_MASK)
    found = _KIND_FANS.get(key, -1)
    if found < 0:
        found = _kept(_KIND_FANS, key, _read_kinds(key))
    return found


def _kept(table: dict[int, int], key: int, value: int) -> int:
    """The value, kept in a table; a full one starts again."""
    if len(table) >= TABLE_SIZE_MAX:
        table.clear()
    table[key] = value
    return value


def _read_low(kinds: int) -> int:
    only = sum(1 << place for place, others in enumerate(_OTHERS) if not kinds & others[0])
    return only + (bool(kinds & SUIT_MASK) + bool(kinds >> SUIT_WIDTH) << SUITS_SHIFT)


def _read_high(kinds: int) -> int:
    only = sum(1 << place for place, others in enumerate(_OTHERS) if not kinds & others[1])
    honours = (WINDS_KEY if kinds & _WINDS else 0) + (DRAGONS_KEY if kinds & _DRAGONS else 0)
    return only + (bool(kinds & SUIT_MASK) << SUITS_SHIFT) + honours


def _read_kinds(key: int) -> int:
    fans = sum(bit(fan_id) for place, fan_id in enumerate(ONLY_OF) if key >> place & 1)
    suits, winds, dragons = key >> SUITS_SHIFT & 3, bool(key & WINDS_KEY), bool(key & DRAGONS_KEY)
    return fans + sum(bit(fan_id) for fan_id, holds in BY_SUITS.items() if holds(suits, winds, dragons))


# --- fans that sets make together (DZ-31) -------------------------------------------------------

Figure = tuple[int, tuple[int, ...]]
"""How many suits some sets have, and the steps between their ranks in ascending order."""

RUN_FIGURES: Final[Mapping[Figure, str]] = {
    (1, (0, 0, 0)): "quadruple_chow",
    (1, (1, 1, 1)): "four_pure_shifted_chows",
    (1, (2, 2, 2)): "four_pure_shifted_chows",
    (1, (0, 0)): "pure_triple_chow",
    (1, (3, 3)): "pure_straight",
    (1, (1, 1)): "pure_shifted_chows",
    (1, (2, 2)): "pure_shifted_chows",
    (3, (3, 3)): "mixed_straight",
    (3, (0, 0)): "mixed_triple_chow",
    (3, (1, 1)): "mixed_shifted_chows",
    (1, (0,)): "pure_double_chow",
    (2, (0,)): "mixed_double_chow",
    (1, (3,)): "short_straight",
    (1, (6,)): "two_terminal_chows",
}
PUNG_FIGURES: Final[Mapping[Figure, str]] = {
    (1, (1, 1, 1)): "four_pure_shifted_pungs",
    (1, (1, 1)): "pure_shifted_pungs",
    (3, (0, 0)): "triple_pung",
    (3, (1, 1)): "mixed_shifted_pungs",
    (2, (0,)): "double_pung",
}
TERMINAL_CHOWS: Final[Mapping[str, int]] = {"pure_terminal_chows": 1, "three_suited_terminal_chows": 2}
"""Two times 123 and 789, in so many suits, with a pair of fives in the suit that makes it one or three."""


def figure(sets: Sequence[Tile]) -> Figure:
    """The figure of suited sets, given by their lowest tiles."""
    ranks = sorted(tile % RANKS for tile in sets)
    return len({tile // RANKS for tile in sets}), tuple(after - before for before, after in pairwise(ranks))


@dataclass(frozen=True, slots=True)
class RunFans:
    """What the runs of a hand make.

    Attributes:
        fans: the set of fans.
        times: of those counted.
        fives: the pair, plus one, with which they are terminal chows; 0 for none.
        fans_with_fives: the set of fans then.
    """

    fans: int
    times: int
    fives: int = 0
    fans_with_fives: int = 0


_RUN_FANS: Final[dict[int, RunFans]] = {}


def fans_of_runs(runs: int) -> RunFans:
    """What runs make together."""
    found = _RUN_FANS.get(runs)
    if found is None:
        if len(_RUN_FANS) >= TABLE_SIZE_MAX:
            _RUN_FANS.clear()
        found = _RUN_FANS[runs] = _read_runs(runs)
    return found


def lowest_tiles(runs: int) -> tuple[Tile, ...]:
    """Lowest tiles of runs, ascending, repeated where one is held twice."""
    tiles: list[Tile] = []
    place = 0
    while runs:
        runs, times = divmod(runs, RUN_BASE)
        tiles += [RANKS * (place // RUN_RANKS) + place % RUN_RANKS] * times
        place += 1
    return tuple(tiles)


def _read_runs(runs: int) -> RunFans:
    sets = lowest_tiles(runs)
    fans, times = held(dearest(sets, lambda some: RUN_FIGURES.get(figure(some), "")))
    suits = sorted({tile // RANKS for tile in sets})
    ends = sorted(RANKS * suit + rank for suit in suits for rank in (0, RUN_RANKS - 1))
    for fan_id, suit_count in TERMINAL_CHOWS.items():
        if len(suits) == suit_count and sorted(sets) == sorted(ends * (2 // suit_count)):
            suit = suits[0] if suit_count == 1 else 3 - sum(suits)
            return RunFans(fans, times, RANKS * suit + RANKS // 2 + 1, bit(fan_id))
    return RunFans(fans, times)


_PUNG_FANS: Final[dict[int, Held]] = {}
TERMINAL_PUNGS: Final = sum(1 << (RANKS * suit + rank) for suit in range(3) for rank in (0, RANKS - 1))


def fans_of_pungs(pungs: int) -> Held:
    """What suited pungs and kongs make together, and how many of them are of terminals."""
    found = _PUNG_FANS.get(pungs)
    if found is None:
        if len(_PUNG_FANS) >= TABLE_SIZE_MAX:
            _PUNG_FANS.clear()
        found = _PUNG_FANS[pungs] = _read_pungs(pungs)
    return found


def _read_pungs(pungs: int) -> Held:
    sets = [tile for tile in range(HONOURS.start) if pungs >> tile & 1]
    together = dearest(sets, lambda some: PUNG_FIGURES.get(figure(some), ""))
    ends = (pungs & TERMINAL_PUNGS).bit_count()
    return held((*together, *("pung_of_terminals_or_honours",) * ends))


# --- fans of winds and dragons ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Honours:
    """The honours of a reading.

    Attributes:
        pungs: kinds of pungs and kongs.
        pair: kind of the pair; None if it is suited.
        seat_wind: the seat's.
        round_wind: the round's.
    """

    pungs: frozenset[Tile]
    pair: Tile | None
    seat_wind: Tile
    round_wind: Tile

    @property
    def winds(self) -> int:
        """Pungs of winds."""
        return sum(tile in WINDS for tile in self.pungs)

    @property
    def dragons(self) -> int:
        """Pungs of dragons."""
        return sum(tile in DRAGONS for tile in self.pungs)


WINDS: Final = range(HONOURS.start, HONOURS.start + 4)
DRAGONS: Final = range(WINDS.stop, HONOURS.stop)

BY_HONOURS: Final[Mapping[str, Callable[[Honours], bool]]] = {
    "big_four_winds": lambda honours: honours.winds == 4,
    "big_three_dragons": lambda honours: honours.dragons == 3,
    "little_four_winds": lambda honours: honours.winds == 3 and honours.pair in WINDS,
    "little_three_dragons": lambda honours: honours.dragons == 2 and honours.pair in DRAGONS,
    "big_three_winds": lambda honours: honours.winds == 3,
    "two_dragon_pungs": lambda honours: honours.dragons == 2,
    "dragon_pung": lambda honours: honours.dragons == 1,
    "prevalent_wind": lambda honours: honours.round_wind in honours.pungs,
    "seat_wind": lambda honours: honours.seat_wind in honours.pungs,
}


def _unpaid_winds(honours: Honours) -> int:
    """Pungs of winds that no other fan pays (DZ-31)."""
    if honours.winds >= 3:
        return 0
    return sum(tile in WINDS and tile not in (honours.seat_wind, honours.round_wind) for tile in honours.pungs)


_HONOUR_FANS: Final[dict[int, Held]] = {}
HONOUR_PAIR_SHIFT: Final = len(HONOURS)
WINDS_SHIFT: Final = HONOUR_PAIR_SHIFT + 3


def winds_key(seat_wind: Tile, round_wind: Tile) -> int:
    """Both winds as `fans_of_honours` takes them."""
    return (seat_wind - WINDS.start) | (round_wind - WINDS.start) << 2


def fans_of_honours(pungs: int, pair: int, winds: int) -> Held:
    """Fans of the honours of a reading.

    Args:
        pungs: a bit a kind of honour.
        pair: place of the pair among the honours plus one; 0 if it is suited.
        winds: as `winds_key` makes them.
    """
    key = pungs | pair << HONOUR_PAIR_SHIFT | winds << WINDS_SHIFT
    found = _HONOUR_FANS.get(key)
    if found is None:
        found = _HONOUR_FANS[key] = _read_honours(
            Honours(
                frozenset(tile for tile in HONOURS if pungs >> (tile - HONOURS.start) & 1),
                HONOURS.start + pair - 1 if pair else None,
                WINDS.start + (winds & 3),
                WINDS.start + (winds >> 2),
            )
        )
    return found


def _read_honours(honours: Honours) -> Held:
    fans = [fan_id for fan_id, holds in BY_HONOURS.items() if holds(honours)]
    return held((*fans, *("pung_of_terminals_or_honours",) * _unpaid_winds(honours)))


# --- fans of the sets by number -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SetCounts:
    """How many of each sort a reading has.

    Attributes:
        runs: chows and runs.
        pungs: pungs and kongs of all sorts.
        concealed_pungs: those nobody gave to, concealed kongs included (DZ-36, DZ-37).
        concealed_kongs: concealed kongs.
        melded_kongs: exposed and added ones.
        even: whether all tiles of the hand have even ranks.
        suited_pair: whether the pair is suited.
        with_terminals: sets and pairs that show a terminal or honour.
        with_fives: sets and pairs that show a five.
    """

    runs: int
    pungs: int
    concealed_pungs: int
    concealed_kongs: int
    melded_kongs: int
    even: bool
    suited_pair: bool
    with_terminals: int
    with_fives: int

    @property
    def kongs(self) -> int:
        """All kongs."""
        return self.concealed_kongs + self.melded_kongs


SETS: Final = 4
BLOCKS: Final = SETS + 1

BY_SET_COUNTS: Final[Mapping[str, Callable[[SetCounts], bool]]] = {
    "four_kongs": lambda sets: sets.kongs == 4,
    "four_concealed_pungs": lambda sets: sets.concealed_pungs == 4,
    "three_kongs": lambda sets: sets.kongs == 3,
    "all_even_pungs": lambda sets: sets.pungs == SETS and sets.even,
    "all_fives": lambda sets: sets.with_fives == BLOCKS,
    "three_concealed_pungs": lambda sets: sets.concealed_pungs == 3,
    "all_pungs": lambda sets: sets.pungs == SETS,
    "two_concealed_kongs": lambda sets: sets.concealed_kongs == 2,
    "outside_hand": lambda sets: sets.with_terminals == BLOCKS,
    "two_melded_kongs": lambda sets: sets.melded_kongs == 2,
    "all_chows": lambda sets: sets.runs == SETS and sets.suited_pair,
    "two_concealed_pungs": lambda sets: sets.concealed_pungs == 2,
    "concealed_kong": lambda sets: sets.concealed_kongs == 1,
    "melded_kong": lambda sets: sets.melded_kongs == 1,
}

_SET_FANS: Final[dict[int, int]] = {}


def fans_of_set_counts(key: int) -> int:
    """Fans of the sets by number.

    Args:
        key: three bits each from the lowest: runs, pungs, concealed pungs, concealed kongs, melded kongs,
            blocks with terminals, blocks with fives; then a bit for even ranks, one for a suited pair.
    """
    found = _SET_FANS.get(key, -1)
    if found < 0:
        found = _SET_FANS[key] = _read_set_counts(key)
    return found


EVEN_KEY: Final = 1 << 21
SUITED_PAIR_KEY: Final = 1 << 22


def _read_set_counts(key: int) -> int:
    runs, pungs, concealed, concealed_kongs, melded_kongs, terminals, fives = (
        key >> shift & 7 for shift in range(0, 21, 3)
    )
    sets = SetCounts(
        runs=runs,
        pungs=pungs,
        concealed_pungs=concealed,
        concealed_kongs=concealed_kongs,
        melded_kongs=melded_kongs,
        even=bool(key & EVEN_KEY),
        suited_pair=bool(key & SUITED_PAIR_KEY),
        with_terminals=terminals,
        with_fives=fives,
    )
    return sum(bit(fan_id) for fan_id, holds in BY_SET_COUNTS.items() if holds(sets))


_ODD: Final = _others("2468m2468p2468s")


def is_even(low: int, high: int) -> bool:
    """Whether all kinds have even ranks."""
    return not low & _ODD[0] and not high & _ODD[1]


# --- fans of the moment -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Moment:
    """How the winning tile came.

    Attributes:
        by_self: drawn by oneself.
        robbed: from another's added kong.
        last_tile: nothing is left to draw (DZ-6).
        kong_replacement: drawn for a kong.
        last_of_kind: the other three lie open.
        claimed: melds that took another's tile; at most four.
    """

    by_self: bool
    robbed: bool
    last_tile: bool
    kong_replacement: bool
    last_of_kind: bool
    claimed: int


BY_MOMENT: Final[Mapping[str, Callable[[Moment], bool]]] = {
    "last_tile_draw": lambda moment: moment.last_tile and moment.by_self,
    "last_tile_claim": lambda moment: moment.last_tile and not moment.by_self,
    "out_with_replacement_tile": lambda moment: moment.kong_replacement,
    "robbing_the_kong": lambda moment: moment.robbed,
    "melded_hand": lambda moment: moment.claimed == SETS and not moment.by_self,
    "fully_concealed_hand": lambda moment: moment.claimed == 0 and moment.by_self,
    "last_of_kind": lambda moment: moment.last_of_kind,
    "concealed_hand": lambda moment: moment.claimed == 0 and not moment.by_self,
    "self_draw": lambda moment: moment.by_self,
}

BY_SELF: Final = 1
ROBBED: Final = 2
LAST_TILE: Final = 4
KONG_REPLACEMENT: Final = 8
LAST_OF_KIND: Final = 16
CLAIMED_SHIFT: Final = 5


def fans_of_moment(key: int) -> int:
    """Fans of the moment, from the bits named above and the number of claimed melds."""
    return _MOMENT_FANS[key]


def _read_moment(key: int) -> int:
    moment = Moment(
        by_self=bool(key & BY_SELF),
        robbed=bool(key & ROBBED),
        last_tile=bool(key & LAST_TILE),
        kong_replacement=bool(key & KONG_REPLACEMENT),
        last_of_kind=bool(key & LAST_OF_KIND),
        claimed=key >> CLAIMED_SHIFT,
    )
    return sum(bit(fan_id) for fan_id, holds in BY_MOMENT.items() if holds(moment))


_MOMENT_FANS: Final = [_read_moment(key) for key in range((SETS + 1) << CLAIMED_SHIFT)]


# --- fans of the wait, and of whole shapes ------------------------------------------------------

WAITS: Final = ("edge_wait", "closed_wait", "single_wait")
"""Fans of a lone wait (DZ-33), by where the winning tile stands in the reading."""
SHAPES: Final = (
    "nine_gates",
    "seven_shifted_pairs",
    "thirteen_orphans",
    "seven_pairs",
    "greater_honours_and_knitted",
    "lesser_honours_and_knitted",
    "knitted_straight",
)
"""Fans that a shape is or has by itself (DZ-20)."""
WITHOUT_DETECTOR: Final = ("chicken_hand", "flower")
"""Fans that follow from the others, or from flowers."""

_DETECTED: Final = [
    *ONLY_OF,
    *BY_SUITS,
    *set(RUN_FIGURES.values()),
    *set(PUNG_FIGURES.values()),
    *TERMINAL_CHOWS,
    "pung_of_terminals_or_honours",
    *BY_HONOURS,
    *BY_SET_COUNTS,
    *BY_MOMENT,
    *WAITS,
    *SHAPES,
    "tile_hog",
    *WITHOUT_DETECTOR,
]
assert sorted(_DETECTED) == sorted(fan.fan_id for fan in FANS)
