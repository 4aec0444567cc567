"""Bots fill a table after the room's wait, from funded accounts, and never stand in anybody's way (PF-10)."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from services.matchmaker.adapters.rooms_file import read_rooms
from services.matchmaker.ports import MatchStep, Room
from tests.services.matchmaker.conftest import ROOM, Replica, Stall, World, eventually
from tests.services.matchmaker.pods import Mood

WAIT_MS = 300
NAMES = ("anna", "bert", "cora")


def rooms(**changes: object) -> Sequence[Room]:
    """The room of these tests, where bots come after a short wait."""
    (room,) = (room for room in read_rooms(None) if room.room_id == ROOM)
    fields: dict[str, object] = {"bots_allowed": True, "bot_wait_ms": WAIT_MS, "bot_policy": "uniform"}
    return (replace(room, **{**fields, **changes}),)  # type: ignore[arg-type]  # fields by their names


async def busy(replica: Replica, world: World) -> bool:
    """Whether a table has been made."""
    return bool(world.logs.made)


@pytest.mark.parametrize("count", [1, 2, 3])
async def test_bots_take_the_seats_that_are_left_after_the_wait_pf_10(world: World, count: int) -> None:
    await world.pod()
    replica = await world.matchmaker(rooms=rooms())
    players = await world.queue(replica, NAMES[:count])
    seats = [await player.seated() for player in players]
    (_, request), *_ = world.logs.made.values()
    assert {seat.table_id for seat in seats} == {request.table_id}
    people = {row.seat: row.player_id for row in request.seats if not row.bot_policy}
    assert people == {seat.seat: player.player_id for seat, player in zip(seats, players, strict=True)}
    robots = [row for row in request.seats if row.bot_policy]
    assert len(robots) == 4 - count
    assert all(row.player_id.startswith("robot:") and row.bot_policy == "uniform" for row in robots)
    assert {row.player_id for row in robots} == world.ledger.robots
    assert request.seats[request.first_dealer].player_id == "anna"


async def test_no_bot_comes_before_the_wait_or_where_the_room_allows_none_pf_10(world: World) -> None:
    await world.pod()
    patient = await world.matchmaker(rooms=rooms(bot_wait_ms=600_000))
    (anna,) = await world.queue(patient, ["anna"])
    assert await anna.first_place() == 1
    await world.queue(patient, ["bert", "cora"])
    assert not world.logs.made
    await world.queue(patient, ["dora"])
    await anna.seated()
    assert world.ledger.robots == set()


async def test_a_robot_sits_at_one_table_at_a_time_and_is_used_again_pf_11(world: World) -> None:
    await world.pod()
    replica = await world.matchmaker(rooms=rooms(bot_wait_ms=0))
    seat = await (await world.queue(replica, ["anna"]))[0].seated()
    await (await world.queue(replica, ["bert"]))[0].seated()
    first, second = ({row.player_id for row in request.seats} for _, request in world.logs.made.values())
    assert not first & second
    assert len(world.ledger.robots) == 6
    released = await replica.release(seat.table_id, sorted(first), requeue=True)
    assert set(released) == first
    # Anna is back in front and has had her wait: a table comes at once, with robots that were there before.
    await eventually(lambda: _made(world, 3))
    assert len(world.ledger.robots) == 6


async def _made(world: World, count: int) -> bool:
    return len(world.logs.made) == count


async def test_one_of_four_never_comes_and_the_others_keep_their_place_reliability_27(world: World) -> None:
    """The table sends those who came back in front; a bot takes the seat of him who did not."""
    await world.pod()
    replica = await world.matchmaker(rooms=rooms(bot_wait_ms=600_000))
    players = await world.queue(replica, [*NAMES, "dora"])
    table_id = (await players[0].seated()).table_id
    later = await world.queue(replica, ["emil"])
    await replica.release(table_id, ["dora"])
    await replica.release(table_id, list(NAMES), requeue=True)
    await players[0].seated()
    _, request = list(world.logs.made.values())[-1]
    assert {row.player_id for row in request.seats} == {*NAMES, "emil"}
    # And where nobody else waits, at once with a bot: they have had their wait.
    await replica.release(request.table_id, ["emil"])
    await replica.release(request.table_id, list(NAMES), requeue=True)
    await eventually(lambda: _made(world, 3))
    _, request = list(world.logs.made.values())[-1]
    assert {row.player_id for row in request.seats if not row.bot_policy} == set(NAMES)
    assert len([row for row in request.seats if row.bot_policy]) == 1
    assert later[0].player_id == "emil"


async def test_a_robot_that_is_short_rests_and_another_takes_its_place(world: World) -> None:
    await world.pod()
    replica = await world.matchmaker(rooms=rooms(bot_wait_ms=0))
    seat = await (await world.queue(replica, ["anna"]))[0].seated()
    short, *_ = robots = sorted(world.ledger.robots)
    world.ledger.balances[short, "points"] = 5
    await replica.release(seat.table_id, [*robots, "anna"])
    await (await world.queue(replica, ["bert"]))[0].seated()
    _, request = list(world.logs.made.values())[-1]
    assert short not in {row.player_id for row in request.seats}
    assert len(world.ledger.robots) == 4


@pytest.mark.parametrize("outcome", ["exhausted", "poor"])
async def test_without_funded_robots_the_queue_waits_for_people(world: World, outcome: str) -> None:
    """The robots' fund is spent, or what a robot begins with is too little for the room."""
    if outcome == "exhausted":
        world.ledger.robot_count_max = 2
    else:
        world.ledger.robot_opening = 3
    await world.pod()
    replica = await world.matchmaker(rooms=rooms(bot_wait_ms=0))
    players = await world.queue(replica, ["anna"])

    async def tried() -> bool:
        return bool(replica.sample("cardroom_bot_fills_total", {"outcome": outcome}))

    await eventually(tried)
    assert not world.logs.made
    assert len(world.ledger.robots) <= 2
    players += await world.queue(replica, ["bert", "cora", "dora"])
    await players[0].seated()
    _, request = list(world.logs.made.values())[-1]
    assert not any(row.bot_policy for row in request.seats)


async def test_robots_of_a_match_that_led_nowhere_are_free_again(world: World) -> None:
    """No pod takes the table: people wait again as they did, robots are there for the next try, none queues."""
    pod = await world.pod(slots=1, mood=Mood.HANGS)
    replica = await world.matchmaker(rooms=rooms(bot_wait_ms=0), match_give_up_ms=600)
    (anna,) = await world.queue(replica, ["anna"])

    async def put_back() -> bool:
        return bool(replica.sample("cardroom_matches_total", {"outcome": "put_back"}))

    await eventually(put_back)
    pod.pod.mood = Mood.MAKES
    await anna.seated()
    assert len(world.ledger.robots) == 3


async def test_a_matchmaker_that_dies_after_taking_robots_is_followed_by_another(world: World) -> None:
    await world.pod()
    stall = Stall(MatchStep.TAKEN)
    first = await world.matchmaker(checkpoints=stall, rooms=rooms(bot_wait_ms=0))
    (anna,) = await world.queue(first, ["anna"])
    await stall.reached_it.wait()
    second = await world.matchmaker(rooms=rooms(bot_wait_ms=0))
    seat = await world.player(second, "anna").last_news(anna.ticket_id)
    assert seat.WhichOneof("kind") == "seat"
    assert len(world.ledger.robots) == 3
