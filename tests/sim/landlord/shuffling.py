"""What a viewer cannot see, dealt anew: the state looks the same to him, and every other card may lie elsewhere."""

from dataclasses import replace
from random import Random

from games.kernel import Seat
from games.landlord.cards import HIDDEN, Card
from games.landlord.game import GAME
from games.landlord.state import State


def shuffled(state: State, viewer: Seat | None, chance: Random) -> State:
    """The state with all cards exchanged that lie face down for the viewer."""
    view = GAME.view(state, viewer)
    hidden = [
        card for lying, seen in _places(state, view) for card, known in zip(lying, seen, strict=True) if known == HIDDEN
    ]
    chance.shuffle(hidden)
    bottom_taken = state.landlord is not None and view.bottom == state.bottom and HIDDEN not in view.bottom
    return replace(
        state,
        wall=_dealt(state.wall, view.wall, hidden),
        hands=tuple(
            tuple(sorted(_dealt(hand, seen, hidden))) for hand, seen in zip(state.hands, view.hands, strict=True)
        ),
        bottom=state.bottom if bottom_taken else tuple(sorted(_dealt(state.bottom, view.bottom, hidden))),
    )


def _places(state: State, view: State) -> list[tuple[tuple[Card, ...], tuple[Card, ...]]]:
    return [
        (state.wall, view.wall),
        *zip(state.hands, view.hands, strict=True),
        (state.bottom, view.bottom),
    ]


def _dealt(lying: tuple[Card, ...], seen: tuple[Card, ...], hidden: list[Card]) -> tuple[Card, ...]:
    """A place with its face-down cards taken from the pile."""
    return tuple(hidden.pop() if known == HIDDEN else card for card, known in zip(lying, seen, strict=True))
