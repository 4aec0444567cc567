"""The state directory of `make run`: what lies where, who holds it, which processes are ours."""

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from serving.errors import StartError

DEFAULT_DIRECTORY = Path(".cardroom")
RUNNER = "run"
"""Name of the record of `make run` itself."""


@dataclass(frozen=True, slots=True)
class ProcessRecord:
    """One process that was started here.

    Attributes:
        name: such as "table"; `RUNNER` for the one that started the others.
        pid: its process id.
        birth: when the system says it was started; tells it from a later process with the same id.
    """

    name: str
    pid: int
    birth: str

    @property
    def alive(self) -> bool:
        """Whether that very process still runs."""
        return bool(self.birth) and birth_of(self.pid) == self.birth


class StateDirectory:
    """`.cardroom/`: data/ of the stores, keys/, logs/, pids/, endpoints.json; kept between runs."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()

    @property
    def keys(self) -> Path:
        """jwks.json and the private keys."""
        return self.path / "keys"

    @property
    def endpoints(self) -> Path:
        """Addresses of what runs, for other tools; there only while it runs."""
        return self.path / "endpoints.json"

    def data(self, store: str) -> Path:
        """Directory of a store's files."""
        return self.path / "data" / store

    def log(self, name: str) -> Path:
        """Where a process writes."""
        return self.path / "logs" / f"{name}.log"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the directory for the length of a run; the system lets go of it even after a kill.

        Raises: StartError: another run holds it, or it cannot be written.
        """
        try:
            for each in (self.path, self.path / "data", self.path / "logs", self.path / "pids"):
                each.mkdir(parents=True, exist_ok=True)
            lock = (self.path / "lock").open("w")
        except OSError as error:
            raise StartError(
                f"cannot write to {self.path} ({error.strerror}); set CARDROOM_STATE_DIRECTORY to a directory you own"
            ) from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise StartError(
                    f"cardroom runs already with {self.path}; stop it with `make stop`, or set "
                    "CARDROOM_STATE_DIRECTORY and CARDROOM_PORT_BASE for a second one"
                ) from None
            yield

    def forget(self) -> None:
        """Empty the directory (FRESH=1); it must be held."""
        for entry in self.path.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry)
            elif entry.name != "lock":
                entry.unlink()
        for name in ("data", "logs", "pids"):
            (self.path / name).mkdir()

    def record(self, name: str, pid: int) -> None:
        """Remember a process that was started."""
        text = json.dumps({"pid": pid, "birth": birth_of(pid)})
        (self.path / "pids" / f"{name}.json").write_text(text)

    def record_self(self, name: str) -> None:
        """Remember this process."""
        self.record(name, os.getpid())

    def strike(self, name: str) -> None:
        """Forget a process that ended."""
        (self.path / "pids" / f"{name}.json").unlink(missing_ok=True)

    def records(self) -> list[ProcessRecord]:
        """Every process recorded, alive or not; what cannot be read is left out."""
        return [record for file in sorted((self.path / "pids").glob("*.json")) if (record := _read(file)) is not None]

    def write_endpoints(self, endpoints: dict[str, Any]) -> None:
        """Publish the addresses, whole or not at all: other tools wait for the file."""
        draft = self.endpoints.with_suffix(".draft")
        draft.write_text(json.dumps(endpoints, indent=2) + "\n")
        draft.replace(self.endpoints)


def _read(file: Path) -> ProcessRecord | None:
    try:
        row = json.loads(file.read_text())
        return ProcessRecord(file.stem, int(row["pid"]), str(row["birth"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def birth_of(pid: int) -> str:
    """When a process was started, as the system tells it; empty if there is no such process (or a dead one)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return "" if fields[0] in "ZX" else f"tick {fields[19]}"
    except (FileNotFoundError, ProcessLookupError):
        if os.path.isdir("/proc/self"):
            return ""
    done = subprocess.run(["ps", "-o", "state=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    status, _, started = done.stdout.strip().partition(" ")
    return "" if not started or status.startswith("Z") else started.strip()
