"""Tickets and seats in Redis. The layout of the keys is told in `lua/prelude.lua`."""

import sys
from collections.abc import Mapping, Sequence

import orjson
from redis.asyncio import Redis

from services.matchmaker.adapters.redis_scripts import TAG, Scripts, store_trouble, text, texts
from services.matchmaker.app.rooms import parse_room
from services.matchmaker.ports import (
    CancelOutcome,
    Front,
    Holders,
    Joined,
    JoinOutcome,
    OpenTable,
    Place,
    Released,
    RoomActivity,
    SeatTaken,
    Ticket,
    TicketState,
)
from serving.calls import correlation_id

_REQUEUED = -1
"""In place of a wait, from the script `oldest`."""


class RedisTickets:
    """The port `TicketStore`."""

    def __init__(self, redis: Redis, *, memory_ms: int) -> None:
        """`memory_ms`: how long requests, cancelled tickets and ended matches are remembered."""
        self._redis = redis
        self._scripts = Scripts(redis)
        self._memory_ms = memory_ms

    async def look_before_join(self, player_id: str, room_id: str, request_id: str) -> Joined:
        """What `join` would answer; FREE instead of JOINED."""
        return await self.join(player_id, room_id, request_id, "")

    async def join(self, player_id: str, room_id: str, request_id: str, ticket_id: str) -> Joined:
        """Puts a ticket at the end of the room's queue, unless something stands against it (PF-11)."""
        args = (player_id, room_id, request_id, ticket_id, self._memory_ms, correlation_id())
        answer = await self._scripts.run("join", *args)
        outcome, ticket = texts(answer)
        return Joined(JoinOutcome(outcome), ticket)

    async def cancel(self, ticket_id: str, player_id: str) -> CancelOutcome:
        """Takes a waiting ticket out of its queue; idempotent."""
        return CancelOutcome(text(await self._scripts.run("cancel", ticket_id, player_id, self._memory_ms)))

    async def ticket(self, ticket_id: str) -> Ticket | None:
        """One ticket with its place, None if there is no such ticket."""
        row = await self._scripts.run("ticket", ticket_id)
        if not row:
            return None
        player_id, room_id, state = texts(row[:3])
        wait = text(row[5])
        place = Place(int(row[3]), int(row[4]), int(wait) if wait else None) if row[3] else None
        return Ticket(ticket_id, player_id, room_id, TicketState(state), place)

    async def seat_of(self, player_id: str, *, renews: bool = False) -> SeatTaken | None:
        """The player's seat, None if he has none; `renews` begins the next generation of its tokens."""
        row = await self._scripts.run("seat", player_id, int(renews))
        if not row:
            return None
        table_id, seat, room_id, pod, authority, generation = texts(row)
        return SeatTaken(table_id, int(seat), player_id, room_id, pod, authority, int(generation))

    async def open_table(self, table_id: str) -> OpenTable | None:
        """A table that seats somebody, None if it does not (any more)."""
        row = await self._scripts.run("open_table", table_id)
        if not row:
            return None
        room_id, room_json, pod, authority = texts(row)
        return OpenTable(parse_room(room_id, orjson.loads(room_json)), pod, authority)

    async def open_tables(self, room_ids: Sequence[str]) -> tuple[str, ...]:
        """All tables of these rooms that seat somebody."""
        with store_trouble():
            pipeline = self._redis.pipeline(transaction=False)
            for room_id in room_ids:
                pipeline.smembers(f"{TAG}:tables:{room_id}")
            return tuple(text(table_id) for tables in await pipeline.execute() for table_id in tables)

    async def holders(self, table_id: str) -> Holders | None:
        """Who was seated at a table that seats somebody still."""
        row = await self._scripts.run("holders", table_id)
        if not row:
            return None
        epoch, *player_ids = texts(row)
        return Holders(int(epoch), tuple(player_ids))

    async def release(self, table_id: str, epoch: int, player_ids: Sequence[str], *, requeue: bool) -> Released:
        """Frees players of a table, or puts them in front of the queue they came from; idempotent."""
        answer = await self._scripts.run("release", table_id, epoch, int(requeue), self._memory_ms, *player_ids)
        outcome, *player_ids_freed = texts(answer)
        return Released(outcome == "FENCED", tuple(player_ids_freed))

    async def front(self, room_id: str) -> Front:
        """The front of a room's queue."""
        waited_ms, count = await self._scripts.run("oldest", room_id)
        return Front(sys.maxsize if waited_ms == _REQUEUED else int(waited_ms), int(count))

    async def activity(self, room_ids: Sequence[str]) -> Mapping[str, RoomActivity]:
        """How busy each room is."""
        with store_trouble():
            pipeline = self._redis.pipeline(transaction=False)
            for room_id in room_ids:
                pipeline.zcard(f"{TAG}:queue:{room_id}")
                pipeline.scard(f"{TAG}:tables:{room_id}")
            counts = [int(count) for count in await pipeline.execute()]
        return {
            room_id: RoomActivity(counts[2 * index], counts[2 * index + 1]) for index, room_id in enumerate(room_ids)
        }
