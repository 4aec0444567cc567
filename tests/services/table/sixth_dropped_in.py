"""Run by `tests/contract/test_drop_in.py` where a sixth variant lies on the import path: a table, the scoring API."""

from pathlib import Path

from cardroom.scoring.v1 import scoring_pb2

from services.matchmaker.app.rooms import parse_room
from tests.services.scoring.rig import running_scoring
from tests.services.table.rig import Pods, first_option, gathered, new_table_id


async def test_a_table_plays_a_deal_of_it(pods: Pods) -> None:
    room = parse_room(
        "sixth-1",
        {
            "name": "第六种",
            "variant": "sixth",
            "asset": "coins",
            "stake": 1,
            "least_balance": 1,
            "options": {"pungs_pay": 2},
        },
    )
    pod = await pods.start()
    seated = await pod.create(new_table_id(), variant=room.variant, room_id=room.room_id)
    players = await gathered(seated)
    for player in players:
        player.play(first_option)
        await player.ready()
    for player in players:
        await player.ended()


async def test_the_scoring_service_describes_it(keys: Path) -> None:
    async with running_scoring(keys) as stub:
        said = await stub.GetRuleset(scoring_pb2.GetRulesetRequest(variant="sixth"))
    assert (said.name_zh, said.seat_count, said.hand_size) == ("第六种", 4, 7)
    assert [option.name for option in said.options] == ["pungs_pay"]
    assert [fan.fan_id for fan in said.fans] == ["all_pungs"]
