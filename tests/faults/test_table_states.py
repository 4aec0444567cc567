"""A table's states and their clocks as its players see them, from the queue to the end (PF-12)."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from cardroom.table.v1 import event_pb2

from tests.faults.guests import (
    Guest,
    Message,
    assert_kept,
    assert_ran,
    lasted_ms,
    player_of,
)
from tests.faults.house_rooms import ARRIVE_MS, PAUSE_MS, READY_MS
from tests.faults.machine import Machine
from tests.faults.truth import read_log
from tests.faults.world import why_not_queued

pytestmark = pytest.mark.asyncio(loop_scope="session")


@asynccontextmanager
async def seated(house: Machine, room_id: str, *, coming: int = 4) -> AsyncIterator[list[Guest]]:
    """Four players through the queue of a room; so many of them come to their table. By seat."""
    names = [f"{room_id}.{number}" for number in range(4)]
    await house.open_accounts(names)
    async with AsyncExitStack() as stack:
        players = [await stack.enter_async_context(player_of(house, name)) for name in names]
        seats = await asyncio.gather(*(player.join(room_id) for player in players))
        pairs = sorted(zip(players, seats, strict=True), key=lambda pair: pair[1].seat)
        yield [await stack.enter_async_context(Guest(player.sit(seat))) for player, seat in pairs[:coming]]


@pytest.mark.usefixtures("house_pod")
async def test_waiting_who_does_not_come_in_time_gives_his_seat_up_pf_12(house: Machine) -> None:
    async with seated(house, "absent", coming=3) as guests:
        for guest in guests[:2]:
            await guest.event("arrived", after=3)
        shown = (await guests[0].table.snapshot()).snapshot
        assert shown.state == event_pb2.TABLE_STATE_WAITING
        assert [row.arrived for row in shown.seats] == [True, True, True, False]
        closed = await closed_for_want(guests)
        assert_kept(shown, closed)
        log = await read_log(house.tables, closed.table_id)
        assert_ran(ARRIVE_MS, log.entries[-1].at_ms - log.entries[0].at_ms)
        await others_queue_again(house, [row.player_id for row in shown.seats])


@pytest.mark.usefixtures("house_pod")
async def test_readying_who_is_not_ready_in_time_gives_his_seat_up_pf_12(house: Machine) -> None:
    async with seated(house, "unready") as guests:
        arrived = await all_arrived(guests)
        shown = (await guests[0].table.snapshot()).snapshot
        assert shown.state == event_pb2.TABLE_STATE_READYING
        for guest in guests[:3]:
            await guest.table.set_ready()
        closed = await closed_for_want(guests)
        assert_ran(READY_MS, lasted_ms(arrived, closed))
        assert_kept(shown, closed)
        assert guests[0].told("deal_started") == [], "no stake was taken"
        await others_queue_again(house, [row.player_id for row in shown.seats])


@pytest.mark.usefixtures("house_pod")
async def test_bots_are_there_and_ready_at_once_pf_12(house: Machine) -> None:
    """The room's clocks are minutes; the only player has not said ready yet."""
    await house.open_accounts(["alone"])
    async with player_of(house, "alone") as player, Guest(player.sit(await player.join("bots"))) as guest:
        await guest.until(lambda: _came(guest) == 4 and _ready(guest) == 3)
        shown = (await guest.table.snapshot()).snapshot
        assert shown.state == event_pb2.TABLE_STATE_READYING
        assert {row.seat for row in shown.seats if not row.ready} == {guest.seat}
        await guest.table.set_ready()
        await guest.event("deal_started")


def _came(guest: Guest) -> int:
    return len(guest.told("arrived")) + sum(row.arrived for row in guest.messages[0].snapshot.seats)


def _ready(guest: Guest) -> int:
    return len(guest.told("ready")) + sum(row.ready for row in guest.messages[0].snapshot.seats)


@pytest.mark.usefixtures("house_pod")
async def test_dealing_playing_between_deals_each_as_long_as_the_room_says_pf_12(house: Machine) -> None:
    """Tiles come after the pause; money is settled before the table is between deals; then the ready clock again."""
    async with seated(house, "whole") as guests:
        await asyncio.gather(*(guest.table.set_ready() for guest in guests))
        opened = await guests[0].event("opened")
        shown = (await guests[0].table.snapshot()).snapshot
        assert shown.state == event_pb2.TABLE_STATE_DEALING
        assert shown.mahjong.opened.dice
        assert [len(hand.tiles) + hand.hidden_count for hand in shown.mahjong.hands] in ([], [0] * 4)
        dealt = await guests[0].event("dealt")
        assert_ran(PAUSE_MS, lasted_ms(opened, dealt))
        assert_kept(shown, dealt)
        assert (await guests[0].snapshot()).state == event_pb2.TABLE_STATE_PLAYING
        await asyncio.gather(*(guest.go_on(lambda _: True) for guest in guests))
        settled, *_ = [await guest.event("deal_settled") for guest in guests]
        shown = (await guests[0].table.snapshot()).snapshot
        assert shown.state == event_pb2.TABLE_STATE_BETWEEN_DEALS
        assert [row.ready for row in shown.seats] == [False] * 4
        dues, mades = guests[0].told("payments_due"), guests[0].told("payments_made")
        assert len(mades) == len(dues) > 0
        assert mades[-1].seq < settled.seq == guests[0].seq
        for guest in guests[1:]:
            await guest.table.set_ready()
        closed = await closed_for_want(guests, out=0)
        assert_ran(READY_MS, lasted_ms(settled, closed))
        assert_kept(shown, closed)


async def all_arrived(guests: Sequence[Guest]) -> Message:
    """The entry of the last arrival, once everybody has seen it."""
    for guest in guests:
        await guest.until(lambda guest=guest: guest.seq >= 5)  # type: ignore[misc]
    return guests[0].told("arrived")[-1]


async def closed_for_want(guests: Sequence[Guest], *, out: int = 3) -> Message:
    """The table's end, since this seat did not come or was not ready; all are told the same."""
    closed = [await guest.event("closed") for guest in guests]
    assert {message.event.closed.cause for message in closed} == {event_pb2.TABLE_CLOSE_CAUSE_NOT_READY}
    assert list(closed[0].event.closed.requeued_seats) == [seat for seat in range(4) if seat != out]
    for guest in guests:
        await guest.ended()
    return closed[0]


async def others_queue_again(house: Machine, names: Sequence[str]) -> None:
    """The last of the players is free; the others have their ticket again."""
    *others, late = names
    assert {await why_not_queued(house, name) for name in others} == {"ALREADY_QUEUED"}
    assert await why_not_queued(house, late) == ""
