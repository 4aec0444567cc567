"""大众 hands by chance, scored here and by an independent evaluator.

`python -m tests.sim.compare_dazhong --hands 200000` compares so many, prints what it saw and exits 1 if they differ.
Every difference has to be explained. One is: where the reference pays 明暗杠 5, the table pays 暗杠
and 明杠, 3 (DZ-32). Names are compared where totals agree and each side's choice is the only one.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from games.catalog import variant_of
from games.mahjong.hand import WinningHand
from games.mahjong.scoring import score_win
from games.mahjong.tiles import show
from games.variants.dazhong.fan_table import FANS, UNPAID_BESIDE
from games.variants.dazhong.scoring import judged
from tests.sim.dazhong.hands import hands
from tests.sim.dazhong.reference import Fan, Reference

MIXED_KONGS = "明暗杠"
ROWS_WANTED, PAIRS_WANTED = 200, 20
SHOWN_DIFFERENCES = 20
EXCLUDING = [
    (fan.number, other) for fan in FANS for other in range(1, len(FANS) + 1) if UNPAID_BESIDE[fan.number] >> other & 1
]
"""Pairs of numbers: the first row is paid, the second then is not."""


APART = {
    "大四喜": "三风刻 幺九刻",
    "大三元": "双箭刻 箭刻",
    "四杠": "三杠",
    "连七对": "单钓将",
    "十三幺": "单钓将",
    "小三元": "箭刻",
    "四暗刻": "三暗刻 双暗刻",
    "一色双龙会": "七对 一般高 老少副",
    "一色四同顺": "一色三同顺 一色三节高 一般高",
    "一色四节高": "一色三同顺 一色三节高",
    "一色四步高": "一色三步高 连六 老少副",
    "七对": "单钓将",
    "七星不靠": "单钓将",
    "一色三同顺": "一色三节高",
    "一色三节高": "一色三同顺",
    "三色双龙会": "喜相逢 老少副",
    "三同刻": "双同刻",
    "三暗刻": "双暗刻",
    "全不靠": "单钓将",
    "双暗杠": "暗杠",
    "双箭刻": "箭刻",
    "双明杠": "明杠",
}
"""What one reading never shows beside a fan, since it is a part of it under another name, or needs another reading.

A hand that is paid the first stands for the pair: the evaluator agrees that the second is not paid.
"""
_NUMBER = {fan.name_zh: fan.number for fan in FANS}
APART_FROM = {_NUMBER[one]: [_NUMBER[other] for other in others.split()] for one, others in APART.items()}


@dataclass
class Comparison:
    """What came of it.

    Attributes:
        hands: compared.
        rows: hands that each row is paid in, by number.
        pairs: hands in which the first row is paid and the second, shown too or apart from it, is not, by numbers.
        mixed_kongs: hands with the one known difference.
        names: hands of equal totals whose names differ.
        differences: unexplained, in words.
    """

    hands: int = 0
    rows: Counter[int] = field(default_factory=Counter)
    pairs: Counter[tuple[int, int]] = field(default_factory=Counter)
    mixed_kongs: int = 0
    names: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def rare_rows(self, wanted: int = ROWS_WANTED) -> list[str]:
        """Rows paid in fewer hands than wanted."""
        return [f"{fan.name_zh} {self.rows[fan.number]}" for fan in FANS if self.rows[fan.number] < wanted]

    def rare_pairs(self, wanted: int = PAIRS_WANTED) -> list[str]:
        """Pairs that exclude each other in fewer hands than wanted."""
        by_number = {fan.number: fan.name_zh for fan in FANS}
        return [
            f"{by_number[one]}-{by_number[other]} {self.pairs[one, other]}"
            for one, other in EXCLUDING
            if self.pairs[one, other] < wanted
        ]


def compare(seed: int, count: int) -> Comparison:
    """So many hands of a seed."""
    rules = variant_of("dazhong").ruleset({}, 1)
    result = Comparison()
    with Reference() as reference:
        for hand, theirs in reference.answers(hands(seed, count)):
            score = score_win(rules, hand)
            ours = None if score is None else [(fan.value // fan.times, fan.times, fan.name_zh) for fan in score.fans]
            note(result, hand, ours, theirs)
    return result


@cache
def seen_in(paid: int, shown: int) -> tuple[list[int], list[tuple[int, int]]]:
    """The rows that are paid, and the pairs of which the first is paid and the second is not, by numbers.

    Kept: the same sets of fans come again and again.
    """
    numbers = range(1, len(FANS) + 1)
    rows = [number for number in numbers if paid >> number & 1]
    pairs = [(row, other) for row in rows for other in APART_FROM.get(row, ())]
    pairs += [(row, other) for row in rows for other in numbers if shown & UNPAID_BESIDE[row] & 1 << other]
    return rows, pairs


def note(result: Comparison, hand: WinningHand, ours: list[Fan] | None, theirs: list[Fan] | None) -> None:
    """Compare one hand; None is no win."""
    result.hands += 1
    rows, pairs = seen_in(*judged(hand))
    result.rows.update(rows)
    result.pairs.update(pairs)
    if hand.flowers:
        result.rows[81] += 1
    if theirs is None or ours is None:
        result.differences.append(f"{text(hand)}: ours {ours}, theirs {theirs}")
        return
    known = [fan for fan in theirs if fan[2] == MIXED_KONGS]
    result.mixed_kongs += bool(known)
    told = [fan for fan in theirs if fan[2] != MIXED_KONGS]
    told += [(2, 1, "暗杠"), (1, 1, "明杠")] * len(known)
    if total(told) != total(ours):
        result.differences.append(f"{text(hand)}: ours {total(ours)} {ours}, theirs {total(told)} {theirs}")
    elif sorted(told) != sorted(ours):
        ours_only = "+".join(sorted(f"{name}*{times}" for _, times, name in set(ours) - set(told)))
        theirs_only = "+".join(sorted(f"{name}*{times}" for _, times, name in set(told) - set(ours)))
        result.names[f"{ours_only} | {theirs_only} | {text(hand)}"] += 1


def total(fans: list[Fan]) -> int:
    """The sum of fans."""
    return sum(value * times for value, times, _ in fans)


def text(hand: WinningHand) -> str:
    """A hand in a line."""
    melds = " ".join(map(str, hand.melds))
    winds = show([hand.seat_wind or 0]) + show([hand.round_wind or 0])
    situations = " ".join(sorted(hand.situations))
    return f"{show(hand.concealed)} {melds} + {show([hand.tile])} {hand.by} {winds} {show(hand.flowers)} {situations}"


def report(result: Comparison) -> Iterator[str]:
    """What was seen, in lines: every row, every pair that excludes, differences."""
    yield ", ".join(f"{fan.number} {fan.name_zh} {result.rows[fan.number]}" for fan in FANS)
    by_number = {fan.number: fan.name_zh for fan in FANS}
    for fan in FANS:
        others = [other for number, other in EXCLUDING if number == fan.number]
        if others:
            seen = ", ".join(f"{by_number[other]} {result.pairs[fan.number, other]}" for other in others)
            yield f"{fan.name_zh} excludes: {seen}"
    yield f"rows in fewer than {ROWS_WANTED} hands: {result.rare_rows()}"
    yield f"pairs that exclude in fewer than {PAIRS_WANTED} hands: {result.rare_pairs()}"
    yield f"hands with {MIXED_KONGS}, explained by DZ-32: {result.mixed_kongs}"
    yield f"equal totals under other names: {sum(result.names.values())}"
    for line, times in result.names.most_common(SHOWN_DIFFERENCES):
        yield f"  {times} {line}"
    yield from result.differences[:SHOWN_DIFFERENCES]
    yield f"{result.hands - len(result.differences)} equal, {len(result.differences)} different"


def main() -> int:
    """Compare, print the counts; 1 if a difference is unexplained."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    result = compare(chosen.seed, chosen.hands)
    print("\n".join(report(result)))
    return 1 if result.differences else 0


if __name__ == "__main__":
    sys.exit(main())
