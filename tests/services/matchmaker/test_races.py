"""Two replicas and many players at once (reliability 23, 24)."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import TypeVar
from uuid import uuid4

import grpc.aio

from refusals import Reason
from serving.refusing import refusal_of
from tests.services.matchmaker.conftest import LIMIT_S, ROOM, Player, World, eventually

PLAYER_COUNT = 400
AT_ONCE = 40

Answer = TypeVar("Answer")


async def _in_turns(players: list[Player], act: Callable[[Player], Awaitable[Answer]]) -> list[Answer]:
    limit = asyncio.Semaphore(AT_ONCE)

    async def one(player: Player) -> Answer:
        async with limit:
            return await act(player)

    return await asyncio.gather(*(one(player) for player in players))


async def _again(call: Callable[[str], Awaitable[Answer]]) -> Answer:
    """As the client library does: what is away in passing, on a busy machine too, is asked again, with the same id."""
    request_id = str(uuid4())
    async with asyncio.timeout(LIMIT_S):
        while True:
            try:
                return await call(request_id)
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise
            await asyncio.sleep(0.05)


async def _join(player: Player) -> None:
    await _again(lambda request_id: player.join(request_id=request_id))


async def test_two_replicas_seat_hundreds_nobody_twice(world: World) -> None:
    """Reliability 23: no ticket in two matches, no player at two tables; BB-5: the first dealer's seat is drawn."""
    replicas = [await world.matchmaker(), await world.matchmaker()]
    for index in range(3):
        await world.pod(f"table-{index}")
    players = [world.player(replicas[index % 2], f"p{index}") for index in range(PLAYER_COUNT)]
    await _in_turns(players, _join)
    await eventually(lambda: _all_seated(world, PLAYER_COUNT), 30)

    assert Counter(world.logs.players()) == {f"p{index}": 1 for index in range(PLAYER_COUNT)}
    assert len(world.logs.made) == PLAYER_COUNT // 4
    seats = await _in_turns(players, lambda player: _again(lambda _: player.my_seat()))
    for player, seat in zip(players, seats, strict=True):
        _, request = world.logs.made[seat.table_id]
        assert request.seats[seat.seat].player_id == player.player_id
    assert {request.first_dealer for _, request in world.logs.made.values()} == {0, 1, 2, 3}
    assert {pod for pod, _ in world.logs.made.values()} == {"table-0", "table-1", "table-2"}
    made_by = [replica.sample("cardroom_matches_total", {"outcome": "seated"}) for replica in replicas]
    assert sum(count or 0 for count in made_by) == PLAYER_COUNT // 4
    assert all(made_by), "one replica did all the work: no race was run"


async def _all_seated(world: World, count: int) -> bool:
    return bool(await world.redis.zcard("{seats}:matches") == 0 and len(world.logs.players()) == count)


async def test_a_cancel_against_a_match_one_of_the_two_and_both_sides_agree(world: World) -> None:
    """Reliability 24: who was told "cancelled" sits nowhere, who was told "matched" has a seat."""
    replicas = [await world.matchmaker(), await world.matchmaker()]
    await world.pod()
    dice = random.Random(24)
    players = [world.player(replicas[index % 2], f"p{index}") for index in range(160)]

    async def join_and_repent(player: Player) -> bool:
        await _join(player)
        await asyncio.sleep(dice.random() * 0.02)
        try:
            await _again(lambda request_id: player.cancel(request_id=request_id))
        except grpc.aio.AioRpcError as error:
            refusal = refusal_of(error)
            if refusal is None or refusal.reason is not Reason.TICKET_MATCHED:
                raise
            return False
        return True

    cancelled = dict(zip(players, await _in_turns(players, join_and_repent), strict=True))
    await eventually(lambda: _all_seated(world, sum(not gone for gone in cancelled.values())))
    assert 0 < sum(map(bool, cancelled.values())) < len(players), "no race was run"
    seated = set(world.logs.players())
    for player, gone in cancelled.items():
        assert (player.player_id in seated) is not gone
        assert bool(await world.redis.exists(f"{{seats}}:player:{player.player_id}")) is not gone
    assert await world.redis.zcard(f"{{seats}}:queue:{ROOM}") == 0
