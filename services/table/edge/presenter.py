"""Messages to viewers as bytes, so that one message to many is encoded once."""

from collections.abc import Mapping

from cardroom.table.v1 import event_pb2, table_pb2
from google.protobuf.timestamp_pb2 import Timestamp

from games.kernel import Seat
from services.table.app.table_time import Clock
from services.table.edge.events import payments_made_to_proto, room_to_proto
from services.table.model.play import PlayerAction
from services.table.model.prompts import Prompt
from services.table.model.state import Stage
from services.table.ports import Farewell, Frame, Place, Sight
from wire.mahjong import action_to_proto, view_to_proto

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
}
_EVENT_TAG = bytes([table_pb2.WatchResponse.EVENT_FIELD_NUMBER << 3 | 2])
_HIDDEN = table_pb2.Hidden()


class ProtobufPresenter:
    """`Presenter` by protobuf."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def event(self, place: Place, data: bytes) -> Frame:
        """See `Presenter`. The entry is joined on as the field it is: protobuf messages concatenate."""
        return self._head(place).SerializeToString() + _EVENT_TAG + _varint(len(data)) + data

    def hidden(self, place: Place) -> Frame:
        """See `Presenter`."""
        message = self._head(place)
        message.hidden.CopyFrom(_HIDDEN)
        return message.SerializeToString()

    def prompt(self, place: Place, prompt: Prompt) -> Frame:
        """See `Presenter`."""
        message = self._head(place)
        self._write_prompt(message.prompt, prompt)
        return message.SerializeToString()

    def snapshot(self, place: Place, sight: Sight) -> Frame:
        """See `Presenter`."""
        message = self._head(place)
        message.snapshot.CopyFrom(self.sight(sight))
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
        )
        if deal is not None:
            message.deal_id = deal.deal_id
            message.seed_commitment = deal.commitment.hex()
            message.dealer = state.next_dealer if deal.settled else deal.dealer
        if sight.view is not None:
            message.mahjong.CopyFrom(view_to_proto(sight.view, sight.seat))
        if sight.remaining_ms is not None:
            self._write_deadline(message.deadline, sight.remaining_ms)
        if sight.prompt is not None:
            self._write_prompt(message.prompt, sight.prompt)
        if state.last_settlement is not None:
            message.last_settlement.CopyFrom(payments_made_to_proto(state.last_settlement))
        return message

    def _head(self, place: Place) -> table_pb2.WatchResponse:
        message = table_pb2.WatchResponse(table_id=place.table_id, epoch=place.epoch, seq=place.seq)
        message.server_time.FromMilliseconds(self._clock.now_ms())
        return message

    def _write_prompt(self, message: table_pb2.Prompt, prompt: Prompt) -> None:
        message.decision_id = prompt.decision_id
        message.standing = prompt.standing
        message.answered = prompt.answered
        message.options.extend(_option(action) for action in prompt.options)
        if prompt.remaining_ms is not None:
            message.remaining_ms = prompt.remaining_ms
            self._write_deadline(message.deadline, prompt.remaining_ms)

    def _write_deadline(self, message: Timestamp, remaining_ms: int) -> None:
        message.FromMilliseconds(self._clock.now_ms() + remaining_ms)


def _option(action: PlayerAction) -> table_pb2.Option:
    return table_pb2.Option(mahjong=action_to_proto(action))


def _seat(sight: Sight, seat: Seat) -> table_pb2.SeatState:
    state = sight.state
    return table_pb2.SeatState(
        seat=seat,
        player_id=state.players[seat],
        arrived=state.stage is not Stage.WAITING or seat in state.arrived,
        ready=state.ready[seat] is not None,
        balance=state.balances[seat],
        net=state.nets[seat],
    )


def _varint(value: int) -> bytes:
    """A length as protobuf writes it."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
