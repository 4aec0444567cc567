"""One table: a single task that takes one letter after the other out of a bounded mailbox.

Each turn is: decide, append to the log, apply, show, answer. Nothing is shown or answered that is not stored, and
nothing counts in memory that is not stored either.
"""

import asyncio
import traceback
from collections.abc import Callable
from typing import Any

from games.kernel import Seat
from refusals import Reason, Refusal
from services.table.app import duties
from services.table.app.balcony import Balcony
from services.table.app.bots import Bots
from services.table.app.current import Current, Entry
from services.table.app.duties import Performer, Result
from services.table.app.gallery import Gallery
from services.table.app.gone import FAREWELLS, Gone, Leaving
from services.table.app.mailbox import (
    Act,
    Answer,
    Leave,
    Letter,
    Mailbox,
    Request,
    SetReady,
    SetTrustee,
    Tick,
)
from services.table.app.outcomes import RESULTS, Outcomes
from services.table.app.outside import Outside
from services.table.app.requests import written_answer
from services.table.app.store_health import store_away
from services.table.app.vigil import Vigil
from services.table.model import absence, flow, trustee
from services.table.model import clocks as clocking
from services.table.model.clocks import ClockName
from services.table.model.events import CloseCause, Closed, DealSettled, DealStarted, Move
from services.table.model.flow import Draft
from services.table.model.state import Stage
from services.table.ports import Appended, Batch, Farewell, RequestRow, StoreAway, StoreFull

RETRY_MS = 1_000
"""After a full store, until the table tries again what nobody waits for."""
_STEP_MS = 20
"""Between two tries while the store comes and goes."""


_SET_ASIDE = frozenset({CloseCause.FAULT, CloseCause.SCORING})
"""Ends by which a table is quarantined."""


class Table:
    """A table this process owns. `start` it once; it then runs until it is gone."""

    def __init__(self, outside: Outside, current: Current, on_gone: Callable[["Table", Gone], None]) -> None:
        self._outside = outside
        self._current = current
        self._on_gone = on_gone
        self.gallery = Gallery(outside, current, self)
        self.balcony = Balcony(outside, current, current.past)
        self._mailbox = Mailbox(outside.limits.mailbox_count_max)
        self._bots = Bots(outside, current, self._mailbox.put)
        self._outcomes = Outcomes(outside, current)
        self._performer = Performer(outside, current.state, current.epoch, current.record)
        self._open: Letter | None = None
        self._vigil = Vigil(outside, current, lambda: self._mailbox.put(Letter(Tick())))
        self._batch_count = 0
        self._task: asyncio.Task[None] | None = None
        self._duties: asyncio.Task[None] | None = None
        self._leaving: Gone | None = None

    # --- from outside -------------------------------------------------------------------

    @property
    def current(self) -> Current:
        """What is known of the table; to be read only."""
        return self._current

    @property
    def table_id(self) -> str:
        """The table's id."""
        return self._current.state.table_id

    def start(self) -> None:
        """Begin to take letters."""
        self._outside.meters.staged(None, self._current.state.stage)
        self._task = asyncio.create_task(self._run(), name="table")

    async def ask(self, request: Request) -> Answer:
        """Have a request decided.

        Raises: Refusal: what it is refused for; STORE_UNAVAILABLE where that is not known.
        """
        if self._outside.health.away:
            raise store_away()
        if self._leaving is not None:
            raise Refusal(Reason.SHUTTING_DOWN)
        reply: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self._mailbox.put(Letter(request, reply, self._outside.traces.current()))
        answer = await reply
        assert answer is not None
        return answer

    def alive(self, seat: Seat, *, beat: bool = False) -> None:
        """A player shows a sign of life by a call (PF-24); `beat`: by a heartbeat.

        Who has left by a forced exit comes back by opening a stream, not by what his devices still send.
        """
        if seat not in self._current.state.exited:
            self._vigil.attendance.called(seat, self._outside.time.now_ms(), beat=beat)
            self._look_who_is_there()

    def opened(self, seat: Seat) -> None:
        """See `Door`."""
        self._vigil.attendance.opened(seat, self._outside.time.now_ms())
        self._look_who_is_there()

    def ended(self, seat: Seat) -> None:
        """See `Door`."""
        self._vigil.attendance.ended(seat, self._outside.time.now_ms())
        self._look_who_is_there()

    def _look_who_is_there(self) -> None:
        if self._leaving is None:
            self._vigil.look_ahead()

    async def admit(self, seat: Seat, generation: int) -> bool:
        """Take a token of a generation; from now on older ones of the seat are used up (PF-11).

        Returns: False if another owner has the table.
        Raises: Refusal: TOKEN_SUPERSEDED: a newer one has been used. StoreAway.
        """
        known = self._current.generations.get(seat, 0)
        if generation < known:
            raise Refusal(Reason.TOKEN_SUPERSEDED)
        if generation == known:
            return True
        if not await self._outside.log.renew(self.table_id, self._current.epoch, seat, generation):
            return False
        self._current.generations[seat] = max(generation, self._current.generations.get(seat, 0))
        return True

    def store_lost(self) -> None:
        """The store is away: nobody waits for it."""
        for letter in (self._open, *self._mailbox):
            if letter is not None and letter.is_request:
                letter.refuse(store_away())

    def store_found(self) -> None:
        """The store is back: clocks go on, later than they were to end."""
        self.gallery.prompt_all()

    async def set_aside(self, deal_id: str) -> None:
        """Scoring has found, later, that the table's rules are not its own.

        Raises: Refusal: OVERLOADED, SHUTTING_DOWN: this is not written down.
        """
        if self._leaving is not None:
            raise Refusal(Reason.SHUTTING_DOWN)
        await self._tell(duties.ScoringDiffers(deal_id))

    async def stop(self, why: Gone = Gone.STOPPED, *, patience_ms: int = 500) -> None:
        """Let the table go after the turn it is in, or in the midst of it if that takes too long."""
        self._leaving = self._leaving or why
        self._mailbox.put(Letter(Tick()))
        if self._task is not None:
            await asyncio.wait([self._task], timeout=patience_ms / 1000)
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    # --- turns --------------------------------------------------------------------------

    async def _run(self) -> None:
        why = Gone.STOPPED
        self._outside.traces.resume(self._current.state.correlation_id)
        try:
            self._look_ahead()
            while self._leaving is None:
                self._open = await self._mailbox.get()
                await self._turn(self._open)
                self._open = None
        except Leaving as leaving:
            why = leaving.why
        finally:
            self._leave(self._leaving or why)

    def _leave(self, why: Gone) -> None:
        """The task's last act: nothing is left waiting."""
        self._leaving = why
        self._vigil.end()
        self._bots.stop()
        if self._duties is not None:
            self._duties.cancel()
        refusal = Refusal(Reason.SHUTTING_DOWN, retry_after_ms=RETRY_MS)
        for letter in (self._open, *self._mailbox):
            if letter is not None:
                letter.refuse(refusal)
        self.gallery.viewers.close_all(FAREWELLS[why])
        self.balcony.close(FAREWELLS[why])
        self._outside.meters.staged(self._current.state.stage, None)
        self._on_gone(self, why)

    async def _turn(self, letter: Letter) -> None:
        if letter.given_up:
            return
        # What follows from this letter, settlements above all, goes by the call that brought it.
        self._outside.traces.resume(letter.trace or self._current.state.correlation_id)
        self._outside.checkpoints.reach("received")
        current = self._current
        draft = Draft(current.state, self._draw_floor, floor_passed=self._floor_passed(), lost=current.lost)
        try:
            answer = self._known(letter)
            if answer is None:
                answer = _DECIDERS[type(letter.content)](self, letter.content, draft)
                # A request that changes nothing is remembered too: a late repeat of it must change nothing then.
                if draft.events or draft.private or draft.lost != current.lost or letter.is_request:
                    await self._commit(letter, draft, answer)
        except Refusal as refusal:
            if not letter.is_request:  # what the table does itself is never refused
                self._fault(refusal)
            letter.refuse(refusal)
        except StoreFull:
            self._store_full(letter)
        except (Leaving, asyncio.CancelledError):
            raise
        except Exception as error:
            self._fault(error)
            letter.refuse(Refusal(Reason.TABLE_QUARANTINED))
        else:
            letter.answer(answer)
            self._outside.checkpoints.reach("answered")
        self._look_ahead()

    def _store_full(self, letter: Letter) -> None:
        letter.refuse(Refusal(Reason.OVERLOADED, detail="the store is full", retry_after_ms=RETRY_MS))
        self._vigil.pause(RETRY_MS)

    def _fault(self, error: Exception) -> None:
        """A fault of ours stops this table alone. Its text may name tiles: above debug, where it arose is all."""
        self._current.progress.faulted = True
        self._outside.meters.quarantined()
        self._outside.journal.error(
            "table_quarantined", table_id=self.table_id, seq=self._current.state.seq, **_whereabouts(error)
        )
        self._outside.journal.debug("fault", table_id=self.table_id, exc_info=error)

    # --- deciding -----------------------------------------------------------------------

    def _known(self, letter: Letter) -> Answer | None:
        """The answer a request got before.

        Raises: Refusal: REQUEST_ID_REUSED, or TABLE_QUARANTINED and TABLE_CLOSED for a new one.
        """
        request = letter.content
        if not isinstance(request, Request):
            return None
        outcome = self._current.requests.known(request.seat, request.request_id, letter.fingerprint)
        if outcome is not None:
            return Answer(outcome, duplicate=True)
        self._check_open()
        return None

    def _decide_act(self, act: Act, draft: Draft) -> Answer:
        return Answer(flow.act(draft, act.seat, act.decision_id, act.action))

    def _decide_ready(self, ready: SetReady, draft: Draft) -> Answer:
        outcome = flow.ready(draft, ready.seat, ready.nonce)
        return Answer(outcome, duplicate=not draft.events)

    def _decide_trustee(self, switch: SetTrustee, draft: Draft) -> Answer:
        return Answer(trustee.switch(draft, switch.seat, on=switch.on), duplicate=not draft.events)

    def _decide_leave(self, leaves: Leave, draft: Draft) -> Answer:
        outcome = absence.leave(draft, leaves.seat, leaves.when)
        return Answer(outcome, duplicate=not draft.events)

    def check_sound(self) -> None:
        """Raises: Refusal: TABLE_QUARANTINED: a fault has stopped the table."""
        if self._current.progress.faulted or self._current.state.closed in _SET_ASIDE:
            raise Refusal(Reason.TABLE_QUARANTINED)

    def _check_open(self) -> None:
        self.check_sound()
        if self._current.progress.stopped:
            raise Refusal(Reason.TABLE_QUARANTINED)
        if self._current.state.stage is Stage.CLOSED:
            raise Refusal(Reason.TABLE_CLOSED)

    def _decide_tick(self, tick: Tick, draft: Draft) -> None:
        self._vigil.took_tick()
        if self._vigil.over:
            return
        now_ms = self._outside.time.now_ms()
        if self._decide_losses(draft, now_ms) or self._decide_comers(draft):
            return
        due = [clock for clock in self._current.clocks if clock.ends_ms <= now_ms]
        for clock in due:
            if clock.name is not ClockName.FLOOR:
                absence.run_out(draft, clock)
                self._outside.meters.ran_out(clock.name)
                return
        if due:
            absence.run_out(draft, due[0])
            if not draft.events:  # somebody is still asked: the floor has done its part
                self._current.clocks = clocking.without(self._current.clocks, ClockName.FLOOR)
            return
        trustee.serve(draft)

    def _decide_losses(self, draft: Draft, now_ms: int) -> bool:
        """Notice who has been silent for too long (PF-24). Returns: whether anybody has."""
        attendance = self._vigil.attendance
        overdue = attendance.overdue(now_ms)
        attendance.forget(overdue & self._current.lost)  # came and went before it could be written down
        for seat in sorted(overdue - self._current.lost):
            absence.lost(draft, seat)
        return bool(overdue - self._current.lost)

    def _decide_comers(self, draft: Draft) -> bool:
        """Count who has come as there, before a clock runs out on him. Returns: whether anybody has."""
        comers = self._vigil.comers()
        for seat in sorted(comers):
            if draft.state.has_arrived(seat):
                absence.back(draft, seat)
            else:
                flow.arrive(draft, seat)
        return bool(comers)

    def _decide_result(self, result: Result, draft: Draft) -> None:
        self._outcomes.decide(result, draft)

    # --- storing, applying, showing -----------------------------------------------------

    async def _commit(self, letter: Letter, draft: Draft, answer: Answer | None) -> None:
        current = self._current
        now_ms = self._outside.time.now_ms()
        clocks = clocking.following(draft.state, current.clocks, now_ms, draft.floor_ms, draft.lost)
        entries = tuple(
            Entry(seq, event, self._outside.codec.encode(event))
            for seq, event in enumerate(draft.events, current.state.seq + 1)
        )
        request = self._request_row(letter, answer)
        question_closed = current.answers_stored and _decision_of(draft) != _decision_of(current)
        forgets = draft.state.deal_number - 1 if draft.state.deal_number != current.state.deal_number else None
        await self._append(
            letter,
            Batch(
                table_id=self.table_id,
                epoch=current.epoch,
                token=self._next_token(),
                expected_seq=current.state.seq,
                entries=tuple(entry.data for entry in entries),
                private=tuple(self._outside.codec.encode_private(event) for event in draft.private),
                clears_answers=question_closed,
                clocks=None if clocks == current.clocks else clocking.written(clocks, now_ms),
                request=request,
                forgets_deal=forgets,
            ),
        )
        self._outside.checkpoints.reach("stored")
        before = current.state.stage
        stirred = draft.lost != current.lost or clocking.graces(clocks) != clocking.graces(current.clocks)
        self._forget_lost(draft, now_ms)
        current.record.follow(current.state, [(entry.event, entry.data) for entry in entries])
        current.state, current.clocks, current.lost = draft.state, clocks, draft.lost
        current.recent.extend(entries)
        current.answers_stored = bool(draft.private) or (current.answers_stored and not question_closed)
        if forgets is not None:
            current.requests.forget_until(forgets)
        if request is not None:
            current.requests.remember(request)
        self._show(letter, draft, entries, before)
        if stirred:
            self.gallery.show_presence()
        self._let_go(letter)

    def _forget_lost(self, draft: Draft, decided_ms: int) -> None:
        """Who is lost now is heard of again when he comes back, or already was while that was being stored."""
        attendance = self._vigil.attendance
        silent = attendance.overdue(decided_ms) | draft.state.exited
        attendance.forget((draft.lost - self._current.lost) & silent)

    def _let_go(self, letter: Letter) -> None:
        """Who has left at once watches no more, until he comes back (BB-61)."""
        leaves = letter.content
        if isinstance(leaves, Leave) and leaves.seat in self._current.state.exited:
            viewer = self.gallery.viewers.of_seat(leaves.seat)
            if viewer is not None:
                viewer.close(Farewell.LEFT)

    def _request_row(self, letter: Letter, answer: Answer | None) -> RequestRow | None:
        """How an accepted request is remembered: a move for this deal, a seat that is ready for the next one."""
        content = letter.content
        if answer is None or not isinstance(content, Request):
            return None
        number = self._current.state.deal_number + isinstance(content, SetReady)
        answered = written_answer(answer.outcome)
        return RequestRow(number, content.seat, content.request_id, letter.fingerprint, answered)

    def _next_token(self) -> str:
        self._batch_count += 1
        return str(self._batch_count)

    async def _append(self, letter: Letter, batch: Batch) -> None:
        """Have a batch stored. While the outcome is not known, the same batch is tried again, and nothing else."""
        while True:
            try:
                outcome = await self._outside.log.append(batch)
            except StoreAway:
                if letter.is_request:
                    letter.refuse(store_away())
                await self._outside.clock.sleep_ms(_STEP_MS)
                await self._outside.health.back()
                continue
            if outcome is not Appended.STORED:
                self._outside.journal.warning("not_appended", table_id=self.table_id, outcome=outcome)
                raise Leaving(Gone.MOVED if outcome is Appended.FENCED else Gone.LOST_TAIL)
            return

    def _show(self, letter: Letter, draft: Draft, entries: tuple[Entry, ...], before: Stage) -> None:
        try:
            if entries:
                self.gallery.show(entries)
                self.balcony.record(entries)
            elif isinstance(letter.content, Act):
                self.gallery.prompt_seat(letter.content.seat)
        except Exception as error:  # stored already: the table stops, what happened stands
            self._fault(error)
        self._outside.checkpoints.reach("recorded" if isinstance(letter.content, duties.SettlementMade) else "shown")
        self._count(draft, before)

    def _count(self, draft: Draft, before: Stage) -> None:
        after = draft.state.stage
        if draft.private or any(isinstance(event, Move) for event in draft.events):
            self._outside.meters.moved()
        if after is not before:
            self._outside.meters.staged(before, after)
        for event in draft.events:
            match event:
                case DealStarted():
                    self._note("deal_started", deal_id=event.deal_id)
                case DealSettled():
                    self._note("deal_settled", deal_id=event.deal_id)
                case Closed():
                    self._note("table_closed", cause=event.cause)
                    self.gallery.viewers.close_all(Farewell.ENDED)
                case _:
                    pass

    def _note(self, event: str, **facts: Any) -> None:
        self._outside.journal.info(event, table_id=self.table_id, **facts)

    # --- what comes next ----------------------------------------------------------------

    def _draw_floor(self) -> int:
        room = self._current.state.room
        if not room.claim_floor_max_ms:
            return 0
        return self._outside.entropy.between(room.claim_floor_min_ms, room.claim_floor_max_ms)

    def _floor_passed(self) -> bool:
        floor = clocking.find(self._current.clocks, ClockName.FLOOR)
        return floor is None or floor.ends_ms <= self._outside.time.now_ms()

    def _look_ahead(self) -> None:
        """Set the alarm for the next clock, and see to what is owed to others."""
        self._vigil.look_ahead()
        if not self._vigil.paused:
            self._bots.look()
        if self._duties is None and duties.next_duty(self._current.state, self._current.progress) is not None:
            self._duties = asyncio.create_task(self._do_duties(), name="table duties")

    async def _do_duties(self) -> None:
        """Perform what is owed, one after the other, until nothing is."""
        try:
            while (duty := duties.next_duty(self._current.state, self._current.progress)) is not None:
                result = await self._performer.perform(duty, self._current.state)
                try:
                    await self._tell(result)
                except Refusal:
                    await self._outside.clock.sleep_ms(RETRY_MS)
        finally:
            self._duties = None

    async def _tell(self, result: Result) -> None:
        reply: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self._mailbox.put(Letter(result, reply, self._outside.traces.current()))
        await reply


def _decision_of(held: Draft | Current) -> int | None:
    """What names the decision that stands open."""
    return None if held.state.deal is None else held.state.deal.opened_seq


def _whereabouts(error: Exception) -> dict[str, object]:
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    return {"error": type(error).__name__, "where": [f"{frame.name}:{frame.lineno}" for frame in frames]}


_DECIDERS: dict[type, Callable[[Table, Any, Draft], Answer | None]] = {
    Act: Table._decide_act,
    SetReady: Table._decide_ready,
    SetTrustee: Table._decide_trustee,
    Leave: Table._decide_leave,
    Tick: Table._decide_tick,
    **dict.fromkeys(RESULTS, Table._decide_result),
}
