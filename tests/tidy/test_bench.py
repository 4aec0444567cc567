"""The bench's frame: what it finds, how it compares, what it writes."""

import json
from pathlib import Path

import pytest

import bench.__main__ as frame
from bench.row import Row, interleaved


def test_every_measurement_announces_rows_of_its_own() -> None:
    names = [name for each in frame.measurements() for name in each.names]
    assert "start_s" in names
    assert len(names) == len(set(names))


def test_an_unknown_name_is_refused_with_the_names_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert frame.main(["--only", "speed_of_light"]) == 2
    assert "start_s" in capsys.readouterr().err


async def test_ours_and_the_peer_take_turns_and_medians_are_compared() -> None:
    order = []
    figures = {"ours": iter((1.0, 9.0, 2.0)), "peer": iter((4.0, 4.0, 100.0))}

    async def take(who: str) -> float:
        order.append(who)
        return next(figures[who])

    assert await interleaved(lambda: take("ours"), lambda: take("peer"), runs=3) == (2.0, 4.0)
    assert order == ["ours", "peer"] * 3


def test_results_are_rows_and_a_single_measurement_keeps_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frame, "RESULTS", tmp_path / "results.json")
    frame.write_results([Row("a_s", 2.0, "s"), Row("b", 3.0, "moves/s", "null", 12.0)], keep_others=False)
    frame.write_results([Row("a_s", 1.0, "s", runs=7, note="quick")], keep_others=True)
    a, b = json.loads(frame.RESULTS.read_text())
    assert a == {
        "name": "a_s",
        "value": 1.0,
        "unit": "s",
        "peer": None,
        "peer_value": None,
        "ratio": None,
        "runs": 7,
        "note": "quick",
    }
    assert (b["name"], b["ratio"]) == ("b", 0.25)


def test_the_table_has_a_line_a_row() -> None:
    header, line = frame.table([Row("b", 3456.0, "moves/s", "null calls", 12000.0, note="stored")]).splitlines()
    assert header.split()[:3] == ["name", "value", "unit"]
    assert line.split() == ["b", "3,456", "moves/s", "null", "calls", "12,000", "0.288", "5", "stored"]
