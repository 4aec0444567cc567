"""Taking a table over: read its log, claim it, go on where it stood."""

from collections import deque
from collections.abc import Mapping
from dataclasses import replace

from games.kernel import Seat
from services.table.app.current import Current, Entry, Moment
from services.table.app.duties import Progress
from services.table.app.outside import PAGE_COUNT, Outside
from services.table.app.record import DealRecord
from services.table.app.requests import Requests
from services.table.model import clocks as clocking
from services.table.model import play
from services.table.model import state as folding
from services.table.model.clocks import Clocks
from services.table.model.events import Created, Move, TableEvent
from services.table.model.state import TableState
from services.table.ports import Appended, Batch, Claimed, Ownership, UnreadableEntry

_TOKEN = "adopted"


class Replay:
    """A log folded entry by entry.

    Attributes:
        broken: whether the rules failed on an entry. Then the game stands where it last stood, while the table's own
            entries (payments above all) are still followed: the table can be ended in order.
        past: moments that spectators may not have seen yet and the one before them, by the store's clock.
    """

    def __init__(self, table_id: str, recent_count: int) -> None:
        self.table_id = table_id
        self._state: TableState | None = None
        self.recent: deque[Entry] = deque(maxlen=recent_count)
        self.past: deque[Moment] = deque()
        self.record = DealRecord()
        self.broken = False

    @property
    def seq(self) -> int:
        """Number of the last entry; 0 before the first."""
        return 0 if self._state is None else self._state.seq

    @property
    def state(self) -> TableState:
        """The table after the entries so far; at least one."""
        assert self._state is not None
        return self._state

    def take(self, entry: Entry, at_ms: int = 0) -> None:
        """One more entry, stored at a time. Raises: UnreadableEntry: it does not follow the one before."""
        if entry.seq != self.seq + 1:
            raise UnreadableEntry(f"entry {entry.seq} after {self.seq}")
        self.record.take(self._state, entry.event, entry.data)
        self._state = self._after(entry.event)
        self.recent.append(entry)
        room = self._state.room
        if room.spectators_allowed:
            self.past.append(Moment(at_ms, (entry,), self._state))
            while len(self.past) > 1 and self.past[1].at_ms < at_ms - room.spectator_delay_ms:
                self.past.popleft()

    def _after(self, event: TableEvent) -> TableState:
        if self._state is None:
            if not isinstance(event, Created):
                raise UnreadableEntry("the first entry makes no table")
            return folding.created(self.table_id, event)
        if not isinstance(event, Move):
            return folding.evolve(self._state, event)
        try:
            return folding.evolve(self._state, event)
        except Exception:  # whatever the rules raise: the table is ended in order
            self.broken = True
            return folding.skipped(self._state)

    def answer(self, outside: Outside, answers: tuple[bytes, ...]) -> None:
        """Answers to the question that stands open."""
        for data in answers:
            self._state = folding.answered(self.state, outside.codec.decode_private(data))


async def adopt(
    outside: Outside, table_id: str, owner: Ownership, *, authority: str, silent_ms: Mapping[str, int]
) -> Current | None:
    """Read and claim a table.

    The log is read before it is claimed, so that a table this version cannot read is left alone.

    Args:
        owner: who has it, as last seen.
        silent_ms: for each pod that is known, how long it has been silent: the clocks stood still since.
    Returns: None if somebody else was faster.
    Raises: UnreadableEntry: this version cannot read the log; nothing was claimed.
    """
    replay = Replay(table_id, outside.limits.recent_count)
    await _read_on(outside, replay, owner.seq)
    claimed = await outside.log.claim(table_id, known_epoch=owner.epoch, pod=outside.pod, authority=authority)
    if claimed is None:
        return None
    await _read_on(outside, replay, claimed.seq)
    if not replay.broken:
        replay.answer(outside, claimed.answers)
    rows = [
        *await outside.log.requests(table_id, replay.state.deal_number),
        *await outside.log.requests(table_id, replay.state.deal_number + 1),
    ]
    clocks = _clocks(outside, replay.state, claimed, silent_ms.get(owner.pod))
    current = Current(
        epoch=claimed.epoch,
        state=replay.state,
        clocks=clocks,
        requests=Requests(rows),
        recent=replay.recent,
        record=replay.record,
        epoch_starts=claimed.epoch_starts,
        answers_stored=bool(claimed.answers),
        generations=dict(claimed.generations),
        past=_past(outside, replay, claimed.now_ms),
        lost=_lost(replay.state, clocks),
        progress=Progress(faulted=replay.broken, taken_over_at=replay.state.settlement_seqs),
    )
    return current if await _clocks_written(outside, current) else None


async def _read_on(outside: Outside, replay: Replay, until_seq: int) -> None:
    while replay.seq < until_seq:
        rows = await outside.log.entries(replay.table_id, replay.seq, PAGE_COUNT)
        if not rows:
            raise UnreadableEntry(f"the log ends at {replay.seq}, not at {until_seq}")
        for row in rows:
            replay.take(Entry(row.seq, outside.codec.decode(row.data), row.data), row.at_ms)


def _past(outside: Outside, replay: Replay, store_now_ms: int) -> tuple[Moment, ...]:
    """The moments as old on the table's own time as they are by the store's clock."""
    shift_ms = outside.time.now_ms() - store_now_ms
    return tuple(replace(moment, at_ms=moment.at_ms + shift_ms) for moment in replay.past)


def _clocks(outside: Outside, state: TableState, claimed: Claimed, silent_ms: int | None) -> Clocks:
    """The clocks as they stood when the last owner was last heard of."""
    now_ms = outside.time.now_ms()
    ran_ms = 0 if silent_ms is None else claimed.clocks_age_ms - silent_ms
    clocks = clocking.read(claimed.clocks, now_ms=now_ms, ran_ms=ran_ms)
    return clocking.following(state, clocks, now_ms, None, frozenset(clocking.graces(clocks)))


def _lost(state: TableState, clocks: Clocks) -> frozenset[Seat]:
    """Players who were lost when the last owner was: whose grace runs, and who are away. The others had nobody to show
    a sign of life to: their time begins anew (PF-24).
    """
    away = frozenset() if state.deal is None or state.deal.settled else play.away(state.deal.game)
    return frozenset(clocking.graces(clocks)) | away | state.exited


async def _clocks_written(outside: Outside, current: Current) -> bool:
    """Write the clocks down as they run from now on; False if the table has been lost meanwhile."""
    text = clocking.written(current.clocks, outside.time.now_ms())
    batch = Batch(current.state.table_id, current.epoch, _TOKEN, current.state.seq, (), clocks=text)
    return await outside.log.append(batch) is Appended.STORED
