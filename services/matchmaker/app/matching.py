"""Making tables: take the players, make the table, give the seats; or put everybody back in front.

Every step is stored before the next begins, under a lease. A replica that dies leaves a match whose lease runs out;
another one claims it (the generation rises, so that the dead one, should it wake, is refused) and goes on from the
stored step under the same match id, which is the table's id: asking for the table twice makes one table.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from refusals import Reason, Refusal
from services.matchmaker.app.filling import Filler, NoRobots
from services.matchmaker.app.news import NewsDesk, rung
from services.matchmaker.app.rooms import seat_count
from services.matchmaker.ports import (
    Chance,
    Checkpoints,
    Clock,
    Created,
    CreateOutcome,
    Journal,
    Match,
    MatchStep,
    MatchStore,
    Meters,
    OutcomeUnknown,
    Pod,
    Pods,
    Refused,
    Room,
    RoomStore,
    Tables,
    TicketStore,
    Traces,
)

UNDECIDED = frozenset({Reason.INTERNAL, Reason.STORE_UNAVAILABLE, Reason.DEPENDENCY_UNAVAILABLE, Reason.FENCED})
"""Refusals that leave it open whether the table was made: the pod may have failed after it had stored it."""

ELSEWHERE = frozenset({Reason.NO_SLOT, Reason.SHUTTING_DOWN, Reason.OVERLOADED})
"""Refusals that say: not this pod, another one may."""


@dataclass(frozen=True, slots=True)
class MatchingLimits:
    """Times in milliseconds.

    Attributes:
        give_up_ms: age at which a match whose table nobody confirms is undone.
        retry_ms: pause after a round in which no pod gave a definite answer.
        poll_ms: how often queues and stale matches are looked at without being told.
        rest_ms: how long a room rests whose match led nowhere, and a pod that has refused a table, as if it were full.
        in_flight_max: matches in the making at once in this process.
    """

    give_up_ms: int
    retry_ms: int
    poll_ms: int
    rest_ms: int
    in_flight_max: int


class Matcher:
    """Makes tables of the tickets of all rooms. Any number of replicas may run."""

    def __init__(
        self,
        *,
        filler: Filler,
        traces: Traces,
        rooms: RoomStore,
        tickets: TicketStore,
        matches: MatchStore,
        pods: Pods,
        tables: Tables,
        desk: NewsDesk,
        chance: Chance,
        clock: Clock,
        checkpoints: Checkpoints,
        meters: Meters,
        journal: Journal,
        limits: MatchingLimits,
    ) -> None:
        self._filler = filler
        self._traces = traces
        self._rooms = rooms
        self._tickets = tickets
        self._matches = matches
        self._pods = pods
        self._tables = tables
        self._desk = desk
        self._chance = chance
        self._clock = clock
        self._checkpoints = checkpoints
        self._meters = meters
        self._journal = journal
        self._limits = limits
        self._in_flight: set[asyncio.Task[None]] = set()
        self._asking: Counter[str] = Counter()
        self._rooms_rest = _Rests(clock, limits.rest_ms)
        self._pods_rest = _Rests(clock, limits.rest_ms)
        self._served_last = ""

    async def run(self) -> None:
        """Looks at the queues whenever there is news, and every `poll_ms`, until cancelled or the desk closes."""
        while not self._desk.closing:
            self._desk.rooms.clear()
            await self._look()
            await rung(self._desk.rooms, self._clock, self._limits.poll_ms)

    async def finish(self) -> None:
        """Waits for the matches in the making; cut short, they are left to the other replicas."""
        if self._in_flight:
            await asyncio.wait(self._in_flight)

    @property
    def in_flight(self) -> tuple[asyncio.Task[None], ...]:
        """The matches in the making; cancelled, they are left where they stand, as by a crash."""
        return tuple(self._in_flight)

    async def _look(self) -> None:
        try:
            await self._take_over()
            await self._match_rooms()
        except Exception as error:
            # Whatever it was, the queues must be looked at again: the loop outlives one bad look.
            self._journal.warning("matching_paused", **_trouble(error))

    async def _take_over(self) -> None:
        for match in await self._matches.claim_stale(self._free_hands()):
            self._journal.info("match_taken_over", match_id=match.match_id, generation=match.generation)
            self._carry(match)

    async def _match_rooms(self) -> None:
        rooms = await self._rooms.all()
        waiting = await self._waiting(rooms)
        awake = [room for room in rooms if room.room_id not in self._rooms_rest]
        short = [room for room in awake if waiting[room.room_id] >= seat_count(room)]
        few = [room for room in awake if room.bots_allowed and 0 < waiting[room.room_id] < seat_count(room)]
        if not short and not few:
            return
        slots = sum(pod.slots_free for pod in await self._live_pods()) - len(self._in_flight)
        # Whoever was served last comes last: where slots are scarce no room starves another.
        short.sort(key=lambda room: (room.room_id <= self._served_last, room.room_id))
        while short and slots > 0 and self._free_hands() > 0:
            room = short.pop(0)
            match = await self._matches.take(room, self._chance.new_id(), self._chance.permutation(seat_count(room)))
            if match is None:
                continue
            slots -= 1
            short.append(room)
            await self._checkpoints.reached(MatchStep.TAKEN)
            self._carry(match)
        for room in few:
            if slots > 0 and self._free_hands() > 0 and await self._fill(room):
                slots -= 1

    async def _fill(self, room: Room) -> bool:
        """A table for those few who wait, with bots (PF-10); whether one is made."""
        try:
            match = await self._filler.fill(room)
        except (NoRobots, Refusal) as trouble:  # this room waits, the others do not
            why = trouble.outcome if isinstance(trouble, NoRobots) else trouble.reason.value
            self._journal.warning("not_filled", room_id=room.room_id, why=why)
            self._rooms_rest.begin(room.room_id)
            return False
        if match is None:
            return False
        await self._checkpoints.reached(MatchStep.TAKEN)
        self._carry(match)
        return True

    async def _waiting(self, rooms: tuple[Room, ...]) -> Mapping[str, int]:
        activity = await self._tickets.activity([room.room_id for room in rooms])
        waiting = {room_id: row.queue_length for room_id, row in activity.items()}
        for room_id, count in waiting.items():
            self._meters.queue_waiting(room_id, count)
        return waiting

    async def _live_pods(self) -> tuple[Pod, ...]:
        """The pods that live; one that rests counts as full, whatever its card says: the card may be old."""
        live = await self._pods.live()
        return tuple(replace(pod, slots_free=0) if pod.pod in self._pods_rest else pod for pod in live)

    def _free_hands(self) -> int:
        return self._limits.in_flight_max - len(self._in_flight)

    def _carry(self, match: Match) -> None:
        task = asyncio.create_task(self._make_table(match))
        self._in_flight.add(task)
        task.add_done_callback(self._put_down)

    def _put_down(self, task: asyncio.Task[None]) -> None:
        self._in_flight.discard(task)
        # Hands are free again: a queue that had to wait for them is looked at now.
        self._desk.rooms_changed()
        if not task.cancelled() and (error := task.exception()) is not None:
            self._journal.warning("match_dropped", **_trouble(error))

    async def _make_table(self, match: Match) -> None:
        """Carries one match to its end: seats, put back, or taken over by somebody else."""
        self._traces.resume(match.correlation_id)
        attempt = _Attempt(match.pod)
        while not attempt.is_spent:
            pod = attempt.next_pod(await self._live_pods(), self._asking, self._chance)
            if pod is None and not attempt.is_open:
                break
            age_ms = await self._matches.ask(match, pod.pod if pod else attempt.asked_last)
            if age_ms is None:
                return
            if age_ms > self._limits.give_up_ms:
                break
            if pod is None:
                await self._clock.sleep_ms(self._limits.retry_ms)
                attempt.begin_round()
                continue
            await self._checkpoints.reached(MatchStep.ASKED)
            outcome = await self._ask(pod, match)
            if isinstance(outcome, Created):
                await self._grant(match, outcome)
                return
            attempt.note(pod, outcome)
            if isinstance(outcome, Refused) and outcome.reason in ELSEWHERE:
                self._pods_rest.begin(pod.pod)
        if attempt.is_spent or attempt.is_open:
            # Before the tickets are back, else this very process takes them again at once.
            self._rooms_rest.begin(match.room.room_id)
        await self._put_back(match, attempt.last_reason)

    async def _ask(self, pod: Pod, match: Match) -> CreateOutcome:
        self._asking[pod.pod] += 1
        try:
            outcome = await self._tables.create(pod, match)
        finally:
            self._asking[pod.pod] -= 1
        self._meters.create_attempt(_outcome_name(outcome))
        return outcome

    async def _grant(self, match: Match, created: Created) -> None:
        await self._checkpoints.reached(MatchStep.CREATED)
        if not await self._matches.grant(match, created):
            return
        self._served_last = match.room.room_id
        self._meters.match_ended(MatchStep.SEATED)
        self._journal.info("table_seated", match_id=match.match_id, room_id=match.room.room_id, pod=created.pod)
        await self._checkpoints.reached(MatchStep.SEATED)

    async def _put_back(self, match: Match, reason: str) -> None:
        if not await self._matches.put_back(match):
            return
        self._meters.match_ended(MatchStep.PUT_BACK)
        self._journal.warning("match_put_back", match_id=match.match_id, room_id=match.room.room_id, reason=reason)
        await self._checkpoints.reached(MatchStep.PUT_BACK)


class _Rests:
    """Names that are left alone for a while."""

    def __init__(self, clock: Clock, rest_ms: int) -> None:
        self._clock = clock
        self._rest_ms = rest_ms
        self._until: dict[str, int] = {}

    def begin(self, name: str) -> None:
        """From now on, once more."""
        self._until[name] = self._clock.monotonic_ms() + self._rest_ms

    def __contains__(self, name: str) -> bool:
        if name in self._until and self._until[name] <= self._clock.monotonic_ms():
            del self._until[name]
        return name in self._until


class _Attempt:
    """Which pod to ask next for one table.

    A pod whose answer is open is asked again before the match may be given up: it may have made the table. Pods that
    said no are not asked again.
    """

    def __init__(self, first: str) -> None:
        """`first`: the pod a handler before us has asked; empty if none."""
        self.asked_last = first
        self._preferred = first
        self._refused: set[str] = set()
        self._open: set[str] = {first} if first else set()
        self._asked: set[str] = set()
        self._sent_on: set[str] = set()
        self.is_spent = False
        self.last_reason = "no_pod"

    @property
    def is_open(self) -> bool:
        """Whether a pod may have made the table without our knowing."""
        return bool(self._open)

    def begin_round(self) -> None:
        """Asks the pods with an open answer once more."""
        self._asked.clear()
        self._sent_on.clear()

    def next_pod(self, live: tuple[Pod, ...], asking: Counter[str], chance: Chance) -> Pod | None:
        """The preferred pod, else one with free slots that was not asked in this round; None if none.

        Drawn by free slots, so that replicas which read the same cards do not all run to the emptiest pod.
        """
        choice = [pod for pod in live if pod.pod not in self._refused | self._asked]
        for pod in choice:
            if pod.pod == self._preferred or pod.pod in self._open:
                return pod
        free = [max(0, pod.slots_free - asking[pod.pod]) for pod in choice]
        return choice[chance.pick(free)] if any(free) else None

    def note(self, pod: Pod, outcome: Refused | OutcomeUnknown) -> None:
        """What a pod answered."""
        self.asked_last = pod.pod
        self._asked.add(pod.pod)
        self._preferred = ""
        if isinstance(outcome, OutcomeUnknown) or outcome.reason in UNDECIDED:
            self._open.add(pod.pod)
            self.last_reason = "unknown"
            return
        self.last_reason = outcome.reason.value
        if outcome.reason is Reason.NOT_OWNER:
            # The table exists: its owner is asked next, and again until he answers.
            self._follow(outcome.metadata.get("pod", ""))
            return
        self._open.discard(pod.pod)
        self._refused.add(pod.pod)
        # Neither "another pod may" nor an open answer: this match id leads nowhere.
        self.is_spent = outcome.reason not in ELSEWHERE and not self._open

    def _follow(self, owner: str) -> None:
        if owner and owner not in self._sent_on:
            # Once a round: two pods that each name the other must not make us run in circles.
            self._sent_on.add(owner)
            self._asked.discard(owner)
            self._preferred = owner
            self._open = {owner}


def _outcome_name(outcome: CreateOutcome) -> str:
    if isinstance(outcome, Created):
        return "created"
    return outcome.reason.value.lower() if isinstance(outcome, Refused) else "unknown"


def _trouble(error: BaseException) -> dict[str, object]:
    """For the log: a refusal by its reason, a fault of ours with its traceback."""
    return {"reason": error.reason.value} if isinstance(error, Refusal) else {"exc_info": error}
