"""What a table makes of the outcomes of its duties."""

from collections.abc import Callable, Mapping
from typing import Any

from refusals import Reason
from services.table.app import duties
from services.table.app.current import Current
from services.table.app.duties import Result
from services.table.app.gone import Gone, Leaving
from services.table.app.outside import Outside
from services.table.model import absence, flow
from services.table.model.events import CloseCause
from services.table.model.flow import Draft
from services.table.model.state import GATHERING, Stage


class Outcomes:
    """Decides what follows when a duty is done, or will never be."""

    def __init__(self, outside: Outside, current: Current) -> None:
        self._outside = outside
        self._current = current

    def decide(self, result: Result, draft: Draft) -> None:
        """Put what follows into the draft, and note what this owner has done.

        Raises: Leaving: the table is not this process's any more.
        """
        _OUTCOMES[type(result)](self, result, draft)

    def _claimed(self, result: duties.Claimed, draft: Draft) -> None:
        self._current.progress.claimed = True

    def _tail_lost(self, result: duties.TailLost, draft: Draft) -> None:
        self._current.progress.claimed = True
        if self._current.state.stage is not Stage.CLOSED:
            self._current.progress.lost = result.books
            self._outside.journal.error("tail_lost", table_id=self._current.state.table_id, seq=self._current.state.seq)

    def _undone(self, result: duties.DealUndone, draft: Draft) -> None:
        if self._current.state.stage is not Stage.CLOSED:
            flow.void_deal(draft, result.events)

    def _reserved(self, result: duties.StakesReserved, draft: Draft) -> None:
        if self._awaits_stakes(result.deal_id):
            flow.start_deal(draft, result.balances, self._outside.entropy.seed(), result.points)
            absence.carried_over(draft)

    def _stakes_refused(self, result: duties.StakesRefused, draft: Draft) -> None:
        if self._awaits_stakes(result.deal_id):
            flow.close(draft, result.cause, out=result.seats)

    def _awaits_stakes(self, deal_id: str) -> bool:
        state = self._current.state
        return state.stage in GATHERING and state.all_ready and flow.next_deal_id(state) == deal_id

    def _settled(self, result: duties.SettlementMade, draft: Draft) -> None:
        if self._current.state.dues[:1] == (result.due,):
            flow.payments_made(draft, result.due, result.lines, result.balances)

    def _released(self, result: duties.StakesReleased, draft: Draft) -> None:
        state = self._current.state
        deal = state.deal
        if state.stage is Stage.PLAYING and deal is not None and deal.deal_id == result.deal_id:
            flow.settle_deal(draft)

    def _all_released(self, result: duties.AllReleased, draft: Draft) -> None:
        self._current.progress.all_released = True

    def _seats_released(self, result: duties.SeatsReleased, draft: Draft) -> None:
        self._current.progress.seats_released = True

    def _fault(self, result: duties.FaultDue, draft: Draft) -> None:
        flow.close(draft, CloseCause.FAULT)

    def _differs(self, result: duties.ScoringDiffers, draft: Draft) -> None:
        """Nothing that differs is settled: the table is set aside, visibly, and its stakes are given back."""
        if draft.state.stage is not Stage.CLOSED:
            self._outside.meters.quarantined()
        flow.close(draft, CloseCause.SCORING)

    def _finishing(self, result: duties.Finishing, draft: Draft) -> None:
        raise Leaving(Gone.FINISHED)

    def _duty_refused(self, result: duties.DutyRefused, draft: Draft) -> None:
        """A definite no where none may be: a newer owner, or books and log that do not agree."""
        if result.reason is Reason.FENCED:
            raise Leaving(Gone.MOVED)
        state, progress = self._current.state, self._current.progress
        duty = result.duty
        self._outside.journal.error(
            "duty_refused", table_id=self._current.state.table_id, duty=type(duty).__name__, reason=result.reason
        )
        if isinstance(duty, duties.ReleaseSeats):
            progress.seats_released = True
            return
        if isinstance(duty, duties.ReleaseAll):
            progress.all_released = True
        elif not isinstance(duty, duties.Release):
            progress.claimed = progress.unsettled = True
        if state.stage is not Stage.CLOSED and not progress.faulted:
            progress.faulted = True
            self._outside.meters.quarantined()


_OUTCOMES: Mapping[type, Callable[[Outcomes, Any, Draft], None]] = {
    duties.Claimed: Outcomes._claimed,
    duties.TailLost: Outcomes._tail_lost,
    duties.DealUndone: Outcomes._undone,
    duties.StakesReserved: Outcomes._reserved,
    duties.StakesRefused: Outcomes._stakes_refused,
    duties.SettlementMade: Outcomes._settled,
    duties.StakesReleased: Outcomes._released,
    duties.AllReleased: Outcomes._all_released,
    duties.SeatsReleased: Outcomes._seats_released,
    duties.FaultDue: Outcomes._fault,
    duties.ScoringDiffers: Outcomes._differs,
    duties.Finishing: Outcomes._finishing,
    duties.DutyRefused: Outcomes._duty_refused,
}

RESULTS = tuple(_OUTCOMES)
"""Every kind of outcome."""
