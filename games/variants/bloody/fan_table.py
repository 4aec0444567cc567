"""The fan table of 血战 (BB-22): a row a fan, with what it adds for four and for six players."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fan:
    """A row of the table.

    Attributes:
        fan_id: stable id; detectors have the same.
        name_zh: name on the score sheet (BB-53).
        name_en: name in English.
        value: fan one occurrence adds, by number of players; absent where the game has it not.
        rule: the rule that says so.
    """

    fan_id: str
    name_zh: str
    name_en: str
    value: Mapping[int, int]
    rule: str = "BB-22"


FANS = (
    Fan("heavenly_win", "天胡", "Heavenly win", {4: 3, 6: 3}),
    Fan("earthly_win", "地胡", "Earthly win", {4: 2, 6: 3}),
    Fan("all_pungs", "对子胡", "All pungs", {4: 2, 6: 2}),
    Fan("full_flush", "清一色", "Full flush", {4: 2, 6: 2}),
    Fan("seven_pairs", "暗七对", "Seven pairs", {4: 2}),
    Fan("four_pairs", "暗四对", "Four pairs", {6: 2}),
    Fan("gui", "归", "Four alike", {4: 1, 6: 1}),
    Fan("win_on_replacement", "杠上开花", "Win on a kong's replacement", {4: 1, 6: 1}),
    Fan("robbing_the_kong", "抢杠胡", "Robbing the kong", {4: 1, 6: 1}),
    Fan("win_after_kong", "杠上炮", "Win on the discard after a kong", {4: 1, 6: 1}),
    Fan("last_tile_draw", "海底捞", "Last tile draw", {4: 1, 6: 1}),
    Fan("last_tile_discard", "海底炮", "Last tile discard", {4: 1, 6: 1}),
    Fan("ready_declaration", "报叫", "Ready declaration", {6: 1}, "BB-18"),
)
FAN_BY_ID = {fan.fan_id: fan for fan in FANS}
assert len(FAN_BY_ID) == len(FANS)


def fans_of(seat_count: int) -> tuple[Fan, ...]:
    """The rows of the game for this many players, in table order."""
    return tuple(fan for fan in FANS if seat_count in fan.value)
