"""The wire's messages of each family of games: one row each, under the name of its fields."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from games.kernel import Seat
from games.mahjong.events import Discarded, Drawn, Melded
from services.table.model import play
from services.table.model.play import GameAction, GameEvent, GameState
from wire import landlord, mahjong


@dataclass(frozen=True, slots=True)
class FamilyWire:
    """How a family's values are written and read.

    Attributes:
        event_to_proto, event_from_proto: its events.
        action_to_proto, action_from_proto: moves of players; the seat is in no message.
        view_to_proto: a seat's view of a deal.
        repeated: classes of events that are made again and again at all tables: only so many are different.
    """

    event_to_proto: Callable[[Any], Any]
    event_from_proto: Callable[[Any], Any]
    action_to_proto: Callable[[Any], Any]
    action_from_proto: Callable[[Any, Seat], Any]
    view_to_proto: Callable[[Any, Seat | None], Any]
    repeated: tuple[type, ...] = ()


WIRES: Mapping[str, FamilyWire] = {
    "mahjong": FamilyWire(
        mahjong.event_to_proto,
        mahjong.event_from_proto,
        mahjong.action_to_proto,
        mahjong.action_from_proto,
        mahjong.view_to_proto,
        repeated=(Discarded, Drawn, Melded),
    ),
    "landlord": FamilyWire(
        landlord.event_to_proto,
        landlord.event_from_proto,
        landlord.action_to_proto,
        landlord.action_from_proto,
        lambda view, seat: landlord.view_to_proto(view),
    ),
}
"""By family; in `TableEvent`, `Option`, `ActRequest` and `Snapshot` its field has the same name."""

assert set(WIRES) == set(play.FAMILIES)

REPEATED = tuple(kind for wire in WIRES.values() for kind in wire.repeated)
"""Classes of events worth remembering as bytes."""


def field_of(value: GameState | GameEvent | GameAction) -> tuple[str, FamilyWire]:
    """The wire's field for a value of a game, and how it is written."""
    name = play.family_of(value).name
    return name, WIRES[name]
