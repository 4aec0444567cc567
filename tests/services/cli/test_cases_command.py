"""`cardroom cases` as a person runs it: what it prints, and its exit status."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from clients.cli.main import cardroom

CASES = Path(__file__).parents[2] / "contract" / "cases"
DEAL = json.loads((CASES / "own_bloody4_deal.jsonl").read_text("utf-8").splitlines()[0])
CARDS = {"id": "c", "kind": "cards", "variant": "tingyong", "cards": "S4 H4", "expect": {"readings": []}}
SCORE = json.loads((CASES / "own_bloody4_score.jsonl").read_text("utf-8").splitlines()[9])


def run(*arguments: object) -> Result:
    """The command in this process."""
    return CliRunner().invoke(cardroom, [str(argument) for argument in arguments])


def written(directory: Path, *rows: Any, name: str = "some.jsonl") -> Path:
    """A file of cases; a string stands for itself."""
    file = directory / name
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    file.write_text("\n".join(lines) + "\n", "utf-8")
    return file


def test_hands_and_deals_pass_in_a_process_of_its_own_with_nothing_else_running(tmp_path: Path) -> None:
    """The whole way: a service started on loopback for the hands, the rules for the deals, from any directory."""
    files = (CASES / "own_bloody4_score.jsonl", CASES / "bloody4_deal.jsonl", CASES / "bloody4_waits.jsonl")
    count = sum(len(file.read_text("utf-8").splitlines()) for file in files)
    done = subprocess.run(
        [sys.executable, "-m", "clients.cli.main", "cases", "--variant", "bloody4", *map(str, files)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=tmp_path,
        env=_environment(),
    )
    assert done.stdout == f"{count} passed, 0 failed\n", done.stderr
    assert (done.returncode, done.stderr) == (0, "")


def _environment() -> dict[str, str]:
    """A running cardroom's settings are in the environment; the command must not heed them."""
    root = Path(__file__).parents[3]
    paths = [str(root), *(path for path in sys.path if path)]
    return {"PATH": "", "PYTHONPATH": ":".join(paths), "CARDROOM_GRPC_PORT": "7103", "CARDROOM_JWKS_FILE": "none.json"}


def test_a_case_that_differs_is_shown_and_fails(tmp_path: Path) -> None:
    wrong = DEAL | {"id": "wrong-dealer", "expect": DEAL["expect"] | {"next_dealer": 0}}
    result = run("cases", written(tmp_path, DEAL, wrong))
    assert result.exit_code == 1
    assert "wrong-dealer (" in result.output
    assert "some.jsonl:2) differs in next_dealer" in result.output
    assert result.output.splitlines()[-1] == "1 passed, 1 failed"


def test_only_what_is_expected_is_compared(tmp_path: Path) -> None:
    result = run("cases", written(tmp_path, DEAL | {"expect": {"winners": DEAL["expect"]["winners"]}}))
    assert (result.exit_code, result.output) == (0, "1 passed, 0 failed\n")


def test_any_words_do_for_the_reason_of_a_refusal(tmp_path: Path) -> None:
    refused = DEAL | {"actions": ["0 win"], "expect": {"illegal": 0, "reason": "words"}}
    assert run("cases", written(tmp_path, refused)).exit_code == 0
    elsewhere = refused | {"expect": {"illegal": 1, "reason": "words"}}
    assert run("cases", written(tmp_path, elsewhere)).exit_code == 1


def test_print_gives_every_answer_in_order_and_no_verdict(tmp_path: Path) -> None:
    """Status 0, though one of them differs, one cannot be and one is not built."""
    rows = (
        DEAL | {"expect": {"winners": [0]}},
        SCORE,
        DEAL | {"id": "refused", "actions": ["0 win"]},
        DEAL | {"id": "five", "draws": "1p1p1p1p1p"},
        DEAL | {"id": "later", "variant": "guobiao"},
    )
    result = run("cases", "--print", written(tmp_path, *rows))
    got = [json.loads(line) for line in result.output.splitlines()]
    assert result.exit_code == 0
    assert [row["id"] for row in got] == [DEAL["id"], SCORE["id"], "refused", "five", "later"]
    assert got[0]["got"] == DEAL["expect"]
    assert got[1]["got"] == SCORE["expect"]
    assert got[2]["got"].keys() == {"illegal", "reason"}
    assert got[2]["got"]["illegal"] == 0
    assert got[3]["got"] == {"error": "INVALID_ARGUMENT"}
    assert got[4]["got"] == {"error": "UNIMPLEMENTED"}


@pytest.mark.parametrize(
    "change",
    [
        {"variant": "guobiao"},
        {"variant": "guobiao", "expect": {"error": "INVALID_ARGUMENT"}},
        {"kind": "cards", "cards": "S4 H4 *"},
    ],
    ids=["a variant", "a variant where a refusal is expected", "a kind"],
)
def test_what_is_not_built_fails_and_does_not_crash(tmp_path: Path, change: dict[str, Any]) -> None:
    result = run("cases", written(tmp_path, DEAL | change))
    assert result.exit_code == 1
    assert result.output.endswith("0 passed, 1 failed\n")


def test_variant_chooses(tmp_path: Path) -> None:
    file = written(tmp_path, DEAL, DEAL | {"id": "other", "variant": "guobiao"})
    assert run("cases", "--variant", "bloody4", file).output == "1 passed, 0 failed\n"
    assert run("cases", "--variant", "guobiao", file).output.endswith("0 passed, 1 failed\n")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{not json", "no JSON"),
        ("[1, 2]", "a case is a JSON object"),
        ({"kind": "deal", "variant": "bloody4"}, "id is missing"),
        ({"id": "x", "kind": "score", "variant": 4}, "variant is missing, or no string"),
        ({name: value for name, value in DEAL.items() if name != "expect"}, "expect is missing"),
    ],
)
def test_a_line_that_is_no_case_is_named_with_its_place(tmp_path: Path, line: Any, words: str) -> None:
    result = run("cases", written(tmp_path, DEAL, "", line))
    assert result.exit_code == 2
    assert "some.jsonl:3: " in result.output
    assert words in result.output


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({name: value for name, value in DEAL.items() if name != "hands"}, "hands is missing"),
        ({name: value for name, value in SCORE.items() if name != "win"}, "win is missing"),
        (DEAL | {"hands": "123p"}, "hands is not a list of strings"),
        (DEAL | {"actions": [1]}, "actions is not a list of strings"),
        (DEAL | {"dealer": True}, "dealer is not a whole number"),
        (DEAL | {"doubled": "twice"}, "doubled is neither"),
        (DEAL | {"doubled": -1}, "doubled is neither"),
        (DEAL | {"doubled": 2**62}, "doubled is neither"),
        (DEAL | {"balances": [1, 2, 3]}, "balances are 4 numbers"),
        (DEAL | {"balances": [1, 2, 3, -4]}, "balances are 4 numbers"),
        (DEAL | {"balances": [2**62, 2**62, 0, 0]}, "together below 2**63"),
        (DEAL | {"balances": [2**64 - 1, 0, 0, 0]}, "together below 2**63"),
        (DEAL | {"options": []}, "options is not an object"),
        (DEAL | {"options": None}, "options is not an object"),
        (CARDS | {"cards": ["S4"]}, "cards is not a string"),
        (CARDS | {"last": {"kind": "pair", "rank": "7", "count": -1}}, "last is a play"),
        (CARDS | {"last": {"kind": "pair", "rank": 7, "count": 2}}, "last is a play"),
        (CARDS | {"last": "pair"}, "last is a play"),
    ],
)
def test_a_case_that_cannot_be_is_answered_as_that_named_and_hides_no_other(
    tmp_path: Path, line: dict[str, Any], words: str
) -> None:
    right = line | {"id": "right", "expect": {"error": "INVALID_ARGUMENT"}}
    result = run("cases", written(tmp_path, line, right, DEAL))
    assert result.exit_code == 1
    assert "some.jsonl:1: " in result.stderr
    assert words in result.stderr
    assert result.stdout.endswith("2 passed, 1 failed\n")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    result = run("cases", tmp_path / "none.jsonl")
    assert result.exit_code == 2
    assert "none.jsonl" in result.output


@pytest.mark.parametrize(
    "change",
    [
        {"hands": ["123p", *DEAL["hands"][1:]]},
        {"hands": DEAL["hands"][:3]},
        {"dealer": 4},
        {"draws": "12x"},
        {"draws": "1m2m"},
        {"options": {"stake": 0}},
        {"options": {"stake": 1, "jokers": True}},
        {"actions": ["0 dance"]},
        {"actions": ["0 discard"]},
        {"actions": ["north discard 9s"]},
    ],
)
def test_what_cannot_be_dealt_or_read_is_an_invalid_argument(tmp_path: Path, change: dict[str, Any]) -> None:
    """BB-1, BB-2: an answer, not a crash."""
    result = run("cases", "--print", written(tmp_path, DEAL | change))
    assert json.loads(result.output)["got"] == {"error": "INVALID_ARGUMENT"}


def test_options_of_the_room_are_not_the_rules_business(tmp_path: Path) -> None:
    """PF-1: an escape costs nothing here whatever the room says (BB-60)."""
    options = DEAL["options"] | {"escape_penalty": 50, "claim_timing": "fixed"}
    assert run("cases", written(tmp_path, DEAL | {"options": options})).exit_code == 0


@pytest.mark.parametrize("arguments", [["--help"], ["cases", "--help"], ["token", "--help"], ["keys", "--help"]])
def test_help_says_what_there_is(arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.exit_code == 0
    assert result.output.startswith("Usage: ")
