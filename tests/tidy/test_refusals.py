"""The vocabulary of refusals agrees with the wire, with itself and with its page."""

import re
from pathlib import Path

import grpc
import pytest
from cardroom.errors.v1 import reason_pb2

from games.kernel.reasons import Reason as RuleReason
from refusals import CATALOGUE, Reason, Refusal
from refusals.page import page

pytestmark = pytest.mark.fast

_ROOT = Path(__file__).resolve().parents[2]
_PREFIX = "REASON_"
_RETRIED = {"UNAVAILABLE", "RESOURCE_EXHAUSTED"}


def test_the_members_are_the_wires_in_its_order() -> None:
    sent = [name.removeprefix(_PREFIX) for name, number in reason_pb2.Reason.items() if number != 0]
    assert [reason.name for reason in Reason] == sent
    assert all(reason.value == reason.name for reason in Reason)


def test_the_rules_of_play_use_the_same_names() -> None:
    assert {reason.name for reason in RuleReason} <= {reason.name for reason in Reason}


def test_every_reason_has_its_row_in_the_wires_order() -> None:
    assert list(CATALOGUE) == list(Reason)


@pytest.mark.parametrize("reason", list(Reason))
def test_a_row_is_complete_and_its_code_says_whether_a_retry_helps(reason: Reason) -> None:
    row = CATALOGUE[reason]
    assert row.code in grpc.StatusCode.__members__
    assert row.retry is (row.code in _RETRIED)
    assert re.search("[\u4e00-\u9fff]", row.zh)
    assert row.en.endswith(".")
    assert row.when.endswith(".")
    assert "|" not in row.zh + row.en + row.when


def test_the_committed_page_is_made_from_the_table() -> None:
    committed = (_ROOT / "docs" / "reasons.md").read_text(encoding="utf-8")
    assert committed == page(), "run: python -m refusals.page > docs/reasons.md"


def test_a_refusal_takes_a_reason_by_name_and_no_other_word() -> None:
    assert Refusal(Reason("NOT_READY"), detail="two tiles short").reason is Reason.NOT_READY
    with pytest.raises(ValueError, match="NOT_A_REASON"):
        Refusal("NOT_A_REASON")  # type: ignore[arg-type]
