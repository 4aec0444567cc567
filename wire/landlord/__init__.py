"""Actions, events and views of the landlord family as protobuf messages, both ways.

Cards are ids on both sides. A card that lies face down is left out of a message and counted,
and comes back as HIDDEN: a redacted event survives the way there and back unchanged.
"""

from wire.landlord.actions import action_from_proto, action_to_proto
from wire.landlord.events import event_from_proto, event_to_proto, payment_to_proto, ruleset_from_opened
from wire.landlord.views import view_from_proto, view_to_proto
from wire.landlord.words import KINDS, reading_from_proto, reading_to_proto

__all__ = [
    "KINDS",
    "action_from_proto",
    "action_to_proto",
    "event_from_proto",
    "event_to_proto",
    "payment_to_proto",
    "reading_from_proto",
    "reading_to_proto",
    "ruleset_from_opened",
    "view_from_proto",
    "view_to_proto",
]
