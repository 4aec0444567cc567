"""How tiles fall into sets, by one table a suit.

A suit is packed into an int: nine counts of three bits, the lowest rank lowest. A hand is
four of them (characters, dots, bamboo, honours). The tables fill on first use, so nothing
is computed that no hand asks for, and are bounded; honours take no runs.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from games.mahjong.tiles import KIND_COUNT, Tile

Packed = tuple[int, int, int, int]
"""Counts of a hand: one packed int a suit, honours last."""

EMPTY: Packed = (0, 0, 0, 0)
SUIT_BITS = 3
SUIT_RANKS = 9
HONOUR_SUIT = 3
RUN_MASK = 0b001_001_001
ODD_MASK = 0o111_111_111

_SUITS_REMEMBERED = 1 << 16
"""Rows each table keeps: more than play ever asks for, and fewer than the 400,000 suits a stranger could ask about."""

SETS_ONLY = 1
SETS_AND_PAIR = 2


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read tiles as sets and at most one pair.

    Attributes:
        triplets: kinds with three alike, ascending.
        runs: lowest kinds of three in a row, ascending.
        pair: kind of the pair; None if the tiles are sets only.
    """

    triplets: tuple[Tile, ...]
    runs: tuple[Tile, ...]
    pair: Tile | None


def pack(tiles: Iterable[Tile]) -> Packed:
    """Counts of tiles, at most four of each kind 0..33."""
    counts = sum(map(_UNITS.__getitem__, tiles))
    return (
        counts & _SUIT_MASK,
        counts >> _SUIT_WIDTH & _SUIT_MASK,
        counts >> 2 * _SUIT_WIDTH & _SUIT_MASK,
        counts >> 3 * _SUIT_WIDTH,
    )


_SUIT_WIDTH = SUIT_RANKS * SUIT_BITS
_SUIT_MASK = (1 << _SUIT_WIDTH) - 1
_UNITS = [1 << (tile * SUIT_BITS) for tile in range(KIND_COUNT)]
"""One of each kind, the suits side by side."""


def add(packed: Packed, tile: Tile) -> Packed:
    """The counts with one more of a kind; the caller knows that it holds fewer than seven."""
    suit = tile // 9
    more = packed[suit] + (1 << (tile % 9 * SUIT_BITS))
    return (*packed[:suit], more, *packed[suit + 1 :])  # type: ignore[return-value]


def count(packed: Packed, tile: Tile) -> int:
    """How many of a kind."""
    return packed[tile // 9] >> (tile % 9 * SUIT_BITS) & 7


def counts_of(packed: Packed) -> Iterator[tuple[Tile, int]]:
    """Each kind held and how many, ascending."""
    for suit, value in enumerate(packed):
        tile = suit * 9
        while value:
            if value & 7:
                yield tile, value & 7
            value >>= SUIT_BITS
            tile += 1


@lru_cache(maxsize=_SUITS_REMEMBERED)
def suit_size(value: int) -> int:
    """How many tiles a packed suit holds."""
    size = 0
    while value:
        size += value & 7
        value >>= SUIT_BITS
    return size


@lru_cache(maxsize=_SUITS_REMEMBERED)
def suit_readings(value: int, runs_allowed: bool) -> tuple[Reading, ...]:
    """All readings of one packed suit, kinds counted from 0 within the suit."""
    return tuple(_suit_readings(value, runs_allowed, 0, has_pair=False))


def _suit_readings(value: int, runs_allowed: bool, rank: int, *, has_pair: bool) -> Iterator[Reading]:
    if not value:
        yield Reading((), (), None)
        return
    while not value & 7:
        value >>= SUIT_BITS
        rank += 1
    held = value & 7
    if held >= 3:
        for rest in _suit_readings(value - 3, runs_allowed, rank, has_pair=has_pair):
            yield Reading((rank, *rest.triplets), rest.runs, rest.pair)
    if held >= 2 and not has_pair:
        for rest in _suit_readings(value - 2, runs_allowed, rank, has_pair=True):
            yield Reading(rest.triplets, rest.runs, rank)
    if runs_allowed and rank <= 6 and value & 0o70 and value & 0o700:
        for rest in _suit_readings(value - RUN_MASK, runs_allowed, rank, has_pair=has_pair):
            yield Reading(rest.triplets, (rank, *rest.runs), rest.pair)


@lru_cache(maxsize=_SUITS_REMEMBERED)
def suit_flags(value: int, runs_allowed: bool) -> int:
    """Whether a packed suit can be sets only, or sets and one pair (a bit each)."""
    flags = 0
    for reading in suit_readings(value, runs_allowed):
        flags |= SETS_ONLY if reading.pair is None else SETS_AND_PAIR
    return flags


@lru_cache(maxsize=_SUITS_REMEMBERED)
def suit_completions(value: int, runs_allowed: bool, wanted: int) -> tuple[int, ...]:
    """Ranks that, added to a packed suit, leave it sets only or sets and one pair, as `wanted` says; ascending."""
    return tuple(
        rank for rank in range(SUIT_RANKS) if suit_flags(value + (1 << (rank * SUIT_BITS)), runs_allowed) & wanted
    )


def is_sets_and_pair(packed: Packed) -> bool:
    """Whether the tiles are sets and exactly one pair; the caller knows the right number."""
    pairs = 0
    for suit, value in enumerate(packed):
        if not value:
            continue
        size = suit_size(value) % 3
        if size == 1:
            return False
        wanted = SETS_ONLY if size == 0 else SETS_AND_PAIR
        if not suit_flags(value, suit != HONOUR_SUIT) & wanted:
            return False
        pairs += size == 2
    return pairs == 1


def readings(packed: Packed) -> Iterator[Reading]:
    """Every reading of the tiles as sets and exactly one pair."""
    if not is_sets_and_pair(packed):
        return
    by_suit = [suit_readings(value, suit != HONOUR_SUIT) for suit, value in enumerate(packed)]
    for combination in product(*by_suit):
        pairs = [9 * suit + part.pair for suit, part in enumerate(combination) if part.pair is not None]
        if len(pairs) != 1:
            continue
        yield Reading(
            tuple(9 * suit + rank for suit, part in enumerate(combination) for rank in part.triplets),
            tuple(9 * suit + rank for suit, part in enumerate(combination) for rank in part.runs),
            pairs[0],
        )


def is_all_pairs(packed: Packed) -> bool:
    """Whether every kind is held twice or four times (four alike are two pairs)."""
    return all(held in (2, 4) for _, held in counts_of(packed))


def sets_and_pair_completions(packed: Packed) -> list[Tile]:
    """Kinds that make the tiles sets and exactly one pair; the caller knows the right number.

    A suit that is sets only holds a multiple of three tiles. So either one suit holds one too many and the pair comes
    to lie in it, or two hold two too many: one of them becomes sets, the pair lies in the other.
    """
    singles = [suit for suit, value in enumerate(packed) if suit_size(value) % 3 == 1]
    doubles = [suit for suit, value in enumerate(packed) if suit_size(value) % 3 == 2]
    if (len(singles), len(doubles)) not in _COMPLETED:
        return []
    for suit, value in enumerate(packed):
        if suit not in singles and suit not in doubles and not suit_flags(value, suit != HONOUR_SUIT) & SETS_ONLY:
            return []
    found = [(suit, SETS_AND_PAIR) for suit in singles]
    for suit, other in zip(doubles, reversed(doubles), strict=True):
        if suit_flags(packed[other], other != HONOUR_SUIT) & SETS_AND_PAIR:
            found.append((suit, SETS_ONLY))
    return [
        9 * suit + rank
        for suit, wanted in found
        for rank in suit_completions(packed[suit], suit != HONOUR_SUIT, wanted)
    ]


_COMPLETED = ((1, 0), (0, 2))
"""How many suits may hold one and how many two tiles too many where one tile completes the hand."""


def all_pairs_completions(packed: Packed) -> list[Tile]:
    """Kinds that make every kind of the tiles one held twice or four times: the one that is held an odd number."""
    odd = [value & ODD_MASK for value in packed]
    singles = [(suit, bits) for suit, bits in enumerate(odd) if bits]
    if len(singles) != 1 or singles[0][1].bit_count() != 1:
        return []
    suit, bit = singles[0]
    return [9 * suit + (bit.bit_length() - 1) // SUIT_BITS]
