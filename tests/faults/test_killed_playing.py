"""kill -9 of the table's process in the midst of play (reliability 1-3, PF-34): nothing that was promised is lost."""

import pytest

from tests.faults.machine import Machine
from tests.faults.ordeal import killed_and_resumed
from tests.faults.points import PLAYING


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", PLAYING)
async def test_a_deal_survives_its_tables_process(machine: Machine, name: str, seed: int) -> None:
    print(f"seed {seed}, {name}: {await killed_and_resumed(machine, PLAYING[name], seed=seed, name=name)}")
