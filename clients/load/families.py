"""What a bot needs of a family of games: one row each, under the name of the wire's fields."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from games.bots import landlord as landlord_policy
from games.bots import policy as mahjong_policy
from games.kernel import Seat
from games.landlord.game import GAME as LANDLORD
from games.mahjong.game import GAME as MAHJONG
from wire import landlord, mahjong

Choose = Callable[[Any, Seat, tuple[Any, ...]], Any]
"""A policy: what a seat knows, which seat it is, what it may do -> what it does."""


@dataclass(frozen=True, slots=True)
class FamilyPlay:
    """A family as a bot plays it.

    Attributes:
        game: the rules, by which a bot folds what it is told.
        view_from_proto: a seat's view.
        event_from_proto: an event as the seat may know it.
        action_from_proto, action_to_proto: moves.
        choose: the policy that plays sensibly.
        options: all a seat may do, from its view and what the prompt offers it.
    """

    game: Any
    view_from_proto: Callable[[Any, Seat], Any]
    event_from_proto: Callable[[Any], Any]
    action_from_proto: Callable[[Any, Seat], Any]
    action_to_proto: Callable[[Any], Any]
    choose: Choose
    options: Callable[[Any, Seat, tuple[Any, ...]], tuple[Any, ...]]


PLAYS: Mapping[str, FamilyPlay] = {
    "mahjong": FamilyPlay(
        MAHJONG,
        mahjong.view_from_proto,
        mahjong.event_from_proto,
        mahjong.action_from_proto,
        mahjong.action_to_proto,
        mahjong_policy.choose,
        options=lambda view, seat, offered: offered,
    ),
    "landlord": FamilyPlay(
        LANDLORD,
        lambda message, seat: landlord.view_from_proto(message),
        landlord.event_from_proto,
        landlord.action_from_proto,
        landlord.action_to_proto,
        landlord_policy.choose,
        options=lambda view, seat, offered: LANDLORD.legal(view, seat),
    ),
}
"""By family. A prompt of a landlord game offers the best hints; a bot weighs every play of its hand."""
