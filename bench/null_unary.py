"""The peer of every figure that goes through gRPC: calls that do nothing, to the same server factory.

A process of its own serves them, behind the same gate (tokens, roles, deadlines, metrics, one log line a call); another
process makes them. Use:

    async with NullServer() as null:
        rate = await null.load(callers=64, seconds=3)
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import grpc
import grpc.aio
import uvloop
from cardroom.scoring.v1.scoring_pb2 import ScoreWinRequest, ScoreWinResponse
from cardroom.scoring.v1.scoring_pb2_grpc import ScoringServiceStub

from serving.channels import connect
from serving.main import start_server
from serving.runtime import make_runtime
from serving.settings import ServiceSettings
from serving.tokens import ServiceTokens, create_keys

PEER = "null unary calls"
_SERVICE = "cardroom.scoring.v1.ScoringService"
_READY_LIMIT_SECONDS = 20.0


async def _nothing(request: ScoreWinRequest, context: grpc.aio.ServicerContext[Any, Any]) -> ScoreWinResponse:
    return ScoreWinResponse()


class _NullComponent:
    """The insides of a service without insides."""

    def register(self, server: grpc.aio.Server) -> Sequence[str]:
        # A method that exists, so that the gate has a row for it, answered with nothing.
        win = grpc.unary_unary_rpc_method_handler(
            _nothing, ScoreWinRequest.FromString, ScoreWinResponse.SerializeToString
        )
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(_SERVICE, {"ScoreWin": win}),))
        return (_SERVICE,)

    async def start(self) -> None:
        """Nothing to start."""

    async def drain(self) -> None:
        """Nothing to drain."""

    async def stop(self) -> None:
        """Nothing to stop."""


@dataclass(frozen=True, slots=True)
class Rate:
    """What a load brought: calls answered a second, and a second of the server's processor time."""

    per_second: float
    per_cpu_second: float


def cpu_seconds(pid: int) -> float:
    """Processor time a process has used so far, user and system, in seconds."""
    stat = Path(f"/proc/{pid}/stat")
    if stat.exists():
        fields = stat.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    shown = subprocess.run(["ps", "-o", "time=", "-p", str(pid)], capture_output=True, text=True, check=True)
    seconds = 0.0
    for part in shown.stdout.strip().replace("-", ":").split(":"):
        seconds = seconds * 60 + float(part)
    return seconds


class NullServer:
    """A process that serves null calls on loopback, for the length of an `async with`."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._process: asyncio.subprocess.Process | None = None
        self.address = ""

    @property
    def pid(self) -> int:
        """Process id of the server."""
        assert self._process is not None
        return self._process.pid

    async def __aenter__(self) -> Self:
        create_keys(Path(self._folder.name))
        self._process = await self._run("serve", stdin=subprocess.PIPE)
        assert self._process.stdout is not None
        async with asyncio.timeout(_READY_LIMIT_SECONDS):
            self.address = (await self._process.stdout.readline()).decode().strip()
        assert self.address, "the null server did not start"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()
        self._folder.cleanup()

    async def load(self, callers: int = 64, seconds: float = 3.0) -> Rate:
        """Calls made without pause by so many callers, from a process of their own."""
        before = cpu_seconds(self.pid)
        loading = await self._run(
            "load", "--address", self.address, "--callers", str(callers), "--seconds", str(seconds)
        )
        out, _ = await loading.communicate()
        assert loading.returncode == 0, "the load did not run"
        count, took = out.decode().split()
        return Rate(int(count) / float(took), int(count) / max(cpu_seconds(self.pid) - before, 0.01))

    async def _run(self, *arguments: str, stdin: int = subprocess.DEVNULL) -> asyncio.subprocess.Process:
        command = [sys.executable, "-m", "bench.null_unary", *arguments, "--keys", self._folder.name]
        log = Path(self._folder.name) / f"{arguments[0]}.log"
        with log.open("ab") as errors:
            return await asyncio.create_subprocess_exec(*command, stdin=stdin, stdout=subprocess.PIPE, stderr=errors)


async def _serve(keys: Path) -> None:
    """Serves until standard input closes; says host:port in one line. The log goes where a service's goes."""
    settings = ServiceSettings(jwks_file=keys / "jwks.json", service_key_file=keys / "service.pem")
    answers = os.dup(1)
    with (keys / "calls.log").open("ab") as log:
        os.dup2(log.fileno(), 1)
    server = await start_server("null", settings, _NullComponent(), make_runtime("null", settings))
    os.write(answers, f"127.0.0.1:{server.port}\n".encode())
    os.close(answers)
    await asyncio.to_thread(sys.stdin.read)
    await server.stop()


async def _load(keys: Path, address: str, callers: int, seconds: float) -> None:
    """Prints how many calls were answered, and in how many seconds."""
    tokens = ServiceTokens(keys / "service.pem", "scoring-caller", "bench")
    async with connect(address, token=tokens) as channel:
        stub = ScoringServiceStub(channel)
        request = ScoreWinRequest()
        await stub.ScoreWin(request)
        began = time.perf_counter()
        ends = began + seconds

        async def call() -> int:
            count = 0
            while time.perf_counter() < ends:
                await stub.ScoreWin(request)
                count += 1
            return count

        count = sum(await asyncio.gather(*(call() for _ in range(callers))))
        print(count, time.perf_counter() - began, flush=True)


def main() -> None:
    """Entry of the two processes."""
    parser = argparse.ArgumentParser(prog="bench.null_unary")
    parser.add_argument("what", choices=("serve", "load"))
    parser.add_argument("--keys", type=Path, required=True)
    parser.add_argument("--address", default="")
    parser.add_argument("--callers", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=3.0)
    given = parser.parse_args()
    running = (
        _serve(given.keys) if given.what == "serve" else _load(given.keys, given.address, given.callers, given.seconds)
    )
    uvloop.run(running)


if __name__ == "__main__":
    main()
