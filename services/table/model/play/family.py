"""What a table must know of a family of games: one row for each, most of it data."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from games.kernel import Payment


class Rest(StrEnum):
    """Where a deal rests between two actions; MOVING is passed through."""

    OPENING = "opening"
    TURN = "turn"
    QUESTION = "question"
    MOVING = "moving"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Family:
    """A family as tables see it. Its values are its own: a table only hands them on.

    Attributes:
        name: as the catalogue's variants have it, and the wire's fields.
        game: its rules, a `games.kernel.Game` with `open` and `dice_count`.
        types: classes of its states, events and actions.
        rests: where a deal rests, by phase.
        initial: a deal of which nothing has happened, from rules, dealer, deals played before it and draws in a row.
        pack: what is shuffled, in the order of the specification, from the rules (PF-41).
        offered: what a prompt offers a seat that is asked.
        standing: what a seat may do though nobody asks it (BB-17).
        standing_ground: what `standing` hangs on: while it is the same, so is the answer.
        standing_actions: classes of those actions.
        is_declaring: whether the shared question that stands open is who declares a ready hand (BB-18).
        has_answered: whether a seat has answered the shared question that stands open.
        private: classes of events that are kept aside, out of the public log, until the question closes.
        opens_nothing: classes of events that leave the decision that stands open as it is.
        dealing: the action of the pause before the deal that is over (PF-12).
        closing: the action that closes a shared question; None where there are none.
        timeout: the action of a seat's clock that ran out (PF-21).
        asked_by: money an event asks for, in the room's asset.
        scored_by: the same as raw scores, from the event and the deal (PF-60).
        ended: class of the event that ends a deal; it names the `next_dealer`.
        draws_in_row_after: exhaustive draws in a row, from that event, the deal and those before it (SH-33).
        leave: the action of a seat whose player is gone (BB-60, PF-23).
        come_back: the action of a seat whose player is back (BB-61); None where nobody is ever away.
        leaving_ends_deal: whether going ends the deal (PF-23), by the rules; if not, the server plays for the seat.
        takes_penalty: whether the room says what an escape costs, by the rules; if not, they do, or nobody pays.
        away: seats of a deal that the server plays for since their players are absent (BB-60).
        escaped: the cause of a deal's end that is an escape.
        mover: the seat that made a move in its turn, if the event is one.
        trustee_move: what the trustee of a seat does, from its view, the seat and what is legal (PF-22).
    """

    name: str
    game: Any
    types: frozenset[type]
    rests: Mapping[Any, Rest]
    initial: Callable[..., Any]
    pack: Callable[[Any], tuple[int, ...]]
    offered: Callable[[Any, int], tuple[Any, ...]]
    standing: Callable[[Any, int], tuple[Any, ...]]
    standing_ground: Callable[[Any, int], tuple[object, ...]]
    standing_actions: tuple[type, ...]
    is_declaring: Callable[[Any], bool]
    has_answered: Callable[[Any, int], bool]
    private: tuple[type, ...]
    opens_nothing: tuple[type, ...]
    dealing: Any
    closing: Any
    timeout: Callable[[int], Any]
    asked_by: Callable[[Any], tuple[Payment, ...]]
    scored_by: Callable[[Any, Any], tuple[Payment, ...]]
    ended: type
    draws_in_row_after: Callable[[Any, Any, int], int]
    leave: Callable[[int], Any]
    come_back: Callable[[int], Any] | None
    leaving_ends_deal: Callable[[Any], bool]
    takes_penalty: Callable[[Any], bool]
    away: Callable[[Any], frozenset[int]]
    escaped: Any
    mover: Callable[[Any], int | None]
    trustee_move: Callable[[Any, int, tuple[Any, ...]], Any]
