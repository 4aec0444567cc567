"""A deal at a table, from the first sign of life to settled money."""

from tests.services.table.fakes import OPENING
from tests.services.table.rig import RunningPod, eventually, first_option, gathered, new_table_id


async def test_four_players_play_a_deal_to_its_settled_end(pod: RunningPod) -> None:
    seated = await pod.create(new_table_id())
    players = await gathered(seated)
    for player in players:
        player.play(first_option)
    for player in players:
        await player.ready()
    for player in players:
        await player.ended()
        assert player.goodbyes() == ["ENDED"]
        assert player.events()[-2:] == ["deal_settled", "closed"]
    assert sum(pod.ledger.balances.values()) == 4 * OPENING
    await eventually(lambda: pod.seats.released.get(seated.table_id) == tuple(seated.names))
