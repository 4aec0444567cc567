"""The measurement of moves: what it counts really happened, and which figures it makes of it."""

import re

import orjson
import pytest

from bench.null_unary import Rate
from bench.table_load import Played, TableLoad
from bench.table_moves import NAMES, Pair, rows
from bench.table_pod import TablePod


@pytest.mark.slow
async def test_each_move_counted_is_one_the_pod_has_answered() -> None:
    async with TablePod() as pod, TableLoad(pod.address, pod.keys, tables=3, connections=2) as load:
        first, second = await load.play(0.3), await load.play(0.3)
        acts = [line for line in map(orjson.loads, pod.log_lines()) if line.get("method", "").endswith("/Act")]
    assert min(first.moves, second.moves) > 0
    assert [act["code"] for act in acts] == ["OK"] * (first.moves + second.moves)
    assert first.messages > first.moves


@pytest.mark.slow
async def test_a_pod_that_is_gone_ends_the_measurement_with_the_reason() -> None:
    async with TablePod() as pod, TableLoad(pod.address, pod.keys, tables=1) as load:
        await pod.stop()
        with pytest.raises(AssertionError, match="the players have left"):
            await load.play(0.1)


def test_figures_are_medians_and_the_second_is_by_processor_time() -> None:
    moves = [Rate(900.0, 1_000.0), Rate(100.0, 500.0), Rate(800.0, 2_000.0)]
    calls = [Rate(4_000.0, 5_000.0), Rate(3_000.0, 4_000.0), Rate(1.0, 1.0)]
    by_wall, by_cpu = rows([Pair(mine, null, 4.5) for mine, null in zip(moves, calls, strict=True)])
    assert (by_wall.name, by_cpu.name) == NAMES
    assert (by_wall.value, by_wall.peer_value, by_wall.runs) == (800.0, 3_000.0, 3)
    assert by_cpu.value == pytest.approx(1_000.0)
    assert by_cpu.peer_value == pytest.approx(4_000.0)
    assert re.search(r"1,000 us a move, 250 us a null call", by_cpu.note)
    assert "4.5 messages a move" in by_wall.note


def test_what_a_stretch_of_play_says_survives_its_line() -> None:
    played = Played(moves=12, messages=57, seconds=0.25)
    assert Played.read(played.written()) == played
