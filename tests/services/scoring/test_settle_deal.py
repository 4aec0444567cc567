"""SettleDeal: a record is believed only when the rules make the same of it, and then its money is told in order."""

from collections.abc import Callable
from typing import Any

import pytest
from cardroom.mahjong.v1 import event_pb2
from cardroom.scoring.v1 import scoring_pb2

from refusals import Reason
from tests.services.scoring.rig import DealCase, played_deals, refused

DEALS = {deal.row["id"]: deal for deal in played_deals()}
Record = list[event_pb2.Event]

RICH = DEALS["own-bb4-deal-69"]
"""Wins, split rain of two kongs, a ready check."""


def request_of(deal: DealCase, record: Record | None = None, **parts: Any) -> scoring_pb2.SettleDealRequest:
    """A deal's request; its record may be another."""
    events = deal.record if record is None else record
    return scoring_pb2.SettleDealRequest(**({"events": events, "balances": deal.balances} | parts))


def copy_of(deal: DealCase) -> Record:
    """A record that a test may spoil."""
    return [event_pb2.Event.FromString(event.SerializeToString()) for event in deal.record]


def place_of(record: Record, kind: str, which: int = 0) -> int:
    """Index of the n-th event of a kind."""
    return [index for index, event in enumerate(record) if event.HasField(kind)][which]  # type: ignore[arg-type]


def _payee(row: Any) -> Any:
    return row.payee_seat if row.HasField("payee_seat") else "system"


@pytest.mark.parametrize("case_id", DEALS)
async def test_every_deal_of_the_cases_settles_as_the_case_says(scoring: Any, case_id: str) -> None:
    """BB-50..52, PF-51: what is asked and paid in order, and the balances after it."""
    deal = DEALS[case_id]
    response = await scoring.SettleDeal(request_of(deal))
    expect = deal.row["expect"]
    moves = [[row.payer_seat, _payee(row), row.asked, row.paid, row.cause] for row in response.payments]
    assert moves == expect["moves"]
    assert list(response.balances) == expect["balances"]
    next_dealer = response.next_dealer if response.HasField("next_dealer") else None
    assert next_dealer == expect["next_dealer"]
    causes = {True: "won", False: "ended"}
    for row in response.payments:
        assert deal.record[row.event_index].WhichOneof("kind") == causes[row.cause in ("win", "liability")]


async def test_without_balances_nothing_is_said_of_what_is_paid(scoring: Any) -> None:
    response = await scoring.SettleDeal(request_of(RICH, balances=[]))
    assert len(response.payments) == len(RICH.row["expect"]["moves"]) > 0
    assert not any(row.HasField("paid") for row in response.payments)
    assert not response.balances


async def test_the_request_may_name_the_rules_of_the_record(scoring: Any) -> None:
    ruleset = {"variant": "bloody4", "version": 1, "options": {"kong_transfer": "chain"}, "stake": 1}
    assert (await scoring.SettleDeal(request_of(RICH, ruleset=ruleset))).payments


@pytest.mark.parametrize(
    "ruleset",
    [{"variant": "bloody4"}, {"variant": "bloody4", "stake": 2, "options": {"kong_transfer": "chain"}}],
    ids=["other options", "another stake"],
)
async def test_a_record_of_other_rules_than_the_request_names_is_refused(scoring: Any, ruleset: Any) -> None:
    refusal = await refused(scoring.SettleDeal(request_of(RICH, ruleset=ruleset)))
    assert (refusal.reason, refusal.metadata) == (Reason.RECORD_INVALID, {"event_index": "0"})


# --- records that are no deal ---------------------------------------------------------------------


def _cut_short(record: Record) -> int:
    record.pop()
    return len(record)


def _nothing(record: Record) -> int:
    record.clear()
    return 0


def _goes_on(record: Record) -> int:
    record.append(event_pb2.Event(went_away=event_pb2.WentAway(seat=0)))
    return len(record) - 1


def _opened_twice(record: Record) -> int:
    record.insert(1, record[0])
    return 1


def _without_its_deal(record: Record) -> int:
    del record[1]
    return 1


def _an_empty_event(record: Record) -> int:
    record[3] = event_pb2.Event()
    return 3


def _an_unknown_seat(record: Record) -> int:
    index = place_of(record, "discarded")
    record[index].discarded.seat = 2**32 - 1
    return index


def _another_tile_drawn(record: Record) -> int:
    index = place_of(record, "drawn")
    record[index].drawn.tile = (record[index].drawn.tile - 8) % 18 + 9
    return index


def _a_tile_not_held(record: Record) -> int:
    index = place_of(record, "discarded")
    record[index].discarded.tile = 33
    return index


def _a_kong_of_air(record: Record) -> int:
    index = place_of(record, "konged")
    record[index].konged.tile = 26
    return index


def _a_kong_too_dear(record: Record) -> int:
    index = place_of(record, "konged")
    record[index].konged.owing_seats.pop()
    return index


def _a_greater_win(record: Record) -> int:
    index = place_of(record, "won")
    record[index].won.winners[0].payments[0].amount += 1
    return index


def _a_fan_more(record: Record) -> int:
    index = place_of(record, "won")
    record[index].won.winners[0].fan_total += 1
    return index


def _nobody_wins(record: Record) -> int:
    index = place_of(record, "won")
    del record[index].won.winners[:]
    return index


def _a_winner_who_cannot(record: Record) -> int:
    index = place_of(record, "won")
    record[index].won.winners[0].seat = 0
    return index


def _another_payee_of_rain(record: Record) -> int:
    index = place_of(record, "ended")
    record[index].ended.payments[0].payee_seat = 1
    return index


def _another_dealer_next(record: Record) -> int:
    index = place_of(record, "ended")
    record[index].ended.next_dealer = 3
    return index


def _a_hand_face_down(record: Record) -> int:
    record[1].dealt.hands[0].hidden_count = 13
    del record[1].dealt.hands[0].tiles[:]
    return 1


def _a_million_tiles_face_down(record: Record) -> int:
    record[1].dealt.hands[0].hidden_count = 2**32 - 1
    return 1


def _a_wall_face_down(record: Record) -> int:
    del record[0].opened.wall[:]
    return 0


def _a_wall_of_nothing_but_numbers(record: Record) -> int:
    del record[0].opened.wall[:]
    record[0].opened.wall_count = 2**32 - 1
    return 0


def _five_of_a_tile(record: Record) -> int:
    record[0].opened.wall.extend([record[0].opened.wall[0]] * 4)
    return 0


def _loaded_dice(record: Record) -> int:
    record[0].opened.dice[0] = 7
    return 0


def _a_dealer_beside_the_table(record: Record) -> int:
    record[0].opened.dealer = 4
    return 0


def _another_place_to_begin(record: Record) -> int:
    record[0].opened.wall_start += 1
    return 0


def _an_option_of_no_kind(record: Record) -> int:
    record[0].opened.options.update({"kong_transfer": [1]})
    return 0


def _a_later_version(record: Record) -> int:
    record[0].opened.rules_version = 2
    return 0


def _longer_than_any_deal(record: Record) -> int:
    away = event_pb2.Event(went_away=event_pb2.WentAway(seat=0))
    back = event_pb2.Event(came_back=event_pb2.CameBack(seat=0))
    record[1:1] = [away, back] * 1_000
    return 2_000


SPOILS: list[Callable[[Record], int]] = [
    _cut_short,
    _nothing,
    _goes_on,
    _opened_twice,
    _without_its_deal,
    _an_empty_event,
    _an_unknown_seat,
    _another_tile_drawn,
    _a_tile_not_held,
    _a_kong_of_air,
    _a_kong_too_dear,
    _a_greater_win,
    _a_fan_more,
    _nobody_wins,
    _a_winner_who_cannot,
    _another_payee_of_rain,
    _another_dealer_next,
    _a_hand_face_down,
    _a_million_tiles_face_down,
    _a_wall_face_down,
    _a_wall_of_nothing_but_numbers,
    _five_of_a_tile,
    _loaded_dice,
    _a_dealer_beside_the_table,
    _another_place_to_begin,
    _an_option_of_no_kind,
    _a_later_version,
    _longer_than_any_deal,
]


@pytest.mark.parametrize("spoil", SPOILS, ids=lambda spoil: spoil.__name__.strip("_"))
async def test_a_record_that_is_no_deal_is_refused_at_its_first_bad_event(
    scoring: Any, spoil: Callable[[Record], int]
) -> None:
    record = copy_of(RICH)
    index = spoil(record)
    refusal = await refused(scoring.SettleDeal(request_of(RICH, record)))
    assert refusal.reason is Reason.RECORD_INVALID
    assert refusal.metadata["event_index"] == str(index)
    assert (refusal.field or "").startswith(f"events[{index}]")


async def test_a_record_of_an_unknown_variant_is_refused_as_such(scoring: Any) -> None:
    record = copy_of(RICH)
    record[0].opened.variant = "bloody5"
    refusal = await refused(scoring.SettleDeal(request_of(RICH, record)))
    assert (refusal.reason, refusal.field) == (Reason.RULESET_UNKNOWN, "events[0].opened.variant")


@pytest.mark.parametrize(
    ("balances", "field"),
    [([1, 2, 3], "balances"), ([1, 2, 3, -1], "balances[3]"), ([0, 0, 0, 2**53], "balances[3]")],
)
async def test_balances_that_no_table_has_are_refused(scoring: Any, balances: list[int], field: str) -> None:
    refusal = await refused(scoring.SettleDeal(request_of(RICH, balances=balances)))
    assert (refusal.reason, refusal.field) == (Reason.INVALID_FIELD, field)
