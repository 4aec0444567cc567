"""A deal at a table, from the first sign of life to settled money."""

import asyncio

from tests.services.table.fakes import OPENING
from tests.services.table.rig import RunningPod, eventually, gathered, new_table_id


async def test_four_players_play_a_deal_to_its_settled_end(pod: RunningPod) -> None:
    seated = await pod.create(new_table_id())
    players = await gathered(seated)
    for player in players:
        await player.ready()
    await asyncio.gather(*(player.play() for player in players))
    for player in players:
        assert player.goodbyes() == ["ENDED"]
        assert player.events()[-2:] == ["deal_settled", "closed"]
    assert sum(pod.ledger.balances.values()) == 4 * OPENING
    await eventually(lambda: pod.seats.released.get(seated.table_id) == tuple(seated.names))
