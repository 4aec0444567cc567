"""ReplayDeal: a whole log, and the first event that the rules do not allow."""

from collections.abc import Callable
from typing import Any

import pytest
from cardroom.mahjong.v1 import event_pb2
from cardroom.scoring.v1 import scoring_pb2

from games.mahjong.replay import MAX_EVENTS
from refusals import Reason
from tests.services.scoring.rig import DealCase, refused
from tests.services.scoring.test_settle_deal import DEALS, RICH, SPOILS, Record, copy_of, place_of

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


FIRST_OF = {deal.row["variant"]: deal for deal in reversed(DEALS.values())}


def _another_dealer(record: Record) -> int:
    record[0].opened.dealer = 9
    return 0


def _after_the_end(record: Record) -> int:
    record.append(event_pb2.Event(went_away=event_pb2.WentAway(seat=0)))
    return len(record) - 1


@pytest.mark.parametrize("variant", sorted(FIRST_OF))
@pytest.mark.parametrize("spoil", [_another_dealer, _after_the_end], ids=lambda spoil: spoil.__name__.strip("_"))
async def test_the_rule_that_refuses_an_event_is_one_of_the_deals_own_game(
    scoring: Any, variant: str, spoil: Callable[[Record], int]
) -> None:
    record = copy_of(FIRST_OF[variant])
    index = spoil(record)
    difference = (await scoring.ReplayDeal(request_of(record))).difference
    pages = {"bloody4": "BB", "bloody6": "BB", "dazhong": "DZ", "shanghai": "SH"}
    assert (difference.event_index, difference.rule.partition("-")[0]) == (index, pages[variant])


def _wall_counted_wrong(record: Record) -> int:
    record[0].opened.wall_count += 1
    return 0


def _a_winning_tile_and_none(record: Record) -> int:
    index = place_of(record, "won")
    record[index].won.without_tile = True
    return index


@pytest.mark.parametrize("spoil", [_wall_counted_wrong, _a_winning_tile_and_none])
async def test_an_event_that_contradicts_itself_differs(scoring: Any, spoil: Callable[[Record], int]) -> None:
    """Whatever a field says is compared: none is passed over because another says it too."""
    record = copy_of(RICH)
    index = spoil(record)
    assert (await scoring.ReplayDeal(request_of(record))).difference.event_index == index
