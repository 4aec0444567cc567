"""Faults are planted one by one, and each must be found; a fault that survives fails."""

from collections import Counter

import pytest

from tests.sim import faults, variant_faults
from tests.sim.clauses.of import CLAUSES
from tests.sim.planting import Fault, NoLongerFits, planted

LEAKS = (*faults.LEAKS, *variant_faults.LEAKS)
BROKEN_RULES = (*faults.BROKEN_RULES, *variant_faults.BROKEN_RULES)


def _name(fault: Fault) -> str:
    return f"{fault.variant}: {fault.name}"


@pytest.mark.parametrize("variant_id", sorted(CLAUSES))
def test_nothing_is_found_where_no_fault_is_planted(variant_id: str) -> None:
    with planted(None) as hunt:
        assert hunt.by_golden_texts(variant_id) == ""
        assert hunt.by_watching(variant_id, arranged=12) == ""


@pytest.mark.parametrize("fault", LEAKS, ids=_name)
def test_a_planted_leak_is_found(fault: Fault) -> None:
    """PF-40: laws and referee find it; golden texts show the table and not what a seat sees."""
    with planted(fault) as hunt:
        found = hunt.by_watching(fault.variant, fault.first)
    assert found, f"survived: {fault.name}"


@pytest.mark.parametrize("fault", BROKEN_RULES, ids=_name)
def test_a_planted_broken_rule_is_found(fault: Fault) -> None:
    """Both by the golden texts and by watching deals, so that either alone would do."""
    with planted(fault) as hunt:
        told = hunt.by_golden_texts(fault.variant)
        found = hunt.by_watching(fault.variant, told.split(":")[0])
    assert found, f"survived the laws and the referee: {fault.name}"
    assert told, f"survived the golden texts: {fault.name}"


def test_every_variant_has_faults_of_its_own() -> None:
    assert len(faults.LEAKS) >= 10
    broken, leaks = (Counter(fault.variant for fault in kind) for kind in (BROKEN_RULES, LEAKS))
    assert set(broken) == set(leaks) == set(CLAUSES)
    assert min(broken[name] for name in ("bloody4", "bloody6", "shanghai")) >= 10
    assert len({_name(fault) for fault in (*LEAKS, *BROKEN_RULES)}) == len(LEAKS) + len(BROKEN_RULES)


def test_a_fault_that_no_longer_fits_its_source_says_so() -> None:
    with pytest.raises(NoLongerFits), planted(Fault("nothing", "games.mahjong.views", "no such text", "")):
        pass
