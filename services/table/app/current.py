"""What an owner knows of its table. It changes only after the change is stored."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from services.table.app.duties import Progress
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


@dataclass(slots=True)
class Current:
    """A table in memory.

    Attributes:
        recent: the last entries, without gaps up to the last one.
        epoch_starts: for each epoch the number of the last entry when it began.
        answers_stored: whether answers to the open question are stored beside the log.
    """

    epoch: int
    state: TableState
    clocks: Clocks
    requests: Requests
    recent: deque[Entry]
    epoch_starts: Mapping[int, int]
    answers_stored: bool = False
    progress: Progress = field(default_factory=Progress)
