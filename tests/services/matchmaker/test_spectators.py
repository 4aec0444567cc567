"""GetSpectatorToken and the generations of seat tokens (PF-11, PF-40)."""

import jwt
import orjson
import pytest
from cardroom.matchmaker.v1 import matchmaker_pb2

from refusals import Reason
from services.matchmaker.adapters.rooms_file import read_rooms
from services.matchmaker.app.rooms import RoomProblem, parse_room, row_of
from tests.services.matchmaker.conftest import ROOM, Player, World, refused

DELAY_MS = 45_000


async def _allow(world: World, allowed: bool) -> None:
    """The room as an operator has changed it, before any table of it."""
    row = row_of(next(room for room in read_rooms(None) if room.room_id == ROOM))
    row |= {"spectators_allowed": allowed, "spectator_delay_ms": DELAY_MS}
    await world.redis.hset("{seats}:rooms", ROOM, orjson.dumps(row))


async def _token(player: Player, table_id: str) -> matchmaker_pb2.GetSpectatorTokenResponse:
    response: matchmaker_pb2.GetSpectatorTokenResponse = await player.stub.GetSpectatorToken(
        matchmaker_pb2.GetSpectatorTokenRequest(table_id=table_id), metadata=player.metadata
    )
    return response


def claims(token: str) -> dict[str, object]:
    return jwt.decode(token, options={"verify_signature": False})


async def test_whoever_is_logged_in_may_watch_where_the_room_allows_it(world: World) -> None:
    matchmaker = await world.matchmaker()
    await _allow(world, True)
    await world.pod()
    players = await world.queue(matchmaker, ["ann", "bob", "cid", "dan"])
    seat = await players[0].seated()
    eve = world.player(matchmaker, "eve")
    answer = await _token(eve, seat.table_id)
    assert (answer.table_id, answer.room_id, answer.delay_ms) == (seat.table_id, ROOM, DELAY_MS)
    assert answer.endpoint == seat.endpoint
    held = claims(answer.spectator_token)
    assert (held["role"], held["sub"], held["table_id"]) == ("spectator", "eve", seat.table_id)
    assert await refused(_token(eve, "no-such-table")) is Reason.TABLE_UNKNOWN
    assert await refused(_token(eve, "")) is Reason.INVALID_FIELD
    await matchmaker.release(seat.table_id, ["ann", "bob", "cid", "dan"])
    assert await refused(_token(eve, seat.table_id)) is Reason.TABLE_UNKNOWN


async def test_where_the_room_does_not_nobody_may(world: World) -> None:
    """PF-2: the room as it was when the table was made counts."""
    matchmaker = await world.matchmaker()
    await world.pod()
    players = await world.queue(matchmaker, ["ann", "bob", "cid", "dan"])
    seat = await players[0].seated()
    await _allow(world, True)
    assert await refused(_token(world.player(matchmaker, "eve"), seat.table_id)) is Reason.SPECTATORS_NOT_ALLOWED


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("spectators_allowed", 1),
        ("spectators_allowed", "yes"),
        ("spectator_delay_ms", -1),
        ("spectator_delay_ms", 600_001),
        ("spectator_delay_ms", 1.5),
        ("spectator_delay_ms", True),
    ],
)
def test_an_absurd_room_is_refused_by_the_field_s_name(field: str, value: object) -> None:
    row = row_of(next(room for room in read_rooms(None) if room.room_id == ROOM))
    with pytest.raises(RoomProblem) as caught:
        parse_room(ROOM, row | {field: value})
    assert caught.value.field == field


async def test_only_getmyseat_begins_a_new_generation_of_seat_tokens(world: World) -> None:
    """PF-11: the ticket's own stream gives the same generation again; a new login the next one."""
    matchmaker = await world.matchmaker()
    await world.pod()
    players = await world.queue(matchmaker, ["ann", "bob", "cid", "dan"])
    ann = players[0]
    first, again = [claims((await ann.seated()).seat_token) for _ in range(2)]
    assert (first["generation"], again["generation"]) == (0, 0)
    assert [claims((await ann.my_seat()).seat_token)["generation"] for _ in range(2)] == [1, 2]
    assert claims((await ann.seated()).seat_token)["generation"] == 2
    assert claims((await players[1].my_seat()).seat_token)["generation"] == 1
