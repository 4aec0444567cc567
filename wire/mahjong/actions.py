"""Moves of the family as messages, both ways; the seat comes from the caller's token."""

from collections.abc import Callable, Mapping
from typing import Any

from cardroom.mahjong.v1 import action_pb2

from games.kernel import Seat
from games.mahjong import actions as asked
from games.mahjong.actions import CHOW_OFFSETS, Choice, PlayerAction, chow_choice
from games.mahjong.tiles import Tile
from wire.words import WireError


def action_from_proto(message: action_pb2.Action, seat: Seat) -> PlayerAction:
    """The move a message asks for; the seat comes from the caller's token.

    Raises:
        WireError: the message holds no action.
    """
    kind = message.WhichOneof("kind")
    if kind is None:
        raise WireError("action", "no action is set")
    return _ACTION_READERS[kind](message, seat)


_ACTION_READERS: Mapping[str, Callable[[action_pb2.Action, Seat], PlayerAction]] = {
    "discard": lambda message, seat: asked.Discard(seat, message.discard.tile),
    "pung": lambda message, seat: asked.Pung(seat),
    "kong": lambda message, seat: asked.Kong(seat, message.kong.tile if message.kong.HasField("tile") else None),
    "win": lambda message, seat: asked.Win(seat),
    "pass_claim": lambda message, seat: asked.Pass(seat),
    "lock": lambda message, seat: asked.Lock(seat),
    "declare": lambda message, seat: asked.Declare(seat),
    "chow": lambda message, seat: asked.Chow(seat, _two_tiles(message.chow)),
    "decline": lambda message, seat: asked.Decline(seat),
}


def _two_tiles(message: action_pb2.Chow) -> tuple[Tile, Tile]:
    if len(message.tiles) != 2:
        raise WireError("action.chow.tiles", "two own tiles")
    return (message.tiles[0], message.tiles[1])


def action_to_proto(action: PlayerAction) -> action_pb2.Action:
    """A move as a message; the seat is left out."""
    return _ACTION_WRITERS[type(action)](action)


def _kong_action(action: asked.Kong) -> action_pb2.Action:
    return action_pb2.Action(kong=action_pb2.Kong(tile=action.tile))


_ACTION_WRITERS: Mapping[type, Callable[[Any], action_pb2.Action]] = {
    asked.Discard: lambda action: action_pb2.Action(discard=action_pb2.Discard(tile=action.tile)),
    asked.Pung: lambda action: action_pb2.Action(pung=action_pb2.Pung()),
    asked.Kong: _kong_action,
    asked.Win: lambda action: action_pb2.Action(win=action_pb2.Win()),
    asked.Pass: lambda action: action_pb2.Action(pass_claim=action_pb2.Pass()),
    asked.Lock: lambda action: action_pb2.Action(lock=action_pb2.Lock()),
    asked.Declare: lambda action: action_pb2.Action(declare=action_pb2.Declare()),
    asked.Chow: lambda action: action_pb2.Action(chow=action_pb2.Chow(tiles=action.tiles)),
    asked.Decline: lambda action: action_pb2.Action(decline=action_pb2.Decline()),
}

_ACTION_OF_CHOICE: Mapping[Choice, Callable[[Seat], PlayerAction]] = {
    Choice.WIN: asked.Win,
    Choice.KONG: asked.Kong,
    Choice.PUNG: asked.Pung,
    Choice.DECLARE: asked.Declare,
    Choice.PASS: asked.Pass,
}


def action_of_answer(choice: Choice, seat: Seat, tile: Tile | None) -> PlayerAction:
    """The action that gave an answer to the question about a tile."""
    if choice in CHOW_OFFSETS:
        assert tile is not None
        first, second = CHOW_OFFSETS[choice]
        return asked.Chow(seat, (tile + first, tile + second))
    return _ACTION_OF_CHOICE[choice](seat)


def answer_of_action(action: PlayerAction, tile: Tile | None) -> Choice:
    """The answer an action gave to the question about a tile."""
    if isinstance(action, asked.Chow):
        choice = None if tile is None else chow_choice(action, tile)
        if choice is None:
            raise WireError("own_answer", "no chow of the tile in question")
        return choice
    return asked.CHOICE_OF[type(action)]
