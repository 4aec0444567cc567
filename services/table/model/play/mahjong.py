"""The mahjong family at a table."""

from dataclasses import replace
from typing import get_args

from games.bots import trustee
from games.kernel import SYSTEM, Payment, Seat
from games.mahjong import actions, events
from games.mahjong.checks import refused
from games.mahjong.game import GAME
from games.mahjong.state import Phase, State
from games.mahjong.variant import FAMILY
from games.mahjong.wall import tiles_in_order
from services.table.model.play.family import Family, Rest

_RESTS = {
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

assert set(_RESTS) == set(Phase)


def _standing(state: State, seat: Seat) -> tuple[actions.PlayerAction, ...]:
    """The part of what is legal that needs no decision; it hangs on `_standing_ground` alone."""
    lock = actions.Lock(seat)
    return (lock,) if state.ruleset.locks and refused(state, lock) is None else ()


def _standing_ground(state: State, seat: Seat) -> tuple[object, ...]:
    return state.hands[seat], state.melds[seat], state.wins, state.locked, state.away


def _has_answered(state: State, seat: Seat) -> bool:
    return state.question is not None and state.question.answers[seat] is not None


def _asked_by(event: events.Event) -> tuple[Payment, ...]:
    return event.payments if isinstance(event, events.Won | events.Ended) else ()


def _scored_by(event: events.Event, state: State) -> tuple[Payment, ...]:
    """What is asked in stakes; penalties are the room's, not the rules', and no score."""
    stake = state.ruleset.stake
    payments = [payment for payment in _asked_by(event) if payment.payee is not SYSTEM]
    assert all(payment.amount % stake == 0 for payment in payments), event
    return tuple(replace(payment, amount=payment.amount // stake) for payment in payments)


def _draws_in_row_after(event: events.Ended, game: State, before: int) -> int:
    return before + 1 if event.cause is events.EndCause.WALL_EMPTY and not game.wins else 0


def _mover(event: events.Event) -> Seat | None:
    match event:
        case events.Discarded(seat=seat) | events.Declined(seat=seat):
            return seat
        case events.Konged(seat=seat, from_seat=None):
            return seat
        case events.Won(from_seat=None, winners=(winner, *_)):
            return winner.seat
        case _:
            return None


MAHJONG = Family(
    name=FAMILY,
    game=GAME,
    types=frozenset({State, *get_args(events.Event), *get_args(actions.Action)}),
    rests=_RESTS,
    initial=GAME.initial,
    pack=tiles_in_order,
    offered=GAME.legal,
    standing=_standing,
    standing_ground=_standing_ground,
    standing_actions=(actions.Lock,),
    is_declaring=lambda state: state.phase is Phase.DECLARING,
    has_answered=_has_answered,
    private=events.PRIVATE_EVENTS,
    opens_nothing=(events.Locked, events.WentAway, events.CameBack),
    dealing=actions.Deal(),
    closing=actions.CloseQuestion(),
    timeout=actions.Timeout,
    asked_by=_asked_by,
    scored_by=_scored_by,
    ended=events.Ended,
    draws_in_row_after=_draws_in_row_after,
    leave=actions.Leave,
    come_back=actions.Return,
    leaving_ends_deal=lambda rules: rules.leaving_ends_deal,
    takes_penalty=lambda rules: rules.leaving_ends_deal,
    away=lambda state: state.away,
    escaped=events.EndCause.ESCAPED,
    mover=_mover,
    trustee_move=trustee.choose,
)
"""Its row."""
