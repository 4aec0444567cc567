"""Which tiles complete a hand."""

from collections.abc import Iterable
from functools import lru_cache

from games.mahjong.decomposition import HONOUR_SUIT, Packed, add, count, is_all_pairs, is_sets_and_pair, pack
from games.mahjong.melds import Meld
from games.mahjong.ruleset import Ruleset
from games.mahjong.tiles import HONOURS, KIND_COUNT, Tile

COPIES = 4
"""Tiles of each kind."""


def completes(packed: Packed, *, melds: tuple[Meld, ...], pairs_win: bool, honours_win: bool) -> bool:
    """Whether tiles with the winning one among them are a winning shape.

    Args:
        packed: counts of the concealed tiles, three for each set still missing and two more.
        melds: sets on the table.
        pairs_win: whether all pairs are a winning shape too; only without melds.
        honours_win: whether honours alone win, whatever their shape.
    """
    if is_sets_and_pair(packed):
        return True
    if pairs_win and not melds and is_all_pairs(packed):
        return True
    return honours_win and not any(packed[:HONOUR_SUIT]) and all(meld.tile in HONOURS for meld in melds)


def waits(
    concealed: Iterable[Tile],
    melds: tuple[Meld, ...],
    *,
    kinds: tuple[Tile, ...],
    pairs_win: bool,
    honours_win: bool = False,
) -> tuple[Tile, ...]:
    """Kinds that complete the hand, ascending; empty if it is not ready.

    A kind of which all four are in the hand and its melds is no wait (BB-42).

    Args:
        concealed: tiles, three for each set still missing and one more.
        melds: sets on the table.
        kinds: kinds the game is played with.
        pairs_win: whether all pairs are a winning shape too.
        honours_win: whether honours alone win (SH-12, kind 5).
    """
    own = [0] * KIND_COUNT
    for meld in melds:
        for tile in meld.tiles:
            own[tile] += 1
    packed = pack(concealed)
    completing = _completing(packed, melds, kinds, pairs_win, honours_win)
    return tuple(tile for tile in completing if own[tile] + count(packed, tile) < COPIES)


def waits_by_shape(rules: Ruleset, concealed: tuple[Tile, ...], melds: tuple[Meld, ...]) -> tuple[Tile, ...]:
    """`waits` by the shapes that a ruleset names."""
    return waits(concealed, melds, kinds=rules.kinds, pairs_win=rules.pairs_win, honours_win=rules.honours_win)


@lru_cache(maxsize=1 << 16)
def _completing(
    packed: Packed, melds: tuple[Meld, ...], kinds: tuple[Tile, ...], pairs_win: bool, honours_win: bool
) -> tuple[Tile, ...]:
    """Waits whoever holds the other copies; most hands are asked about again and again."""
    return tuple(
        tile
        for tile in kinds
        if completes(add(packed, tile), melds=melds, pairs_win=pairs_win, honours_win=honours_win)
    )
