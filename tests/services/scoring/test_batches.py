"""Batches: the answers of single calls, in order, under the ids given; an error is one hand's alone."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cardroom.errors.v1 import reason_pb2
from cardroom.mahjong.v1 import event_pb2, view_pb2
from cardroom.scoring.v1 import columns_pb2, scoring_pb2

from games.catalog import variant_of, variants_of
from games.mahjong.hand import WinBy, WinningHand
from games.mahjong.ruleset import Ruleset
from games.mahjong.variant import Variant
from refusals import Reason
from services.scoring.app.batches import EXPLAINED_HANDS_MAX, HANDS_MAX
from serving.channels import connect
from tests.contract.winning_hands import winning_hands
from tests.services.scoring.columns import columns, single
from tests.services.scoring.rig import Stub, refused, serving_scoring

WIN, NO_WIN, ERROR = (
    columns_pb2.HAND_OUTCOME_WIN,
    columns_pb2.HAND_OUTCOME_NO_WIN,
    columns_pb2.HAND_OUTCOME_ERROR,
)


def hands_of(name: str, count: int) -> list[WinningHand]:
    rules = variant_of(name).ruleset({}, 1)
    assert isinstance(rules, Ruleset)
    return list(winning_hands(rules, count, seed=7))


def asked(name: str, hands: columns_pb2.HandColumns, **given: Any) -> scoring_pb2.BatchScoreWinsRequest:
    return scoring_pb2.BatchScoreWinsRequest(ruleset=scoring_pb2.Ruleset(variant=name), hands=hands, **given)


@pytest.mark.parametrize("name", sorted(variants_of(Variant)))
async def test_a_batch_answers_what_single_calls_answer(scoring: Any, name: str) -> None:
    """Fans, times, totals, amounts and reasons, hand for hand."""
    hands = hands_of(name, 40)
    ids = [1000 - place for place in range(len(hands))]
    fans = (await scoring.GetRuleset(scoring_pb2.GetRulesetRequest(variant=name))).fans
    batch = await scoring.BatchScoreWins(asked(name, columns(hands, ids), explain=True))
    wins = batch.wins
    assert (batch.variant, batch.version, list(wins.ids)) == (name, 1, ids)
    place = 0
    for index, hand in enumerate(hands):
        alone = (await scoring.ScoreWin(single(scoring_pb2.Ruleset(variant=name), hand))).win
        assert wins.outcomes[index] == WIN
        assert (wins.fan_totals[index], wins.amounts[index]) == (alone.fan_total, alone.amount)
        assert not alone.HasField("base_sum") or wins.base_sums[index] == alone.base_sum
        count = wins.fan_counts[index]
        rows = [
            (fans[wins.fan_rows[at]].fan_id, wins.fan_times[at], wins.fan_values[at])
            for at in range(place, place + count)
        ]
        assert rows == [(fan.fan_id, fan.times or 1, fan.value) for fan in alone.fans]
        assert wins.explanations[index] == alone.explanation
        place += count
    assert place == len(wins.fan_rows)


async def test_a_hand_that_cannot_be_is_an_error_of_its_own_and_the_batch_goes_on(scoring: Any) -> None:
    hands = columns(hands_of("dazhong", 9), ids=range(50, 59))
    starts = [sum(hands.tile_counts[:index]) for index in range(9)]
    hands.tiles[starts[1] + 2] = 99
    hands.win_tiles[2] = 34
    hands.bys[3] = event_pb2.WIN_BY_UNSPECIFIED
    hands.situations[4] = 1 << 9
    hands.flowers[5] = 1 << 8
    hands.seat_winds[6] = 3
    for place in range(starts[7], starts[8]):
        hands.tiles[place] = 0
    wins = (await scoring.BatchScoreWins(asked("dazhong", hands))).wins
    assert list(wins.outcomes) == [WIN, *[ERROR] * 7, WIN]
    assert [(error.index, error.id) for error in wins.errors] == [(place, 50 + place) for place in range(1, 8)]
    fields = [error.field for error in wins.errors]
    assert fields[:6] == [
        f"hands.tiles[{starts[1] + 2}]",
        "hands.win_tiles[2]",
        "hands.bys[3]",
        "hands.situations[4]",
        "hands.flowers[5]",
        "hands.seat_winds[6]",
    ]
    assert fields[6].startswith("hands.tiles")
    assert wins.errors[1].rule == "DZ-1"
    reasons = {reason_pb2.REASON_HAND_IMPOSSIBLE, reason_pb2.REASON_INVALID_FIELD}
    assert {error.reason for error in wins.errors} == reasons
    assert all(error.detail for error in wins.errors)


async def test_a_meld_that_is_none_is_named_with_its_place(scoring: Any) -> None:
    hands = columns([hand for hand in hands_of("dazhong", 60) if hand.melds][:2])
    hands.meld_kinds[0] = view_pb2.MELD_KIND_UNSPECIFIED
    last = len(hands.meld_tiles) - 1
    hands.meld_tiles[last] = 77
    wins = (await scoring.BatchScoreWins(asked("dazhong", hands))).wins
    assert [error.field for error in wins.errors] == ["hands.meld_kinds[0]", f"hands.meld_tiles[{last}]"]


async def test_a_hand_that_does_not_win_is_no_error(scoring: Any) -> None:
    first, second = hands_of("bloody4", 2)
    rules = variant_of("bloody4").ruleset({}, 1)
    assert isinstance(rules, Ruleset)
    other = replace(first, situations=frozenset(), by=WinBy.SELF)
    waits = rules.judgement.waits(rules, first.concealed, first.melds)
    losing = next(tile for tile in rules.kinds if tile not in waits and first.concealed.count(tile) < 2)
    wins = (await scoring.BatchScoreWins(asked("bloody4", columns([replace(other, tile=losing), second])))).wins
    assert list(wins.outcomes) == [NO_WIN, WIN]
    assert (wins.amounts[0], wins.fan_counts[0], len(wins.errors)) == (0, 0, 0)


@pytest.mark.parametrize(
    ("column", "values", "field"),
    [
        ("win_tiles", [], "hands.win_tiles"),
        ("bys", [event_pb2.WIN_BY_SELF], "hands.bys"),
        ("tile_counts", [13], "hands.win_tiles"),
        ("tiles", [1, 2, 3], "hands.tiles"),
        ("ids", [1, 2, 3], "hands.ids"),
        ("meld_counts", [1, 1], "hands.meld_kinds"),
        ("meld_counts", [9, 0], "hands.meld_counts[0]"),
        ("tile_counts", [13, 2**32 - 1], "hands.tile_counts[1]"),
        ("situations", [0], "hands.situations"),
        ("flowers", [0, 0, 0], "hands.flowers"),
        ("round_winds", [27], "hands.round_winds"),
    ],
)
async def test_columns_that_do_not_fit_together_are_refused_by_name(
    scoring: Any, column: str, values: list[int], field: str
) -> None:
    hands = columns([hand for hand in hands_of("bloody4", 50) if not hand.melds][:2])
    del getattr(hands, column)[:]
    getattr(hands, column).extend(values)
    refusal = await refused(scoring.BatchScoreWins(asked("bloody4", hands)))
    assert (refusal.reason, refusal.field) == (Reason.INVALID_FIELD, field)


async def test_more_hands_than_a_message_may_have_are_refused(scoring: Any) -> None:
    (hand,) = hands_of("bloody6", 1)
    most = await scoring.BatchScoreWins(asked("bloody6", columns([hand] * HANDS_MAX)))
    assert len(most.wins.outcomes) == HANDS_MAX
    refusal = await refused(scoring.BatchScoreWins(asked("bloody6", columns([hand] * (HANDS_MAX + 1)))))
    assert (refusal.reason, refusal.field) == (Reason.INVALID_FIELD, "hands.tile_counts")
    many = asked("bloody6", columns([hand] * (EXPLAINED_HANDS_MAX + 1)), explain=True)
    assert (await refused(scoring.BatchScoreWins(many))).field == "hands.tile_counts"


async def test_a_stream_answers_message_for_message_and_keeps_the_ruleset(scoring: Any) -> None:
    hands = hands_of("shanghai", 90)
    messages = [hands[start : start + 30] for start in (0, 30, 60)]

    async def questions() -> AsyncIterator[scoring_pb2.ScoreWinsRequest]:
        for place, some in enumerate(messages):
            request = scoring_pb2.ScoreWinsRequest(hands=columns(some, range(100 * place, 100 * place + 30)))
            if place == 0:
                request.ruleset.variant = "shanghai"
                request.ruleset.stake = 5
            yield request

    answers = [answer async for answer in scoring.ScoreWins(questions())]
    assert [answer.wins.ids[0] for answer in answers] == [0, 100, 200]
    for some, answer in zip(messages, answers, strict=True):
        request = asked("shanghai", columns(some, answer.wins.ids))
        request.ruleset.stake = 5
        assert (await scoring.BatchScoreWins(request)).wins == answer.wins


async def test_a_stream_without_rules_is_refused(scoring: Any) -> None:
    async def questions() -> AsyncIterator[scoring_pb2.ScoreWinsRequest]:
        yield scoring_pb2.ScoreWinsRequest(hands=columns([]))

    call = scoring.ScoreWins(questions())
    refusal = await refused(anext(aiter(call)))
    assert (refusal.reason, refusal.field) == (Reason.RULESET_UNKNOWN, "ruleset.variant")


async def test_an_empty_batch_is_answered_with_nothing(scoring: Any) -> None:
    answer = await scoring.BatchScoreWins(asked("bloody4", columns([])))
    assert answer.wins == columns_pb2.WinColumns()


def _message(hands: list[WinningHand]) -> scoring_pb2.ScoreWinsRequest:
    return scoring_pb2.ScoreWinsRequest(ruleset=scoring_pb2.Ruleset(variant="bloody4"), hands=columns(hands))


async def test_a_service_that_drains_answers_what_was_sent_and_sends_its_streams_elsewhere(keys: Path) -> None:
    """An open stream does not hold up an orderly end."""
    async with serving_scoring(keys, anonymous_allowed=True) as served, connect(served.address) as channel:
        stub: Any = Stub(channel)
        call = stub.ScoreWins()
        await call.write(_message(hands_of("bloody4", 3)))
        assert len((await call.read()).wins.outcomes) == 3
        stopping = asyncio.ensure_future(served.server.stop())
        assert (await refused(call.read())).reason is Reason.SHUTTING_DOWN
        assert await stopping


async def test_a_stream_that_is_old_is_asked_to_come_again(keys: Path) -> None:
    async with (
        serving_scoring(keys, anonymous_allowed=True, stream_max_age_ms=50) as served,
        connect(served.address) as channel,
    ):
        stub: Any = Stub(channel)
        assert (await refused(stub.ScoreWins().read())).reason is Reason.SHUTTING_DOWN
