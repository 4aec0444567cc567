"""The table's figures beside those of the scoring service, before money moves.

The table sends what it goes by: each win as its hand stood, and the whole record when the deal is over. Where the two
differ nothing is settled. Where scoring is away play goes on: the deal counts as unchecked, and is kept to be asked
about later.
"""

from collections.abc import Awaitable, Callable
from enum import StrEnum

from refusals import Refusal
from services.table.app.outside import Outside
from services.table.app.record import DealRecord, Ground
from services.table.model import play
from services.table.model.events import PaymentsDue
from services.table.model.play import Rest
from services.table.model.state import TableState
from services.table.ports import ServiceAway, StoreAway, StoreFull

_WHOLE_DEAL = -1
"""In place of the number of a win's event."""


class Outcome(StrEnum):
    """What a comparison came to; counted by these names."""

    SAME = "same"
    DIFFERS = "differs"
    UNCHECKED = "unchecked"
    LATE_SAME = "late_same"
    LATE_DIFFERS = "late_differs"


class Checker:
    """Compares for one table; what has been compared once is not asked again, and stays as it was found."""

    def __init__(self, outside: Outside, record: DealRecord) -> None:
        self._outside = outside
        self._record = record
        self._found: dict[tuple[str, int], bool] = {}

    async def agrees(self, state: TableState, due: PaymentsDue | None) -> bool:
        """Whether scoring finds what is to be settled now, or cannot be asked.

        Args:
            due: the settlement; None for the end of a deal that asks for none.
        """
        deal = state.deal
        if deal is None:
            return True
        if due is not None and not await self._win_agrees(deal.deal_id, due):
            return False
        if state.rest is not Rest.OVER or play.escaped(deal.game):
            return True  # an escape's money follows from no hand (PF-23)
        return await self._deal_agrees(state.table_id, deal.deal_id)

    async def _win_agrees(self, deal_id: str, due: PaymentsDue) -> bool:
        ground = self._record.grounds.get((due.asset, due.settlement_seq))
        if ground is None:
            return True
        return await self._once(deal_id, ground.index, lambda: self._win_compared(deal_id, ground))

    async def _win_compared(self, deal_id: str, ground: Ground) -> bool:
        try:
            same = await self._outside.scoring.same_win(ground.before, ground.event)
        except ServiceAway:
            self._count(Outcome.UNCHECKED, deal_id)
            return True
        return self._told(same, deal_id)

    async def _deal_agrees(self, table_id: str, deal_id: str) -> bool:
        return await self._once(deal_id, _WHOLE_DEAL, lambda: self._deal_compared(table_id, deal_id))

    async def _deal_compared(self, table_id: str, deal_id: str) -> bool:
        question = self._outside.scoring.question(self._record.entries)
        if question is None:
            return True
        try:
            same = await self._outside.scoring.same_deal(question)
        except ServiceAway:
            self._count(Outcome.UNCHECKED, deal_id)
            await self._keep(table_id, deal_id, question)
            return True
        return self._told(same, deal_id)

    async def _once(self, deal_id: str, index: int, compare: Callable[[], Awaitable[bool]]) -> bool:
        """What a comparison came to, now or before: the table may not have managed to write down that it differs."""
        found = self._found.get((deal_id, index))
        if found is None:
            found = await compare()
            if not any(known == deal_id for known, _ in self._found):
                self._found.clear()
            self._found[deal_id, index] = found
        return found

    def _told(self, same: bool | None, deal_id: str) -> bool:
        """`same`: None where there was nothing to compare."""
        if same is not None:
            self._count(Outcome.SAME if same else Outcome.DIFFERS, deal_id)
        return same is not False

    def _count(self, outcome: Outcome, deal_id: str) -> None:
        self._outside.meters.compared(outcome)
        if outcome is Outcome.DIFFERS:
            self._outside.journal.error("scoring_differs", deal_id=deal_id)
        elif outcome is Outcome.UNCHECKED:
            self._outside.journal.warning("unchecked", deal_id=deal_id)

    async def _keep(self, table_id: str, deal_id: str, question: bytes) -> None:
        try:
            await self._outside.unchecked.keep(table_id, deal_id, question)
        except (StoreAway, StoreFull):
            self._outside.journal.error("unchecked_not_kept", deal_id=deal_id)


async def check_later(outside: Outside, every_ms: int, on_difference: Callable[[str, str], Awaitable[None]]) -> None:
    """Ask about what was left unchecked whenever scoring is back, until cancelled.

    Args:
        on_difference: told table and deal, where scoring finds wrong what was settled; told again in the next round
            where it raises Refusal.
    """
    while True:
        await outside.clock.sleep_ms(every_ms)
        try:
            for table_id, deal_id, question in await outside.unchecked.some():
                same = await outside.scoring.same_deal(question)
                if not same:
                    outside.journal.error("scoring_differed", table_id=table_id, deal_id=deal_id)
                    await on_difference(table_id, deal_id)
                outside.meters.compared(Outcome.LATE_SAME if same else Outcome.LATE_DIFFERS)
                await outside.unchecked.drop(table_id, deal_id)
        except (ServiceAway, StoreAway, StoreFull, Refusal):
            continue  # still away, or not written down: the next round tries again
