"""The way every service's process starts, reports and stops."""

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import uvloop
from prometheus_client import GC_COLLECTOR, PLATFORM_COLLECTOR, PROCESS_COLLECTOR, start_http_server
from pydantic import ValidationError

from serving.component import Component
from serving.errors import StartError
from serving.logs import take_over_libraries
from serving.runtime import Runtime, make_runtime
from serving.server import RELEASE_LIMIT_SECONDS, RunningServer, start_server
from serving.settings import ServiceSettings, misspelt

__all__ = ["RunningServer", "StartError", "serve", "start_server"]

Build = Callable[[Runtime], Awaitable[Component]]

SAME_KEYPRESS_S = 0.5
"""A signal that comes so soon after the first is an echo of it."""

EXIT_LIMIT_SECONDS = 5.0
"""Longest a process goes on after it has let go of everything."""

_STARTED, _CUT_OFF, _NOT_STARTED = 0, 1, 2


def serve(service: str, settings: ServiceSettings | type[ServiceSettings], build: Build) -> int:
    """Run a service until SIGTERM or SIGINT; returns the process's exit status.

    Args:
        service: short name, e.g. ``ledger``.
        settings: the settings, or their class: then a bad environment variable, too, is told in one line.
        build: makes the component from the runtime.
    Returns: 0 after an orderly end, also of a start; 1 if something had to be cut off (a second signal,
        ``drain_limit_ms`` passed, a thread that does not end);
        2 if it did not start, after one line on standard error that says what to do.
    """
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")  # it would write on standard error whenever a peer leaves
    try:
        known = settings() if isinstance(settings, type) else settings
        return uvloop.run(_run(service, known, build))
    except StartError as error:
        return _not_started(service, str(error))
    except ValidationError as error:
        return _not_started(service, _bad_settings(error))
    except KeyboardInterrupt:
        return _CUT_OFF


async def _run(service: str, settings: ServiceSettings, build: Build) -> int:
    runtime = make_runtime(service, settings)
    take_over_libraries(runtime.log)
    for given, meant in misspelt(type(settings), os.environ).items():
        runtime.log.warning("setting_unknown", given=given, meant=meant)
    signals = _Signals()
    _serve_metrics(runtime)
    server = await _started_unless(signals.first, _start(service, settings, runtime, build))
    if server is None:
        runtime.log.info("stopped", orderly=True)
        _end_in_time(_STARTED)
        return _STARTED
    await signals.first.wait()
    runtime.log.info("draining")
    stopping, impatient = asyncio.create_task(server.stop()), asyncio.create_task(signals.second.wait())
    await asyncio.wait([stopping, impatient], return_when=asyncio.FIRST_COMPLETED)
    impatient.cancel()
    orderly = stopping.done() and stopping.result()
    if not stopping.done():
        stopping.cancel()
        await server.kill()
    runtime.log.info("stopped", orderly=orderly)
    _end_in_time(_CUT_OFF)
    return _STARTED if orderly else _CUT_OFF


async def _start(service: str, settings: ServiceSettings, runtime: Runtime, build: Build) -> RunningServer:
    return await start_server(service, settings, await build(runtime), runtime)


async def _started_unless(told: asyncio.Event, start: Coroutine[Any, Any, RunningServer]) -> RunningServer | None:
    """The server; None if the process was told to end before it took calls. A start may wait for its store long."""
    starting, ending = asyncio.create_task(start), asyncio.create_task(told.wait())
    await asyncio.wait([starting, ending], return_when=asyncio.FIRST_COMPLETED)
    ending.cancel()
    if starting.done():
        return starting.result()
    starting.cancel()
    await asyncio.wait([starting], timeout=RELEASE_LIMIT_SECONDS)
    return None if starting.cancelled() or not starting.done() else starting.result()


def _end_in_time(status: int) -> None:
    """End the process with this status if it has not ended by itself: a thread may wait for a volume that is away."""
    last = threading.Timer(EXIT_LIMIT_SECONDS, os._exit, [status])
    last.daemon = True
    last.start()


class _Signals:
    """SIGTERM and SIGINT as events.

    Ctrl-C reaches a whole group of processes and their parent passes it on: signals right after the first are the same.
    """

    def __init__(self) -> None:
        self.first = asyncio.Event()
        self.second = asyncio.Event()
        self._first_at = 0.0
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._received)

    def _received(self) -> None:
        if not self.first.is_set():
            self._first_at = time.monotonic()
            self.first.set()
        elif time.monotonic() - self._first_at > SAME_KEYPRESS_S:
            self.second.set()


def _serve_metrics(runtime: Runtime) -> None:
    settings, registry = runtime.settings, runtime.metrics.registry
    if settings.metrics_port == 0:
        return
    for collector in (PROCESS_COLLECTOR, PLATFORM_COLLECTOR, GC_COLLECTOR):
        registry.register(collector)
    try:
        start_http_server(settings.metrics_port, settings.grpc_host, registry)
    except OSError as error:
        raise StartError(
            f"port {settings.metrics_port} on {settings.grpc_host} is taken; stop what listens there or set "
            f"CARDROOM_METRICS_PORT (0 for none)"
        ) from error


def _bad_settings(error: ValidationError) -> str:
    faults = (f"CARDROOM_{'_'.join(map(str, row['loc'])).upper()}: {row['msg']}" for row in error.errors())
    return "; ".join(faults)


def _not_started(service: str, text: str) -> int:
    sys.stderr.write(f"cardroom {service}: {text}\n")
    return _NOT_STARTED
