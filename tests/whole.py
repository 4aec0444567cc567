"""Every test, as `make test` runs them; the few that fail beside the others run once more, alone.

Why, and what this may not hide: `docs/decisions/tests-once-more.md`.
"""

import json
import os
import sys
from pathlib import Path

import pytest

ONCE_MORE_MOST = 3
"""Of so many failures the machine may be the cause; of more it is the tree."""
SAME_EVERY_TIME = ("tests/contract/", "tests/sim/")
"""Rooms of the rules, in which nothing is waited for but a process's end: what fails there fails again."""

_BESIDE_OTHERS = ("-n", "3", "--dist", "loadfile", "--no-loadscope-reorder")
_FAILED = Path(".pytest_cache/v/cache/lastfailed")


def run(folder: str) -> int:
    """All tests of a folder of the directory this is run in; returns what the run exits with, 0 if all passed.

    When few fail, the process becomes a run of those, with nothing beside them, and ends as that does.
    """
    code = pytest.main(["-q", "--cache-clear", *_BESIDE_OTHERS, folder])
    if code != pytest.ExitCode.TESTS_FAILED:
        return int(code)
    failed: list[str] = sorted(json.loads(_FAILED.read_text()))
    if not deserve_another_run(failed):
        return int(code)
    print(f"tests: {len(failed)} failed beside the others, and run once more, alone:", *failed, sep="\n  ", flush=True)
    os.execv(sys.executable, [sys.executable, "-m", "pytest", "-q", *failed])


def deserve_another_run(failed: list[str]) -> bool:
    """Whether a busy machine may be why these tests (node ids; a file that cannot be read is its path) failed."""
    return 0 < len(failed) <= ONCE_MORE_MOST and all(
        "::" in name and not name.startswith(SAME_EVERY_TIME) for name in failed
    )


if __name__ == "__main__":
    sys.exit(run("tests"))
