"""Players of a table that is gone are set free; those of a table that lives never are (PF-11)."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
import pytest_asyncio

from cardroom_client import CallRefused
from tests.faults.machine import Machine, PodProcess
from tests.faults.world import QueueCaller

LEASE_MS = 1_000
SWEEP_MS = 200
LIMIT_SECONDS = 60.0

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sweeping(tmp_path_factory: pytest.TempPathFactory, rooms: Path) -> AsyncIterator[Machine]:
    """A machine whose matchmaker sweeps often."""
    environment = {
        "matchmaker": {
            "CARDROOM_ROOMS_FILE": str(rooms),
            "CARDROOM_POD_LEASE_MS": str(LEASE_MS),
            "CARDROOM_SWEEP_EVERY_MS": str(SWEEP_MS),
        }
    }
    async with Machine(tmp_path_factory.mktemp("sweeping"), pod_lease_ms=LEASE_MS, environment=environment) as machine:
        yield machine


async def seated(machine: Machine, names: Sequence[str]) -> tuple[list[QueueCaller], str]:
    """Four players through the queue, and their table."""
    await machine.open_accounts(names)
    callers = [QueueCaller(machine, machine.token("player", "player", name)) for name in names]
    for caller in callers:
        await caller.join("faults")
    async with asyncio.timeout(LIMIT_SECONDS):
        while not await sits(callers[-1]):  # noqa: ASYNC110  other processes ring no event
            await asyncio.sleep(0.05)
    return callers, (await callers[-1].my_seat()).seat.table_id


async def sits(caller: QueueCaller) -> bool:
    try:
        await caller.my_seat()
    except CallRefused as refusal:
        if refusal.reason != "NO_SEAT":
            raise
        return False
    return True


async def rounds(count: int) -> None:
    """So many rounds of the sweep, and one more."""
    await asyncio.sleep((count + 1) * SWEEP_MS / 1000)


async def forget(machine: Machine, pod: PodProcess, table_id: str) -> None:
    """The store loses a table altogether, while its pod is down."""
    for key in await machine.tables.keys(f"{{{table_id}}}:*"):
        await machine.tables.delete(key)
    await machine.tables.srem(f"{{tables}}:of:{pod.pod}", table_id)


async def test_who_sat_at_a_table_that_is_gone_is_free_and_nobody_else(sweeping: Machine) -> None:
    """One of two tables is lost with its log; its pod is killed, comes back, and knows the other one only. While no pod
    is up nobody can tell, and nobody is freed.
    """
    pod = sweeping.pod("table-0")
    await pod.up()
    lost, lost_table = await seated(sweeping, [f"lost.{number}" for number in range(4)])
    kept, kept_table = await seated(sweeping, [f"kept.{number}" for number in range(4)])
    await rounds(4)
    assert [await sits(caller) for caller in (*lost, *kept)] == [True] * 8, "both tables live"
    await pod.kill()
    await rounds(4)
    assert [await sits(caller) for caller in (*lost, *kept)] == [True] * 8, "nobody can tell"
    await forget(sweeping, pod, lost_table)
    other = sweeping.pod("table-1")
    await other.up()
    async with asyncio.timeout(LIMIT_SECONDS):
        while any([await sits(caller) for caller in lost]):  # noqa: ASYNC110  other processes ring no event
            await asyncio.sleep(0.05)
    await rounds(4)
    assert [await sits(caller) for caller in kept] == [True] * 4
    assert (await kept[0].my_seat()).seat.table_id == kept_table
    assert (await lost[0].join("faults")).ticket_id, "free to queue again"
    await other.kill()
