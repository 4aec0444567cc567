"""Tickets and seats as a game client meets them, over sockets."""

import asyncio
import uuid

import pytest
from cardroom.matchmaker.v1 import matchmaker_pb2
from cardroom.table.v1 import room_pb2

from refusals import Reason
from serving.tokens import Verifier
from tests.services.matchmaker.conftest import ROOM, Replica, World, eventually, refused

FOUR = ("ann", "bob", "cid", "dan")


async def test_four_players_get_one_table_and_each_his_seat(world: World) -> None:
    """PF-10, BB-5: seats 0-3, one table; the oldest ticket is the first dealer; tokens open the seat."""
    matchmaker = await world.matchmaker()
    pod = await world.pod()
    players = await world.queue(matchmaker, FOUR)
    seats = await asyncio.gather(*(player.seated() for player in players))

    assert sorted(seat.seat for seat in seats) == [0, 1, 2, 3]
    (table_id,) = {seat.table_id for seat in seats}
    owner, request = world.logs.made[table_id]
    assert owner == "table-0"
    assert request.first_dealer == seats[0].seat
    assert [row.seat for row in request.seats] == [0, 1, 2, 3]
    by_player = {row.player_id: row.seat for row in request.seats}
    assert by_player == {player.player_id: seat.seat for player, seat in zip(players, seats, strict=True)}

    verifier = Verifier(world.keys / "jwks.json")
    for player, seat in zip(players, seats, strict=True):
        caller = verifier.verify(seat.seat_token)
        assert (caller.role, caller.subject) == ("seat", player.player_id)
        assert (caller.claims["table_id"], caller.claims["seat"]) == (table_id, seat.seat)
        assert abs(seat.expiry.seconds - caller.claims["exp"]) <= 1
        assert (seat.endpoint.pod, seat.endpoint.authority) == ("table-0", pod.pod.authority)
        assert seat.room_id == ROOM


async def test_a_table_is_made_with_the_whole_room(world: World) -> None:
    """PF-1, PF-12, PF-20: stake, clocks and options reach the table."""
    matchmaker = await world.matchmaker()
    await world.pod()
    players = await world.queue(matchmaker, FOUR, "bloody4-demo")
    await players[0].seated()
    ((_, request),) = world.logs.made.values()
    room = request.room
    assert (room.room_id, room.variant, room.asset, room.stake) == ("bloody4-demo", "bloody4", "points", 1)
    assert (room.turn_limit_ms, room.claim_limit_ms, room.dealing_ms, room.deals_max) == (10_000, 2_000, 0, 1)
    assert (room.claim_timing, room.claim_floor_max_ms) == (room_pb2.CLAIM_TIMING_NATURAL, 0)
    assert request.match_id == request.table_id


async def test_a_second_ticket_or_a_ticket_beside_a_seat_is_refused(world: World) -> None:
    """PF-11: one ticket or seat at a time, everywhere."""
    matchmaker = await world.matchmaker()
    await world.pod()
    (ann,) = await world.queue(matchmaker, ["ann"])
    first_ticket = ann.ticket_id
    assert await refused(ann.join()) is Reason.ALREADY_QUEUED
    assert await refused(ann.join("bloody4-10")) is Reason.ALREADY_QUEUED
    await world.queue(matchmaker, FOUR[1:])
    await ann.seated()
    assert await refused(ann.join("bloody4-10")) is Reason.ALREADY_SEATED
    assert ann.ticket_id == first_ticket


async def test_the_same_request_gives_the_same_ticket(world: World) -> None:
    """Idempotency: a repeat is told the ticket, another room under the same id is refused."""
    matchmaker = await world.matchmaker()
    ann = world.player(matchmaker, "ann")
    request_id = str(uuid.uuid4())
    first = await ann.join(request_id=request_id)
    again = await ann.join(request_id=request_id.upper())
    assert (first.duplicate, again.duplicate) == (False, True)
    assert first.ticket_id == again.ticket_id
    assert await refused(ann.join("bloody4-10", request_id)) is Reason.REQUEST_ID_REUSED
    assert await ann.first_place() == 1


async def test_a_hundred_joins_at_once_of_one_player_make_one_ticket(world: World) -> None:
    """PF-11 under a race of two replicas."""
    replicas = [await world.matchmaker(), await world.matchmaker()]
    devices = [world.player(replicas[index % 2], "ann") for index in range(10)]
    outcomes = await asyncio.gather(*(device.join() for device in devices * 10), return_exceptions=True)
    tickets = [outcome for outcome in outcomes if isinstance(outcome, matchmaker_pb2.JoinQueueResponse)]
    assert len(tickets) == 1
    assert await world.redis.zcard(f"{{seats}}:queue:{ROOM}") == 1


async def test_each_obstacle_to_joining_has_its_own_reason(world: World) -> None:
    """Unknown room, too poor, no account, bad ids."""
    matchmaker = await world.matchmaker()
    ann = world.player(matchmaker, "ann")
    assert await refused(ann.join("no-such-room")) is Reason.ROOM_UNKNOWN
    assert await refused(ann.join("")) is Reason.INVALID_FIELD
    assert await refused(ann.join(request_id="seven")) is Reason.INVALID_FIELD
    world.ledger.balances["ann", "coins"] = 199
    assert await refused(ann.join("bloody4-10")) is Reason.BALANCE_BELOW_MINIMUM
    world.ledger.unknown.add("ann")
    assert await refused(ann.join()) is Reason.ACCOUNT_UNKNOWN
    assert await refused(world.player(matchmaker, "ann of york").join()) is Reason.ACCOUNT_UNKNOWN
    world.ledger.unknown.clear()
    world.ledger.balances["ann", "coins"] = 200
    assert not (await ann.join("bloody4-10")).duplicate


async def test_a_ledger_that_is_away_refuses_with_a_retry_and_leaves_no_ticket(world: World) -> None:
    matchmaker = await world.matchmaker()
    assert world.ledger_server is not None
    await world.ledger_server.kill()
    ann = world.player(matchmaker, "ann")
    assert await refused(ann.join()) is Reason.DEPENDENCY_UNAVAILABLE
    assert await world.redis.exists("{seats}:player:ann") == 0


async def test_a_watcher_sees_his_place_and_every_change_of_it(world: World) -> None:
    matchmaker = await world.matchmaker()
    ann, bob = await world.queue(matchmaker, FOUR[:2])
    places = []
    async with asyncio.timeout(60):
        async for news in bob.watch():
            places.append((news.waiting.place, news.waiting.queue_length))
            if places == [(2, 2)]:
                await ann.cancel()
            elif places[-1] == (1, 1):
                break
    assert places == [(2, 2), (1, 1)]


async def test_a_ticket_outlives_its_streams(world: World) -> None:
    """A watcher comes back, also at another replica, and finds place and then seat; also after the seat was shown."""
    one, two = await world.matchmaker(), await world.matchmaker()
    (ann,) = await world.queue(one, ["ann"])
    assert await ann.first_place() == 1
    elsewhere = world.player(two, "ann")
    elsewhere.ticket_id = ann.ticket_id
    assert await elsewhere.first_place() == 1
    await world.pod()
    await world.queue(two, FOUR[1:])
    seat = await elsewhere.seated()
    again = await ann.seated()
    assert (seat.table_id, seat.seat) == (again.table_id, again.seat)


async def test_an_old_stream_ends_with_reconnect_and_the_place_is_kept(world: World) -> None:
    matchmaker = await world.matchmaker(stream_max_age_ms=150)
    (ann,) = await world.queue(matchmaker, ["ann"])
    news = await ann.last_news()
    assert news.ended.cause == matchmaker_pb2.TICKET_END_CAUSE_RECONNECT
    assert await ann.first_place() == 1


async def test_a_shutdown_says_goodbye_to_watchers_and_the_ticket_stays(world: World) -> None:
    leaving, staying = await world.matchmaker(), await world.matchmaker()
    (ann,) = await world.queue(leaving, ["ann"])
    watching = asyncio.create_task(ann.last_news())
    await eventually(lambda: _is_watched(leaving))
    assert await leaving.server.stop()
    assert (await watching).ended.cause == matchmaker_pb2.TICKET_END_CAUSE_SHUTDOWN
    elsewhere = world.player(staying, "ann")
    elsewhere.ticket_id = ann.ticket_id
    assert await elsewhere.first_place() == 1


async def _is_watched(replica: Replica) -> bool:
    labels = {"service": "cardroom.matchmaker.v1.MatchmakerService", "method": "WatchTicket"}
    return replica.sample("cardroom_rpc_in_flight", labels) == 1


async def test_a_cancelled_ticket_is_gone_and_cancelling_again_is_no_error(world: World) -> None:
    matchmaker = await world.matchmaker()
    (ann,) = await world.queue(matchmaker, ["ann"])
    first = ann.ticket_id
    watching = asyncio.create_task(ann.last_news())
    await ann.cancel()
    await ann.cancel()
    assert (await watching).ended.cause == matchmaker_pb2.TICKET_END_CAUSE_CANCELLED
    assert not (await ann.join()).duplicate
    assert ann.ticket_id != first


async def test_another_players_ticket_does_not_exist_for_me(world: World) -> None:
    matchmaker = await world.matchmaker()
    (ann,) = await world.queue(matchmaker, ["ann"])
    bob = world.player(matchmaker, "bob")
    assert await refused(bob.cancel(ann.ticket_id)) is Reason.TICKET_UNKNOWN
    assert await refused(bob.last_news(ann.ticket_id)) is Reason.TICKET_UNKNOWN
    assert await refused(bob.last_news("no-such-ticket")) is Reason.TICKET_UNKNOWN
    assert await ann.first_place() == 1


async def test_a_ticket_with_a_seat_cannot_be_cancelled(world: World) -> None:
    matchmaker = await world.matchmaker()
    await world.pod()
    players = await world.queue(matchmaker, FOUR)
    await players[0].seated()
    assert await refused(players[0].cancel()) is Reason.TICKET_MATCHED


async def test_a_seat_is_found_again_from_another_device(world: World) -> None:
    """Reliability 13: a fresh login finds the seat, with a token of its own; without a seat NO_SEAT."""
    one, two = await world.matchmaker(), await world.matchmaker()
    await world.pod()
    (ann,) = await world.queue(one, ["ann"])
    assert await refused(ann.my_seat()) is Reason.NO_SEAT
    await world.queue(one, FOUR[1:])
    seat = await ann.seated()
    other = await world.player(two, "ann").my_seat()
    assert (other.table_id, other.seat, other.endpoint) == (seat.table_id, seat.seat, seat.endpoint)
    assert Verifier(world.keys / "jwks.json").verify(other.seat_token).claims["table_id"] == seat.table_id


async def test_a_seat_names_a_pod_that_lives(world: World) -> None:
    """A pod that came back elsewhere is found under its new address, for one that is gone another one is named."""
    matchmaker = await world.matchmaker()
    first = await world.pod()
    players = await world.queue(matchmaker, FOUR)
    seat = await players[0].seated()
    await first.stop()
    again = await world.pod()
    moved = await players[0].my_seat()
    assert moved.endpoint.authority == again.pod.authority != seat.endpoint.authority
    await again.stop()
    await world.pod("table-1")

    async def is_elsewhere() -> bool:
        return (await players[0].my_seat()).endpoint.pod == "table-1"

    await eventually(is_elsewhere)


@pytest.mark.parametrize("role", ["table", "operator"])
async def test_only_players_queue(world: World, role: str) -> None:
    matchmaker = await world.matchmaker()
    ann = world.player(matchmaker, "ann")
    ann.metadata = (("authorization", f"Bearer {world.mint(role, 'somebody')}"),)
    assert await refused(ann.join()) is Reason.ROLE_NOT_ALLOWED
