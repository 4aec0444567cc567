"""The named options of the pages: one function checks them, and each changes what a deal plays or pays (PF-2)."""

import json
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from games.catalog import variants_of
from games.kernel import OptionError
from games.mahjong.game import GAME
from games.mahjong.script import Arranged, play
from games.mahjong.tiles import parse
from games.mahjong.variant import Variant
from games.mahjong.wall import tiles_in_order
from services.matchmaker.app.rooms import RoomProblem, parse_room

CASES = Path(__file__).parent / "cases"
OPTIONS: Mapping[str, Mapping[str, tuple[object, ...]]] = {
    "bloody4": {"pass_locks_win": (False, True), "kong_transfer": ("last", "chain")},
    "bloody6": {"pass_locks_win": (False, True), "kong_transfer": ("last", "chain")},
    "shanghai": {"rob_pays": (1, 3), "bonus_legalises_plain": (True, False), "draw_doubling": ("once", "stack")},
    "dazhong": {
        "minimum_fan": (0, 8),
        "base_points": (8, 0),
        "live_tiles": (120, 144),
        "chow_from": ("before", "any"),
    },
}
"""The options of each page (BB-19, BB-33, SH-7, SH-10, SH-33, DZ-6, DZ-9, DZ-21, DZ-40): the default, another value."""

ABSURD: Mapping[str, tuple[object, ...]] = {
    "pass_locks_win": (1, "true", None),
    "kong_transfer": ("first", True, 1),
    "rob_pays": (2, "3", True, 1.0),
    "bonus_legalises_plain": (1, "no"),
    "draw_doubling": ("twice", 2),
    "minimum_fan": (-1, 101, "8", 1.5),
    "base_points": (-1, 101, True),
    "live_tiles": (119, 143, "all"),
    "chow_from": ("none", "across", 0),
}

SHOWN_BY = {
    ("bloody6", "pass_locks_win"): "own-bb6-deal-43",
    ("bloody6", "kong_transfer"): "own-bb6-deal-54",
    ("shanghai", "rob_pays"): "own-sh-deal-22",
    ("shanghai", "bonus_legalises_plain"): "own-sh-deal-26",
    ("shanghai", "draw_doubling"): "own-sh-deal-11",
    ("dazhong", "minimum_fan"): "own-dz-deal-09",
    ("dazhong", "base_points"): "own-dz-deal-10",
    ("dazhong", "chow_from"): "own-dz-deal-08",
}
"""A case that ends otherwise under another value; where none is named, some case of the variant does."""

EACH = [(variant, name) for variant, options in OPTIONS.items() for name in options]


def rows(variant: str) -> dict[str, dict[str, Any]]:
    """Deals of the case files that can be dealt, by id."""
    files = CASES.glob(f"*{variant}_deal.jsonl")
    found = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return {row["id"]: row for row in found if "error" not in row["expect"]}


def test_these_are_the_options_of_the_pages() -> None:
    found = {name: set(variant.options) for name, variant in variants_of(Variant).items()}
    assert found == {name: set(options) for name, options in OPTIONS.items()}
    for variant, name in EACH:
        values = OPTIONS[variant][name]
        assert variants_of(Variant)[variant].ruleset({}, 1).option(name) == values[0]


@pytest.mark.parametrize(("variant", "name"), EACH)
def test_an_absurd_value_is_refused_with_the_options_name(variant: str, name: str) -> None:
    """By the rules, and by the rooms through them."""
    for value in ABSURD[name]:
        with pytest.raises(OptionError) as refused:
            variants_of(Variant)[variant].ruleset({name: value}, 1)
        assert refused.value.field == name
        row = {"name": "room", "variant": variant, "asset": "coins", "stake": 1, "least_balance": 1}
        with pytest.raises(RoomProblem) as problem:
            parse_room("a-room", {**row, "options": {name: value}})
        assert problem.value.field == name


def result(row: Mapping[str, Any], name: str, value: object) -> object:
    """How a case ends with one option changed."""
    options = {**row.get("options", {}), name: value}
    stake = options.pop("stake", 1)
    penalty = options.pop("escape_penalty", 0)
    rules = variants_of(Variant)[row["variant"]].ruleset(options, stake, penalty)
    arranged = Arranged(
        row["dealer"],
        tuple(map(parse, row["hands"])),
        parse(row["draws"]),
        parse(row.get("replacements", "")),
        int(row.get("doubled", 0)),
    )
    return play(rules, arranged, row["actions"]).result(row["balances"])


@pytest.mark.parametrize(("variant", "name"), [pair for pair in EACH if pair != ("dazhong", "live_tiles")])
def test_an_option_changes_what_a_deal_plays_or_pays(variant: str, name: str) -> None:
    found = rows(variant)
    shown = SHOWN_BY.get((variant, name))
    chosen = [found[shown]] if shown in found else list(found.values())
    one, other = OPTIONS[variant][name]
    differing = [row["id"] for row in chosen if result(row, name, one) != result(row, name, other)]
    assert differing


def test_live_tiles_says_how_many_leave_the_wall_dz_6() -> None:
    left = {}
    for live_tiles in (120, 144):
        rules = variants_of(Variant)["dazhong"].ruleset({"live_tiles": live_tiles}, 1)
        wall = list(tiles_in_order(rules))
        Random(1).shuffle(wall)
        state = GAME.initial(rules, 0)
        for event in GAME.open(state, tuple(wall), (1,) * GAME.dice_count(rules)):
            state = GAME.evolve(state, event)
        left[live_tiles] = state.left
    assert left == {120: 120, 144: 144}
