"""What a seat is asked, with ready-made options, so that a client needs no rules."""

from dataclasses import dataclass

from games.kernel import Seat
from services.table.model import flow, play
from services.table.model.clocks import Clock
from services.table.model.play import PlayerAction, Rest
from services.table.model.state import TableState


@dataclass(frozen=True, slots=True)
class Prompt:
    """A decision of a seat.

    Attributes:
        options: what it may do; empty once it has answered.
        remaining_ms: until the table decides for it; None for a standing prompt.
        standing: whether it only offers what may be done at any time (BB-17).
        answered: whether the seat has answered and waits for the others.
    """

    decision_id: str
    options: tuple[PlayerAction, ...]
    remaining_ms: int | None
    standing: bool = False
    answered: bool = False


def prompt_for(state: TableState, seat: Seat, clock: Clock | None, now_ms: int) -> Prompt | None:
    """What the seat is asked now; None if nothing. It depends on nothing that the seat may not know (PF-40).

    Args:
        clock: the one that ends the decision.
        now_ms: the table's own time.
    """
    deal = state.deal
    if deal is None or state.rest not in (Rest.TURN, Rest.QUESTION):
        return None
    remaining_ms = None if clock is None else max(0, clock.ends_ms - now_ms)
    decision_id = flow.decision_id(deal.opened_seq, seat)
    if seat in play.awaiting(deal.game):
        return Prompt(decision_id, play.legal(deal.game, seat), remaining_ms)
    if play.has_answered(deal.game, seat):
        return Prompt(decision_id, (), remaining_ms, answered=True)
    options = play.legal(deal.game, seat)
    return Prompt(flow.standing_id(seat), options, None, standing=True) if options else None
