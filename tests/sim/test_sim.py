"""The simulation: a few deals in seconds, a thousand by the command that a developer runs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sim.clauses import NOT_HERE, ROWS
from tests.sim.report import EVENT_KINDS, REASONS, report, zeros
from tests.sim.run import deals_of, main, show, simulate
from tests.sim.watch import Tally

ROOT = Path(__file__).parents[2]
RULES_PAGE = ROOT / "games" / "variants" / "bloody" / "rules.md"


@pytest.mark.fast
def test_laws_and_rules_hold_on_a_few_deals() -> None:
    tally = simulate(1, deals_of(4)[:4])
    assert tally.deals == 4
    assert tally.tried > 1000


@pytest.mark.fast
def test_the_same_seed_plays_the_same_deals() -> None:
    deals = deals_of(2)[1:2]
    assert simulate(7, deals) == simulate(7, deals)
    assert simulate(7, deals) != simulate(8, deals)


@pytest.mark.fast
def test_every_rule_has_a_row_or_a_reason_why_not() -> None:
    """A rule that is added to the page is missing here until somebody says what exercises it."""
    written = set(re.findall(r"^- (BB-\d+)", RULES_PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    covered = {row.rule for row in ROWS if row.rule.startswith("BB-")}
    assert not covered & set(NOT_HERE)
    assert written == covered | set(NOT_HERE)
    assert len({(row.rule, row.facet) for row in ROWS}) == len(ROWS)


@pytest.mark.fast
def test_a_zero_is_named() -> None:
    everything = len(EVENT_KINDS) + len(REASONS) + len(ROWS)
    assert len(zeros(Tally())) == everything
    tally = simulate(1, deals_of(1)[:1])
    named = zeros(tally)
    assert 0 < len(named) < everything
    assert "event Drawn" not in named
    assert sum(line.strip().startswith("0 ") for line in report(tally)) == len(named)


@pytest.mark.fast
def test_a_deal_is_shown_move_by_move() -> None:
    lines = list(show(1, "0", 1))
    assert any(" draws " in line for line in lines)
    assert any("the deal ends" in line for line in lines)


@pytest.mark.fast
def test_a_run_in_which_something_never_happened_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seed", "1", "--deals", "1", "--jobs", "1", "--shuffled-only"]) == 1
    assert "never came to pass" in capsys.readouterr().err


def test_a_thousand_deals() -> None:
    """All laws and rules hold, and nothing that can happen never happened: the command's own verdict."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.sim.run", "--seed", "1", "--deals", "1000"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    print(done.stdout)
    assert done.returncode == 0, done.stderr[-4000:]
    assert "every law and rule held" in done.stdout
