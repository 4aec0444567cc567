"""The shared cases of 听用斗地主, asked of the rules themselves; each row cites its rules."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from games.kernel import OptionError
from games.landlord.cards import RANK_NAMES, NotationError, parse
from games.landlord.combinations import Kind, Reading
from games.landlord.scoring import CardsError, read_cards
from games.landlord.script import Arranged, ScriptError, play
from tests.contract.landlord.deals import rules_of

CASES = Path(__file__).parents[1] / "cases"
IMPOSSIBLE = {"error": "INVALID_ARGUMENT"}

Case = Mapping[str, Any]


def rows(name: str) -> list[Case]:
    return [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]


def reading_of(row: Mapping[str, Any]) -> Reading:
    return Reading(Kind(row["kind"]), RANK_NAMES.index(row["rank"]), row["count"])


def read(case: Case) -> dict[str, Any]:
    last = reading_of(case["last"]) if "last" in case else None
    found = read_cards(rules_of(case.get("options", {})), parse(case["cards"]), last)
    return {"readings": [{"kind": row.kind, "rank": RANK_NAMES[row.rank], "count": row.count} for row in found]}


def settle(case: Case) -> dict[str, Any]:
    hands = tuple(parse(hand) for hand in case["hands"])
    arranged = Arranged(case["first_bidder"], hands, parse(case["bottom"]))
    return play(rules_of(case["options"]), arranged, case["actions"]).result(case["balances"])


@pytest.mark.parametrize(("name", "answer"), [("tingyong_cards.jsonl", read), ("tingyong_deal.jsonl", settle)])
def test_the_rules_answer_as_the_cases_say(name: str, answer: Any) -> None:
    wrong, cases = [], rows(name)
    for case in cases:
        try:
            got = answer(case)
        except (CardsError, NotationError, OptionError, ScriptError):
            got = IMPOSSIBLE
        differing = [
            member for member, value in case["expect"].items() if member != "reason" and got.get(member) != value
        ]
        if differing:
            wrong.append((case["id"], differing, got))
    assert wrong == []
    assert len(cases) >= 40


def test_the_cases_pay_refuse_and_run_short() -> None:
    """Otherwise the test above proves little: wins, penalties, short payers, refusals, odd coins (TY-42)."""
    expects = [case["expect"] for case in rows("tingyong_deal.jsonl")]
    moves = [move for expect in expects for move in expect.get("moves", [])]
    assert sum("illegal" in expect for expect in expects) >= 10
    assert {cause for *_, cause in moves} == {"win", "penalty"}
    assert any(paid < asked for _, _, asked, paid, _ in moves)
