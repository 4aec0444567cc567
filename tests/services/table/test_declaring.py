"""The question who declares a ready hand has a clock of its own (BB-18, PF-20)."""

import pytest

from games.mahjong.claims import hand_waits
from games.mahjong.state import State
from tests.fakes.clock import FakeClock
from tests.services.table.logs import first_deal, table_where
from tests.services.table.rig import Pods, playing, to_act
from tests.services.table.test_clocks import stands_still


def ready_seats(state: State) -> list[int]:
    """Who is asked whether he declares."""
    return [seat for seat in state.seats if seat != state.dealer and hand_waits(state, seat)]


@pytest.mark.parametrize(("set_to", "limit_ms"), [(0, 30_000), (12_000, 12_000)])
async def test_who_is_ready_is_asked_for_thirty_seconds_bb_18(
    pods: Pods, fake_clock: FakeClock, set_to: int, limit_ms: int
) -> None:
    """Not for as long as a claim; 30 s where the room says nothing else. Silence is a no."""
    pod = await pods.start(clock=fake_clock)
    table_id = table_where(pod, lambda state: bool(ready_seats(state)), variant="bloody6")
    (seat, *_) = ready_seats(first_deal(pod, table_id, variant="bloody6"))
    seated = await pod.create(table_id, variant="bloody6", claim_limit_ms=10_000, declare_limit_ms=set_to)
    players = await playing(seated)
    asked = await to_act(players)
    assert asked.prompt is not None
    assert asked.prompt.remaining_ms == limit_ms
    assert {option.WhichOneof("action") for option in asked.prompt.options} >= {"mahjong"}
    fake_clock.advance(ms=limit_ms - 100)
    await stands_still(players)
    fake_clock.advance(ms=200)
    message = await players[seat].until("event", "declared")
    assert list(message.event.mahjong.declared.seats) == []
    dealer = await to_act(players)
    assert dealer.seat == 0
    assert dealer.prompt is not None
    assert dealer.prompt.remaining_ms == 20_000
