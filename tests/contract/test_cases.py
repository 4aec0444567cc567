"""Every case in the tree, asked the way `cardroom cases` asks, and the cases themselves."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from clients.cli.case_answers import answer
from clients.cli.case_file import Case, read_cases
from clients.cli.cases import differing
from tests.services.scoring.rig import running_scoring

pytestmark = pytest.mark.fast

ASKED_OF_THE_CORE = frozenset({"tingyong_cards"})
"""Files of kinds that the scoring API has no method for; the core answers them in its family's tests."""
FILES = sorted(path for path in (Path(__file__).parent / "cases").glob("*.jsonl") if path.stem not in ASKED_OF_THE_CORE)
_CITED = (1, 2, 5, 6, *range(10, 18), 19, 20, 21, 22, 24, 25, 30, 31, 32, 33, 40, 42, 50, 51, 52, 60, 70)
RULES_OF_FOUR_PLAYERS = [f"BB-{number}" for number in _CITED]
"""What a case can show; BB-3 and BB-4 (dice, dealing), BB-53 and BB-61 (the table) have tests of their own."""


class Link:
    """The scoring API of a server in this process."""

    def __init__(self, stub: Any) -> None:
        self._stub = stub

    async def stub(self) -> Any:
        return self._stub


def cases_of(file: Path) -> list[Case]:
    return list(read_cases(file))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
async def test_the_rules_answer_as_the_cases_say(file: Path, keys: Path) -> None:
    """Rules: those each case cites."""
    chosen = cases_of(file)
    assert chosen
    wrong = {}
    async with running_scoring(keys) as stub:
        for case in chosen:
            got = await answer(case, Link(stub))  # type: ignore[arg-type]
            if differing(case.expect, got):
                wrong[case.case_id] = (case.note, case.expect, got)
    assert not wrong


def test_ids_are_unique() -> None:
    seen = Counter(case.case_id for file in FILES for case in cases_of(file))
    assert max(seen.values()) == 1


def test_every_rule_of_four_players_has_a_case() -> None:
    cited: set[str] = set()
    for file in FILES:
        for case in cases_of(file):
            rule = case.row.get("rule", [])
            cited.update([rule] if isinstance(rule, str) else rule)
    assert set(RULES_OF_FOUR_PLAYERS) <= cited


def test_the_own_deals_cover_what_a_table_can_refuse_and_pay() -> None:
    """At least forty deals, some refused, some short of money, with rain, check and shared wins."""
    deals = [case for file in FILES if file.stem == "own_bloody4_deal" for case in cases_of(file)]
    expects = [case.expect for case in deals]
    moves = [move for expect in expects for move in expect.get("moves", [])]
    assert len(deals) >= 40
    assert sum("illegal" in expect for expect in expects) >= 10
    assert any(asked != paid for _, _, asked, paid, _ in moves)
    assert {cause for *_, cause in moves} == {"win", "rain", "check"}
    assert any(len(expect.get("winners", [])) == 3 for expect in expects)
