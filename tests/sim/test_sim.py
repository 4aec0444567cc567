"""The simulation: a few deals in seconds, two thousand of each variant by the command that a developer runs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sim.clauses.of import CLAUSES
from tests.sim.report import event_kinds, reasons, report, zeros
from tests.sim.run import deals_of, main, show, simulate
from tests.sim.watch import Tally

ROOT = Path(__file__).parents[2]
RULES_PAGES = {"bloody4": "bloody", "bloody6": "bloody", "shanghai": "shanghai", "dazhong": "dazhong"}
PREFIX = {"bloody": "BB", "shanghai": "SH", "dazhong": "DZ"}
SHUFFLED = {"bloody4": 60, "bloody6": 60, "shanghai": 24, "dazhong": 24}
"""Shuffled deals that are played here, beside every arranged one."""

each_variant = pytest.mark.parametrize("variant_id", sorted(CLAUSES))


@pytest.mark.fast
@each_variant
def test_laws_and_rules_hold_on_a_few_deals(variant_id: str) -> None:
    tally = simulate(1, deals_of(variant_id, 2)[:2])
    assert tally.deals == 2
    assert tally.tried > 100


@pytest.mark.fast
def test_the_same_seed_plays_the_same_deals() -> None:
    deals = deals_of("bloody4", 2)[1:2]
    assert simulate(7, deals) == simulate(7, deals)
    assert simulate(7, deals) != simulate(8, deals)


@pytest.mark.fast
@each_variant
def test_every_rule_has_a_row_or_a_reason_why_not(variant_id: str) -> None:
    """A rule that is added to the page is missing here until somebody says what exercises it."""
    folder = RULES_PAGES[variant_id]
    page = (ROOT / "games" / "variants" / folder / "rules.md").read_text(encoding="utf-8")
    written = set(re.findall(rf"^- ({PREFIX[folder]}-\d+)", page, re.MULTILINE))
    clauses = CLAUSES[variant_id]
    covered = {row.rule for row in clauses.rows if row.rule.startswith(PREFIX[folder])}
    assert not covered & set(clauses.not_here)
    assert written == covered | set(clauses.not_here)
    assert len({(row.rule, row.facet) for row in clauses.rows}) == len(clauses.rows)


@pytest.mark.fast
def test_a_zero_is_named() -> None:
    everything = len(event_kinds("bloody4")) + len(reasons("bloody4")) + len(CLAUSES["bloody4"].rows)
    assert len(zeros("bloody4", Tally())) == everything
    tally = simulate(1, deals_of("bloody4", 1)[:1])
    named = zeros("bloody4", tally)
    assert 0 < len(named) < everything
    assert "event Drawn" not in named
    assert sum(line.strip().startswith("0 ") for line in report("bloody4", tally)) == len(named)


@pytest.mark.fast
def test_a_deal_is_shown_move_by_move() -> None:
    lines = list(show(1, "bloody4", "0", 1))
    assert any(" draws " in line for line in lines)
    assert any("the deal ends" in line for line in lines)


@pytest.mark.fast
def test_a_run_in_which_something_never_happened_fails(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--variant", "bloody4", "--seed", "1", "--deals", "1", "--jobs", "1", "--shuffled-only"]
    assert main(arguments) == 1
    assert "never came to pass" in capsys.readouterr().err


@each_variant
def test_every_event_refusal_and_rule_comes_to_pass(variant_id: str) -> None:
    """All laws and rules hold, and nothing that can happen never happened: the command's own verdict.

    `make sim` plays 1,000 deals by the policy and 1,000 uniform ones of each variant; here are fewer, and all arranged.
    """
    done = subprocess.run(
        [sys.executable, "-m", "tests.sim.run", "--variant", variant_id, "--deals", str(SHUFFLED[variant_id])],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    print(done.stdout)
    assert done.returncode == 0, done.stderr[-4000:]
    assert "every law and rule held" in done.stdout
