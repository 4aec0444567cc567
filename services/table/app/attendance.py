"""Whose player is there: signs of life, and when a silence becomes a loss (PF-24).

Every call of a seat is a sign of life. So is an open stream, as long as the client at its other end is not one that
beats: the transport asks it every few seconds and ends the stream of one that does not answer. A client that beats is
held to its beats: it says itself that its program runs, not only its connection.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from games.kernel import Seat

STREAM_PART = 3
"""A stream that ends leaves this part of the limit: the transport may have needed the others to notice."""


@dataclass(slots=True)
class _Life:
    """A seat's signs of life.

    Attributes:
        until_ms: when the last one is too old, on the table's own time.
        streaming: whether its stream is open.
        beats: whether its client has sent a heartbeat since the stream was opened.
    """

    until_ms: int
    streaming: bool = False
    beats: bool = False

    @property
    def due_ms(self) -> int | None:
        """When the seat is lost; None while its stream speaks for it."""
        return None if self.streaming and not self.beats else self.until_ms


class Attendance:
    """The seats of a table that are there. Seats that never were, or are lost, are not looked at."""

    def __init__(self, limit_ms: int, present: Iterable[Seat], now_ms: int) -> None:
        """`limit_ms`: a silence of so long is a loss. `present`: seats that are there now, however that is known."""
        self._limit_ms = limit_ms
        self._lives = {seat: _Life(now_ms + limit_ms) for seat in present}

    def called(self, seat: Seat, now_ms: int, *, beat: bool = False) -> None:
        """The seat has called; `beat`: with a heartbeat."""
        life = self._life(seat)
        life.until_ms = now_ms + self._limit_ms
        life.beats = life.beats or beat

    def opened(self, seat: Seat, now_ms: int) -> None:
        """The seat has opened a stream."""
        life = self._life(seat)
        life.until_ms = now_ms + self._limit_ms
        life.streaming, life.beats = True, False

    def ended(self, seat: Seat, now_ms: int) -> None:
        """The seat's stream has ended, and no newer one has taken its place."""
        life = self._lives.get(seat)
        if life is None:
            return
        if not life.beats:
            life.until_ms = max(life.until_ms, now_ms + self._limit_ms // STREAM_PART)
        life.streaming = False

    def _life(self, seat: Seat) -> _Life:
        return self._lives.setdefault(seat, _Life(0))

    def forget(self, seats: Iterable[Seat]) -> None:
        """These are lost, and known to be."""
        for seat in seats:
            self._lives.pop(seat, None)

    def overdue(self, now_ms: int) -> frozenset[Seat]:
        """Seats that have given no sign of life for too long."""
        return frozenset(
            seat for seat, life in self._lives.items() if life.due_ms is not None and life.due_ms <= now_ms
        )

    def heard_of(self) -> frozenset[Seat]:
        """Seats that have shown signs of life and are not known to be lost since."""
        return frozenset(self._lives)

    def next_end_ms(self) -> int | None:
        """When the next seat is lost if nothing is heard of it; None if none can be."""
        return min((life.due_ms for life in self._lives.values() if life.due_ms is not None), default=None)
