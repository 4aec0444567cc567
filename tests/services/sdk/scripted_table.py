"""A table service over a real socket whose answers are a script: each call takes the next entry."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import grpc
from cardroom.mahjong.v1 import event_pb2
from cardroom.matchmaker.v1 import matchmaker_pb2, matchmaker_pb2_grpc
from cardroom.table.v1 import event_pb2 as table_event_pb2
from cardroom.table.v1 import table_pb2, table_pb2_grpc
from google.protobuf import any_pb2, duration_pb2
from google.rpc import error_details_pb2, status_pb2


@dataclass(frozen=True)
class Fail:
    """The call ends with this status."""

    code: grpc.StatusCode
    reason: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    retry_ms: int | None = None
    violation: str = ""

    async def abort(self, context: Any) -> None:
        details: list[Any] = []
        if self.reason:
            details.append(error_details_pb2.ErrorInfo(domain="cardroom", reason=self.reason, metadata=self.metadata))
        if self.violation:
            bad = error_details_pb2.BadRequest()
            bad.field_violations.add(field=self.violation, description="is wrong")
            details.append(bad)
        if self.retry_ms is not None:
            delay = duration_pb2.Duration()
            delay.FromMilliseconds(self.retry_ms)
            details.append(error_details_pb2.RetryInfo(retry_delay=delay))
        packed = []
        for detail in details:
            any_message = any_pb2.Any()
            any_message.Pack(detail)
            packed.append(any_message)
        status = status_pb2.Status(code=self.code.value[0], message="in words", details=packed)
        trailing = (("grpc-status-details-bin", status.SerializeToString()),) if packed else ()
        await context.abort(self.code, status.message, trailing)


def snapshot(seq: int, *, rewound: bool = False) -> table_pb2.WatchResponse:
    return table_pb2.WatchResponse(epoch=1, seq=seq, snapshot=table_pb2.Snapshot(rewound=rewound))


def entry(seq: int) -> table_pb2.WatchResponse:
    discarded = event_pb2.Event(discarded=event_pb2.Discarded(seat=0, tile=seq))
    return table_pb2.WatchResponse(epoch=1, seq=seq, event=table_event_pb2.TableEvent(mahjong=discarded))


def hidden(seq: int) -> table_pb2.WatchResponse:
    return table_pb2.WatchResponse(epoch=1, seq=seq, hidden=table_pb2.Hidden())


def prompt(seq: int) -> table_pb2.WatchResponse:
    return table_pb2.WatchResponse(epoch=1, seq=seq, prompt=table_pb2.Prompt(decision_id=f"{seq}-0"))


def goodbye(seq: int, reason: "table_pb2.GoodbyeReason.ValueType") -> table_pb2.WatchResponse:
    return table_pb2.WatchResponse(epoch=1, seq=seq, goodbye=table_pb2.Goodbye(reason=reason))


HANGS = object()
"""A step of a stream that never ends."""

Step = Any  # a message to send, a Fail, or HANGS


class ScriptedTable(table_pb2_grpc.TableServiceServicer):
    """Plays `streams` one a Watch call and `answers` one a unary call; keeps what it was asked."""

    def __init__(self, *, streams: Sequence[Sequence[Step]] = (), answers: Sequence[Step] = ()) -> None:
        self._streams = list(streams)
        self._answers = list(answers)
        self.watched: list[table_pb2.WatchRequest] = []
        self.asked: list[Any] = []
        self.metadata: list[dict[str, Any]] = []
        self.heartbeat_count = 0

    async def Watch(self, request: Any, context: Any) -> AsyncIterator[table_pb2.WatchResponse]:
        self.watched.append(request)
        self.metadata.append(dict(context.invocation_metadata()))
        for step in self._streams.pop(0):
            if isinstance(step, Fail):
                await step.abort(context)
            if step is HANGS:
                await asyncio.Event().wait()
            yield step

    async def _answer(self, request: Any, context: Any) -> Any:
        self.asked.append(request)
        self.metadata.append(dict(context.invocation_metadata()))
        step = self._answers.pop(0)
        if isinstance(step, Fail):
            await step.abort(context)
        return step

    async def GetReplay(self, request: Any, context: Any) -> AsyncIterator[table_pb2.GetReplayResponse]:
        self.asked.append(request)
        self.metadata.append(dict(context.invocation_metadata()))
        for step in self._streams.pop(0):
            if isinstance(step, Fail):
                await step.abort(context)
            yield step

    Act = SetReady = SetTrustee = Leave = GetSnapshot = _answer

    async def Heartbeat(self, request: Any, context: Any) -> table_pb2.HeartbeatResponse:
        self.heartbeat_count += 1
        return table_pb2.HeartbeatResponse(epoch=1)


class ScriptedMatchmaker(matchmaker_pb2_grpc.MatchmakerServiceServicer):
    """Plays `streams` one a WatchTicket call and `answers` one a unary call; keeps what it was asked."""

    def __init__(self, *, streams: Sequence[Sequence[Step]] = (), answers: Sequence[Step] = ()) -> None:
        self._streams = list(streams)
        self._answers = list(answers)
        self.asked: list[Any] = []
        self.followed: list[str] = []

    async def WatchTicket(self, request: Any, context: Any) -> AsyncIterator[matchmaker_pb2.WatchTicketResponse]:
        self.followed.append(request.ticket_id)
        for step in self._streams.pop(0):
            if isinstance(step, Fail):
                await step.abort(context)
            yield step

    async def _answer(self, request: Any, context: Any) -> Any:
        self.asked.append(request)
        step = self._answers.pop(0)
        if isinstance(step, Fail):
            await step.abort(context)
        return step

    JoinQueue = CancelTicket = GetMySeat = GetSpectatorToken = _answer


class Served:
    """A servicer on a free port of loopback, for an `async with` block."""

    def __init__(self, servicer: Any, add: Callable[[Any, grpc.aio.Server], Any]) -> None:
        self._server = grpc.aio.server()
        add(servicer, self._server)
        self.authority = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"

    async def __aenter__(self) -> Self:
        await self._server.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.stop(None)


def served_table(table: ScriptedTable) -> Served:
    return Served(table, table_pb2_grpc.add_TableServiceServicer_to_server)


def served_matchmaker(matchmaker: ScriptedMatchmaker) -> Served:
    return Served(matchmaker, matchmaker_pb2_grpc.add_MatchmakerServiceServicer_to_server)
