"""Cards at the scoring service: readings, plays, and the money of a deal in both assets (TY-21..24, TY-30..43)."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from cardroom.landlord.v1 import event_pb2
from cardroom.mahjong.v1 import event_pb2 as mahjong_pb2
from cardroom.scoring.v1 import scoring_pb2

from games.catalog import variant_of
from games.landlord.cards import RANK_NAMES, counts_of, parse, show
from games.landlord.combinations import POWER
from games.landlord.hints import broken_bombs
from games.landlord.script import Arranged, Played, play
from games.landlord.state import Phase
from refusals import Reason
from tests.services.scoring.rig import read_rows, refused
from wire.landlord import event_to_proto

RULES = scoring_pb2.Ruleset(variant="tingyong")
TABLE = variant_of("tingyong").ruleset({}, 1).plays
HAND = "S4 H4 D4 C4 S5 S6 S7 S8 S9 HK DK SA S2 H2 BJ RJ *"
CARDS = {row["id"]: row for row in read_rows("tingyong_cards.jsonl") if "readings" in row["expect"]}
Record = list[event_pb2.Event]


def reading(row: Any) -> scoring_pb2.CardReading:
    return scoring_pb2.CardReading(kind=row["kind"], rank=row["rank"], count=row["count"])


@dataclass(frozen=True, slots=True)
class CardDeal:
    """A case of a deal that is played to its end, with the record it leaves."""

    row: dict[str, Any]
    played: Played

    @property
    def record(self) -> Record:
        return [event_to_proto(event) for event in self.played.events]

    def request(self, **parts: Any) -> scoring_pb2.SettleDealRequest:
        fields = {"landlord_events": self.record, "balances": self.row["balances"], **parts}
        return scoring_pb2.SettleDealRequest(**fields)


def played_deals() -> dict[str, CardDeal]:
    """Every deal of the cases that comes to its end."""
    deals = {}
    for row in read_rows("tingyong_deal.jsonl"):
        options = {name: value for name, value in row.get("options", {}).items() if name != "stake"}
        rules = variant_of("tingyong").ruleset(options, row.get("options", {}).get("stake", 1))
        arranged = Arranged(row["first_bidder"], tuple(map(parse, row["hands"])), parse(row["bottom"]))
        if "moves" in row["expect"]:
            played = play(rules, arranged, row["actions"])
            if played.state.phase is Phase.OVER:
                deals[row["id"]] = CardDeal(row, played)
    return deals


DEALS = played_deals()
RICH = next(deal for deal in DEALS.values() if any(move[2] != move[3] for move in deal.row["expect"]["moves"]))
"""A deal in which somebody cannot pay all (TY-42)."""


@pytest.mark.parametrize("case_id", CARDS)
async def test_cards_are_read_as_the_case_says_by_notation_and_by_id_ty_21(scoring: Any, case_id: str) -> None:
    row = CARDS[case_id]
    last: dict[str, Any] = {"last": reading(row["last"])} if "last" in row else {}
    words = scoring_pb2.ReadCardsRequest(ruleset=RULES, cards=row["cards"], **last)
    ids = scoring_pb2.ReadCardsRequest(ruleset=RULES, card_ids=parse(row["cards"]), **last)
    expected = [reading(one) for one in row["expect"]["readings"]]
    for request in (words, ids):
        assert list((await scoring.ReadCards(request)).readings) == expected


async def test_every_play_of_a_hand_is_listed_once_a_reading_and_nothing_else_ty_20(scoring: Any) -> None:
    """Against every subset of the hand, read one by one."""
    hand = parse("S4 H4 D4 C4 S5 H5 S6 S7 S8 BJ RJ *")
    listed = await scoring.ListPlays(scoring_pb2.ListPlaysRequest(ruleset=RULES, card_ids=hand))
    found = {(counts_of(row.card_ids), row.reading.kind, row.reading.rank, row.reading.count) for row in listed.plays}
    subsets = {counts_of(cards) for size in range(1, len(hand) + 1) for cards in itertools.combinations(hand, size)}
    expected = {
        (counts, one.kind, RANK_NAMES[one.rank], one.count) for counts in subsets for one in TABLE.readings_of(counts)
    }
    assert found == expected
    assert listed.play_count == len(listed.plays) == len(found)
    assert all(row.cards == show(row.card_ids) for row in listed.plays)


@pytest.mark.parametrize(
    ("kind", "rank", "count"),
    [("single", "A", 1), ("pair", "Q", 2), ("straight", "8", 5), ("bomb", "3", 4), ("triple_single", "4", 4)],
)
async def test_plays_that_beat_one_are_those_that_follow_it_ty_22(
    scoring: Any, kind: str, rank: str, count: int
) -> None:
    last = scoring_pb2.CardReading(kind=kind, rank=rank, count=count)
    request = scoring_pb2.ListPlaysRequest(ruleset=RULES, cards=HAND, last=last)
    if kind == "bomb":
        assert (await refused(scoring.ListPlays(request))).field == "last"
        return
    for row in (await scoring.ListPlays(request)).plays:
        read = scoring_pb2.ReadCardsRequest(ruleset=RULES, card_ids=row.card_ids, last=last)
        assert row.reading in (await scoring.ReadCards(read)).readings


async def test_the_best_hints_come_first_and_keep_bombs_whole(scoring: Any) -> None:
    """A play that breaks a four or the rocket comes after every plain one that does not; a bomb after those."""
    hand = counts_of(parse(HAND))
    listed = await scoring.ListPlays(scoring_pb2.ListPlaysRequest(ruleset=RULES, cards=HAND))
    plain = [row for row in listed.plays if row.reading.kind not in POWER]
    breaks = [
        broken_bombs(hand, counts_of(row.card_ids), TABLE.readings_of(counts_of(row.card_ids))[0]) > 0 for row in plain
    ]
    assert breaks == sorted(breaks)
    assert {False, True} == set(breaks)
    kinds = [row.reading.kind in POWER for row in listed.plays]
    assert kinds == sorted(kinds)
    few = await scoring.ListPlays(scoring_pb2.ListPlaysRequest(ruleset=RULES, cards=HAND, count_max=3))
    assert list(few.plays) == list(listed.plays[:3])
    assert few.play_count == listed.play_count


async def test_a_play_that_empties_the_hand_comes_first(scoring: Any) -> None:
    listed = await scoring.ListPlays(scoring_pb2.ListPlaysRequest(ruleset=RULES, cards="S4 H4 D4 C4"))
    assert listed.plays[0].reading.kind == "bomb"


WHOLE_PACK = list(range(51))


@pytest.mark.parametrize(
    ("parts", "reason", "field"),
    [
        ({"cards": "S4 H4 X9"}, Reason.HAND_IMPOSSIBLE, "cards[2]"),
        ({"cards": "S4 S4"}, Reason.HAND_IMPOSSIBLE, "cards[1]"),
        ({"card_ids": [1, 2, 51]}, Reason.HAND_IMPOSSIBLE, "card_ids[2]"),
        ({"card_ids": [1, 4_294_967_295]}, Reason.HAND_IMPOSSIBLE, "card_ids[1]"),
        ({"card_ids": [1, 2, 1]}, Reason.HAND_IMPOSSIBLE, "card_ids[2]"),
        ({"card_ids": WHOLE_PACK[:20]}, Reason.HAND_IMPOSSIBLE, "card_ids"),
        ({"card_ids": [*WHOLE_PACK, 0]}, Reason.INVALID_FIELD, "card_ids"),
        ({"card_ids": [1], "cards": "S4"}, Reason.INVALID_FIELD, "card_ids"),
        ({"cards": "S4 " * 100}, Reason.INVALID_FIELD, "cards"),
        ({}, Reason.INVALID_FIELD, "cards"),
        ({"cards": "S4", "last": scoring_pb2.CardReading(kind="flush")}, Reason.HAND_IMPOSSIBLE, "last.kind"),
        ({"cards": "S4", "last": scoring_pb2.CardReading(kind="pair", rank="1")}, Reason.HAND_IMPOSSIBLE, "last.rank"),
        (
            {"cards": "S4", "last": scoring_pb2.CardReading(kind="pair", rank="4", count=3)},
            Reason.HAND_IMPOSSIBLE,
            "last",
        ),
    ],
)
async def test_a_hand_that_cannot_be_is_refused_by_field_and_card_ty_1(
    scoring: Any, parts: dict[str, Any], reason: Reason, field: str
) -> None:
    refusal = await refused(scoring.ListPlays(scoring_pb2.ListPlaysRequest(ruleset=RULES, **parts)))
    assert (refusal.reason, refusal.field) == (reason, field)
    if "[" in field:
        reading_too = await refused(scoring.ReadCards(scoring_pb2.ReadCardsRequest(ruleset=RULES, **parts)))
        assert (reading_too.reason, reading_too.field) == (reason, field)


async def test_rules_of_another_family_list_no_plays(scoring: Any) -> None:
    request = scoring_pb2.ListPlaysRequest(ruleset=scoring_pb2.Ruleset(variant="bloody4"), cards="S4")
    assert (await refused(scoring.ListPlays(request))).reason is Reason.RULESET_UNKNOWN


# --- a deal's money -------------------------------------------------------------------------------


def _payee(row: Any) -> Any:
    return row.payee_seat if row.HasField("payee_seat") else "system"


@pytest.mark.parametrize("case_id", DEALS)
async def test_every_card_deal_of_the_cases_settles_as_the_case_says_ty_40(scoring: Any, case_id: str) -> None:
    deal = DEALS[case_id]
    points = [50, 60, 70]
    response = await scoring.SettleDeal(deal.request(points=points))
    expect = deal.row["expect"]
    moves = [[row.payer_seat, _payee(row), row.asked, row.paid, row.cause] for row in response.payments]
    assert moves == expect["moves"]
    assert list(response.balances) == expect["balances"]
    assert response.next_dealer == expect["next_dealer"]
    ended = deal.played.state.result
    assert ended is not None
    asked = [0, 0, 0]
    for row in response.point_payments:
        asked[row.payer_seat] -= row.asked
        if row.HasField("payee_seat"):
            asked[row.payee_seat] += row.asked
        assert 0 <= row.paid <= row.asked
    assert tuple(asked) == ended.scores
    system = sum(row.paid for row in response.point_payments if not row.HasField("payee_seat"))
    assert sum(response.points) + system == sum(points)


async def test_a_group_says_who_gets_the_odd_coin_ty_42(scoring: Any) -> None:
    lost = next(deal for deal in DEALS.values() if len(deal.row["expect"]["winners"]) == 2)
    response = await scoring.SettleDeal(lost.request())
    assert [row.group_id for row in response.payments] == [1, 1]
    assert {row.remainder_to_seat for row in response.payments} <= set(lost.row["expect"]["winners"])


async def test_without_balances_nothing_is_said_of_what_is_paid(scoring: Any) -> None:
    response = await scoring.SettleDeal(RICH.request(balances=[]))
    assert len(response.payments) == len(RICH.row["expect"]["moves"]) > 0
    assert not any(row.HasField("paid") for row in [*response.payments, *response.point_payments])
    assert (list(response.balances), list(response.points)) == ([], [])


def leaves_a_play_out(record: Record) -> None:
    del record[next(place for place, event in enumerate(record) if event.HasField("played"))]


def plays_what_is_not_held(record: Record) -> None:
    first, second = [event for event in record if event.HasField("played")][:2]
    first.played.cards[:] = second.played.cards


def pays_more(record: Record) -> None:
    record[-1].ended.payments[0].amount += 1


def shares_otherwise(record: Record) -> None:
    record[-1].ended.multiplier *= 2


def ends_early(record: Record) -> None:
    del record[-1]


def goes_on(record: Record) -> None:
    record.append(record[-1])


def deals_a_card_twice(record: Record) -> None:
    record[0].opened.pack[0] = record[0].opened.pack[1]


def says_nothing(record: Record) -> None:
    record[3].Clear()


SPOILERS = [
    leaves_a_play_out,
    plays_what_is_not_held,
    pays_more,
    shares_otherwise,
    ends_early,
    goes_on,
    deals_a_card_twice,
    says_nothing,
]


@pytest.mark.parametrize("spoil", SPOILERS)
async def test_a_spoiled_record_is_refused_at_its_first_wrong_event(
    scoring: Any, spoil: Callable[[Record], None]
) -> None:
    record = RICH.record
    spoil(record)
    whole = RICH.record
    same = [left == right for left, right in zip(whole, record, strict=False)]
    first = same.index(False) if False in same else min(len(whole), len(record))
    refusal = await refused(scoring.SettleDeal(RICH.request(landlord_events=record)))
    assert refusal.reason is Reason.RECORD_INVALID
    assert int(refusal.metadata["event_index"]) <= first
    assert (refusal.field or "").startswith("landlord_events[")
    replayed = await scoring.ReplayDeal(scoring_pb2.ReplayDealRequest(landlord_events=record))
    assert replayed.difference.event_index == int(refusal.metadata["event_index"])


async def test_a_right_record_replays_without_a_difference(scoring: Any) -> None:
    for deal in DEALS.values():
        answer = await scoring.ReplayDeal(scoring_pb2.ReplayDealRequest(landlord_events=deal.record))
        assert (answer.variant, answer.matched_count) == ("tingyong", len(deal.record))
        assert not answer.HasField("difference")


@pytest.mark.parametrize(
    ("parts", "reason", "field"),
    [
        ({"balances": [1, 2]}, Reason.INVALID_FIELD, "balances"),
        ({"balances": [1, 2, -3]}, Reason.INVALID_FIELD, "balances[2]"),
        ({"points": [1, 2, 3, 4]}, Reason.INVALID_FIELD, "points"),
        ({"points": [2**53, 0, 0]}, Reason.INVALID_FIELD, "points[0]"),
        ({"events": [mahjong_pb2.Event()]}, Reason.INVALID_FIELD, "landlord_events"),
        ({"landlord_events": [event_pb2.Event()] * 301}, Reason.RECORD_INVALID, "landlord_events[300]"),
        ({"ruleset": scoring_pb2.Ruleset(variant="bloody4")}, Reason.RULESET_UNKNOWN, "ruleset.variant"),
        ({"ruleset": scoring_pb2.Ruleset(variant="tingyong", stake=77)}, Reason.RECORD_INVALID, "landlord_events[0]"),
    ],
)
async def test_what_does_not_fit_the_record_is_refused_by_name(
    scoring: Any, parts: dict[str, Any], reason: Reason, field: str
) -> None:
    refusal = await refused(scoring.SettleDeal(RICH.request(**parts)))
    assert (refusal.reason, refusal.field) == (reason, field)


async def test_a_record_of_nothing_is_missed_in_the_family_whose_rules_are_named(scoring: Any) -> None:
    refusal = await refused(scoring.SettleDeal(scoring_pb2.SettleDealRequest(ruleset=RULES)))
    assert (refusal.reason, refusal.field) == (Reason.RECORD_INVALID, "landlord_events[0]")
    replayed = await scoring.ReplayDeal(scoring_pb2.ReplayDealRequest(ruleset=RULES))
    assert replayed.HasField("difference")
    other = scoring_pb2.Ruleset(variant="bloody4")
    refusal = await refused(scoring.SettleDeal(scoring_pb2.SettleDealRequest(ruleset=other)))
    assert (refusal.reason, refusal.field) == (Reason.RECORD_INVALID, "events[0]")
