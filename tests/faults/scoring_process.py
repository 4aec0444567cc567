"""A scoring service in a process of its own, on loopback."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from clients.cli.scoring_link import serving_port

START_LIMIT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class ScoringProcess:
    """A process that serves at an address."""

    process: asyncio.subprocess.Process
    address: str

    def kill(self) -> None:
        """As a machine that loses its power."""
        self.process.kill()


@asynccontextmanager
async def scoring_process(keys: Path, log: Path, **settings: str) -> AsyncIterator[ScoringProcess]:
    """Start one; settings are environment variables without their prefix, in lower case."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("CARDROOM_")}
    given = {f"CARDROOM_{name.upper()}": value for name, value in settings.items()}
    with log.open("wb") as out:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "services.scoring.main",
            env={
                **known,
                "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
                "CARDROOM_GRPC_PORT": "0",
                "CARDROOM_METRICS_PORT": "0",
                "CARDROOM_JWKS_FILE": str(keys / "jwks.json"),
                **given,
            },
            stdin=asyncio.subprocess.DEVNULL,
            stdout=out,
        )
    try:
        async with asyncio.timeout(START_LIMIT_SECONDS):
            port = await _port(process, log)
        yield ScoringProcess(process, f"127.0.0.1:{port}")
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _port(process: asyncio.subprocess.Process, log: Path) -> int:
    while True:
        for line in lines(log):
            port = serving_port(line)
            if port is not None:
                return port
        assert process.returncode is None, lines(log)
        await asyncio.sleep(0.02)


def lines(log: Path) -> list[bytes]:
    """What a log holds so far, line by line."""
    return log.read_bytes().splitlines(keepends=True)
