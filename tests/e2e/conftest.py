"""Whole runs on this machine: real stores, real processes, free ports, a state directory of their own."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIMIT_SECONDS = 180.0
"""Far above any run; a run that takes longer hangs."""


class Run:
    """`python -m deploy.local.run` as a person sees it: its lines, its end."""

    def __init__(self, state: Path, *flags: str, environment: Mapping[str, str] | None = None) -> None:
        self.state = state
        own = {name: value for name, value in os.environ.items() if not name.startswith("CARDROOM_")}
        own |= {"CARDROOM_STATE_DIRECTORY": str(state), "CARDROOM_PORT_BASE": "0", **(environment or {})}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "deploy.local.run", *flags],
            cwd=ROOT,
            env=own,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.lines: list[str] = []
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._news:
                self.lines.append(line.rstrip("\n"))
                self._news.notify_all()

    def wait_for(self, text: str) -> str:
        """The first line that contains the text. Fails if the run ends, or takes too long, without one."""

        def found() -> str | None:
            return next((line for line in self.lines if text in line), None)

        with self._news:
            self._news.wait_for(lambda: found() or not self._reader.is_alive(), LIMIT_SECONDS)
        line = found()
        assert line is not None, f"no line with {text!r} in:\n{self.text}"
        return line

    def interrupt(self) -> None:
        """What Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)

    def end(self) -> tuple[int, str]:
        """Wait for the end. Returns: status, and what it wrote to standard error."""
        status = self.process.wait(LIMIT_SECONDS)
        self._reader.join()
        assert self.process.stderr is not None
        return status, self.process.stderr.read()

    @property
    def text(self) -> str:
        """Everything printed so far."""
        return "\n".join(self.lines)


Start = Callable[..., Run]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts runs in the test's own state directory; whatever still runs at the end of the test is stopped."""
    runs: list[Run] = []

    def begin(*flags: str, state: Path | None = None, environment: Mapping[str, str] | None = None) -> Run:
        runs.append(Run(state or tmp_path / "state", *flags, environment=environment))
        return runs[-1]

    yield begin
    for run in runs:
        if run.process.poll() is None:
            run.process.terminate()
            run.end()
        for stream in (run.process.stdout, run.process.stderr):
            if stream is not None:
                stream.close()
