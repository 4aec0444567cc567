"""The trustee of a seat at the table: who is served, and what is done for him (PF-22)."""

from games.kernel import Seat
from services.table.model import play
from services.table.model.events import TrusteeSet
from services.table.model.flow import Draft, Outcome
from services.table.model.play import Rest
from services.table.model.state import TableState


def switch(draft: Draft, seat: Seat, *, on: bool) -> Outcome:
    """The player switches his trustee; nothing if it is so already."""
    if (seat in draft.state.trustees) is on:
        return Outcome(draft.state.seq)
    draft.put(TrusteeSet(seat, on=on, by_server=False))
    return Outcome(draft.state.seq)


def served(state: TableState) -> Seat | None:
    """A seat that is asked and whose trustee plays for it; None if there is none.

    Absent seats of bloody games are never asked: absence comes first (PF-22).
    """
    if not state.trustees or state.deal is None or state.rest not in (Rest.TURN, Rest.QUESTION):
        return None
    asked = state.trustees & play.awaiting(state.deal.game)
    return min(asked, default=None)


def serve(draft: Draft) -> None:
    """One move for one such seat; nothing if there is none."""
    seat = served(draft.state)
    if seat is not None:
        assert draft.state.deal is not None
        draft.play(play.trustee_move(draft.state.deal.game, seat))
