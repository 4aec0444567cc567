"""A gRPC server around a component: the gate, health, reflection, an orderly end."""

import asyncio
import socket
from collections.abc import Sequence
from functools import partial

import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from serving.auth import Authenticator
from serving.component import Component
from serving.errors import StartError
from serving.gate import Gate
from serving.runtime import Runtime
from serving.settings import ServiceSettings
from serving.tokens import Verifier

_SERVING = health_pb2.HealthCheckResponse.SERVING
_NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
ALIVE = "alive"
"""Name in the health service that says only that the process takes calls: no store's outage turns it. For liveness
probes; readiness asks for the whole server, the empty name."""
_WHOLE_SERVER = ""
RELEASE_LIMIT_SECONDS = 5.0
"""Longest a component takes to let go of everything, after it has drained."""
_LAST_WORDS_S = 1.0
"""Longest wait, once no call runs, for what was said last to leave; whoever still watches health is then cut off."""


def server_options(settings: ServiceSettings) -> list[tuple[str, int]]:
    """Options of the transport. A frozen client is noticed after keepalive + ping time-out, not after minutes."""
    return [
        ("grpc.max_receive_message_length", settings.message_bytes_max),
        ("grpc.keepalive_time_ms", 5_000),
        ("grpc.keepalive_timeout_ms", 5_000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.ping_timeout_ms", 5_000),
        ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
        ("grpc.http2.min_recv_ping_interval_without_data_ms", 5_000),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.so_reuseport", 0),
        ("grpc.max_connection_age_ms", settings.connection_max_age_ms),
    ]


class RunningServer:
    """A server that takes calls on ``port`` until ``stop``."""

    def __init__(
        self,
        server: grpc.aio.Server,
        component: Component,
        gate: Gate,
        status: health.aio.HealthServicer,
        runtime: Runtime,
    ) -> None:
        self._server = server
        self._component = component
        self._gate = gate
        self._health = status
        self._runtime = runtime
        self._stopping: asyncio.Task[bool] | None = None
        self._released = False
        self.port = runtime.port

    @property
    def in_flight(self) -> int:
        """Calls and streams of the component's own methods that run."""
        return self._gate.in_flight

    async def idle(self) -> None:
        """Return when no such call runs."""
        await self._gate.idle()

    async def stop(self) -> bool:
        """Drain the component, let calls end, stop; returns whether that took less than ``drain_limit_ms``.

        After the limit what still runs is cut off. A second call waits for the first.
        """
        if self._stopping is None:
            self._stopping = asyncio.create_task(self._stop())
        return await asyncio.shield(self._stopping)

    async def kill(self) -> None:
        """Cut everything off at once; also while ``stop`` runs."""
        if self._stopping is not None:
            self._stopping.cancel()
        await self._server.stop(None)
        await self._release()

    async def _stop(self) -> bool:
        in_time = True
        try:
            async with asyncio.timeout(self._runtime.settings.drain_limit_ms / 1000):
                if not getattr(self._component, "serving_while_draining", False):
                    await self._health.enter_graceful_shutdown()
                await self._component.drain()
                await self._end_calls()
        except TimeoutError:
            in_time = False
            self._runtime.log.error("drain_limit", in_flight=self._gate.in_flight)
            await self._server.stop(None)
        await self._release()
        return in_time

    async def _end_calls(self) -> None:
        """Refuse new calls and wait for those that run; watchers of health would wait for ever and are cut off."""
        await self._health.enter_graceful_shutdown()
        stopping = asyncio.create_task(self._server.stop(self._runtime.settings.drain_limit_ms / 1000))
        await self._gate.idle()
        await asyncio.wait([stopping], timeout=_LAST_WORDS_S)
        await self._server.stop(None)
        await stopping

    async def _release(self) -> None:
        if self._released:
            return
        self._released = True
        try:
            async with asyncio.timeout(RELEASE_LIMIT_SECONDS):
                await self._component.stop()
        except TimeoutError:
            self._runtime.log.error("stop_limit")


async def start_server(
    service: str, settings: ServiceSettings, component: Component, runtime: Runtime, *, port: int | None = None
) -> RunningServer:
    """Start a component and a server for it in this process; returns when it takes calls.

    Args:
        service: short name for messages.
        port: instead of ``settings.grpc_port``; 0 takes a free one, which ``runtime.port`` and ``.port`` then say.
    Raises: StartError: keys that are missing, a port that is taken, or whatever the component lacks.
    """
    gate = Gate(
        runtime,
        Authenticator(Verifier(settings.jwks_file, runtime.clock), anonymous_allowed=settings.anonymous_allowed),
    )
    server = grpc.aio.server(
        interceptors=[gate], options=server_options(settings), maximum_concurrent_rpcs=settings.call_count_max
    )
    names = component.register(server)
    status = await _add_health(server, names)
    reflection.enable_server_reflection([*names, health.SERVICE_NAME, reflection.SERVICE_NAME], server)
    runtime.port = _bind(service, server, settings.grpc_host, settings.grpc_port if port is None else port)
    try:
        await component.start()
        await server.start()
        runtime.set_serving = partial(_set_serving, status, (_WHOLE_SERVER, *names))
        await runtime.set_serving(True)
        await status.set(ALIVE, _SERVING)
    except BaseException:
        await server.stop(None)
        await component.stop()
        raise
    runtime.log.info("serving", port=runtime.port)
    return RunningServer(server, component, gate, status, runtime)


async def _set_serving(status: health.aio.HealthServicer, names: Sequence[str], serving: bool) -> None:
    for name in names:
        await status.set(name, _SERVING if serving else _NOT_SERVING)


async def _add_health(server: grpc.aio.Server, names: Sequence[str]) -> health.aio.HealthServicer:
    status = health.aio.HealthServicer()
    for name in (ALIVE, _WHOLE_SERVER, *names):
        await status.set(name, _NOT_SERVING)
    health_pb2_grpc.add_HealthServicer_to_server(status, server)
    return status


def _bind(service: str, server: grpc.aio.Server, host: str, port: int) -> int:
    taken = StartError(
        f"port {port} on {host} is taken; stop what listens there or set CARDROOM_GRPC_PORT for {service}"
    )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:  # gRPC would complain at length on standard error
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise taken from error
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    try:
        bound = server.add_insecure_port(address)
    except RuntimeError as error:
        raise taken from error
    if bound == 0:
        raise taken
    return bound
