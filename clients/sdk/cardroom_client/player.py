"""A player outside the tables: into a queue, out of it with a seat."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Self, TypeVar
from uuid import uuid4

import grpc
from cardroom.matchmaker.v1 import matchmaker_pb2, matchmaker_pb2_grpc

from cardroom_client.link import Link, metadata_of
from cardroom_client.refused import CallRefused, refused
from cardroom_client.retrying import Patience, passes
from cardroom_client.seat import Seat
from cardroom_client.session import TableSession

Answer = TypeVar("Answer")

_WATCH_AGAIN = frozenset({matchmaker_pb2.TICKET_END_CAUSE_RECONNECT, matchmaker_pb2.TICKET_END_CAUSE_SHUTDOWN})


class TicketEnded(Exception):
    """A ticket ended without a seat: cancelled, or its room was closed.

    Attributes:
        cause: a `cardroom.matchmaker.v1.TicketEndCause`.
    """

    def __init__(self, cause: "matchmaker_pb2.TicketEndCause.ValueType") -> None:
        self.cause = cause
        super().__init__(matchmaker_pb2.TicketEndCause.Name(cause))


class Player:
    """One player and his login.

        async with Player(token, "127.0.0.1:7101") as player:
            seat = await player.join("bloody4-1")
            async with player.sit(seat) as table: ...

    Calls that fail for a passing reason are sent again, with the same request_id, for `patience_seconds`.
    """

    def __init__(
        self,
        token: str,
        matchmaker_address: str,
        *,
        credentials: grpc.ChannelCredentials | None = None,
        call_timeout_seconds: float = 5.0,
        patience_seconds: float = 60.0,
        correlation_id: str = "",
    ) -> None:
        """A player; nothing is sent yet.

        Args:
            token: a player token of the login.
            matchmaker_address: host:port.
            correlation_id: the services' logs have all that this player calls for under it, here and at his tables
                (1 to 64 of letters, digits, ``._:-``); without one each call gets its own.
        """
        self._credentials = credentials
        self._call_timeout_seconds = call_timeout_seconds
        self._patience_seconds = patience_seconds
        self._correlation_id = correlation_id
        self._metadata = metadata_of(token, correlation_id)
        self._link = Link(credentials)
        self._matchmaker = matchmaker_pb2_grpc.MatchmakerServiceStub(self._link.channel(matchmaker_address))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._link.close()

    async def join(self, room_id: str, waiting: Callable[[matchmaker_pb2.Waiting], None] | None = None) -> Seat:
        """Queue for a room and wait for a seat there.

        Args:
            room_id: such as "bloody4-1".
            waiting: told the place in the queue each time it changes.

        Raises:
            CallRefused: ROOM_UNKNOWN, ALREADY_QUEUED, ALREADY_SEATED (then `my_seat` has it, PF-11),
                BALANCE_BELOW_MINIMUM and others.
            TicketEnded: the ticket was cancelled, or the room closed.
        """
        request = matchmaker_pb2.JoinQueueRequest(request_id=str(uuid4()), room_id=room_id)
        joined = await self._definite(
            lambda: self._matchmaker.JoinQueue(request, metadata=self._metadata, timeout=self._call_timeout_seconds)
        )
        return await self.follow(joined.ticket_id, waiting)

    async def take_seat(self, room_id: str, *, waiting: Callable[[matchmaker_pb2.Waiting], None] | None = None) -> Seat:
        """A seat for a program that may have been here before: `join`, unless the player sits or waits already (PF-11).

        Who sits anywhere gets that seat, who waits anywhere goes on waiting with his ticket, whatever the room.

        Raises: as `join`, without ALREADY_QUEUED and ALREADY_SEATED.
        """
        try:
            return await self.join(room_id, waiting=waiting)
        except CallRefused as refusal:
            if refusal.reason == "ALREADY_SEATED":
                return await self.my_seat()
            if refusal.reason != "ALREADY_QUEUED":
                raise
            ticket_id = refusal.metadata["ticket_id"]
        return await self.follow(ticket_id, waiting=waiting)

    async def follow(self, ticket_id: str, waiting: Callable[[matchmaker_pb2.Waiting], None] | None = None) -> Seat:
        """Wait for the seat of a ticket the player has; `join` does so by itself.

        For a player who comes back while he waits: the refusal ALREADY_QUEUED names the ticket in its metadata, as
        "ticket_id".

        Raises:
            CallRefused: TICKET_UNKNOWN: there is no such ticket, or it is another's.
            TicketEnded: the ticket was cancelled, or the room closed.
        """
        patience = Patience(self._patience_seconds)
        while True:
            try:
                async for news in self._watch_ticket(ticket_id):
                    patience.succeeded()
                    if news.HasField("seat"):
                        return Seat.from_message(news.seat)
                    if news.HasField("ended") and news.ended.cause not in _WATCH_AGAIN:
                        raise TicketEnded(news.ended.cause)
                    if news.HasField("waiting") and waiting is not None:
                        waiting(news.waiting)
                refusal = CallRefused("", grpc.StatusCode.UNAVAILABLE, message="the ticket's stream ended")
            except grpc.aio.AioRpcError as error:
                refusal = refused(error)
            if not passes(refusal):
                raise refusal
            await patience.pause(refusal)

    async def leave_queue(self, ticket_id: str) -> None:
        """Give a ticket back.

        Raises: CallRefused: TICKET_MATCHED: too late, the seat is drawn; TICKET_UNKNOWN.
        """
        request = matchmaker_pb2.CancelTicketRequest(ticket_id=ticket_id, request_id=str(uuid4()))
        await self._definite(
            lambda: self._matchmaker.CancelTicket(request, metadata=self._metadata, timeout=self._call_timeout_seconds)
        )

    async def my_seat(self) -> Seat:
        """The player's seat, with a fresh token and where its table is now.

        Raises: CallRefused: NO_SEAT: he sits nowhere.
        """
        request = matchmaker_pb2.GetMySeatRequest()
        answer = await self._definite(
            lambda: self._matchmaker.GetMySeat(request, metadata=self._metadata, timeout=self._call_timeout_seconds)
        )
        return Seat.from_message(answer.seat)

    def sit(self, seat: Seat) -> TableSession:
        """A session at the seat's table; it asks this player for a fresh seat when its own leads nowhere."""
        return self._session(seat, self.my_seat)

    async def spectate(self, table_id: str) -> TableSession:
        """A session that watches a table as a spectator: `watch` and `snapshot` work, as far behind as its room says.

        Raises: CallRefused: TABLE_UNKNOWN, SPECTATORS_NOT_ALLOWED.
        """
        return self._session(
            await self._place_among_spectators(table_id), lambda: self._place_among_spectators(table_id)
        )

    def _session(self, seat: Seat, renew: Callable[[], Awaitable[Seat]]) -> TableSession:
        return TableSession(seat, renew=renew, credentials=self._credentials, correlation_id=self._correlation_id)

    async def _place_among_spectators(self, table_id: str) -> Seat:
        request = matchmaker_pb2.GetSpectatorTokenRequest(table_id=table_id)
        answer = await self._definite(
            lambda: self._matchmaker.GetSpectatorToken(
                request, metadata=self._metadata, timeout=self._call_timeout_seconds
            )
        )
        return Seat.of_spectator(answer)

    async def _definite(self, call: Callable[[], Awaitable[Answer]]) -> Answer:
        """The answer of a call that may be repeated.

        Raises: CallRefused.
        """
        patience = Patience(self._patience_seconds)
        while True:
            try:
                return await call()
            except grpc.aio.AioRpcError as error:
                refusal = refused(error)
            if not passes(refusal) or refusal.reason == "TOKEN_EXPIRED":
                raise refusal
            await patience.pause(refusal)

    def _watch_ticket(self, ticket_id: str) -> AsyncIterator[matchmaker_pb2.WatchTicketResponse]:
        request = matchmaker_pb2.WatchTicketRequest(ticket_id=ticket_id)
        return aiter(self._matchmaker.WatchTicket(request, metadata=self._metadata))
