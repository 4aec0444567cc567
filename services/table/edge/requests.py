"""Requests of game clients and services as the table's own values; what is malformed is refused here."""

import re

from cardroom.table.v1 import control_pb2, room_pb2, table_pb2

from games.kernel import OptionError, Seat
from refusals import Reason, Refusal
from services.table.app.mailbox import Act, Leave, SetReady, SetTrustee
from services.table.edge.events import WHENS, bots_from_proto, players_from_proto, room_from_proto, when_from_proto
from services.table.edge.families import WIRES
from services.table.model.events import Created
from services.table.model.room import POINTS
from services.table.model.shuffle import NONCE_BYTES_MAX
from serving.calls import correlation_id
from wire.words import WireError

_TABLE_ID = re.compile(r"[A-Za-z0-9._-]{1,64}").fullmatch
_PLAYER_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}").fullmatch
_UUID = re.compile(r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}").fullmatch
_AT_LEAST = {
    "stake": 1,
    "least_balance": 0,
    "turn_limit_ms": 1,
    "claim_limit_ms": 1,
    "declare_limit_ms": 0,
    "claim_floor_min_ms": 0,
    "claim_floor_max_ms": 0,
    "ready_limit_ms": 1,
    "dealing_ms": 0,
    "arrive_limit_ms": 1,
    "bot_wait_ms": 0,
    "spectator_delay_ms": 0,
    "reconnect_grace_ms": 0,
    "escape_penalty": 0,
}
"""Least value of each number of a room."""
_LONGEST_MS = 86_400_000
BOT_POLICIES = ("sensible", "uniform")
"""How bots may play."""
_ASSETS = (POINTS, "coins")


def act(request: table_pb2.ActRequest, seat: Seat) -> Act:
    """A move, of whatever family. Raises: Refusal: INVALID_FIELD."""
    kind = request.WhichOneof("action")
    if kind is None:
        raise Refusal(Reason.INVALID_FIELD, field="action", detail="name a move")
    try:
        action = WIRES[kind].action_from_proto(getattr(request, kind), seat)
    except WireError as error:
        raise Refusal(Reason.INVALID_FIELD, field=error.field, detail=error.detail) from None
    return Act(seat, request_id(request.request_id), request.decision_id, action)


def set_ready(request: table_pb2.SetReadyRequest, seat: Seat) -> SetReady:
    """A seat that is ready. Raises: Refusal: INVALID_FIELD."""
    if len(request.nonce) > NONCE_BYTES_MAX:
        raise Refusal(Reason.INVALID_FIELD, field="nonce", detail=f"at most {NONCE_BYTES_MAX} bytes")
    return SetReady(seat, request_id(request.request_id), request.nonce)


def set_trustee(request: table_pb2.SetTrusteeRequest, seat: Seat) -> SetTrustee:
    """A switch of the trustee. Raises: Refusal: INVALID_FIELD."""
    return SetTrustee(seat, request_id(request.request_id), request.on)


def leave(request: table_pb2.LeaveRequest, seat: Seat) -> Leave:
    """A player who leaves. Raises: Refusal: INVALID_FIELD."""
    if request.when not in WHENS.values():
        raise Refusal(Reason.INVALID_FIELD, field="when", detail="now, or after the deal", rule="PF-13")
    return Leave(seat, request_id(request.request_id), when_from_proto(request.when))


def request_id(text: str) -> str:
    """A UUID in its usual form. Raises: Refusal: INVALID_FIELD."""
    if _UUID(text) is None:
        raise Refusal(Reason.INVALID_FIELD, field="request_id", detail="not a UUID")
    return text.lower()


def table_id(text: str) -> str:
    """A table's id. Raises: Refusal: INVALID_FIELD."""
    if _TABLE_ID(text) is None:
        raise Refusal(Reason.INVALID_FIELD, field="table_id", detail="1-64 of a-z A-Z 0-9 . _ -")
    return text


def created(request: control_pb2.CreateTableRequest) -> Created:
    """A table to be made. Raises: Refusal: INVALID_FIELD, OPTION_INVALID."""
    check_room(request.room)
    seats = request.seats
    if [row.seat for row in seats] != list(range(len(seats))) or not seats:
        raise Refusal(Reason.INVALID_FIELD, field="seats", detail="one row a seat, seat 0 first")
    players = players_from_proto(seats)
    for index, player in enumerate(players):
        if _PLAYER_ID(player) is None:
            raise Refusal(Reason.INVALID_FIELD, field=f"seats[{index}].player_id", detail="1-64 of a-z A-Z 0-9 . _ : -")
        if seats[index].bot_policy not in ("", *BOT_POLICIES):
            raise Refusal(Reason.INVALID_FIELD, field=f"seats[{index}].bot_policy", detail="no such policy")
        if player in players[:index]:
            raise Refusal(Reason.INVALID_FIELD, field=f"seats[{index}].player_id", detail="sits at two places")
    if request.first_dealer >= len(players):
        raise Refusal(Reason.INVALID_FIELD, field="first_dealer", detail="no such seat")
    try:
        room = room_from_proto(request.room)
    except OptionError as error:
        raise Refusal(Reason.OPTION_INVALID, field=f"room.options.{error.field}", detail=error.detail) from None
    return Created(
        room,
        players,
        request.match_id,
        request.first_dealer,
        bots=bots_from_proto(seats),
        correlation_id=correlation_id(),
    )


def check_room(room: room_pb2.Room) -> None:
    """Raises: Refusal: INVALID_FIELD: a number of the room is out of range."""
    for name, least in _AT_LEAST.items():
        value = getattr(room, name)
        if value < least:
            raise Refusal(Reason.INVALID_FIELD, field=f"room.{name}", detail=f"at least {least}")
        if name.endswith("_ms") and value > _LONGEST_MS:
            raise Refusal(Reason.INVALID_FIELD, field=f"room.{name}", detail="at most a day")
    if room.claim_floor_min_ms > room.claim_floor_max_ms:
        raise Refusal(Reason.INVALID_FIELD, field="room.claim_floor_min_ms", detail="above claim_floor_max_ms")
    if room.asset not in _ASSETS:
        raise Refusal(Reason.INVALID_FIELD, field="room.asset", detail="points or coins")
    if room.bot_policy not in ("", *BOT_POLICIES):
        raise Refusal(Reason.INVALID_FIELD, field="room.bot_policy", detail="no such policy")
    if room.moves_points and room.asset == POINTS:
        raise Refusal(Reason.INVALID_FIELD, field="room.moves_points", detail="only where coins are played for")
