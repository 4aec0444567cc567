"""Time as the tables of a pod have it: it stands still while their store is away, so that no clock runs out then."""

import asyncio
import heapq
from collections.abc import Callable
from itertools import count
from typing import Protocol

RESOLUTION_MS = 20
"""How late an alarm may ring."""
_SWEEP_LEAST_COUNT = 1_000


class Clock(Protocol):
    """Time outside."""

    def now_ms(self) -> int:
        """Wall time in ms since 1970; may jump."""
        ...

    def monotonic_ms(self) -> int:
        """A clock that never goes back, in ms."""
        ...

    async def sleep_ms(self, ms: int) -> None:
        """Return after so many ms of the monotonic clock."""
        ...


class TableTime:
    """Milliseconds since some moment, without the time that was stopped."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lost_ms = 0
        self._stopped_at_ms: int | None = None

    def now_ms(self) -> int:
        """The time; it does not move while stopped."""
        at_ms = self._clock.monotonic_ms() if self._stopped_at_ms is None else self._stopped_at_ms
        return at_ms - self._lost_ms

    @property
    def stopped(self) -> bool:
        """Whether time stands still."""
        return self._stopped_at_ms is not None

    def stop(self) -> None:
        """Time stands still from now on."""
        if self._stopped_at_ms is None:
            self._stopped_at_ms = self._clock.monotonic_ms()

    def go_on(self) -> None:
        """Time moves again."""
        if self._stopped_at_ms is not None:
            self._lost_ms += self._clock.monotonic_ms() - self._stopped_at_ms
            self._stopped_at_ms = None


class Alarm:
    """Something that is to happen at a time."""

    __slots__ = ("_ring", "at_ms")

    def __init__(self, at_ms: int, ring: Callable[[], None]) -> None:
        self.at_ms = at_ms
        self._ring: Callable[[], None] | None = ring

    def cancel(self) -> None:
        """It will not ring."""
        self._ring = None

    def ring(self) -> None:
        """It is time."""
        ring, self._ring = self._ring, None
        if ring is not None:
            ring()

    @property
    def waits(self) -> bool:
        """Whether it has neither rung nor been cancelled."""
        return self._ring is not None


class Alarms:
    """All alarms of a pod: one sleeping task however many tables there are."""

    def __init__(self, time: TableTime, clock: Clock) -> None:
        self._time = time
        self._clock = clock
        self._heap: list[tuple[int, int, Alarm]] = []
        self._order = count()
        self._sweep_at_count = _SWEEP_LEAST_COUNT
        self._filled = asyncio.Event()

    def __len__(self) -> int:
        """Alarms kept, those that were cancelled and not yet dropped included."""
        return len(self._heap)

    def set(self, at_ms: int, ring: Callable[[], None]) -> Alarm:
        """Ring at a time of `TableTime`, or up to `RESOLUTION_MS` later."""
        if len(self._heap) >= self._sweep_at_count:
            self._sweep()
        alarm = Alarm(at_ms, ring)
        heapq.heappush(self._heap, (at_ms, next(self._order), alarm))
        self._filled.set()
        return alarm

    def _sweep(self) -> None:
        """Drop what was cancelled: viewers that come and go leave an alarm each, due an hour later."""
        self._heap = [row for row in self._heap if row[2].waits]
        heapq.heapify(self._heap)
        self._sweep_at_count = 2 * len(self._heap) + _SWEEP_LEAST_COUNT

    async def run(self) -> None:
        """Ring alarms until cancelled."""
        while True:
            self._ring_due()
            if not self._heap:
                self._filled.clear()
                await self._filled.wait()
                continue
            # Never long, since an earlier alarm may be set meanwhile; never 0, or a stopped time would spin.
            left_ms = self._heap[0][0] - self._time.now_ms()
            await self._clock.sleep_ms(min(max(left_ms, 1), RESOLUTION_MS))

    def _ring_due(self) -> None:
        now_ms = self._time.now_ms()
        while self._heap and (self._heap[0][0] <= now_ms or not self._heap[0][2].waits):
            heapq.heappop(self._heap)[2].ring()
