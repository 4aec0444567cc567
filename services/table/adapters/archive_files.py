"""The archive of tables' logs as files on a volume.

A folder a pod, in it segments that are only ever appended to; a process begins a new one, so that nobody writes behind
what another has left. A record is written whole, synced, and only then known of:

    "CRT1" | length of the head, of the body (4 bytes each, big end first) | SHA-256 of head and body | head | body

The head is JSON: table, cause, when the last entry was stored, number of entries. The body, compressed, is for each
entry its number and time (8 bytes each), its length (4 bytes) and its bytes. A record that is cut off, by a crash in
the midst of writing, is no record. Segments of faulty logs have names of their own, since they are kept longer.
"""

import asyncio
import hashlib
import os
import struct
import uuid
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import orjson

from services.table.archives import ArchiveAway, ArchivedLog
from services.table.model.events import CloseCause
from services.table.ports import StoredEntry

Result = TypeVar("Result")

SEGMENT_BYTES = 64 * 1024 * 1024
"""A segment that has grown beyond is not appended to any more."""
_MAGIC = b"CRT1"
_FRAME = struct.Struct(">4sII32s")
_ENTRY = struct.Struct(">QQI")
_SETTLED, _FAULTY = "settled", "faulty"
_SUFFIX = ".segment"


@dataclass(slots=True)
class _Segment:
    """What is known of a file: how far it was read, and when its newest log was closed."""

    read_to: int = 0
    newest_ms: int = 0
    damaged: bool = False


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where a record stands."""

    path: Path
    offset: int


class FileArchive:
    """`ArchiveStore` in a directory. Any number of pods may share it; each writes into a folder of its own."""

    def __init__(self, root: Path, pod: str, *, segment_bytes: int = SEGMENT_BYTES) -> None:
        """Nothing is touched before the first call."""
        self._root = root
        self._own = root / pod
        self._segment_bytes = segment_bytes
        self._segments: dict[Path, _Segment] = {}
        self._spots: dict[str, _Spot] = {}
        self._writing: dict[str, Path] = {}
        self._lock = asyncio.Lock()

    async def put(self, logs: Sequence[ArchivedLog]) -> None:
        """See `ArchiveStore`."""
        async with self._lock:
            await self._apart(self._put, logs)

    def knows(self, table_id: str) -> bool:
        """See `ArchiveStore`."""
        return table_id in self._spots

    async def get(self, table_id: str) -> ArchivedLog | None:
        """See `ArchiveStore`."""
        async with self._lock:
            return await self._apart(self.read, table_id)

    async def drop(self, *, settled_before_ms: int, faulty_before_ms: int) -> int:
        """See `ArchiveStore`."""
        async with self._lock:
            return await self._apart(self._drop, settled_before_ms, faulty_before_ms)

    # --- in a thread --------------------------------------------------------------------

    def read(self, table_id: str) -> ArchivedLog | None:
        """One log, checked against its digest; None if there is none. Raises: ArchiveAway, OSError."""
        if table_id not in self._spots:
            self._look_around()
        spot = self._spots.get(table_id)
        if spot is None:
            return None
        with spot.path.open("rb") as file:
            file.seek(spot.offset)
            found = _read_record(file)
        if found is None:
            raise ArchiveAway(f"the record of {table_id} in {spot.path} is damaged")
        return found

    def faults(self) -> list[str]:
        """Segments that hold something else than records."""
        self._look_around()
        return [f"{path} is damaged" for path, segment in sorted(self._segments.items()) if segment.damaged]

    def table_ids(self) -> list[str]:
        """All tables there are logs of."""
        self._look_around()
        return sorted(self._spots)

    def _put(self, logs: Sequence[ArchivedLog]) -> None:
        self._look_around()
        new = {log.table_id: log for log in logs if log.table_id not in self._spots}
        for series in (_SETTLED, _FAULTY):
            rows = [log for log in new.values() if _series(log) == series]
            if rows:
                self._append(self._segment(series), rows)

    def _append(self, path: Path, logs: Sequence[ArchivedLog]) -> None:
        """Write records and sync them; after any failure the segment is left alone."""
        series = path.name.partition("-")[0]
        try:
            with path.open("ab") as file:
                offset = file.tell()
                spots = {}
                for log in logs:
                    data = _record(log)
                    file.write(data)
                    spots[log.table_id] = _Spot(path, offset)
                    offset += len(data)
                file.flush()
                os.fsync(file.fileno())
        except OSError:
            del self._writing[series]
            raise
        self._spots |= spots
        segment = self._segments.setdefault(path, _Segment())
        segment.read_to = offset
        segment.newest_ms = max(segment.newest_ms, *(log.closed_ms for log in logs))

    def _segment(self, series: str) -> Path:
        """The segment of a series that is appended to."""
        path = self._writing.get(series)
        if path is not None and path.exists() and path.stat().st_size < self._segment_bytes:
            return path
        self._own.mkdir(parents=True, exist_ok=True)
        path = self._own / f"{series}-{uuid.uuid4().hex}{_SUFFIX}"
        path.touch(exist_ok=False)
        for folder in (self._own, self._root):
            _sync_folder(folder)
        self._writing[series] = path
        return path

    def _drop(self, settled_before_ms: int, faulty_before_ms: int) -> int:
        """Whole segments of this pod all of whose logs are older."""
        self._look_around()
        dropped = 0
        for path, segment in tuple(self._segments.items()):
            before_ms = faulty_before_ms if path.name.startswith(_FAULTY) else settled_before_ms
            if path.parent != self._own or segment.newest_ms >= before_ms or segment.damaged or not segment.read_to:
                continue
            path.unlink()
            dropped += 1
            del self._segments[path]
            self._writing = {series: each for series, each in self._writing.items() if each != path}
            self._spots = {name: spot for name, spot in self._spots.items() if spot.path != path}
        return dropped

    def _look_around(self) -> None:
        """Read the heads of what has been written since, by other pods and by earlier processes."""
        for path in self._root.glob(f"*/*{_SUFFIX}"):
            segment = self._segments.setdefault(path, _Segment())
            if not segment.damaged and path.stat().st_size > segment.read_to:
                self._read_heads(path, segment)

    def _read_heads(self, path: Path, segment: _Segment) -> None:
        size = path.stat().st_size
        with path.open("rb") as file:
            file.seek(segment.read_to)
            while (found := _read_head(file, size)) is not None:
                head, end = found
                self._spots.setdefault(head["table_id"], _Spot(path, segment.read_to))
                segment.newest_ms = max(segment.newest_ms, head["closed_ms"])
                segment.read_to = end
                file.seek(end)
            segment.damaged = _is_damaged(file, segment.read_to)

    async def _apart(self, work: Callable[..., Result], *arguments: object) -> Result:
        """Work on files, in a thread. Raises: ArchiveAway."""
        try:
            return await asyncio.to_thread(work, *arguments)
        except OSError as error:
            raise ArchiveAway(type(error).__name__) from error


def _series(log: ArchivedLog) -> str:
    return _FAULTY if log.is_faulty else _SETTLED


def _record(log: ArchivedLog) -> bytes:
    head = orjson.dumps(
        {
            "table_id": log.table_id,
            "cause": log.cause.value,
            "closed_ms": log.closed_ms,
            "entry_count": len(log.entries),
        }
    )
    body = zlib.compress(b"".join(_ENTRY.pack(row.seq, row.at_ms, len(row.data)) + row.data for row in log.entries))
    return _FRAME.pack(_MAGIC, len(head), len(body), hashlib.sha256(head + body).digest()) + head + body


def _read_head(file: BinaryIO, size: int) -> tuple[dict[str, Any], int] | None:
    """Head of the record that begins here, and where it ends; None if there is no whole one."""
    start = file.tell()
    frame = file.read(_FRAME.size)
    if len(frame) < _FRAME.size:
        return None
    magic, head_length, body_length, _ = _FRAME.unpack(frame)
    end = start + _FRAME.size + head_length + body_length
    if magic != _MAGIC or end > size:
        return None
    try:
        return orjson.loads(file.read(head_length)), end
    except orjson.JSONDecodeError:
        return None


def _is_damaged(file: BinaryIO, offset: int) -> bool:
    """Whether something stands here that is no beginning of a record: one that is cut off is none."""
    file.seek(offset)
    magic = file.read(len(_MAGIC))
    return not _MAGIC.startswith(magic)


def _read_record(file: BinaryIO) -> ArchivedLog | None:
    """The record that begins here; None if it is not what was written."""
    frame = file.read(_FRAME.size)
    if len(frame) < _FRAME.size:
        return None
    magic, head_length, body_length, digest = _FRAME.unpack(frame)
    head, body = file.read(head_length), file.read(body_length)
    if magic != _MAGIC or hashlib.sha256(head + body).digest() != digest:
        return None
    row = orjson.loads(head)
    return ArchivedLog(row["table_id"], CloseCause(row["cause"]), tuple(_entries(zlib.decompress(body))))


def _entries(body: bytes) -> Iterator[StoredEntry]:
    at = 0
    while at < len(body):
        seq, at_ms, length = _ENTRY.unpack_from(body, at)
        at += _ENTRY.size
        yield StoredEntry(seq, body[at : at + length], at_ms)
        at += length


def _sync_folder(path: Path) -> None:
    """Make the names in a folder last."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
