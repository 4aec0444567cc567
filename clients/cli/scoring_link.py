"""A scoring service of one's own: started on loopback when it is first asked, ended with the command."""

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

import grpc.aio
import orjson
from cardroom.scoring.v1 import scoring_pb2_grpc

from clients.cli.faults import CommandError
from serving.channels import connect
from serving.tokens import create_keys

HOST = "127.0.0.1"
START_LIMIT_SECONDS = 60.0
STOP_LIMIT_SECONDS = 10.0
LOOK_EVERY_SECONDS = 0.02
DEADLINE_MS = 20_000


class ScoringLink:
    """The public scoring API, answered by a process of this command's own.

    async with ScoringLink() as link:
        stub = await link.stub()

    Nothing is started before the first `stub()`. The process has keys of its own, takes anonymous callers, listens
    on loopback only, and ends with the block.
    """

    def __init__(self) -> None:
        self._directory = TemporaryDirectory(prefix="cardroom-scoring-", ignore_cleanup_errors=True)
        self._process: asyncio.subprocess.Process | None = None
        self._channel: grpc.aio.Channel | None = None
        self._stub: scoring_pb2_grpc.ScoringServiceAsyncStub | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        try:
            if self._channel is not None:
                await self._channel.close()
            await self._end_process()
        finally:
            self._directory.cleanup()

    async def stub(self) -> "scoring_pb2_grpc.ScoringServiceAsyncStub":
        """The service, started if need be.

        Raises: CommandError: it does not start; one line that says why.
        """
        if self._stub is None:
            port = await self._start()
            self._channel = connect(f"{HOST}:{port}", deadline_ms=DEADLINE_MS)
            self._stub = scoring_pb2_grpc.ScoringServiceStub(self._channel)
        return self._stub

    @property
    def _log(self) -> Path:
        return Path(self._directory.name) / "scoring.log"

    @property
    def _errors(self) -> Path:
        return Path(self._directory.name) / "scoring.err"

    async def _start(self) -> int:
        """Start the process; returns its port."""
        keys = Path(self._directory.name) / "keys"
        create_keys(keys)
        with self._log.open("wb") as log, self._errors.open("wb") as errors:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",
                "-m",
                "services.scoring.main",
                env=_environment(keys),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=errors,
            )
        try:
            async with asyncio.timeout(START_LIMIT_SECONDS):
                return await self._port(self._process)
        except TimeoutError:
            raise CommandError(f"the scoring service does not start within {START_LIMIT_SECONDS:g} s") from None

    async def _port(self, process: asyncio.subprocess.Process) -> int:
        """Wait for the log line that says where it serves."""
        while True:
            ended = process.returncode is not None
            for line in self._log.read_bytes().splitlines(keepends=True):
                port = serving_port(line)
                if port is not None:
                    return port
            if ended:
                raise CommandError(f"the scoring service does not start: {self._last_words()}")
            await asyncio.sleep(LOOK_EVERY_SECONDS)

    def _last_words(self) -> str:
        lines = [line for line in self._errors.read_text(errors="replace").splitlines() if line.strip()]
        return lines[-1] if lines else "it says nothing"

    async def _end_process(self) -> None:
        process = self._process
        if process is None or process.returncode is not None:
            return
        with _gone_is_fine():
            process.terminate()
        try:
            async with asyncio.timeout(STOP_LIMIT_SECONDS):
                await process.wait()
        except TimeoutError:
            with _gone_is_fine():
                process.kill()
            await process.wait()


@contextmanager
def _gone_is_fine() -> Iterator[None]:
    try:
        yield
    except ProcessLookupError:
        return


def serving_port(line: bytes) -> int | None:
    """The port a log line tells, if it is the one that says that the service serves."""
    if not line.endswith(b"\n"):
        return None
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return row["port"] if isinstance(row, dict) and row.get("event") == "serving" else None


def _environment(keys: Path) -> dict[str, str]:
    """What this process has, but none of its settings of cardroom: those of a running one are not ours."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CARDROOM_")}
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "CARDROOM_GRPC_HOST": HOST,
        "CARDROOM_GRPC_PORT": "0",
        "CARDROOM_METRICS_PORT": "0",
        "CARDROOM_LOG_LEVEL": "info",
        "CARDROOM_ANONYMOUS_ALLOWED": "true",
        "CARDROOM_ANONYMOUS_HANDS_PER_SECOND": "0",
        "CARDROOM_JWKS_FILE": str(keys / "jwks.json"),
        "CARDROOM_SERVICE_KEY_FILE": str(keys / "service.pem"),
    }
