"""A seat at a table, as the matchmaker gives it."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Self

from cardroom.matchmaker.v1 import matchmaker_pb2


@dataclass(frozen=True, slots=True)
class Seat:
    """Where a player sits and what lets him in.

    Attributes:
        table_id: the table.
        seat: the player's place, counted from 0 in turn order; -1 for a spectator.
        room_id: the room the table belongs to.
        authority: host:port of the table's owner when the seat was given.
        pod: the owner's name, sent with every call.
        token: what lets the player in; not shown in the representation.
        expiry: when the token ends (UTC).
    """

    table_id: str
    seat: int
    room_id: str
    authority: str
    pod: str
    token: str = field(repr=False)
    expiry: datetime

    @classmethod
    def from_message(cls, message: matchmaker_pb2.Seat) -> Self:
        """The seat in a message of the matchmaker."""
        return cls(
            table_id=message.table_id,
            seat=message.seat,
            room_id=message.room_id,
            authority=message.endpoint.authority,
            pod=message.endpoint.pod,
            token=message.seat_token,
            expiry=message.expiry.ToDatetime(tzinfo=UTC),
        )

    @classmethod
    def of_spectator(cls, message: matchmaker_pb2.GetSpectatorTokenResponse) -> Self:
        """A spectator's place."""
        return cls(
            table_id=message.table_id,
            seat=-1,
            room_id=message.room_id,
            authority=message.endpoint.authority,
            pod=message.endpoint.pod,
            token=message.spectator_token,
            expiry=message.expiry.ToDatetime(tzinfo=UTC),
        )
