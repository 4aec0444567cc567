"""One segment: a text file with a run of journal entries, chained to the segment before it.

    {"segment":1,"asset":"coins","first":1,"before":"","previous":""}
    <hash> <body>
    ...
    {"last":10000,"hash":"<hash of the last entry>","sha256":"<digest of all bytes above this line>"}

``before`` is the hash of the entry before the first, ``previous`` the digest in the last line of the segment before.
The last line stands there when the segment is sealed; nothing is added after it. Entries stand in order of their
numbers, and a body begins with its number, so that one is found by halving the file, without an index.
"""

import hashlib
import json
import os
import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from services.ledger.app.entries import chain_hash
from services.ledger.ports import ArchiveFault
from services.ledger.values import Entry, Head

SUFFIX: Final = ".seg"
_FORMAT: Final = 1
_HASH: Final = 40
_CHUNK: Final = 8_192
_WINDOW: Final = 32_768
_NAME = re.compile(r"([0-9]{16})\.seg")
_NOT_OURS: Final = (ValueError, KeyError, TypeError, OverflowError, RecursionError)
"""What reading a first or last line may meet when somebody has edited it."""
_NUMBER = re.compile(rb'\{"number":(\d{1,16}),')


@dataclass(frozen=True, slots=True)
class Header:
    """What a segment continues: number of its first entry, hash of the entry and digest of the segment before it."""

    asset: str
    first: int
    before: str
    previous: str

    def line(self) -> bytes:
        """The first line of the file."""
        fields = {
            "segment": _FORMAT, "asset": self.asset, "first": self.first, "before": self.before,
            "previous": self.previous,
        }  # fmt: skip
        return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


@dataclass(frozen=True, slots=True)
class Footer:
    """How a sealed segment ends."""

    last: int
    hash: str
    sha256: str

    def line(self) -> bytes:
        """The last line of the file."""
        fields = {"last": self.last, "hash": self.hash, "sha256": self.sha256}
        return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def segment_name(first: int) -> str:
    """The name of a segment's file, by the number of its first entry."""
    return f"{first:016d}{SUFFIX}"


def number_of(name: str) -> int:
    """The number of the first entry of the segment whose file has this name; 0: no segment's file has such a name."""
    found = _NAME.fullmatch(name)
    return int(found.group(1)) if found else 0


def entry_line(entry: Entry) -> bytes:
    """An entry as a line. Raises: ArchiveFault: it is not one line, or its body does not begin with its number."""
    line = f"{entry.hash} {entry.body}".encode("utf-8", "surrogateescape")
    found = _NUMBER.match(line, _HASH + 1)
    if b"\n" in line or found is None or int(found.group(1)) != entry.number:
        raise ArchiveFault(f"entry {entry.number} is not one the journal can have")
    return line + b"\n"


def entry_of(line: bytes, name: str) -> Entry:
    """The entry in a line. Raises: ArchiveFault: there is none."""
    found = _NUMBER.match(line, _HASH + 1)
    if found is None or line[_HASH : _HASH + 1] != b" ":
        raise ArchiveFault(f"{name} holds a line that is no entry")
    text = line.decode("utf-8", "surrogateescape")
    return Entry(int(found.group(1)), text[_HASH + 1 :], text[:_HASH])


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment's file, read afresh at every call; only whole lines count."""

    path: Path

    @property
    def first(self) -> int:
        """Number of its first entry, as its name says."""
        return number_of(self.path.name)

    @property
    def asset(self) -> str:
        """The asset it is of, as its folder says."""
        return self.path.parent.name

    def header(self) -> Header | None:
        """Its first line; None if that was never finished. Raises: ArchiveFault: it is no header."""
        with self.path.open("rb") as file:
            line = file.readline()
        return self._header(line) if line.endswith(b"\n") else None

    def must_be_in_place(self) -> None:
        """Raises: ArchiveFault: it is another asset's, or its name is not the number it begins with."""
        header = self.header()
        if header is not None:
            for _, detail in self._place_faults(header):
                raise ArchiveFault(detail)

    def footer(self) -> Footer | None:
        """Its last line if it is sealed. Raises: ArchiveFault."""
        return self._footer(self._last_line())

    def head(self) -> Head | None:
        """Where it ends; None if it has no header yet. Raises: ArchiveFault."""
        header = self.header()
        if header is None:
            return None
        line = self._last_line()
        footer = self._footer(line)
        if footer is not None:
            return Head(footer.last, footer.hash)
        if line.startswith(b"{"):
            return Head(header.first - 1, header.before)
        entry = entry_of(line, self.path.name)
        return Head(entry.number, entry.hash)

    def entries(self, after: int, count: int) -> list[Entry]:
        """Its entries with the numbers ``after + 1 .. after + count``. Raises: ArchiveFault."""
        found: list[Entry] = []
        with self.path.open("rb") as file:
            file.seek(self._offset(file, after + 1))
            while len(found) < count:
                line = file.readline()
                if not line.endswith(b"\n") or line.startswith(b"{"):
                    break
                entry = entry_of(line[:-1], self.path.name)
                if entry.number > after + count:
                    break
                found.append(entry)
        return found

    def digest(self) -> str:
        """SHA-256 of its whole lines but the footer."""
        digest = hashlib.sha256()
        for line in self._lines():
            if self._footer(line) is None:
                digest.update(line + b"\n")
        return digest.hexdigest()

    def check(
        self, follows: Footer | None, head: Head, *, is_last: bool
    ) -> Generator[tuple[int, str], None, tuple[Footer | None, Head]]:
        """What is wrong with it: number of the entry concerned, and in words. Returns how it ends.

        Args:
            follows: the footer of the segment before; None at the beginning.
            head: the entry before its first.
            is_last: whether it may be open.
        """
        digest = hashlib.sha256()
        footer: Footer | None = None
        for index, line in enumerate(self._lines()):
            try:
                if index == 0:
                    yield from self._header_faults(line, follows, head)
                elif footer is not None:
                    raise ArchiveFault(f"{self.path.name} goes on after its end")
                elif line.startswith(b"{"):
                    footer = self._footer(line)
                    yield from self._footer_faults(footer, head, digest.hexdigest())
                    continue
                else:
                    entry = entry_of(line, self.path.name)
                    yield from self._entry_faults(entry, head)
                    head = Head(entry.number, entry.hash)
            except ArchiveFault as error:
                yield head.number + 1, str(error)
                break
            digest.update(line + b"\n")
        if footer is None and not is_last:
            yield head.number + 1, f"{self.path.name} has no end"
        if footer is not None and self._is_torn():
            yield head.number + 1, f"{self.path.name} goes on after its end"
        return footer, head

    def _is_torn(self) -> bool:
        """Whether its last line has no end."""
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read() != b"\n"

    def _place_faults(self, header: Header) -> Iterator[tuple[int, str]]:
        if header.asset != self.asset:
            yield self.first, f"{self.path.name} is a segment of another asset"
        if header.first != self.first:
            yield self.first, f"{self.path.name} begins with entry {header.first}"

    def _entry_faults(self, entry: Entry, head: Head) -> Iterator[tuple[int, str]]:
        if entry.number != head.number + 1:
            yield entry.number, f"{self.path.name} has entry {entry.number} after {head.number}"
        elif entry.hash != chain_hash(head.hash, entry.body):
            yield entry.number, f"{self.path.name} has an entry that was edited or follows another one"

    def _header_faults(self, line: bytes, follows: Footer | None, head: Head) -> Iterator[tuple[int, str]]:
        header = self._header(line)
        yield from self._place_faults(header)
        if header.first != head.number + 1:
            yield header.first, f"{self.path.name} begins at {header.first} after entry {head.number}"
        if header.before != head.hash or header.previous != (follows.sha256 if follows else ""):
            yield header.first, f"{self.path.name} does not continue the segment before it"

    def _footer_faults(self, footer: Footer | None, head: Head, digest: str) -> Iterator[tuple[int, str]]:
        if footer is None:
            yield head.number, f"{self.path.name} holds a line that is no entry"
        elif Head(footer.last, footer.hash) != head or footer.sha256 != digest:
            yield head.number, f"{self.path.name} is not what it was when it was sealed"

    def _lines(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    yield line[:-1]

    def _header(self, line: bytes) -> Header:
        try:
            fields = json.loads(line)
            if fields["segment"] != _FORMAT:
                raise ArchiveFault(f"{self.path.name} is of another release")
            return Header(str(fields["asset"]), int(fields["first"]), str(fields["before"]), str(fields["previous"]))
        except _NOT_OURS as error:
            raise ArchiveFault(f"{self.path.name} does not begin as a segment") from error

    def _footer(self, line: bytes) -> Footer | None:
        if not line.startswith(b'{"last":'):
            return None
        try:
            fields = json.loads(line)
            return Footer(int(fields["last"]), str(fields["hash"]), str(fields["sha256"]))
        except _NOT_OURS as error:
            raise ArchiveFault(f"{self.path.name} does not end as a segment") from error

    def _last_line(self) -> bytes:
        """The last whole line, without its end; empty if there is none."""
        with self.path.open("rb") as file:
            start = file.seek(0, os.SEEK_END)
            tail = b""
            while start > 0:
                size = min(_CHUNK, start)
                start = file.seek(start - size)
                tail = file.read(size) + tail
                whole = tail[: tail.rfind(b"\n") + 1]
                begins = whole.rfind(b"\n", 0, len(whole) - 1) + 1
                if whole and (begins > 0 or start == 0):
                    return whole[begins:-1]
        return b""

    def _offset(self, file: BinaryIO, number: int) -> int:
        """Where the first line stands whose entry has this number or a later one.

        The file is halved until a window is left; there the number itself is looked for. A body cannot hold the needle
        a second time: quotation marks in its texts are escaped.
        """
        low = len(file.readline())
        high = file.seek(0, os.SEEK_END)
        while high - low > _WINDOW:
            middle = (low + high) // 2
            file.seek(middle)
            start = middle + len(file.readline())
            if self._is_before(file.readline(), number):
                low = start
            else:
                high = middle
        window = os.pread(file.fileno(), high - low + _CHUNK, low)
        at = window.find(b' {"number":%d,' % number)
        if at >= _HASH:
            return low + at - _HASH
        file.seek(low)
        while self._is_before(line := file.readline(), number):
            low += len(line)
        return low

    def _is_before(self, line: bytes, number: int) -> bool:
        """Whether a line is an entry of a smaller number; not the end of the file or of the segment."""
        if line.startswith(b"{") or not line.endswith(b"\n"):
            return False
        return entry_of(line[:-1], self.path.name).number < number


def write_segment(path: Path, header: Header, entries: Sequence[Entry]) -> None:
    """A whole new file, on disk when it returns."""
    with path.open("xb") as file:
        file.write(header.line() + b"".join(map(entry_line, entries)))
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Makes names in a folder outlive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
