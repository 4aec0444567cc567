"""How long `make run` takes from a bare checkout, and from one that is prepared, until everything is healthy."""

import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from bench.row import RUNS, Row

NAMES = ("start_s", "start_again_s")

_ROOT = Path(__file__).resolve().parents[1]
_READY_LIMIT_SECONDS = 300.0
_END_LIMIT_SECONDS = 60.0
_POLL_SECONDS = 0.02


def measure() -> list[Row]:
    """Medians over fresh copies of the tree; packages come from pip's cache after the first."""
    bare, again = [], []
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as folder:
            checkout = copy_of_tree(Path(folder) / "checkout")
            bare.append(seconds_to_ready(checkout))
            again.append(seconds_to_ready(checkout))
    return [
        Row("start_s", statistics.median(bare), "s", note="make run in a bare checkout to all healthy; asked: <= 60"),
        Row("start_again_s", statistics.median(again), "s", note="the same in a prepared one, state kept"),
    ]


def copy_of_tree(goal: Path) -> Path:
    """Copies what git would check out, and what is not yet committed; nothing that is made."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        source = _ROOT / name
        if source.is_file():
            (goal / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, goal / name)
    return goal


def seconds_to_ready(checkout: Path) -> float:
    """Starts `make run` on free ports, waits until it says where its services are, stops it.

    Raises: AssertionError: it ended, or was not ready in time.
    """
    environment = {**os.environ, "CARDROOM_PORT_BASE": "0"}
    ready = checkout / ".cardroom" / "endpoints.json"
    began = time.perf_counter()
    running = subprocess.Popen(
        ["make", "run"],
        cwd=checkout,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        while not ready.exists():
            assert running.poll() is None, "make run ended before it was ready"
            assert time.perf_counter() - began < _READY_LIMIT_SECONDS, "make run did not become ready"
            time.sleep(_POLL_SECONDS)
        return time.perf_counter() - began
    finally:
        stop(running)


def stop(running: "subprocess.Popen[bytes]") -> None:
    """Ends `make run` and all it started, as Ctrl-C does; by force if it takes too long."""
    if running.poll() is None:
        os.killpg(running.pid, signal.SIGINT)
    try:
        running.wait(_END_LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
