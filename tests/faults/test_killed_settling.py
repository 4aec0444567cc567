"""kill -9 of the table's process before play and where money moves (reliability 1, 36; PF-53): paid once."""

import pytest

from tests.faults.machine import Machine
from tests.faults.ordeal import killed_and_resumed
from tests.faults.points import SETTLING


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", SETTLING)
async def test_a_deal_is_paid_once_whatever_its_tables_process_does(machine: Machine, name: str, seed: int) -> None:
    print(f"seed {seed}, {name}: {await killed_and_resumed(machine, SETTLING[name], seed=seed, name=name)}")
