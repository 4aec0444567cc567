"""One service as a process on this machine."""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from deploy.local.state import StateDirectory
from serving.errors import StartError

ROOT = Path(__file__).resolve().parents[2]
ASK_EVERY_SECONDS = 0.05
HEALTH_TIMEOUT_SECONDS = 1.0

EAGER = (
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 200),
    ("grpc.use_local_subchannel_pool", 1),
)
"""Of a channel to a process that may be about to start: tried often, with no pause of another channel to wait for."""


class ServiceProcess:
    """A service: started, asked for its health, ended politely or not."""

    def __init__(self, name: str, address: str, environment: Mapping[str, str], state: StateDirectory) -> None:
        """Args:
        name: of the service; its module is `services.<name>.main`.
        address: host:port it will serve on.
        environment: its settings, beside what this process has.
        state: where it writes its log and is recorded.
        """
        self.name = name
        self.address = address
        self._environment = {**os.environ, **environment}
        self._state = state
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int:
        """Process id; 0 if it does not run."""
        return self._process.pid if self._process is not None and self._process.returncode is None else 0

    async def start(self) -> None:
        """Start it; returns before it is healthy."""
        assert not self.pid, f"{self.name} runs already"
        with self._state.log(self.name).open("ab") as log, self._errors.open("wb") as errors:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                f"services.{self.name}.main",
                cwd=ROOT,
                env=self._environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=errors,
                start_new_session=True,  # a Ctrl-C in the terminal is ours to pass on, in order
            )
        self._state.record(self.name, self._process.pid)

    async def healthy(self, limit_seconds: float) -> None:
        """Wait until it says that it serves.

        Raises: StartError: it ended, or did not become healthy within the limit.
        """
        assert self._process is not None
        waiting = asyncio.create_task(self._serving())
        ending = asyncio.create_task(self._process.wait())
        try:
            await asyncio.wait({waiting, ending}, timeout=limit_seconds, return_when=asyncio.FIRST_COMPLETED)
            if ending.done():
                raise StartError(f"{self.name} did not start: {self._last_words()}")
            if not waiting.done():
                raise StartError(
                    f"{self.name} is not healthy after {limit_seconds:g} s; its log: {self._state.log(self.name)}"
                )
            waiting.result()
        finally:
            for task in (waiting, ending):
                task.cancel()
            await asyncio.gather(waiting, ending, return_exceptions=True)

    async def ended(self) -> int:
        """Wait for its end. Returns its status; -n when signal n ended it."""
        assert self._process is not None
        return await self._process.wait()

    async def terminate(self, limit_seconds: float) -> int | None:
        """Ask it to drain and end.

        Returns: its status; None if it had to be killed after the limit.
        """
        if self._process is None:
            return 0
        self.signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(limit_seconds):
                status: int | None = await self._process.wait()
        except TimeoutError:
            await self.kill()
            status = None
        self._state.strike(self.name)
        return status

    async def kill(self) -> None:
        """End it at once, without a chance to say anything (SIGKILL)."""
        self.signal(signal.SIGKILL)
        if self._process is not None:
            await self._process.wait()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal; nothing happens if it does not run."""
        if self.pid and self._process is not None:
            self._process.send_signal(number)

    @property
    def _errors(self) -> Path:
        return self._state.log(self.name).with_suffix(".err")

    def _last_words(self) -> str:
        lines = [line for line in self._errors.read_text(errors="replace").splitlines() if line.strip()]
        status = self._process.returncode if self._process is not None else None
        return lines[-1] if lines else f"it ended with status {status}; its log: {self._state.log(self.name)}"

    async def _serving(self) -> None:
        request = health_pb2.HealthCheckRequest()
        async with grpc.aio.insecure_channel(self.address, options=EAGER) as channel:
            health = health_pb2_grpc.HealthStub(channel)
            while True:
                try:
                    answer = await health.Check(request, timeout=HEALTH_TIMEOUT_SECONDS)
                    if answer.status == health_pb2.HealthCheckResponse.SERVING:
                        return
                except grpc.aio.AioRpcError as error:
                    if error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
                        raise StartError(f"{self.name} does not tell its health: {error.code().name}") from None
                await asyncio.sleep(ASK_EVERY_SECONDS)
