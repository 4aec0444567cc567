"""A store of a test's own, that it may stop."""

import asyncio
import os
import signal
from pathlib import Path

from deploy.local.redis_server import RedisServer


class Store:
    """A store of the test's own, that it may stop."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.server = RedisServer.start(directory, fsync="everysec")

    @property
    def url(self) -> str:
        return self.server.url

    def kill(self) -> None:
        self.server.kill()

    async def start(self) -> None:
        port = self.server.port
        self.server = await asyncio.to_thread(RedisServer.start, self._directory, port, "everysec")

    def freeze(self) -> None:
        os.kill(self.server.process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self.server.process.pid, signal.SIGCONT)
