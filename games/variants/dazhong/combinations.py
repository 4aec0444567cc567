"""Which fans sets make together (DZ-31): everything the principles allow is tried, the dearest stands.

- All four sets make one fan: it stands alone.
- Three sets make one fan: the fourth set adds at most one fan of two, with one of the three.
- Otherwise the fans of two are edges between sets. Account-once: n sets make at most n - 1, forming
  no cycle, so the edges are a forest. Non-identical: a set serves the same fan once.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from games.mahjong.tiles import Tile
from games.variants.dazhong.fan_table import FAN_BY_ID

Sets = Sequence[Tile]
"""Sets of one sort: lowest tiles of runs, or kinds of pungs."""

Edge = tuple[int, int, str]
"""Two places among the sets, and the fan they make."""


FanOf = Callable[[Sets], str]
"""The fan that two, three or four sets make by themselves; empty if none."""


def dearest(sets: Sets, fan_of: FanOf) -> tuple[str, ...]:
    """Ids of the fans that sets make together, repeated where one is made twice; table order.

    Args:
        sets: at most four.
        fan_of: what some of them make.
    """
    return min((_in_order(fans) for fans in _allowed(sets, fan_of)), key=_rank)


def _in_order(fans: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(fans, key=lambda fan: FAN_BY_ID[fan].number))


def _rank(fans: tuple[str, ...]) -> tuple[int, list[int]]:
    """The dearest first; of equals the one whose fans stand earlier in the table."""
    rows = [FAN_BY_ID[fan] for fan in fans]
    return -sum(row.value for row in rows), [row.number for row in rows]


def _allowed(sets: Sets, fan_of: FanOf) -> Iterator[tuple[str, ...]]:
    yield ()
    places = range(len(sets))
    if len(sets) == 4 and (whole := fan_of(sets)):
        yield (whole,)
    edges = [(one, other, fan) for one, other in combinations(places, 2) if (fan := fan_of([sets[one], sets[other]]))]
    for chosen in combinations(places, 3):
        if fan := fan_of([sets[place] for place in chosen]):
            yield (fan,)
            yield from ((fan, added) for one, other, added in edges if len({one, other} & set(chosen)) == 1)
    for size in range(1, len(sets)):
        for some in combinations(edges, size):
            if is_forest(some) and serves_once(some):
                yield tuple(fan for _, _, fan in some)


def is_forest(edges: Sequence[Edge]) -> bool:
    """Whether the edges form no cycle (account-once)."""
    root: dict[int, int] = {}
    for one, other, _ in edges:
        first, second = _root(root, one), _root(root, other)
        if first == second:
            return False
        root[first] = second
    return True


def _root(root: dict[int, int], place: int) -> int:
    while place in root:
        place = root[place]
    return place


def serves_once(edges: Sequence[Edge]) -> bool:
    """Whether no set serves the same fan twice (non-identical)."""
    served = [(place, fan) for one, other, fan in edges for place in (one, other)]
    return len(served) == len(set(served))
