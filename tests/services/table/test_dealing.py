"""What a player finds who comes back between dice and tiles (PF-31)."""

import asyncio

from cardroom.table.v1 import event_pb2

from games.mahjong.state import State
from tests.fakes.clock import FakeClock
from tests.services.table.logs import table_with_settlements
from tests.services.table.rig import LIMIT_S, Player, Pods, first_option, gathered

DEALING_MS = 2_000


async def _ready(players: list[Player]) -> None:
    for player in players:
        await player.ready()
    for player in players:
        await player.until("event", "opened")


async def test_while_tiles_are_dealt_a_snapshot_has_dice_dealer_number_points_and_the_start_in_the_wall_pf_31(
    pods: Pods,
) -> None:
    """In the second deal, so that there are points; on a third device that has seen nothing before."""
    clock = FakeClock()
    pod = await pods.start(clock=clock)
    seated = await pod.create(table_with_settlements(pod, 2), dealing_ms=DEALING_MS, deals_max=2)
    players = await gathered(seated)
    await _ready(players)
    for player in players:
        player.play(first_option)
    await clock.run(ms=DEALING_MS + 20)
    async with asyncio.timeout(LIMIT_S):
        for player in players:
            await player.until("event", "deal_settled")
    settled = (await players[0].snapshot()).snapshot
    await _ready(players)
    shown = (await seated.player(2).snapshot()).snapshot
    deal = pod.component.pod.tables[seated.table_id].current.state.deal
    assert deal is not None
    game = deal.game
    assert isinstance(game, State)
    assert shown.state == event_pb2.TABLE_STATE_DEALING
    assert (shown.deal_number, shown.deal_id) == (2, f"{seated.table_id}.2")
    assert shown.dealer == shown.mahjong.opened.dealer == deal.dealer
    assert list(shown.mahjong.opened.dice) == list(game.dice)
    assert shown.mahjong.opened.wall_start == game.wall_start
    assert not shown.mahjong.opened.wall
    assert [seat.net for seat in shown.seats] == [seat.net for seat in settled.seats]
    assert any(seat.net for seat in shown.seats)
