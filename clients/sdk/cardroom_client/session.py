"""A player at a table: what happens there, and what he does."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Self, TypeVar
from uuid import uuid4

import grpc
from cardroom.landlord.v1 import action_pb2 as landlord_pb2
from cardroom.mahjong.v1 import action_pb2 as mahjong_pb2
from cardroom.table.v1 import event_pb2, table_pb2, table_pb2_grpc

from cardroom_client.link import Link, metadata_of
from cardroom_client.place import Place
from cardroom_client.pulse import Pulse
from cardroom_client.refused import OVERTAKEN, CallRefused, TooLate, refused
from cardroom_client.retrying import Patience, passes
from cardroom_client.seat import Seat

Move = table_pb2.Option | mahjong_pb2.Action | landlord_pb2.Action
"""A move: an option of a prompt, or an action of the family the table plays."""

Request = TypeVar("Request")
Answer = TypeVar("Answer")

FINAL_GOODBYES = frozenset(
    {table_pb2.GOODBYE_REASON_ENDED, table_pb2.GOODBYE_REASON_REPLACED, table_pb2.GOODBYE_REASON_LEFT}
)
"""After these nothing is resumed: the table is over, another device has taken the seat, or the player has left."""

HEARTBEAT_SECONDS = 5.0


RENEW_EVERY = 3
"""Failures in a row after which the matchmaker is asked where the table is."""


class TableSession:
    """A seat's session at its table, over as many connections as it takes.

        async with player.sit(seat) as table:
            await table.set_ready()
            async for update in table.watch():
                if update.HasField("prompt") and not update.prompt.answered:
                    await table.act(choose(update.prompt.options), update.prompt.decision_id)

    `watch` and calls may run side by side; each finds its own way back after a broken connection.
    """

    def __init__(
        self,
        seat: Seat,
        *,
        renew: Callable[[], Awaitable[Seat]] | None = None,
        credentials: grpc.ChannelCredentials | None = None,
        call_timeout_seconds: float = 5.0,
        patience_seconds: float = 120.0,
        heartbeat_seconds: float = HEARTBEAT_SECONDS,
        correlation_id: str = "",
    ) -> None:
        """A session; nothing is sent yet.

        Args:
            seat: from `Player.join` or `Player.my_seat`.
            renew: gives the seat anew when its token has expired or its address does not answer;
                `Player.sit` passes its own.
            credentials: for encrypted connections.
            call_timeout_seconds: of one attempt of a call.
            patience_seconds: how long calls and streams are tried again before their failure is raised.
            heartbeat_seconds: between two signs of life while `watch` runs.
            correlation_id: as of `Player`.
        """
        self._seat = seat
        self._renew = renew
        self._call_timeout_seconds = call_timeout_seconds
        self._patience_seconds = patience_seconds
        self._heartbeat_seconds = heartbeat_seconds
        self._correlation_id = correlation_id
        self._link = Link(credentials)
        self._place = Place()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections; the seat stays the player's."""
        await self._link.close()

    @property
    def seat(self) -> Seat:
        """The seat, where its table was last found."""
        return self._seat

    @property
    def seq(self) -> int | None:
        """Number of the last entry of the log that `watch` has given; None before the first."""
        return self._place.seq

    async def watch(self) -> AsyncIterator[table_pb2.WatchResponse]:
        """What happens at the table, from a snapshot on.

        Every entry of the log comes exactly once and in order, as `event` or, where this seat may know nothing of
        it, as `hidden`. A `prompt` says what the player may do now; it may come again after a broken connection. A
        further `snapshot` replaces all that came before: the client was too far behind, or (`rewound`) the
        table's log lost its tail. A `presence` says who is there. Ends after a `goodbye` with ENDED, REPLACED or LEFT;
        all other ends are resumed. While it runs the player's signs of life are sent, and a stream that falls silent is
        opened anew.

        Raises:
            CallRefused: the table refuses the viewer, or nothing worked for `patience_seconds`.
            LogGap: the server left out an entry, which is a fault of the server.
        """
        patience = Patience(self._patience_seconds)
        while True:
            call = self._open_watch()
            pulse = Pulse(self._beat, call.cancel, beat_seconds=self._heartbeat_seconds)
            try:
                async with pulse, aclosing(_one_by_one(call)) as messages:
                    async for message in messages:
                        patience.succeeded()
                        pulse.heard()
                        if message.HasField("goodbye") and message.goodbye.reason not in FINAL_GOODBYES:
                            break
                        if self._place.accept(message):
                            yield message
                        if message.HasField("goodbye"):
                            return
                failure = CallRefused("", grpc.StatusCode.UNAVAILABLE, message="the table's stream ended")
            except grpc.aio.AioRpcError as error:
                failure = refused(error)
            except asyncio.CancelledError:
                if not pulse.silent or _is_cancelled():
                    raise
                failure = CallRefused("", grpc.StatusCode.UNAVAILABLE, message="the table's stream fell silent")
            finally:
                call.cancel()
            await self._recover(failure, patience)

    async def act(
        self,
        move: Move,
        decision_id: str,
        *,
        request_id: str | None = None,
    ) -> table_pb2.ActResponse:
        """Make a move and wait until the server has stored it.

        The same request is sent again until there is a definite answer, so that the move happens once or not at all.

        Args:
            move: an option of the prompt, or an action of one's own making, of the family the table plays.
            decision_id: the decision it answers, from the prompt.
            request_id: UUID; only to go on with a move whose outcome an earlier `act` could not learn.
        Returns: its number in the log and what became of it: ACCEPTED, or QUEUED while others may still claim.

        Raises:
            TooLate: the question was closed before the move arrived; the next prompt says what may be done now.
            CallRefused: NOT_YOUR_TURN, TILE_NOT_HELD and others: nothing has changed. With a passing reason
                (UNAVAILABLE): the outcome is unknown after `patience_seconds`.
        """
        request = table_pb2.ActRequest(
            table_id=self._seat.table_id, request_id=request_id or str(uuid4()), decision_id=decision_id
        )
        _write_action(request, move)
        try:
            return await self._definite(lambda table: table.Act, request)
        except CallRefused as refusal:
            if refusal.reason in OVERTAKEN:
                raise TooLate(refusal) from None
            raise

    async def set_ready(self, nonce: bytes = b"") -> table_pb2.SetReadyResponse:
        """Say ready for the next deal.

        Args:
            nonce: at most 32 bytes of the player's own, which enter the shuffle (PF-41).
        Raises: CallRefused: WRONG_TABLE_STATE: the table waits for nobody.
        """
        request = table_pb2.SetReadyRequest(table_id=self._seat.table_id, request_id=str(uuid4()), nonce=nonce)
        return await self._definite(lambda table: table.SetReady, request)

    async def set_trustee(self, on: bool) -> table_pb2.SetTrusteeResponse:
        """Have the server play for the seat from now on, or no more (PF-22).

        Raises: CallRefused.
        """
        request = table_pb2.SetTrusteeRequest(table_id=self._seat.table_id, request_id=str(uuid4()), on=on)
        return await self._definite(lambda table: table.SetTrustee, request)

    async def leave(self, *, after_deal: bool = False) -> table_pb2.LeaveResponse:
        """Give the seat up: at once, or after the deal that is played.

        At once during a deal is a forced exit: it costs the room's penalty and ends the deal (PF-23), or, in a bloody
        game, the server plays for the seat until the player watches again (BB-60).

        Raises: CallRefused.
        """
        when = event_pb2.LEAVE_WHEN_AFTER_DEAL if after_deal else event_pb2.LEAVE_WHEN_NOW
        request = table_pb2.LeaveRequest(table_id=self._seat.table_id, request_id=str(uuid4()), when=when)
        return await self._definite(lambda table: table.Leave, request)

    async def _beat(self) -> None:
        request = table_pb2.HeartbeatRequest(table_id=self._seat.table_id)
        await self._table().Heartbeat(request, metadata=self._metadata(), timeout=self._call_timeout_seconds)

    async def snapshot(self) -> table_pb2.GetSnapshotResponse:
        """All the seat may know now, and its place in the log. Does not move `watch`.

        Raises: CallRefused.
        """
        request = table_pb2.GetSnapshotRequest(table_id=self._seat.table_id)
        return await self._definite(lambda table: table.GetSnapshot, request)

    async def replay(self, deal_number: int) -> tuple[table_pb2.ReplayHead, list[table_pb2.ReplayEntry]]:
        """A deal of this table that is over, with all tiles and the shuffle's seed (PF-41).

        Raises: CallRefused: DEAL_RUNNING, DEAL_UNKNOWN.
        """
        request = table_pb2.GetReplayRequest(table_id=self._seat.table_id, deal_number=deal_number)
        patience = Patience(self._patience_seconds)
        while True:
            head, entries = table_pb2.ReplayHead(), list[table_pb2.ReplayEntry]()
            try:
                async for message in self._table().GetReplay(request, metadata=self._metadata()):
                    entries += message.entries.entries
                    if message.HasField("head"):
                        head = message.head
                return head, entries
            except grpc.aio.AioRpcError as error:
                failure = refused(error)
            await self._recover(failure, patience)

    def _table(self) -> "table_pb2_grpc.TableServiceAsyncStub":
        return table_pb2_grpc.TableServiceStub(self._link.channel(self._seat.authority))

    def _metadata(self) -> tuple[tuple[str, str], ...]:
        return (*metadata_of(self._seat.token, self._correlation_id), ("x-table-pod", self._seat.pod))

    def _open_watch(self) -> "grpc.aio.UnaryStreamCall[table_pb2.WatchRequest, table_pb2.WatchResponse]":
        request = table_pb2.WatchRequest(
            table_id=self._seat.table_id, after_seq=self._place.seq, known_epoch=self._place.epoch, together=True
        )
        return self._table().Watch(request, metadata=self._metadata())

    async def _definite(
        self,
        method: "Callable[[table_pb2_grpc.TableServiceAsyncStub], grpc.aio.UnaryUnaryMultiCallable[Request, Answer]]",
        request: Request,
    ) -> Answer:
        """The definite answer of a call that the server deduplicates."""
        patience = Patience(self._patience_seconds)
        while True:
            try:
                return await method(self._table())(
                    request, metadata=self._metadata(), timeout=self._call_timeout_seconds
                )
            except grpc.aio.AioRpcError as error:
                failure = refused(error)
            await self._recover(failure, patience)

    async def _recover(self, failure: CallRefused, patience: Patience) -> None:
        """Make the next attempt worth while: go where the table is, or wait.

        Raises: the failure, if it does not pass or has lasted too long.
        """
        if not passes(failure):
            raise failure
        owner = failure.metadata if failure.reason == "NOT_OWNER" else {}
        await patience.pause(failure)
        if owner.get("authority"):
            self._seat = replace(self._seat, authority=owner["authority"], pod=owner.get("pod", ""))
        elif failure.reason == "TOKEN_EXPIRED" or patience.failure_count % RENEW_EVERY == 0:
            await self._find_seat(failure)

    async def _find_seat(self, failure: CallRefused) -> None:
        """Ask where the seat is now; where nobody knows, the old place is tried again.

        Raises: the failure, if the token has expired and there is no new one, or the player sits elsewhere by now.
        """
        found: Seat | None = None
        if self._renew is not None:
            try:
                async with asyncio.timeout(self._call_timeout_seconds):
                    found = await self._renew()
            except (CallRefused, TimeoutError):
                found = None
        if found is None and failure.reason != "TOKEN_EXPIRED":
            return
        if found is None or found.table_id != self._seat.table_id:
            raise failure
        self._seat = found


def _write_action(request: table_pb2.ActRequest, move: Move) -> None:
    """The field of the request that is named after the move's family."""
    if isinstance(move, mahjong_pb2.Action):
        request.mahjong.CopyFrom(move)
    elif isinstance(move, landlord_pb2.Action):
        request.landlord.CopyFrom(move)
    elif (family := move.WhichOneof("action")) is not None:
        getattr(request, family).CopyFrom(getattr(move, family))
    else:
        raise ValueError("the option has no action this client knows: it needs newer stubs")


def _is_cancelled() -> bool:
    """Whether the running task is to end, not only the call that it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _one_by_one(call: AsyncIterable[table_pb2.WatchResponse]) -> AsyncGenerator[table_pb2.WatchResponse, None]:
    """The messages of a stream, also those that came together as one."""
    async for message in call:
        later = tuple(message.more)
        message.ClearField("more")
        yield message
        for each in later:
            yield each
