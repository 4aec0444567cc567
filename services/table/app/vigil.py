"""When a table looks up by itself: a clock runs out, a player is lost or comes, a trustee is to move."""

from collections.abc import Callable

from games.kernel import Seat
from services.table.app.attendance import Attendance
from services.table.app.current import Current
from services.table.app.outside import Outside
from services.table.app.table_time import Alarm
from services.table.model import clocks as clocking
from services.table.model import trustee
from services.table.model.state import Stage


class Vigil:
    """Sees to it that the table gets a tick when it has something to do, and never two at once.

    Attributes:
        attendance: whose player is there.
    """

    def __init__(self, outside: Outside, current: Current, on_tick: Callable[[], None]) -> None:
        """`on_tick` puts a tick into the table's mailbox; `took_tick` says that it was taken out."""
        state = current.state
        # Bots are always there: nothing is heard of them but their moves.
        people = (seat for seat in state.seats if not state.bots[seat])
        there = (seat for seat in people if state.has_arrived(seat) and seat not in current.lost)
        self.attendance = Attendance(outside.limits.presence_limit_ms, there, outside.time.now_ms())
        self._outside = outside
        self._current = current
        self._on_tick = on_tick
        self._alarm: Alarm | None = None
        self._tick_waits = False
        self._paused_until_ms = 0

    @property
    def over(self) -> bool:
        """Whether nothing is to be done by itself any more."""
        return self._current.progress.stopped or self._current.state.stage is Stage.CLOSED

    @property
    def paused(self) -> bool:
        """Whether nothing is to be done by itself for now."""
        return self._outside.time.now_ms() < self._paused_until_ms

    def pause(self, ms: int) -> None:
        """For so long nothing is done by itself; then the table looks up in any case. One pause is not made longer."""
        if not self.paused:
            self._paused_until_ms = self._outside.time.now_ms() + ms
            self.ring_at(self._paused_until_ms)

    def look_ahead(self) -> None:
        """Set the alarm for what comes next; at once where a trustee is to move (PF-22) or a player has come."""
        if self.over:
            return
        if self.paused:
            self.ring_at(self._paused_until_ms)
            return
        if self.comers() or trustee.served(self._current.state) is not None:
            self._tick()
        end_ms = self._next_end_ms()
        if end_ms is not None:
            self.ring_at(end_ms)

    def comers(self) -> frozenset[Seat]:
        """Seats that have been heard of and do not count as there: they come for the first time, or back (PF-23)."""
        state, lost = self._current.state, self._current.lost
        heard_of = self.attendance.heard_of()
        return frozenset(seat for seat in heard_of if seat in lost or not state.has_arrived(seat))

    def _next_end_ms(self) -> int | None:
        ends = (clocking.next_end_ms(self._current.clocks), self.attendance.next_end_ms())
        return min((end_ms for end_ms in ends if end_ms is not None), default=None)

    def ring_at(self, at_ms: int) -> None:
        """Ring then at the latest: an alarm that is set for earlier will see."""
        if self._alarm is not None and self._alarm.waits:
            if self._alarm.at_ms <= at_ms:
                return
            self._alarm.cancel()
        self._alarm = self._outside.alarms.set(at_ms, self._rung)

    def _rung(self) -> None:
        if self.paused:
            self.ring_at(self._paused_until_ms)
            return
        if self._paused_until_ms:
            self._paused_until_ms = 0
            self._tick()
            return
        end_ms = self._next_end_ms()
        if end_ms is None or self._tick_waits:
            return
        if end_ms > self._outside.time.now_ms():
            self.ring_at(end_ms)
            return
        self._tick()

    def _tick(self) -> None:
        if not self._tick_waits:
            self._tick_waits = True
            self._on_tick()

    def took_tick(self) -> None:
        """The tick is being looked after."""
        self._tick_waits = False

    def end(self) -> None:
        """Nothing is looked after any more."""
        if self._alarm is not None:
            self._alarm.cancel()
