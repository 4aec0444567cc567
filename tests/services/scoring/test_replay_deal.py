"""ReplayDeal: a whole log, and the first event that the rules do not allow."""

from collections.abc import Callable
from typing import Any

import pytest
from cardroom.mahjong.v1 import event_pb2
from cardroom.scoring.v1 import scoring_pb2

from games.mahjong.replay import MAX_EVENTS
from refusals import Reason
from tests.services.scoring.rig import DealCase, refused
from tests.services.scoring.test_settle_deal import DEALS, RICH, SPOILS, Record, copy_of

FITTING = [spoil for spoil in SPOILS if "longer_than_any" not in spoil.__name__]


def request_of(record: Any, **parts: Any) -> scoring_pb2.ReplayDealRequest:
    return scoring_pb2.ReplayDealRequest(events=record, **parts)


@pytest.mark.parametrize("deal", DEALS.values(), ids=DEALS)
async def test_every_deal_of_the_cases_is_what_the_rules_say(scoring: Any, deal: DealCase) -> None:
    answer = await scoring.ReplayDeal(request_of(deal.record))
    assert not answer.HasField("difference"), answer
    assert (answer.variant, answer.version) == (deal.row["variant"], 1)
    assert answer.matched_count == len(deal.record)


@pytest.mark.parametrize("spoil", FITTING, ids=lambda spoil: spoil.__name__.strip("_"))
async def test_the_first_event_that_differs_is_named(scoring: Any, spoil: Callable[[Record], int]) -> None:
    """Its place, its kind, what is wrong; those before it match."""
    record = copy_of(RICH)
    index = spoil(record)
    answer = await scoring.ReplayDeal(request_of(record))
    difference = answer.difference
    assert (difference.event_index, answer.matched_count) == (index, index)
    assert difference.detail
    assert difference.event == ((record[index].WhichOneof("kind") or "") if index < len(record) else "")


async def test_of_two_faults_the_earlier_is_named_even_if_the_later_cannot_be_read(scoring: Any) -> None:
    record = copy_of(RICH)
    record[-1].Clear()
    assert (await scoring.ReplayDeal(request_of(record))).difference.event_index == len(record) - 1
    place = next(index for index, event in enumerate(record) if event.HasField("discarded"))
    record[place].discarded.tile = 0
    assert (await scoring.ReplayDeal(request_of(record))).difference.event_index == place


async def test_a_record_longer_than_any_deal_is_refused_unread(scoring: Any) -> None:
    record = [event_pb2.Event()] * (MAX_EVENTS + 1)
    refusal = await refused(scoring.ReplayDeal(request_of(record)))
    assert (refusal.reason, refusal.field) == (Reason.RECORD_INVALID, f"events[{MAX_EVENTS}]")


async def test_a_record_of_other_rules_than_the_request_names_is_refused(scoring: Any) -> None:
    refusal = await refused(scoring.ReplayDeal(request_of(RICH.record, ruleset={"variant": "bloody6"})))
    assert refusal.reason is Reason.RECORD_INVALID
