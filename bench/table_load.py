"""Players at many tables of one pod, in a process of their own: four streams a table, moves as fast as they come.

The process stays: its tables go on where they stood each time it is told to play. Use:

    async with TableLoad(pod.address, pod.keys, tables=64) as load:
        played = await load.play(seconds=3)
"""

import argparse
import asyncio
import random
import subprocess
import sys
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import grpc
import grpc.aio
import uvloop
from cardroom.mahjong.v1 import action_pb2
from cardroom.table.v1 import control_pb2, control_pb2_grpc, event_pb2, room_pb2, table_pb2

from serving.channels import connect
from serving.tokens import Minter, ServiceTokens

SEATS = 4
ACCEPTED = (table_pb2.ACT_OUTCOME_ACCEPTED, table_pb2.ACT_OUTCOME_QUEUED)
"""Outcomes of Act that count as moves."""
CONNECTION_COUNT = 16
"""Connections that the streams share, as behind a gateway; one a viewer costs the pod about a tenth more."""
_SERVICE = "/cardroom.table.v1.TableService/"
_READY_LIMIT_SECONDS = 60.0
_TOKEN_SECONDS = 3_600
_NEVER_MS = 3_600_000
_AGAIN_SECONDS = 0.1
_POLL_SECONDS = 0.002
_CALL_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Played:
    """What a stretch of play brought: moves accepted, messages the viewers got, and the seconds it took."""

    moves: int
    messages: int
    seconds: float

    def written(self) -> str:
        """As one line."""
        return f"{self.moves} {self.messages} {self.seconds}"

    @classmethod
    def read(cls, line: str) -> "Played":
        """What a line says."""
        moves, messages, seconds = line.split()
        return cls(int(moves), int(messages), float(seconds))


class TableLoad:
    """The players' process, for the length of an `async with`; entered when every table plays and stands still."""

    def __init__(self, address: str, keys: Path, *, tables: int, connections: int = CONNECTION_COUNT) -> None:
        self._arguments = (
            *("--address", address, "--keys", str(keys)),
            *("--tables", str(tables), "--connections", str(connections)),
        )
        self._errors = keys / "load.err"
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        with self._errors.open("wb") as errors:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "bench.table_load", *self._arguments),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        try:
            await self._line()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()

    async def play(self, seconds: float) -> Played:
        """All tables play for so long, then stand still."""
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(f"{seconds}\n".encode())
        return Played.read(await self._line())

    async def _line(self) -> str:
        assert self._process is not None
        assert self._process.stdout is not None
        async with asyncio.timeout(_READY_LIMIT_SECONDS):
            line = (await self._process.stdout.readline()).decode().strip()
        assert line, f"the players have left: {self._errors.read_text()[:2_000]}"
        return line


class Hall:
    """Whether it is time to play, and what has been done."""

    def __init__(self) -> None:
        self.playing = asyncio.Event()
        self.moves = 0
        self.messages = 0
        self.open_calls = 0
        self.waiting = 0
        self.chance = random.Random(1)
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def play(self, seconds: float) -> Played:
        """Let everybody play for so long and come to rest."""
        self.moves = self.messages = 0
        began = time.perf_counter()
        self.playing.set()
        await asyncio.wait([self.failed], timeout=seconds)
        self.playing.clear()
        await self.rest()
        return Played(self.moves, self.messages, time.perf_counter() - began)

    async def rest(self) -> None:
        """Return when no call is open. Raises: what a player has left for."""
        while self.open_calls:  # noqa: ASYNC110  the calls end within a moment
            await asyncio.sleep(_POLL_SECONDS)
        if self.failed.done():
            self.failed.result()

    def left(self, task: "asyncio.Task[None]") -> None:
        """A player has stopped to watch, which nobody should."""
        if not task.cancelled() and not self.failed.done():
            self.failed.set_exception(task.exception() or AssertionError("a stream has ended"))


class Player:
    """One seat: watches, and answers what it is asked while it is time to play."""

    def __init__(self, hall: Hall, channel: grpc.aio.Channel, table_id: str, token: str) -> None:
        self._hall = hall
        self._table_id = table_id
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._watch: Any = channel.unary_stream(_SERVICE + "Watch")
        self._act: Any = channel.unary_unary(_SERVICE + "Act")
        self._ready: Any = channel.unary_unary(_SERVICE + "SetReady")
        self._answered = ""

    async def run(self) -> None:
        """Watch until cancelled."""
        request = table_pb2.WatchRequest(table_id=self._table_id, together=True).SerializeToString()
        hall = self._hall
        async for data in self._watch(request, metadata=self._metadata):
            hall.messages += 1
            message = table_pb2.WatchResponse.FromString(data)
            for each in (message, *message.more):
                await self._received(each)

    async def _received(self, message: table_pb2.WatchResponse) -> None:
        kind = message.WhichOneof("kind")
        if kind == "prompt":
            await self._prompted(message.prompt)
        elif kind == "snapshot" or (kind == "event" and message.event.WhichOneof("kind") == "deal_settled"):
            await self._say_ready()
        elif kind == "goodbye":
            raise AssertionError(f"goodbye: {message.goodbye.reason}")

    async def _prompted(self, prompt: table_pb2.Prompt) -> None:
        if prompt.standing or prompt.answered or prompt.decision_id == self._answered:
            return
        self._answered = prompt.decision_id
        hall = self._hall
        if not hall.playing.is_set():
            hall.waiting += 1
            await hall.playing.wait()
            hall.waiting -= 1
        request = table_pb2.ActRequest(
            table_id=self._table_id,
            request_id=str(uuid.UUID(int=hall.chance.getrandbits(128), version=4)),
            decision_id=prompt.decision_id,
            mahjong=chosen([option.mahjong for option in prompt.options], hall.chance),
        )
        hall.open_calls += 1
        try:
            answer = await self._definite(self._act, request.SerializeToString())
        finally:
            hall.open_calls -= 1
        assert table_pb2.ActResponse.FromString(answer).outcome in ACCEPTED
        hall.moves += 1

    async def _definite(self, method: Any, request: bytes) -> bytes:
        """The answer of a call; the same request again while the store has not answered in time."""
        while True:
            try:
                answer: bytes = await method(request, metadata=self._metadata, timeout=_CALL_SECONDS)
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE or self._hall.failed.done():
                    raise
                await asyncio.sleep(_AGAIN_SECONDS)
            else:
                return answer

    async def _say_ready(self) -> None:
        request = table_pb2.SetReadyRequest(table_id=self._table_id, request_id=str(uuid.uuid4()))
        await self._definite(self._ready, request.SerializeToString())


def chosen(options: Sequence[action_pb2.Action], chance: random.Random) -> action_pb2.Action:
    """A win if there is one, else any; a lock never, which would let the server play on by itself."""
    kinds = [option.WhichOneof("kind") for option in options]
    if "win" in kinds:
        return options[kinds.index("win")]
    return chance.choice([option for option, kind in zip(options, kinds, strict=True) if kind != "lock"])


def room() -> room_pb2.Room:
    """A room whose clocks never run out, without floors (PF-20) and without an end."""
    return room_pb2.Room(
        room_id="bench",
        name="bench",
        variant="bloody4",
        asset="coins",
        stake=1,
        least_balance=1,
        turn_limit_ms=_NEVER_MS,
        claim_limit_ms=_NEVER_MS,
        claim_timing=room_pb2.CLAIM_TIMING_NATURAL,
        ready_limit_ms=_NEVER_MS,
        arrive_limit_ms=_NEVER_MS,
        etag="1",
    )


async def _seated(address: str, keys: Path, tables: int) -> list[tuple[str, list[str]]]:
    """Makes the tables; returns ids with the seats' tokens."""
    minter = Minter(keys / "seat.pem")
    made = []
    async with connect(address, token=ServiceTokens(keys / "service.pem", "matchmaker", "bench")) as channel:
        control = control_pb2_grpc.TableControlServiceStub(channel)
        for _ in range(tables):
            table_id = f"b-{uuid.uuid4()}"
            names = [f"{table_id}:{seat}" for seat in range(SEATS)]
            seats = [event_pb2.SeatTaken(seat=seat, player_id=name) for seat, name in enumerate(names)]
            request = control_pb2.CreateTableRequest(table_id=table_id, match_id=table_id, room=room(), seats=seats)
            await control.CreateTable(request)
            tokens = [
                minter.mint("seat", name, _TOKEN_SECONDS, table_id=table_id, seat=seat)
                for seat, name in enumerate(names)
            ]
            made.append((table_id, tokens))
    return made


async def _load(address: str, keys: Path, tables: int, connections: int) -> None:
    """Plays for as many seconds as each line of standard input says; ends with it."""
    # Channels with the same arguments share a connection unless each has a pool of its own.
    options = [("grpc.use_local_subchannel_pool", 1)]
    channels = [grpc.aio.insecure_channel(address, options=options) for _ in range(connections)]
    hall = Hall()
    tasks: list[asyncio.Task[None]] = []
    for table_id, tokens in await _seated(address, keys, tables):
        for seat, token in enumerate(tokens):
            player = Player(hall, channels[len(tasks) % connections], table_id, token)
            tasks.append(asyncio.create_task(player.run(), name=f"seat {seat}"))
            tasks[-1].add_done_callback(hall.left)
    while hall.waiting < tables and not hall.failed.done():  # noqa: ASYNC110  the last table is ready when it is
        await asyncio.sleep(_POLL_SECONDS)
    await hall.rest()
    print("ready", flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        print((await hall.play(float(line))).written(), flush=True)
    hall.failed.cancel()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.gather(*(channel.close() for channel in channels))


def main() -> None:
    """Entry of the process."""
    parser = argparse.ArgumentParser(prog="bench.table_load")
    parser.add_argument("--keys", type=Path, required=True)
    parser.add_argument("--address", required=True)
    parser.add_argument("--tables", type=int, required=True)
    parser.add_argument("--connections", type=int, required=True)
    given = parser.parse_args()
    uvloop.run(_load(given.address, given.keys, given.tables, given.connections))


if __name__ == "__main__":
    main()
