"""What an action causes. A player may be wrong: then `IllegalAction`, and nothing has happened.

What the rules force after an action (taking the bottom cards, the end of the deal) follows
by itself, until somebody has to decide.
"""

from collections.abc import Callable
from typing import Any

from games.kernel import IllegalAction, Seat
from games.landlord import actions as asked
from games.landlord.actions import Action
from games.landlord.cards import HIDDEN, Card
from games.landlord.checks import must_call, play_reading, refused
from games.landlord.events import (
    BottomTaken,
    Called,
    Dealt,
    Doubled,
    EndCause,
    Event,
    Passed,
    Played,
    Redoubled,
)
from games.landlord.evolve import evolve
from games.landlord.ruleset import Ruleset
from games.landlord.state import Phase, State


def decide(state: State, action: Action) -> tuple[Event, ...]:
    """Events an action causes, with all that the rules force after them.

    Raises:
        IllegalAction: the rules refuse; reason, rule and field say why.
    """
    refusal = refused(state, action)
    if refusal is not None:
        raise refusal
    events = [_HANDLERS[type(action)](state, action)]
    state = evolve(state, events[0])
    while (forced := _forced(state)) is not None:
        events.append(forced)
        state = evolve(state, forced)
    return tuple(events)


def _handle_call(state: State, action: asked.Call) -> Event:
    return Called(action.seat, False, state.bottom)


def _handle_blind(state: State, action: asked.CallBlind) -> Event:
    return Called(action.seat, True, (HIDDEN,) * len(state.bottom))


def _handle_play(state: State, action: asked.Play) -> Event:
    reading = play_reading(state, action)
    assert not isinstance(reading, IllegalAction), reading
    return Played(action.seat, tuple(sorted(action.cards)), reading)


def _handle_deal(state: State, action: asked.Deal) -> Event:
    rules = state.ruleset
    hands: list[list[Card]] = [[] for _ in state.seats]
    for seat, card in zip(deal_order(rules, state.dealer), state.wall, strict=False):
        hands[seat].append(card)
    return Dealt(tuple(tuple(sorted(hand)) for hand in hands), tuple(sorted(state.wall[-rules.bottom_count :])))


def deal_order(rules: Ruleset, dealer: Seat) -> tuple[Seat, ...]:
    """The seat each dealt card goes to, first card first: one at a time from the first bidder on."""
    return tuple((dealer + index) % rules.seat_count for index in range(rules.hand_size * rules.seat_count))


def _handle_timeout(state: State, action: asked.Timeout) -> Event:
    """Passes; calls where the rules oblige, and leads the lowest single (PF-21)."""
    seat = action.seat
    if state.phase is Phase.BIDDING and must_call(state, seat):
        return Called(seat, False, state.bottom)
    if state.phase is Phase.PLAYING and state.last is None:
        return _handle_play(state, asked.Play(seat, state.hands[seat][:1]))
    return Passed(seat)


def _handle_leave(state: State, action: asked.Leave) -> Event:
    return state.ruleset.judgement.end(state, EndCause.ESCAPED, action.seat)


_HANDLERS: dict[type, Callable[[State, Any], Event]] = {
    asked.Call: _handle_call,
    asked.CallBlind: _handle_blind,
    asked.Double: lambda state, action: Doubled(action.seat),
    asked.Redouble: lambda state, action: Redoubled(action.seat),
    asked.Play: _handle_play,
    asked.Pass: lambda state, action: Passed(action.seat),
    asked.Deal: _handle_deal,
    asked.Timeout: _handle_timeout,
    asked.Leave: _handle_leave,
}


def _forced(state: State) -> Event | None:
    """The event that follows by itself; None when somebody has to decide."""
    if state.phase is Phase.TAKING:
        assert state.landlord is not None
        return BottomTaken(state.landlord, state.bottom)
    if state.phase is Phase.SETTLING:
        cause = EndCause.ALL_PASSED if state.landlord is None else EndCause.OUT
        return state.ruleset.judgement.end(state, cause, None)
    return None


__all__ = ["deal_order", "decide"]
