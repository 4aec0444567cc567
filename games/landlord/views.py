"""What a seat may know (PF-40, TY-13).

`view` turns the same state face down and `redact` the same events, so that a new field is
hidden until somebody shows it. Two laws hold: folding the redacted log gives the view of
the folded log, and shuffling what a seat cannot see never changes its view.
"""

from dataclasses import replace

from games.kernel import Seat, changed
from games.landlord.cards import HIDDEN, Card
from games.landlord.events import Called, Dealt, Event, Opened
from games.landlord.state import Phase, State

BOTTOM_TAKEN = frozenset({Phase.PLAYING, Phase.SETTLING})
"""Phases in which everybody sees the bottom cards, if anybody has called."""


def face_down(cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """As many cards, none of them known."""
    return (HIDDEN,) * len(cards)


def redact(event: Event, seat: Seat | None) -> Event:
    """The event as a seat (None: a spectator) may know it."""
    if isinstance(event, Opened):
        return replace(event, wall=face_down(event.wall))
    if isinstance(event, Dealt):
        hands = tuple(hand if owner == seat else face_down(hand) for owner, hand in enumerate(event.hands))
        return replace(event, hands=hands, bottom=face_down(event.bottom))
    if isinstance(event, Called) and event.seat != seat:
        return replace(event, bottom=face_down(event.bottom))
    return event


def view(state: State, seat: Seat | None) -> State:
    """The state as a seat (None: a spectator) may know it."""
    shown = state.phase is Phase.OVER
    return changed(
        state,
        wall=face_down(state.wall),
        hands=tuple(hand if shown or owner == seat else face_down(hand) for owner, hand in enumerate(state.hands)),
        bottom=state.bottom if _sees_bottom(state, seat) else face_down(state.bottom),
    )


def _sees_bottom(state: State, seat: Seat | None) -> bool:
    """Everybody once it is taken; before, the landlord alone, and not he if he called blind (TY-13).

    After the deal everybody sees all cards, also after an escape or when nobody called.
    """
    if state.landlord is None or state.phase is Phase.OVER:
        return state.phase is Phase.OVER
    return state.phase in BOTTOM_TAKEN or (state.landlord == seat and not state.blind)
