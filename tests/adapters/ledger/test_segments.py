"""The archive's files: chained, found by number, torn, cut, edited."""

import hashlib
import os
import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from services.ledger.adapters.segment_file import Footer, Segment, entry_line
from services.ledger.adapters.segments import ASIDE, LOCK, SegmentArchive
from services.ledger.app.entries import chain_hash
from services.ledger.ports import ArchiveFault
from services.ledger.values import Entry, Head
from tests.services.ledger.chains import openings

pytestmark = pytest.mark.fast

ENTRIES = openings(25)
A = "coins"
DEEP = b"[" * 100_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An archive of 25 entries, ten a segment: two are sealed, one is open."""
    archive = held(tmp_path)
    archive.append(A, ENTRIES[:3])
    archive.append(A, ENTRIES[3:23])
    archive.append(A, ENTRIES[23:])
    archive.let_go()
    return tmp_path


def held(folder: Path) -> SegmentArchive:
    archive = SegmentArchive(folder, segment_count=10)
    assert archive.hold()
    return archive


def opened(folder: Path) -> SegmentArchive:
    return SegmentArchive(folder, segment_count=10)


def segment(folder: Path, first: int) -> Path:
    return folder / A / f"{first:016d}.seg"


def edit(path: Path, change: Callable[[bytes], bytes]) -> None:
    before = path.read_bytes()
    after = change(before)
    assert after != before
    path.chmod(0o644)
    path.write_bytes(after)


def test_what_was_added_is_read_again_in_order(folder: Path) -> None:
    archive = opened(folder)
    assert archive.head(A) == Head(25, ENTRIES[-1].hash)
    assert sorted(path.name for path in (folder / A).iterdir()) == [f"{first:016d}.seg" for first in (1, 11, 21)]
    for after in range(26):
        for count in (1, 4, 10, 30):
            assert archive.entries(A, after, count) == ENTRIES[after : after + count]
    assert [archive.entry(A, number) for number in (0, 1, 10, 11, 25, 26)] == [
        None, ENTRIES[0], ENTRIES[9], ENTRIES[10], ENTRIES[24], None,
    ]  # fmt: skip
    assert (archive.faults(A), archive.sealed(A)) == ([], 20)


def test_an_archive_without_entries_is_empty(tmp_path: Path) -> None:
    archive = opened(tmp_path)
    assert (archive.head(A), archive.entries(A, 0, 5), archive.faults(A), archive.sealed(A)) == (Head(0, ""), [], [], 0)


def test_sealed_segments_can_only_be_read(folder: Path) -> None:
    assert [segment(folder, first).stat().st_mode & 0o222 for first in (1, 11)] == [0, 0]
    assert segment(folder, 21).stat().st_mode & 0o200


def test_entries_of_very_different_lengths_are_found_by_halving(tmp_path: Path) -> None:
    bodies = [f'{{"number":{number},"why":"{"x" * (number**3 % 9000)}","legs":[]}}' for number in range(1, 300)]
    entries: list[Entry] = []
    for number, body in enumerate(bodies, 1):
        entries.append(Entry(number, body, chain_hash(entries[-1].hash if entries else "", body)))
    archive = SegmentArchive(tmp_path, segment_count=250)
    assert archive.hold()
    archive.append(A, entries)
    for number in range(1, 300):
        assert archive.entry(A, number) == entries[number - 1]


def test_only_one_process_writes(folder: Path) -> None:
    first, second = opened(folder), opened(folder)
    assert first.hold()
    assert first.hold()
    assert not second.hold()
    with pytest.raises(ArchiveFault, match="another process"):
        second.append(A, [])
    with pytest.raises(ArchiveFault, match="another process"):
        second.set_aside(A, 5)
    assert second.head(A).number == 25
    first.let_go()
    assert second.hold()


@pytest.mark.parametrize(
    "wrong",
    [
        ENTRIES[1],
        replace(ENTRIES[0], hash="0" * 40),
        replace(ENTRIES[0], body=ENTRIES[0].body + " "),
        replace(ENTRIES[0], number=2),
    ],
    ids=["a gap", "another hash", "another body", "another number"],
)
def test_an_entry_that_does_not_follow_is_not_taken(tmp_path: Path, wrong: Entry) -> None:
    archive = held(tmp_path)
    with pytest.raises(ArchiveFault):
        archive.append(A, [wrong])
    assert archive.head(A) == Head(0, "")
    archive.append(A, ENTRIES[:1])
    assert archive.head(A).number == 1


@pytest.mark.parametrize("body", ['{"number":1,"why":"two\nlines","legs":[]}', '{"legs":[]}', '{"number":"1"}'])
def test_a_body_that_would_break_the_file_is_not_taken(tmp_path: Path, body: str) -> None:
    archive = held(tmp_path)
    with pytest.raises(ArchiveFault):
        archive.append(A, [Entry(1, body, chain_hash("", body))])
    assert archive.faults(A) == []


def test_a_tail_torn_anywhere_is_taken_off_and_written_again(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    whole = segment(folder, 21).read_bytes()
    lengths = [len(entry_line(entry)) for entry in ENTRIES[20:]]
    header = len(whole) - sum(lengths)
    ends = [header + sum(lengths[:count]) for count in range(6)]
    sizes = {0, 1, len(whole) - 1, *range(0, len(whole), 41), *(end + by for end in ends for by in (-1, 0, 1))}
    for size in sorted(sizes - {len(whole), len(whole) + 1}):
        copy = tmp_path_factory.mktemp("torn") / "archive"
        shutil.copytree(folder, copy)
        segment(copy, 21).write_bytes(whole[:size])
        left = 20 + max([count for count, end in enumerate(ends) if end <= size], default=0)
        assert opened(copy).head(A).number == left, size
        assert opened(copy).faults(A) == []
        assert opened(copy).entries(A, 18, 10) == ENTRIES[18:left]
        archive = held(copy)
        archive.append(A, ENTRIES[left:])
        assert segment(copy, 21).read_bytes() == whole
        shutil.rmtree(copy)


@pytest.mark.parametrize(
    ("damage", "number"),
    [
        (lambda folder: edit(segment(folder, 11), lambda data: data.replace(b'"p15"', b'"p99"')), 15),
        (lambda folder: edit(segment(folder, 11), lambda data: data.replace(ENTRIES[14].hash.encode(), b"0" * 40)), 15),
        (lambda folder: edit(segment(folder, 11), lambda data: data.replace(entry_line(ENTRIES[14]), b"")), 16),
        (lambda folder: edit(segment(folder, 11), swapped), 16),
        (lambda folder: edit(segment(folder, 11), lambda data: data[: len(data) // 2]), 15),
        (lambda folder: edit(segment(folder, 11), lambda data: data.replace(b'{"last":20', b'{"last":19')), 20),
        (lambda folder: edit(segment(folder, 11), lambda data: data + entry_line(ENTRIES[20])), 21),
        (lambda folder: edit(segment(folder, 11), lambda data: data.replace(b'"before":"', b'"before":"0')), 11),
        (lambda folder: edit(segment(folder, 11), lambda data: b"\n" + data), 11),
        (lambda folder: edit(segment(folder, 21), lambda data: data.replace(b'"p23"', b'"p99"')), 23),
        (lambda folder: segment(folder, 11).unlink(), 21),
        (lambda folder: segment(folder, 1).unlink(), 11),
        (lambda folder: edit(segment(folder, 1), lambda data: data[: data.index(b'{"last"')]), 11),
        (lambda folder: edit(segment(folder, 11), lambda data: data + b"more"), 21),
        (lambda folder: edit(segment(folder, 11), lambda data: data + b"more\n"), 21),
        (lambda folder: edit(segment(folder, 11), lambda data: data + b"\n"), 21),
        (lambda folder: edit(segment(folder, 11), lambda data: data + data.splitlines(keepends=True)[-1]), 21),
        (lambda folder: edit(segment(folder, 11), lambda data: data.replace(b'"coins"', b'"points"')), 11),
        (lambda folder: edit(segment(folder, 21), lambda data: data.replace(b'"coins"', b'"points"')), 21),
        (lambda folder: segment(folder, 11).rename(segment(folder, 12)), 12),
        (lambda folder: segment(folder, 21).rename(segment(folder, 24)), 24),
        (lambda folder: edit(segment(folder, 11), lambda data: data.replace(b'{"last":20', b'{"last":1e999')), 21),
        (lambda folder: edit(segment(folder, 11), lambda data: data.replace(b'{"last":', b'{"last":' + DEEP)), 21),
        (lambda folder: edit(segment(folder, 11), lambda data: data.replace(b'"first":', b'"first":' + DEEP)), 11),
    ],
    ids=[
        "an edited entry", "an edited hash", "a dropped entry", "two swapped entries", "a cut segment",
        "an edited end", "an entry after the end", "an edited beginning", "a line before the beginning",
        "an edited entry of the open segment", "a segment that is gone", "the first segment gone", "no end",
        "bytes after the end", "a line after the end", "an empty line after the end", "a second end",
        "another asset's", "another asset's open segment", "another name", "another name of the open segment",
        "an endless end", "an end too deep", "a beginning too deep",
    ],
)  # fmt: skip
def test_damage_is_named(folder: Path, damage: Callable[[Path], None], number: int) -> None:
    damage(folder)
    faults = opened(folder).faults(A)
    assert number in [found for found, _ in faults], faults


@pytest.mark.parametrize("name", ["foo.seg", "0000000000000001 copy.seg", "1.seg", ".seg", "0000000000000000.seg"])
@pytest.mark.parametrize("is_empty", [True, False])
def test_a_file_that_is_no_segment_is_passed_over_and_named(folder: Path, name: str, is_empty: bool) -> None:
    (folder / A / name).write_bytes(b"" if is_empty else segment(folder, 1).read_bytes())
    archive = held(folder)
    assert (archive.head(A).number, archive.entries(A, 0, 99)) == (25, ENTRIES)
    assert (archive.faults(A), archive.sealed(A), archive.strays(A)) == ([], 20, [name])
    archive.append(A, openings(30)[25:])
    assert archive.entries(A, 24, 99) == openings(30)[24:]
    assert (folder / A / name).exists()


def test_an_archive_has_no_strays_of_its_own(folder: Path) -> None:
    archive = held(folder)
    archive.set_aside(A, 22)
    assert (archive.strays(A), archive.strays("points")) == ([], [])


def test_segments_of_another_asset_are_not_read(folder: Path) -> None:
    """The folders of two assets were exchanged: their entries would follow each other all the same."""
    (folder / A).rename(folder / "points")
    archive = held(folder)
    for read in (archive.head, archive.sealed, lambda asset: archive.entries(asset, 0, 5)):
        with pytest.raises(ArchiveFault, match="another asset"):
            read("points")
    with pytest.raises(ArchiveFault, match="another asset"):
        archive.append("points", openings(26)[25:])


def test_a_segment_under_another_number_is_not_read(folder: Path) -> None:
    segment(folder, 11).rename(segment(folder, 12))
    with pytest.raises(ArchiveFault, match="begins with entry 11"):
        opened(folder).entries(A, 12, 5)


def test_what_stands_after_the_end_is_not_taken_off(folder: Path) -> None:
    """A crash cuts lines short, it adds nothing to a sealed segment: that was somebody else."""
    segment(folder, 21).unlink()
    edit(segment(folder, 11), lambda data: data + b"more")
    with pytest.raises(ArchiveFault, match="after its end"):
        held(folder).append(A, ENTRIES[20:])
    assert segment(folder, 11).read_bytes().endswith(b"\nmore")
    assert opened(folder).faults(A)


def swapped(data: bytes) -> bytes:
    one, other = entry_line(ENTRIES[14]), entry_line(ENTRIES[15])
    return data.replace(one + other, other + one)


@pytest.mark.parametrize(("is_sealed_anew", "number"), [(False, 20), (True, 21)])
def test_an_edited_entry_with_hashes_made_anew_shows_at_the_seal(
    folder: Path, is_sealed_anew: bool, number: int
) -> None:
    """Who rewrites entries to the end of a segment meets its digest; who makes that anew, the next segment."""

    def rewritten(data: bytes) -> bytes:
        header, *lines, footer = data.splitlines(keepends=True)
        before = ENTRIES[9].hash
        for place, line in enumerate(lines):
            body = line[41:-1].decode().replace('"p15"', '"p99"')
            before = chain_hash(before, body)
            lines[place] = f"{before} {body}\n".encode()
        if is_sealed_anew:
            footer = Footer(20, before, hashlib.sha256(b"".join([header, *lines])).hexdigest()).line()
        return b"".join([header, *lines, footer])

    edit(segment(folder, 11), rewritten)
    assert min(found for found, _ in opened(folder).faults(A)) == number


def test_a_damaged_segment_is_not_taken_for_sealed(folder: Path) -> None:
    edit(segment(folder, 11), lambda data: data.replace(b'"p15"', b'"p99"'))
    with pytest.raises(ArchiveFault, match="edited"):
        opened(folder).sealed(A)


@pytest.mark.parametrize("after", [0, 1, 9, 10, 11, 19, 20, 21, 24])
def test_entries_are_set_aside_and_the_archive_goes_on(folder: Path, after: int) -> None:
    archive = held(folder)
    assert archive.set_aside(A, after) == 25 - after
    assert archive.entries(A, 0, 99) == ENTRIES, "they stay in the archive until it is cut"
    archive.cut(A, after)
    assert archive.head(A) == Head(after, ENTRIES[after - 1].hash if after else "")
    assert archive.entries(A, 0, 99) == ENTRIES[:after]
    (aside,) = (folder / A / ASIDE).iterdir()
    assert Segment(aside).entries(0, 99) == ENTRIES[after:] or after == 0
    assert archive.set_aside(A, after) == 0
    archive.cut(A, after)
    archive.append(A, ENTRIES[after:])
    assert archive.entries(A, 0, 99) == ENTRIES
    assert (opened(folder).faults(A), opened(folder).sealed(A)) == ([], 20)
    assert [path.stat().st_mode & 0o222 for path in (segment(folder, 1), segment(folder, 11))] == [0, 0]


def test_an_archive_is_cut_only_of_what_is_kept_apart_whole(folder: Path) -> None:
    """A disk that was full while they were set aside leaves a part of a file."""
    archive = held(folder)
    with pytest.raises(ArchiveFault, match="not set aside"):
        archive.cut(A, 12)
    assert archive.set_aside(A, 12) == 13
    (aside,) = (folder / A / ASIDE).iterdir()
    whole = aside.read_bytes()
    aside.write_bytes(whole[:300])
    with pytest.raises(ArchiveFault, match="not set aside"):
        archive.cut(A, 12)
    assert archive.entries(A, 0, 99) == ENTRIES
    assert archive.set_aside(A, 12) == 13
    assert [path.read_bytes() for path in (folder / A / ASIDE).iterdir()] == [whole]
    archive.cut(A, 12)
    assert archive.entries(A, 0, 99) == ENTRIES[:12]


def test_whoever_deletes_the_lock_lets_nobody_write_beside_the_first(folder: Path) -> None:
    first, second = held(folder), opened(folder)
    (folder / LOCK).unlink()
    assert second.hold()
    assert not first.hold()
    with pytest.raises(ArchiveFault, match="another process"):
        first.append(A, [])
    second.let_go()
    assert first.hold()


def test_a_folder_that_cannot_be_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ArchiveFault):
        opened(tmp_path / "file" / "archive").hold()


def test_a_segment_begun_within_one_tick_of_the_folders_clock_is_seen(tmp_path: Path) -> None:
    """The time of a folder's last change has the grain of a tick: it may stay the same while a segment comes."""
    writer, reader = held(tmp_path), opened(tmp_path)
    writer.append(A, ENTRIES[:10])
    assert reader.head(A).number == 10
    changed_ns = (tmp_path / A).stat().st_mtime_ns
    writer.append(A, ENTRIES[10:15])
    os.utime(tmp_path / A, ns=(changed_ns, changed_ns))
    assert reader.head(A).number == 15
    assert [entry.number for entry in reader.entries(A, 8, 4)] == [9, 10, 11, 12]


def test_what_is_written_goes_to_the_newest_segment_whoever_reads_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader, a thread of the same process, has listed the folder before a segment came, and notes that after it."""
    archive = held(tmp_path)
    archive.append(A, ENTRIES[:10])
    os.utime(tmp_path / A, ns=(0, 0))
    has_listed, may_go_on = threading.Event(), threading.Event()
    reading = threading.Thread(target=archive.head, args=(A,))
    listdir = os.listdir

    def slow(folder: Path) -> list[str]:
        names = listdir(folder)
        if threading.current_thread() is reading:
            has_listed.set()
            may_go_on.wait(30)
        return names

    monkeypatch.setattr(os, "listdir", slow)
    reading.start()
    assert has_listed.wait(30)
    archive.append(A, ENTRIES[10:12])
    os.utime(tmp_path / A, ns=(0, 0))
    may_go_on.set()
    reading.join(30)
    archive.append(A, ENTRIES[12:])
    assert archive.faults(A) == []
    assert opened(tmp_path).entries(A, 0, 25) == ENTRIES
