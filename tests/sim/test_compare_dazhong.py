"""大众 hands against an independent evaluator; `python -m tests.sim.compare_dazhong` compares more."""

from games.variants.dazhong.fan_table import FANS
from tests.sim.compare_dazhong import Comparison, compare, note
from tests.sim.dazhong.hands import hands

HANDS = 12_000
ROWS_WANTED = 8
"""Of that many hands; 200 of 200,000."""


def test_both_find_the_same_fans() -> None:
    """DZ-30, DZ-31: totals agree, but for DZ-32; names too, but where two readings are worth the same."""
    result = compare(20, HANDS)
    assert result.differences == []
    assert result.hands == HANDS
    assert result.rare_rows(ROWS_WANTED) == []
    assert result.mixed_kongs > 0
    assert sum(result.names.values()) < HANDS // 100


def test_a_difference_is_noticed() -> None:
    (hand,) = hands(1, 1)
    result = Comparison()
    note(result, hand, [(2, 1, "断幺")], [(2, 2, "断幺")])
    note(result, hand, [(2, 1, "断幺")], None)
    assert len(result.differences) == 2
    note(result, hand, [(2, 1, "断幺")], [(2, 1, "平和")])
    assert sum(result.names.values()) == 1
    note(result, hand, [(2, 1, "暗杠"), (1, 1, "明杠")], [(5, 1, "明暗杠")])
    assert len(result.differences) == 2
    assert len(result.rare_rows(1)) >= len(FANS) - 20
