"""What a viewer may know of an entry of the log (PF-40)."""

from dataclasses import replace

from games.kernel import Seat
from services.table.model import play
from services.table.model.events import Created, DealStarted, Move, Ready, TableEvent


def redact(event: TableEvent, seat: Seat | None) -> TableEvent | None:
    """The entry as a seat (None: a spectator) may know it; the same object if nothing is hidden; None: nothing of it.

    The seed is shown by `DealSettled` only (PF-41); nonces by `DealStarted`, when nobody can choose his any more.
    """
    if isinstance(event, Move):
        seen = play.redact(event.event, seat)
        if seen is event.event:
            return event
        return None if seen is None else Move(seen)
    if isinstance(event, DealStarted):
        return replace(event, seed=None)
    if isinstance(event, Ready):
        return replace(event, nonce=b"")
    if isinstance(event, Created) and event.correlation_id:
        return replace(event, correlation_id="")
    return event
