"""Messages to viewers as bytes, so that one message to many is encoded once."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from cardroom.table.v1 import event_pb2, table_pb2
from google.protobuf.timestamp_pb2 import Timestamp

from games.kernel import Seat
from services.table.app.table_time import Clock
from services.table.edge.events import deal_voided_to_proto, payments_made_to_proto, room_to_proto
from services.table.edge.families import field_of
from services.table.model.play import PlayerAction
from services.table.model.prompts import Prompt
from services.table.model.state import Stage
from services.table.ports import Farewell, Frame, Place, Present, Sight

STAGES: Mapping[Stage, event_pb2.TableState.ValueType] = {
    Stage.WAITING: event_pb2.TABLE_STATE_WAITING,
    Stage.READYING: event_pb2.TABLE_STATE_READYING,
    Stage.DEALING: event_pb2.TABLE_STATE_DEALING,
    Stage.PLAYING: event_pb2.TABLE_STATE_PLAYING,
    Stage.BETWEEN_DEALS: event_pb2.TABLE_STATE_BETWEEN_DEALS,
    Stage.CLOSED: event_pb2.TABLE_STATE_CLOSED,
}
GOODBYES: Mapping[Farewell, table_pb2.GoodbyeReason.ValueType] = {
    Farewell.MOVED: table_pb2.GOODBYE_REASON_MOVED,
    Farewell.REPLACED: table_pb2.GOODBYE_REASON_REPLACED,
    Farewell.ENDED: table_pb2.GOODBYE_REASON_ENDED,
    Farewell.SLOW: table_pb2.GOODBYE_REASON_SLOW,
    Farewell.RECONNECT: table_pb2.GOODBYE_REASON_RECONNECT,
    Farewell.SHUTDOWN: table_pb2.GOODBYE_REASON_SHUTDOWN,
    Farewell.LEFT: table_pb2.GOODBYE_REASON_LEFT,
}
_WIRE_BYTES = 2
"""The wire type of fields that are bytes with their length before them: strings, messages."""


def _tag(number: int) -> bytes:
    """How such a field begins, for numbers below 16."""
    return bytes([number << 3 | _WIRE_BYTES])


_EVENT = _tag(table_pb2.WatchResponse.EVENT_FIELD_NUMBER)
_PROMPT = _tag(table_pb2.WatchResponse.PROMPT_FIELD_NUMBER)
_MORE = _tag(table_pb2.WatchResponse.MORE_FIELD_NUMBER)
_OPTIONS = _tag(table_pb2.Prompt.OPTIONS_FIELD_NUMBER)
_HIDDEN = table_pb2.Hidden()
_HEARTBEAT = table_pb2.StreamHeartbeat()
_OPTION_COUNT_MAX = 4_096


class ProtobufPresenter:
    """`Presenter` by protobuf. What is there already as bytes is joined on: protobuf messages concatenate."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last_head: tuple[Place, int, bytes] | None = None

    def event(self, place: Place, data: bytes) -> Frame:
        """See `Presenter`."""
        return self._head_bytes(place) + _field(_EVENT, data)

    def hidden(self, place: Place) -> Frame:
        """See `Presenter`."""
        message = self._head(place)
        message.hidden.CopyFrom(_HIDDEN)
        return message.SerializeToString()

    def prompt(self, place: Place, prompt: Prompt) -> Frame:
        """See `Presenter`."""
        message = table_pb2.Prompt()
        self._write_prompt(message, prompt)
        options = b"".join(map(_option_bytes, prompt.options))
        return self._head_bytes(place) + _field(_PROMPT, message.SerializeToString() + options)

    def joined(self, first: Frame, rest: Sequence[Frame]) -> Frame:
        """See `Presenter`."""
        return first + b"".join(_field(_MORE, frame) for frame in rest)

    def snapshot(self, place: Place, sight: Sight) -> Frame:
        """See `Presenter`."""
        message = self._head(place)
        message.snapshot.CopyFrom(self.sight(sight))
        return message.SerializeToString()

    def presence(self, place: Place, present: Sequence[Present]) -> Frame:
        """See `Presenter`."""
        message = self._head(place)
        message.presence.seats.extend(_presence(seat, row) for seat, row in enumerate(present))
        return message.SerializeToString()

    def heartbeat(self, place: Place) -> Frame:
        """See `Presenter`."""
        message = self._head(place)
        message.heartbeat.CopyFrom(_HEARTBEAT)
        return message.SerializeToString()

    def goodbye(self, place: Place, farewell: Farewell) -> Frame:
        """See `Presenter`."""
        message = self._head(place)
        message.goodbye.reason = GOODBYES[farewell]
        return message.SerializeToString()

    def sight(self, sight: Sight) -> table_pb2.Snapshot:
        """All a viewer may know as a message (PF-30..33)."""
        state, deal = sight.state, sight.state.deal
        message = table_pb2.Snapshot(
            state=STAGES[state.stage],
            room=room_to_proto(state.room),
            seats=[_seat(sight, seat) for seat in state.seats],
            own_seat=sight.seat,
            deal_number=state.deal_number,
            dealer=state.next_dealer,
            last_request_id=sight.last_request_id,
            rewound=sight.rewound,
            voided=map(deal_voided_to_proto, state.voided),
            delay_ms=state.room.spectator_delay_ms if sight.seat is None else 0,
        )
        if deal is not None:
            message.deal_id = deal.deal_id
            message.seed_commitment = deal.commitment.hex()
            message.dealer = state.next_dealer if deal.settled else deal.dealer
        if sight.view is not None:
            field, wire = field_of(sight.view)
            getattr(message, field).CopyFrom(wire.view_to_proto(sight.view, sight.seat))
        if sight.remaining_ms is not None:
            self._write_deadline(message.deadline, sight.remaining_ms)
        if sight.prompt is not None:
            self._write_prompt(message.prompt, sight.prompt)
            message.prompt.options.extend(_option(action) for action in sight.prompt.options)
        if state.last_settlement is not None:
            message.last_settlement.CopyFrom(payments_made_to_proto(state.last_settlement))
        if state.last_points_settlement is not None:
            message.last_points_settlement.CopyFrom(payments_made_to_proto(state.last_points_settlement))
        return message

    def _head(self, place: Place) -> table_pb2.WatchResponse:
        message = table_pb2.WatchResponse(table_id=place.table_id, epoch=place.epoch, seq=place.seq)
        message.server_time.FromMilliseconds(self._clock.now_ms())
        return message

    def _head_bytes(self, place: Place) -> bytes:
        """The head as bytes; what is shown to several viewers at once has the same."""
        now_ms = self._clock.now_ms()
        if self._last_head is None or self._last_head[:2] != (place, now_ms):
            self._last_head = (place, now_ms, self._head(place).SerializeToString())
        return self._last_head[2]

    def _write_prompt(self, message: table_pb2.Prompt, prompt: Prompt) -> None:
        """All of a prompt but its options."""
        message.decision_id = prompt.decision_id
        message.standing = prompt.standing
        message.answered = prompt.answered
        if prompt.remaining_ms is not None:
            message.remaining_ms = prompt.remaining_ms
            self._write_deadline(message.deadline, prompt.remaining_ms)

    def _write_deadline(self, message: Timestamp, remaining_ms: int) -> None:
        message.FromMilliseconds(self._clock.now_ms() + remaining_ms)


def _option(action: PlayerAction) -> table_pb2.Option:
    field, wire = field_of(action)
    message = table_pb2.Option()
    getattr(message, field).CopyFrom(wire.action_to_proto(action))
    return message


@lru_cache(maxsize=_OPTION_COUNT_MAX)
def _option_bytes(action: PlayerAction) -> bytes:
    """An option as a field of a prompt; there are only so many moves in a game."""
    return _field(_OPTIONS, _option(action).SerializeToString())


def _seat(sight: Sight, seat: Seat) -> table_pb2.SeatState:
    state = sight.state
    return table_pb2.SeatState(
        seat=seat,
        player_id=state.players[seat],
        arrived=state.has_arrived(seat),
        ready=state.ready[seat] is not None,
        balance=state.balances[seat],
        net=state.nets[seat],
        points=state.points[seat] if state.points else None,
        points_net=state.point_nets[seat] if state.points else None,
        presence=_presence(seat, sight.present[seat]),
        trustee=seat in state.trustees,
        leaving=seat in state.leaving | state.exited,
    )


def _presence(seat: Seat, present: Present) -> table_pb2.SeatPresence:
    return table_pb2.SeatPresence(seat=seat, online=present.online, grace_remaining_ms=present.grace_ms)


_SHORT = [bytes([value]) for value in range(0x80)]


def _field(tag: bytes, data: bytes) -> bytes:
    """A field of bytes."""
    return tag + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    """A length as protobuf writes it."""
    if value <= 0x7F:
        return _SHORT[value]
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
