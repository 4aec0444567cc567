"""The archive of logs as files: whole records or none, once, checked, and kept as long as is said."""

import os
from pathlib import Path

import pytest

from services.table.adapters.archive_files import FileArchive
from services.table.archives import ArchiveAway, ArchivedLog
from services.table.model.events import CloseCause
from services.table.ports import StoredEntry

NEVER_MS = 0


def log(name: str, *, cause: CloseCause = CloseCause.DEALS_PLAYED, at_ms: int = 1_000, count: int = 3) -> ArchivedLog:
    rows = (StoredEntry(seq, f"{name} {seq}".encode() * 20, at_ms - count + seq) for seq in range(1, count + 1))
    return ArchivedLog(name, cause, tuple(rows))


def files(root: Path) -> list[Path]:
    return sorted(root.glob("*/*"))


async def test_what_is_put_is_there_for_this_process_the_next_one_and_other_pods(tmp_path: Path) -> None:
    archive = FileArchive(tmp_path, "pod-a")
    logs = [log("one"), log("two", cause=CloseCause.FAULT), log("three", count=1)]
    await archive.put(logs[:2])
    await archive.put(logs[2:])
    for reader in (archive, FileArchive(tmp_path, "pod-a"), FileArchive(tmp_path, "pod-b")):
        assert [await reader.get(each.table_id) for each in logs] == logs
        assert await reader.get("four") is None
        assert reader.faults() == []
        assert reader.table_ids() == ["one", "three", "two"]


async def test_the_same_log_again_is_kept_once_by_whomever_it_comes(tmp_path: Path) -> None:
    await FileArchive(tmp_path, "pod-a").put([log("one")])
    before = {path: path.read_bytes() for path in files(tmp_path)}
    for pod in ("pod-a", "pod-b"):
        again = FileArchive(tmp_path, pod)
        await again.put([log("one")])
        assert again.knows("one")
    assert {path: path.read_bytes() for path in files(tmp_path)} == before


async def test_a_record_lasts_before_put_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file with all its bytes, and the folder that names it."""
    synced: list[int] = []
    sync = os.fsync

    def noting(descriptor: int) -> None:
        synced.append(os.fstat(descriptor).st_size)
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", noting)
    await FileArchive(tmp_path, "pod-a").put([log("one")])
    (file,) = files(tmp_path)
    assert synced[-1] == file.stat().st_size
    assert len(synced) == 3, "the segment, its folder and the archive's"


async def test_a_record_that_is_cut_off_anywhere_is_no_record_and_harms_no_other(tmp_path: Path) -> None:
    await FileArchive(tmp_path / "whole", "pod-a").put([log("one"), log("two")])
    (file,) = files(tmp_path / "whole")
    whole = file.read_bytes()
    second = whole.index(b"CRT1", 1)
    for length in (*range(second, len(whole), 7), len(whole) - 1):
        root = tmp_path / str(length)
        (root / "pod-a").mkdir(parents=True)
        (root / "pod-a" / file.name).write_bytes(whole[:length])
        archive = FileArchive(root, "pod-a")
        assert (await archive.get("one"), await archive.get("two")) == (log("one"), None)
        await archive.put([log("two")])
        assert await FileArchive(root, "pod-b").get("two") == log("two")
        assert archive.faults() == []


async def test_a_byte_that_has_changed_is_found(tmp_path: Path) -> None:
    await FileArchive(tmp_path, "pod-a").put([log("one"), log("two")])
    (file,) = files(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(whole[:-5] + bytes([whole[-5] ^ 1]) + whole[-4:])
    archive = FileArchive(tmp_path, "pod-a")
    assert await archive.get("one") == log("one")
    with pytest.raises(ArchiveAway, match="damaged"):
        await archive.get("two")
    file.write_bytes(b"X" + whole[1:])
    assert FileArchive(tmp_path, "pod-a").faults() == [f"{file} is damaged"]


async def test_old_logs_are_dropped_and_faulty_ones_later(tmp_path: Path) -> None:
    archive = FileArchive(tmp_path, "pod-a", segment_bytes=1)
    old, new = log("old", at_ms=1_000), log("new", at_ms=5_000)
    faulty = log("faulty", cause=CloseCause.FAULT, at_ms=1_000)
    for each in (old, new, faulty):
        await archive.put([each])
    await FileArchive(tmp_path, "pod-b").put([log("other", at_ms=1_000)])
    assert await archive.drop(settled_before_ms=3_000, faulty_before_ms=NEVER_MS) == 1
    assert [await archive.get(name) for name in ("old", "new", "faulty")] == [None, new, faulty]
    assert await archive.get("other") is not None, "another pod's are its own affair"
    assert await archive.drop(settled_before_ms=3_000, faulty_before_ms=2_000) == 1
    assert await archive.get("faulty") is None
    await archive.put([log("again")])
    assert FileArchive(tmp_path, "pod-c").table_ids() == ["again", "new", "other"]


async def test_a_folder_that_cannot_be_written_is_said_and_nothing_is_known_to_be_kept(tmp_path: Path) -> None:
    (tmp_path / "pod-a").write_text("a file, where a folder should be")
    archive = FileArchive(tmp_path, "pod-a")
    with pytest.raises(ArchiveAway):
        await archive.put([log("one")])
    assert not archive.knows("one")
    (tmp_path / "pod-a").unlink()
    await archive.put([log("one")])
    assert await archive.get("one") == log("one")
