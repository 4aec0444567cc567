"""The game at a table: the rules it is played by, and what the table must know of a deal's state and events.

This is the one place of the table that knows families of games: one row for each, in a module of its own. A further
family adds its types to the unions below and its row to `FAMILIES`.
"""

from collections.abc import Mapping

from games.catalog import UnknownVariant, variant_of
from games.kernel import IllegalAction, OptionError, Payment, Seat
from games.landlord import actions as landlord_actions
from games.landlord import events as landlord_events
from games.landlord.ruleset import Ruleset as LandlordRuleset
from games.landlord.state import State as LandlordState
from games.mahjong import actions as mahjong_actions
from games.mahjong import events as mahjong_events
from games.mahjong.ruleset import Ruleset as MahjongRuleset
from games.mahjong.state import State as MahjongState
from refusals import Reason, Refusal
from services.table.model import shuffle
from services.table.model.play.family import Family, Rest
from services.table.model.play.landlord import LANDLORD
from services.table.model.play.mahjong import MAHJONG
from services.table.model.room import Room

Ruleset = MahjongRuleset | LandlordRuleset
GameState = MahjongState | LandlordState
GameEvent = mahjong_events.Event | landlord_events.Event
GameAction = mahjong_actions.Action | landlord_actions.Action
PlayerAction = mahjong_actions.PlayerAction | landlord_actions.PlayerAction

FAMILIES: Mapping[str, Family] = {family.name: family for family in (MAHJONG, LANDLORD)}

_FAMILY_OF: dict[type, Family] = {kind: family for family in FAMILIES.values() for kind in family.types}
_PRIVATE = frozenset(kind for family in FAMILIES.values() for kind in family.private)
_OPENS_NOTHING = frozenset(kind for family in FAMILIES.values() for kind in family.opens_nothing)
_STANDING = frozenset(kind for family in FAMILIES.values() for kind in family.standing_actions)
_ENDED = frozenset(family.ended for family in FAMILIES.values())


def family_of(value: GameState | GameEvent | GameAction) -> Family:
    """The family that a state, an event or an action belongs to."""
    return _FAMILY_OF[type(value)]


def rules_of(room: Room) -> Ruleset:
    """The rules a room's deals are played by.

    Raises: Refusal: INVALID_FIELD for an unknown variant or stake, OPTION_INVALID for a bad option.
    """
    try:
        variant = variant_of(room.variant)
    except UnknownVariant:
        raise Refusal(Reason.INVALID_FIELD, field="room.variant", detail="no such variant") from None
    if variant.family not in FAMILIES:
        raise Refusal(Reason.INVALID_FIELD, field="room.variant", detail="no game that tables play")
    try:
        rules: Ruleset = variant.ruleset(dict(room.options), room.stake, room.escape_penalty)
    except OptionError as error:
        own = error.field in ("stake", "escape_penalty")
        field = f"room.{error.field}" if own else f"room.options.{error.field}"
        raise Refusal(Reason.OPTION_INVALID, field=field, detail=error.detail) from None
    if room.escape_penalty and not FAMILIES[variant.family].takes_penalty(rules):
        detail = "who leaves this game pays nothing, or what its rules say"
        raise Refusal(Reason.OPTION_INVALID, field="room.escape_penalty", detail=detail, rule="PF-23")
    return rules


def before_the_wall(rules: Ruleset, dealer: Seat, *, deal_index: int, draws_in_row: int) -> GameState:
    """A deal of which nothing has happened.

    Args:
        deal_index: deals played at the table before this one.
        draws_in_row: exhaustive draws just before it (SH-33).
    """
    family = FAMILIES[variant_of(rules.variant).family]
    state: GameState = family.initial(rules, dealer, deal_index=deal_index, draws_in_row=draws_in_row)
    return state


def opening(state: GameState, *, seed: bytes, nonces: tuple[bytes, ...], deal_id: str) -> tuple[GameEvent, ...]:
    """The first events: wall and dice out of the seed (PF-41)."""
    family = family_of(state)
    wall = shuffle.shuffled(family.pack(state.ruleset), seed=seed, nonces=nonces, deal_id=deal_id)
    dice = shuffle.dice(family.game.dice_count(state.ruleset), seed=seed, nonces=nonces, deal_id=deal_id)
    events: tuple[GameEvent, ...] = family.game.open(state, wall, dice)
    return events


def decide(state: GameState, action: GameAction) -> tuple[GameEvent, ...]:
    """What an action causes. Raises: Refusal: WRONG_GAME, or with the rules' reason."""
    family = family_of(state)
    if type(action) not in family.types:
        raise Refusal(Reason.WRONG_GAME, field="action", detail=f"the table plays a game of the {family.name} family")
    try:
        events: tuple[GameEvent, ...] = family.game.decide(state, action)
    except IllegalAction as refused:
        raise Refusal(
            Reason(refused.reason.value),
            field=f"action.{refused.field}" if refused.field else None,
            detail=refused.detail,
            rule=refused.rule or None,
        ) from None
    return events


def evolve(state: GameState, event: GameEvent) -> GameState:
    """The deal after one event."""
    after: GameState = family_of(state).game.evolve(state, event)
    return after


def legal(state: GameState, seat: Seat) -> tuple[PlayerAction, ...]:
    """All the seat may do now."""
    actions: tuple[PlayerAction, ...] = family_of(state).game.legal(state, seat)
    return actions


def offered(state: GameState, seat: Seat) -> tuple[PlayerAction, ...]:
    """What a prompt offers a seat that is asked: all it may do, or the best of it where that is too much."""
    return family_of(state).offered(state, seat)


def standing(state: GameState, seat: Seat) -> tuple[PlayerAction, ...]:
    """What a seat that is not asked, and has not answered, may do all the same (BB-17).

    It is the part of `legal` that needs no decision, and hangs on `standing_ground` alone.
    """
    return family_of(state).standing(state, seat)


def standing_ground(state: GameState, seat: Seat) -> tuple[object, ...]:
    """What `standing` hangs on: while it is the same, so is the answer."""
    return family_of(state).standing_ground(state, seat)


def awaiting(state: GameState) -> frozenset[Seat]:
    """Seats whose answer or move the deal waits for."""
    seats: frozenset[Seat] = family_of(state).game.awaiting(state)
    return seats


def redact(event: GameEvent, seat: Seat | None) -> GameEvent | None:
    """The event as a seat may know it; the same object where nothing is hidden from it."""
    seen: GameEvent | None = family_of(event).game.redact(event, seat)
    return seen


def view(state: GameState, seat: Seat | None) -> GameState:
    """The deal as a seat may know it."""
    seen: GameState = family_of(state).game.view(state, seat)
    return seen


def rest_of(state: GameState) -> Rest:
    """Where the deal rests."""
    return family_of(state).rests[state.phase]


def has_answered(state: GameState, seat: Seat) -> bool:
    """Whether the seat has answered the shared question that stands open."""
    return family_of(state).has_answered(state, seat)


def is_private(event: GameEvent) -> bool:
    """Whether the event is kept aside, out of the public log, until the question closes."""
    return type(event) in _PRIVATE


def opens_decision(event: GameEvent) -> bool:
    """Whether a decision that stands open after this event was opened by it."""
    return type(event) not in _OPENS_NOTHING


def is_standing(action: PlayerAction) -> bool:
    """Whether the action needs no decision that is open."""
    return type(action) in _STANDING


def asked_by(event: GameEvent) -> tuple[Payment, ...]:
    """Money the event asks for, in the room's asset (BB-50, TY-40)."""
    return family_of(event).asked_by(event)


def scored_by(event: GameEvent, state: GameState) -> tuple[Payment, ...]:
    """The raw score that the event asks for, as payments in points, in the same order (PF-60)."""
    return family_of(event).scored_by(event, state)


def draws_in_row_after(event: GameEvent, game: GameState, before: int) -> int:
    """Exhaustive draws in a row once this event has happened: counted when a deal ends (SH-33)."""
    return family_of(event).draws_in_row_after(event, game, before) if type(event) in _ENDED else before


def next_dealer_after(event: GameEvent) -> Seat | None:
    """Who deals or bids first next, if this event ends the deal (BB-5, TY-26)."""
    return event.next_dealer if isinstance(event, mahjong_events.Ended | landlord_events.Ended) else None


def dealing(state: GameState) -> GameAction:
    """The action of the pause before the deal that is over (PF-12)."""
    action: GameAction = family_of(state).dealing
    return action


def closing(state: GameState) -> GameAction:
    """The action that closes the shared question that stands open (PF-20)."""
    action: GameAction = family_of(state).closing
    return action


def timeout(state: GameState) -> GameAction:
    """The action of a turn clock that ran out (PF-21)."""
    action: GameAction = family_of(state).timeout(state.turn)
    return action


def leave(state: GameState, seat: Seat) -> GameAction:
    """The action of a player who is gone: absence (BB-60), or an escape (PF-23)."""
    action: GameAction = family_of(state).leave(seat)
    return action


def come_back(state: GameState, seat: Seat) -> GameAction:
    """The action of an absent player who is back (BB-61)."""
    come = family_of(state).come_back
    assert come is not None, "nobody is away in this game"
    action: GameAction = come(seat)
    return action


def leaving_ends_deal(state: GameState) -> bool:
    """Whether a player who goes ends the deal (PF-23); if not, the server plays for him (BB-60)."""
    return family_of(state).leaving_ends_deal(state.ruleset)


def away(state: GameState) -> frozenset[Seat]:
    """Seats the server plays for since their players are absent (BB-60)."""
    return family_of(state).away(state)


def escaped(state: GameState) -> bool:
    """Whether the deal was ended by an escape."""
    return state.result is not None and state.result.cause is family_of(state).escaped


def mover(event: GameEvent) -> Seat | None:
    """The seat that made a move in its turn, if the event is one."""
    return family_of(event).mover(event)


def returned_by(event: GameEvent) -> Seat | None:
    """The seat whose player is back by this event."""
    return event.seat if isinstance(event, mahjong_events.CameBack) else None


def trustee_move(state: GameState, seat: Seat) -> GameAction:
    """What the trustee of a seat that is asked does, out of what the seat may know (PF-22)."""
    action: GameAction = family_of(state).trustee_move(view(state, seat), seat, legal(state, seat))
    return action


__all__ = [
    "FAMILIES",
    "Family",
    "GameAction",
    "GameEvent",
    "GameState",
    "PlayerAction",
    "Rest",
    "Ruleset",
    "asked_by",
    "awaiting",
    "away",
    "before_the_wall",
    "closing",
    "come_back",
    "dealing",
    "decide",
    "draws_in_row_after",
    "escaped",
    "evolve",
    "family_of",
    "has_answered",
    "is_private",
    "is_standing",
    "leave",
    "leaving_ends_deal",
    "legal",
    "mover",
    "next_dealer_after",
    "offered",
    "opening",
    "opens_decision",
    "redact",
    "rest_of",
    "returned_by",
    "rules_of",
    "scored_by",
    "standing",
    "standing_ground",
    "timeout",
    "trustee_move",
    "view",
]
