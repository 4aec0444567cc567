"""A world to match in: a store, a ledger, table pods, matchmakers and players on sockets."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import grpc.aio
import pytest
from cardroom.matchmaker.v1 import (
    matchmaker_pb2,
    matchmaker_pb2_grpc,
    room_pb2_grpc,
    seat_pb2,
    seat_pb2_grpc,
)
from redis.asyncio import Redis

from refusals import Reason
from services.matchmaker.adapters.chance import SystemChance
from services.matchmaker.adapters.checkpoints import NoCheckpoints
from services.matchmaker.adapters.rooms_file import read_rooms
from services.matchmaker.component import MatchmakerComponent
from services.matchmaker.ports import Chance, Checkpoints, MatchStep, Room
from services.matchmaker.settings import MatchmakerSettings
from serving.channels import connect
from serving.metrics import Metrics
from serving.refusing import refusal_of
from serving.runtime import make_runtime
from serving.server import RunningServer, start_server
from serving.store import connect_redis
from tests.conftest import STORE_PATIENCE_MS, Mint
from tests.services.matchmaker.pods import Ledger, Mood, Pod, RunningPod, TableLogs, server_settings

LEASE_MS = 800
CREATE_DEADLINE_MS = 500
GIVE_UP_MS = 6_000
POD_LEASE_MS = 1_500
RETRY_MS = 20
REST_MS = 100
LIMIT_S = 60.0
ROOM = "bloody4-1"


async def eventually(holds: Callable[[], Awaitable[bool]], limit_s: float = LIMIT_S) -> None:
    """Waits until it holds; fails after the limit."""
    async with asyncio.timeout(limit_s):
        while not await holds():  # noqa: ASYNC110  the store and other processes ring no event here
            await asyncio.sleep(0.01)


async def refused(call: Awaitable[object]) -> Reason:
    """The reason a call is refused with; fails if it is not refused."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    refusal = refusal_of(caught.value)
    assert refusal is not None, caught.value
    return refusal.reason


class Stall:
    """Checkpoints that never come back from one step: the matchmaker is dead for everybody else."""

    def __init__(self, step: MatchStep) -> None:
        self.step = step
        self.reached_it = asyncio.Event()
        self.revive = asyncio.Event()

    async def reached(self, step: MatchStep) -> None:
        if step is self.step:
            self.reached_it.set()
            await self.revive.wait()


@dataclass
class Replica:
    """A matchmaker that serves."""

    server: RunningServer
    metrics: Metrics
    service: grpc.aio.Channel
    players: grpc.aio.Channel

    async def release(
        self, table_id: str, players: Sequence[str], *, epoch: int = 1, requeue: bool = False
    ) -> list[str]:
        """ReleaseSeats as a table."""
        request = seat_pb2.ReleaseSeatsRequest(table_id=table_id, epoch=epoch, player_ids=players, requeue=requeue)
        response: seat_pb2.ReleaseSeatsResponse = await seat_pb2_grpc.SeatServiceStub(self.service).ReleaseSeats(
            request
        )
        return list(response.released_player_ids)

    def sample(self, name: str, labels: dict[str, str]) -> float | None:
        """A metric's value."""
        return self.metrics.registry.get_sample_value(name, labels)


class Player:
    """A player; all of a replica share its one connection."""

    def __init__(self, player_id: str, replica: Replica, token: str) -> None:
        self.player_id = player_id
        self.metadata = (("authorization", f"Bearer {token}"),)
        self.stub = matchmaker_pb2_grpc.MatchmakerServiceStub(replica.players)
        self.rooms = room_pb2_grpc.RoomServiceStub(replica.players)
        self.ticket_id = ""

    async def join(self, room_id: str = ROOM, request_id: str | None = None) -> matchmaker_pb2.JoinQueueResponse:
        request = matchmaker_pb2.JoinQueueRequest(request_id=request_id or str(uuid.uuid4()), room_id=room_id)
        response: matchmaker_pb2.JoinQueueResponse = await self.stub.JoinQueue(request, metadata=self.metadata)
        self.ticket_id = response.ticket_id
        return response

    async def cancel(self, ticket_id: str | None = None, request_id: str | None = None) -> None:
        request = matchmaker_pb2.CancelTicketRequest(
            ticket_id=ticket_id or self.ticket_id, request_id=request_id or str(uuid.uuid4())
        )
        await self.stub.CancelTicket(request, metadata=self.metadata)

    async def watch(self, ticket_id: str | None = None) -> AsyncIterator[matchmaker_pb2.WatchTicketResponse]:
        request = matchmaker_pb2.WatchTicketRequest(ticket_id=ticket_id or self.ticket_id)
        async for news in self.stub.WatchTicket(request, metadata=self.metadata):
            yield news

    async def last_news(self, ticket_id: str | None = None) -> matchmaker_pb2.WatchTicketResponse:
        """The last message of the ticket's stream."""
        async with asyncio.timeout(LIMIT_S):
            return [news async for news in self.watch(ticket_id)][-1]

    async def first_place(self) -> int:
        """The place the ticket's stream shows first."""
        async with asyncio.timeout(LIMIT_S):
            async for news in self.watch():
                return news.waiting.place
        raise AssertionError("no news")

    async def seated(self) -> matchmaker_pb2.Seat:
        """The seat the ticket becomes."""
        news = await self.last_news()
        assert news.WhichOneof("kind") == "seat", news
        return news.seat

    async def my_seat(self) -> matchmaker_pb2.Seat:
        response: matchmaker_pb2.GetMySeatResponse = await self.stub.GetMySeat(
            matchmaker_pb2.GetMySeatRequest(), metadata=self.metadata
        )
        return response.seat


class World:
    """Everything around the matchmaker; `close` ends it all."""

    def __init__(self, redis: Redis, redis_url: str, keys: Path, mint: Mint) -> None:
        self.redis = redis
        self.redis_url = redis_url
        self.keys = keys
        self.mint = mint
        self.logs = TableLogs()
        self.ledger = Ledger()
        self.ledger_server: RunningServer | None = None
        self._channels: list[grpc.aio.Channel] = []
        self._replicas: list[Replica] = []
        self._pods: list[RunningPod] = []

    async def start_ledger(self) -> RunningServer:
        settings = server_settings(self.keys)
        self.ledger_server = await start_server(
            "ledger", settings, self.ledger, make_runtime("ledger", settings), port=0
        )
        return self.ledger_server

    def settings(self, **changes: object) -> MatchmakerSettings:
        """Settings with short clocks."""
        assert self.ledger_server is not None
        values: dict[str, object] = {
            "jwks_file": self.keys / "jwks.json",
            "service_key_file": self.keys / "service.pem",
            "seat_key_file": self.keys / "seat.pem",
            "log_level": "error",
            "drain_limit_ms": 3_000,
            "redis_url": self.redis_url,
            "ledger_address": f"127.0.0.1:{self.ledger_server.port}",
            "match_lease_ms": LEASE_MS,
            "match_give_up_ms": GIVE_UP_MS,
            "create_deadline_ms": CREATE_DEADLINE_MS,
            "create_retry_ms": RETRY_MS,
            "queue_poll_ms": 50,
            "rest_ms": REST_MS,
            "place_refresh_ms": 100,
            "pod_lease_ms": POD_LEASE_MS,
        }
        return MatchmakerSettings.model_validate(values | changes)

    async def matchmaker(
        self,
        checkpoints: Checkpoints | None = None,
        chance: Chance | None = None,
        rooms: Sequence[Room] | None = None,
        **changes: object,
    ) -> Replica:
        """One more matchmaker on the same store."""
        settings = self.settings(**changes)
        runtime = make_runtime("matchmaker", settings)
        redis = await connect_redis(settings.redis_url, timeout_ms=STORE_PATIENCE_MS)
        component = MatchmakerComponent(
            runtime,
            redis,
            read_rooms(None) if rooms is None else rooms,
            checkpoints=checkpoints or NoCheckpoints(),
            chance=chance or SystemChance(),
        )
        server = await start_server("matchmaker", settings, component, runtime, port=0)
        address, token = f"127.0.0.1:{server.port}", self.mint("table", "table-0")
        replica = Replica(server, runtime.metrics, self._connect(address, lambda: token), self._connect(address, None))
        self._replicas.append(replica)
        return replica

    async def pod(
        self, name: str = "table-0", *, slots: int = 1_000, mood: Mood = Mood.MAKES, draining: bool = False
    ) -> RunningPod:
        """One more table pod."""
        pod = Pod(name, self.logs, slots=slots, mood=mood)
        running = await RunningPod.start(pod, self.keys, self.redis, POD_LEASE_MS, draining=draining)
        self._pods.append(running)
        return running

    def player(self, replica: Replica, player_id: str) -> Player:
        """A player who talks to this replica."""
        return Player(player_id, replica, self.mint("player", player_id))

    async def queue(self, replica: Replica, names: Sequence[str], room_id: str = ROOM) -> list[Player]:
        """Players that join one after the other."""
        players = [self.player(replica, name) for name in names]
        for player in players:
            await player.join(room_id)
        return players

    def _connect(self, address: str, token: Callable[[], str] | None) -> grpc.aio.Channel:
        channel = connect(address, token=token)
        self._channels.append(channel)
        return channel

    async def close(self) -> None:
        await asyncio.gather(*(channel.close() for channel in self._channels))
        await asyncio.gather(*(replica.server.kill() for replica in self._replicas))
        await asyncio.gather(*(pod.stop() for pod in self._pods))
        if self.ledger_server is not None:
            await self.ledger_server.kill()


@pytest.fixture
async def world(redis_url: str, keys: Path, mint: Mint) -> AsyncIterator[World]:
    """A fresh world: the store is empty, no pod and no matchmaker runs yet."""
    redis = await connect_redis(redis_url, timeout_ms=STORE_PATIENCE_MS)
    await redis.flushdb()
    world = World(redis, redis_url, keys, mint)
    await world.start_ledger()
    yield world
    await world.close()
    await redis.aclose()
