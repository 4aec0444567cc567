"""What the rules say of a short payer is what the ledger does (PF-51)."""

import asyncio
from collections.abc import Sequence

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.kernel import Payment, pay
from services.ledger.values import Leg
from tests.services.ledger.rig import Rig

CAUSES = ("win", "rain", "check", "liability")
SEATS = ("s0", "s1", "s2", "s3")


@st.composite
def _payments(draw: st.DrawFn) -> Payment:
    payer = draw(st.integers(0, 3))
    payee = draw(st.sampled_from([None, *(seat for seat in range(4) if seat != payer)]))
    cause = "penalty" if payee is None else draw(st.sampled_from(CAUSES))
    return Payment(payer, payee, draw(st.integers(1, 30)), cause)


@settings(max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(balances=st.tuples(*[st.integers(0, 40)] * 4), payments=st.lists(_payments(), min_size=1, max_size=12))
def test_the_rules_payments_are_the_ledgers(
    runner: asyncio.Runner, shared_rig: Rig, balances: Sequence[int], payments: list[Payment]
) -> None:
    told = pay(balances, payments)
    legs = [
        Leg(SEATS[one.payer], "system" if one.payee is None else SEATS[one.payee], one.amount, one.cause)
        for one in payments
    ]

    async def settle() -> None:
        asset = await shared_rig.seated("t1", dict(zip(SEATS, balances, strict=True)))
        settled = await shared_rig.settle(asset, 1, legs)
        assert [line.paid for line in settled.lines] == [line.paid for line in told.lines]
        assert tuple(await shared_rig.units(asset, *SEATS, "penalties")) == (*told.balances, told.system)

    runner.run(settle())
