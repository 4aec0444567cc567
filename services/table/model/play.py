"""The game at a table: the rules it is played by, and what the table must know of a deal's state and events.

This is the one place of the table that knows families of games. A second family adds its types to the unions and a
row to each table below.
"""

from enum import StrEnum

from games.catalog import UnknownVariant, variant_of
from games.kernel import IllegalAction, OptionError, Payment, Seat
from games.mahjong import actions, events
from games.mahjong.checks import refused
from games.mahjong.game import GAME
from games.mahjong.ruleset import Ruleset
from games.mahjong.state import Phase, State
from games.mahjong.variant import Variant
from games.mahjong.wall import tiles_in_order
from refusals import Reason, Refusal
from services.table.model import shuffle
from services.table.model.room import Room

GameState = State
GameEvent = events.Event
GameAction = actions.Action
PlayerAction = actions.PlayerAction


class Rest(StrEnum):
    """Where a deal rests between two actions; MOVING is passed through."""

    OPENING = "opening"
    TURN = "turn"
    QUESTION = "question"
    MOVING = "moving"
    OVER = "over"


_REST = {
    Phase.CLOSED: Rest.OPENING,
    Phase.OPENED: Rest.OPENING,
    Phase.OPENING: Rest.MOVING,
    Phase.DECLARING: Rest.QUESTION,
    Phase.OFFER: Rest.TURN,
    Phase.TURN: Rest.TURN,
    Phase.CLAIMS: Rest.QUESTION,
    Phase.ROBBERY: Rest.QUESTION,
    Phase.MOVING: Rest.MOVING,
    Phase.OVER: Rest.OVER,
}

assert set(_REST) == set(Phase)

_OPENS_NOTHING = (events.Locked, events.WentAway, events.CameBack)
"""Events that leave the decision that stands open as it is."""

_STANDING = (actions.Lock,)
"""Actions a seat may take whether or not it is asked (BB-17)."""


def rules_of(room: Room) -> Ruleset:
    """The rules a room's deals are played by.

    Raises: Refusal: INVALID_FIELD for an unknown variant or stake, OPTION_INVALID for a bad option.
    """
    try:
        variant = variant_of(room.variant)
    except UnknownVariant:
        raise Refusal(Reason.INVALID_FIELD, field="room.variant", detail="no such variant") from None
    if not isinstance(variant, Variant):
        raise Refusal(Reason.INVALID_FIELD, field="room.variant", detail="no game of the mahjong family")
    try:
        return variant.ruleset(dict(room.options), room.stake)
    except OptionError as error:
        field = "room.stake" if error.field == "stake" else f"room.options.{error.field}"
        raise Refusal(Reason.OPTION_INVALID, field=field, detail=error.detail) from None


def before_the_wall(rules: Ruleset, dealer: Seat, *, deal_index: int, draws_in_row: int) -> GameState:
    """A deal of which nothing has happened.

    Args:
        deal_index: deals played at the table before this one.
        draws_in_row: exhaustive draws just before it (SH-33).
    """
    return GAME.initial(rules, dealer, deal_index=deal_index, draws_in_row=draws_in_row)


def opening(state: GameState, *, seed: bytes, nonces: tuple[bytes, ...], deal_id: str) -> tuple[GameEvent, ...]:
    """The first events: wall and dice out of the seed (PF-41)."""
    wall = shuffle.shuffled(tiles_in_order(state.ruleset), seed=seed, nonces=nonces, deal_id=deal_id)
    dice = shuffle.dice(GAME.dice_count(state.ruleset), seed=seed, nonces=nonces, deal_id=deal_id)
    return GAME.open(state, wall, dice)


def decide(state: GameState, action: GameAction) -> tuple[GameEvent, ...]:
    """What an action causes. Raises: Refusal with the rules' reason."""
    try:
        return GAME.decide(state, action)
    except IllegalAction as refused:
        raise Refusal(
            Reason(refused.reason.value),
            field=f"action.{refused.field}" if refused.field else None,
            rule=refused.rule or None,
        ) from None


def evolve(state: GameState, event: GameEvent) -> GameState:
    """The deal after one event."""
    return GAME.evolve(state, event)


def legal(state: GameState, seat: Seat) -> tuple[PlayerAction, ...]:
    """All the seat may do now."""
    return GAME.legal(state, seat)


def standing(state: GameState, seat: Seat) -> tuple[PlayerAction, ...]:
    """What a seat that is not asked, and has not answered, may do all the same (BB-17).

    It is the part of `legal` that needs no decision, and hangs on `standing_ground` alone.
    """
    lock = actions.Lock(seat)
    return (lock,) if state.ruleset.locks and refused(state, lock) is None else ()


def standing_ground(state: GameState, seat: Seat) -> tuple[object, ...]:
    """What `standing` hangs on: while it is the same, so is the answer."""
    return state.hands[seat], state.melds[seat], state.wins, state.locked, state.away


def awaiting(state: GameState) -> frozenset[Seat]:
    """Seats whose answer or move the deal waits for."""
    return GAME.awaiting(state)


def redact(event: GameEvent, seat: Seat | None) -> GameEvent | None:
    """The event as a seat may know it; the same object where nothing is hidden from it."""
    return GAME.redact(event, seat)


def view(state: GameState, seat: Seat | None) -> GameState:
    """The deal as a seat may know it."""
    return GAME.view(state, seat)


def rest_of(state: GameState) -> Rest:
    """Where the deal rests."""
    return _REST[state.phase]


def has_answered(state: GameState, seat: Seat) -> bool:
    """Whether the seat has answered the shared question that stands open."""
    return state.question is not None and state.question.answers[seat] is not None


def is_private(event: GameEvent) -> bool:
    """Whether the event is kept aside, out of the public log, until the question closes."""
    return isinstance(event, events.PRIVATE_EVENTS)


def opens_decision(event: GameEvent) -> bool:
    """Whether a decision that stands open after this event was opened by it."""
    return not isinstance(event, _OPENS_NOTHING)


def is_standing(action: PlayerAction) -> bool:
    """Whether the action needs no decision that is open."""
    return isinstance(action, _STANDING)


def asked_by(event: GameEvent) -> tuple[Payment, ...]:
    """Money the event asks for (BB-50)."""
    return event.payments if isinstance(event, events.Won | events.Ended) else ()


def draws_in_row_after(event: GameEvent, game: GameState, before: int) -> int:
    """Exhaustive draws in a row once this event has happened: counted when a deal ends (SH-33)."""
    if not isinstance(event, events.Ended):
        return before
    return before + 1 if event.cause is events.EndCause.WALL_EMPTY and not game.wins else 0


def next_dealer_after(event: GameEvent) -> Seat | None:
    """Who deals next, if this event ends the deal (BB-5)."""
    return event.next_dealer if isinstance(event, events.Ended) else None


DEAL: GameAction = actions.Deal()
CLOSE_QUESTION: GameAction = actions.CloseQuestion()


def timeout(state: GameState) -> GameAction:
    """The action of a turn clock that ran out (PF-21)."""
    return actions.Timeout(state.turn)
