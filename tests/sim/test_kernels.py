"""The hot rules run compiled where they can be, and as plain Python; one suite holds for both."""

import os
import subprocess
import sys

import pytest

from deploy.build.compiled import compiler, has_headers
from deploy.build.compiled_finder import PLAIN
from games.catalog import compiled_modules
from tests.tidy.tree import ROOT

SUITE = ("tests/contract/test_dazhong_hands.py", "tests/contract/test_dazhong_table.py")
CASES = ("tests/contract/test_cases.py", "tests/contract/test_golden.py")

NAMED = "(dazhong or golden) and not wire"
"""What the plain rules could make wrong; the wire is the same for both."""


def python(*arguments: str, plain: bool) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**environment, PLAIN: "1" if plain else ""},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_compiled_rules_and_the_plain_ones_give_the_same_answers() -> None:
    """DZ-30, DZ-33: 6,000 hands by chance, their waits, and as many hands with a wrong tile."""
    asked = ("-m", "tests.sim.kernels", "--hands", "6000")
    as_set_up, plain = (python(*asked, plain=each).stdout.split() for each in (False, True))
    assert plain[0] == "plain"
    assert as_set_up == ["compiled" if compiled_modules() else "plain", plain[1]]


def test_the_same_suite_holds_for_the_plain_rules() -> None:
    """The contract tests of dazhong once more, in a process that leaves the compiled rules aside."""
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", *SUITE, *CASES, "-k", NAMED, plain=True)
    assert done.returncode == 0, done.stdout[-3000:]


def test_how_the_rules_run_is_what_this_machine_allows(capsys: pytest.CaptureFixture[str]) -> None:
    """`make setup` compiles where there is a compiler; what it built is in use in the tree it was built from."""
    can = bool(compiler()) and has_headers()
    set_up_here = (ROOT / ".venv").exists() and (ROOT / ".venv").samefile(sys.prefix)
    if set_up_here and not os.environ.get(PLAIN):
        assert bool(compiled_modules()) == can
    with capsys.disabled():
        print(f"\nthe rules of dazhong run {'compiled' if compiled_modules() else 'as plain Python'}")
