"""Which tiles complete a hand."""

from collections.abc import Iterable
from functools import lru_cache

from games.mahjong.decomposition import (
    HONOUR_SUIT,
    Packed,
    all_pairs_completions,
    count,
    pack,
    sets_and_pair_completions,
)
from games.mahjong.melds import Meld
from games.mahjong.ruleset import Ruleset
from games.mahjong.tiles import HONOURS, Tile

COPIES = 4
"""Tiles of each kind."""


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
        honours_win: whether honours alone win, whatever their shape (SH-12, kind 5).
    """
    packed = pack(concealed)
    completing = _completing(packed, pairs_win and not melds)
    if honours_win and _all_honours(packed, melds):
        completing = tuple(HONOURS)
    if not completing:
        return ()
    held = [count(packed, tile) + _count_in(melds, tile) for tile in completing]
    return tuple(tile for tile, copies in zip(completing, held, strict=True) if copies < COPIES and tile in kinds)


def waits_by_shape(rules: Ruleset, concealed: tuple[Tile, ...], melds: tuple[Meld, ...]) -> tuple[Tile, ...]:
    """`waits` by the shapes that a ruleset names."""
    return waits(concealed, melds, kinds=rules.kinds, pairs_win=rules.pairs_win, honours_win=rules.honours_win)


@lru_cache(maxsize=1 << 16)
def _completing(packed: Packed, pairs_win: bool) -> tuple[Tile, ...]:
    """Kinds that complete the concealed tiles alone, ascending; most hands are asked about again and again."""
    found = set(sets_and_pair_completions(packed))
    if pairs_win:
        found.update(all_pairs_completions(packed))
    return tuple(sorted(found))


def _all_honours(packed: Packed, melds: tuple[Meld, ...]) -> bool:
    return not any(packed[:HONOUR_SUIT]) and all(meld.tile in HONOURS for meld in melds)


def _count_in(melds: tuple[Meld, ...], tile: Tile) -> int:
    return sum(meld.tiles.count(tile) for meld in melds)
