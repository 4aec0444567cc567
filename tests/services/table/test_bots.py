"""Bots at a table: ready at once, through the mailbox, on no more than their own view, whoever owns it (PF-10)."""

import asyncio
from collections import deque
from typing import Any

import pytest

from games.kernel import Seat
from games.mahjong.state import State
from games.mahjong.tiles import HIDDEN
from refusals import Reason, Refusal
from services.table.app import bots as bots_module
from services.table.app.current import Current
from services.table.app.mailbox import Letter
from services.table.app.requests import Requests
from services.table.model.events import Ready
from tests.fakes.clock import FakeClock
from tests.services.table.fakes import OPENING
from tests.services.table.logs import folded, stored
from tests.services.table.rig import (
    Player,
    Pods,
    RunningPod,
    Seated,
    eventually,
    first_option,
    new_table_id,
)

THREE = dict.fromkeys((1, 2, 3), "sensible")
POD = "table-0"


async def alone(seated: Seated, *, plays: bool = True) -> Player:
    """The person at seat 0, ready."""
    player = seated.player(0)
    player.play(first_option if plays else None)
    player.open()
    await player.until("snapshot")
    await player.ready()
    return player


@pytest.mark.parametrize("policy", ["sensible", "uniform"])
async def test_one_person_and_three_bots_play_a_deal_to_settled_money_pf_10(pod: RunningPod, policy: str) -> None:
    seated = await pod.create(new_table_id(), bots=dict.fromkeys((1, 2, 3), policy))
    player = await alone(seated)
    await player.ended()
    assert player.events()[-2:] == ["deal_settled", "closed"]
    assert sum(pod.ledger.balances.values()) == 4 * OPENING
    await eventually(lambda: seated.table_id in pod.seats.released)


async def test_a_bot_that_is_refused_asks_again_in_his_own_time_whatever_the_others_do_row_10(
    pods: Pods, fake_clock: FakeClock, redis_url: str
) -> None:
    """The table has its bots look after every turn, those that only refused one of them included."""
    pod = await pods.start(clock=fake_clock, pod_lease_ms=3_600_000)
    seated = await pod.create(new_table_id(), bots=THREE)
    state = folded(seated.table_id, (await stored(redis_url, seated.table_id))[:1])
    refused: list[Letter] = []

    def refuse(letter: Letter) -> None:
        refused.append(letter)
        letter.refuse(Refusal(Reason.OVERLOADED))

    outside = pod.component.pod.tables[seated.table_id]._outside
    bots = bots_module.Bots(outside, Current(1, state, (), Requests(), deque(), {}), refuse)
    for tried in range(1, 4):
        for _ in range(20):
            bots.look()
            await asyncio.sleep(0.001)
        assert len(refused) == len(THREE) * tried
        fake_clock.advance(ms=bots_module.RETRY_MS)
        await eventually(lambda tried=tried: len(refused) > len(THREE) * tried)  # type: ignore[misc]
    bots.stop()


async def test_bots_are_ready_at_once_pf_12(pod: RunningPod) -> None:
    """Nobody else has shown a sign of life; the person finds them ready."""
    seated = await pod.create(new_table_id(), bots=THREE)
    table = pod.component.pod.tables[seated.table_id]
    await eventually(lambda: sum(row is not None for row in table.current.state.ready) == 3)
    player = seated.player(0)
    player.open()
    shown = (await player.until("snapshot")).snapshot
    assert [seat.ready for seat in shown.seats] == [False, True, True, True]


async def test_bots_play_on_deal_after_deal_pf_12(pod: RunningPod) -> None:
    seated = await pod.create(new_table_id(), bots=THREE, deals_max=2)
    player = await alone(seated)
    await player.until("event", "deal_settled")
    await player.ready()
    await player.until("event", "deal_settled")
    await player.ended()


async def test_a_policy_is_shown_its_own_view_and_nothing_else_pf_40(
    pod: RunningPod, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[tuple[State, Seat]] = []
    sensible = bots_module.SENSIBLE["mahjong"]

    def spying(view: State, seat: Seat, options: tuple[Any, ...]) -> Any:
        shown.append((view, seat))
        return sensible(view, seat, options)

    monkeypatch.setattr(bots_module, "SENSIBLE", {"mahjong": spying})
    player = await alone(await pod.create(new_table_id(), bots=THREE))
    await player.ended()
    assert {seat for _, seat in shown} == {1, 2, 3}
    for view, seat in shown:
        assert HIDDEN not in view.hands[seat]
        assert all(
            set(hand) <= {HIDDEN} for other, hand in enumerate(view.hands) if other not in (seat, *winners(view))
        )
        assert set(view.wall) <= {HIDDEN}


def winners(view: State) -> set[Seat]:
    """Seats whose hand a win has laid open."""
    return {winner.seat for won in view.wins for winner in won.winners}


async def test_a_new_owner_has_the_same_bots_pf_10(pods: Pods) -> None:
    """Kill -9 in mid-deal: the pod that takes the table over plays them on, from the log alone."""
    first = await pods.start(POD)
    seated = await first.create(new_table_id(), bots=THREE)
    player = await alone(seated, plays=False)
    await eventually(lambda: player.prompt is not None and not player.prompt.standing)
    await first.crash()
    second = await pods.start(POD)
    await second.owns(seated)
    again = seated.player(0, second)
    again.play(first_option)
    again.open()
    await again.ended()
    assert again.events()[-2:] == ["deal_settled", "closed"]
    log = await stored(second.settings.redis_url, seated.table_id)
    assert sum(isinstance(event, Ready) for event in log) == 4
    assert sum(pods.ledger.balances.values()) == 4 * OPENING


async def test_a_bot_takes_its_time_but_never_half_of_the_clock(pods: Pods) -> None:
    clock = FakeClock()
    pod = await pods.start(clock=clock, bot_delay_min_ms=400, bot_delay_max_ms=1_200)
    pod.entropy.floor_ms = 900
    seated = await pod.create(new_table_id(), bots=dict.fromkeys(range(4), "sensible"), turn_limit_ms=5_000)
    table = pod.component.pod.tables[seated.table_id]
    await eventually(lambda: table.current.state.rest == "turn")
    turn = table.current.state.seq
    await clock.run(ms=880)
    await asyncio.sleep(0.05)  # whatever was sent has been answered by then
    assert table.current.state.seq == turn
    await clock.run(ms=100)
    await eventually(lambda: table.current.state.seq > turn)


async def test_a_policy_that_fails_loses_its_turn_to_the_clock_pf_21(
    pods: Pods, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(view: State, seat: Seat, options: tuple[Any, ...]) -> Any:
        raise RuntimeError("no idea")

    monkeypatch.setattr(bots_module, "SENSIBLE", {"mahjong": failing})
    pod = await pods.start()
    player = await alone(await pod.create(new_table_id(), bots=THREE, turn_limit_ms=60, claim_limit_ms=60))
    await player.ended()
    assert player.events()[-2:] == ["deal_settled", "closed"]
