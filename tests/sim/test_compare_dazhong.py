"""200,000 大众 hands by chance, scored here and by an independent evaluator (DZ-32)."""

import os

import pytest

from deploy.build.reference import NotInstalled, installed
from games.variants.dazhong.fan_table import FANS
from tests.sim.compare_dazhong import PAIRS_WANTED, ROWS_WANTED, compare, report

HANDS, SEED = 200_000, 1


def why_not() -> str:
    """Why the evaluator is not to be had here; empty if it is."""
    try:
        installed()
    except NotInstalled as reason:
        return str(reason)
    return ""


def test_two_hundred_thousand_hands_are_worth_what_an_independent_evaluator_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every row at least 200 times, every pair that excludes at least 20; counts are printed."""
    missing = why_not()
    if missing:
        # A machine of a player or a reader need not have a compiler; one that vouches for a change must.
        assert not os.environ.get("CI"), f"the comparison with the independent evaluator cannot run: {missing}"
        with capsys.disabled():
            print(f"\nNOT RUN: the comparison of {HANDS} hands with an independent evaluator: {missing}")
        return
    result = compare(SEED, HANDS)
    with capsys.disabled():
        print("\n" + "\n".join(report(result)))
    assert result.hands == HANDS
    assert result.differences == []
    assert result.rare_rows(ROWS_WANTED) == []
    assert result.rare_pairs(PAIRS_WANTED) == []
    assert set(result.rows) == {fan.number for fan in FANS}
