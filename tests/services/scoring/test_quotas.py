"""Keys have quotas: what is too much is refused with the time after which it fits, and counted."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from cardroom.scoring.v1 import columns_pb2, scoring_pb2

from refusals import Reason
from services.scoring.app.quotas import BUCKET_COUNT_MAX, Quotas
from services.scoring.edge.callers import LEAST_BURST, Cost
from serving.channels import connect
from tests.conftest import Mint
from tests.fakes.clock import FakeClock
from tests.services.scoring.columns import columns
from tests.services.scoring.rig import Stub, refused, serving_scoring
from tests.services.scoring.test_batches import hands_of

RULES = scoring_pb2.Ruleset(variant="bloody6")


def given(token: str) -> Callable[[], str]:
    """What a channel sends as its token."""
    return lambda: token


def stub_of(channel: Any) -> Any:
    """The service behind a channel."""
    return Stub(channel)


def batch(count: int) -> scoring_pb2.BatchScoreWinsRequest:
    (hand,) = hands_of("bloody6", 1)
    return scoring_pb2.BatchScoreWinsRequest(ruleset=RULES, hands=columns([hand] * count))


async def test_a_key_gets_what_its_quota_allows_and_again_when_the_time_has_passed(
    keys: Path, mint: Mint, fake_clock: FakeClock
) -> None:
    token = mint("scoring-caller", "team-a", hands_per_second=100)
    async with serving_scoring(keys, fake_clock, quota_burst_seconds=1) as served:
        async with connect(served.address, token=given(token)) as channel:
            stub = stub_of(channel)
            await stub.BatchScoreWins(batch(LEAST_BURST))
            refusal = await refused(stub.BatchScoreWins(batch(100)))
            assert refusal.reason is Reason.QUOTA_EXCEEDED
            assert refusal.metadata == {"hands_per_second": "100", "cost_hands": "100"}
            assert refusal.retry_after_ms == 1_001
            fake_clock.advance(ms=refusal.retry_after_ms)
            await stub.BatchScoreWins(batch(100))
            assert (await refused(stub.BatchScoreWins(batch(100)))).reason is Reason.QUOTA_EXCEEDED
        count = served.runtime.metrics.registry.get_sample_value(
            "cardroom_scoring_quota_refusals_total", {"role": "scoring-caller"}
        )
        assert count == 2


async def test_one_keys_quota_is_not_anothers_and_services_of_the_platform_have_none(
    keys: Path, mint: Mint, fake_clock: FakeClock
) -> None:
    callers = {name: mint("scoring-caller", name) for name in ("team-a", "team-b")}
    callers["table"] = mint("table", "table-0")
    async with serving_scoring(keys, fake_clock, quota_hands_per_second=1, quota_burst_seconds=1) as served:
        for token in callers.values():
            async with connect(served.address, token=given(token)) as channel:
                await stub_of(channel).BatchScoreWins(batch(LEAST_BURST))
        async with connect(served.address, token=given(callers["table"])) as channel:
            await stub_of(channel).BatchScoreWins(batch(LEAST_BURST))
        async with connect(served.address, token=given(callers["team-b"])) as channel:
            assert (await refused(stub_of(channel).BatchScoreWins(batch(1)))).reason is Reason.QUOTA_EXCEEDED


async def test_callers_without_a_token_share_a_quota_and_are_let_in_by_a_setting_alone(
    keys: Path, fake_clock: FakeClock
) -> None:
    async with serving_scoring(keys, fake_clock) as served, connect(served.address) as channel:
        assert (await refused(stub_of(channel).BatchScoreWins(batch(1)))).reason is Reason.TOKEN_MISSING
    async with serving_scoring(keys, fake_clock, anonymous_allowed=True, anonymous_hands_per_second=1) as served:
        for _ in range(LEAST_BURST // Cost.RECORD):
            async with connect(served.address) as channel:
                await stub_of(channel).BatchScoreWins(batch(Cost.RECORD))
        async with connect(served.address) as channel:
            refusal = await refused(stub_of(channel).ListRulesets(scoring_pb2.ListRulesetsRequest()))
        assert refusal.reason is Reason.QUOTA_EXCEEDED


def test_buckets_are_bounded_however_many_keys_come() -> None:
    now_ms = 0
    quotas = Quotas(lambda: now_ms, burst_seconds=1, least_burst=1)
    for number in range(2 * BUCKET_COUNT_MAX):
        quotas.take(f"key {number}", 1, 1)
    assert quotas.key_count == BUCKET_COUNT_MAX


def test_every_question_can_be_asked_by_a_key_of_the_least_quota() -> None:
    assert max(Cost) <= LEAST_BURST


async def test_a_batch_that_is_refused_unscored_costs_what_reading_it_costs(
    keys: Path, mint: Mint, fake_clock: FakeClock
) -> None:
    """No call is free, or a key could ask for ever; none costs more than a full quota holds, or it were never told."""
    token = mint("scoring-caller", "team-a", hands_per_second=1)
    costs = {
        "no hands, and the tiles of a thousand": (
            scoring_pb2.BatchScoreWinsRequest(hands=columns_pb2.HandColumns(tiles=[9] * 60_000)),
            512,
        ),
        "no hands": (scoring_pb2.BatchScoreWinsRequest(), 1),
        "more hands than are explained": (
            scoring_pb2.BatchScoreWinsRequest(hands=columns_pb2.HandColumns(tile_counts=[0] * 512), explain=True),
            512,
        ),
    }
    async with (
        serving_scoring(keys, fake_clock, quota_burst_seconds=1) as served,
        connect(served.address, token=given(token)) as channel,
    ):
        for asked, cost in costs.values():
            asked.ruleset.CopyFrom(RULES)
            fake_clock.advance(seconds=LEAST_BURST)
            if cost == 1:
                await stub_of(channel).BatchScoreWins(asked)
            else:
                refusal = await refused(stub_of(channel).BatchScoreWins(asked))
                assert refusal.reason is Reason.INVALID_FIELD
            refusal = await refused(stub_of(channel).BatchScoreWins(batch(LEAST_BURST)))
            assert refusal.reason is Reason.QUOTA_EXCEEDED
            assert refusal.retry_after_ms == cost * 1_000 + 1
