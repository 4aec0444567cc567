"""Whatever is sent costs a bounded time, and nobody waits for another's (reliability, row 31)."""

import asyncio
import time
from collections import Counter
from collections.abc import Generator
from typing import Any

import grpc
import pytest
from cardroom.mahjong.v1 import event_pb2
from cardroom.scoring.v1 import columns_pb2, scoring_pb2

from games.catalog import variant_of
from games.mahjong.goals import suit_lacks
from games.mahjong.hand import WinBy, WinningHand
from games.mahjong.replay import MAX_EVENTS
from games.mahjong.ruleset import Ruleset
from games.mahjong.tiles import WINDS, parse
from refusals import Reason
from services.scoring.app.batches import HANDS_MAX, HandColumns, score_columns
from services.scoring.app.slices import SLICE_SECONDS, at_once, in_slices
from services.scoring.edge.columns import columns_of
from tests.services.scoring.columns import columns, single
from tests.services.scoring.rig import RICH_RECORD, refused

MANY_READINGS = ("1112223334445m", "2233344455566s", "1112345678999p", "3344455566677m", "1122334455667s")
"""Tiles that can be read in many ways."""
RULES = scoring_pb2.Ruleset(variant="dazhong")


def dazhong() -> Ruleset:
    rules = variant_of("dazhong").ruleset({}, 1)
    assert isinstance(rules, Ruleset)
    return rules


def worst_hands(count: int) -> list[WinningHand]:
    """Winning hands of tiles that can be read in many ways, over and over."""
    rules = dazhong()
    found = []
    for notation in MANY_READINGS:
        concealed = parse(notation)
        for tile in rules.judgement.waits(rules, concealed, ()):
            found.append(WinningHand(concealed, (), tile, WinBy.SELF, seat_wind=WINDS[0], round_wind=WINDS[1]))
    return (found * (count // len(found) + 1))[:count]


def plain_hands(count: int) -> list[WinningHand]:
    """A hand that is read in one way, over and over."""
    hand = WinningHand(parse("123m456p789s11p55s"), (), parse("5s")[0], WinBy.SELF, seat_wind=27, round_wind=28)
    return [hand] * count


def cost_of(hands: list[WinningHand]) -> float:
    """Processor time of a batch, in seconds, the least of several."""
    read: HandColumns = columns_of(columns(hands))
    costs = []
    for _ in range(5):
        began = time.process_time()
        at_once(score_columns(dazhong(), read, explain=False))
        costs.append(time.process_time() - began)
    return min(costs)


def test_no_hand_costs_much_more_than_a_plain_one() -> None:
    """A batch of the hands with the most readings costs a bounded multiple of one of plain hands."""
    assert cost_of(worst_hands(HANDS_MAX)) < 12 * cost_of(plain_hands(HANDS_MAX))


async def test_a_small_question_is_answered_while_great_ones_are_not_done(scoring: Any) -> None:
    """Great batches run in slices: the small question overtakes them."""
    explained = scoring_pb2.BatchScoreWinsRequest(ruleset=RULES, hands=columns(worst_hands(64)), explain=True)
    great = [asyncio.ensure_future(scoring.BatchScoreWins(explained)) for _ in range(24)]
    await asyncio.sleep(0)
    await scoring.ScoreWin(single(RULES, plain_hands(1)[0]))
    assert sum(not one.done() for one in great) > len(great) // 2
    answers = await asyncio.gather(*great)
    assert len({answer.SerializeToString() for answer in answers}) == 1


async def test_work_lets_others_run_between_its_slices_and_ends_with_its_caller() -> None:
    """Cancelled, it stops at the end of a slice: a passed deadline does not go on costing."""
    steps = Counter[str]()

    def work() -> Generator[None, None, None]:
        while True:
            steps["work"] += 1
            time.sleep(SLICE_SECONDS / 4)  # stands for the cost of a step
            yield

    running = asyncio.ensure_future(in_slices(work()))
    for _ in range(20):
        await asyncio.sleep(0)
        steps["others"] += 1
    assert steps["work"] <= 6 * steps["others"]
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    done = steps["work"]
    await asyncio.sleep(0)
    assert steps["work"] == done


def restless(count: int) -> list[event_pb2.Event]:
    """A record in which a player leaves and comes back over and over while a tile is in question."""
    record = list(RICH_RECORD)
    place = next(index for index, event in enumerate(record) if event.HasField("discarded")) + 1
    comings = [
        event_pb2.Event(went_away=event_pb2.WentAway(seat=0))
        if index % 2 == 0
        else event_pb2.Event(came_back=event_pb2.CameBack(seat=0))
        for index in range(count)
    ]
    return [*record[:place], *comings, *record[place:]]


@pytest.mark.parametrize("method", ["ReplayDeal", "SettleDeal"])
async def test_the_longest_record_is_looked_at_in_slices(scoring: Any, method: str) -> None:
    """As long as any record may be and made to be slow; a small question asked after it is answered before it."""
    kind = {"ReplayDeal": scoring_pb2.ReplayDealRequest, "SettleDeal": scoring_pb2.SettleDealRequest}[method]
    record = restless(2 * ((MAX_EVENTS - len(RICH_RECORD)) // 2))
    great = [asyncio.ensure_future(_outcome(getattr(scoring, method)(kind(events=record)))) for _ in range(4)]
    await asyncio.sleep(0)
    await scoring.ScoreWin(single(RULES, plain_hands(1)[0]))
    assert any(not one.done() for one in great)
    assert len(set(await asyncio.gather(*great))) == 1


async def _outcome(call: Any) -> str:
    try:
        return str(await call)
    except grpc.aio.AioRpcError as error:
        return f"{error.code()} {error.details()}"


async def test_a_message_over_the_transports_limit_is_refused_unread(scoring: Any) -> None:
    hands = columns_pb2.HandColumns(tiles=[1] * 70_000)
    with pytest.raises(grpc.aio.AioRpcError) as refused_:
        await scoring.BatchScoreWins(scoring_pb2.BatchScoreWinsRequest(ruleset=RULES, hands=hands))
    assert refused_.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (scoring_pb2.AdviseDiscardRequest(hand=scoring_pb2.Hand(tiles=[1] * 33)), "hand.tiles"),
        (scoring_pb2.AdviseDiscardRequest(hand=scoring_pb2.Hand(notation="1" * 65)), "hand.notation"),
        (scoring_pb2.AdviseDiscardRequest(hand=scoring_pb2.Hand(tiles=[1] * 14), visible=[0] * 145), "visible"),
        (
            scoring_pb2.AdviseDiscardRequest(hand=scoring_pb2.Hand(tiles=[1] * 14), visible_notation="1" * 289),
            "visible_notation",
        ),
        (scoring_pb2.AdviseDiscardRequest(hand=scoring_pb2.Hand(melds=["pung EEE"] * 9)), "hand.melds"),
        (
            scoring_pb2.AdviseDiscardRequest(hand=scoring_pb2.Hand(tiles=[1]), visible=[1], visible_notation="1m"),
            "visible_notation",
        ),
    ],
)
async def test_absurd_lengths_are_refused_by_name(scoring: Any, request_: Any, field: str) -> None:
    request_.ruleset.variant = "dazhong"
    refusal = await refused(scoring.AdviseDiscard(request_))
    assert (refusal.reason, refusal.field) == (Reason.INVALID_FIELD, field)


def test_tables_of_advice_are_bounded() -> None:
    """Suits are remembered up to a limit, however many a stranger asks about."""
    assert suit_lacks.cache_info().maxsize is not None
