"""What a request must look like before the store sees it. Each check raises ``Refusal`` and names the field."""

import re
import uuid
from collections.abc import Collection, Sequence
from typing import Final

from refusals import Reason, Refusal
from services.ledger.values import (
    FUNDS,
    RESERVED_ACCOUNTS,
    RESERVED_PREFIXES,
    SYSTEM,
    UNITS_MAX,
    Grant,
    Group,
    Leg,
    PaymentReason,
    Settlement,
    Stake,
    Void,
)

LEGS_MAX: Final = 256
ACCOUNTS_MAX: Final = 100
SEATS_MAX: Final = 16
WHY_LENGTH_MAX: Final = 200

_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_ACCOUNT: Final = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_LONG_NAME: Final = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_REASONS: Final = frozenset(PaymentReason)


def invalid(field: str, detail: str) -> Refusal:
    """A refusal INVALID_FIELD of one field."""
    return Refusal(Reason.INVALID_FIELD, field=field, detail=detail)


def check_name(value: str, field: str) -> None:
    """A table's id: 1-64 of a-z A-Z 0-9 . _ -"""
    if not _NAME.fullmatch(value):
        raise invalid(field, "must be 1-64 of a-z A-Z 0-9 . _ -")


def check_deal(value: str, field: str) -> None:
    """A deal's id: 1-128 of a-z A-Z 0-9 . _ : -"""
    if not _LONG_NAME.fullmatch(value):
        raise invalid(field, "must be 1-128 of a-z A-Z 0-9 . _ : -")


def check_account(value: str, field: str) -> None:
    """An account that is not the system's: 1-64 of a-z A-Z 0-9 . _ : -"""
    if not _ACCOUNT.fullmatch(value):
        raise invalid(field, "must be 1-64 of a-z A-Z 0-9 . _ : -")
    if value in RESERVED_ACCOUNTS or value.startswith(RESERVED_PREFIXES):
        raise invalid(field, f"{value} is an account of the system")


def check_accounts(values: Sequence[str], field: str, count_max: int, *, also: Collection[str] = ()) -> None:
    """A list of 1 .. ``count_max`` different accounts; of the system's, only those in ``also``."""
    if not 1 <= len(values) <= count_max:
        raise invalid(field, f"must name 1-{count_max} accounts")
    for index, value in enumerate(values):
        if value not in also:
            check_account(value, f"{field}[{index}]")
    if len(set(values)) != len(values):
        raise invalid(field, "names an account twice")


def check_asset(value: str, assets: Collection[str]) -> None:
    """One of the assets the books have."""
    if value not in assets:
        raise invalid("asset", f"must be one of {', '.join(sorted(assets))}")


def check_units(value: int, field: str, least: int = 0) -> None:
    """A whole number of units, ``least`` .. UNITS_MAX.

    Raises: Refusal INVALID_FIELD: below ``least``; AMOUNT_LIMIT: above UNITS_MAX.
    """
    if value < least:
        raise invalid(field, f"must be {least} or more")
    if value > UNITS_MAX:
        raise Refusal(Reason.AMOUNT_LIMIT, field=field, detail="must be at most 2^53 - 1")


def check_counter(value: int, field: str) -> None:
    """An epoch or seq: 1 .. UNITS_MAX."""
    if not 1 <= value <= UNITS_MAX:
        raise invalid(field, "must be 1 .. 2^53 - 1")


def _check_leg(leg: Leg, field: str) -> None:
    check_account(leg.payer, f"{field}.payer")
    if leg.payee != SYSTEM:
        check_account(leg.payee, f"{field}.payee")
    if leg.payer == leg.payee:
        raise invalid(f"{field}.payee", "is the payer")
    check_units(leg.amount, f"{field}.amount")
    if leg.reason not in _REASONS:
        raise invalid(f"{field}.reason", f"must be one of {', '.join(sorted(_REASONS))}")
    if (leg.payee == SYSTEM) != (leg.reason == PaymentReason.PENALTY):
        raise invalid(f"{field}.reason", "penalties, and nothing else, go to the system (PF-54)")
    if not 0 <= leg.group <= UNITS_MAX:
        raise invalid(f"{field}.group_id", "must be 0 .. 2^53 - 1")


def _check_group(group: Group, legs: Sequence[Leg], field: str) -> None:
    places = [place for place, leg in enumerate(legs) if leg.group == group.id]
    if not places:
        raise invalid(f"{field}.id", "no payment is of this group")
    if places[-1] - places[0] + 1 != len(places):
        raise invalid(f"{field}.id", "its payments do not stand side by side")
    if len({legs[place].payer for place in places}) != 1:
        raise invalid(f"{field}.id", "its payments have several payers")
    payees = [legs[place].payee for place in places]
    if len(set(payees)) != len(payees):
        raise invalid(f"{field}.id", "pays an account twice")
    if group.remainder_to and group.remainder_to not in payees:
        raise invalid(f"{field}.remainder_to", "is not paid by this group")


def _check_groups(groups: Sequence[Group], legs: Sequence[Leg]) -> None:
    for index, group in enumerate(groups):
        if not 1 <= group.id <= UNITS_MAX:
            raise invalid(f"groups[{index}].id", "must be 1 .. 2^53 - 1")
        _check_group(group, legs, f"groups[{index}]")
    ids = {group.id for group in groups}
    if len(ids) != len(groups):
        raise invalid("groups", "has a group twice")
    for index, leg in enumerate(legs):
        if leg.group and leg.group not in ids:
            raise invalid(f"payments[{index}].group_id", "has no row in groups")


def check_settlement(settlement: Settlement, assets: Collection[str]) -> None:
    """A settlement the script can carry out (PF-51, PF-52, PF-54)."""
    check_name(settlement.table, "table_id")
    check_counter(settlement.epoch, "epoch")
    check_counter(settlement.seq, "seq")
    check_deal(settlement.deal, "deal_id")
    check_asset(settlement.asset, assets)
    if not 1 <= len(settlement.legs) <= LEGS_MAX:
        raise invalid("payments", f"must hold 1-{LEGS_MAX} payments")
    for index, leg in enumerate(settlement.legs):
        _check_leg(leg, f"payments[{index}]")
    _check_groups(settlement.groups, settlement.legs)


def check_stake(stake: Stake, assets: Collection[str]) -> None:
    """A reservation the script can carry out (PF-55)."""
    check_name(stake.table, "table_id")
    check_counter(stake.epoch, "epoch")
    check_deal(stake.deal, "deal_id")
    check_asset(stake.asset, assets)
    check_accounts(stake.accounts, "account_ids", SEATS_MAX)
    check_units(stake.least, "least_balance")


def check_void(void: Void, assets: Collection[str]) -> None:
    """A void the script can carry out."""
    check_name(void.table, "table_id")
    check_counter(void.epoch, "epoch")
    check_counter(void.seq, "seq")
    check_deal(void.deal, "deal_id")
    check_asset(void.asset, assets)
    check_why(void.why)


def check_why(why: str) -> None:
    """The reason somebody gives: 1-200 printable characters, not only spaces."""
    if not 1 <= len(why) <= WHY_LENGTH_MAX or not why.isprintable() or not why.strip():
        raise invalid("reason", f"must be 1-{WHY_LENGTH_MAX} printable characters")


def check_grant(grant: Grant, assets: Collection[str], *, to_funds: bool = True) -> None:
    """A grant or relief the script can carry out (PF-50); a grant may go to a fund."""
    if not (to_funds and grant.account in FUNDS):
        check_account(grant.account, "account_id")
    check_asset(grant.asset, assets)
    check_units(grant.amount, "amount", least=1)
    check_why(grant.why)


def request_key(text: str) -> str:
    """The one spelling of a UUID. Raises: Refusal INVALID_FIELD: it is none."""
    try:
        return str(uuid.UUID(text))
    except ValueError:
        raise invalid("request_id", "must be a UUID") from None
