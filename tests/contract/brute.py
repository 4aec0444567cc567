"""Hands by brute force: the same questions as `games.mahjong` answers, asked the slow way and with none of its code."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import combinations_with_replacement

Tiles = tuple[int, ...]
"""Tiles in ascending order."""

Sets = tuple[tuple[str, int], ...]
"""Sets in ascending order: ("run", lowest tile) or ("triplet", tile)."""

Reading = tuple[Sets, int]
"""Sets, and the kind of the pair."""


def without(tiles: Tiles, gone: Iterable[int]) -> Tiles:
    """The tiles with some of them gone."""
    left = list(tiles)
    for tile in gone:
        left.remove(tile)
    return tuple(left)


def starts_run(tile: int) -> bool:
    """Whether a run can start with the tile."""
    return tile < 27 and tile % 9 <= 6


@lru_cache(maxsize=1 << 16)
def all_sets(tiles: Tiles) -> frozenset[Sets]:
    """Every way to read the tiles as sets; empty if there is none."""
    if not tiles:
        return frozenset({()})
    first = tiles[0]
    found: set[Sets] = set()
    if tiles.count(first) >= 3:
        found |= {_with(("triplet", first), rest) for rest in all_sets(without(tiles, [first] * 3))}
    if starts_run(first) and first + 1 in tiles and first + 2 in tiles:
        run = (first, first + 1, first + 2)
        found |= {_with(("run", first), rest) for rest in all_sets(without(tiles, run))}
    return frozenset(found)


def _with(one: tuple[str, int], rest: Sets) -> Sets:
    return tuple(sorted((one, *rest)))


@lru_cache(maxsize=1 << 15)
def readings(tiles: Tiles) -> frozenset[Reading]:
    """Every way to read the tiles as sets and a pair."""
    return frozenset(
        (sets, pair) for pair in set(tiles) if tiles.count(pair) >= 2 for sets in all_sets(without(tiles, [pair, pair]))
    )


def all_pairs(tiles: Tiles) -> bool:
    """Whether every kind is held twice or four times."""
    return all(held in (2, 4) for held in Counter(tiles).values())


@lru_cache(maxsize=1 << 16)
def completes(tiles: Tiles, *, meld_count: int, pairs_win: bool) -> bool:
    """Whether concealed tiles, the winning one among them, are a winning shape."""
    return bool(readings(tiles)) or (pairs_win and not meld_count and all_pairs(tiles))


@lru_cache(maxsize=1 << 15)
def waits(tiles: Tiles, meld_tiles: Tiles, *, kinds: Tiles, meld_count: int, pairs_win: bool) -> Tiles:
    """Kinds that complete the tiles, but those of which all four are one's own (BB-42)."""
    own = Counter((*tiles, *meld_tiles))
    return tuple(
        tile
        for tile in kinds
        if own[tile] < 4 and completes(tuple(sorted((*tiles, tile))), meld_count=meld_count, pairs_win=pairs_win)
    )


def distance(tiles: Tiles, *, kinds: Tiles, set_count: int, pairs_win: bool) -> int:
    """Tiles that the nearest winning hand has and these have not, less one."""
    return min(_missing(tiles, goal) for goal in goals(kinds, set_count, pairs_win)) - 1


def _missing(tiles: Tiles, goal: Tiles) -> int:
    return sum((Counter(goal) - Counter(tiles)).values())


@cache
def goals(kinds: Tiles, set_count: int, pairs_win: bool) -> tuple[Tiles, ...]:
    """Every winning hand of these kinds, however many of a kind it takes."""
    return tuple(set(_goals(kinds, set_count, pairs_win)))


def _goals(kinds: Tiles, set_count: int, pairs_win: bool) -> Iterator[Tiles]:
    runs = [(tile, tile + 1, tile + 2) for tile in kinds if starts_run(tile) and tile + 2 in kinds]
    sets = [*runs, *((tile,) * 3 for tile in kinds)]
    for chosen in combinations_with_replacement(sets, set_count):
        tiles = [tile for one in chosen for tile in one]
        for pair in kinds:
            yield tuple(sorted((*tiles, pair, pair)))
    if pairs_win:
        for pairs in combinations_with_replacement(kinds, (3 * set_count + 2) // 2):
            yield tuple(sorted((*pairs, *pairs)))
