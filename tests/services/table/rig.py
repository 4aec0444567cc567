"""Table pods on sockets, and players who watch and act through them."""

import asyncio
import itertools
import os
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc.aio
import pytest
from cardroom.landlord.v1 import action_pb2 as landlord_pb2
from cardroom.mahjong.v1 import action_pb2 as mahjong_pb2
from cardroom.table.v1 import control_pb2, control_pb2_grpc, event_pb2, room_pb2, table_pb2, table_pb2_grpc

from games.catalog import variant_of
from refusals import Reason, Refusal
from services.table.component import TableComponent, build
from services.table.ports import Scoring
from services.table.settings import TableSettings
from serving.main import start_server
from serving.refusing import refusal_of
from serving.runtime import Clock, make_runtime
from serving.server import RunningServer
from tests.channels import bare_channel
from tests.conftest import STORE_PATIENCE_MS, Mint
from tests.services.table.fakes import FakeLedger, FakeSeats, FixedEntropy, Reached

LIMIT_S = 60.0
_numbers = itertools.count(1)

Message = table_pb2.WatchResponse
Action = mahjong_pb2.Action | landlord_pb2.Action
Choose = Callable[[table_pb2.Prompt], Action | None]
_FIELDS: dict[type, str] = {mahjong_pb2.Action: "mahjong", landlord_pb2.Action: "landlord"}


def room(**changes: Any) -> room_pb2.Room:
    """A room with clocks that do not run out by themselves, and no floors."""
    fields: dict[str, Any] = {
        "room_id": "bloody4-1",
        "name": "一底血战",
        "variant": "bloody4",
        "asset": "coins",
        "stake": 1,
        "least_balance": 10,
        "turn_limit_ms": 20_000,
        "claim_limit_ms": 10_000,
        "claim_timing": room_pb2.CLAIM_TIMING_NATURAL,
        "ready_limit_ms": 20_000,
        "arrive_limit_ms": 30_000,
        "dealing_ms": 0,
        "deals_max": 1,
        "etag": "1",
    }
    return room_pb2.Room(**{**fields, **changes})


def new_table_id() -> str:
    """An id of this test's own. Walls and dice follow from it: the same ones every time the test runs (PF-41)."""
    test = os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0]
    _TABLES[test] += 1
    return f"t-{uuid.uuid5(uuid.NAMESPACE_OID, f'{test} {_TABLES[test]}')}"


_TABLES: Counter[str] = Counter()
"""How many ids each test has taken."""


def new_request_id() -> str:
    return str(uuid.uuid4())


async def refusal_for(call: Awaitable[object]) -> Refusal:
    """How a call is refused; fails if it is not."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    refusal = refusal_of(caught.value)
    assert refusal is not None, caught.value
    return refusal


async def reason_for(call: Awaitable[object]) -> Reason:
    return (await refusal_for(call)).reason


async def eventually(holds: Callable[[], bool], limit_s: float = LIMIT_S) -> None:
    """Wait until it holds; fails after the limit."""
    async with asyncio.timeout(limit_s):
        while not holds():  # noqa: ASYNC110  other processes ring no event here
            await asyncio.sleep(0.005)


@dataclass
class RunningPod:
    """A pod in this process, on a socket."""

    component: TableComponent
    server: RunningServer
    settings: TableSettings
    ledger: FakeLedger
    seats: FakeSeats
    entropy: FixedEntropy
    reached: Reached
    mint: Mint
    channel: grpc.aio.Channel
    metrics: Any
    log: list[dict[str, Any]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.settings.pod

    @property
    def authority(self) -> str:
        return f"127.0.0.1:{self.server.port}"

    async def create(
        self, table_id: str, *, players: list[str] | None = None, bots: dict[int, str] | None = None, **changes: Any
    ) -> "Seated":
        """A table of players who have not come yet, as many as the variant seats.

        Args:
            bots: how the bot of each seat named plays (PF-10).
        """
        count = variant_of(changes.get("variant", "bloody4")).seat_count
        names = players or [f"p{next(_numbers)}" for _ in range(count)]
        request = self.create_request(table_id, names, **changes)
        for seat, policy in (bots or {}).items():
            request.seats[seat].bot_policy = policy
        response = await self.control("matchmaker").CreateTable(request)
        assert not response.existed
        return Seated(self, table_id, names)

    def create_request(
        self, table_id: str, players: list[str], *, first_dealer: int = 0, **changes: Any
    ) -> control_pb2.CreateTableRequest:
        return control_pb2.CreateTableRequest(
            table_id=table_id,
            match_id=table_id,
            room=room(**changes),
            seats=[event_pb2.SeatTaken(seat=seat, player_id=player) for seat, player in enumerate(players)],
            first_dealer=first_dealer,
        )

    def control(self, role: str) -> "Control":
        return Control(self.channel, self.mint(role, "tests"))

    def stub(self) -> "table_pb2_grpc.TableServiceAsyncStub":
        return table_pb2_grpc.TableServiceStub(self.channel)

    def sample(self, name: str, **labels: str) -> float:
        return float(self.metrics.registry.get_sample_value(name, labels) or 0)

    async def owns(self, seated: "Seated") -> None:
        """Wait until a table is this pod's."""
        await eventually(lambda: seated.table_id in self.component.pod.tables)

    async def crash(self) -> None:
        """End without a word, as a process that is killed: nothing is written any more."""
        for table in tuple(self.component.pod.tables.values()):
            for task in (table._task, table._duties):
                if task is not None:
                    task.cancel()
        await self.component._connection.close()
        await self.server.kill()


class Control:
    """`TableControlService` as a role calls it."""

    def __init__(self, channel: grpc.aio.Channel, token: str) -> None:
        self._stub = control_pb2_grpc.TableControlServiceStub(channel)
        self._metadata = (("authorization", f"Bearer {token}"),)

    async def CreateTable(self, request: control_pb2.CreateTableRequest) -> control_pb2.CreateTableResponse:
        response: control_pb2.CreateTableResponse = await self._stub.CreateTable(request, metadata=self._metadata)
        return response

    async def ListTables(self, request: control_pb2.ListTablesRequest) -> control_pb2.ListTablesResponse:
        response: control_pb2.ListTablesResponse = await self._stub.ListTables(request, metadata=self._metadata)
        return response


class Pods:
    """Starts pods on one store; ends them with the test."""

    def __init__(self, redis_url: str, keys: Path, mint: Mint) -> None:
        self._redis_url = redis_url
        self._keys = keys
        self._mint = mint
        self._running: list[RunningPod] = []
        self.ledger = FakeLedger()
        self.seats = FakeSeats()
        self.entropy = FixedEntropy()
        self.scoring: Scoring | None = None

    async def start(
        self, pod: str | None = None, *, clock: Clock | None = None, redis_url: str = "", **changes: Any
    ) -> RunningPod:
        settings = TableSettings(
            grpc_port=0,
            metrics_port=0,
            jwks_file=self._keys / "jwks.json",
            service_key_file=self._keys / "service.pem",
            redis_url=redis_url or self._redis_url,
            pod=pod or f"pod-{uuid.uuid4().hex[:8]}",
            log_level="debug",
            **{
                "presence_limit_ms": 3_600_000,
                "pod_lease_ms": 600,
                "linger_ms": 0,
                "store_patience_ms": STORE_PATIENCE_MS,
                "scoring_address": "",
                "bot_delay_min_ms": 0,
                "bot_delay_max_ms": 0,
                **changes,
            },
        )
        runtime = make_runtime("table", settings, clock=clock)
        reached = Reached()
        component = await build(
            runtime,
            checkpoints=reached,
            entropy=self.entropy,
            ledger=self.ledger,
            seats=self.seats,
            scoring=self.scoring,
        )
        server = await start_server("table", settings, component, runtime)
        channel = bare_channel(f"127.0.0.1:{server.port}")
        running = RunningPod(
            component,
            server,
            settings,
            self.ledger,
            self.seats,
            self.entropy,
            reached,
            self._mint,
            channel,
            runtime.metrics,
        )
        self._running.append(running)
        return running

    async def stop(self) -> None:
        for pod in self._running:
            await pod.channel.close()
            await pod.server.stop()


@dataclass
class Seated:
    """A table and its players."""

    pod: RunningPod
    table_id: str
    names: list[str]

    def player(self, seat: int, pod: RunningPod | None = None, *, generation: int = 0) -> "Player":
        return Player(pod or self.pod, self.table_id, seat, self.names[seat], generation=generation)

    def spectator(self, name: str = "guest", pod: RunningPod | None = None) -> "Player":
        """Somebody who only watches."""
        guest = Player(pod or self.pod, self.table_id, 0, name)
        guest.token = guest.pod.mint("spectator", name, table_id=self.table_id)
        return guest

    def players(self, pod: RunningPod | None = None) -> "list[Player]":
        return [self.player(seat, pod) for seat in range(len(self.names))]


class Player:
    """One seat: its stream, read all the time, and its calls.

    Attributes:
        messages: everything received, in order, over all streams of this player.
        prompt: what the player is asked now.
        heartbeat_count: signs of life of the server on these streams, which are no part of the messages.
    """

    def __init__(self, pod: RunningPod, table_id: str, seat: int, name: str, *, generation: int = 0) -> None:
        self.pod = pod
        self.table_id = table_id
        self.seat = seat
        self.name = name
        self.messages: list[Message] = []
        self.prompt: table_pb2.Prompt | None = None
        self.stub = table_pb2_grpc.TableServiceStub(pod.channel)
        self.token = pod.mint("seat", name, table_id=table_id, seat=seat, generation=generation)
        self.error: grpc.aio.AioRpcError | None = None
        self._choose: Choose | None = None
        self._stream: Any = None
        self._reading: asyncio.Task[None] | None = None
        self._read_count = 0
        self.heartbeat_count = 0
        self._news = asyncio.Event()

    def metadata(self, *, pod: str | None = None) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self.token}"), ("x-table-pod", pod or self.pod.name))

    # --- watching -----------------------------------------------------------------------

    def open(self, after_seq: int | None = None, known_epoch: int = 0, *, pod: str | None = None) -> None:
        """Begin a stream and read it from now on."""
        request = table_pb2.WatchRequest(table_id=self.table_id, after_seq=after_seq, known_epoch=known_epoch)
        self._stream = self.stub.Watch(request, metadata=self.metadata(pod=pod))
        self._reading = asyncio.create_task(self._read(self._stream))

    async def _read(self, stream: Any) -> None:
        try:
            async for message in stream:
                self._note(message)
                if self._choose is not None:
                    await self._answer(message)
        except grpc.aio.AioRpcError as error:
            self.error = error
        finally:
            self._news.set()

    async def next(self) -> Message:
        """The next message not yet looked at."""
        async with asyncio.timeout(LIMIT_S):
            while self._read_count == len(self.messages):
                assert self._reading is not None
                assert not self._reading.done(), f"the stream has ended: {self.error}"
                self._news.clear()
                await self._news.wait()
        self._read_count += 1
        return self.messages[self._read_count - 1]

    async def until(self, kind: str, event: str | None = None) -> Message:
        """The next message of a kind (an event: of this kind); those before it are passed over."""
        while True:
            message = await self.next()
            if message.WhichOneof("kind") == kind and event in (None, event_kind(message)):
                return message

    async def seen(self, seq: int) -> None:
        """Wait until the entry of this number, or a snapshot that contains it, has come."""
        await eventually(lambda: bool(self.messages) and self.messages[-1].seq >= seq)

    async def ended(self) -> None:
        """Wait for the stream's end."""
        assert self._reading is not None
        await asyncio.wait_for(asyncio.shield(self._reading), LIMIT_S)

    async def close(self) -> None:
        """Hang up."""
        if self._reading is not None:
            self._stream.cancel()
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)

    def _note(self, message: Message) -> None:
        kind = message.WhichOneof("kind")
        if kind == "heartbeat":
            self.heartbeat_count += 1
            return
        self.messages.append(message)
        if kind == "prompt":
            self.prompt = message.prompt
        elif kind == "snapshot":
            self.prompt = message.snapshot.prompt if message.snapshot.HasField("prompt") else None
        elif kind == "event" and self.prompt is not None and not self.prompt.standing:
            self.prompt = None
        self._news.set()

    @property
    def last_seq(self) -> int:
        return self.messages[-1].seq

    @property
    def epoch(self) -> int:
        return self.messages[-1].epoch

    def goodbyes(self) -> list[str]:
        return [
            table_pb2.GoodbyeReason.Name(message.goodbye.reason).removeprefix("GOODBYE_REASON_")
            for message in self.messages
            if message.WhichOneof("kind") == "goodbye"
        ]

    def seqs(self) -> list[int]:
        """Numbers of the entries received, in order of arrival."""
        return [message.seq for message in self.messages if message.WhichOneof("kind") in ("event", "hidden")]

    def events(self) -> list[str]:
        """Kinds of the entries received."""
        return [event_kind(message) for message in self.messages if message.WhichOneof("kind") == "event"]

    def kinds(self) -> list[str]:
        """Kinds of the messages received, events by their own."""
        return [event_kind(message) or message.WhichOneof("kind") or "" for message in self.messages]

    # --- acting -------------------------------------------------------------------------

    async def ready(self, nonce: bytes = b"", request_id: str | None = None) -> table_pb2.SetReadyResponse:
        request = table_pb2.SetReadyRequest(
            table_id=self.table_id, request_id=request_id or new_request_id(), nonce=nonce
        )
        response: table_pb2.SetReadyResponse = await self.stub.SetReady(request, metadata=self.metadata())
        return response

    async def act(
        self,
        action: Action,
        decision_id: str = "",
        *,
        request_id: str | None = None,
        pod: str | None = None,
    ) -> table_pb2.ActResponse:
        request = table_pb2.ActRequest(
            table_id=self.table_id,
            request_id=request_id or new_request_id(),
            decision_id=decision_id,
        )
        getattr(request, _FIELDS[type(action)]).CopyFrom(action)
        response: table_pb2.ActResponse = await self.stub.Act(request, metadata=self.metadata(pod=pod))
        return response

    async def heartbeat(self) -> table_pb2.HeartbeatResponse:
        request = table_pb2.HeartbeatRequest(table_id=self.table_id)
        response: table_pb2.HeartbeatResponse = await self.stub.Heartbeat(request, metadata=self.metadata())
        return response

    async def set_trustee(self, *, on: bool, request_id: str | None = None) -> table_pb2.SetTrusteeResponse:
        request = table_pb2.SetTrusteeRequest(table_id=self.table_id, request_id=request_id or new_request_id(), on=on)
        response: table_pb2.SetTrusteeResponse = await self.stub.SetTrustee(request, metadata=self.metadata())
        return response

    async def leave(
        self, when: event_pb2.LeaveWhen.ValueType, request_id: str | None = None
    ) -> table_pb2.LeaveResponse:
        request = table_pb2.LeaveRequest(table_id=self.table_id, request_id=request_id or new_request_id(), when=when)
        response: table_pb2.LeaveResponse = await self.stub.Leave(request, metadata=self.metadata())
        return response

    async def snapshot(self) -> table_pb2.GetSnapshotResponse:
        request = table_pb2.GetSnapshotRequest(table_id=self.table_id)
        response: table_pb2.GetSnapshotResponse = await self.stub.GetSnapshot(request, metadata=self.metadata())
        return response

    def play(self, choose: Choose | None) -> None:
        """From now on do what `choose` says at each prompt; None: nothing by itself."""
        self._choose = choose

    async def _answer(self, message: Message) -> None:
        if message.WhichOneof("kind") not in ("prompt", "snapshot") or self.prompt is None or self._choose is None:
            return
        decision_id = self.prompt.decision_id
        action = self._choose(self.prompt) if self.prompt.options else None
        if action is None:
            return
        try:
            await self.act(action, decision_id)
        except grpc.aio.AioRpcError as error:
            refusal = refusal_of(error)
            if refusal is None or refusal.reason not in _LATE:
                raise


_LATE = (
    Reason.DECISION_STALE,
    Reason.ALREADY_ANSWERED,
    Reason.WRONG_TABLE_STATE,
    Reason.TABLE_CLOSED,
    Reason.TABLE_QUARANTINED,
)


def first_option(prompt: table_pb2.Prompt) -> Action | None:
    """The first option of a decision; nothing on a standing offer."""
    return None if prompt.standing else action_of(prompt.options[0])


def action_of(option: table_pb2.Option) -> Action:
    """The action of an option, of whatever family."""
    action: Action = getattr(option, option.WhichOneof("action") or "")
    return action


def event_kind(message: Message) -> str:
    """Kind of an entry: "ready", "discarded" ...; empty for other messages."""
    if message.WhichOneof("kind") != "event":
        return ""
    kind = message.event.WhichOneof("kind") or ""
    return getattr(message.event, kind).WhichOneof("kind") or "" if kind in _FIELDS.values() else kind


async def gathered(seated: Seated, *, pod: RunningPod | None = None) -> list[Player]:
    """All players watching, none ready."""
    players = seated.players(pod)
    for player in players:
        player.open()
        await player.until("snapshot")
    return players


async def playing(seated: Seated) -> list[Player]:
    """All players watching a deal whose tiles are dealt; nobody has acted."""
    players = await gathered(seated)
    for player in players:
        await player.ready()
    for player in players:
        await player.until("event", "dealt")
    return players


async def to_act(players: list[Player]) -> Player:
    """The player whose turn it is, once he is asked and all have seen the same."""
    await eventually(lambda: len({player.last_seq for player in players}) == 1 and _asked(players) is not None)
    asked = _asked(players)
    assert asked is not None
    return asked


def _asked(players: list[Player]) -> Player | None:
    asked = [player for player in players if player.prompt is not None and player.prompt.options]
    return next((player for player in asked if player.prompt is not None and not player.prompt.standing), None)


@asynccontextmanager
async def pods_on(redis_url: str, keys: Path, mint: Mint) -> AsyncIterator[Pods]:
    pods = Pods(redis_url, keys, mint)
    try:
        yield pods
    finally:
        await pods.stop()
