"""How far a hand is from ready, and which tiles bring it nearer.

The distance is the least number of tiles to exchange until the hand waits: 0 is ready, -1
is complete. It looks at the concealed tiles only, not at what is left in the wall.
"""

from collections.abc import Iterable
from functools import cache, lru_cache

from games.mahjong.decomposition import (
    HONOUR_SUIT,
    RUN_MASK,
    SUIT_BITS,
    Packed,
    add,
    count,
    counts_of,
    pack,
)
from games.mahjong.tiles import Tile
from games.mahjong.waits import COPIES

Blocks = tuple[int, int, int]
"""Sets, half sets (two tiles of a set) and pairs (0 or 1) taken out of a suit."""


def distance(concealed: Iterable[Tile], *, set_count: int, pairs_win: bool) -> int:
    """Distance to ready of concealed tiles.

    Args:
        concealed: tiles; 3 x set_count + 1, or one more.
        set_count: sets still to be made of them.
        pairs_win: whether all pairs win too; only for a hand without melds.
    """
    return packed_distance(pack(concealed), set_count, pairs_win)


@lru_cache(maxsize=1 << 17)
def packed_distance(packed: Packed, set_count: int, pairs_win: bool) -> int:
    """`distance` over packed counts."""
    nearest = _sets_distance(packed, set_count)
    if pairs_win:
        pair_count = sum(held // 2 for _, held in counts_of(packed))
        nearest = min(nearest, (3 * set_count + 2) // 2 - 1 - pair_count)
    return nearest


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


def _sets_distance(packed: Packed, set_count: int) -> int:
    """Distance to sets and a pair: every suit offers blocks, the best choice of all counts."""
    chosen: set[Blocks] = {(0, 0, 0)}
    for suit, value in enumerate(packed):
        if not value:
            continue
        offers = suit_blocks(value, suit != HONOUR_SUIT)
        chosen = {
            (sets + more_sets, halves + more_halves, pairs + more_pairs)
            for sets, halves, pairs in chosen
            for more_sets, more_halves, more_pairs in offers
            if pairs + more_pairs <= 1
        }
    return min(
        2 * (set_count - sets) - min(halves, set_count - sets) - pairs
        for sets, halves, pairs in chosen
        if sets <= set_count
    )


@cache
def suit_blocks(value: int, runs_allowed: bool) -> frozenset[Blocks]:
    """Every combination of blocks that can be taken out of a suit, the dominated left out."""
    found = set(_blocks(value, runs_allowed))
    return frozenset(
        one
        for one in found
        if not any(other != one and all(more >= less for more, less in zip(other, one, strict=True)) for other in found)
    )


@cache
def _blocks(value: int, runs_allowed: bool) -> frozenset[Blocks]:
    """Blocks of a suit, lowest tile first; each tile is part of a block or left alone."""
    if not value:
        return frozenset({(0, 0, 0)})
    while not value & 7:
        value >>= SUIT_BITS
    found: set[Blocks] = set()

    def take(rest: int, block: Blocks) -> None:
        for sets, halves, pairs in _blocks(rest, runs_allowed):
            if pairs + block[2] <= 1:
                found.add((sets + block[0], halves + block[1], pairs + block[2]))

    take(value - 1, (0, 0, 0))
    held = value & 7
    if held >= 2:
        take(value - 2, (0, 0, 1))
        take(value - 2, (0, 1, 0))
    if held >= 3:
        take(value - 3, (1, 0, 0))
    if runs_allowed:
        next_one, next_but_one = value & 0o70, value & 0o700
        if next_one:
            take(value - 0o11, (0, 1, 0))
        if next_but_one:
            take(value - 0o101, (0, 1, 0))
        if next_one and next_but_one:
            take(value - RUN_MASK, (1, 0, 0))
    return frozenset(found)
