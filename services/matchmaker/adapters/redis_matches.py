"""Matches in the making, in Redis. The layout of the keys is told in `lua/prelude.lua`."""

from collections.abc import Mapping, Sequence

import orjson
from redis.asyncio import Redis

from services.matchmaker.adapters.redis_scripts import Scripts, pairs, text
from services.matchmaker.app.rooms import first_dealer, parse_room, row_of
from services.matchmaker.ports import Created, Match, Room, SeatDrawn


class RedisMatches:
    """The port `MatchStore`. A match is held under a lease, measured with the store's clock."""

    def __init__(self, redis: Redis, *, lease_ms: int, memory_ms: int) -> None:
        """`lease_ms`: how long a match is left to its handler without a step; `memory_ms` as in `RedisTickets`."""
        self._scripts = Scripts(redis)
        self._lease_ms = lease_ms
        self._memory_ms = memory_ms

    async def take(self, room: Room, match_id: str, seats: Sequence[int], robots: Sequence[str] = ()) -> Match | None:
        """Takes the first tickets of a room's queue, as many as `seats` beyond the robots, or none."""
        row = orjson.dumps(row_of(room)).decode()
        args: tuple[str | int, ...] = (room.room_id, match_id, row, self._lease_ms, len(robots), *robots, *seats)
        flat = await self._scripts.run("take", *args)
        return _match_of(match_id, pairs(flat)) if flat else None

    async def claim_stale(self, limit: int) -> tuple[Match, ...]:
        """Takes over matches whose handler has let their lease run out."""
        answer = await self._scripts.run("claim_stale", self._lease_ms, limit)
        return tuple(
            _match_of(text(match_id), pairs(flat)) for match_id, flat in zip(answer[::2], answer[1::2], strict=True)
        )

    async def ask(self, match: Match, pod: str) -> int | None:
        """Records the pod about to be asked and renews the lease; the match's age in ms, None if not ours."""
        age_ms = int(await self._scripts.run("ask", match.match_id, match.generation, pod, self._lease_ms))
        return age_ms if age_ms >= 0 else None

    async def grant(self, match: Match, created: Created) -> bool:
        """Gives all seats at once; False if the match is no longer ours."""
        args = (match.match_id, match.generation, created.pod, created.authority, created.epoch)
        return bool(await self._scripts.run("grant", *args))

    async def put_back(self, match: Match) -> bool:
        """Puts all tickets back where they were; False if the match is no longer ours."""
        return bool(await self._scripts.run("put_back", match.match_id, match.generation, self._memory_ms))


def _match_of(match_id: str, row: Mapping[str, str]) -> Match:
    seats = []
    for seat in range(int(row["count"])):
        ticket_id, player_id = row[f"seat:{seat}"].split(" ", 1)
        seats.append(SeatDrawn(seat, ticket_id, player_id))
    room = parse_room(row["room"], orjson.loads(row["room_json"]))
    return Match(
        match_id=match_id,
        room=room,
        seats=tuple(seats),
        first_dealer=first_dealer(room, int(row["owner_seat"])),
        pod=row["pod"],
        generation=int(row["generation"]),
        correlation_id=row.get("correlation", ""),
    )
