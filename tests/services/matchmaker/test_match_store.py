"""Matches under a lease in a real store: who may go on with one, and who may not any more."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from services.matchmaker.adapters.redis_matches import RedisMatches
from services.matchmaker.adapters.redis_tickets import RedisTickets
from services.matchmaker.adapters.rooms_file import read_rooms
from services.matchmaker.ports import Created, Match, Room, TicketState
from serving.store import connect_redis
from tests.conftest import STORE_PATIENCE_MS

LEASE_MS = 60
FOUR = ("ann", "bob", "cid", "dan")
CREATED = Created("table-0", "127.0.0.1:7102", 1)
ROOM: Room = next(room for room in read_rooms(None) if room.room_id == "bloody4-1")


@dataclass
class Stores:
    tickets: RedisTickets
    matches: RedisMatches
    """Of a handler with a short lease."""
    patient: RedisMatches
    """Of one whose lease outlasts the test."""

    async def queue(self) -> None:
        for name in FOUR:
            await self.tickets.join(name, ROOM.room_id, f"request-{name}", f"ticket-{name}")

    async def states(self) -> set[TicketState]:
        tickets = [await self.tickets.ticket(f"ticket-{name}") for name in FOUR]
        return {ticket.state for ticket in tickets if ticket is not None}

    async def stale(self) -> Match:
        """A match taken over from a handler that fell silent."""
        async with asyncio.timeout(60):
            while True:
                claimed = await self.patient.claim_stale(10)
                if claimed:
                    return claimed[0]
                await asyncio.sleep(0.005)


@pytest.fixture
async def stores(redis_url: str) -> AsyncIterator[Stores]:
    redis = await connect_redis(redis_url, timeout_ms=STORE_PATIENCE_MS)
    await redis.flushdb()
    yield Stores(
        RedisTickets(redis, memory_ms=60_000),
        RedisMatches(redis, lease_ms=LEASE_MS, memory_ms=60_000),
        RedisMatches(redis, lease_ms=60_000, memory_ms=60_000),
    )
    await redis.aclose()


async def _taken(stores: Stores, matches: RedisMatches) -> Match:
    await stores.queue()
    match = await matches.take(ROOM, "match-1", (2, 0, 3, 1))
    assert match is not None
    return match


async def test_players_are_taken_oldest_first_into_the_seats_drawn(stores: Stores) -> None:
    """BB-5: the i-th oldest gets the i-th seat drawn, the oldest deals first."""
    match = await _taken(stores, stores.patient)
    assert [seat.player_id for seat in match.seats] == ["bob", "dan", "ann", "cid"]
    assert [seat.seat for seat in match.seats] == [0, 1, 2, 3]
    assert (match.first_dealer, match.pod, match.generation, match.room) == (2, "", 1, ROOM)
    assert await stores.patient.take(ROOM, "match-2", (0, 1, 2, 3)) is None


async def test_too_few_are_not_taken(stores: Stores) -> None:
    """All of a table or none."""
    await stores.tickets.join("ann", ROOM.room_id, "request", "ticket-ann")
    assert await stores.patient.take(ROOM, "match-1", (0, 1, 2, 3)) is None
    assert await stores.states() == {TicketState.WAITING}


async def test_a_match_is_left_to_its_handler_while_the_lease_runs(stores: Stores) -> None:
    await _taken(stores, stores.patient)
    assert await stores.matches.claim_stale(10) == ()


async def test_each_step_renews_the_lease(stores: Stores) -> None:
    match = await _taken(stores, stores.matches)
    assert await stores.patient.ask(match, "table-0") is not None
    await asyncio.sleep(2 * LEASE_MS / 1000)
    assert await stores.matches.claim_stale(10) == ()


async def test_a_handler_whose_match_was_taken_over_is_refused_every_step(stores: Stores) -> None:
    """Reliability 25: two handlers never carry one match."""
    late = await _taken(stores, stores.matches)
    await stores.matches.ask(late, "table-0")
    heir = await stores.stale()
    assert (heir.generation, heir.pod, heir.seats) == (2, "table-0", late.seats)
    assert await stores.matches.ask(late, "table-1") is None
    assert not await stores.matches.grant(late, CREATED)
    assert not await stores.matches.put_back(late)
    assert await stores.states() == {TicketState.MATCHED}
    age_ms = await stores.patient.ask(heir, "table-0")
    assert age_ms is not None
    assert age_ms >= LEASE_MS
    assert await stores.patient.grant(heir, CREATED)
    assert not await stores.matches.grant(late, CREATED), "also when it is done"


async def test_an_ended_match_cannot_be_ended_otherwise(stores: Stores) -> None:
    """A grant whose answer was lost may be repeated; what is granted is not put back, and what is back not granted."""
    match = await _taken(stores, stores.patient)
    assert await stores.patient.grant(match, CREATED)
    assert await stores.patient.grant(match, CREATED)
    assert not await stores.patient.put_back(match)
    assert await stores.states() == {TicketState.SEATED}
    await stores.tickets.release("match-1", 1, FOUR, requeue=True)

    again = await stores.patient.take(ROOM, "match-2", (0, 1, 2, 3))
    assert again is not None
    assert await stores.patient.put_back(again)
    assert not await stores.patient.put_back(again)
    assert not await stores.patient.grant(again, CREATED)
    assert await stores.states() == {TicketState.WAITING}
    assert await stores.tickets.seat_of("ann") is None


async def test_the_expected_wait_is_unknown_before_the_first_table(stores: Stores) -> None:
    await stores.tickets.join("ann", ROOM.room_id, "request", "ticket-ann")
    ticket = await stores.tickets.ticket("ticket-ann")
    assert ticket is not None
    assert ticket.place is not None
    assert ticket.place.expected_wait_ms is None
    for name in FOUR[1:]:
        await stores.tickets.join(name, ROOM.room_id, f"request-{name}", f"ticket-{name}")
    await asyncio.sleep(0.02)
    await stores.patient.take(ROOM, "match-1", (0, 1, 2, 3))
    await stores.tickets.join("eve", ROOM.room_id, "request", "ticket-eve")
    ticket = await stores.tickets.ticket("ticket-eve")
    assert ticket is not None
    assert ticket.place is not None
    assert ticket.place.expected_wait_ms is not None
    assert ticket.place.expected_wait_ms >= 20
