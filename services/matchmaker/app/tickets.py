"""Tickets: join a room's queue, follow the ticket, give it back (PF-10, PF-11)."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from enum import StrEnum

from refusals import Reason, Refusal
from services.matchmaker.app.news import NewsDesk, rung
from services.matchmaker.app.seats import SeatGiven, Seats
from services.matchmaker.ports import (
    CancelOutcome,
    Chance,
    Clock,
    Joined,
    JoinOutcome,
    Ledger,
    Place,
    RoomStore,
    TicketState,
    TicketStore,
)


class EndCause(StrEnum):
    """Why a stream of a ticket ends without a seat."""

    CANCELLED = "cancelled"
    RECONNECT = "reconnect"
    SHUTDOWN = "shutdown"


@dataclass(frozen=True, slots=True)
class Ended:
    """The ticket is gone, or the stream ends and may be opened again."""

    cause: EndCause


TicketNews = Place | SeatGiven | Ended

_STANDS_AGAINST = {
    JoinOutcome.REQUEST_REUSED: Reason.REQUEST_ID_REUSED,
    JoinOutcome.QUEUED: Reason.ALREADY_QUEUED,
    JoinOutcome.SEATED: Reason.ALREADY_SEATED,
}
_GOES_ON = {JoinOutcome.FREE, JoinOutcome.JOINED, JoinOutcome.DUPLICATE}
assert set(JoinOutcome) == _GOES_ON | set(_STANDS_AGAINST)


class Tickets:
    """The use cases of a player who queues."""

    def __init__(
        self,
        *,
        tickets: TicketStore,
        rooms: RoomStore,
        ledger: Ledger,
        seats: Seats,
        desk: NewsDesk,
        chance: Chance,
        clock: Clock,
        place_refresh_ms: int,
        stream_max_age_ms: int,
    ) -> None:
        """`place_refresh_ms`: how often a waiting player's place is looked up again."""
        self._tickets = tickets
        self._rooms = rooms
        self._ledger = ledger
        self._seats = seats
        self._desk = desk
        self._chance = chance
        self._clock = clock
        self._place_refresh_ms = place_refresh_ms
        self._stream_max_age_ms = stream_max_age_ms

    async def join(self, player_id: str, room_id: str, request_id: str) -> Joined:
        """A ticket at the end of a room's queue; the same request again gives the same ticket (DUPLICATE).

        Raises: Refusal ROOM_UNKNOWN, ROOM_CLOSED, ALREADY_QUEUED, ALREADY_SEATED (PF-11), BALANCE_BELOW_MINIMUM,
        ACCOUNT_UNKNOWN, REQUEST_ID_REUSED, SHUTTING_DOWN; metadata `ticket_id` names the ticket in the way.
        """
        if self._desk.closing:
            raise Refusal(Reason.SHUTTING_DOWN)
        room = await self._rooms.get(room_id)
        if room is None:
            raise Refusal(Reason.ROOM_UNKNOWN)
        before = _passed(await self._tickets.look_before_join(player_id, room_id, request_id))
        if before.outcome is JoinOutcome.DUPLICATE:
            return before
        if room.closed:
            raise Refusal(Reason.ROOM_CLOSED)
        balance = await self._ledger.balance(player_id, room.asset)
        if balance < room.least_balance:
            raise Refusal(
                Reason.BALANCE_BELOW_MINIMUM,
                metadata={"asset": room.asset, "balance": str(balance), "least_balance": str(room.least_balance)},
            )
        return _passed(await self._tickets.join(player_id, room_id, request_id, self._chance.new_id()))

    async def cancel(self, player_id: str, ticket_id: str) -> None:
        """Gives a ticket back; again, nothing happens. Raises Refusal TICKET_UNKNOWN or TICKET_MATCHED."""
        outcome = await self._tickets.cancel(ticket_id, player_id)
        if outcome is CancelOutcome.UNKNOWN:
            raise Refusal(Reason.TICKET_UNKNOWN)
        if outcome is CancelOutcome.MATCHED:
            raise Refusal(Reason.TICKET_MATCHED)

    async def follow(self, player_id: str, ticket_id: str) -> AsyncGenerator[TicketNews, None]:
        """News of a ticket: its place now and whenever it changes, then once `SeatGiven` or `Ended`.

        It begins anew wherever it is called again: nothing is kept between two streams.
        Raises: Refusal TICKET_UNKNOWN, OVERLOADED.
        """
        ends_at = self._clock.monotonic_ms() + self._stream_max_age_ms
        shown: Place | None = None
        with self._desk.following(ticket_id) as bell:
            while True:
                bell.clear()
                news = await self._news(player_id, ticket_id)
                if isinstance(news, SeatGiven | Ended):
                    yield news
                    return
                if news is not None and news != shown:
                    shown = news
                    yield news
                if self._desk.closing:
                    yield Ended(EndCause.SHUTDOWN)
                    return
                left_ms = ends_at - self._clock.monotonic_ms()
                if left_ms <= 0:
                    yield Ended(EndCause.RECONNECT)
                    return
                await rung(bell, self._clock, min(left_ms, self._place_refresh_ms))

    async def _news(self, player_id: str, ticket_id: str) -> TicketNews | None:
        """How a ticket stands; None while its seat is drawn and not yet there."""
        ticket = await self._tickets.ticket(ticket_id)
        if ticket is None or ticket.player_id != player_id:
            raise Refusal(Reason.TICKET_UNKNOWN)
        if ticket.state is TicketState.SEATED:
            # None: the table has let him go between the two looks; the next one says what he is now.
            return await self._seats.find(player_id)
        if ticket.state is TicketState.CANCELLED:
            return Ended(EndCause.CANCELLED)
        return ticket.place


def _passed(joined: Joined) -> Joined:
    reason = _STANDS_AGAINST.get(joined.outcome)
    if reason is None:
        return joined
    raise Refusal(reason, metadata={"ticket_id": joined.ticket_id})
