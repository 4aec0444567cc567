"""Entries of a log as bytes: the messages the wire has, so that what is stored can be sent as it is."""

from functools import lru_cache

from cardroom.table.v1 import event_pb2
from google.protobuf.message import DecodeError

from games.catalog import UnknownVariant
from games.kernel import OptionError
from games.mahjong.actions import Choice
from games.mahjong.events import Answered
from services.table.edge.events import event_from_message, event_to_message
from services.table.edge.families import REPEATED
from services.table.model.events import Move, TableEvent
from services.table.model.play import GameEvent
from services.table.ports import UnreadableEntry

_UNREADABLE = (DecodeError, ValueError, KeyError, StopIteration, UnknownVariant, OptionError)
_REPEATED_COUNT_MAX = 4_096


class ProtobufCodec:
    """`Codec` by protobuf. A private answer is the seat's byte and the answer's word; only mahjong has any."""

    def encode(self, event: TableEvent) -> bytes:
        """See `Codec`."""
        if isinstance(event, Move) and isinstance(event.event, REPEATED):
            return _encoded_move(event.event)
        return event_to_message(event).SerializeToString()

    def decode(self, data: bytes) -> TableEvent:
        """See `Codec`."""
        try:
            return event_from_message(event_pb2.TableEvent.FromString(data))
        except _UNREADABLE as error:
            raise UnreadableEntry(type(error).__name__) from error

    def encode_private(self, event: GameEvent) -> bytes:
        """See `Codec`."""
        assert isinstance(event, Answered), event
        return bytes([event.seat]) + event.choice.encode()

    def decode_private(self, data: bytes) -> GameEvent:
        """See `Codec`."""
        try:
            return Answered(data[0], Choice(data[1:].decode()))
        except (*_UNREADABLE, IndexError) as error:
            raise UnreadableEntry(type(error).__name__) from error


@lru_cache(maxsize=_REPEATED_COUNT_MAX)
def _encoded_move(event: GameEvent) -> bytes:
    return event_to_message(Move(event)).SerializeToString()
