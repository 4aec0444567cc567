"""Every action anybody could send, sensible or not: what is legal is accepted, all the rest is refused."""

import pickle
from collections.abc import Iterator, Sequence
from functools import cache

from games.kernel import IllegalAction
from games.mahjong import actions as asked
from games.mahjong.actions import Action, PlayerAction
from games.mahjong.game import GAME
from games.mahjong.melds import MeldKind
from games.mahjong.state import QUESTIONS, Phase, State
from games.mahjong.tiles import HIDDEN
from tests.sim.laws import Broken, hold
from tests.sim.moments import Refused

TILES = range(HIDDEN, 43)
"""All tiles there are in any game, face down, and one too many."""

CHOW_TILES = range(HIDDEN, 28)
"""Lower own tiles a chow could be asked for with."""

PAIR = 2
KINDS = (None, MeldKind.PUNG, MeldKind.EXPOSED_KONG, MeldKind.ADDED_KONG, MeldKind.CONCEALED_KONG)


@cache
def candidates(seat_count: int) -> tuple[Action, ...]:
    """All actions with seats and tiles in and just out of range."""
    return tuple(_candidates(range(-1, seat_count + 1)))


def _candidates(seats: range) -> Iterator[Action]:
    yield from (asked.Deal(), asked.CloseQuestion())
    for seat in seats:
        yield from (asked.Pung(seat), asked.Win(seat), asked.Pass(seat), asked.Lock(seat))
        yield from (asked.Declare(seat), asked.Decline(seat))
        yield from (asked.Chow(seat, (tile, tile + step)) for tile in CHOW_TILES for step in (1, 2))
        yield from (asked.Timeout(seat), asked.Leave(seat), asked.Return(seat))
        yield from (asked.Discard(seat, tile) for tile in TILES)
        yield from (asked.Kong(seat, tile, kind) for tile in (None, *TILES) for kind in KINDS)


def is_legal(state: State, action: Action, options: frozenset[PlayerAction]) -> bool:
    """Whether the action should be accepted: by what `legal` offers, or by the phase for what clock and table do."""
    if isinstance(action, asked.Deal):
        return state.phase is Phase.OPENED
    if isinstance(action, asked.CloseQuestion):
        return state.phase in QUESTIONS
    if isinstance(action, asked.Timeout):
        return state.phase in (Phase.TURN, Phase.OFFER) and action.seat == state.turn
    if isinstance(action, asked.Leave | asked.Return):
        return state.phase is not Phase.OVER and action.seat in state.seats
    if isinstance(action, asked.Kong):
        return _plain_kong(state, action) in options
    return action in options


def _plain_kong(state: State, kong: asked.Kong) -> asked.Kong | None:
    """The kong as `legal` writes it; None if it names a kind that it is not (BB-10)."""
    if state.question is not None:
        named = kong.tile in (None, state.question.tile) and kong.kind in (None, MeldKind.EXPOSED_KONG)
        return asked.Kong(kong.seat) if named else None
    if kong.tile is None or kong.seat not in state.seats:
        return None
    whole = state.hands[kong.seat].count(kong.tile) == 4
    kind = MeldKind.CONCEALED_KONG if whole else MeldKind.ADDED_KONG
    return asked.Kong(kong.seat, kong.tile) if kong.kind in (None, kind) else None


def claims(state: State) -> tuple[Action, ...]:
    """Actions without a tile from every seat, and discards of whose turn it is: what comes at the wrong moment."""
    kinds = (asked.Win, asked.Kong, asked.Pung, asked.Pass, asked.Lock, asked.Declare, asked.Decline)
    plain = [kind(seat) for seat in state.seats for kind in kinds]
    hand = set(state.hands[state.turn])
    strange = next(tile for tile in state.ruleset.kinds if tile not in hand)
    kongs = [asked.Kong(state.turn, tile) for tile in hand if state.hands[state.turn].count(tile) > PAIR]
    return (*plain, *kongs, *(asked.Discard(state.turn, tile) for tile in (*hand, strange, HIDDEN)))


def check(state: State, actions: Sequence[Action]) -> list[Refused]:
    """Try the actions; why those that are refused are.

    Raises:
        Broken: a legal one is refused, another accepted, or a refusal tells what its seat may not know.
    """
    options = frozenset(action for seat in state.seats for action in GAME.legal(state, seat))
    views = {seat: GAME.view(state, seat) for seat in state.seats}
    before = pickle.dumps(state)
    refusals = []
    for action in actions:
        refusal = _refusal(state, action)
        hold((refusal is None) == is_legal(state, action, options), "legal agrees with decide", (action, refusal))
        if refusal is None:
            continue
        seat = getattr(action, "seat", -1)
        refusals.append(Refused(refusal.reason, refusal.rule, seat, type(action)))
        view = views.get(seat)
        if view is not None:
            hold(_told(_refusal(view, action)) == _told(refusal), "a refusal tells nothing hidden", (action, refusal))
    hold(pickle.loads(before) == state, "a refusal leaves the state untouched")
    return refusals


def check_options(state: State) -> None:
    """Every option of every seat is accepted, and what it causes fits the state."""
    for seat in state.seats:
        for option in GAME.legal(state, seat):
            refusal = _refusal(state, option)
            hold(refusal is None, "a legal action is accepted", (option, refusal))


def _refusal(state: State, action: Action) -> IllegalAction | None:
    try:
        GAME.decide(state, action)
    except IllegalAction as refusal:
        return refusal
    except Exception as error:
        raise Broken("decide raises IllegalAction and nothing else", f"{action}: {error!r}") from error
    return None


def _told(refusal: IllegalAction | None) -> tuple[object, ...]:
    return () if refusal is None else (refusal.reason, refusal.rule, refusal.field, str(refusal))
