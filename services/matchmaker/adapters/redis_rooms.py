"""Rooms in Redis: one hash, room id -> row as JSON, which operators may change at run time (PF-1)."""

from collections.abc import Sequence

import orjson
from redis.asyncio import Redis

from services.matchmaker.adapters.redis_scripts import TAG, store_trouble
from services.matchmaker.app.rooms import RoomProblem, parse_room, row_of
from services.matchmaker.ports import Journal, Room

_KEY = f"{TAG}:rooms"


class RedisRooms:
    """The port `RoomStore`."""

    def __init__(self, redis: Redis, journal: Journal) -> None:
        self._redis = redis
        self._journal = journal
        self._parsed: dict[str, tuple[bytes | str, Room | None]] = {}

    async def add_missing(self, rooms: Sequence[Room]) -> tuple[str, ...]:
        """Writes rooms the store does not have, leaves the others alone. Returns the ids written."""
        with store_trouble():
            pipeline = self._redis.pipeline(transaction=False)
            for room in rooms:
                pipeline.hsetnx(_KEY, room.room_id, orjson.dumps(row_of(room)))
            written = await pipeline.execute()
        return tuple(room.room_id for room, new in zip(rooms, written, strict=True) if new)

    async def all(self) -> tuple[Room, ...]:
        """All rooms, by id. A row that is not acceptable is left out and logged once."""
        with store_trouble():
            rows = await self._redis.hgetall(_KEY)
        rooms = (self._room(_readable(room_id), row) for room_id, row in rows.items())
        return tuple(sorted((room for room in rooms if room is not None), key=lambda room: room.room_id))

    async def get(self, room_id: str) -> Room | None:
        """One room, None if there is none or its row is not acceptable."""
        with store_trouble():
            row = await self._redis.hget(_KEY, room_id)
        return None if row is None else self._room(room_id, row)

    def _room(self, room_id: str, row: bytes | str) -> Room | None:
        """Parsed once a change."""
        known = self._parsed.get(room_id)
        if known is not None and known[0] == row:
            return known[1]
        room = None
        try:
            room = parse_room(room_id, orjson.loads(row))
        except orjson.JSONDecodeError:
            self._journal.warning("room_ignored", room_id=room_id, field="", detail="is no JSON")
        except RoomProblem as problem:
            self._journal.warning("room_ignored", room_id=room_id, field=problem.field, detail=problem.detail)
        self._parsed[room_id] = (row, room)
        return room


def _readable(room_id: bytes | str) -> str:
    """A room's id; one that is no text becomes one that no room can have."""
    return room_id.decode(errors="replace") if isinstance(room_id, bytes) else room_id
