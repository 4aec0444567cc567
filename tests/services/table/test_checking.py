"""Wins and deals are compared with scoring before their money moves; scoring away changes nothing but a count."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from cardroom.scoring.v1 import scoring_pb2
from redis.asyncio import Redis

from deploy.local.ports import free_port
from services.scoring.edge.servicer import ScoringServicer
from services.table.model.events import CloseCause, Closed, PaymentsMade
from tests.services.scoring.rig import serving_scoring
from tests.services.table.fakes import OPENING
from tests.services.table.logs import stored, table_with_settlements
from tests.services.table.rig import (
    Player,
    Pods,
    RunningPod,
    Seated,
    eventually,
    first_option,
    gathered,
    new_table_id,
    playing,
)

CHECKS = "cardroom_table_checks_total"
UNCHECKED = "{tables}:unchecked"


async def played(seated: Seated) -> list[Player]:
    """The deal, by first options, until the table is dissolved."""
    players = await gathered(seated)
    for player in players:
        player.play(first_option)
    for player in players:
        await player.ready()
    for player in players:
        await player.ended()
    return players


@asynccontextmanager
async def listening() -> AsyncIterator[str]:
    """An address that takes connections and never says a word."""

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


def free_address() -> str:
    return f"127.0.0.1:{free_port()}"


@pytest.mark.parametrize("variant", ["bloody4", "bloody6", "shanghai", "dazhong"])
async def test_scoring_finds_what_tables_settle(pods: Pods, keys: Path, variant: str) -> None:
    async with serving_scoring(keys) as scoring:
        pod = await pods.start(scoring_address=scoring.address, scoring_patience_ms=20_000)
        seated = [await pod.create(new_table_id(), variant=variant, least_balance=1) for _ in range(3)]
        for table in seated:
            players = await played(table)
            assert players[0].events()[-2:] == ["deal_settled", "closed"]
    assert pod.sample(CHECKS, outcome="same") >= len(seated)
    assert [pod.sample(CHECKS, outcome=outcome) for outcome in ("differs", "unchecked")] == [0, 0]


@pytest.mark.parametrize("method", ["ScoreWin", "SettleDeal"])
async def test_a_difference_quarantines_the_table_and_nothing_of_it_is_settled(
    pods: Pods, keys: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """A scoring service with other rules: the table ends visibly, stakes are given back, the others go on."""
    right = getattr(ScoringServicer, method)

    async def wrong(self: ScoringServicer, request: Any, context: Any) -> Any:
        answer = await right(self, request, context)
        if isinstance(answer, scoring_pb2.ScoreWinResponse):
            answer.win.amount += 1
        elif answer.payments:
            answer.payments[0].asked += 1
        else:
            answer.payments.add(payer_seat=0, payee_seat=1, asked=1, cause="win")
        return answer

    monkeypatch.setattr(ScoringServicer, method, wrong)
    async with serving_scoring(keys) as scoring:
        pod = await pods.start(scoring_address=scoring.address, scoring_patience_ms=20_000)
        table_id = table_with_settlements(pod, 1, wins=1)
        for player in await played(await pod.create(table_id)):
            assert player.events()[-1] == "closed"
    log = await stored(redis_url, table_id)
    assert log[-1] == Closed(CloseCause.SCORING)
    if method == "ScoreWin":
        assert not any(isinstance(event, PaymentsMade) for event in log)
        assert all(balance == OPENING for balance in pod.ledger.balances.values())
    assert pod.sample("cardroom_table_quarantines_total") == 1
    assert pod.sample(CHECKS, outcome="differs") == 1
    await eventually(lambda: table_id in pod.seats.released)
    assert not pod.ledger.locked


async def kept(redis_url: str) -> int:
    redis = Redis.from_url(redis_url)
    try:
        return int(await redis.hlen(UNCHECKED))
    finally:
        await redis.aclose()


async def test_with_scoring_away_play_goes_on_and_the_deal_is_checked_later(
    pods: Pods, keys: Path, redis_url: str
) -> None:
    address = free_address()
    pod = await pods.start(scoring_address=address, scoring_pause_ms=0, check_later_ms=100)
    players = await played(await pod.create(new_table_id()))
    assert players[0].events()[-2:] == ["deal_settled", "closed"]
    assert pod.sample(CHECKS, outcome="unchecked") >= 1
    assert pod.sample(CHECKS, outcome="same") == 0
    assert await kept(redis_url) == 1
    async with serving_scoring(keys, port=int(address.rpartition(":")[2])):
        await eventually(lambda: pod.sample(CHECKS, outcome="late_same") == 1)
        await eventually(lambda: pod.sample(CHECKS, outcome="late_differs") == 0)
    async with asyncio.timeout(60):
        while await kept(redis_url):  # noqa: ASYNC110  the store rings no event here
            await asyncio.sleep(0.01)


async def test_a_table_whose_settled_deal_turns_out_wrong_is_set_aside(
    pods: Pods, keys: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was left unchecked differs when scoring is back: the table plays no further deal by such rules."""
    right = ScoringServicer.SettleDeal

    async def wrong(self: ScoringServicer, request: Any, context: Any) -> Any:
        answer = await right(self, request, context)
        answer.payments.add(payer_seat=0, payee_seat=1, asked=1, cause="win")
        return answer

    monkeypatch.setattr(ScoringServicer, "SettleDeal", wrong)
    address = free_address()
    pod = await pods.start(scoring_address=address, scoring_pause_ms=0, check_later_ms=100)
    seated = await pod.create(new_table_id(), deals_max=2)
    players = await gathered(seated)
    for player in players:
        player.play(first_option)
    for player in players:
        await player.ready()
    for player in players:
        await player.until("event", "deal_settled")
    async with serving_scoring(keys, port=int(address.rpartition(":")[2])):
        for player in players:
            await asyncio.wait_for(player.ended(), 60)
    assert (await stored(redis_url, seated.table_id))[-1] == Closed(CloseCause.SCORING)
    assert pod.sample(CHECKS, outcome="late_differs") == 1


async def test_a_scoring_service_that_hangs_costs_a_deal_its_bounded_patience(pods: Pods) -> None:
    """It takes the call and says nothing; every comparison is given up after its patience, once in a pause."""
    async with listening() as address:
        pod = await pods.start(scoring_address=address, scoring_patience_ms=50, scoring_pause_ms=600_000)
        seated: list[Seated] = [await pod.create(new_table_id()) for _ in range(2)]
        for table in seated:
            players = await played(table)
            assert players[0].events()[-2:] == ["deal_settled", "closed"]
    assert pod.sample(CHECKS, outcome="unchecked") >= 2


async def test_a_new_owner_compares_what_its_predecessor_had_not_settled(
    pods: Pods, keys: Path, redis_url: str
) -> None:
    """The record is in the log: the pod that takes a table over asks about the same win."""
    async with serving_scoring(keys) as scoring:
        first: RunningPod = await pods.start("table-0", scoring_address=scoring.address, scoring_patience_ms=20_000)
        table_id = table_with_settlements(first, 1, wins=1)
        seated = await first.create(table_id)
        players = await playing(seated)
        pods.ledger.away = True
        for player in players:
            player.play(first_option)
            player.open(after_seq=0)
        table = first.component.pod.tables[table_id]
        await eventually(lambda: bool(table.current.state.dues))
        await first.crash()
        second = await pods.start("table-0", scoring_address=scoring.address, scoring_patience_ms=20_000)
        pods.ledger.away = False
        await second.owns(seated)
        again = seated.players(second)
        for player in again:
            player.play(first_option)
            player.open()
        for player in again:
            await player.ended()
    assert again[0].events()[-1] == "closed"
    assert second.sample(CHECKS, outcome="same") >= 2
    assert second.sample(CHECKS, outcome="differs") == 0
