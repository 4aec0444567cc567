"""The policy bot is worth something."""

import pytest

from tests.sim.strength import Record, contest


def _stronger(record: Record) -> bool:
    return record.won > record.others_won and record.balance > 0


def test_the_policy_bot_wins_more_than_three_random_ones_in_a_few_deals() -> None:
    record = contest(seed=3, deal_count=60)
    assert _stronger(record), str(record)


def test_the_policy_bot_wins_more_than_three_random_ones_in_a_thousand_deals(
    capsys: pytest.CaptureFixture[str],
) -> None:
    record = contest(seed=1, deal_count=1000)
    with capsys.disabled():
        print(f"\n{record}")
    assert record.deals == 1000
    assert _stronger(record), str(record)
