"""What an owner knows of its table. It changes only after the change is stored."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from games.kernel import Seat
from services.table.app.duties import Progress
from services.table.app.record import DealRecord
from services.table.app.requests import Requests
from services.table.model.clocks import Clocks
from services.table.model.events import TableEvent
from services.table.model.state import TableState


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the log: its number, the event, and its bytes."""

    seq: int
    event: TableEvent
    data: bytes


@dataclass(frozen=True, slots=True)
class Moment:
    """How a table stood from a time on.

    Attributes:
        at_ms: when, on the table's own time.
        entries: what brought it there.
        clocks: those that ran from then on; none where that is not known any more.
    """

    at_ms: int
    entries: tuple[Entry, ...]
    state: TableState
    clocks: Clocks = ()


@dataclass(slots=True)
class Current:
    """A table in memory.

    Attributes:
        recent: the last entries, without gaps up to the last one.
        epoch_starts: for each epoch the number of the last entry when it began.
        answers_stored: whether answers to the open question are stored beside the log.
        generations: of the newest token each seat has used; seats that never renewed theirs are left out.
        past: moments when the owner took the table over that spectators may not have seen, and the one before them.
        lost: seats whose players are not there (PF-24).
        record: the deal that is played or was last, as scoring is asked about it.
    """

    epoch: int
    state: TableState
    clocks: Clocks
    requests: Requests
    recent: deque[Entry]
    epoch_starts: Mapping[int, int]
    answers_stored: bool = False
    lost: frozenset[Seat] = frozenset()
    progress: Progress = field(default_factory=Progress)
    record: DealRecord = field(default_factory=DealRecord)
    past: tuple[Moment, ...] = ()
    generations: dict[Seat, int] = field(default_factory=dict)
