"""What the rules say of a shared shortfall is what the ledger does (PF-52, TY-42)."""

import asyncio
from collections.abc import Sequence

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.kernel import Group, Payment, pay
from services.ledger import values
from services.ledger.values import Leg
from tests.services.ledger.rig import Rig

SEATS = ("s0", "s1", "s2", "s3")


@st.composite
def _groups(draw: st.DrawFn) -> tuple[Payment, ...]:
    """One to three groups, single payments between them."""
    payments: list[Payment] = []
    for number in range(1, draw(st.integers(2, 4))):
        payer = draw(st.integers(0, 3))
        payees = draw(st.permutations([seat for seat in range(4) if seat != payer]))[: draw(st.integers(1, 3))]
        group = Group(number, draw(st.sampled_from([None, *payees])))
        payments += [Payment(payer, payee, draw(st.integers(1, 30)), "win", group) for payee in payees]
        if draw(st.booleans()):
            payments.append(Payment(payer, None, draw(st.integers(1, 9)), "penalty"))
    return tuple(payments)


@settings(max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(balances=st.tuples(*[st.integers(0, 40)] * 4), payments=_groups())
def test_the_rules_groups_are_the_ledgers(
    runner: asyncio.Runner, shared_rig: Rig, balances: Sequence[int], payments: tuple[Payment, ...]
) -> None:
    told = pay(balances, payments)
    legs = [
        Leg(
            SEATS[one.payer],
            "system" if one.payee is None else SEATS[one.payee],
            one.amount,
            one.cause,
            0 if one.group is None else one.group.number,
        )
        for one in payments
    ]
    used = {one.group for one in payments if one.group is not None}
    groups = [
        values.Group(group.number, "" if group.remainder_to is None else SEATS[group.remainder_to]) for group in used
    ]

    async def settle() -> None:
        asset = await shared_rig.seated("t1", dict(zip(SEATS, balances, strict=True)))
        settled = await shared_rig.settle(asset, 1, legs, groups=groups)
        assert [line.paid for line in settled.lines] == [line.paid for line in told.lines]
        assert tuple(await shared_rig.units(asset, *SEATS, "penalties")) == (*told.balances, told.system)

    runner.run(settle())
