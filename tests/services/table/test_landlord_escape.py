"""Escapes from a deal of 听用斗地主, at every stage, in both assets (TY-33, PF-23, PF-54)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from cardroom.table.v1 import event_pb2

from games.kernel import SYSTEM, Line, Payment
from games.landlord.actions import Call, CallBlind, Double, Pass, Play, PlayerAction, Redouble
from games.landlord.cards import BLACK_JOKER, RED_JOKER, TWO, WILD, cards_of
from games.landlord.combinations import Kind
from games.landlord.events import EndCause
from services.table.model import absence, flow
from services.table.model.events import CloseCause, Closed, DealSettled, LeaveWhen, PaymentsDue, PaymentsMade
from services.table.model.flow import Draft
from services.table.model.state import Stage
from tests.services.table.landlord_deals import ROOM, arranged, decide, game
from tests.services.table.logs import stored
from tests.services.table.real_ledger import OPENING, OPENING_POINTS, Books
from tests.services.table.rig import Pods, action_of, new_table_id, playing, to_act

FOURS, FIVES = tuple(cards_of(1)), tuple(cards_of(2))
HANDS = (
    (BLACK_JOKER, *cards_of(TWO)[:1], *FOURS),
    (RED_JOKER, *cards_of(TWO)[1:2], *FIVES),
    (WILD, *cards_of(TWO)[2:3]),
)
"""Nobody must call; seats 0 and 1 hold a four each."""
BOMBS: tuple[PlayerAction, ...] = (Play(0, FOURS, Kind.BOMB), Play(1, FIVES, Kind.BOMB))


@dataclass(frozen=True, slots=True)
class Stage33:
    """What was done before somebody leaves, and what it costs in scores."""

    name: str
    actions: Sequence[PlayerAction]
    scores: int
    coins: int


STAGES = (
    Stage33("nobody has spoken", (), 3, 600),
    Stage33("two have passed", (Pass(0), Pass(1)), 3, 600),
    Stage33("called", (Call(0),), 3, 600),
    Stage33("called blind", (Pass(0), Pass(1), CallBlind(2)), 6, 1_200),
    Stage33("doubled once", (Call(0), Double(1)), 6, 1_200),
    Stage33("doubled twice", (Call(0), Double(1), Double(2)), 12, 2_400),
    Stage33("redoubled", (Call(0), Double(1), Double(2), Redouble(0)), 24, 4_000),
    Stage33("nothing played", (Call(0), Pass(1), Pass(2)), 3, 600),
    Stage33("two bombs played", (Call(0), Pass(1), Pass(2), *BOMBS), 12, 2_400),
    Stage33("all that doubles", (Call(0), Double(1), Double(2), Redouble(0), *BOMBS), 96, 4_000),
)


def reached(stage: Stage33, **changes: Any) -> Draft:
    draft = arranged(*HANDS, **{**ROOM, **changes})
    for action in stage.actions:
        decide(draft, action)
    return draft


@pytest.mark.parametrize("escaper", range(3))
@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_an_escape_costs_what_its_moment_costs_within_the_rooms_cap_ty_33(stage: Stage33, escaper: int) -> None:
    draft = reached(stage)
    absence.leave(draft, escaper, LeaveWhen.NOW)
    ended = game(draft).result
    assert ended is not None
    assert (ended.cause, ended.escaper) == (EndCause.ESCAPED, escaper)
    assert ended.scores == tuple(-stage.scores if seat == escaper else 0 for seat in range(3))
    assert [(due.asset, due.payments) for due in draft.state.dues] == [
        ("coins", (Payment(escaper, SYSTEM, stage.coins, "penalty"),)),
        ("points", (Payment(escaper, SYSTEM, stage.scores, "penalty"),)),
    ]
    assert draft.state.next_dealer == 1, "the next deal's first bidder is the next player all the same (TY-26)"


def test_an_escape_before_the_cards_are_dealt_costs_three_scores_ty_33() -> None:
    draft = arranged(*HANDS, **{**ROOM, "dealing_ms": 50})
    assert draft.state.stage is Stage.DEALING
    absence.leave(draft, 2, LeaveWhen.NOW)
    assert [due.payments[0].amount for due in draft.state.dues] == [600, 3]


def test_a_base_score_of_three_counts_from_the_call_on_ty_15() -> None:
    options = {"room": "30000", "call_score": 3}
    for stage, scores in ((STAGES[1], 3), (STAGES[2], 9), (STAGES[4], 18)):
        draft = reached(stage, options=options)
        absence.leave(draft, 1, LeaveWhen.NOW)
        assert [due.payments[0].amount for due in draft.state.dues] == [scores * 1_000, scores]


def test_after_an_escape_the_table_is_dissolved_and_pays_nobody_pf_13() -> None:
    draft = reached(STAGES[-1])
    absence.leave(draft, 0, LeaveWhen.NOW)
    for due in draft.state.dues:
        (penalty,) = due.payments
        flow.payments_made(draft, due, (Line(penalty, penalty.amount),), (1, 2, 3))
    flow.settle_deal(draft)
    assert draft.events[-1] == Closed(CloseCause.ESCAPED)
    assert len([event for event in draft.events if isinstance(event, PaymentsDue)]) == 2


async def test_an_escape_in_mid_play_is_charged_in_both_books_ty_33(pods: Pods, books: Books, redis_url: str) -> None:
    """Over the socket, with the real ledger: the escaper alone pays, the system alone receives."""
    pods.ledger = books.ledger  # type: ignore[assignment]
    pod = await pods.start()
    table_id = new_table_id()
    seated = await pod.create(table_id, players=[f"{table_id[:10]}.{seat}" for seat in range(3)], **ROOM)
    await books.opened(seated.names)
    players = await playing(seated)
    for _ in range(6):
        asked = await to_act(players)
        assert asked.prompt is not None
        await asked.act(action_of(asked.prompt.options[0]), asked.prompt.decision_id)
    escaper = await to_act(players)
    await escaper.leave(event_pb2.LEAVE_WHEN_NOW)
    for player in players:
        await player.ended()
    log = await stored(redis_url, seated.table_id)
    made = {event.asset: event for event in log if isinstance(event, PaymentsMade)}
    scores = made["points"].lines[0].payment.amount
    assert scores % 3 == 0
    assert made["coins"].lines[0].payment.amount == min(scores * 200, 4_000)
    settled = next(event for event in log if isinstance(event, DealSettled))
    for asset, balances, opening in (
        ("coins", settled.balances, OPENING),
        ("points", settled.points, OPENING_POINTS),
    ):
        paid = made[asset].lines[0].paid
        assert list(balances) == [opening - paid * (seat == escaper.seat) for seat in range(3)]
        rows = await books.balances(seated.names, asset)
        assert [row.balance for row in rows] == list(balances)
        assert [row.locked_by_table_id for row in rows] == [""] * 3
    assert log[-1] == Closed(CloseCause.ESCAPED)
    await books.sound("coins", "points")
