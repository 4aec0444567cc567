"""Deals that move points beside coins, by the raw score (PF-60), for the variants of every family."""

from collections.abc import Mapping
from typing import Any

import pytest

from games.bots import landlord, policy
from games.catalog import variants
from games.landlord.state import State
from refusals import Reason, Refusal
from services.table.edge import requests
from services.table.edge.codec import ProtobufCodec
from services.table.edge.events import room_from_proto
from services.table.model import flow, play
from services.table.model import state as folding
from services.table.model.clocks import Clock, ClockName
from services.table.model.events import Created, DealSettled, DealStarted, PaymentsDue
from services.table.model.flow import Draft
from services.table.model.play import Rest
from tests.services.table.rig import room

STAKE = 7
CODEC = ProtobufCodec()
BOTS: Mapping[str, Any] = {"mahjong": policy, "landlord": landlord}
MAHJONG = sorted(name for name, variant in variants().items() if variant.family == "mahjong")


def started(variant: str, seed: int, *, moves_points: bool = True, stake: int = STAKE) -> Draft:
    seats = range(variants()[variant].seat_count)
    made = Created(
        room_from_proto(room(variant=variant, stake=stake, moves_points=moves_points)),
        tuple(f"p{seat}" for seat in seats),
        "m-1",
        0,
    )
    draft = Draft(folding.created("t-1", made), lambda: 0)
    for seat in seats:
        flow.ready(draft, seat, b"")
    points = (900,) * len(seats) if moves_points else ()
    flow.start_deal(draft, (9_000,) * len(seats), bytes([seed] * 32), points)
    return draft


def played(draft: Draft) -> Draft:
    """A deal as bots play it."""
    while draft.state.rest is not Rest.OVER:
        assert draft.state.deal is not None
        game = draft.state.deal.game
        asked = sorted(play.awaiting(game))
        if not asked:
            flow.run_out(draft, Clock(ClockName.CLAIM, 0, 0, 0))
            continue
        bot = BOTS[play.family_of(game).name]
        action = bot.choose(play.view(game, asked[0]), asked[0], play.offered(game, asked[0]))
        flow.act(draft, asked[0], flow.decision_id(draft.state.deal.opened_seq, asked[0]), action)
    return draft


@pytest.mark.parametrize("variant", MAHJONG)
def test_points_are_the_payments_counted_in_stakes_pf_60(variant: str) -> None:
    asked_count = 0
    for seed in range(12):
        dues = [event for event in played(started(variant, seed)).events if isinstance(event, PaymentsDue)]
        coins, points = ([due for due in dues if due.asset == asset] for asset in ("coins", "points"))
        assert [due.settlement_seq for due in coins] == list(range(1, len(coins) + 1))
        assert [due.settlement_seq for due in points] == [due.settlement_seq for due in coins]
        for in_coins, in_points in zip(coins, points, strict=True):
            rows = [(row.payer, row.payee, row.amount * STAKE, row.cause) for row in in_points.payments]
            assert rows == [(row.payer, row.payee, row.amount, row.cause) for row in in_coins.payments]
        asked_count += len(coins)
    assert asked_count


def test_points_of_a_landlord_deal_are_its_scores_ty_31() -> None:
    for seed in range(5):
        draft = played(started("tingyong", seed, stake=1))
        dues = {event.asset: event for event in draft.events if isinstance(event, PaymentsDue)}
        assert set(dues) <= {"coins", "points"}
        if dues:
            nets = [0, 0, 0]
            for payment in dues["points"].payments:
                nets[payment.payer] -= payment.amount
                if payment.payee is not None:
                    nets[payment.payee] += payment.amount
            deal = draft.state.deal
            assert deal is not None
            assert isinstance(deal.game, State)
            assert deal.game.result is not None
            assert tuple(nets) == deal.game.result.scores


def test_a_room_that_moves_one_asset_asks_for_one() -> None:
    draft = played(started("bloody4", 1, moves_points=False))
    assert {event.asset for event in draft.events if isinstance(event, PaymentsDue)} == {"coins"}
    assert (draft.state.points, draft.state.point_nets) == ((), ())


def test_points_of_a_deal_survive_the_way_to_the_log_and_back() -> None:
    for event in (
        DealStarted("t-1.1", 1, 0, bytes(32), (b"",) * 3, (1, 2, 3), bytes(32), (4, 5, 6)),
        DealSettled("t-1.1", bytes(32), (1, 2, 3), (4, 5, 6)),
        Created(room_from_proto(room(moves_points=True)), ("a", "b", "c", "d"), "m-1", 0),
    ):
        assert CODEC.decode(CODEC.encode(event)) == event


def test_points_cannot_move_beside_points() -> None:
    with pytest.raises(Refusal) as caught:
        requests.check_room(room(asset="points", moves_points=True))
    assert (caught.value.reason, caught.value.field) == (Reason.INVALID_FIELD, "room.moves_points")
