"""How many tiles a hand lacks for a winning shape, exactly: no goal takes a fifth copy of a tile.

`distance` asks the same quickly for bots and is content with what is nearly always so. Here each suit is gone
through rank by rank, over every goal it can have, so that the answer is exact and names the tiles that some
nearest goal still lacks. A lack is a number of missing tiles and the kinds that are missing in any goal with that
number, a bit a kind.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from games.mahjong.decomposition import HONOUR_SUIT, SUIT_BITS, SUIT_RANKS, Packed, pack
from games.mahjong.melds import Meld
from games.mahjong.tiles import HONOURS, KIND_COUNT, Tile
from games.mahjong.waits import COPIES

Lack = tuple[int, int]
"""Missing tiles, and the kinds missing in some goal with so few, a bit a kind."""

Lacks = tuple[Lack, ...]
"""By pair (0, 1) and number of sets, at `pairs * (sets_max + 1) + sets`."""

NEVER: Lack = (99, 0)
NOTHING: Lack = (0, 0)
ALIKE_RUNS_MAX = 2
"""Three runs alike are three pungs of the same tiles."""
ALL_COPIES: Packed = (0o444_444_444,) * 4


def either(one: Lack, other: Lack) -> Lack:
    """The lesser lack; of equals what either lacks."""
    if one[0] != other[0]:
        return one if one[0] < other[0] else other
    return one[0], one[1] | other[1]


def nearest(lacks: Iterable[Lack]) -> Lack:
    """The least of several."""
    found = NEVER
    for lack in lacks:
        found = either(found, lack)
    return found


def allowed_copies(melds: Sequence[Meld], taken: Packed = (0, 0, 0, 0)) -> Packed:
    """Copies of each kind that concealed tiles may come to: four, less those in melds and those taken."""
    used = [0] * KIND_COUNT
    for meld in melds:
        for tile in meld.tiles:
            used[tile] += 1
    left = []
    for suit in range(4):
        value = 0
        for rank in range(SUIT_RANKS):
            tile = SUIT_RANKS * suit + rank
            gone = (used[tile] if tile < KIND_COUNT else COPIES) + (taken[suit] >> SUIT_BITS * rank & 7)
            value |= max(COPIES - gone, 0) << SUIT_BITS * rank
        left.append(value)
    return left[0], left[1], left[2], left[3]


def sets_lack(held: Packed, allowed: Packed, set_count: int, suits: Iterable[int] = range(4)) -> Lack:
    """What tiles lack to be sets and a pair.

    Args:
        held: concealed tiles.
        allowed: copies of each kind that they may come to.
        set_count: sets wanted, 0 to 4.
        suits: suits the game has.
    """
    width = set_count + 1
    together: list[Lack] = [NEVER] * (2 * width)
    together[0] = NOTHING
    for suit in suits:
        own = suit_lacks(held[suit], allowed[suit], 0, 0, 0, set_count, suit != HONOUR_SUIT)
        together = _joined(together, own, width, SUIT_RANKS * suit)
    return together[-1]


def _joined(one: Sequence[Lack], other: Sequence[Lack], width: int, shift: int) -> list[Lack]:
    found: list[Lack] = [NEVER] * (2 * width)
    for pairs, more_pairs in ((0, 0), (0, 1), (1, 0)):
        for sets in range(width):
            missing, kinds = one[pairs * width + sets]
            if missing >= NEVER[0]:
                continue
            for more in range(width - sets):
                more_missing, more_kinds = other[more_pairs * width + more]
                if more_missing < NEVER[0]:
                    place = (pairs + more_pairs) * width + sets + more
                    lack = missing + more_missing, kinds | more_kinds << shift
                    found[place] = either(found[place], lack)
    return found


@lru_cache(maxsize=1 << 16)
def suit_lacks(value: int, allowed: int, rank: int, begun: int, ending: int, sets_max: int, runs: bool) -> Lacks:
    """What a suit lacks for each number of sets and pairs, from one rank on.

    Args:
        value: its counts from this rank on, packed.
        allowed: copies it may come to, likewise.
        begun: runs that began at the rank before.
        ending: runs that began two ranks before.
        sets_max: sets that may still begin.
        runs: whether the suit has runs.
    """
    width = sets_max + 1
    best: list[Lack] = [NEVER] * (2 * width)
    if rank == SUIT_RANKS:
        if not begun and not ending:
            best[0] = NOTHING
        return tuple(best)
    held, most = value & 7, allowed & 7
    starts = range(min(ALIKE_RUNS_MAX, sets_max) + 1) if runs and rank <= SUIT_RANKS - 3 else range(1)
    for start in starts:
        for pung in (0, 1) if start < sets_max else (0,):
            for pair in (0, 1):
                used = begun + ending + start + 3 * pung + 2 * pair
                if used > most:
                    break
                sets = start + pung
                rest = suit_lacks(
                    value >> SUIT_BITS, allowed >> SUIT_BITS, rank + 1, start, begun, sets_max - sets, runs
                )
                missing = max(used - held, 0)
                _offer(best, rest, width, sets, pair, missing, 1 << rank if missing else 0)
    return tuple(best)


def _offer(best: list[Lack], rest: Lacks, width: int, sets: int, pair: int, missing: int, kinds: int) -> None:
    rest_width = width - sets
    for pairs in range(2 - pair):
        for more in range(rest_width):
            rest_missing, rest_kinds = rest[pairs * rest_width + more]
            if rest_missing < NEVER[0]:
                place = (pairs + pair) * width + more + sets
                best[place] = either(best[place], (missing + rest_missing, kinds | rest_kinds))


# --- other shapes ---------------------------------------------------------------------------------


def pairs_lack(held: Sequence[int], kinds: Iterable[Tile], pair_count: int) -> Lack:
    """What tiles lack to be pairs, where four alike are two.

    Args:
        held: copies of each kind.
        kinds: kinds of the game.
        pair_count: pairs wanted.
    """
    units = []
    for tile in kinds:
        first = max(2 - held[tile], 0)
        units += [(first, tile), (max(COPIES - held[tile], 0) - first, tile)]
    units.sort()
    chosen = units[:pair_count]
    dearest = chosen[-1][0]
    lacking = 0
    for cost, tile in units:
        if 0 < cost <= dearest:
            lacking |= 1 << tile
    return sum(cost for cost, _ in chosen), lacking


def singles_lack(held: Sequence[int], among: Iterable[Tile], wanted: int, *, paired: bool = False) -> Lack:
    """What tiles lack to be so many different kinds among some; with `paired` one of them twice."""
    kinds = tuple(among)
    absent = [tile for tile in kinds if not held[tile]]
    missing = max(wanted - (len(kinds) - len(absent)), 0)
    lacking = _bits(absent) if missing else 0
    if paired and all(held[tile] < 2 for tile in kinds):
        missing, lacking = missing + 1, _bits(kinds)
    return missing, lacking


def honours_lack(held: Sequence[int], own: Sequence[int], wanted: int) -> Lack:
    """What tiles lack to be honours alone, of any shape (SH-12, kind 5); `own` counts melds too."""
    missing = wanted - sum(held[tile] for tile in HONOURS)
    return missing, _bits(tile for tile in HONOURS if own[tile] < COPIES) if missing else 0


def counts(tiles: Iterable[Tile]) -> list[int]:
    """Copies of each kind."""
    found = [0] * KIND_COUNT
    for tile in tiles:
        found[tile] += 1
    return found


def kinds_of(bits: int) -> tuple[Tile, ...]:
    """The kinds of a set, ascending."""
    return tuple(tile for tile in range(KIND_COUNT) if bits >> tile & 1)


def _bits(tiles: Iterable[Tile]) -> int:
    return sum(1 << tile for tile in tiles)


def standard_lack(
    concealed: tuple[Tile, ...], melds: tuple[Meld, ...], set_count: int, kinds: tuple[Tile, ...]
) -> Lack:
    """What concealed tiles lack to be sets and a pair beside the melds."""
    suits = sorted({tile // SUIT_RANKS for tile in kinds})
    return sets_lack(pack(concealed), allowed_copies(melds), set_count - len(melds), suits)
