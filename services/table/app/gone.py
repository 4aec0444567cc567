"""Why a table is not on its pod any more."""

from enum import StrEnum

from services.table.ports import Farewell


class Gone(StrEnum):
    """Why a table is not here any more.

    FINISHED: everything about it is done. MOVED: another owner has it. LOST_TAIL: its log has lost entries and must
    be read again. STOPPED: this process lets it go.
    """

    FINISHED = "finished"
    MOVED = "moved"
    LOST_TAIL = "lost_tail"
    STOPPED = "stopped"


FAREWELLS = {
    Gone.FINISHED: Farewell.ENDED,
    Gone.MOVED: Farewell.MOVED,
    Gone.LOST_TAIL: Farewell.RECONNECT,
    Gone.STOPPED: Farewell.SHUTDOWN,
}


class Leaving(Exception):
    """Ends a table's task.

    Attributes:
        why: what becomes of the table.
    """

    def __init__(self, why: Gone) -> None:
        super().__init__(why)
        self.why = why
