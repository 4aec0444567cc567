"""What the ledger asks of a request before the store sees it; the field at fault is named."""

from dataclasses import replace
from uuid import uuid4

import pytest

from refusals import Reason, Refusal
from services.ledger.app.checks import LEGS_MAX, check_grant, check_settlement, check_stake, request_key
from services.ledger.app.fingerprint import settlement_fingerprint
from services.ledger.settings import LedgerSettings
from services.ledger.values import UNITS_MAX, Grant, Group, Leg, Settlement, Stake

pytestmark = pytest.mark.fast

WIN = Leg("ann", "bob", 5, "win")
GOOD = Settlement("t1", 1, 1, "t1:d1", "coins", (WIN,))
STAKE = Stake("t1", 1, "t1:d1", "coins", ("ann", "bob"), 0)
GRANT = Grant(str(uuid4()), "ann", "coins", 5, "why not")


def field_of(check: object) -> str:
    assert callable(check)
    with pytest.raises(Refusal) as caught:
        check()
    assert caught.value.reason is Reason.INVALID_FIELD
    return str(caught.value.field)


def test_good_requests_pass() -> None:
    check_settlement(GOOD, ("coins",))
    check_settlement(replace(GOOD, legs=(replace(WIN, payer="robot:1"), Leg("bob", "system", 0, "penalty"))), ["coins"])
    check_stake(STAKE, ("coins",))
    check_grant(GRANT, ("coins",))


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"table": ""}, "table_id"),
        ({"table": "sys:robot"}, "table_id"),
        ({"table": "a b"}, "table_id"),
        ({"epoch": 0}, "epoch"),
        ({"epoch": UNITS_MAX + 1}, "epoch"),
        ({"seq": 0}, "seq"),
        ({"deal": ""}, "deal_id"),
        ({"deal": "d\n1"}, "deal_id"),
        ({"asset": "gold"}, "asset"),
        ({"legs": ()}, "payments"),
        ({"legs": (WIN,) * (LEGS_MAX + 1)}, "payments"),
        ({"legs": (WIN, replace(WIN, payer=""))}, "payments[1].payer"),
        ({"legs": (replace(WIN, payer="ann bob"),)}, "payments[0].payer"),
        ({"legs": (replace(WIN, payer="system"),)}, "payments[0].payer"),
        ({"legs": (replace(WIN, payer="issuance"),)}, "payments[0].payer"),
        ({"legs": (replace(WIN, payer="penalties"),)}, "payments[0].payer"),
        ({"legs": (replace(WIN, payee="penalties"),)}, "payments[0].payee"),
        ({"legs": (replace(WIN, payee="issuance"),)}, "payments[0].payee"),
        ({"legs": (replace(WIN, payee="x" * 65),)}, "payments[0].payee"),
        ({"legs": (replace(WIN, payee="ann"),)}, "payments[0].payee"),
        ({"legs": (replace(WIN, amount=-1),)}, "payments[0].amount"),
        ({"legs": (replace(WIN, reason=""),)}, "payments[0].reason"),
        ({"legs": (replace(WIN, reason="gift"),)}, "payments[0].reason"),
        ({"legs": (replace(WIN, reason="penalty"),)}, "payments[0].reason"),
        ({"legs": (replace(WIN, payee="system"),)}, "payments[0].reason"),
        ({"legs": (replace(WIN, group=1),)}, "payments[0].group_id"),
        ({"groups": (Group(1),)}, "groups[0].id"),
        ({"legs": (replace(WIN, group=1),), "groups": (Group(0),)}, "groups[0].id"),
        ({"legs": (replace(WIN, group=1),), "groups": (Group(1), Group(1))}, "groups"),
        ({"legs": (replace(WIN, group=1),), "groups": (Group(1, "cyd"),)}, "groups[0].remainder_to"),
        ({"legs": (replace(WIN, group=1),) * 2, "groups": (Group(1),)}, "groups[0].id"),
        ({"legs": (replace(WIN, group=1), WIN, Leg("ann", "cyd", 1, "win", 1)), "groups": (Group(1),)}, "groups[0].id"),
        ({"legs": (replace(WIN, group=1), Leg("dan", "cyd", 1, "win", 1)), "groups": (Group(1),)}, "groups[0].id"),
    ],
)
def test_a_settlement_that_cannot_be_names_its_field(changed: dict[str, object], field: str) -> None:
    """PF-51, PF-52, PF-54."""
    wrong = replace(GOOD, **changed)  # type: ignore[arg-type]
    assert field_of(lambda: check_settlement(wrong, ("coins",))) == field


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"accounts": ()}, "account_ids"),
        ({"accounts": ("ann", "ann")}, "account_ids"),
        ({"accounts": ("ann", "issuance")}, "account_ids[1]"),
        ({"accounts": tuple(f"p{number}" for number in range(17))}, "account_ids"),
        ({"least": -1}, "least_balance"),
        ({"epoch": 0}, "epoch"),
        ({"table": "t:1"}, "table_id"),
    ],
)
def test_a_reservation_that_cannot_be_names_its_field(changed: dict[str, object], field: str) -> None:
    wrong = replace(STAKE, **changed)  # type: ignore[arg-type]
    assert field_of(lambda: check_stake(wrong, ("coins",))) == field


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"account": "issuance"}, "account_id"),
        ({"amount": 0}, "amount"),
        ({"why": ""}, "reason"),
        ({"why": "   "}, "reason"),
        ({"why": "two\nlines"}, "reason"),
        ({"why": "x" * 201}, "reason"),
        ({"asset": ""}, "asset"),
    ],
)
def test_a_grant_that_cannot_be_names_its_field(changed: dict[str, object], field: str) -> None:
    wrong = replace(GRANT, **changed)  # type: ignore[arg-type]
    assert field_of(lambda: check_grant(wrong, ("coins",))) == field


def test_amounts_beyond_a_double_are_out_of_range() -> None:
    with pytest.raises(Refusal) as caught:
        check_settlement(replace(GOOD, legs=(replace(WIN, amount=UNITS_MAX + 1),)), ("coins",))
    assert (caught.value.reason, caught.value.field) == (Reason.AMOUNT_LIMIT, "payments[0].amount")


def test_a_request_id_is_a_uuid_in_one_spelling() -> None:
    assert request_key("0F0E0D0C0B0A09080706050403020100") == "0f0e0d0c-0b0a-0908-0706-050403020100"
    assert field_of(lambda: request_key("1")) == "request_id"


def test_the_fingerprint_is_of_the_content_and_of_nothing_else() -> None:
    """PF-53: a new owner of the table sends the same settlement."""
    groups = (Group(1), Group(2))
    legs = (Leg("ann", "bob", 1, "win", 1), Leg("ann", "cyd", 1, "win", 2))
    same = replace(GOOD, legs=legs, groups=groups)
    prints = {settlement_fingerprint(one) for one in (same, replace(same, epoch=7), replace(same, groups=groups[::-1]))}
    assert len(prints) == 1
    for changed in (
        replace(same, seq=2),
        replace(same, table="t2"),
        replace(same, deal="d2"),
        replace(same, asset="points"),
        replace(same, legs=legs[::-1]),
        replace(same, groups=(Group(1, "bob"), Group(2))),
    ):
        assert settlement_fingerprint(changed) not in prints


@pytest.mark.parametrize("grants", [{}, {"Coins": 1}, {"a:b": 1}, {"coins": -1}, {"coins": UNITS_MAX + 1}])
def test_opening_grants_that_cannot_be_are_refused_at_the_start(grants: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="opening_grants"):
        LedgerSettings(opening_grants=grants)


def test_a_new_account_begins_with_the_shipped_grants() -> None:
    """PF-50."""
    assert LedgerSettings().opening_grants == {"points": 1_000, "coins": 10_000}
