"""Players who are lost, come back, leave or escape, and what becomes of their seats (PF-13, PF-23, BB-60, BB-61)."""

from games.kernel import Seat
from services.table.model import play
from services.table.model.clocks import Clock, ClockName
from services.table.model.events import CloseCause, LeaveWhen, SeatLeft
from services.table.model.flow import Draft, Outcome, close
from services.table.model.flow import run_out as run_out_clock


def lost(draft: Draft, seat: Seat) -> None:
    """A player has given no sign of life for too long."""
    draft.lost |= {seat}
    _serve_absent(draft, seat)


def carried_over(draft: Draft) -> None:
    """A deal has begun: the server plays for those who were lost before (BB-60)."""
    for seat in sorted(draft.lost):
        _serve_absent(draft, seat)


def _serve_absent(draft: Draft, seat: Seat) -> None:
    """In a bloody game the seat is away; in the others its grace runs (PF-24)."""
    deal = draft.state.deal
    if deal is None or not draft.state.running or play.leaving_ends_deal(deal.game):
        return
    if seat not in play.away(deal.game):
        draft.play(play.leave(deal.game, seat))


def back(draft: Draft, seat: Seat) -> None:
    """A lost player shows a sign of life: he plays on as if nothing had happened (PF-23, BB-61)."""
    draft.lost -= {seat}
    deal = draft.state.deal
    if deal is not None and draft.state.running and seat in play.away(deal.game):
        draft.play(play.come_back(deal.game, seat))


def leave(draft: Draft, seat: Seat, when: LeaveWhen) -> Outcome:
    """A player gives his seat up.

    Where no deal is played the table is dissolved at once. While one is, he goes after its settlement, or, with NOW, by
    a forced exit: the deal ends as by an escape (PF-23), or goes on without him (BB-60).
    """
    state = draft.state
    if state.rest is None:
        draft.put(SeatLeft(seat, when))
        close(draft, CloseCause.LEFT, out=frozenset({seat}))
        return Outcome(state.seq + 1)
    forced = when is LeaveWhen.NOW and state.running
    if seat in (state.exited if forced else state.leaving):
        return Outcome(state.seq)
    draft.put(SeatLeft(seat, LeaveWhen.NOW if forced else LeaveWhen.AFTER_DEAL))
    if forced:
        draft.lost |= {seat}
        _go(draft, seat)
    return Outcome(state.seq + 1)


def run_out(draft: Draft, clock: Clock) -> None:
    """A clock has run out; a player's grace is that: his absence is an escape now (PF-23)."""
    if clock.name is not ClockName.GRACE:
        run_out_clock(draft, clock)
    elif draft.state.running:
        _go(draft, clock.opened)


def _go(draft: Draft, seat: Seat) -> None:
    deal = draft.state.deal
    assert deal is not None
    draft.play(play.leave(deal.game, seat))
