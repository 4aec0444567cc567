"""The three services of the matchmaker on the wire. Who calls is checked before; here it becomes a player id."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import grpc.aio
from cardroom.matchmaker.v1 import (
    matchmaker_pb2,
    matchmaker_pb2_grpc,
    room_pb2,
    room_pb2_grpc,
    seat_pb2,
    seat_pb2_grpc,
)

from services.matchmaker.app.rooms import Rooms
from services.matchmaker.app.seats import Seats
from services.matchmaker.app.tickets import Tickets
from services.matchmaker.edge.mapping import (
    news_message,
    required,
    room_info,
    seat_message,
    spectator_message,
    uuid_text,
)
from services.matchmaker.ports import JoinOutcome
from serving.auth import current_caller

Context = grpc.aio.ServicerContext[Any, Any]


class MatchmakerServicer(matchmaker_pb2_grpc.MatchmakerServiceServicer):
    """Queues and seats, for game clients: the caller is the player."""

    def __init__(self, tickets: Tickets, seats: Seats) -> None:
        self._tickets = tickets
        self._seats = seats

    async def JoinQueue(
        self, request: matchmaker_pb2.JoinQueueRequest, context: Context
    ) -> matchmaker_pb2.JoinQueueResponse:
        """A ticket for a room."""
        joined = await self._tickets.join(
            current_caller().subject, required("room_id", request.room_id), uuid_text("request_id", request.request_id)
        )
        return matchmaker_pb2.JoinQueueResponse(
            ticket_id=joined.ticket_id, duplicate=joined.outcome is JoinOutcome.DUPLICATE
        )

    async def WatchTicket(
        self, request: matchmaker_pb2.WatchTicketRequest, context: Context
    ) -> AsyncIterator[matchmaker_pb2.WatchTicketResponse]:
        """News of a ticket until it is a seat or gone."""
        ticket_id = required("ticket_id", request.ticket_id)
        async with aclosing(self._tickets.follow(current_caller().subject, ticket_id)) as stream:
            async for news in stream:
                yield news_message(news)

    async def CancelTicket(
        self, request: matchmaker_pb2.CancelTicketRequest, context: Context
    ) -> matchmaker_pb2.CancelTicketResponse:
        """Gives a ticket back."""
        uuid_text("request_id", request.request_id)
        await self._tickets.cancel(current_caller().subject, required("ticket_id", request.ticket_id))
        return matchmaker_pb2.CancelTicketResponse()

    async def GetMySeat(
        self, request: matchmaker_pb2.GetMySeatRequest, context: Context
    ) -> matchmaker_pb2.GetMySeatResponse:
        """The caller's seat with a fresh token."""
        return matchmaker_pb2.GetMySeatResponse(seat=seat_message(await self._seats.of(current_caller().subject)))

    async def GetSpectatorToken(
        self, request: matchmaker_pb2.GetSpectatorTokenRequest, context: Context
    ) -> matchmaker_pb2.GetSpectatorTokenResponse:
        """A token to watch a table with."""
        table_id = required("table_id", request.table_id)
        return spectator_message(await self._seats.watched(current_caller().subject, table_id))


class RoomServicer(room_pb2_grpc.RoomServiceServicer):
    """Rooms, for whoever may look at them."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms

    async def ListRooms(self, request: room_pb2.ListRoomsRequest, context: Context) -> room_pb2.ListRoomsResponse:
        """A page of rooms by id."""
        rooms, next_page_token = await self._rooms.page(request.page_size, request.page_token)
        return room_pb2.ListRoomsResponse(
            rooms=[room_info(listed) for listed in rooms], next_page_token=next_page_token
        )

    async def GetRoom(self, request: room_pb2.GetRoomRequest, context: Context) -> room_pb2.GetRoomResponse:
        """One room."""
        listed = await self._rooms.get(required("room_id", request.room_id))
        return room_pb2.GetRoomResponse(room=room_info(listed))


class SeatServicer(seat_pb2_grpc.SeatServiceServicer):
    """Seats, for tables."""

    def __init__(self, seats: Seats) -> None:
        self._seats = seats

    async def ReleaseSeats(
        self, request: seat_pb2.ReleaseSeatsRequest, context: Context
    ) -> seat_pb2.ReleaseSeatsResponse:
        """Frees players of a table."""
        released = await self._seats.release(
            request.table_id, request.epoch, tuple(request.player_ids), requeue=request.requeue
        )
        return seat_pb2.ReleaseSeatsResponse(released_player_ids=released)
