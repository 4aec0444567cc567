"""Why a 血战 hand is worth what it is worth (BB-20..24)."""

from collections.abc import Callable, Mapping

from games.mahjong.explanation import (
    Basis,
    Explanation,
    Ground,
    Part,
    Shape,
    holding,
    meld_part,
    parts_of_pairs,
    parts_of_reading,
    winning_place,
    with_winner,
)
from games.mahjong.hand import Situation, WinningHand
from games.mahjong.ruleset import Ruleset
from games.mahjong.waits import COPIES
from games.variants.bloody.fan_table import FAN_BY_ID
from games.variants.bloody.fans import CountedReading, dearest, read

Places = tuple[int, ...]
Parts = tuple[Part, ...]


def _everything(parts: Parts) -> tuple[Places, ...]:
    return (tuple(range(len(parts))),)


def _sets(parts: Parts) -> tuple[Places, ...]:
    return (tuple(place for place, part in enumerate(parts) if part.is_set),)


def _four_alike(parts: Parts) -> tuple[Places, ...]:
    """The parts that hold each kind of which there are four."""
    held = [tile for part in parts for tile in part.tiles]
    return tuple(holding(parts, tile) for tile in sorted(set(held)) if held.count(tile) == COPIES)


_PARTS: Mapping[str, tuple[Basis, Callable[[Parts], tuple[Places, ...]]]] = {
    "all_pungs": (Basis.SETS, _sets),
    "full_flush": (Basis.TILES, _everything),
    "seven_pairs": (Basis.SHAPE, _everything),
    "four_pairs": (Basis.SHAPE, _everything),
    "gui": (Basis.TILES, _four_alike),
}
"""What a fan looks at, and the parts of each occurrence; every other looks at the moment."""


def explain(rules: Ruleset, hand: WinningHand) -> Explanation | None:
    """Why the hand is worth what `fans.score` says; None if it does not win."""
    found = read(rules, hand)
    if not found:
        return None
    chosen = dearest(found)
    parts = _parts(hand, chosen)
    if Situation.HEAVENLY not in hand.situations:
        parts = with_winner(parts, winning_place(parts, hand.tile))
    grounds = tuple(
        Ground(fan.fan_id, FAN_BY_ID[fan.fan_id].value[rules.seat_count], places, basis)
        for fan in chosen.fans
        for basis, places in _occurrences(rules, fan.fan_id, fan.value, parts)
    )
    return Explanation(
        shape=Shape.ALL_PAIRS if chosen.reading is None else Shape.SETS_AND_PAIR,
        parts=parts,
        grounds=grounds,
        qualifying=sum(ground.value for ground in grounds),
        reading_count=len(found),
    )


def _parts(hand: WinningHand, chosen: CountedReading) -> Parts:
    if chosen.reading is None:
        return (*map(meld_part, hand.melds), *parts_of_pairs((*hand.concealed, hand.tile)))
    return parts_of_reading(hand.melds, chosen.reading)


def _occurrences(rules: Ruleset, fan_id: str, value: int, parts: Parts) -> list[tuple[Basis, Places]]:
    if fan_id in _PARTS:
        basis, places_of = _PARTS[fan_id]
        return [(basis, places) for places in places_of(parts)]
    times = value // FAN_BY_ID[fan_id].value[rules.seat_count]
    return [(Basis.MOMENT, ())] * times
