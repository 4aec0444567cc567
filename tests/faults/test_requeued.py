"""A table that ends since a player leaves: he is free, the others wait in front of their queue (PF-11, PF-13)."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from cardroom_client import CallRefused, Player, Seat, TableSession
from tests.faults.machine import Machine
from tests.faults.world import why_not_queued

LIMIT_SECONDS = 60.0
ALL_HERE_SEQ = 5
"""Number of the entry: the table is made, four arrive."""


@pytest.mark.asyncio(loop_scope="module")
async def test_who_leaves_is_free_and_the_others_are_back_in_the_queue_pf_13(machine: Machine) -> None:
    pod = machine.pod("table-0")
    await pod.up()
    names = [f"requeued.{number}" for number in range(5)]
    await machine.open_accounts(names)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(pod.kill)
        guests = [
            await stack.enter_async_context(
                Player(machine.token("player", "player", name), machine.address("matchmaker"))
            )
            for name in names
        ]
        seats = await asyncio.gather(*(guest.join("faults") for guest in guests[:4]))
        tables = [await stack.enter_async_context(g.sit(s)) for g, s in zip(guests, seats, strict=False)]
        come = [asyncio.Event() for _ in tables]
        watching = [asyncio.create_task(_watched(table, event)) for table, event in zip(tables, come, strict=True)]
        await asyncio.wait_for(asyncio.gather(*(event.wait() for event in come)), LIMIT_SECONDS)
        await tables[0].leave()
        await asyncio.wait_for(asyncio.gather(*watching), LIMIT_SECONDS)
        for name in names[1:4]:
            assert await why_not_queued(machine, name) == "ALREADY_QUEUED"
        newcomer = await asyncio.wait_for(guests[4].join("faults"), LIMIT_SECONDS)
        again = [await asyncio.wait_for(_seat(guest), LIMIT_SECONDS) for guest in guests[1:4]]
        assert {seat.table_id for seat in again} == {newcomer.table_id}
        assert newcomer.table_id != seats[0].table_id
        assert await why_not_queued(machine, names[0]) == "", "he holds neither ticket nor seat"


async def _watched(table: TableSession, all_here: asyncio.Event) -> None:
    """Watch to the end; says when all have come."""
    async for message in table.watch():
        if message.seq >= ALL_HERE_SEQ:
            all_here.set()


async def _seat(guest: Player) -> Seat:
    while True:
        try:
            return await guest.my_seat()
        except CallRefused as refusal:
            if refusal.reason != "NO_SEAT":
                raise
            await asyncio.sleep(0.05)
