"""Deals of 听用斗地主 worked out without a table: what a pod will deal, and how it ends by first options."""

from collections.abc import Callable
from typing import Any

from games.landlord.cards import DECK
from games.landlord.events import Ended
from games.landlord.game import GAME
from games.landlord.script import Arranged, arrange
from games.landlord.state import State
from services.table.edge.events import players_from_proto, room_from_proto
from services.table.model import flow, play
from services.table.model import state as folding
from services.table.model.events import Created, DealStarted, Move
from services.table.model.flow import Draft
from services.table.model.play import Rest
from tests.services.table.fakes import FixedEntropy
from tests.services.table.rig import RunningPod, new_table_id, room

SEATS = range(3)
ROOM: dict[str, Any] = {
    "variant": "tingyong",
    "options": {"room": "2000"},
    "least_balance": 2_000,
    "moves_points": True,
}
"""A room of TY-40, in which points move too (PF-60)."""


def game(draft: Draft) -> State:
    deal = draft.state.deal
    assert deal is not None
    assert isinstance(deal.game, State)
    return deal.game


def decide(draft: Draft, action: play.PlayerAction) -> None:
    assert draft.state.deal is not None
    flow.act(draft, action.seat, flow.decision_id(draft.state.deal.opened_seq, action.seat), action)


def arranged(*hands: tuple[int, ...], **changes: Any) -> Draft:
    """A draft in which these cards are dealt, and of the rest in order the lowest lie at the bottom."""
    made = Created(room_from_proto(room(**{"variant": "tingyong", **changes})), ("ann", "ben", "cho"), "m-1", 0)
    draft = Draft(folding.created("t-1", made), lambda: 0)
    for seat in SEATS:
        flow.ready(draft, seat, b"")
    rest = [card for card in DECK if not any(card in hand for hand in hands)]
    full = [(*hand, *[rest.pop() for _ in range(16 - len(hand))]) for hand in hands]
    points = (100,) * 3 if changes.get("moves_points") else ()
    draft.put(DealStarted("t-1.1", 1, 0, bytes(32), (b"",) * 3, (9_000,) * 3, bytes(32), points))
    wall = arrange(game(draft).ruleset, Arranged(0, tuple(full), tuple(rest)))
    for event in GAME.open(game(draft), wall):
        draft.move(event)
    draft.settle_question()
    return draft


def dealt(pod: RunningPod, table_id: str, **changes: Any) -> Draft:
    """The first deal of a table after its cards are dealt (PF-41)."""
    request = pod.create_request(table_id, ["a", "b", "c"], **{**ROOM, **changes})
    created = Created(
        room_from_proto(request.room), players_from_proto(request.seats), request.match_id, request.first_dealer
    )
    draft = Draft(folding.created(table_id, created), lambda: 0)
    for seat in SEATS:
        flow.ready(draft, seat, b"")
    flow.start_deal(draft, (0, 0, 0), FixedEntropy().seed(), (0, 0, 0))
    return draft


def played(pod: RunningPod, table_id: str, **changes: Any) -> Ended:
    """How that deal ends when all choose first options."""
    draft = dealt(pod, table_id, **changes)
    while draft.state.rest is not Rest.OVER:
        state = game(draft)
        (action, *_) = play.offered(state, state.turn)
        assert draft.state.deal is not None
        flow.act(draft, state.turn, flow.decision_id(draft.state.deal.opened_seq, state.turn), action)
    return next(event.event for event in draft.events if isinstance(event, Move) and isinstance(event.event, Ended))


def table_where(pod: RunningPod, holds: Callable[[Ended], bool], **changes: Any) -> str:
    """An id of a table whose first deal ends so; the pack hangs on the id."""
    for _ in range(200):
        table_id = new_table_id()
        if holds(played(pod, table_id, **changes)):
            return table_id
    raise AssertionError("no such deal among 200")


def landlord_lost(ended: Ended) -> bool:
    return len(ended.winners) == 2
