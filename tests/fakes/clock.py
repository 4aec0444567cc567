"""Time that stands still until a test moves it."""

import asyncio
import heapq
from itertools import count

_TURN_COUNT = 20


class FakeClock:
    """A ``serving.runtime.Clock`` in the hands of a test.

    ``advance`` wakes sleepers; they run when the test next awaits. ``run`` also lets them run in order of time.
    """

    def __init__(self, now_ms: int = 1_700_000_000_000, monotonic_ms: int = 1_000_000) -> None:
        self._now_ms = now_ms
        self._monotonic_ms = monotonic_ms
        self._sleepers: list[tuple[int, int, asyncio.Future[None]]] = []
        self._order = count()

    def now_ms(self) -> int:
        """Wall time, ms since 1970."""
        return self._now_ms

    def monotonic_ms(self) -> int:
        """The clock that deadlines are kept on, ms."""
        return self._monotonic_ms

    async def sleep_ms(self, ms: int) -> None:
        """Return when the test has moved time on so far; at once for 0 or less."""
        if ms <= 0:
            await asyncio.sleep(0)
            return
        woken = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._monotonic_ms + ms, next(self._order), woken))
        await woken

    def advance(self, *, seconds: float = 0, ms: int = 0) -> None:
        """Move both clocks on and wake those whose time has come."""
        self._move_to(self._monotonic_ms + round(seconds * 1000) + ms)

    async def run(self, *, seconds: float = 0, ms: int = 0) -> None:
        """Move on sleeper by sleeper, and let tasks run at each stop: as if that time had passed."""
        end = self._monotonic_ms + round(seconds * 1000) + ms
        await settle()
        while (stop := self._next_stop()) is not None and stop <= end:
            self._move_to(stop)
            await settle()
        self._move_to(end)
        await settle()

    def jump(self, *, seconds: float) -> None:
        """The wall clock is set; the monotonic one goes on as before."""
        self._now_ms += round(seconds * 1000)

    @property
    def sleeper_count(self) -> int:
        """How many sleep."""
        return sum(not woken.done() for _, _, woken in self._sleepers)

    def _next_stop(self) -> int | None:
        while self._sleepers and self._sleepers[0][2].done():
            heapq.heappop(self._sleepers)  # a sleeper that was cancelled
        return self._sleepers[0][0] if self._sleepers else None

    def _move_to(self, monotonic_ms: int) -> None:
        self._now_ms += monotonic_ms - self._monotonic_ms
        self._monotonic_ms = monotonic_ms
        while (stop := self._next_stop()) is not None and stop <= monotonic_ms:
            heapq.heappop(self._sleepers)[2].set_result(None)


async def settle() -> None:
    """Let every task that can run do so for some turns of the loop."""
    for _ in range(_TURN_COUNT):
        await asyncio.sleep(0)
