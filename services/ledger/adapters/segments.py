"""The archive: a folder of segments an asset, each chained to the one before it."""

import fcntl
import os
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, TypeVar

from services.ledger.adapters.segment_file import (
    SUFFIX,
    Footer,
    Header,
    Segment,
    entry_line,
    number_of,
    segment_name,
    sync_folder,
    write_segment,
)
from services.ledger.app.entries import chain_hash
from services.ledger.ports import ArchiveAway, ArchiveFault
from services.ledger.values import Entry, Head

LOCK: Final = "lock"
ASIDE: Final = "aside"
"""Folder for entries that were taken out: histories that an operator decided against."""
NOTHING: Final = Head(0, "")
_SEALED_MODE: Final = 0o444
_GRAIN_NS: Final = 2_000_000_000
"""A folder that changed later than so long before it was listed may have changed again without another time."""

_T = TypeVar("_T")


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ArchiveAway(f"{folder.name}: {error.strerror or type(error).__name__}") from error


class SegmentArchive:
    """``JournalArchive`` in a folder.

    Args:
        folder: holds a folder an asset.
        segment_count: entries of a segment; then it is sealed and the next one begins.
    """

    def __init__(self, folder: Path, *, segment_count: int = 10_000) -> None:
        self._folder = folder
        self._segment_count = segment_count
        self._lock: IO[bytes] | None = None
        self._writing = threading.RLock()
        self._listed: dict[str, tuple[int, list[Segment]]] = {}
        self._checked: dict[str, tuple[int, Footer | None]] = {}

    def hold(self) -> bool:
        """See ``JournalArchive``; the system lets go of it even after a kill."""
        if self._writes():
            return True
        self.let_go()
        with _told(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            lock = (self._folder / LOCK).open("wb")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            return False
        self._lock = lock
        return self._is_ours(lock)

    def is_held(self) -> bool:
        """See ``JournalArchive``."""
        return self._lock is not None

    def _writes(self) -> bool:
        return self._lock is not None and self._is_ours(self._lock)

    def _is_ours(self, lock: IO[bytes]) -> bool:
        """Whether the file that is locked still has its name: who deleted it would let a second process write too."""
        try:
            return os.path.samestat(os.fstat(lock.fileno()), (self._folder / LOCK).stat())
        except FileNotFoundError:
            return False

    def let_go(self) -> None:
        """Let another one write."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def head(self, asset: str) -> Head:
        """See ``JournalArchive``."""
        return self._read(asset, self._head)

    def sealed(self, asset: str) -> int:
        """See ``JournalArchive``: segments that this process has not read since they were sealed are read now."""
        return self._read(asset, lambda segments: self._sealed(asset, segments))

    def append(self, asset: str, entries: Sequence[Entry]) -> None:
        """See ``JournalArchive``. Raises: ArchiveFault: an entry does not follow the one before it."""
        self._must_hold()
        with self._writing, _told(self._folder / asset):
            head = self._mended_head(asset)
            while entries:
                room = self._room(asset, head)
                head = self._write(asset, head, entries[:room])
                entries = entries[room:]
                self._seal_if_full(asset, head)

    def entry(self, asset: str, number: int) -> Entry | None:
        """See ``JournalArchive``."""
        found = self.entries(asset, number - 1, 1)
        return found[0] if found else None

    def entries(self, asset: str, after: int, count: int) -> list[Entry]:
        """See ``JournalArchive``."""
        return self._read(asset, lambda segments: self._entries(segments, after, count)) if count > 0 else []

    def next_entries(self, asset: str, after: int, count: int) -> list[Entry]:
        """See ``JournalArchive``."""

        def read(segments: list[Segment]) -> list[Entry]:
            for segment in segments:
                head = segment.head()
                if head is not None and head.number > after:
                    return self._entries(segments, max(after, segment.first - 1), count)
            return []

        return self._read(asset, read)

    def set_aside(self, asset: str, after: int) -> int:
        """See ``JournalArchive``. They go, as a segment, to the folder ``aside``."""
        self._must_hold()
        with self._writing, _told(self._folder / asset):
            head = self._mended_head(asset)
            if head.number <= after:
                return 0
            lost = self.entries(asset, after, head.number - after)
            before = self.entry(asset, after) if after else Entry(0, "", "")
            if before is None or len(lost) != head.number - after:
                raise ArchiveFault(f"{asset} is damaged after entry {after}: nothing is set aside")
            goal = self._aside(asset, after, head)
            goal.parent.mkdir(exist_ok=True)
            sync_folder(goal.parent.parent)
            if not _holds(goal, lost):
                part = goal.with_suffix(".part")
                part.unlink(missing_ok=True)
                write_segment(part, Header(asset, after + 1, before.hash, ""), lost)
                part.replace(goal)
                sync_folder(goal.parent)
            return len(lost)

    def cut(self, asset: str, after: int) -> None:
        """See ``JournalArchive``."""
        self._must_hold()
        with self._writing, _told(self._folder / asset):
            head = self._mended_head(asset)
            if head.number <= after:
                return
            if not _holds(self._aside(asset, after, head), self.entries(asset, after, head.number - after)):
                raise ArchiveFault(f"the entries of {asset} after {after} are not set aside: they stay")
            self._cut(asset, after)
            self._listed.pop(asset, None)
            self._checked.pop(asset, None)

    def _aside(self, asset: str, after: int, head: Head) -> Path:
        return self._folder / asset / ASIDE / f"{after + 1}-{head.number}-{head.hash[:8]}{SUFFIX}"

    def faults(self, asset: str) -> list[tuple[int, str]]:
        """See ``JournalArchive``."""
        return self._read(asset, lambda segments: list(self._faults(segments)))

    def strays(self, asset: str) -> list[str]:
        """See ``JournalArchive``."""
        folder = self._folder / asset
        with _told(folder):
            return [name for name in _names(folder) if number_of(name) == 0] if folder.exists() else []

    def _head(self, segments: list[Segment]) -> Head:
        for segment in reversed(segments):
            head = segment.head()
            if head is not None:
                segment.must_be_in_place()
                return head
        return NOTHING

    def _sealed(self, asset: str, segments: list[Segment]) -> int:
        place, follows = self._checked.get(asset, (0, None))
        for segment in segments[place:]:
            footer = segment.footer()
            if footer is None:
                break
            head = Head(follows.last, follows.hash) if follows else NOTHING
            for _, detail in segment.check(follows, head, is_last=False):
                raise ArchiveFault(detail)
            place, follows = place + 1, footer
            self._checked[asset] = place, follows
        return follows.last if follows else 0

    def _entries(self, segments: list[Segment], after: int, count: int) -> list[Entry]:
        found: list[Entry] = []
        place = bisect_right(segments, after + 1, key=lambda segment: segment.first) - 1
        for segment in segments[max(place, 0) :]:
            if segment.first > after + count or len(found) >= count:
                break
            segment.must_be_in_place()
            found += segment.entries(after, count)
        return found

    def _faults(self, segments: list[Segment]) -> Iterator[tuple[int, str]]:
        follows: Footer | None = None
        head = NOTHING
        for place, segment in enumerate(segments):
            follows, head = yield from segment.check(follows, head, is_last=place == len(segments) - 1)

    def _mended_head(self, asset: str) -> Head:
        """Where the copy ends, after a line that a crash cut short is taken off. For the holder only."""
        folder = self._folder / asset
        folder.mkdir(parents=True, exist_ok=True)
        newest = self._newest(asset)
        if newest is not None:
            whole = _whole_bytes(newest.path)
            if newest.footer() is not None and whole < newest.path.stat().st_size:
                raise ArchiveFault(f"{newest.path.name} goes on after its end")
            if whole == 0:
                newest.path.unlink()
            elif whole < newest.path.stat().st_size:
                os.truncate(newest.path, whole)
        return self._head(_list(folder))

    def _newest(self, asset: str) -> Segment | None:
        """For the holder: never out of what readers remember."""
        segments = _list(self._folder / asset)
        return segments[-1] if segments else None

    def _room(self, asset: str, head: Head) -> int:
        """How many entries the newest segment takes; it is begun if there is none, or the newest is sealed."""
        newest = self._newest(asset)
        footer = newest.footer() if newest else None
        if newest is not None and footer is None:
            footer = self._seal_if_full(asset, head)  # a crash came between the last entry and the seal
        if newest is None or footer is not None:
            header = Header(asset, head.number + 1, head.hash, footer.sha256 if footer else "")
            write_segment(self._folder / asset / segment_name(header.first), header, ())
            return self._segment_count
        return self._segment_count - (head.number - newest.first + 1)

    def _write(self, asset: str, head: Head, entries: Sequence[Entry]) -> Head:
        for entry in entries:
            if entry.number != head.number + 1 or entry.hash != chain_hash(head.hash, entry.body):
                raise ArchiveFault(f"entry {entry.number} of {asset} does not follow entry {head.number}")
            head = Head(entry.number, entry.hash)
        newest = self._newest(asset)
        assert newest is not None, asset
        with newest.path.open("ab") as file:
            file.write(b"".join(map(entry_line, entries)))
            file.flush()
            os.fsync(file.fileno())
        return head

    def _seal_if_full(self, asset: str, head: Head) -> Footer | None:
        newest = self._newest(asset)
        assert newest is not None, asset
        if head.number - newest.first + 1 < self._segment_count:
            return None
        footer = Footer(head.number, head.hash, newest.digest())
        with newest.path.open("ab") as file:
            file.write(footer.line())
            file.flush()
            os.fsync(file.fileno())
        newest.path.chmod(_SEALED_MODE)
        return footer

    def _cut(self, asset: str, after: int) -> None:
        for segment in reversed(_list(self._folder / asset)):
            if segment.first > after:
                segment.path.unlink()
                continue
            footer = segment.footer()
            if footer is not None and footer.last == after:
                break
            segment.path.chmod(0o644)
            kept = segment.entries(segment.first - 1, after - segment.first + 1)
            header = segment.header()
            assert header is not None, segment
            size = len(header.line()) + sum(len(entry_line(entry)) for entry in kept)
            with segment.path.open("rb+") as file:
                file.truncate(size)
                os.fsync(file.fileno())
            break
        sync_folder(self._folder / asset)

    def _read(self, asset: str, read: Callable[[list[Segment]], _T]) -> _T:
        with _told(self._folder / asset):
            return read(self._segments(asset))

    def _segments(self, asset: str) -> list[Segment]:
        """The segments in order, for reading; the folder is read again when it has, or may have, changed."""
        folder = self._folder / asset
        try:
            changed_ns = folder.stat().st_mtime_ns
        except FileNotFoundError:
            return []
        known = self._listed.get(asset)
        if known is not None and known[0] == changed_ns:
            return known[1]
        is_settled = changed_ns < time.time_ns() - _GRAIN_NS
        segments = _list(folder)
        if is_settled:
            self._listed[asset] = (changed_ns, segments)
        return segments

    def _must_hold(self) -> None:
        if not self._writes():
            raise ArchiveAway("another process writes the archive")


def _list(folder: Path) -> list[Segment]:
    return [Segment(folder / name) for name in _names(folder) if number_of(name)]


def _names(folder: Path) -> list[str]:
    return sorted(name for name in os.listdir(folder) if name.endswith(SUFFIX))


def _holds(path: Path, entries: Sequence[Entry]) -> bool:
    """Whether a segment is there and has just these entries, whole."""
    if not path.exists() or not entries or _whole_bytes(path) != path.stat().st_size:
        return False
    return Segment(path).entries(entries[0].number - 1, len(entries) + 1) == list(entries)


def _whole_bytes(path: Path) -> int:
    """Bytes up to the end of the last whole line."""
    with path.open("rb") as file:
        start = file.seek(0, os.SEEK_END)
        while start > 0:
            size = min(8_192, start)
            start = file.seek(start - size)
            end = file.read(size).rfind(b"\n")
            if end >= 0:
                return start + end + 1
    return 0
