"""What a pod needs of an archive: where the logs of tables that are over are kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from services.table.model.events import FAULTS, CloseCause
from services.table.ports import StoredEntry


class ArchiveAway(Exception):
    """The archive does not answer, or what it holds is damaged; what was to be put there may be put again."""


@dataclass(frozen=True, slots=True)
class ArchivedLog:
    """The whole log of a table that is over; `cause`: why it was dissolved."""

    table_id: str
    cause: CloseCause
    entries: tuple[StoredEntry, ...]

    @property
    def closed_ms(self) -> int:
        """When its last entry was stored, by the store's clock, in ms since 1970."""
        return self.entries[-1].at_ms

    @property
    def is_faulty(self) -> bool:
        """Whether somebody will want to look into it."""
        return self.cause in FAULTS


class ArchiveStore(Protocol):
    """Where the logs of tables that are over are kept. Every call may raise `ArchiveAway`."""

    async def put(self, logs: Sequence[ArchivedLog]) -> None:
        """Keep logs: they last when this returns. A log that is there already is not kept twice."""
        ...

    def knows(self, table_id: str) -> bool:
        """Whether it is remembered to hold a log; it may hold what others have put there without knowing."""
        ...

    async def get(self, table_id: str) -> ArchivedLog | None:
        """One log; None if it is not there (any more)."""
        ...

    async def drop(self, *, settled_before_ms: int, faulty_before_ms: int) -> int:
        """Forget what is older, as far as it can be forgotten; returns how many files or objects."""
        ...
