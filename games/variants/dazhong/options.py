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


MINIMUM_FAN, BASE_POINTS = map(list(OPTIONS).index, ("minimum_fan", "base_points"))
"""Where a ruleset keeps them: it has all options in this order."""


def minimum_fan(rules: Ruleset) -> int:
    """Fan that a hand must have, flowers apart (DZ-21)."""
    return _whole(rules.options[MINIMUM_FAN][1])


def base_points(rules: Ruleset) -> int:
    """Points that every payer adds (DZ-40)."""
    return _whole(rules.options[BASE_POINTS][1])


def _whole(value: object) -> int:
    assert isinstance(value, int), value
    return value
