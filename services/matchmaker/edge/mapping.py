"""From the app's values to messages, and what a request must look like."""

import uuid

from cardroom.matchmaker.v1 import matchmaker_pb2, room_pb2
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from refusals import Reason, Refusal
from services.matchmaker.app.rooms import Listed
from services.matchmaker.app.seats import SeatGiven, SpectatorAdmitted
from services.matchmaker.app.tickets import EndCause, Ended, TicketNews
from services.matchmaker.messages import room_message
from services.matchmaker.ports import Place

_CAUSE = {
    EndCause.CANCELLED: matchmaker_pb2.TICKET_END_CAUSE_CANCELLED,
    EndCause.RECONNECT: matchmaker_pb2.TICKET_END_CAUSE_RECONNECT,
    EndCause.SHUTDOWN: matchmaker_pb2.TICKET_END_CAUSE_SHUTDOWN,
}
assert set(_CAUSE) == set(EndCause)


def required(field: str, value: str) -> str:
    """The value. Raises Refusal INVALID_FIELD: it is empty."""
    if not value:
        raise Refusal(Reason.INVALID_FIELD, field=field, detail="is missing")
    return value


def uuid_text(field: str, value: str) -> str:
    """A UUID in its one canonical form. Raises Refusal INVALID_FIELD."""
    try:
        return str(uuid.UUID(required(field, value)))
    except ValueError:
        raise Refusal(Reason.INVALID_FIELD, field=field, detail="must be a UUID") from None


def seat_message(seat: SeatGiven) -> matchmaker_pb2.Seat:
    """A seat with its token."""
    expiry = Timestamp()
    expiry.FromMilliseconds(seat.token.expiry_ms)
    return matchmaker_pb2.Seat(
        table_id=seat.taken.table_id,
        seat=seat.taken.seat,
        endpoint=matchmaker_pb2.Endpoint(authority=seat.authority, pod=seat.pod),
        seat_token=seat.token.token,
        expiry=expiry,
        room_id=seat.taken.room_id,
    )


def spectator_message(admitted: SpectatorAdmitted) -> matchmaker_pb2.GetSpectatorTokenResponse:
    """A spectator's place with its token."""
    expiry = Timestamp()
    expiry.FromMilliseconds(admitted.token.expiry_ms)
    return matchmaker_pb2.GetSpectatorTokenResponse(
        table_id=admitted.table_id,
        room_id=admitted.room.room_id,
        endpoint=matchmaker_pb2.Endpoint(authority=admitted.authority, pod=admitted.pod),
        spectator_token=admitted.token.token,
        expiry=expiry,
        delay_ms=admitted.room.spectator_delay_ms,
    )


def news_message(news: TicketNews) -> matchmaker_pb2.WatchTicketResponse:
    """One message of a ticket's stream."""
    if isinstance(news, Place):
        return matchmaker_pb2.WatchTicketResponse(waiting=_waiting(news))
    if isinstance(news, Ended):
        return matchmaker_pb2.WatchTicketResponse(ended=matchmaker_pb2.TicketEnded(cause=_CAUSE[news.cause]))
    return matchmaker_pb2.WatchTicketResponse(seat=seat_message(news))


def _waiting(place: Place) -> matchmaker_pb2.Waiting:
    message = matchmaker_pb2.Waiting(place=place.place, queue_length=place.queue_length)
    if place.expected_wait_ms is not None:
        wait = Duration()
        wait.FromMilliseconds(place.expected_wait_ms)
        message.expected_wait.CopyFrom(wait)
    return message


def room_info(listed: Listed) -> room_pb2.RoomInfo:
    """A room and how busy it is."""
    return room_pb2.RoomInfo(
        room=room_message(listed.room),
        queue_length=listed.activity.queue_length,
        tables_open=listed.activity.tables_open,
    )
