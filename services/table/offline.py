"""A log looked at without a table: `python -m services.table.offline DIRECTORY TABLE`.

Reads the table's log out of the archive and folds it entry by entry, as a pod does that takes the table over. One line
an entry: its number, when it was stored, its kind, the stage after it and a digest of the whole state, the same
wherever the same log is read. Where the rules fail, the line says which fault it was, and what follows is only counted.
Nothing is written. Status: 0, 1 where the rules failed or the log does not fit, 2 where there is none. What is printed
tells nothing to anybody who may not read the archive anyway.
"""

import hashlib
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from services.table.adapters.archive_files import FileArchive
from services.table.app.adoption import Replay
from services.table.app.current import Entry
from services.table.archives import ArchiveAway, ArchivedLog
from services.table.edge.codec import ProtobufCodec
from services.table.model import state as folding
from services.table.model.events import Move, TableEvent
from services.table.model.state import TableState
from services.table.ports import UnreadableEntry

SOUND, FAULTY, MISSING = 0, 1, 2


def look(log: ArchivedLog, say: Callable[[str], None]) -> int:
    """Tell a log line by line; returns the status."""
    codec, replay = ProtobufCodec(), Replay(log.table_id, 1)
    for row in log.entries:
        try:
            event = codec.decode(row.data)
            fault = "" if replay.broken else _fault(replay, event)
            replay.take(Entry(row.seq, event, row.data), row.at_ms)
        except UnreadableEntry as error:
            say(f"{row.seq} cannot be read: {error}")
            return FAULTY
        except AssertionError:
            say(f"{row.seq} {_kind(event)} does not follow from what is before it")
            return FAULTY
        at = datetime.fromtimestamp(row.at_ms / 1000, UTC).isoformat(timespec="milliseconds")
        say(f"{row.seq} {at} {_kind(event)} {replay.state.stage} {digest(replay.state)}{fault}")
    say(f"{log.table_id}: {len(log.entries)} entries, closed: {log.cause}; {_verdict(replay)}")
    return FAULTY if replay.broken else SOUND


def digest(state: TableState) -> str:
    """A short name of a whole state."""
    return hashlib.sha256(repr(state).encode()).hexdigest()[:16]


def _fault(replay: Replay, event: TableEvent) -> str:
    """What the rules raise on a move; empty if they take it."""
    if not isinstance(event, Move):
        return ""
    try:
        folding.evolve(replay.state, event)
    except Exception as error:  # whatever it is: it is what is looked for
        return f" FAULT {type(error).__name__}: {error}"
    return ""


def _kind(event: TableEvent) -> str:
    return type(event.event).__name__ if isinstance(event, Move) else type(event).__name__


def _verdict(replay: Replay) -> str:
    return "the rules fail on it" if replay.broken else f"sound, last state {digest(replay.state)}"


def main(arguments: list[str], say: Callable[[str], None] = print) -> int:
    """Run with command line arguments; returns the status."""
    if len(arguments) != 2:
        say("usage: python -m services.table.offline DIRECTORY TABLE")
        return MISSING
    directory, table_id = arguments
    try:
        log = FileArchive(Path(directory), "offline").read(table_id)
    except (ArchiveAway, OSError) as error:
        say(f"{directory} cannot be read: {error}")
        return MISSING
    if log is None:
        say(f"{directory} holds no log of {table_id}")
        return MISSING
    return look(log, say)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
