"""The landlord family at a table."""

from typing import get_args

from games.bots import landlord as policy
from games.kernel import Payment, Seat
from games.landlord import actions, events
from games.landlord.combinations import POWER
from games.landlord.game import GAME
from games.landlord.ruleset import Ruleset
from games.landlord.state import Phase, State
from games.landlord.variant import FAMILY
from services.table.model.play.family import Family, Rest

HINT_COUNT_MAX = 20
"""Plays a prompt offers, bombs and rockets beside. A leader may have a thousand, and may make any of them."""

_RESTS = {
    Phase.CLOSED: Rest.OPENING,
    Phase.OPENED: Rest.OPENING,
    Phase.BIDDING: Rest.TURN,
    Phase.DOUBLING: Rest.TURN,
    Phase.REDOUBLING: Rest.TURN,
    Phase.TAKING: Rest.MOVING,
    Phase.PLAYING: Rest.TURN,
    Phase.SETTLING: Rest.MOVING,
    Phase.OVER: Rest.OVER,
}

assert set(_RESTS) == set(Phase)


def _initial(rules: Ruleset, dealer: Seat, *, deal_index: int, draws_in_row: int) -> State:
    """Nothing in this family hangs on the deals before."""
    return GAME.initial(rules, dealer)


def _offered(state: State, seat: Seat) -> tuple[actions.PlayerAction, ...]:
    """In the play the best hints, the best first, every bomb, then the pass; before it everything."""
    if state.phase is not Phase.PLAYING:
        return GAME.legal(state, seat)
    hints = GAME.hints(state, seat)
    bombs = (hint for hint in hints[HINT_COUNT_MAX:] if hint.kind in POWER)
    return (*hints[:HINT_COUNT_MAX], *bombs, *_passing(state, seat))


def _passing(state: State, seat: Seat) -> tuple[actions.PlayerAction, ...]:
    return () if state.last is None or state.turn != seat else (actions.Pass(seat),)


def _asked_by(event: events.Event) -> tuple[Payment, ...]:
    return event.payments if isinstance(event, events.Ended) else ()


def _scored_by(event: events.Event, state: State) -> tuple[Payment, ...]:
    return event.point_payments if isinstance(event, events.Ended) else ()


_MOVES = (events.Called, events.Doubled, events.Redoubled, events.Passed, events.Played)


def _trustee_move(view: State, seat: Seat, options: tuple[actions.PlayerAction, ...]) -> actions.Action:
    """Plays sensibly, and says in the bidding what silence says (PF-21)."""
    return policy.choose(view, seat, options) if view.phase is Phase.PLAYING else actions.Timeout(seat)


def _mover(event: events.Event) -> Seat | None:
    return event.seat if isinstance(event, _MOVES) else None


LANDLORD = Family(
    name=FAMILY,
    game=GAME,
    types=frozenset({State, *get_args(events.Event), *get_args(actions.Action)}),
    rests=_RESTS,
    initial=_initial,
    pack=GAME.deck,
    offered=_offered,
    standing=lambda state, seat: (),
    standing_ground=lambda state, seat: (),
    standing_actions=(),
    is_declaring=lambda state: False,
    has_answered=lambda state, seat: False,
    private=(),
    opens_nothing=(),
    dealing=actions.Deal(),
    closing=None,
    timeout=actions.Timeout,
    asked_by=_asked_by,
    scored_by=_scored_by,
    ended=events.Ended,
    draws_in_row_after=lambda event, game, before: 0,
    leave=actions.Leave,
    come_back=None,
    leaving_ends_deal=lambda rules: True,
    takes_penalty=lambda rules: False,
    away=lambda state: frozenset(),
    escaped=events.EndCause.ESCAPED,
    mover=_mover,
    trustee_move=_trustee_move,
)
"""Its row."""
