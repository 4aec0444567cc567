"""The matchmaker put together: which adapter stands behind which port."""

import asyncio
from collections.abc import Sequence
from typing import cast

import grpc.aio
from cardroom.matchmaker.v1 import (
    matchmaker_pb2,
    matchmaker_pb2_grpc,
    pod_pb2_grpc,
    room_pb2,
    room_pb2_grpc,
    seat_pb2,
    seat_pb2_grpc,
)
from redis.asyncio import Redis

from services.matchmaker.adapters.chance import SystemChance
from services.matchmaker.adapters.checkpoints import NoCheckpoints
from services.matchmaker.adapters.grpc_ledger import GrpcLedger
from services.matchmaker.adapters.grpc_tables import GrpcTables
from services.matchmaker.adapters.meters import PrometheusMeters
from services.matchmaker.adapters.redis_matches import RedisMatches
from services.matchmaker.adapters.redis_news import bring_news
from services.matchmaker.adapters.redis_robots import RedisRobots
from services.matchmaker.adapters.redis_rooms import RedisRooms
from services.matchmaker.adapters.redis_tickets import RedisTickets
from services.matchmaker.adapters.registry_pods import RegistryPods
from services.matchmaker.adapters.robot_accounts import GrpcRobotAccounts
from services.matchmaker.adapters.rooms_file import RoomsFileError, read_rooms
from services.matchmaker.adapters.seat_tokens import SignedSeatTokens
from services.matchmaker.adapters.traces import CallTraces
from services.matchmaker.app.filling import Filler
from services.matchmaker.app.matching import Matcher, MatchingLimits
from services.matchmaker.app.news import NewsDesk
from services.matchmaker.app.rooms import Rooms
from services.matchmaker.app.seats import Seats
from services.matchmaker.app.sweeping import Sweeper
from services.matchmaker.app.tickets import Tickets
from services.matchmaker.edge.pods import POD_SERVICE, PodServicer
from services.matchmaker.edge.servicers import MatchmakerServicer, RoomServicer, SeatServicer
from services.matchmaker.ports import Chance, Checkpoints, Room
from services.matchmaker.settings import MatchmakerSettings
from serving.channels import connect
from serving.errors import StartError
from serving.registry import PodRegistry
from serving.runtime import Runtime
from serving.store import connect_redis
from serving.tasks import end_tasks
from serving.tokens import Minter, ServiceTokens

_SERVICES = (
    matchmaker_pb2.DESCRIPTOR.services_by_name["MatchmakerService"].full_name,
    room_pb2.DESCRIPTOR.services_by_name["RoomService"].full_name,
    seat_pb2.DESCRIPTOR.services_by_name["SeatService"].full_name,
    POD_SERVICE.full_name,
)


class MatchmakerComponent:
    """A matchmaker; any number may run on one store."""

    def __init__(
        self,
        runtime: Runtime,
        redis: Redis,
        shipped: Sequence[Room],
        *,
        checkpoints: Checkpoints,
        chance: Chance,
    ) -> None:
        """`shipped`: rooms written into the store where it has none of that id."""
        settings = cast("MatchmakerSettings", runtime.settings)
        clock, log = runtime.clock, runtime.log
        self._runtime = runtime
        self._redis = redis
        self._shipped = shipped
        token = ServiceTokens(settings.service_key_file, "matchmaker", "matchmaker", clock=clock)
        self._ledger_channel = connect(settings.ledger_address, token=token)
        # Robots are logged in here, as people are by the operator's own backend.
        login = ServiceTokens(settings.service_key_file, "login", "matchmaker", clock=clock)
        self._login_channel = connect(settings.ledger_address, token=login)
        tokens = SignedSeatTokens(
            Minter(settings.seat_key_file, clock), clock, life_seconds=settings.seat_token_seconds
        )
        self._tables = GrpcTables(
            token,
            deadline_ms=settings.create_deadline_ms,
            spectate=lambda table_id: tokens.mint_spectator("matchmaker", table_id).token,
        )
        self._desk = NewsDesk(follower_count_max=settings.follower_count_max)
        self._room_store = RedisRooms(redis, log)
        tickets = RedisTickets(redis, memory_ms=settings.memory_ms)
        pods = RegistryPods(PodRegistry(redis, lease_ms=settings.pod_lease_ms))
        seats = Seats(tickets=tickets, pods=pods, tokens=tokens)
        matches = RedisMatches(redis, lease_ms=settings.match_lease_ms, memory_ms=settings.memory_ms)
        meters = PrometheusMeters(runtime.metrics)
        ledger = GrpcLedger(self._ledger_channel)
        filler = Filler(
            tickets=tickets,
            matches=matches,
            robots=RedisRobots(redis),
            ledger=ledger,
            accounts=GrpcRobotAccounts(self._login_channel),
            chance=chance,
            meters=meters,
        )
        self._matcher = Matcher(
            filler=filler,
            traces=CallTraces(),
            rooms=self._room_store,
            tickets=tickets,
            matches=matches,
            pods=pods,
            tables=self._tables,
            desk=self._desk,
            chance=chance,
            clock=clock,
            checkpoints=checkpoints,
            meters=meters,
            journal=log,
            limits=MatchingLimits(
                give_up_ms=settings.match_give_up_ms,
                retry_ms=settings.create_retry_ms,
                poll_ms=settings.queue_poll_ms,
                rest_ms=settings.rest_ms,
                in_flight_max=settings.match_count_max,
            ),
        )
        tickets_case = Tickets(
            tickets=tickets,
            rooms=self._room_store,
            ledger=ledger,
            seats=seats,
            desk=self._desk,
            chance=chance,
            clock=clock,
            place_refresh_ms=settings.place_refresh_ms,
            stream_max_age_ms=settings.stream_max_age_ms,
        )
        self._matchmaker = MatchmakerServicer(tickets_case, seats)
        self._rooms = RoomServicer(Rooms(self._room_store, tickets))
        self._seats = SeatServicer(seats)
        self._pods = PodServicer(pods)
        self._sweeper = Sweeper(
            rooms=self._room_store,
            tickets=tickets,
            pods=pods,
            tables=self._tables,
            clock=clock,
            journal=log,
            every_ms=settings.sweep_every_ms,
        )
        self._tasks: list[asyncio.Task[None]] = []

    def register(self, server: grpc.aio.Server) -> Sequence[str]:
        """Adds the four services."""
        matchmaker_pb2_grpc.add_MatchmakerServiceServicer_to_server(self._matchmaker, server)
        room_pb2_grpc.add_RoomServiceServicer_to_server(self._rooms, server)
        seat_pb2_grpc.add_SeatServiceServicer_to_server(self._seats, server)
        pod_pb2_grpc.add_PodServiceServicer_to_server(self._pods, server)
        return _SERVICES

    async def start(self) -> None:
        """Puts the shipped rooms where they are missing and begins to match."""
        written = await self._room_store.add_missing(self._shipped)
        if written:
            self._runtime.log.info("rooms_written", room_ids=list(written))
        news = bring_news(self._redis, self._desk, self._runtime.clock, self._runtime.log)
        self._tasks = [asyncio.create_task(work) for work in (self._matcher.run(), news, self._sweeper.run())]

    async def drain(self) -> None:
        """Takes no more players, says goodbye on all streams, brings matches in the making to their end."""
        self._desk.close()
        if self._tasks:
            await self._tasks[0]
        await self._matcher.finish()

    async def stop(self) -> None:
        """Drops what is left (another replica takes it over) and closes all connections."""
        await end_tasks(*self._tasks, *self._matcher.in_flight)
        await self._tables.close()
        await self._ledger_channel.close()
        await self._login_channel.close()
        await self._redis.aclose()


async def build(runtime: Runtime) -> MatchmakerComponent:
    """A matchmaker as the settings say.

    Raises: StartError: rooms that are not acceptable, a store or a key that is missing.
    """
    settings = cast("MatchmakerSettings", runtime.settings)
    try:
        shipped = read_rooms(settings.rooms_file)
    except RoomsFileError as error:
        raise StartError(str(error)) from error
    redis = await connect_redis(settings.redis_url, trust_store=settings.trust_store, log=runtime.log)
    return MatchmakerComponent(runtime, redis, shipped, checkpoints=NoCheckpoints(), chance=SystemChance())
