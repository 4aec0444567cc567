"""The way every service's process starts, reports and stops."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable

import uvloop
from prometheus_client import GC_COLLECTOR, PLATFORM_COLLECTOR, PROCESS_COLLECTOR, start_http_server
from pydantic import ValidationError

from serving.component import Component
from serving.errors import StartError
from serving.logs import take_over_libraries
from serving.runtime import Runtime, make_runtime
from serving.server import RunningServer, start_server
from serving.settings import ServiceSettings, misspelt

__all__ = ["RunningServer", "StartError", "serve", "start_server"]

Build = Callable[[Runtime], Awaitable[Component]]

SAME_KEYPRESS_S = 0.5
"""A signal that comes so soon after the first is an echo of it."""

_STARTED, _CUT_OFF, _NOT_STARTED = 0, 1, 2


def serve(service: str, settings: ServiceSettings | type[ServiceSettings], build: Build) -> int:
    """Run a service until SIGTERM or SIGINT; returns the process's exit status.

    Args:
        service: short name, e.g. ``ledger``.
        settings: the settings, or their class: then a bad environment variable, too, is told in one line.
        build: makes the component from the runtime.
    Returns: 0 after an orderly end; 1 if calls had to be cut off (a second signal, or ``drain_limit_ms`` passed);
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
    component = await build(runtime)
    server = await start_server(service, settings, component, runtime)
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
    return _STARTED if orderly else _CUT_OFF


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
