"""Replays: a deal that is over, with everything that was hidden while it ran (PF-41).

They are read from the log, or from the archive once the log is there, so that any pod can answer. Who sat in the deal
may see it, and operators; spectators see it when it has been over for as long as they are behind the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from games.kernel import Seat
from refusals import Reason, Refusal
from services.table.app.outside import PAGE_COUNT, Outside
from services.table.archives import ArchiveAway
from services.table.model.events import Closed, Created, DealSettled, DealStarted, DealVoided, TableEvent
from services.table.model.room import Room
from services.table.ports import StoredEntry

_RETRY_MS = 1_000
_OVER = (DealSettled, DealVoided, Closed)
"""Entries after which a deal runs no more."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A deal that is over.

    Attributes:
        created: whose table it is, and the settings that the deal went by (PF-2).
        entries: from `started` to the entry that ended it, with nothing hidden.
    """

    created: Created
    started: DealStarted
    entries: tuple[StoredEntry, ...]


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks: one who sits at the table (`seat`), a spectator, or an operator (neither)."""

    player: str = ""
    seat: Seat | None = None
    spectates: bool = False


class Replays:
    """Finds deals that are over."""

    def __init__(self, outside: Outside) -> None:
        self._outside = outside

    async def deal(self, table_id: str, number: int, asker: Asker) -> Replay:
        """One deal of a table.

        Raises: Refusal: TABLE_UNKNOWN, DEAL_UNKNOWN; DEAL_RUNNING: it is not over, or (for spectators) not for long
            enough; TOKEN_MISMATCH, SPECTATORS_NOT_ALLOWED. StoreAway.
        """
        log = await self._log(table_id)
        created = self._outside.codec.decode(log[0].data)
        assert isinstance(created, Created)
        _admit(created, asker)
        found = self._find(log, number)
        if asker.spectates:
            await self._check_spectator(created.room, found, log, number)
        if found.ended is None:
            raise Refusal(Reason.DEAL_UNKNOWN if found.started is None else Reason.DEAL_RUNNING)
        assert found.started is not None
        return Replay(created, found.started, found.entries)

    async def _check_spectator(self, room: Room, found: "_Found", log: Sequence[StoredEntry], number: int) -> None:
        """Until it is old enough, whether a deal has begun or is over is nothing a spectator is told either."""
        if not room.spectators_allowed:
            raise Refusal(Reason.SPECTATORS_NOT_ALLOWED)
        last = log[-1]
        closed = isinstance(self._outside.codec.decode(last.data), Closed)
        tells = found.ended or (last if closed else None)
        age_ms = -1 if tells is None else await self._outside.log.now_ms() - tells.at_ms
        if number and age_ms < room.spectator_delay_ms:
            raise Refusal(Reason.DEAL_RUNNING)

    async def _log(self, table_id: str) -> Sequence[StoredEntry]:
        rows: list[StoredEntry] = []
        while page := await self._outside.log.entries(table_id, rows[-1].seq if rows else 0, PAGE_COUNT):
            rows += page
        if rows:
            return rows
        try:
            archived = None if self._outside.archive is None else await self._outside.archive.get(table_id)
        except ArchiveAway as error:
            raise Refusal(Reason.DEPENDENCY_UNAVAILABLE, retry_after_ms=_RETRY_MS) from error
        if archived is None:
            raise Refusal(Reason.TABLE_UNKNOWN)
        return archived.entries

    def _find(self, log: Sequence[StoredEntry], number: int) -> "_Found":
        started: DealStarted | None = None
        entries: list[StoredEntry] = []
        for entry in log:
            event = self._outside.codec.decode(entry.data)
            if isinstance(event, DealStarted) and event.deal_number == number:
                started = event
            if started is None:
                continue
            entries.append(entry)
            if _ends(event):
                return _Found(started, tuple(entries), entry)
        return _Found(started, tuple(entries))


@dataclass(frozen=True, slots=True)
class _Found:
    """What a log says of a deal.

    Attributes:
        started: None: it has not begun.
        ended: the entry that ended it; None: it is not over.
    """

    started: DealStarted | None
    entries: tuple[StoredEntry, ...]
    ended: StoredEntry | None = None


def _ends(event: TableEvent) -> bool:
    return isinstance(event, _OVER)


def _admit(created: Created, asker: Asker) -> None:
    """Raises: Refusal: the asker has no business at this table."""
    seat = asker.seat
    if seat is not None and (not 0 <= seat < len(created.players) or created.players[seat] != asker.player):
        raise Refusal(Reason.TOKEN_MISMATCH, field="table_id", detail="the token's player does not sit there")
