"""What the coverage table looks at: an event and everything around it."""

from dataclasses import dataclass
from typing import Any

from games.kernel import Line, Reason
from games.mahjong.actions import Action
from tests.sim.books import Books


@dataclass(frozen=True, slots=True)
class Moment:
    """An event as it happens.

    Attributes:
        event: what happens, or what was tried; Any, since each row of the table looks at one kind.
        action: what caused it; None where the rules forced it after another event.
        books: everything before it.
        paid: what became of its payments.
    """

    event: Any
    action: Action | None
    books: Books
    paid: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """An action of a seat was tried and refused, by this reason and rule.

    Stands in the table like an event; `kind` is the action's.
    """

    reason: Reason
    rule: str
    seat: int
    kind: type


@dataclass(frozen=True, slots=True)
class Probed:
    """A contradiction put to the scorer, which refused it (BB-70)."""

    what: str
