"""The measurement of sizes: which figures it makes of what the processes used."""

import pytest

from bench.sizes import FIGURES, NAMES, OF_A_TABLE, PROCESSES, Use, rows

pytestmark = pytest.mark.fast


def test_what_a_deal_costs_is_what_was_used_beyond_idling() -> None:
    use = Use(idle_cpu=0.5, busy_cpu=5.0, held_bytes=3 * 2**20)  # idle for five seconds: a tenth of a core
    made = {row.name: row.value for row in rows(dict.fromkeys(PROCESSES, use), deals=40, moves=1_000, seconds=10.0)}
    assert set(made) == set(NAMES) - {OF_A_TABLE}
    assert [made[f"{figure}_ledger_redis"] for figure in FIGURES] == pytest.approx([100.0, 100.0, 3.0])


def test_a_process_that_idles_costs_nothing() -> None:
    made = rows({"scoring": Use(idle_cpu=1.0, busy_cpu=1.0, held_bytes=0)}, deals=1, moves=1, seconds=10.0)
    assert made[0].value == 0.0
