"""Spectators: they see what everybody sees, as far behind the table as its room says (PF-40).

They do not look at the table but at a copy of it that lags: an entry reaches the copy when it is old enough, and
snapshots, numbers, deadlines and refusals are the copy's. What is newer cannot leave, since it is not there.
"""

from collections import deque
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import replace

from refusals import Reason, Refusal
from services.table.app.current import Current, Entry, Moment
from services.table.app.gallery import Gallery
from services.table.app.outside import Outside
from services.table.app.requests import Requests
from services.table.app.table_time import Alarm
from services.table.model.events import Closed
from services.table.ports import Farewell, Frame, Sight

_RETRY_MS = 1_000
"""Says nothing about when there will be something to see."""


class Balcony:
    """The spectators of one table."""

    def __init__(self, outside: Outside, current: Current, past: Iterable[Moment]) -> None:
        """`past`: what may not be old enough yet, and the moment before it."""
        self._outside = outside
        self._current = current
        self._waiting: deque[tuple[int, Moment]] = deque()
        self._copy: Current | None = None
        self._gallery: Gallery | None = None
        self._alarm: Alarm | None = None
        for moment in past:
            self._wait(moment)

    def __len__(self) -> int:
        """Spectators now."""
        return 0 if self._gallery is None else len(self._gallery.viewers)

    # --- what happens -------------------------------------------------------------------

    def record(self, entries: Sequence[Entry]) -> None:
        """Entries were stored and are part of the table now; spectators come to see them later."""
        state = self._current.state
        if not state.room.spectators_allowed:
            return
        self._wait(Moment(self._outside.time.now_ms(), tuple(entries), state, self._current.clocks))
        self.catch_up()

    def catch_up(self) -> None:
        """Show what is old enough by now, and come back when more is."""
        now_ms = self._outside.time.now_ms()
        while self._waiting and self._waiting[0][0] <= now_ms:
            self._show(self._waiting.popleft()[1])
        if self._waiting and len(self) and (self._alarm is None or not self._alarm.waits):
            self._alarm = self._outside.alarms.set(self._waiting[0][0], self.catch_up)

    def close(self, farewell: Farewell) -> None:
        """Let everybody go: the table is not here any more."""
        if self._alarm is not None:
            self._alarm.cancel()
        if self._gallery is not None:
            self._gallery.viewers.close_all(farewell)

    def _wait(self, moment: Moment) -> None:
        due_ms = moment.at_ms + moment.state.room.spectator_delay_ms
        self._waiting.append((due_ms, moment))

    def _show(self, moment: Moment) -> None:
        delay_ms = moment.state.room.spectator_delay_ms
        clocks = tuple(replace(clock, ends_ms=clock.ends_ms + delay_ms) for clock in moment.clocks)
        if self._copy is None:
            recent = deque(moment.entries, maxlen=self._outside.limits.recent_count)
            current = self._current
            self._copy = Current(current.epoch, moment.state, clocks, Requests(), recent, current.epoch_starts)
            self._gallery = Gallery(self._outside, self._copy)
            return
        assert self._gallery is not None
        self._copy.state, self._copy.clocks = moment.state, clocks
        self._copy.recent.extend(moment.entries)
        self._gallery.show(moment.entries)
        if any(isinstance(entry.event, Closed) for entry in moment.entries):
            self._gallery.viewers.close_all(Farewell.ENDED)

    # --- who watches --------------------------------------------------------------------

    async def stream(
        self, after_seq: int | None, known_epoch: int, *, together: bool = False
    ) -> AsyncGenerator[Frame, None]:
        """Everything a spectator is sent; see `Gallery.stream`.

        Raises: Refusal: SPECTATORS_NOT_ALLOWED, TOO_EARLY, OVERLOADED: there are too many; SEQ_AHEAD.
        """
        gallery = self._admit()
        if len(self) >= self._outside.limits.spectator_count_max:
            raise Refusal(Reason.OVERLOADED, detail="too many spectators", retry_after_ms=_RETRY_MS)
        frames = gallery.stream(None, after_seq, known_epoch, together=together)
        try:
            async for frame in frames:
                self.catch_up()  # from the first frame on the alarm is kept
                yield frame
        finally:
            await frames.aclose()

    def sight(self) -> Sight:
        """All a spectator may know. Raises: Refusal: SPECTATORS_NOT_ALLOWED, TOO_EARLY."""
        return self._admit().sight(None)

    def place(self) -> tuple[int, int]:
        """Epoch and number of the last entry that spectators know of."""
        assert self._copy is not None
        return self._copy.epoch, self._copy.state.seq

    def _admit(self) -> Gallery:
        if not self._current.state.room.spectators_allowed:
            raise Refusal(Reason.SPECTATORS_NOT_ALLOWED)
        self.catch_up()
        if self._gallery is None:
            raise Refusal(Reason.TOO_EARLY, retry_after_ms=_RETRY_MS)
        return self._gallery
