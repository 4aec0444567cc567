"""`make test` gives a test that failed beside others one more run, and hides nothing by it."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tidy.tree import ROOT
from tests.whole import ONCE_MORE_MOST, deserve_another_run

_FIRST_TIME_ONLY = """
import pathlib

def test_once():
    been = pathlib.Path(__file__).with_suffix(".been")
    is_first = not been.exists()
    been.touch()
    assert not is_first, "beside others"

def test_good():
    pass
"""
_ALWAYS = "def test_always():\n    assert False, 'always'\n"
_RUN = "import sys; from tests.whole import run; sys.exit(run('suite'))"


def whole(folder: Path, files: dict[str, str]) -> tuple[int, str]:
    """Exit status and output of a run over a suite of these files."""
    suite = folder / "suite"
    suite.mkdir()
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --import-mode=importlib\n")
    for name, source in files.items():
        (suite / name).write_text(source)
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); {_RUN}"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return ran.returncode, ran.stdout


@pytest.mark.slow
def test_what_fails_beside_others_only_is_named_and_passes_alone(tmp_path: Path) -> None:
    status, said = whole(tmp_path, {"test_a.py": _FIRST_TIME_ONLY})
    assert status == 0
    assert "1 failed, 1 passed" in said, "the first run's failure is shown"
    assert "tests: 1 failed beside the others, and run once more, alone:\n  suite/test_a.py::test_once" in said
    assert "1 passed" in said.splitlines()[-1], "only what failed runs again"


@pytest.mark.slow
def test_what_fails_twice_fails_the_run(tmp_path: Path) -> None:
    status, said = whole(tmp_path, {"test_a.py": _FIRST_TIME_ONLY, "test_b.py": _ALWAYS})
    assert status == 1
    assert "1 failed, 1 passed" in said.splitlines()[-1]


@pytest.mark.slow
def test_a_file_that_cannot_be_read_fails_the_run_at_once(tmp_path: Path) -> None:
    status, said = whole(tmp_path, {"test_a.py": "import nothing_of_the_kind"})
    assert status not in {0, 5}
    assert "once more" not in said


@pytest.mark.parametrize(
    ("failed", "is_given"),
    [
        (["tests/faults/test_a.py::test_a"], True),
        ([f"tests/faults/test_a.py::test_{number}" for number in range(ONCE_MORE_MOST)], True),
        ([f"tests/faults/test_a.py::test_{number}" for number in range(ONCE_MORE_MOST + 1)], False),
        (["tests/faults/test_a.py::test_a", "tests/contract/test_a.py::test_a"], False),
        (["tests/sim/test_a.py::test_a"], False),
        (["tests/faults/test_a.py"], False),
        ([], False),
    ],
)
def test_only_few_failures_and_none_of_the_pure_rooms_are_given_another_run(failed: list[str], is_given: bool) -> None:
    assert deserve_another_run(failed) is is_given
