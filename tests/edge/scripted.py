"""A component whose answers a test writes, and a real server around it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import grpc.aio
import orjson
from cardroom.matchmaker.v1 import room_pb2, room_pb2_grpc
from cardroom.scoring.v1 import scoring_pb2, scoring_pb2_grpc
from cardroom.table.v1 import table_pb2, table_pb2_grpc

from serving.logs import make_log
from serving.metrics import Metrics
from serving.runtime import Clock, Runtime, SystemClock
from serving.server import RunningServer, start_server
from serving.settings import ServiceSettings

LIST_ROOMS = "cardroom.matchmaker.v1.RoomService/ListRooms"
WATCH = "cardroom.table.v1.TableService/Watch"
SERVICES = (
    "cardroom.matchmaker.v1.RoomService",
    "cardroom.table.v1.TableService",
    "cardroom.scoring.v1.ScoringService",
)

Context = grpc.aio.ServicerContext[Any, Any]
Unary = Callable[[Context], Awaitable[Any]]
Stream = Callable[[Context], AsyncIterator[Any]]


async def no_rooms(_: Context) -> room_pb2.ListRoomsResponse:
    """What ListRooms answers unless a test says otherwise."""
    return room_pb2.ListRoomsResponse()


async def one_goodbye(_: Context) -> AsyncIterator[table_pb2.WatchResponse]:
    """What Watch sends unless a test says otherwise."""
    yield table_pb2.WatchResponse(goodbye=table_pb2.Goodbye(reason=table_pb2.GOODBYE_REASON_ENDED))


@dataclass
class Scripted:
    """A component: ``answer`` is what ListRooms does, ``stream`` what Watch does."""

    answer: Unary = no_rooms
    stream: Stream = one_goodbye
    steps: list[str] = field(default_factory=list)
    on_drain: Callable[[], Awaitable[None]] | None = None
    serving_while_draining: bool = False

    def register(self, server: grpc.aio.Server) -> Sequence[str]:
        """Three services of the wire."""
        room_pb2_grpc.add_RoomServiceServicer_to_server(_partial(_Rooms, self), server)
        table_pb2_grpc.add_TableServiceServicer_to_server(_partial(_Tables, self), server)
        scoring_pb2_grpc.add_ScoringServiceServicer_to_server(_partial(_Scoring), server)
        return SERVICES

    async def start(self) -> None:
        """Noted."""
        self.steps.append("start")

    async def drain(self) -> None:
        """Noted; does what the test wants."""
        self.steps.append("drain")
        if self.on_drain is not None:
            await self.on_drain()

    async def stop(self) -> None:
        """Noted."""
        self.steps.append("stop")


def _partial(servicer: Any, *arguments: Any) -> Any:
    """A servicer whose other methods stay unimplemented."""
    return servicer(*arguments)


class _Rooms(room_pb2_grpc.RoomServiceServicer):
    def __init__(self, script: Scripted) -> None:
        self._script = script

    async def ListRooms(self, request: Any, context: Any) -> Any:
        return await self._script.answer(context)


class _Tables(table_pb2_grpc.TableServiceServicer):
    def __init__(self, script: Scripted) -> None:
        self._script = script

    async def Watch(self, request: Any, context: Any) -> Any:
        async for message in self._script.stream(context):
            yield message


class _Scoring(scoring_pb2_grpc.ScoringServiceServicer):
    async def ScoreWin(self, request: Any, context: Any) -> Any:
        return scoring_pb2.ScoreWinResponse()


@dataclass
class Running:
    """A scripted server that runs, with what it wrote."""

    server: RunningServer
    runtime: Runtime
    log: BytesIO

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"127.0.0.1:{self.server.port}"

    def lines(self, event: str = "call") -> list[dict[str, Any]]:
        """Its log lines of one kind."""
        rows = [orjson.loads(line) for line in self.log.getvalue().splitlines()]
        return [row for row in rows if row["event"] == event]

    def sample(self, name: str, **labels: str) -> float | None:
        """One figure of its metrics; None if there is no such series."""
        return self.runtime.metrics.registry.get_sample_value(name, labels)


@asynccontextmanager
async def running(
    keys: Path, component: Scripted | None = None, *, clock: Clock | None = None, port: int = 0, **settings: Any
) -> AsyncIterator[Running]:
    """A server in this process, on any port unless one is named."""
    given = ServiceSettings(jwks_file=keys / "jwks.json", **settings)
    log = BytesIO()
    runtime = Runtime(given, make_log("scripted", "debug", log), Metrics(), clock or SystemClock())
    server = await start_server("scripted", given, component or Scripted(), runtime, port=port)
    try:
        yield Running(server, runtime, log)
    finally:
        await server.kill()


async def list_rooms(channel: grpc.aio.Channel, token: str | None = None, **call: Any) -> room_pb2.ListRoomsResponse:
    """Call ListRooms, which players, operators and services may."""
    metadata = [*call.pop("metadata", ())]
    if token is not None:
        metadata.append(("authorization", f"Bearer {token}"))
    stub: Any = room_pb2_grpc.RoomServiceStub(channel)
    answer: room_pb2.ListRoomsResponse = await stub.ListRooms(
        room_pb2.ListRoomsRequest(), metadata=tuple(metadata), **call
    )
    return answer


async def watch(channel: grpc.aio.Channel, token: str, **call: Any) -> list[table_pb2.WatchResponse]:
    """Call Watch, which seats and spectators may, to its end."""
    stub: Any = table_pb2_grpc.TableServiceStub(channel)
    stream = stub.Watch(table_pb2.WatchRequest(), metadata=(("authorization", f"Bearer {token}"),), **call)
    return [message async for message in stream]
