"""The pulse of a stream: the player's signs of life while he watches, and an ear for the server's."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Self

import grpc

SILENCE_IN_BEATS = 3
"""A stream without any message for so many beats is dead: the server sends at least its own heartbeat each beat."""


class Pulse:
    """Beats while it is entered.

    Attributes:
        silent: whether it has ended the stream, since nothing came for too long.
    """

    def __init__(
        self, beat: Callable[[], Awaitable[object]], end_stream: Callable[[], object], *, beat_seconds: float
    ) -> None:
        """`beat` sends a heartbeat; one that fails is left to the stream, which has its own ways back."""
        self._beat = beat
        self._end_stream = end_stream
        self._beat_seconds = beat_seconds
        self._heard_at = time.monotonic()
        self._task: asyncio.Task[None] | None = None
        self.silent = False

    def heard(self) -> None:
        """A message has come."""
        self._heard_at = time.monotonic()

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run(), name="heartbeats")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._beat_seconds)
            if time.monotonic() - self._heard_at > SILENCE_IN_BEATS * self._beat_seconds:
                self.silent = True
                self._end_stream()
                return
            try:
                await self._beat()
            except grpc.aio.AioRpcError:
                continue
