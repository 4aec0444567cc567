"""What a 大众 hand is worth, which tiles complete it, and which hands cannot be (DZ-20..44)."""

from collections.abc import Callable, Mapping
from typing import Final

from games.mahjong.hand import FanScore, HandError, Score, Situation, WinBy, WinningHand
from games.mahjong.melds import Meld
from games.mahjong.ruleset import Ruleset
from games.mahjong.tiles import Tile
from games.variants.dazhong.fan_table import FAN_BY_ID, FANS
from games.variants.dazhong.fans import BY_SELF, KONG_REPLACEMENT, LAST_OF_KIND, LAST_TILE, ROBBED, WINDS, winds_key
from games.variants.dazhong.options import base_points, minimum_fan
from games.variants.dazhong.sets import TABLE_SIZE_MAX, copies, counts_of, melds_part
from games.variants.dazhong.waiting import kinds_of, waits_of
from games.variants.dazhong.worth import NO_TILE, Judge, times_of

_SITUATIONS: Final[Mapping[Situation, int]] = {
    Situation.LAST_TILE: LAST_TILE,
    Situation.KONG_REPLACEMENT: KONG_REPLACEMENT,
    Situation.LAST_OF_KIND: LAST_OF_KIND,
    Situation.FLOWER_REPLACEMENT: 0,
    Situation.HEAVENLY: 0,
    Situation.EARTHLY: 0,
}
"""What a situation is to the fans.

A flower's replacement is a plain self-draw (DZ-34), 天和 and 地和 pay nothing (DZ-35).
"""

SITUATIONS: Final = frozenset(_SITUATIONS)


def score(rules: Ruleset, hand: WinningHand) -> Score | None:
    """What the hand is worth; None if it has no winning shape or too few fan (DZ-21)."""
    total, paid, times = judge_of(hand).judge()
    if total < 0 or total < minimum_fan(rules):
        return None
    flowers = len(hand.flowers)
    total += flowers
    return _score(paid, times, flowers, total, (base_points(rules) + total) * rules.stake)


_SELF: Final = WinBy.SELF
_ROB: Final = WinBy.ROB


def judge_of(hand: WinningHand) -> Judge:
    """A hand before its readings are compared."""
    by, concealed, tile = hand.by, hand.concealed, hand.tile
    moment = BY_SELF if by is _SELF else ROBBED if by is _ROB else 0
    if hand.situations:
        for situation in hand.situations:
            moment |= _SITUATIONS[situation]
        if Situation.HEAVENLY in hand.situations:
            concealed, tile = (*concealed, tile), NO_TILE
    assert hand.seat_wind is not None and hand.round_wind is not None, hand
    return Judge(concealed, hand.melds, tile, moment, winds_key(hand.seat_wind, hand.round_wind))


def judged(hand: WinningHand) -> tuple[int, int]:
    """The fans paid in a hand, and all that its dearest reading shows, paid or not; flowers apart."""
    judge = judge_of(hand)
    judge.judge()
    return judge.paid, judge.shown


_FLOWER: Final = FAN_BY_ID["flower"]
_SCORES: Final[dict[tuple[int, int, int, int], Score]] = {}


def _score(paid: int, times: int, flowers: int, total: int, amount: int) -> Score:
    """The rows paid, in table order; what many hands come to is made once."""
    key = (paid, times, flowers, amount)
    found = _SCORES.get(key)
    if found is None:
        if len(_SCORES) >= TABLE_SIZE_MAX:
            _SCORES.clear()
        rows = [(fan, times_of(times, fan.number)) for fan in FANS if paid >> fan.number & 1]
        if flowers:
            rows.append((_FLOWER, flowers))
        fans = tuple(FanScore(fan.fan_id, fan.name_zh, fan.value * often, fan.number, often) for fan, often in rows)
        found = _SCORES[key] = Score(fans, total, amount)
    return found


def waits(rules: Ruleset, concealed: tuple[Tile, ...], melds: tuple[Meld, ...]) -> tuple[Tile, ...]:
    """Kinds that complete the hand in any shape, ascending; not those of which all four are one's own."""
    low, high = counts_of(concealed)
    found = waits_of(low, high, len(melds))
    if not found:
        return ()
    _, _, meld_low, meld_high, _ = melds_part(melds)
    kongs = {meld.tile for meld in melds if meld.is_kong}
    return tuple(
        tile
        for tile in kinds_of(found)
        if copies(low + meld_low, high + meld_high, tile) < COPIES and tile not in kongs
    )


COPIES: Final = 4


# --- what cannot be (DZ-44) ---------------------------------------------------------------------


def check_hand(rules: Ruleset, hand: WinningHand) -> None:
    """Raise HandError if there are no such winds, or the situations contradict the hand or each other."""
    for field, wind in (("seat_wind", hand.seat_wind), ("round_wind", hand.round_wind)):
        if wind not in WINDS:
            raise HandError(field, "DZ-13", "one of E, S, W, N")
    for situation in sorted(hand.situations) if hand.situations else ():
        problem = _PROBLEMS[situation](hand)
        if problem:
            raise HandError("situation", "DZ-44", f"{situation}: {problem}")
    if hand.by is WinBy.ROB and _own(hand):
        raise HandError("by", "DZ-44", "rob: the kong's owner holds the other three")


def _own(hand: WinningHand) -> bool:
    """Whether the hand or its melds hold another copy of the winning tile."""
    return hand.tile in hand.concealed or any(hand.tile in meld.tiles for meld in hand.melds)


def _no_problem(hand: WinningHand) -> str:
    return ""


def _last_of_kind_problem(hand: WinningHand) -> str:
    return "the hand holds another" if hand.tile in hand.concealed else ""


def _last_tile_problem(hand: WinningHand) -> str:
    return "no kong is declared then" if hand.by is WinBy.ROB else ""


def _kong_problem(hand: WinningHand) -> str:
    if Situation.FLOWER_REPLACEMENT in hand.situations:
        return "not with flower_replacement"
    if hand.by is not WinBy.SELF:
        return "only by self"
    return "" if any(meld.is_kong for meld in hand.melds) else "needs a kong"


def _flower_problem(hand: WinningHand) -> str:
    if hand.by is not WinBy.SELF:
        return "only by self"
    return "" if hand.flowers else "needs a flower"


BESIDE_HEAVENLY: Final = frozenset({Situation.HEAVENLY, Situation.FLOWER_REPLACEMENT, Situation.EARTHLY})
"""Situations that heavenly bears; earthly is never refused."""


def _heavenly_problem(hand: WinningHand) -> str:
    if hand.by is not WinBy.SELF:
        return "only by self"
    if hand.seat_wind != WINDS.start:
        return "only the dealer"
    if hand.melds:
        return "only before any meld"
    return "not with these situations" if hand.situations - BESIDE_HEAVENLY else ""


_PROBLEMS: Final[Mapping[Situation, Callable[[WinningHand], str]]] = {
    Situation.LAST_TILE: _last_tile_problem,
    Situation.KONG_REPLACEMENT: _kong_problem,
    Situation.LAST_OF_KIND: _last_of_kind_problem,
    Situation.FLOWER_REPLACEMENT: _flower_problem,
    Situation.HEAVENLY: _heavenly_problem,
    Situation.EARTHLY: _no_problem,
}
assert set(_PROBLEMS) == SITUATIONS
