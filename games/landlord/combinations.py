"""Combinations, what a set of cards can be read as, and which reading beats which (TY-21..24)."""

from dataclasses import dataclass
from enum import StrEnum

from games.landlord.cards import RANK_NAMES, Rank


class Kind(StrEnum):
    """What a play is (TY-21); the values are the names of the cases and the wire."""

    SINGLE = "single"
    PAIR = "pair"
    TRIPLE = "triple"
    TRIPLE_SINGLE = "triple_single"
    TRIPLE_PAIR = "triple_pair"
    STRAIGHT = "straight"
    PAIR_STRAIGHT = "pair_straight"
    TRIPLE_STRAIGHT = "triple_straight"
    PLANE_SINGLE = "plane_single"
    PLANE_PAIR = "plane_pair"
    FOUR_TWO = "four_two"
    FOUR_TWO_PAIRS = "four_two_pairs"
    BOMB = "bomb"
    ROCKET = "rocket"
    DEEP_BOMB = "deep_bomb"
    DEEP_ROCKET = "deep_rocket"


NAMES_ZH: dict[Kind, str] = {
    Kind.SINGLE: "单牌",
    Kind.PAIR: "对牌",
    Kind.TRIPLE: "三张牌",
    Kind.TRIPLE_SINGLE: "三带一",
    Kind.TRIPLE_PAIR: "三带一对",
    Kind.STRAIGHT: "单顺",
    Kind.PAIR_STRAIGHT: "双顺",
    Kind.TRIPLE_STRAIGHT: "三顺",
    Kind.PLANE_SINGLE: "飞机带单",
    Kind.PLANE_PAIR: "飞机带对",
    Kind.FOUR_TWO: "四带二单",
    Kind.FOUR_TWO_PAIRS: "四带二对",
    Kind.BOMB: "炸弹",
    Kind.ROCKET: "火箭",
    Kind.DEEP_BOMB: "深水炸弹",
    Kind.DEEP_ROCKET: "深水火箭",
}
assert set(NAMES_ZH) == set(Kind)

POWER: dict[Kind, int] = {Kind.BOMB: 1, Kind.ROCKET: 2, Kind.DEEP_BOMB: 3, Kind.DEEP_ROCKET: 4}
"""Kinds that beat all of lower power, whatever their number of cards (TY-22); any other kind has 0."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a set of cards.

    Attributes:
        kind: what it is.
        rank: what it is compared by: the rank of singles, groups and fours, the top of a run.
        count: cards in all.
    """

    kind: Kind
    rank: Rank
    count: int

    def __str__(self) -> str:
        return f"{self.kind} {RANK_NAMES[self.rank]}"

    @property
    def power(self) -> int:
        """Above 0 for bombs, rockets and the deep ones (TY-22)."""
        return POWER.get(self.kind, 0)

    def beats(self, last: "Reading") -> bool:
        """Whether it may follow the last play (TY-22)."""
        if self.power != last.power:
            return self.power > last.power
        return self.kind is last.kind and self.count == last.count and self.rank > last.rank

    def follows_kind(self, last: "Reading") -> bool:
        """Whether it is of the last play's kind and length, beaten or not (TY-24)."""
        return self.kind is last.kind and self.count == last.count


@dataclass(frozen=True, slots=True)
class KickerRule:
    """Which cards may go with a body as kickers, beyond what all readings of the rule share (TY-23).

    Attributes:
        equal_singles: whether single kickers may be of one rank.
        both_jokers: whether both jokers may be single kickers together.
    """

    equal_singles: bool
    both_jokers: bool
