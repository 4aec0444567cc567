"""The shape every family's rules have."""

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

Seat = int
"""A place at the table, `0 .. n-1` in the order of play."""

S = TypeVar("S")
A = TypeVar("A")
E = TypeVar("E")


class OptionError(ValueError):
    """An option of a variant is unknown or its value absurd.

    Attributes:
        field: the option's name.
        detail: what is allowed, in words.
    """

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(f"{field}: {detail}")
        self.field = field
        self.detail = detail


class Game(Protocol[S, A, E]):
    """A family of games as pure functions over values.

    `decide` raises `IllegalAction` and nothing else; `evolve` asserts, since a log that
    does not fit is a fault of ours, not of a player.
    """

    def decide(self, state: S, action: A) -> tuple[E, ...]:
        """Events that an action causes, with everything the rules force after it."""
        ...

    def evolve(self, state: S, event: E) -> S:
        """The state after one event."""
        ...

    def legal(self, state: S, seat: Seat) -> tuple[A, ...]:
        """Every action `decide` accepts from this seat now."""
        ...

    def awaiting(self, state: S) -> frozenset[Seat]:
        """Seats whose answer or move the state waits for."""
        ...

    def redact(self, event: E, seat: Seat | None) -> E | None:
        """The event as this seat (None: a spectator) may know it; None: nothing of it."""
        ...

    def view(self, state: S, seat: Seat | None) -> S:
        """The state with everything this seat may not know turned face down."""
        ...


def fold(game: Game[S, A, E], state: S, events: Iterable[E]) -> S:
    """The state after all the events, in order."""
    for event in events:
        state = game.evolve(state, event)
    return state


def turn_order(start: Seat, seat_count: int) -> Iterator[Seat]:
    """The other seats in turn order from `start`, which is left out."""
    for step in range(1, seat_count):
        yield (start + step) % seat_count
