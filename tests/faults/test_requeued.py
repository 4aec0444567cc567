"""A table that ends since a player leaves: he is free, the others wait in front of their queue (PF-11, PF-13)."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from cardroom_client import CallRefused, Player, Seat, TableSession
from tests.faults.machine import Machine

LIMIT_SECONDS = 60.0


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
        watching = [asyncio.create_task(_watched(table)) for table in tables]
        await asyncio.sleep(0.5)
        await tables[0].leave()
        await asyncio.wait_for(asyncio.gather(*watching), LIMIT_SECONDS)
        for guest in guests[1:4]:
            while (reason := await _reason(guest)) == "ALREADY_SEATED":  # noqa: ASYNC110  other processes ring no event
                await asyncio.sleep(0.05)  # the table is about to let them go
            assert reason == "ALREADY_QUEUED"
        newcomer = await asyncio.wait_for(guests[4].join("faults"), LIMIT_SECONDS)
        again = [await asyncio.wait_for(_seat(guest), LIMIT_SECONDS) for guest in guests[1:4]]
        assert {seat.table_id for seat in again} == {newcomer.table_id}
        assert newcomer.table_id != seats[0].table_id
        assert await _reason(guests[0]) == "", "he holds neither ticket nor seat"


async def _watched(table: TableSession) -> None:
    async for _ in table.watch():
        pass


async def _reason(guest: Player) -> str:
    """Why a player cannot join now; empty where he can."""
    joining = asyncio.create_task(guest.join("empty"))
    done, _ = await asyncio.wait({joining}, timeout=1)
    if not done:
        joining.cancel()
        await asyncio.gather(joining, return_exceptions=True)
        return ""
    error = joining.exception()
    assert isinstance(error, CallRefused), error
    return error.reason


async def _seat(guest: Player) -> Seat:
    while True:
        try:
            return await guest.my_seat()
        except CallRefused as refusal:
            if refusal.reason != "NO_SEAT":
                raise
            await asyncio.sleep(0.05)
