"""Which tiles complete a hand."""

from collections.abc import Iterable
from functools import lru_cache

from games.mahjong.decomposition import Packed, add, count, is_all_pairs, is_sets_and_pair, pack
from games.mahjong.melds import Meld
from games.mahjong.tiles import KIND_COUNT, Tile

COPIES = 4
"""Tiles of each kind."""


def completes(packed: Packed, *, meld_count: int, pairs_win: bool) -> bool:
    """Whether tiles with the winning one among them are a winning shape.

    Args:
        packed: counts of the concealed tiles, three for each set still missing and two more.
        meld_count: sets on the table.
        pairs_win: whether all pairs are a winning shape too; only without melds.
    """
    return is_sets_and_pair(packed) or (pairs_win and not meld_count and is_all_pairs(packed))


def waits(
    concealed: Iterable[Tile], melds: tuple[Meld, ...], *, kinds: tuple[Tile, ...], pairs_win: bool
) -> tuple[Tile, ...]:
    """Kinds that complete the hand, ascending; empty if it is not ready.

    A kind of which all four are in the hand and its melds is no wait (BB-42).

    Args:
        concealed: tiles, three for each set still missing and one more.
        melds: sets on the table.
        kinds: kinds the game is played with.
        pairs_win: whether all pairs are a winning shape too.
    """
    own = [0] * KIND_COUNT
    for meld in melds:
        for tile in meld.tiles:
            own[tile] += 1
    packed = pack(concealed)
    return tuple(
        tile for tile in _completing(packed, len(melds), kinds, pairs_win) if own[tile] + count(packed, tile) < COPIES
    )


@lru_cache(maxsize=1 << 16)
def _completing(packed: Packed, meld_count: int, kinds: tuple[Tile, ...], pairs_win: bool) -> tuple[Tile, ...]:
    """Waits of the concealed tiles alone; most hands are asked about again and again."""
    return tuple(tile for tile in kinds if completes(add(packed, tile), meld_count=meld_count, pairs_win=pairs_win))
