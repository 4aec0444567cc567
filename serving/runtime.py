"""What a component gets from the process around it."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

import structlog.typing

from serving.logs import make_log
from serving.metrics import Metrics
from serving.settings import ServiceSettings


class Clock(Protocol):
    """Time, so that tests can hold it."""

    def now_ms(self) -> int:
        """Wall time in ms since 1970; may jump."""
        ...

    def monotonic_ms(self) -> int:
        """A clock that never goes back, in ms, from an arbitrary start; deadlines are kept on it."""
        ...

    async def sleep_ms(self, ms: int) -> None:
        """Return after so many ms of the monotonic clock; at once (but after other tasks) for 0 or less."""
        ...


class SystemClock:
    """The machine's clocks."""

    def now_ms(self) -> int:
        """Wall time in ms since 1970."""
        return time.time_ns() // 1_000_000

    def monotonic_ms(self) -> int:
        """The machine's monotonic clock in ms."""
        return time.monotonic_ns() // 1_000_000

    async def sleep_ms(self, ms: int) -> None:
        """Sleep so many ms."""
        await asyncio.sleep(max(ms, 0) / 1000)


async def _unheard(serving: bool) -> None:
    """Without a server nobody asks for health."""


@dataclass(slots=True)
class Runtime:
    """Settings, log, metrics and clock of one service; ``port`` is its gRPC port once it is bound, before that 0.

    ``set_serving`` turns health to SERVING or NOT_SERVING while the server runs; calls still arrive.
    """

    settings: ServiceSettings
    log: structlog.typing.FilteringBoundLogger
    metrics: Metrics
    clock: Clock
    port: int = 0
    set_serving: Callable[[bool], Awaitable[None]] = _unheard

    def stream_deadline(self) -> int:
        """When a stream that begins now says Goodbye(RECONNECT), in ms of the monotonic clock.

        A stream that goes on ten seconds longer is cut off.
        """
        return self.clock.monotonic_ms() + self.settings.stream_max_age_ms


def make_runtime(service: str, settings: ServiceSettings, *, clock: Clock | None = None) -> Runtime:
    """A runtime for a service by its short name; the log carries the name in every line."""
    return Runtime(settings, make_log(service, settings.log_level), Metrics(), clock or SystemClock())
