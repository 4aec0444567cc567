"""Showing a table: entries, prompts and snapshots, each encoded once for all who may see the same."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from games.kernel import Seat
from refusals import Reason, Refusal
from services.table.app.current import Current, Entry
from services.table.app.outside import PAGE_COUNT, Outside
from services.table.app.table_time import Alarm
from services.table.app.viewers import Viewer, Viewers
from services.table.model import clocks as clocking
from services.table.model import play
from services.table.model.clocks import decision_clock
from services.table.model.events import TableEvent
from services.table.model.prompts import Prompt, StandingOffers, prompts_for
from services.table.model.redaction import redact
from services.table.model.state import Stage
from services.table.ports import Farewell, Frame, Place, Present, Sight


@dataclass(frozen=True, slots=True)
class Beginning:
    """Where a stream begins: with the entries after `after_seq`, or (None) with a snapshot."""

    after_seq: int | None
    rewound: bool = False


class Door(Protocol):
    """Who wants to know which seats watch."""

    def opened(self, seat: Seat) -> None:
        """A seat has opened a stream."""
        ...

    def ended(self, seat: Seat) -> None:
        """A seat's stream has ended, and no newer one has taken its place."""
        ...


class Gallery:
    """The viewers of one table and what is sent to them."""

    def __init__(self, outside: Outside, current: Current, door: Door | None = None) -> None:
        """`door` hears of streams of seats that open and end; spectators need none."""
        self._outside = outside
        self._current = current
        self._door = door
        self._offers = StandingOffers()
        self.viewers = Viewers(outside.meters.watched)

    # --- what happens -------------------------------------------------------------------

    def show(self, entries: Sequence[Entry]) -> None:
        """Show new entries, and to each who may act now what he may do."""
        if not len(self.viewers):
            return
        now_ms = self._outside.time.now_ms()
        for entry in entries:
            made: list[tuple[TableEvent | None, Frame]] = []
            for viewer in self.viewers:
                viewer.offer(self._frame(entry, viewer.seat, made), now_ms)
        self.prompt_all()

    def show_presence(self) -> None:
        """Tell everybody who is there."""
        if len(self.viewers):
            frame = self._outside.presenter.presence(self._place(), self._present())
            for viewer in self.viewers:
                viewer.offer(frame, self._outside.time.now_ms())

    def _present(self) -> tuple[Present, ...]:
        """One a seat."""
        current, now_ms = self._current, self._outside.time.now_ms()
        graces, deal = clocking.graces(current.clocks), current.state.deal
        away = play.away(deal.game) if deal is not None and current.state.running else frozenset()
        gone = current.lost | set(graces) | away  # spectators' copy knows only what clocks and deal say
        return tuple(
            Present(
                online=current.state.has_arrived(seat) and seat not in gone,
                grace_ms=max(0, graces[seat].ends_ms - now_ms) if seat in graces else None,
            )
            for seat in current.state.seats
        )

    def prompt_all(self) -> None:
        """Tell each viewer what he may do."""
        self._prompt(viewer for viewer in self.viewers if viewer.seat is not None)

    def prompt_seat(self, seat: Seat) -> None:
        """Tell one seat what it may do."""
        viewer = self.viewers.of_seat(seat)
        if viewer is not None:
            self._prompt((viewer,))

    def _prompt(self, viewers: Iterable[Viewer]) -> None:
        """Send prompts, but for those that say no more than the last one did and press nobody."""
        by_seat = {viewer.seat: viewer for viewer in viewers if viewer.seat is not None}
        for seat, prompt in self._prompts(by_seat):
            viewer = by_seat[seat]
            if prompt is not None and not (_is_quiet(prompt) and _is_quiet(viewer.last_prompt, prompt)):
                frame = self._outside.presenter.prompt(self._place(), prompt)
                viewer.offer(frame, self._outside.time.now_ms())
            viewer.last_prompt = prompt

    def _frame(self, entry: Entry, seat: Seat | None, made: list[tuple[TableEvent | None, Frame]]) -> Frame:
        """An entry for a viewer; `made` holds what was encoded for others who may see the same."""
        seen = redact(entry.event, seat)
        for known, frame in made:
            if known is seen or known == seen:
                return frame
        frame = self._encoded(entry, seen)
        made.append((seen, frame))
        return frame

    def _encoded(self, entry: Entry, seen: TableEvent | None) -> Frame:
        place = Place(self._current.state.table_id, self._current.epoch, entry.seq)
        if seen is None:
            return self._outside.presenter.hidden(place)
        data = entry.data if seen is entry.event else self._outside.codec.encode(seen)
        return self._outside.presenter.event(place, data)

    # --- what stands --------------------------------------------------------------------

    def snapshot(self, seat: Seat | None, *, rewound: bool = False) -> Frame:
        """All a seat may know, as the first message of a stream."""
        return self._outside.presenter.snapshot(self._place(), self.sight(seat, rewound=rewound))

    def sight(self, seat: Seat | None, *, rewound: bool = False) -> Sight:
        """All a seat may know (PF-30..33)."""
        current = self._current
        deal = current.state.deal
        clock = decision_clock(current.clocks)
        return Sight(
            state=current.state,
            seat=seat,
            view=None if deal is None else play.view(deal.game, seat),
            prompt=self._prompt_of(seat),
            remaining_ms=None if clock is None else max(0, clock.ends_ms - self._outside.time.now_ms()),
            last_request_id=current.requests.last_of(seat),
            rewound=rewound,
            present=self._present(),
        )

    def _prompt_of(self, seat: Seat | None) -> Prompt | None:
        return None if seat is None else next(iter(self._prompts((seat,))))[1]

    def _prompts(self, seats: Iterable[Seat]) -> Iterable[tuple[Seat, Prompt | None]]:
        current = self._current
        if current.progress.stopped:
            return [(seat, None) for seat in seats]
        clock = decision_clock(current.clocks)
        return prompts_for(current.state, seats, self._offers, clock, self._outside.time.now_ms())

    def _place(self) -> Place:
        return Place(self._current.state.table_id, self._current.epoch, self._current.state.seq)

    # --- streams ------------------------------------------------------------------------

    async def stream(
        self, seat: Seat | None, after_seq: int | None, known_epoch: int, *, together: bool = False
    ) -> AsyncGenerator[Frame, None]:
        """Everything a viewer is sent, from a place he names (PF-34) until he is let go.

        Args:
            together: whether messages that are ready at the same time come as one.
        Raises: Refusal: SEQ_AHEAD: the place is ahead of the log, and no entries are lost.
        """
        beginning = self._beginning(after_seq, known_epoch)
        outside, head = self._outside, self._current.state.seq
        viewer = self.viewers.add(seat)
        if seat is not None and self._door is not None:
            self._door.opened(seat)
        if self._current.state.stage is Stage.CLOSED:
            viewer.close(Farewell.ENDED)
        age = outside.alarms.set(
            outside.time.now_ms() + outside.limits.stream_max_age_ms, lambda: viewer.close(Farewell.RECONNECT)
        )
        pulse = Pulse(outside, viewer, self._beat)
        try:
            if beginning.after_seq is None:
                first = self.snapshot(seat, rewound=beginning.rewound)
                viewer.last_prompt = self._prompt_of(seat)
                yield first
            else:
                self._prompt((viewer,))
                async for frame in self._backlog(seat, beginning.after_seq, head):
                    yield frame
                if seat is not None:  # it has no place in the log: whoever changed it meanwhile is told of now
                    yield self._outside.presenter.presence(self._place(), self._present())
            while not isinstance(due := await viewer.next(), Farewell):
                yield self._frame_due(viewer, due, together)
            yield outside.presenter.goodbye(self._place(), due)
        finally:
            age.cancel()
            pulse.stop()
            if self.viewers.remove(viewer) and seat is not None and self._door is not None:
                self._door.ended(seat)

    def _beat(self, viewer: Viewer) -> None:
        viewer.offer(self._outside.presenter.heartbeat(self._place()), self._outside.time.now_ms())

    def _beginning(self, after_seq: int | None, known_epoch: int) -> Beginning:
        current = self._current
        if after_seq is None:
            return Beginning(None)
        if 0 < known_epoch < current.epoch and after_seq > self._shared_until(known_epoch):
            return Beginning(None, rewound=True)
        if after_seq > current.state.seq:
            raise Refusal(Reason.SEQ_AHEAD, field="after_seq", detail=f"the last entry is {current.state.seq}")
        if current.state.seq - after_seq > self._outside.limits.resume_count_max:
            return Beginning(None)
        return Beginning(after_seq)

    def _shared_until(self, known_epoch: int) -> int:
        """The last number up to which an older epoch's entries are ours too."""
        later = [start for epoch, start in self._current.epoch_starts.items() if epoch > known_epoch]
        return min(later, default=self._current.state.seq)

    async def _backlog(self, seat: Seat | None, after_seq: int, until_seq: int) -> AsyncIterator[Frame]:
        """Frames of the entries after a place, out of memory or out of the log."""
        recent = [entry for entry in self._current.recent if after_seq < entry.seq <= until_seq]
        first_seq = recent[0].seq if recent else until_seq + 1
        while after_seq < first_seq - 1:
            rows = await self._outside.log.entries(
                self._current.state.table_id, after_seq, min(first_seq - 1 - after_seq, PAGE_COUNT)
            )
            if not rows:
                raise Refusal(Reason.SEQ_AHEAD, field="after_seq", detail="these entries are gone")
            for row in rows:
                yield self._frame(Entry(row.seq, self._outside.codec.decode(row.data), row.data), seat, [])
            after_seq = rows[-1].seq
        for entry in recent:
            yield self._frame(entry, seat, [])

    def _frame_due(self, viewer: Viewer, due: Frame | None, together: bool) -> Frame:
        """What is queued for a viewer; None stands for a snapshot."""
        if due is None:
            viewer.last_prompt = self._prompt_of(viewer.seat)
            return self.snapshot(viewer.seat)
        return self._outside.presenter.joined(due, viewer.take_rest()) if together else due


class Pulse:
    """Says every while that a stream is alive; to a viewer who has other messages waiting it says nothing."""

    def __init__(self, outside: Outside, viewer: Viewer, beat: Callable[[Viewer], None]) -> None:
        self._outside = outside
        self._viewer = viewer
        self._beat = beat
        self._alarm = self._set()

    def _set(self) -> Alarm:
        return self._outside.alarms.set(self._outside.time.now_ms() + self._outside.limits.heartbeat_ms, self._rung)

    def _rung(self) -> None:
        if not self._viewer.queued_count:
            self._beat(self._viewer)
        self._alarm = self._set()

    def stop(self) -> None:
        """The stream has ended."""
        self._alarm.cancel()


def _is_quiet(prompt: object, like: Prompt | None = None) -> bool:
    """Whether a prompt presses nobody: a standing offer, or an answer given; and is the same as another, if given."""
    if not isinstance(prompt, Prompt) or not (prompt.standing or prompt.answered):
        return False
    return like is None or (prompt.decision_id == like.decision_id and prompt.options == like.options)
