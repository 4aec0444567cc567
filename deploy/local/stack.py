"""The whole of cardroom on this machine: two stores, four services, started and stopped in order."""

import asyncio
import signal
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any, Self

from deploy.local.leftovers import end_leftovers
from deploy.local.ports import HOST, claim_ports
from deploy.local.process import ServiceProcess
from deploy.local.settings import SERVICES, LocalSettings
from deploy.local.state import RUNNER, StateDirectory
from deploy.local.stores import LEDGER, TABLES, Stores
from serving.tokens import Minter, ServiceTokens, create_keys

STOP_ORDER = (("table",), ("matchmaker",), ("scoring", "ledger"))
"""Services that others still need end later."""

DRAIN_LIMIT_SECONDS = 25.0
"""A service limits its own drain to 20 s; after this it is killed."""

TOKEN_SECONDS = 24 * 3600


class Stack:
    """Stores and services as processes of this machine.

        async with Stack(settings) as stack:
            address = stack.address("matchmaker")

    Everything listens on loopback. The state directory is held until `stop`.
    """

    def __init__(
        self,
        settings: LocalSettings,
        *,
        fresh: bool = False,
        environment: Mapping[str, Mapping[str, str]] | None = None,
        say: Callable[[str], None] = print,
    ) -> None:
        """Args:
        settings: ports, stores, state directory.
        fresh: forget the state of earlier runs.
        environment: further environment variables by service, for tests.
        say: told in one line each what is started.
        """
        self._settings = settings
        self._fresh = fresh
        self._more = environment or {}
        self._say = say
        self._holding = ExitStack()
        self._holds = False
        self._ports: dict[str, int] = {}
        self.state = StateDirectory(settings.state_directory)
        self.stores = Stores(settings, self.state, say)
        self.services: dict[str, ServiceProcess] = {}

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Start everything and wait until all of it is healthy.

        Raises: StartError: something cannot be started; the text is one line that says what to do, and nothing is
            left running.
        """
        self._holding.enter_context(self.state.held())
        self._holds = True
        try:
            await self._start()
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> bool:
        """Drain and end the services, the stores last, and let go of the state directory. Harmless when nothing runs.

        Returns: whether every service ended by itself, with status 0.
        """
        if not self._holds:
            return True  # what lies in the directory is another run's
        orderly = True
        for group in STOP_ORDER:
            processes = [self.services[name] for name in group if name in self.services]
            ends = await asyncio.gather(*(process.terminate(DRAIN_LIMIT_SECONDS) for process in processes))
            orderly = orderly and all(status == 0 for status in ends)
        self.services.clear()
        await self.stores.stop()
        self.state.endpoints.unlink(missing_ok=True)
        self.state.strike(RUNNER)
        self._holds = False
        self._holding.close()
        return orderly

    def address(self, service: str) -> str:
        """host:port of a service."""
        return f"{HOST}:{self._ports[service]}"

    def player_token(self, player_id: str) -> str:
        """A login token of a player."""
        return Minter(self.state.keys / "player.pem").mint("player", player_id, TOKEN_SECONDS)

    def service_tokens(self, role: str) -> ServiceTokens:
        """Tokens of a service role, such as "operator", for `serving.channels.connect`."""
        return ServiceTokens(self.state.keys / "service.pem", role, "local")

    async def kill(self, service: str) -> None:
        """End a service at once (SIGKILL)."""
        await self.services[service].kill()

    def kill_services(self) -> None:
        """End every service at once, without waiting (SIGKILL)."""
        for process in self.services.values():
            process.signal(signal.SIGKILL)

    async def start_service(self, service: str) -> None:
        """Start a service that has ended, and wait until it is healthy.

        Raises: StartError: it does not start.
        """
        await self.services[service].start()
        await self.services[service].healthy(self._settings.start_limit_seconds)

    async def restart(self, service: str) -> int | None:
        """Drain a service, end it and start it again. Returns: its status; None if it had to be killed."""
        status = await self.services[service].terminate(DRAIN_LIMIT_SECONDS)
        await self.start_service(service)
        return status

    def ended(self) -> list[str]:
        """Services that run no more, though nobody stopped them."""
        return [name for name, process in self.services.items() if not process.pid]

    async def _start(self) -> None:
        left = await end_leftovers(self.state)
        if left:
            self._say(f"ended what a killed run had left: {', '.join(left)}")
        if self._fresh:
            self.state.forget()
        self.state.endpoints.unlink(missing_ok=True)
        self.state.record_self(RUNNER)
        self._ports = claim_ports(self._settings.ports())
        create_keys(self.state.keys)
        await self.stores.start()
        for name in SERVICES:
            self.services[name] = ServiceProcess(name, self.address(name), self._environment(name), self.state)
        await asyncio.gather(*(process.start() for process in self.services.values()))
        await self._all_healthy()
        self.state.write_endpoints(self._endpoints())

    async def _all_healthy(self) -> None:
        limit = self._settings.start_limit_seconds
        waiting = [asyncio.create_task(process.healthy(limit)) for process in self.services.values()]
        try:
            await asyncio.gather(*waiting)
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    def _environment(self, service: str) -> dict[str, str]:
        """The settings of one service; services read only those they know."""
        keys = self.state.keys
        return {
            "CARDROOM_GRPC_HOST": HOST,
            "CARDROOM_GRPC_PORT": str(self._ports[service]),
            "CARDROOM_METRICS_PORT": str(self._ports[f"{service} metrics"]),
            "CARDROOM_JWKS_FILE": str(keys / "jwks.json"),
            "CARDROOM_SERVICE_KEY_FILE": str(keys / "service.pem"),
            "CARDROOM_SEAT_KEY_FILE": str(keys / "seat.pem"),
            "CARDROOM_REDIS_URL": self.stores.url(TABLES),
            "CARDROOM_LEDGER_REDIS_URL": self.stores.url(LEDGER),
            **{f"CARDROOM_{name.upper()}_ADDRESS": self.address(name) for name in SERVICES},
            "CARDROOM_POD": "table-0",
            "CARDROOM_LEDGER_ARCHIVE_DIR": str(self.state.data("ledger-archive")),
            "CARDROOM_TABLE_ARCHIVE_DIR": str(self.state.data("table-archive")),
            "CARDROOM_ADVERTISE_AUTHORITY": self.address("table"),
            **self._more.get(service, {}),
        }

    def _endpoints(self) -> dict[str, Any]:
        metrics = {name: f"http://{HOST}:{self._ports[f'{name} metrics']}/metrics" for name in SERVICES}
        services = {name: self.address(name) for name in SERVICES}
        return {**services, "metrics": metrics, "stores": self.stores.own(), "keys": str(self.state.keys)}
