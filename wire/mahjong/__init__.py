"""Actions, events and views of the mahjong family as protobuf messages, both ways.

Tiles are ids on both sides. A tile that lies face down is left out of a message, and comes
back as HIDDEN: a redacted event survives the way there and back unchanged.
"""

from wire.mahjong.actions import action_from_proto, action_to_proto
from wire.mahjong.events import (
    event_from_proto,
    event_to_proto,
    fans_to_proto,
    payment_to_proto,
    ruleset_from_opened,
    score_fields,
)
from wire.mahjong.views import view_from_proto, view_to_proto
from wire.mahjong.words import MELD_KINDS, WIN_BYS

__all__ = [
    "MELD_KINDS",
    "WIN_BYS",
    "action_from_proto",
    "action_to_proto",
    "event_from_proto",
    "event_to_proto",
    "fans_to_proto",
    "payment_to_proto",
    "ruleset_from_opened",
    "score_fields",
    "view_from_proto",
    "view_to_proto",
]
