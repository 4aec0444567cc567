"""A sixth variant of a known family is one new folder: a small one is dropped in, and nothing else is touched."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # processes of their own that import everything

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "sixth"
CASES: list[dict[str, object]] = [
    {
        "id": "sixth-score",
        "kind": "score",
        "variant": "sixth",
        "options": {"stake": 3, "pungs_pay": 2},
        "hand": "111p333s9s",
        "melds": [],
        "win": "9s",
        "by": "discard",
        "expect": {"win": True, "fan": 1, "names": {"对子胡": 1}, "amount": 6},
    },
    {
        "id": "sixth-waits",
        "kind": "waits",
        "variant": "sixth",
        "hand": "46p123s99s",
        "melds": [],
        "expect": {"waits": {"5p": {"discard": 1, "self": 1}}},
    },
    {
        "id": "sixth-deal",
        "kind": "deal",
        "variant": "sixth",
        "dealer": 0,
        "hands": ["1258p258s5p", "46p123s99s", "1379p147s", "1379p147s"],
        "draws": "2s3s",
        "balances": [10, 10, 10, 0],
        "actions": ["0 discard 5p", "1 win"],
        "expect": {
            "moves": [[2, 1, 1, 1, "win"], [3, 1, 1, 0, "win"], [0, 1, 1, 1, "win"]],
            "balances": [9, 12, 9, 0],
            "next_dealer": 1,
            "winners": [1],
        },
    },
]


@pytest.fixture
def dropped_in(tmp_path: Path) -> Mapping[str, str]:
    """The environment of a process whose import path holds one more variant."""
    shutil.copytree(FOLDER, tmp_path / "games" / "variants" / "sixth", ignore=shutil.ignore_patterns("__pycache__"))
    path = [str(tmp_path), str(ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


def run(environment: Mapping[str, str], *arguments: str) -> str:
    """What a Python says; fails with it unless all went well."""
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=ROOT,
        env=dict(environment),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def test_the_contract_suite_runs_on_it(dropped_in: Mapping[str, str]) -> None:
    """Laws, options, golden hands and playthroughs, the catalogue."""
    suite = [f"tests/contract/{name}.py" for name in ("test_laws", "test_golden", "test_catalog")]
    said = run(
        dropped_in,
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-rA",
        "-k",
        "sixth or 46p123s99s or every_variant",
        *suite,
    )
    for test in (
        "laws_hold_on_seeded_deals[policy-sixth]",
        "legal_is_what_decide_accepts[sixth]",
        "sixth_won_on",
        "46p123s99s waits",
    ):
        assert re.search("PASSED .*" + re.escape(test), said), test


def test_a_table_and_the_scoring_service_play_it(dropped_in: Mapping[str, str]) -> None:
    said = run(dropped_in, "pytest", "-q", "-p", "no:cacheprovider", "tests/services/table/sixth_dropped_in.py")
    assert "2 passed" in said


def test_the_case_command_answers_for_it(dropped_in: Mapping[str, str], tmp_path: Path) -> None:
    file = tmp_path / "sixth.jsonl"
    file.write_text("\n".join(map(json.dumps, CASES)), encoding="utf-8")
    assert "3 passed, 0 failed" in run(dropped_in, "clients.cli.main", "cases", "--variant", "sixth", str(file))


def test_its_rules_page_defines_what_it_cites() -> None:
    """Code, golden texts and refusals cite rules of its own page."""
    sources = [path for path in FOLDER.rglob("*") if path.suffix in (".py", ".txt")]
    cited = {rule for path in sources for rule in re.findall(r"\bSX-\d+\b", path.read_text(encoding="utf-8"))}
    page = (FOLDER / "rules.md").read_text(encoding="utf-8")
    assert cited == set(re.findall(r"^- (SX-\d+)", page, re.MULTILINE))
