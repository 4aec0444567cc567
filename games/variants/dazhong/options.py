"""The named options of 大众麻将 and their values, the default first."""

from games.mahjong.ruleset import Ruleset

TILES = 144
POINTS_MAX = 100
"""Greatest base or least fan that an operator may ask for."""

OPTIONS: dict[str, tuple[object, ...]] = {
    "minimum_fan": tuple(range(POINTS_MAX + 1)),
    "base_points": (8, *(points for points in range(POINTS_MAX + 1) if points != 8)),
    "live_tiles": (120, TILES),
    "chow_from": ("before", "any"),
}
"""By the rules DZ-21, DZ-40, DZ-6 and DZ-9."""


def whole(rules: Ruleset, name: str) -> int:
    """The value of an option that is a number."""
    value = rules.option(name)
    assert isinstance(value, int), (name, value)
    return value
