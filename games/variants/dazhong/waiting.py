"""Which tiles complete a hand in any of the five shapes (DZ-20), judged by shape alone (DZ-33).

A set of kinds is an int with a bit a kind; counts are those of `sets`.
"""

from typing import Final

from games.mahjong.decomposition import HONOUR_SUIT, SETS_AND_PAIR, SETS_ONLY, suit_flags, suit_size
from games.mahjong.tiles import HONOURS, KIND_COUNT, Tile
from games.variants.dazhong.sets import (
    LOW_KINDS,
    ONES,
    RANKS,
    SUIT_MASK,
    SUIT_WIDTH,
    TABLE_SIZE_MAX,
    Counts,
    counts_of,
    kinds_in,
)

HONOUR_ONES: Final = counts_of(tuple(HONOURS))[1]
ORPHANS: Final[Counts] = counts_of((*(RANKS * suit + rank for suit in range(3) for rank in (0, RANKS - 1)), *HONOURS))
"""One of each terminal and honour."""


def _knitted(first: int, second: int, third: int) -> Counts:
    starts = (first, second, third)
    return counts_of(tuple(RANKS * suit + start + step for suit, start in enumerate(starts) for step in (0, 3, 6)))


KNITTED: Final[tuple[Counts, ...]] = (
    _knitted(0, 1, 2),
    _knitted(0, 2, 1),
    _knitted(1, 0, 2),
    _knitted(1, 2, 0),
    _knitted(2, 0, 1),
    _knitted(2, 1, 0),
)
"""The nine tiles where the suits hold 147, 258 and 369, in each of the six ways."""
ORPHAN_KINDS: Final = 13
"""Kinds of thirteen orphans, and tiles of a hand without melds that waits."""


def kind_bits(low: int, high: int) -> int:
    """Single tiles as a set of kinds."""
    found = 0
    for first, ones in ((0, low), (LOW_KINDS, high)):
        while ones:
            lowest = ones & -ones
            found |= 1 << first + (lowest.bit_length() - 1) // 3
            ones ^= lowest
    return found


def kinds_of(waits: int) -> tuple[Tile, ...]:
    """The kinds of a set, ascending."""
    return tuple(tile for tile in range(KIND_COUNT) if waits >> tile & 1)


def waits_of(low: int, high: int, meld_count: int) -> int:
    """Kinds that complete a hand, also those of which no copy is left.

    A hand that waits as sets and a pair has five blocks at most, six pairs are six kinds, and every other
    shape lacks but one of nine or more tiles that stand apart: none of them waits in two of these ways but
    as sets and as pairs.

    Args:
        low: the concealed tiles, 13 less three a meld.
        high: the same.
        meld_count: sets on the table.
    """
    found = _standard_waits(low, high)
    if meld_count == 0:
        found |= _pair_waits(low, high)
    if not found and meld_count <= 1:
        found = _knitted_waits(low, high)
        if not found and meld_count == 0:
            found = _single_waits(low, high)
    return found


# --- four sets and a pair -----------------------------------------------------------------------

REMAINDER_MASK: Final = 3
WHOLE: Final = 4
RANKS_SHIFT: Final = 3
_SUIT_WAITS: Final[dict[int, int]] = {}
_HONOUR_WAITS: Final[dict[int, int]] = {}


def _suit_waits(suit: int, value: int) -> int:
    """What one tile can do for a suit.

    Two bits: its size modulo 3. One: whether it is sets already, with a pair where two tiles remain. The
    rest, a bit a rank: which tile makes it sets with a pair where one tile remains, sets only where two do.
    """
    table = _HONOUR_WAITS if suit == HONOUR_SUIT else _SUIT_WAITS
    found = table.get(value, -1)
    if found < 0:
        if len(table) >= TABLE_SIZE_MAX:
            table.clear()
        found = table[value] = _read_suit_waits(value, suit != HONOUR_SUIT)
    return found


def _read_suit_waits(value: int, runs_allowed: bool) -> int:
    remainder = suit_size(value) % 3
    wanted = SETS_AND_PAIR if remainder == 1 else SETS_ONLY
    ranks = 0
    if remainder:
        for rank in range(RANKS):
            if suit_flags(value + (1 << 3 * rank), runs_allowed) & wanted:
                ranks |= 1 << rank
    whole = suit_flags(value, runs_allowed) & (SETS_ONLY if remainder == 0 else SETS_AND_PAIR)
    return remainder | (WHOLE if whole else 0) | ranks << RANKS_SHIFT


def _standard_waits(low: int, high: int) -> int:
    """Either one suit holds one tile too many and the pair comes to lie in it, or two suits two too many."""
    single = double = other = -1
    of_single = of_double = of_other = 0
    for suit in range(4):
        half = low if suit < 2 else high
        value = half >> SUIT_WIDTH if suit & 1 else half & SUIT_MASK
        if not value:
            continue
        entry = _suit_waits(suit, value)
        remainder = entry & REMAINDER_MASK
        if remainder == 0:
            if not entry & WHOLE:
                return 0
        elif remainder == 1:
            if single >= 0 or double >= 0:
                return 0
            single, of_single = suit, entry
        elif single >= 0 or other >= 0:
            return 0
        elif double < 0:
            double, of_double = suit, entry
        else:
            other, of_other = suit, entry
    if single >= 0:
        return of_single >> RANKS_SHIFT << RANKS * single
    if other < 0:
        return 0
    found = 0
    if of_other & WHOLE:
        found |= of_double >> RANKS_SHIFT << RANKS * double
    if of_double & WHOLE:
        found |= of_other >> RANKS_SHIFT << RANKS * other
    return found


def is_sets_and_pair(low: int, high: int) -> bool:
    """Whether the tiles are sets and exactly one pair; the caller knows the right number."""
    pairs = 0
    for suit in range(4):
        half = low if suit < 2 else high
        value = half >> SUIT_WIDTH if suit & 1 else half & SUIT_MASK
        if value:
            entry = _suit_waits(suit, value)
            if not entry & WHOLE:
                return False
            pairs += entry & REMAINDER_MASK == 2
    return pairs == 1


# --- the other shapes ---------------------------------------------------------------------------


def _pair_waits(low: int, high: int) -> int:
    """Seven pairs wait for the one kind that is held an odd number of times."""
    odd_low, odd_high = low & ONES, high & ONES
    if (odd_low and odd_high) or odd_low & (odd_low - 1) or odd_high & (odd_high - 1):
        return 0
    return kind_bits(odd_low, odd_high)


def _single_waits(low: int, high: int) -> int:
    """Thirteen orphans, and honours with knitted tiles."""
    kinds_low, kinds_high = kinds_in(low), kinds_in(high)
    kind_count = kinds_low.bit_count() + kinds_high.bit_count()
    if kind_count < ORPHAN_KINDS - 1:
        return 0
    found = 0
    orphans_low, orphans_high = ORPHANS
    if not kinds_low & ~orphans_low and not kinds_high & ~orphans_high:
        if kind_count == ORPHAN_KINDS:
            found = kind_bits(orphans_low, orphans_high)
        else:
            found = kind_bits(orphans_low & ~kinds_low, orphans_high & ~kinds_high)
    if kind_count == ORPHAN_KINDS:
        for knitted_low, knitted_high in KNITTED:
            allowed_high = knitted_high | HONOUR_ONES
            if not kinds_low & ~knitted_low and not kinds_high & ~allowed_high:
                found |= kind_bits(knitted_low & ~kinds_low, allowed_high & ~kinds_high)
    return found


def _knitted_waits(low: int, high: int) -> int:
    """A knitted straight lacks one of its nine tiles, or a tile of the set and the pair beside them."""
    kinds_low, kinds_high = kinds_in(low), kinds_in(high)
    found = 0
    for knitted_low, knitted_high in KNITTED:
        missing_low, missing_high = knitted_low & ~kinds_low, knitted_high & ~kinds_high
        if (missing_low and missing_high) or missing_low & (missing_low - 1) or missing_high & (missing_high - 1):
            continue
        rest_low, rest_high = low - (knitted_low & kinds_low), high - (knitted_high & kinds_high)
        if not missing_low and not missing_high:
            found |= _standard_waits(rest_low, rest_high)
        elif is_sets_and_pair(rest_low, rest_high):
            found |= kind_bits(missing_low, missing_high)
    return found
