"""Titles by points (PF-60)."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

POINTS: Final = "points"
"""The asset that titles go by."""


@dataclass(frozen=True, slots=True)
class Title:
    """A level: its name, and the points that reach it."""

    name: str
    points: int


TITLES: Final = tuple(
    Title(name, points)
    for points, name in (
        (30, "小混混"), (100, "赌鬼"), (200, "赌徒"), (500, "赌民"), (1_000, "赌棍"), (1_600, "赌狂"),
        (3_000, "赌豪"), (5_000, "赌霸"), (10_000, "赌魔"), (20_000, "赌侠"),
        (50_000, "圣·赌鬼"), (80_000, "圣·赌徒"), (120_000, "圣·赌民"), (200_000, "圣·赌棍"), (300_000, "圣·赌狂"),
        (400_000, "神·赌豪"), (500_000, "神·赌霸"), (600_000, "神·赌魔"), (800_000, "神·赌侠"),
        (1_000_000, "仙·赌圣"), (1_500_000, "仙·赌神"),
    )
)  # fmt: skip
assert all(low.points < high.points for low, high in pairwise(TITLES))


def title_of(points: int) -> tuple[Title | None, Title | None]:
    """The highest title reached, None below the first; and the next one, None at the last."""
    reached = bisect_right(TITLES, points, key=lambda title: title.points)
    return TITLES[reached - 1] if reached else None, TITLES[reached] if reached < len(TITLES) else None
