"""A fault in the rules stops one table, and nothing else (reliability 19)."""

import asyncio

import pytest

from refusals import Reason
from services.table.model import play
from services.table.model.events import CloseCause, Closed
from services.table.model.play import GameAction, GameEvent, GameState
from tests.fakes.clock import FakeClock
from tests.services.table.fakes import OPENING
from tests.services.table.logs import stored
from tests.services.table.rig import (
    Pods,
    RunningPod,
    eventually,
    first_option,
    gathered,
    new_request_id,
    new_table_id,
    playing,
    reason_for,
    to_act,
)


async def test_the_faulty_table_stops_and_the_others_go_on(
    pod: RunningPod, redis_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sick, healthy = await pod.create(new_table_id()), await pod.create(new_table_id())
    players, others = await playing(sick), await playing(healthy)
    sick_deal = pod.component.pod.tables[sick.table_id].current.state.deal
    assert sick_deal is not None
    decide = play.decide

    def faulty(state: GameState, action: GameAction) -> tuple[GameEvent, ...]:
        assert state is not sick_deal.game, "the tile was 5p"
        return decide(state, action)

    monkeypatch.setattr(play, "decide", faulty)
    dealer = await to_act(players)
    assert dealer.prompt is not None
    before = await stored(redis_url, sick.table_id)
    call = dealer.act(dealer.prompt.options[-1].mahjong, dealer.prompt.decision_id)
    assert await reason_for(call) is Reason.TABLE_QUARANTINED
    for player in players:
        await player.ended()
        assert player.events()[-1] == "closed"
        assert player.goodbyes() == ["ENDED"]
    assert await stored(redis_url, sick.table_id) == [*before, Closed(CloseCause.FAULT)], "the log is kept"
    await eventually(lambda: pod.seats.released.get(sick.table_id) == tuple(sick.names))
    assert set(pod.ledger.locked.values()) == {f"{healthy.table_id}.1"}
    assert pod.sample("cardroom_table_quarantines_total") == 1
    assert await reason_for(players[1].snapshot()) is Reason.TABLE_QUARANTINED
    lines = [line for line in capsys.readouterr().out.splitlines() if '"level":"debug"' not in line]
    assert not any("the tile was" in line for line in lines), "no text of the fault above debug (PF-40)"
    other = await to_act(others)
    assert other.prompt is not None
    await other.act(other.prompt.options[-1].mahjong, other.prompt.decision_id)


async def test_a_log_the_rules_fail_on_is_ended_in_order(
    pods: Pods, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rules fail on replay: the table is ended, its stakes and seats are given back."""
    pod = await pods.start("table-0")
    seated = await pod.create(new_table_id())
    await playing(seated)
    await pod.crash()
    assert pods.ledger.locked

    def faulty(state: GameState, event: GameEvent) -> GameState:
        raise ArithmeticError

    monkeypatch.setattr(play, "evolve", faulty)
    again = await pods.start("table-0")
    await eventually(lambda: pods.seats.released.get(seated.table_id) == tuple(seated.names))
    assert (await stored(redis_url, seated.table_id))[-1] == Closed(CloseCause.FAULT)
    assert pods.ledger.locked == {}
    await eventually(lambda: not again.component.pod.tables)


async def test_a_fault_while_showing_stops_the_table_after_what_is_stored(
    pod: RunningPod, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seated = await pod.create(new_table_id())
    players = await playing(seated)
    dealer = await to_act(players)
    assert dealer.prompt is not None

    def faulty(state: GameState, seat: int) -> tuple[object, ...]:
        raise LookupError

    monkeypatch.setattr(play, "offered", faulty)
    request_id, decision = new_request_id(), dealer.prompt.decision_id
    response = await dealer.act(dealer.prompt.options[-1].mahjong, decision, request_id=request_id)
    log = await stored(redis_url, seated.table_id)
    assert len(log) >= response.seq, "what was answered is stored"
    await eventually(lambda: seated.table_id in pod.seats.released)
    assert (await stored(redis_url, seated.table_id))[-1] == Closed(CloseCause.FAULT)


async def test_a_table_without_fault_is_not_quarantined(pod: RunningPod) -> None:
    seated = await pod.create(new_table_id())
    players = await gathered(seated)
    for player in players:
        player.play(first_option)
    for player in players:
        await player.ready()
    for player in players:
        await player.ended()
    assert pod.sample("cardroom_table_quarantines_total") == 0
    assert sum(pod.ledger.balances.values()) == 4 * OPENING


async def test_a_table_that_is_stopped_looks_after_no_clock(pods: Pods, fake_clock: FakeClock) -> None:
    """One that ran out would ring for as long as the table stays for its viewers."""
    pod = await pods.start(clock=fake_clock, pod_lease_ms=3_600_000, linger_ms=3_600_000)
    seated = await pod.create(new_table_id(), turn_limit_ms=5_000)
    players = await playing(seated)
    await to_act(players)
    table = pod.component.pod.tables[seated.table_id]
    table._fault(AssertionError())
    rung, tick = [], table._vigil._on_tick

    def ring() -> None:
        rung.append(fake_clock.now_ms())
        tick()

    table._vigil._on_tick = ring
    for _ in range(60):
        fake_clock.advance(seconds=1)
        await asyncio.sleep(0.001)
    assert len(rung) <= 1, "what was set before may ring once"
    assert table._vigil._next_end_ms() is not None
