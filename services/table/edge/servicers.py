"""The table's two services on the wire."""

from collections.abc import Callable
from contextlib import aclosing
from typing import Any

import grpc
import grpc.aio
from cardroom.table.v1 import control_pb2, control_pb2_grpc, table_pb2
from google.protobuf.message import Message

from games.kernel import Seat
from refusals import Reason, Refusal
from services.table.app.pod import Pod
from services.table.app.replays import Asker, Replays
from services.table.app.store_health import store_away
from services.table.app.table import Table
from services.table.edge import requests as reading
from services.table.edge.events import players_to_proto
from services.table.edge.presenter import STAGES, ProtobufPresenter
from services.table.edge.replays import replay_to_proto
from services.table.ports import StoreAway, StoreFull
from serving.auth import current_caller

TABLE_SERVICE = table_pb2.DESCRIPTOR.services_by_name["TableService"]
CONTROL_SERVICE = control_pb2.DESCRIPTOR.services_by_name["TableControlService"]

_POD_KEY = "x-table-pod"
_PAGE_DEFAULT = 100
_PAGE_MAX = 1_000

Context = grpc.aio.ServicerContext[Any, Any]


class _StoreSpoken:
    """Says in the wire's words that the store is away or full: `with _STORE_SPOKEN:`."""

    def __enter__(self) -> None:
        """Nothing yet."""

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            return
        if issubclass(kind, StoreAway):
            raise store_away() from None
        if issubclass(kind, StoreFull):
            raise Refusal(Reason.OVERLOADED, detail="the store is full") from None


_STORE_SPOKEN = _StoreSpoken()


class TableServicer:
    """`TableService`. Streams are bytes already, so it adds its handlers itself."""

    def __init__(self, pod: Pod, presenter: ProtobufPresenter, replays: Replays) -> None:
        self._pod = pod
        self._presenter = presenter
        self._replays = replays

    def add_to(self, server: grpc.aio.Server) -> str:
        """Add the service's handlers; returns its full name."""
        handlers = {
            "Watch": grpc.unary_stream_rpc_method_handler(self.watch, table_pb2.WatchRequest.FromString, _as_it_is),
            "Act": _unary(self.act, table_pb2.ActRequest),
            "SetReady": _unary(self.set_ready, table_pb2.SetReadyRequest),
            "SetTrustee": _unary(self.set_trustee, table_pb2.SetTrusteeRequest),
            "Heartbeat": _unary(self.heartbeat, table_pb2.HeartbeatRequest),
            "Leave": _unary(self.leave, table_pb2.LeaveRequest),
            "GetSnapshot": _unary(self.get_snapshot, table_pb2.GetSnapshotRequest),
            "GetReplay": grpc.unary_stream_rpc_method_handler(
                self.get_replay, table_pb2.GetReplayRequest.FromString, _serialized
            ),
        }
        assert set(handlers) == set(TABLE_SERVICE.methods_by_name), handlers.keys()
        name: str = TABLE_SERVICE.full_name
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(name, handlers),))
        server.add_registered_method_handlers(name, handlers)
        return name

    async def watch(self, request: table_pb2.WatchRequest, context: Context) -> None:
        """What happens at a table, to one viewer. Frames are written here: each layer of generators costs every one."""
        with _STORE_SPOKEN:
            table, seat = await self._table(request.table_id, context)
            after_seq = request.after_seq if request.HasField("after_seq") else None
            if seat is None:
                frames = table.balcony.stream(after_seq, request.known_epoch, together=request.together)
            else:
                table.check_sound()
                frames = table.gallery.stream(seat, after_seq, request.known_epoch, together=request.together)
            async with aclosing(frames):
                async for frame in frames:
                    await context.write(frame)

    async def act(self, request: table_pb2.ActRequest, context: Context) -> table_pb2.ActResponse:
        """A move; answered after it is stored."""
        with _STORE_SPOKEN:
            table, seat = await self._called(request.table_id, context)
            answer = await self._pod.ask(table, reading.act(request, _seated(seat)))
        outcome = answer.outcome
        return table_pb2.ActResponse(
            seq=outcome.seq,
            outcome=table_pb2.ACT_OUTCOME_QUEUED if outcome.queued else table_pb2.ACT_OUTCOME_ACCEPTED,
            duplicate=answer.duplicate,
        )

    async def set_ready(self, request: table_pb2.SetReadyRequest, context: Context) -> table_pb2.SetReadyResponse:
        """A seat is ready for the next deal."""
        with _STORE_SPOKEN:
            table, seat = await self._called(request.table_id, context)
            answer = await self._pod.ask(table, reading.set_ready(request, _seated(seat)))
        return table_pb2.SetReadyResponse(seq=answer.outcome.seq, duplicate=answer.duplicate)

    async def set_trustee(self, request: table_pb2.SetTrusteeRequest, context: Context) -> table_pb2.SetTrusteeResponse:
        """The player's own switch of his trustee (PF-22)."""
        with _STORE_SPOKEN:
            table, seat = await self._called(request.table_id, context)
            answer = await self._pod.ask(table, reading.set_trustee(request, _seated(seat)))
        return table_pb2.SetTrusteeResponse(seq=answer.outcome.seq, duplicate=answer.duplicate)

    async def heartbeat(self, request: table_pb2.HeartbeatRequest, context: Context) -> table_pb2.HeartbeatResponse:
        """A sign of life (PF-24)."""
        with _STORE_SPOKEN:
            table, _ = await self._called(request.table_id, context, beat=True)
        return table_pb2.HeartbeatResponse(epoch=table.current.epoch, seq=table.current.state.seq)

    async def leave(self, request: table_pb2.LeaveRequest, context: Context) -> table_pb2.LeaveResponse:
        """A player gives his seat up, now or after the deal; answered after it is stored."""
        with _STORE_SPOKEN:
            table, seat = await self._called(request.table_id, context)
            answer = await self._pod.ask(table, reading.leave(request, _seated(seat)))
        return table_pb2.LeaveResponse(seq=answer.outcome.seq, duplicate=answer.duplicate)

    async def get_snapshot(
        self, request: table_pb2.GetSnapshotRequest, context: Context
    ) -> table_pb2.GetSnapshotResponse:
        """What Watch would send first."""
        with _STORE_SPOKEN:
            table, seat = await self._called(request.table_id, context)
            if seat is None:
                sight, (epoch, seq) = table.balcony.sight(), table.balcony.place()
            else:
                table.check_sound()
                sight, (epoch, seq) = table.gallery.sight(seat), (table.current.epoch, table.current.state.seq)
        return table_pb2.GetSnapshotResponse(epoch=epoch, seq=seq, snapshot=self._presenter.sight(sight))

    async def get_replay(self, request: table_pb2.GetReplayRequest, context: Context) -> None:
        """A deal that is over, with everything; any pod answers."""
        table_id = reading.table_id(request.table_id)
        asker = _asker(table_id)
        with _STORE_SPOKEN:
            replay = await self._replays.deal(table_id, request.deal_number, asker)
        for message in replay_to_proto(table_id, replay):
            await context.write(message)

    async def _called(self, table_id: str, context: Context, *, beat: bool = False) -> tuple[Table, Seat | None]:
        """As `_table`; a call of a seat is a sign of life."""
        table, seat = await self._table(table_id, context)
        if seat is not None:
            table.alive(seat, beat=beat)
        return table, seat

    async def _table(self, table_id: str, context: Context) -> tuple[Table, Seat | None]:
        """The table, and the caller's seat at it (None: a spectator).

        Raises: Refusal: TOKEN_MISMATCH, TOKEN_SUPERSEDED, NOT_OWNER, TABLE_UNKNOWN and what else `Pod.find` refuses.
        """
        caller = current_caller()
        if caller.claims.get("table_id") != table_id:
            raise Refusal(Reason.TOKEN_MISMATCH, field="table_id")
        meant = next((value for key, value in context.invocation_metadata() or () if key == _POD_KEY), None)
        if meant is not None and meant != self._pod.name:
            raise await self._pod.owner_of(table_id)
        table = await self._pod.find(table_id)
        if caller.role != "seat":
            return table, None
        seat: Seat = caller.claims["seat"]
        players = table.current.state.players
        if not 0 <= seat < len(players) or players[seat] != caller.subject:
            raise Refusal(Reason.TOKEN_MISMATCH, field="table_id", detail="the token's player does not sit there")
        generation = caller.claims.get("generation", 0)
        if type(generation) is not int:
            raise Refusal(Reason.TOKEN_INVALID)
        if not await table.admit(seat, generation):
            raise await self._pod.owner_of(table_id)
        return table, seat


class TableControlServicer(control_pb2_grpc.TableControlServiceServicer):
    """`TableControlService`."""

    def __init__(self, pod: Pod) -> None:
        self._pod = pod

    async def CreateTable(
        self, request: control_pb2.CreateTableRequest, context: Context
    ) -> control_pb2.CreateTableResponse:
        """A table under a stable id; the same again returns it."""
        with _STORE_SPOKEN:
            table_id = reading.table_id(request.table_id)
            owner, existed = await self._pod.create(table_id, reading.created(request))
        return control_pb2.CreateTableResponse(
            table_id=table_id, pod=owner.pod, authority=owner.authority, epoch=owner.epoch, existed=existed
        )

    async def ListTables(
        self, request: control_pb2.ListTablesRequest, context: Context
    ) -> control_pb2.ListTablesResponse:
        """This pod's tables by id, a page at a time; the token is the last id of the page before."""
        if request.page_size > _PAGE_MAX:
            raise Refusal(Reason.INVALID_FIELD, field="page_size", detail=f"at most {_PAGE_MAX}")
        size = request.page_size or _PAGE_DEFAULT
        names = sorted(name for name in self._pod.tables if name > request.page_token)
        rows = [_summary(self._pod.tables[name]) for name in names[:size]]
        more = len(names) > size
        return control_pb2.ListTablesResponse(tables=rows, next_page_token=names[size - 1] if more else "")


def _summary(table: Table) -> control_pb2.TableSummary:
    current = table.current
    return control_pb2.TableSummary(
        table_id=table.table_id,
        room_id=current.state.room.room_id,
        state=STAGES[current.state.stage],
        epoch=current.epoch,
        seq=current.state.seq,
        deal_number=current.state.deal_number,
        viewer_count=len(table.gallery.viewers) + len(table.balcony),
        seats=players_to_proto(current.state.players, current.state.bots),
    )


def _asker(table_id: str) -> Asker:
    """Who asks for a replay. Raises: Refusal: TOKEN_MISMATCH: the token is for another table."""
    caller = current_caller()
    if caller.role == "operator":
        return Asker()
    if caller.claims.get("table_id") != table_id:
        raise Refusal(Reason.TOKEN_MISMATCH, field="table_id")
    if caller.role == "spectator":
        return Asker(spectates=True)
    return Asker(caller.subject, caller.claims["seat"])


def _seated(seat: Seat | None) -> Seat:
    if seat is None:
        raise Refusal(Reason.ROLE_NOT_ALLOWED)
    return seat


def _unary(behaviour: Callable[[Any, Context], Any], request: type[Message]) -> "grpc.RpcMethodHandler[Any, Any]":
    return grpc.unary_unary_rpc_method_handler(behaviour, request.FromString, _serialized)


def _serialized(message: Message) -> bytes:
    return message.SerializeToString()


def _as_it_is(frame: bytes) -> bytes:
    return frame
