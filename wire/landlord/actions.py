"""Moves as messages, both ways. The seat is in no message: it comes from the caller's token."""

from collections.abc import Callable, Mapping
from typing import Any

from cardroom.landlord.v1 import action_pb2

from games.kernel import Seat
from games.landlord import actions as asked
from games.landlord.actions import PlayerAction
from wire.landlord.words import KINDS
from wire.words import WireError, named


def action_from_proto(message: action_pb2.Action, seat: Seat) -> PlayerAction:
    """The move a message asks for.

    Raises:
        WireError: the message holds no action, or a kind of play there is not.
    """
    kind = message.WhichOneof("kind")
    if kind is None:
        raise WireError("action", "no action is set")
    return _READERS[kind](getattr(message, kind), seat)


def action_to_proto(action: PlayerAction) -> action_pb2.Action:
    """A move as a message; the seat is left out."""
    return _WRITERS[type(action)](action)


def _play_from_proto(message: action_pb2.Play, seat: Seat) -> asked.Play:
    unnamed = message.kind == action_pb2.PLAY_KIND_UNSPECIFIED
    kind = None if unnamed else named(KINDS, "action.kind", message.kind)
    return asked.Play(seat, tuple(message.cards), kind)


def _play_to_proto(action: asked.Play) -> action_pb2.Action:
    kind = action_pb2.PLAY_KIND_UNSPECIFIED if action.kind is None else KINDS[action.kind]
    return action_pb2.Action(play=action_pb2.Play(cards=action.cards, kind=kind))


_READERS: Mapping[str, Callable[[Any, Seat], PlayerAction]] = {
    "call": lambda message, seat: asked.Call(seat),
    "call_blind": lambda message, seat: asked.CallBlind(seat),
    "double": lambda message, seat: asked.Double(seat),
    "redouble": lambda message, seat: asked.Redouble(seat),
    "play": _play_from_proto,
    "pass_turn": lambda message, seat: asked.Pass(seat),
}
_WRITERS: Mapping[type, Callable[[Any], action_pb2.Action]] = {
    asked.Call: lambda action: action_pb2.Action(call=action_pb2.Call()),
    asked.CallBlind: lambda action: action_pb2.Action(call_blind=action_pb2.CallBlind()),
    asked.Double: lambda action: action_pb2.Action(double=action_pb2.Double()),
    asked.Redouble: lambda action: action_pb2.Action(redouble=action_pb2.Redouble()),
    asked.Play: _play_to_proto,
    asked.Pass: lambda action: action_pb2.Action(pass_turn=action_pb2.Pass()),
}
