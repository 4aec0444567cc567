"""Is a record what the rules say? A log is played again, action by action, and compared.

A public log holds no actions: each event names the one that causes it. Only events that
`decide` makes itself are ever folded, so that no record, however wrong, can do more than differ.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from games.kernel import IllegalAction, RecordError
from games.landlord import actions as asked
from games.landlord import events as happened
from games.landlord.actions import Action
from games.landlord.events import Event
from games.landlord.game import GAME
from games.landlord.state import Phase, State

MAX_EVENTS = 300
"""Longest record that is looked at: a deal has at most 48 plays, each with two passes, and some twelve events more."""


def replay(events: Sequence[Event]) -> State:
    """Play a deal's public record again, from its opening to its end.

    Args:
        events: from Opened to Ended as the log has them, all cards face up.

    Returns: the state after the deal.

    Raises:
        RecordError: an event is not what the rules make of those before it.
    """
    if len(events) > MAX_EVENTS:
        raise RecordError(MAX_EVENTS, f"a deal has at most {MAX_EVENTS} events")
    state = _opened(events)
    index = 1
    while state.phase is not Phase.OVER:
        for made in _made(state, events, index):
            if index == len(events):
                raise RecordError(index, "the record ends before the deal")
            if events[index] != made:
                raise RecordError(index, _difference(events[index], made))
            state = GAME.evolve(state, made)
            index += 1
    if index < len(events):
        raise RecordError(index, "the deal is over")
    return state


def _opened(events: Sequence[Event]) -> State:
    opened = events[0] if events else None
    if not isinstance(opened, happened.Opened):
        raise RecordError(0, "a record begins with its opening", "TY-1")
    rules = opened.ruleset
    if opened.dealer not in range(rules.seat_count):
        raise RecordError(0, "there is no such dealer", "TY-10")
    if sorted(opened.wall) != list(GAME.deck(rules)):
        raise RecordError(0, "the cards are not the pack", "TY-1")
    return GAME.evolve(GAME.initial(rules, opened.dealer), opened)


def _made(state: State, events: Sequence[Event], index: int) -> Sequence[Event]:
    """What the rules make of the action that the next event names."""
    if index == len(events):
        raise RecordError(index, "the record ends before the deal")
    event = events[index]
    make = _IMPLIED.get(type(event))
    action = None if make is None else make(event)
    if action is None:
        raise RecordError(index, f"no {type(event).__name__} can stand here")
    try:
        return GAME.decide(state, action)
    except IllegalAction as refusal:
        raise RecordError(index, f"the rules refuse it: {refusal.reason}", refusal.rule) from None


def _escape(event: happened.Ended) -> Action | None:
    return None if event.escaper is None else asked.Leave(event.escaper)


_IMPLIED: Mapping[type, Callable[[Any], Action | None]] = {
    happened.Dealt: lambda event: asked.Deal(),
    happened.Called: lambda event: (asked.CallBlind if event.blind else asked.Call)(event.seat),
    happened.Doubled: lambda event: asked.Double(event.seat),
    happened.Redoubled: lambda event: asked.Redouble(event.seat),
    happened.Passed: lambda event: asked.Pass(event.seat),
    happened.Played: lambda event: asked.Play(event.seat, event.cards, event.reading.kind),
    happened.Ended: _escape,
}
"""The action that causes an event by itself; other events only follow from something."""


def _difference(given: Event, made: Event) -> str:
    if type(given) is not type(made):
        return f"{type(given).__name__} where the rules make {type(made).__name__}"
    wrong = [field.name for field in fields(made) if getattr(given, field.name) != getattr(made, field.name)]
    return f"{type(made).__name__} differs in {', '.join(wrong)}"
