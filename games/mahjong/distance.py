"""How far a hand is from ready, and which tiles bring it nearer.

The distance is the least number of tiles to exchange until the hand waits: 0 is ready, -1
is complete. It looks at the concealed tiles only, not at what is left in the wall.

A suit offers blocks: sets, half sets (two tiles of a set) and at most one pair. What it can
offer is its profile: for each number of pairs and sets the most half sets beside them. Few
profiles exist, so the suits' profiles are joined by a cached function and a hand costs some
lookups.
"""

from collections.abc import Iterable
from functools import lru_cache

from games.mahjong.decomposition import (
    HONOUR_SUIT,
    RUN_MASK,
    SUIT_BITS,
    Packed,
    add,
    count,
    pack,
)
from games.mahjong.tiles import Tile
from games.mahjong.waits import COPIES

TWOS = 0o222_222_222
FOURS = 0o444_444_444
"""Bits of a packed suit that stand for two and for four of a kind."""
SETS_MAX = 4
"""Sets of the largest hand."""
WIDTH = SETS_MAX + 1
NEVER = -9
"""No such choice of blocks; low enough to stay below any sum of real ones."""

Profile = tuple[int, ...]
"""The most half sets beside `pairs` (0, 1) and `sets` (0..4), at index `pairs * WIDTH + sets`."""

NOTHING: Profile = (0, *(NEVER,) * (2 * WIDTH - 1))
"""The profile of no tiles."""


def distance(concealed: Iterable[Tile], *, set_count: int, pairs_win: bool) -> int:
    """Distance to ready of concealed tiles.

    Args:
        concealed: tiles; 3 x set_count + 1, or one more.
        set_count: sets still to be made of them, at most 4.
        pairs_win: whether all pairs win too; only for a hand without melds.
    """
    return packed_distance(pack(concealed), set_count, pairs_win)


@lru_cache(maxsize=1 << 17)
def packed_distance(packed: Packed, set_count: int, pairs_win: bool) -> int:
    """`distance` over packed counts."""
    profile = NOTHING
    for suit, value in enumerate(packed):
        if value:
            profile = joined(profile, suit_profile(value, suit != HONOUR_SUIT))
    nearest = _profile_distance(profile, set_count)
    if pairs_win:
        nearest = min(nearest, (3 * set_count + 2) // 2 - 1 - pair_count(packed))
    return nearest


def pair_count(packed: Packed) -> int:
    """How many pairs the tiles hold; four alike are two."""
    return sum((value & TWOS).bit_count() + 2 * (value & FOURS).bit_count() for value in packed if value)


def useful_tiles(
    concealed: Iterable[Tile], *, set_count: int, pairs_win: bool, kinds: tuple[Tile, ...]
) -> tuple[Tile, ...]:
    """Kinds that bring a hand of 3 x set_count + 1 tiles nearer to ready."""
    packed = pack(concealed)
    now = packed_distance(packed, set_count, pairs_win)
    return tuple(
        tile
        for tile in kinds
        if count(packed, tile) < COPIES and packed_distance(add(packed, tile), set_count, pairs_win) < now
    )


@lru_cache(maxsize=1 << 14)
def _profile_distance(profile: Profile, set_count: int) -> int:
    return min(
        2 * (set_count - sets) - min(profile[pairs * WIDTH + sets], set_count - sets) - pairs
        for pairs in (0, 1)
        for sets in range(set_count + 1)
        if profile[pairs * WIDTH + sets] >= 0
    )


@lru_cache(maxsize=1 << 16)
def joined(one: Profile, other: Profile) -> Profile:
    """What two suits offer together."""
    together = [NEVER] * (2 * WIDTH)
    for pairs, more_pairs in ((0, 0), (0, 1), (1, 0)):
        target = (pairs + more_pairs) * WIDTH
        for sets in range(WIDTH):
            halves = one[pairs * WIDTH + sets]
            if halves < 0:
                continue
            for more_sets in range(WIDTH - sets):
                total = halves + other[more_pairs * WIDTH + more_sets]
                if total > together[target + sets + more_sets]:
                    together[target + sets + more_sets] = total
    return tuple(halves if halves >= 0 else NEVER for halves in together)


@lru_cache(maxsize=1 << 16)
def suit_profile(value: int, runs_allowed: bool) -> Profile:
    """The profile of a packed suit: its lowest tile is left alone or part of each block it can be part of."""
    if not value:
        return NOTHING
    while not value & 7:
        value >>= SUIT_BITS
    best = list(suit_profile(value - 1, runs_allowed))
    held = value & 7
    if held >= 2:
        _offer_pair(best, suit_profile(value - 2, runs_allowed))
        _offer_half(best, suit_profile(value - 2, runs_allowed))
    if held >= 3:
        _offer_set(best, suit_profile(value - 3, runs_allowed))
    if runs_allowed:
        next_one, next_but_one = value & 0o70, value & 0o700
        if next_one:
            _offer_half(best, suit_profile(value - 0o11, runs_allowed))
        if next_but_one:
            _offer_half(best, suit_profile(value - 0o101, runs_allowed))
        if next_one and next_but_one:
            _offer_set(best, suit_profile(value - RUN_MASK, runs_allowed))
    return tuple(best)


def _offer_half(best: list[int], rest: Profile) -> None:
    """A half set beside what the rest offers."""
    for index, halves in enumerate(rest):
        if halves >= 0 and halves + 1 > best[index]:
            best[index] = halves + 1


def _offer_set(best: list[int], rest: Profile) -> None:
    """A set beside what the rest offers."""
    for index, halves in enumerate(rest):
        if halves > NEVER and index % WIDTH < SETS_MAX and halves > best[index + 1]:
            best[index + 1] = halves


def _offer_pair(best: list[int], rest: Profile) -> None:
    """The pair beside what the rest offers without one."""
    for sets in range(WIDTH):
        if rest[sets] > best[WIDTH + sets]:
            best[WIDTH + sets] = rest[sets]
