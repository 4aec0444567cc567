"""Who watches a table, and what waits to be sent to whom.

A viewer's queue is bounded: when it is full it becomes one snapshot, made when the viewer reads again; the second
time within `SLOW_WITHIN_MS` the viewer is let go.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator

from games.kernel import Seat
from services.table.ports import Farewell, Frame

FRAME_COUNT_MAX = 64
SLOW_WITHIN_MS = 30_000


class Viewer:
    """One stream of one seat (None: a spectator).

    Attributes:
        last_prompt: what the viewer was asked last; the table compares with it.
    """

    __slots__ = ("_closing", "_frames", "_overflown_ms", "_snapshot_due", "_waiter", "last_prompt", "seat")

    def __init__(self, seat: Seat | None) -> None:
        self.seat = seat
        self.last_prompt: object = None
        self._frames: deque[Frame] = deque()
        self._snapshot_due = False
        self._overflown_ms: int | None = None
        self._closing: Farewell | None = None
        self._waiter: asyncio.Future[None] | None = None

    def offer(self, frame: Frame, now_ms: int) -> None:
        """Queue a message; a viewer that does not read gets a snapshot instead of all of them, or is let go."""
        if self._closing is not None or self._snapshot_due:
            return
        if len(self._frames) >= FRAME_COUNT_MAX:
            self._overflow(now_ms)
            return
        self._frames.append(frame)
        self._wake()

    def _overflow(self, now_ms: int) -> None:
        self._frames.clear()
        if self._overflown_ms is not None and now_ms - self._overflown_ms <= SLOW_WITHIN_MS:
            self.close(Farewell.SLOW)
            return
        self._overflown_ms = now_ms
        self._snapshot_due = True
        self._wake()

    def close(self, farewell: Farewell) -> None:
        """End the stream after what is queued; the first reason stands."""
        if self._closing is None:
            self._closing = farewell
            self._wake()

    @property
    def queued_count(self) -> int:
        """Messages that wait to be sent."""
        return len(self._frames)

    async def next(self) -> "Frame | Farewell | None":
        """The next thing to send: a message, None for a snapshot of now, or why the stream ends."""
        while True:
            if self._snapshot_due:
                self._snapshot_due = False
                return None
            if self._frames:
                return self._frames.popleft()
            if self._closing is not None:
                return self._closing
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None

    def take_rest(self) -> list[Frame]:
        """All further messages that wait to be sent."""
        rest = list(self._frames)
        self._frames.clear()
        return rest

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class Viewers:
    """The viewers of a table: at most one a seat, the newest, and any number of spectators."""

    def __init__(self, on_count: Callable[[int], None]) -> None:
        """`on_count` hears of every change of the number of viewers."""
        self._seated: dict[Seat, Viewer] = {}
        self._spectators: set[Viewer] = set()
        self._on_count = on_count

    def __iter__(self) -> Iterator[Viewer]:
        yield from self._seated.values()
        yield from self._spectators

    def __len__(self) -> int:
        return len(self._seated) + len(self._spectators)

    def add(self, seat: Seat | None) -> Viewer:
        """A new viewer; an older one of the same seat is let go."""
        viewer = Viewer(seat)
        if seat is None:
            self._spectators.add(viewer)
        else:
            older = self._seated.get(seat)
            self._seated[seat] = viewer
            if older is not None:
                older.close(Farewell.REPLACED)
                self._on_count(-1)
        self._on_count(1)
        return viewer

    def of_seat(self, seat: Seat) -> Viewer | None:
        """The viewer of a seat, if it watches."""
        return self._seated.get(seat)

    def remove(self, viewer: Viewer) -> bool:
        """A stream has ended; nothing if a newer one of the seat has taken its place. Returns: whether it had not."""
        if viewer.seat is None:
            if viewer not in self._spectators:
                return False
            self._spectators.remove(viewer)
        elif self._seated.get(viewer.seat) is viewer:
            del self._seated[viewer.seat]
        else:
            return False
        self._on_count(-1)
        return True

    def close_all(self, farewell: Farewell) -> None:
        """Let everybody go."""
        for viewer in self:
            viewer.close(farewell)
