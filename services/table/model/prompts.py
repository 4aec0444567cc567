"""What a seat is asked, with ready-made options, so that a client needs no rules."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from games.kernel import Seat
from services.table.model import flow, play
from services.table.model.clocks import Clock
from services.table.model.play import GameState, PlayerAction, Rest
from services.table.model.state import DealState, TableState


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


class StandingOffers:
    """What seats may do though nobody asks them, worked out again only when something about it has changed."""

    def __init__(self) -> None:
        self._known: dict[Seat, tuple[tuple[object, ...], tuple[PlayerAction, ...]]] = {}

    def of(self, state: GameState, seat: Seat) -> tuple[PlayerAction, ...]:
        """See `play.standing`."""
        ground = play.standing_ground(state, seat)
        known = self._known.get(seat)
        if known is None or known[0] != ground:
            known = self._known[seat] = (ground, play.standing(state, seat))
        return known[1]


def prompts_for(
    state: TableState, seats: Iterable[Seat], offers: StandingOffers, clock: Clock | None, now_ms: int
) -> Iterator[tuple[Seat, Prompt | None]]:
    """What each seat is asked now; None if nothing. It depends on nothing that the seat may not know (PF-40).

    Args:
        offers: the table's, kept from one show to the next.
        clock: the one that ends the decision.
        now_ms: the table's own time.
    """
    deal = state.deal
    if deal is None or state.rest not in (Rest.TURN, Rest.QUESTION):
        for seat in seats:
            yield seat, None
        return
    remaining_ms = None if clock is None else max(0, clock.ends_ms - now_ms)
    awaited = play.awaiting(deal.game)
    for seat in seats:
        if seat in awaited:
            decision_id = flow.decision_id(deal.opened_seq, seat)
            yield seat, Prompt(decision_id, play.offered(deal.game, seat), remaining_ms)
        else:
            yield seat, _unasked(state, deal, seat, offers, remaining_ms)


def _unasked(
    state: TableState, deal: DealState, seat: Seat, offers: StandingOffers, remaining_ms: int | None
) -> Prompt | None:
    """For a seat nobody waits for: its answer is given, or it may do something all the same."""
    if play.has_answered(deal.game, seat):
        return Prompt(flow.decision_id(deal.opened_seq, seat), (), remaining_ms, answered=True)
    options = offers.of(deal.game, seat)
    return Prompt(flow.standing_id(state.deal_number, seat), options, None, standing=True) if options else None
