"""Every winning hand near a hand, found by trying: a pair, then set after set, while no more tiles are missing than
allowed. None of the rules' own code; no goal holds five of a tile.
"""

from collections.abc import Iterator
from dataclasses import dataclass

Tiles = tuple[int, ...]
HONOURS = range(27, 34)
ORPHANS = (0, 8, 9, 17, 18, 26, *HONOURS)
NEVER = 99


@dataclass(frozen=True)
class Shapes:
    """The shapes of a game.

    Attributes:
        kinds: kinds of tiles.
        set_count: sets of a hand.
        pair_count: pairs that win by themselves; 0 for none.
        knitted: whether orphans, honours with knitted tiles, and knitted straights win.
        honours: whether honours alone win.
    """

    kinds: Tiles
    set_count: int
    pair_count: int
    knitted: bool = False
    honours: bool = False


@dataclass(frozen=True)
class Found:
    """What a discard leaves: missing tiles less one, and the kinds missing in some nearest goal."""

    distance: int
    useful: frozenset[int]


def brute_advice(shapes: Shapes, hand: Tiles, melds: list[Tiles]) -> dict[int, Found]:
    """For each discard of a hand the distance and the useful tiles."""
    held = _counts(hand)
    used = [0] * 34
    for meld in melds:
        for tile in meld:
            used[tile] += 1
    least = min(_least(shapes, held, used, melds), NEVER)
    best = dict.fromkeys(set(hand), NEVER)
    useful: dict[int, set[int]] = {tile: set() for tile in best}
    # A discard adds at most one missing tile, so no goal farther than that is nearest to any.
    for goal in _goals(shapes, held, used, melds, least + 1):
        missing = sum(max(goal[tile] - held[tile], 0) for tile in range(34))
        lacks = [tile for tile in range(34) if goal[tile] > held[tile]]
        for discard in best:
            gone = goal[discard] >= held[discard]
            if missing + gone < best[discard]:
                best[discard] = missing + gone
                useful[discard] = set()
            if missing + gone == best[discard]:
                useful[discard].update(lacks)
                if gone:
                    useful[discard].add(discard)
    return {tile: Found(best[tile] - 1, frozenset(useful[tile])) for tile in best}


def _counts(tiles: Tiles) -> list[int]:
    return [tiles.count(kind) for kind in range(34)]


def _least(shapes: Shapes, held: list[int], used: list[int], melds: list[Tiles]) -> int:
    for bound in range(15):
        if next(_goals(shapes, held, used, melds, bound), None) is not None:
            return bound
    return NEVER


def _goals(shapes: Shapes, held: list[int], used: list[int], melds: list[Tiles], bound: int) -> Iterator[list[int]]:
    """Counts of every goal that lacks no more than so many tiles."""
    sets = _sets(shapes.kinds)
    nothing = [0] * 34
    yield from _built(sets, shapes.kinds, nothing, held, used, shapes.set_count - len(melds), bound)
    if not melds and shapes.pair_count:
        yield from _paired(shapes.kinds, nothing, held, shapes.pair_count, bound, 0)
    if shapes.knitted:
        yield from _knitted_goals(sets, shapes.kinds, held, used, melds, bound)
    if shapes.honours and all(meld[0] >= HONOURS.start for meld in melds):
        size = 3 * (shapes.set_count - len(melds)) + 2
        yield from _honour_goals(held, used, size, bound)


def _sets(kinds: Tiles) -> list[Tiles]:
    runs = [(tile, tile + 1, tile + 2) for tile in kinds if tile < 27 and tile % 9 <= 6]
    return [*runs, *((tile,) * 3 for tile in kinds)]


def _built(
    sets: list[Tiles], kinds: Tiles, begun: list[int], held: list[int], used: list[int], count: int, bound: int
) -> Iterator[list[int]]:
    """What is begun, with a pair and so many sets; each goal once a way to make it."""
    for pair in kinds:
        goal = list(begun)
        missing = _missing(begun, held) + _put(goal, (pair, pair), held, used)
        if missing <= bound:
            yield from _with_sets(sets, goal, held, used, count, bound - missing, 0)


def _missing(goal: list[int], held: list[int]) -> int:
    return sum(max(want - have, 0) for want, have in zip(goal, held, strict=True))


def _put(goal: list[int], tiles: Tiles, held: list[int], used: list[int]) -> int:
    """Add tiles to a goal; returns how many of them are missing, or never where there is a fifth."""
    missing = 0
    for tile in tiles:
        goal[tile] += 1
        if goal[tile] + used[tile] > 4:
            missing = NEVER
        elif goal[tile] > held[tile]:
            missing += 1
    return missing


def _with_sets(
    sets: list[Tiles], goal: list[int], held: list[int], used: list[int], count: int, bound: int, start: int
) -> Iterator[list[int]]:
    if not count:
        yield goal
        return
    for place in range(start, len(sets)):
        more = list(goal)
        missing = _put(more, sets[place], held, used)
        if missing <= bound:
            yield from _with_sets(sets, more, held, used, count - 1, bound - missing, place)


def _paired(kinds: Tiles, goal: list[int], held: list[int], count: int, bound: int, start: int) -> Iterator[list[int]]:
    if not count:
        yield goal
        return
    for place in range(start, len(kinds)):
        more = list(goal)
        missing = _put(more, (kinds[place],) * 2, held, [0] * 34)
        if missing <= bound:
            yield from _paired(kinds, more, held, count - 1, bound - missing, place)


def _assignments() -> Iterator[Tiles]:
    for first in range(3):
        for second in range(3):
            third = 3 - first - second
            if first != second and third in range(3):
                yield tuple(
                    9 * suit + start + step for suit, start in enumerate((first, second, third)) for step in (0, 3, 6)
                )


def _knitted_goals(
    sets: list[Tiles], kinds: Tiles, held: list[int], used: list[int], melds: list[Tiles], bound: int
) -> Iterator[list[int]]:
    for knitted in _assignments():
        if len(melds) <= 1 and all(used[tile] < 4 for tile in knitted):
            begun = [int(tile in knitted) for tile in range(34)]
            yield from _built(sets, kinds, begun, held, used, 1 - len(melds), bound)
        if not melds:
            yield from _chosen((*knitted, *HONOURS), 14, held, bound)
    if not melds:
        for twice in ORPHANS:
            goal = [0] * 34
            if _put(goal, (*ORPHANS, twice), held, used) <= bound:
                yield goal


def _chosen(among: Tiles, count: int, held: list[int], bound: int) -> Iterator[list[int]]:
    """Goals of so many different kinds: those held, and any of the others; or fewer of those held."""
    have = [tile for tile in among if held[tile]]
    lack = [tile for tile in among if not held[tile]]
    if count - len(have) > bound:
        return
    for left_out in [None, *have] if len(have) + len(lack) > count else [None]:
        kept = [tile for tile in have if tile != left_out]
        for goal in _filled(kept, lack, count - len(kept)):
            if _missing(goal, held) <= bound:
                yield goal


def _filled(kept: list[int], lack: list[int], count: int) -> Iterator[list[int]]:
    """The kinds kept with every choice of others; which of the others matters one by one only."""
    for shift in range(max(len(lack), 1)):
        chosen = {*kept, *(lack[shift:] + lack[:shift])[:count]}
        if len(chosen) == len(kept) + count:
            yield [int(tile in chosen) for tile in range(34)]


def _honour_goals(held: list[int], used: list[int], size: int, bound: int) -> Iterator[list[int]]:
    have = [min(held[tile], 4 - used[tile]) if tile >= HONOURS.start else 0 for tile in range(34)]
    missing = size - sum(have)
    if missing > bound:
        return
    for first in HONOURS:
        goal = list(have)
        left = max(missing, 0)
        for tile in [first, *HONOURS]:
            more = min(4 - used[tile] - goal[tile], left)
            goal[tile] += more
            left -= more
        if not left:
            yield goal
