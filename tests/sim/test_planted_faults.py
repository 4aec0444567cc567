"""Faults are planted one by one, and each must be found; a fault that survives fails."""

import pytest

from tests.sim.faults import BROKEN_RULES, LEAKS
from tests.sim.planting import Fault, NoLongerFits, planted


def test_nothing_is_found_where_no_fault_is_planted() -> None:
    with planted(None) as hunt:
        assert hunt.by_golden_texts() == ""
        assert hunt.by_watching() == ""


@pytest.mark.parametrize("fault", LEAKS, ids=lambda fault: fault.name)
def test_a_planted_leak_is_found(fault: Fault) -> None:
    """PF-40: laws and referee find it; golden texts show the table and not what a seat sees."""
    with planted(fault) as hunt:
        found = hunt.by_watching()
    assert found, f"survived: {fault.name}"


@pytest.mark.parametrize("fault", BROKEN_RULES, ids=lambda fault: fault.name)
def test_a_planted_broken_rule_is_found(fault: Fault) -> None:
    """Both by the golden texts and by watching deals, so that either alone would do."""
    with planted(fault) as hunt:
        told = hunt.by_golden_texts()
        found = hunt.by_watching(told.split(":")[0])
    assert found, f"survived the laws and the referee: {fault.name}"
    assert told, f"survived the golden texts: {fault.name}"


def test_there_are_ten_of_each() -> None:
    assert len(LEAKS) >= 10
    assert len(BROKEN_RULES) >= 10


def test_a_fault_that_no_longer_fits_its_source_says_so() -> None:
    with pytest.raises(NoLongerFits), planted(Fault("nothing", "games.mahjong.views", "no such text", "")):
        pass
