"""A room as a message: what players are shown and tables are made with, hence beside edge and adapters."""

from cardroom.table.v1 import room_pb2

from services.matchmaker.ports import ClaimTiming, Room
from wire.options import options_to_struct

_TIMING = {
    ClaimTiming.NATURAL: room_pb2.CLAIM_TIMING_NATURAL,
    ClaimTiming.FIXED: room_pb2.CLAIM_TIMING_FIXED,
}
assert set(_TIMING) == set(ClaimTiming)

_SAME = (
    "room_id",
    "name",
    "variant",
    "asset",
    "stake",
    "least_balance",
    "turn_limit_ms",
    "claim_limit_ms",
    "declare_limit_ms",
    "claim_floor_min_ms",
    "claim_floor_max_ms",
    "ready_limit_ms",
    "dealing_ms",
    "arrive_limit_ms",
    "bots_allowed",
    "deals_max",
    "spectators_allowed",
    "spectator_delay_ms",
    "reconnect_grace_ms",
    "escape_penalty",
    "etag",
    "bot_wait_ms",
    "bot_policy",
    "closed",
    "moves_points",
)
"""Fields that have the same name and type in the message."""


def room_message(room: Room) -> room_pb2.Room:
    """The message of a room (PF-1)."""
    message = room_pb2.Room(claim_timing=_TIMING[room.claim_timing], options=options_to_struct(room.options))
    for name in _SAME:
        setattr(message, name, getattr(room, name))
    return message
