"""Which fans sets make together (DZ-31): everything the principles allow is tried, the dearest stands.

A fan joins the two, three or four sets that make it. Account-once: what is joined already is not joined
again, so the joints form a forest over the sets. From that alone it follows that a fan of four sets
stands alone, that beside one of three the fourth set adds at most one fan of two, and that n sets make
at most n - 1 fans. Non-identical: no set serves the same fan twice.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from games.mahjong.tiles import Tile
from games.variants.dazhong.fan_table import FAN_BY_ID

Sets = Sequence[Tile]
"""Sets of one sort: lowest tiles of runs, or kinds of pungs."""

FanOf = Callable[[Sets], str]
"""The fan that two, three or four sets make by themselves; empty if none."""

Joint = tuple[tuple[int, ...], str]
"""Places among the sets, and the fan they make."""


def dearest(sets: Sets, fan_of: FanOf) -> tuple[str, ...]:
    """Ids of the fans that sets make together, repeated where one is made twice; table order.

    Args:
        sets: at most four.
        fan_of: what some of them make.
    """
    return _in_order(dearest_joints(sets, fan_of))


def dearest_joints(sets: Sets, fan_of: FanOf) -> tuple[Joint, ...]:
    """The same with the sets that make each fan, by their places."""
    return min(_allowed(joints_of(sets, fan_of), len(sets)), key=lambda joints: _rank(_in_order(joints)))


def joints_of(sets: Sets, fan_of: FanOf) -> list[Joint]:
    """Everything that some of the sets make, allowed together or not."""
    return [
        (places, fan)
        for size in range(2, len(sets) + 1)
        for places in combinations(range(len(sets)), size)
        if (fan := fan_of([sets[place] for place in places]))
    ]


def _allowed(joints: Sequence[Joint], set_count: int) -> Iterator[tuple[Joint, ...]]:
    for size in range(max(set_count, 1)):
        for chosen in combinations(joints, size):
            if is_forest(chosen) and serves_once(chosen):
                yield chosen


def is_forest(joints: Sequence[Joint]) -> bool:
    """Whether every fan joins only sets that the others leave apart (account-once)."""
    trees: list[set[int]] = []
    for places, _ in joints:
        joined = [tree for tree in trees if tree.intersection(places)]
        if any(len(tree.intersection(places)) > 1 for tree in joined):
            return False
        trees = [tree for tree in trees if tree not in joined] + [set(places).union(*joined)]
    return True


def serves_once(joints: Sequence[Joint]) -> bool:
    """Whether no set serves the same fan twice (non-identical)."""
    served = [(place, fan) for places, fan in joints for place in places]
    return len(served) == len(set(served))


def _in_order(joints: Sequence[Joint]) -> tuple[str, ...]:
    return tuple(sorted((fan for _, fan in joints), key=lambda fan: FAN_BY_ID[fan].number))


def _rank(fans: tuple[str, ...]) -> tuple[int, list[int]]:
    """The dearest first; of equals the one whose fans stand earlier in the table."""
    rows = [FAN_BY_ID[fan] for fan in fans]
    return -sum(row.value for row in rows), [row.number for row in rows]
