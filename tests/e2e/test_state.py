"""The state directory of `make run`: held by one run, and it knows its own processes from others with the same id."""

import json
import os
import random
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.local import ports
from deploy.local.leftovers import end_leftovers
from deploy.local.ports import claim_ports, free_port, given_out
from deploy.local.settings import LocalSettings
from deploy.local.state import StateDirectory, birth_of
from serving.errors import StartError
from tests.e2e.conftest import ROOT

pytestmark = pytest.mark.fast


def sleeper() -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])


def test_a_directory_in_use_is_refused(tmp_path: Path) -> None:
    first, second = StateDirectory(tmp_path / "s"), StateDirectory(tmp_path / "s")
    with first.held(), pytest.raises(StartError, match="make stop"), second.held():
        pass
    with second.held():
        assert second.records() == []


def test_a_directory_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StartError, match="CARDROOM_STATE_DIRECTORY"), StateDirectory(tmp_path / "file" / "s").held():
        pass


def test_forgetting_leaves_nothing_but_the_lock(tmp_path: Path) -> None:
    state = StateDirectory(tmp_path / "s")
    with state.held():
        state.data("redis").mkdir()
        state.keys.mkdir()
        state.write_endpoints({})
        state.forget()
        assert sorted(path.name for path in state.path.iterdir()) == ["data", "lock", "logs", "pids"]
        assert not list((state.path / "data").iterdir())


def test_a_process_is_known_by_its_birth() -> None:
    process = sleeper()
    try:
        assert birth_of(process.pid)
        assert birth_of(process.pid) == birth_of(process.pid)
        assert birth_of(process.pid) != birth_of(os.getpid())
    finally:
        process.kill()
    process.wait()
    assert birth_of(process.pid) == ""


def test_a_process_that_ended_before_it_was_recorded_is_not_alive(tmp_path: Path) -> None:
    state = StateDirectory(tmp_path / "s")
    process = sleeper()
    process.kill()
    process.wait()
    with state.held():
        state.record("table", process.pid)
        assert [record.alive for record in state.records()] == [False]


async def test_leftovers_of_ours_are_ended_and_others_left_alone(tmp_path: Path) -> None:
    state = StateDirectory(tmp_path / "s")
    ours, others = sleeper(), sleeper()
    try:
        with state.held():
            state.record("table", ours.pid)
            state.record("ledger", others.pid)
            earlier = {"pid": others.pid, "birth": "of an earlier process with the same id"}
            (state.path / "pids" / "ledger.json").write_text(json.dumps(earlier))
            assert await end_leftovers(state) == ["table"]
            assert state.records() == []
        assert others.poll() is None
        assert ours.wait(5) != 0
    finally:
        for process in (ours, others):
            process.kill()
            process.wait()


def test_a_busy_port_is_named_with_what_moves_it() -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        with pytest.raises(StartError, match=rf"port {port} for table metrics .*CARDROOM_TABLE_METRICS_PORT"):
            claim_ports({"table metrics": port})


def test_free_ports_differ_from_each_other_and_from_those_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where chance names the same port again and again."""
    choose, drawn = random.choice, [free_port()]

    def twice(ports: range) -> int:
        drawn.append(drawn[-1] if len(drawn) % 2 else choose(ports))
        return drawn[-1]

    monkeypatch.setattr(random, "choice", twice)
    one = drawn[0]
    claimed = claim_ports({"a": 0, "b": 0, "c": one})
    assert claimed["c"] == one
    assert len(set(claimed.values())) == 3
    assert set(claimed.values()) <= set(drawn)


NAMES_A_PORT = "from deploy.local.ports import free_port; print(free_port(), flush=True); input()"


def test_a_free_port_is_named_to_nobody_else_while_he_lives_who_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether he has bound it or not: what is started in between, side by side, takes it from nobody."""
    choose = random.choice
    with subprocess.Popen(
        [sys.executable, "-c", NAMES_A_PORT], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        named = int(other.stdout.readline())
        draws = iter([named, named])
        monkeypatch.setattr(random, "choice", lambda ports: next(draws, None) or choose(ports))
        mine = {free_port(), *claim_ports({"a": 0}).values()}
        assert named not in mine
        assert len(mine) == 2
        other.communicate("\n")
    monkeypatch.setattr(random, "choice", lambda ports: named)
    assert free_port() == named


def test_a_port_wanted_twice_is_named() -> None:
    port = free_port()
    with pytest.raises(StartError, match=rf"port {port} for b .*twice.*CARDROOM_B_PORT"):
        claim_ports({"a": port, "b": port})


def test_a_free_port_is_none_that_the_system_gives_to_whoever_asks_for_any() -> None:
    """A process that is started, or started again, on it still finds it free."""
    first, last = given_out()
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        assert first <= any_port.getsockname()[1] <= last
    assert not any(first <= port <= last for port in claim_ports(dict.fromkeys("abcdefgh", 0)).values())


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((32_768, 60_999), range(15_000, 32_768)),
        ((1_024, 60_999), range(61_000, 65_536)),
        ((15_500, 60_000), range(60_001, 65_536)),
        ((1_024, 65_535), range(0)),
    ],
    ids=["below", "above", "little room below", "no room"],
)
def test_free_ports_lie_where_the_system_leaves_room(
    monkeypatch: pytest.MonkeyPatch, given: tuple[int, int], expected: range
) -> None:
    monkeypatch.setattr(ports, "given_out", lambda: given)
    assert ports.ports_of_nobody() == expected
    assert free_port() in (expected or range(1, 65_536))


def test_ports_follow_the_base_unless_set() -> None:
    chosen = LocalSettings(port_base=8100, ledger_port=9000, table_metrics_port=0).ports()
    assert (chosen["matchmaker"], chosen["table"], chosen["scoring"], chosen["ledger"]) == (8101, 8102, 8103, 9000)
    assert (chosen["matchmaker metrics"], chosen["table metrics"]) == (10101, 0)
    standard = LocalSettings().ports()
    assert [standard[name] for name in ("matchmaker", "ledger", "matchmaker metrics", "ledger metrics")] == [
        7101,
        7104,
        9101,
        9104,
    ]
