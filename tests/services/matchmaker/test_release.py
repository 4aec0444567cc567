"""ReleaseSeats: how a table lets its players go (PF-11, PF-13)."""

import asyncio

from cardroom.matchmaker.v1 import room_pb2

from refusals import Reason
from services.matchmaker.ports import MatchStep
from tests.services.matchmaker.conftest import LIMIT_S, ROOM, Player, Replica, Stall, World, eventually, refused
from tests.services.matchmaker.pods import Mood

FOUR = ("ann", "bob", "cid", "dan")


async def _seated_four(world: World, replica: Replica) -> tuple[str, list[Player]]:
    players = await world.queue(replica, FOUR)
    seat = await players[0].seated()
    return seat.table_id, players


async def test_released_players_are_free_and_a_repeat_frees_nobody(world: World) -> None:
    matchmaker = await world.matchmaker()
    await world.pod()
    table_id, players = await _seated_four(world, matchmaker)
    assert await _open_tables(players[0]) == 1
    assert await matchmaker.release(table_id, FOUR[:3]) == ["ann", "bob", "cid"]
    assert await matchmaker.release(table_id, FOUR) == ["dan"]
    assert await matchmaker.release(table_id, FOUR) == []
    assert await _open_tables(players[0]) == 0
    assert await refused(players[0].my_seat()) is Reason.NO_SEAT
    assert await refused(players[0].last_news()) is Reason.TICKET_UNKNOWN
    assert not (await players[0].join("bloody4-10")).duplicate


async def _open_tables(player: Player) -> int:
    response = await player.rooms.GetRoom(room_pb2.GetRoomRequest(room_id=ROOM), metadata=player.metadata)
    return int(response.room.tables_open)


async def test_a_table_frees_only_its_own_players(world: World) -> None:
    """A player who sits elsewhere by now, or nowhere, is not touched; nor by a table nobody knows."""
    matchmaker = await world.matchmaker()
    await world.pod()
    first, _ = await _seated_four(world, matchmaker)
    await matchmaker.release(first, ["ann"])
    ann, *_ = await world.queue(matchmaker, ["ann", "eve", "fay", "gus"])
    second = (await ann.seated()).table_id
    assert await matchmaker.release(first, ["ann", "nobody"]) == []
    assert await matchmaker.release("no-such-table", ["ann"]) == []
    assert (await ann.my_seat()).table_id == second


async def test_an_older_owner_of_the_table_is_fenced(world: World) -> None:
    """A newer epoch has spoken: the older one frees nobody, also where it is the one the table was made with."""
    matchmaker = await world.matchmaker()
    await world.pod()
    table_id, players = await _seated_four(world, matchmaker)
    assert await matchmaker.release(table_id, ["ann"], epoch=3) == ["ann"]
    assert await refused(matchmaker.release(table_id, ["bob"], epoch=2)) is Reason.FENCED
    assert (await players[1].my_seat()).table_id == table_id
    assert await matchmaker.release(table_id, ["bob"], epoch=3) == ["bob"]
    assert await refused(matchmaker.release(table_id, [], epoch=3)) is Reason.INVALID_FIELD
    assert await refused(matchmaker.release("", ["bob"], epoch=3)) is Reason.INVALID_FIELD


async def test_requeued_players_stand_in_front_under_their_old_tickets(world: World) -> None:
    """PF-13: those who want go back to the queue, before all who wait, in the order the table names."""
    matchmaker = await world.matchmaker()
    pod = await world.pod(slots=1)
    table_id, players = await _seated_four(world, matchmaker)
    (late,) = await world.queue(matchmaker, ["eve"])
    assert await matchmaker.release(table_id, ["cid"]) == ["cid"]
    assert await matchmaker.release(table_id, ["dan", "ann"], requeue=True) == ["dan", "ann"]
    assert await matchmaker.release(table_id, ["bob"], requeue=True) == ["bob"]
    assert await matchmaker.release(table_id, ["dan", "ann", "bob"], requeue=True) == []
    ann, bob, cid, dan = players
    assert [await player.first_place() for player in (bob, dan, ann, late)] == [1, 2, 3, 4]
    assert await refused(ann.join("bloody4-10")) is Reason.ALREADY_QUEUED
    assert await refused(cid.my_seat()) is Reason.NO_SEAT

    pod.pod.slots = 2
    seats = await asyncio.gather(*(player.seated() for player in (bob, dan, ann, late)))
    (again,) = {seat.table_id for seat in seats}
    _, request = world.logs.made[again]
    assert request.first_dealer == seats[0].seat


async def test_a_table_given_up_before_its_seats_were_shown_puts_all_back(world: World) -> None:
    """The matchmaker died between table and seats, and the table closed itself meanwhile: nobody is to blame."""
    stall = Stall(MatchStep.CREATED)
    dying = await world.matchmaker(stall, match_lease_ms=60_000)
    pod = await world.pod()
    players = await world.queue(dying, FOUR)
    await asyncio.wait_for(stall.reached_it.wait(), LIMIT_S)
    await dying.server.kill()
    (table_id,) = world.logs.made
    pod.pod.mood = Mood.HANGS
    heir = await world.matchmaker()
    assert sorted(await heir.release(table_id, FOUR)) == list(FOUR)
    assert await heir.release(table_id, FOUR) == []
    pod.pod.mood = Mood.MAKES
    moved = [world.player(heir, player.player_id) for player in players]
    for player, before in zip(moved, players, strict=True):
        player.ticket_id = before.ticket_id
    seats = await asyncio.gather(*(player.seated() for player in moved))
    assert len({seat.table_id for seat in seats} - {table_id}) == 1


async def test_nothing_is_left_of_a_table_that_is_over_but_memory_that_ends(world: World) -> None:
    """Reliability 21: keys are back to where they were; what remains has an end."""
    matchmaker = await world.matchmaker(memory_ms=200)
    await world.pod()
    before = {key async for key in world.redis.scan_iter("{seats}*")}
    table_id, _ = await _seated_four(world, matchmaker)
    await matchmaker.release(table_id, FOUR)

    async def is_clean() -> bool:
        left = {key async for key in world.redis.scan_iter("{seats}*")} - before
        return left <= {b"{seats}:order", b"{seats}:waits"}

    await eventually(is_clean)
