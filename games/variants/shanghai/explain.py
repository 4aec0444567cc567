"""Why a 上海 hand is worth what it is worth (SH-10..31)."""

from games.mahjong.decomposition import Reading
from games.mahjong.explanation import (
    Basis,
    Explanation,
    Ground,
    Part,
    PartKind,
    Principle,
    Shape,
    SumLine,
    Unpaid,
    meld_part,
    parts_of_reading,
    winning_place,
    with_winner,
)
from games.mahjong.hand import Situation, WinningHand
from games.mahjong.ruleset import Ruleset
from games.variants.shanghai.fan_table import KIND_BY_NUMBER
from games.variants.shanghai.fans import (
    ALL_PUNGS,
    BASE,
    BASIC_FACTOR,
    EARTHLY,
    FULL_PUNGS,
    HALF_PUNGS,
    HEAVENLY,
    HONOURS_PUNGS,
    REPLACEMENT,
    SINGLE_WAIT,
    CountedHand,
    count_hand,
    kinds_held,
    lezi_amount,
    sum_items,
)

PUNG_KINDS = frozenset({HONOURS_PUNGS, FULL_PUNGS, HALF_PUNGS, ALL_PUNGS})
"""Kinds for which the reading is one of pungs."""
MOMENTS = frozenset({HEAVENLY, EARTHLY, REPLACEMENT})
BONUSES = frozenset({REPLACEMENT, SINGLE_WAIT})
HIGHEST_ALONE = "SH-14"
BONUS_FOR_PLAIN = "SH-13"
"""Where 杠开 and 大吊车 alone are paid: the hand below them is worth one lezi whatever else it shows."""


def explain(rules: Ruleset, hand: WinningHand) -> Explanation | None:
    """Why the hand is worth what `fans.score` says; None if it may not win."""
    counted = count_hand(rules, hand)
    if counted is None:
        return None
    reading = _reading(counted)
    if reading is not None:
        parts = parts_of_reading(hand.melds, reading)
    else:
        singles = Part(PartKind.SINGLES, tuple(sorted((*hand.concealed, hand.tile))))
        parts = (*map(meld_part, hand.melds), singles)
    if Situation.HEAVENLY not in hand.situations:
        parts = with_winner(parts, winning_place(parts, hand.tile))
    way = counted.way
    by = tuple(KIND_BY_NUMBER[number].kind_id for number in way.kinds)
    rule = BONUS_FOR_PLAIN if BONUSES.issuperset(way.kinds) else HIGHEST_ALONE
    unpaid = tuple(
        Unpaid(
            KIND_BY_NUMBER[number].kind_id,
            KIND_BY_NUMBER[number].lezi,
            _places(number, parts),
            by,
            Principle.HIGHEST_ALONE,
            rule,
        )
        for number in kinds_held(rules, hand, counted.shapes)
        if number not in way.kinds
    )
    basic = counted.base_sum * BASIC_FACTOR * rules.stake
    return Explanation(
        shape=Shape.SETS_AND_PAIR if reading is not None else Shape.NO_SHAPE,
        parts=parts,
        grounds=tuple(_ground(number, parts) for number in way.kinds),
        unpaid=unpaid,
        qualifying=way.lezi,
        reading_count=max(len(counted.shapes), 1),
        sums=_sums(hand, counted, parts),
        capped=way.lezi == 0 and basic > lezi_amount(rules),
    )


def _reading(counted: CountedHand) -> Reading | None:
    """The reading the kinds look at: one of pungs where they ask for pungs, else the first."""
    if not counted.shapes:
        return None
    if PUNG_KINDS.intersection(counted.way.kinds):
        return next(shape for shape in counted.shapes if not shape.runs)
    return counted.shapes[0]


def _ground(number: int, parts: tuple[Part, ...]) -> Ground:
    kind = KIND_BY_NUMBER[number]
    basis = Basis.MOMENT if number in MOMENTS else Basis.SETS if number in PUNG_KINDS else Basis.TILES
    return Ground(kind.kind_id, kind.lezi, _places(number, parts), basis)


def _places(number: int, parts: tuple[Part, ...]) -> tuple[int, ...]:
    if number in MOMENTS:
        return ()
    if number in PUNG_KINDS:
        return tuple(place for place, part in enumerate(parts) if part.is_set)
    return tuple(range(len(parts)))


def _sums(hand: WinningHand, counted: CountedHand, parts: tuple[Part, ...]) -> tuple[SumLine, ...]:
    """How the base sum comes about (SH-20)."""
    lines = [SumLine(BASE, None, "base")]
    for points, what, tile in sum_items(hand, counted.shapes[0] if counted.shapes else None):
        place = next((place for place, part in enumerate(parts) if part.kind.value == what and part.tile == tile), None)
        lines.append(SumLine(points, place, what))
    return tuple(lines)
