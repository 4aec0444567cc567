"""Turns of 听用斗地主 that run out, over sockets on a clock the test moves (PF-21, TY-11).

Bidding passes, but calls where the rules oblige; leading plays the lowest single; following passes.
"""

import pytest
from cardroom.table.v1 import table_pb2

from games.landlord.cards import BLACK_JOKER, RED_JOKER, WILD
from tests.fakes.clock import FakeClock
from tests.services.table.arranged import cards, deals
from tests.services.table.landlord_deals import ROOM
from tests.services.table.rig import Player, Pods, action_of, new_table_id, playing, to_act
from tests.services.table.test_clocks import stands_still

TURN_MS = 20_000
PLAIN = tuple(range(1, 49, 3))
"""Sixteen cards that oblige nobody to call: one 2, no joker, no wild card."""


async def _runs_out(clock: FakeClock, players: list[Player], seat: int, kind: str) -> list[table_pb2.WatchResponse]:
    """Nothing happens before the limit of this seat's turn, and then this. Returns: what each player is told."""
    asked = await to_act(players)
    assert asked.seat == seat
    assert asked.prompt is not None
    assert asked.prompt.remaining_ms == TURN_MS
    before = asked.last_seq
    clock.advance(ms=TURN_MS - 20)
    await stands_still(players)
    clock.advance(ms=40)
    told = [await player.until("event", kind) for player in players]
    assert all(message.seq > before for message in told)
    assert [getattr(message.event.landlord, kind).seat for message in told] == [seat] * len(players)
    return told


async def _passes(players: list[Player], seat: int) -> None:
    """The seat passes itself."""
    asked = await to_act(players)
    assert asked.seat == seat
    assert asked.prompt is not None
    passing = next(
        action for option in asked.prompt.options if (action := action_of(option)).WhichOneof("kind") == "pass_turn"
    )
    await asked.act(passing, asked.prompt.decision_id)
    for player in players:
        await player.until("event", "passed")


async def test_turns_that_run_out_in_every_part_of_a_deal_pf_21(
    pods: Pods, fake_clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    deals(monkeypatch, cards(PLAIN, (BLACK_JOKER, RED_JOKER), ()))
    pod = await pods.start(clock=fake_clock, pod_lease_ms=3_600_000)
    seated = await pod.create(new_table_id(), turn_limit_ms=TURN_MS, **ROOM)
    players = await playing(seated)

    await _runs_out(fake_clock, players, 0, "passed")
    told = await _runs_out(fake_clock, players, 1, "called")
    assert [len(message.event.landlord.called.bottom.cards) for message in told] == [0, 3, 0], "TY-13"
    assert not told[1].event.landlord.called.blind

    await _passes(players, 2)
    await _passes(players, 0)
    taken = [await player.until("event", "bottom_taken") for player in players]
    assert WILD in taken[0].event.landlord.bottom_taken.cards

    led = await _runs_out(fake_clock, players, 1, "played")
    assert [list(message.event.landlord.played.cards) for message in led] == [[WILD]] * 3, "the lowest (TY-2)"
    await _runs_out(fake_clock, players, 2, "passed")
    assert pod.sample("cardroom_table_timeouts_total", clock="turn") == 4
