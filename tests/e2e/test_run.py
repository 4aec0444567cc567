"""`make run`, `make stop`: whole runs by their printed lines, exit status and what they leave behind."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

from deploy.local.state import StateDirectory, birth_of
from games.catalog import variants
from tests.e2e.conftest import ROOT, Run, Start

ONE_GAME = ("--variant", "bloody4")
RUNS_MAX = 5


def nothing_runs(state: Path) -> bool:
    directory = StateDirectory(state)
    recorded = [record.name for record in directory.records() if record.alive]
    return not recorded and not processes_of(state) and not directory.endpoints.exists()


def processes_of(state: Path) -> list[int]:
    """Processes that live in a state directory or were given it, recorded or not; where the system lets us look."""
    mark = str(state)
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            told = [os.readlink(process / "cwd"), (process / "environ").read_bytes().decode(errors="replace")]
        except OSError:
            continue  # it ended meanwhile, or is another user's
        if any(mark in text for text in told):
            found.append(int(process.name))
    return found


def pid_of(state: Path, name: str) -> int:
    return next(record.pid for record in StateDirectory(state).records() if record.name == name)


def money(run: Run, when: str) -> str:
    return run.wait_for(when).removeprefix(when).strip()


def make_stop(state: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "deploy.local.stop"],
        cwd=ROOT,
        env={**os.environ, "CARDROOM_STATE_DIRECTORY": str(state)},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout.strip()


def test_once_plays_a_deal_from_the_queue_to_settled_money_and_ends_with_0(start: Start) -> None:
    run = start("--once")
    status, errors = run.end()
    assert (status, errors) == (0, ""), run.text
    for text in ("ready after", "deal 1: dealer", "settled: balances", "table dissolved", "all worth the same there"):
        run.wait_for(text)
    for variant in variants():
        run.wait_for(f"{variant}: all is well")
    for asset in ("points", "coins"):
        assert run.wait_for(f"books of {asset}").endswith(": right")
    run.wait_for("what each folded from its events equals a snapshot")
    assert nothing_runs(run.state)


def test_once_ends_with_1_when_the_demonstration_fails(start: Start) -> None:
    run = start("--once", *ONE_GAME, environment={"CARDROOM_DEMONSTRATION_LIMIT_SECONDS": "0.05"})
    assert run.end()[0] == 1, run.text
    run.wait_for("WRONG not finished after 0.05 s")
    run.wait_for("bloody4: something is wrong")
    assert nothing_runs(run.state)


def test_a_game_that_is_not_there_is_told_with_those_that_are(start: Start) -> None:
    run = start("--once", "--variant", "mahjong")
    status, errors = run.end()
    assert_refused(run, status, errors, "no variant 'mahjong'; there are bloody4, ")


def test_a_second_run_keeps_the_money_and_fresh_forgets_it(start: Start) -> None:
    first = start("--once", *ONE_GAME)
    assert first.end()[0] == 0, first.text
    second = start("--once", *ONE_GAME)
    assert second.end()[0] == 0, second.text
    assert (
        second.wait_for("before: ").partition(": ")[2].strip() == first.wait_for("after: ").partition(": ")[2].strip()
    )
    third = start("--once", *ONE_GAME, "--fresh")
    assert third.end()[0] == 0, third.text
    assert money(third, "before: ") == money(first, "before: ")


def test_ctrl_c_drains_and_ends_with_0(start: Start) -> None:
    run = start(*ONE_GAME)
    run.wait_for("serving until Ctrl-C")
    addresses = json.loads(StateDirectory(run.state).endpoints.read_text())
    assert {"matchmaker", "table", "scoring", "ledger"} <= set(addresses)
    run.interrupt()
    status, errors = run.end()
    assert (status, errors) == (0, ""), run.text
    assert run.lines[-1] == "stopped"
    assert nothing_runs(run.state)


def test_ctrl_c_while_starting_leaves_nothing(start: Start) -> None:
    run = start()
    run.wait_for("redis: ")  # the stores run, the services are about to
    run.interrupt()
    assert run.end()[0] == 0, run.text
    assert "ready after" not in run.text
    assert nothing_runs(run.state)


def test_a_deal_running_at_ctrl_c_goes_on_at_the_next_start(start: Start, tmp_path: Path) -> None:
    """A deal that is settled before it is interrupted proves nothing: then there is a further one."""
    for number in range(RUNS_MAX):
        first = start(*ONE_GAME, state=tmp_path / f"state-{number}")
        first.wait_for("  seat 3 ")  # the hands are dealt
        first.interrupt()
        assert first.end()[0] == 0, first.text
        if "settled: balances" not in first.text:
            break
    second = start("--once", *ONE_GAME, state=first.state)
    status, _ = second.end()
    assert status == 0, second.text
    second.wait_for("deal 1 goes on where it was left")
    second.wait_for("settled: balances")


def test_a_second_run_beside_a_running_one_is_refused(start: Start, tmp_path: Path) -> None:
    first = start()
    first.wait_for("ready after")
    status, errors = start().end()
    assert status == 2
    assert "cardroom runs already" in errors
    assert "make stop" in errors
    port = str(json.loads(StateDirectory(first.state).endpoints.read_text())["table"].partition(":")[2])
    elsewhere = start(state=tmp_path / "other", environment={"CARDROOM_TABLE_PORT": port})
    status, errors = elsewhere.end()
    assert status == 2
    assert f"port {port} for table" in errors
    assert "CARDROOM_TABLE_PORT" in errors
    assert first.process.poll() is None
    assert make_stop(first.state) == "stopped"
    assert first.end()[0] == 0
    assert nothing_runs(first.state)


def test_a_busy_port_ends_with_2_and_leaves_nothing(start: Start) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        run = start(environment={"CARDROOM_LEDGER_PORT": str(busy.getsockname()[1])})
        status, errors = run.end()
    assert_refused(run, status, errors, "CARDROOM_LEDGER_PORT")


def test_an_unreachable_redis_ends_with_2_and_leaves_nothing(start: Start) -> None:
    run = start(environment={"CARDROOM_REDIS_URL": "redis://127.0.0.1:1"})
    status, errors = run.end()
    assert_refused(run, status, errors, "redis://127.0.0.1:1")


def test_a_ledger_redis_without_fsync_always_is_refused(start: Start, redis_url: str) -> None:
    run = start(environment={"CARDROOM_LEDGER_REDIS_URL": redis_url})
    status, errors = run.end()
    assert_refused(run, status, errors, "appendfsync everysec")
    assert "CONFIG SET appendfsync always" in errors


def test_given_stores_are_used_and_one_game_is_shown_where_one_is_named(
    start: Start, redis_url: str, ledger_redis_url: str
) -> None:
    run = start(
        "--once",
        *ONE_GAME,
        environment={"CARDROOM_REDIS_URL": redis_url, "CARDROOM_LEDGER_REDIS_URL": ledger_redis_url},
    )
    status, errors = run.end()
    assert (status, errors) == (0, ""), run.text
    assert run.text.count("the one given, version ") == 2
    assert [line for line in run.lines if line.endswith("all is well")] == ["--- bloody4: all is well"]
    kept = {path.name for path in (run.state / "data").iterdir()}
    assert kept <= {"ledger-archive", "table-archive"}, "only archives: no store of its own"


def test_a_setting_that_cannot_be_is_named(start: Start) -> None:
    run = start(environment={"CARDROOM_PORT_BASE": "many"})
    status, errors = run.end()
    assert_refused(run, status, errors, "CARDROOM_PORT_BASE")


def test_a_service_that_dies_is_started_again(start: Start) -> None:
    run = start(*ONE_GAME)
    run.wait_for("serving until Ctrl-C")
    former = pid_of(run.state, "scoring")
    os.kill(former, signal.SIGKILL)
    run.wait_for("scoring ended; starting it again")
    run.wait_for("scoring runs again")
    assert pid_of(run.state, "scoring") != former
    run.interrupt()
    assert run.end()[0] == 0, run.text


def test_stop_ends_what_a_killed_run_left(start: Start) -> None:
    run = start()
    run.wait_for("ready after")
    pids = [record.pid for record in StateDirectory(run.state).records() if record.name != "run"]
    assert len(pids) == 6
    run.process.kill()
    run.end()
    assert all(birth_of(pid) for pid in pids)
    assert make_stop(run.state).startswith("ended what a killed run had left: ")
    assert not any(birth_of(pid) for pid in pids)
    assert make_stop(run.state) == "nothing runs here"


def assert_refused(run: Run, status: int, errors: str, text: str) -> None:
    assert status == 2, run.text
    assert errors.startswith("cardroom: ")
    assert errors.count("\n") == 1, errors
    assert text in errors
    assert nothing_runs(run.state)
