"""Which tiles complete a hand in any of the five shapes (DZ-20), judged by shape alone (DZ-33).

A set of kinds is an int with a bit a kind.
"""

from games.mahjong.decomposition import SETS_AND_PAIR, SETS_ONLY, suit_flags, suit_size
from games.mahjong.tiles import HONOURS, KIND_COUNT, Tile
from games.variants.dazhong.sets import (
    COUNT_OF,
    HONOUR_SHIFT,
    HONOUR_SUIT,
    ONES,
    RANKS,
    SUIT_MASK,
    SUIT_WIDTH,
    TABLE_SIZE_MAX,
)

HONOUR_ONES = ONES >> HONOUR_SHIFT << HONOUR_SHIFT
ORPHANS = HONOUR_ONES + sum(COUNT_OF[RANKS * suit + rank] for suit in range(3) for rank in (0, RANKS - 1))
"""One of each terminal and honour, as counts."""


def _knitted(first: int, second: int, third: int) -> int:
    """The nine tiles where the suits hold 147, 258, 369 in this order, as counts."""
    return sum(
        COUNT_OF[RANKS * suit + start + step] for suit, start in enumerate((first, second, third)) for step in (0, 3, 6)
    )


KNITTED = (
    _knitted(0, 1, 2),
    _knitted(0, 2, 1),
    _knitted(1, 0, 2),
    _knitted(1, 2, 0),
    _knitted(2, 0, 1),
    _knitted(2, 1, 0),
)
"""The six ways to knit three suits."""
KNITTED_SIZE = 9
PAIRS_SIZE = 13
MANY_KINDS = 8
"""Kinds that the fewest hand waiting for a knitted shape or orphans shows."""

ALL_ONES = (1 << KIND_COUNT) - 1


def kinds_in(counts: int) -> int:
    """One tile of each kind held, as counts."""
    return (counts | counts >> 1 | counts >> 2) & ONES


def kind_bits(ones: int) -> int:
    """Single tiles, as counts, as a set of kinds."""
    found = 0
    while ones:
        lowest = ones & -ones
        found |= 1 << (lowest.bit_length() - 1) // 3
        ones ^= lowest
    return found


def kinds_of(waits: int) -> tuple[Tile, ...]:
    """The kinds of a set, ascending."""
    return tuple(tile for tile in range(KIND_COUNT) if waits >> tile & 1)


def waits_of(counts: int, meld_count: int) -> int:
    """Kinds that complete a hand, also those of which no copy is left.

    Args:
        counts: the concealed tiles, 13 less three a meld.
        meld_count: sets on the table.
    """
    found = _standard_waits(counts)
    if meld_count <= 1:
        kinds = kinds_in(counts)
        kind_count = kinds.bit_count()
        if meld_count == 0:
            found |= _pair_waits(counts)
            if kind_count >= PAIRS_SIZE - 1:
                found |= _single_waits(kinds, kind_count)
        if kind_count >= MANY_KINDS:
            found |= _knitted_waits(counts, kinds)
    return found


# --- four sets and a pair -----------------------------------------------------------------------

REMAINDER_MASK = 3
WHOLE = 4
RANKS_SHIFT = 3
_SUIT_WAITS: tuple[dict[int, int], dict[int, int]] = ({}, {})


def _suit_waits(suit: int, value: int) -> int:
    """What one tile can do for a suit.

    Two bits: its size modulo 3. One: whether it is sets already, with a pair where two tiles remain. The
    rest, a bit a rank: which tile makes it sets with a pair where one tile remains, sets only where two do.
    """
    table = _SUIT_WAITS[suit == HONOUR_SUIT]
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


def _standard_waits(counts: int) -> int:
    """Either one suit holds one tile too many and the pair comes to lie in it, or two suits two too many."""
    singles: list[int] = []
    doubles: list[int] = []
    entries = [0, 0, 0, 0]
    for suit in range(4):
        value = counts >> (SUIT_WIDTH * suit) & SUIT_MASK
        if not value:
            continue
        entry = entries[suit] = _suit_waits(suit, value)
        remainder = entry & REMAINDER_MASK
        if remainder == 0:
            if not entry & WHOLE:
                return 0
        elif remainder == 1:
            singles.append(suit)
        else:
            doubles.append(suit)
    if len(singles) == 1 and not doubles:
        return entries[singles[0]] >> RANKS_SHIFT << (RANKS * singles[0])
    if len(doubles) != 2 or singles:
        return 0
    one, other = doubles
    found = 0
    if entries[other] & WHOLE:
        found |= entries[one] >> RANKS_SHIFT << (RANKS * one)
    if entries[one] & WHOLE:
        found |= entries[other] >> RANKS_SHIFT << (RANKS * other)
    return found


# --- the other shapes ---------------------------------------------------------------------------


def _pair_waits(counts: int) -> int:
    """Seven pairs wait for the one kind that is held an odd number of times."""
    odd = counts & ONES
    return kind_bits(odd) if odd & (odd - 1) == 0 else 0


def _single_waits(kinds: int, kind_count: int) -> int:
    """Thirteen orphans, and honours with knitted tiles."""
    found = 0
    if kinds & ~ORPHANS == 0:
        found = kind_bits(ORPHANS if kind_count == PAIRS_SIZE else ORPHANS & ~kinds)
    if kind_count == PAIRS_SIZE:
        for knitted in KNITTED:
            allowed = knitted | HONOUR_ONES
            if kinds & ~allowed == 0:
                found |= kind_bits(allowed & ~kinds)
    return found


def _knitted_waits(counts: int, kinds: int) -> int:
    """A knitted straight lacks one of its nine tiles, or a tile of the set and the pair beside them."""
    found = 0
    for knitted in KNITTED:
        missing = knitted & ~kinds
        if missing & (missing - 1):
            continue
        rest = counts - (knitted & kinds)
        if not missing:
            found |= _standard_waits(rest)
        elif is_sets_and_pair(rest):
            found |= kind_bits(missing)
    return found


def is_sets_and_pair(counts: int) -> bool:
    """Whether the tiles are sets and exactly one pair; the caller knows the right number."""
    pairs = 0
    for suit in range(4):
        value = counts >> (SUIT_WIDTH * suit) & SUIT_MASK
        if value:
            entry = _suit_waits(suit, value)
            if not entry & WHOLE:
                return False
            pairs += entry & REMAINDER_MASK == 2
    return pairs == 1
