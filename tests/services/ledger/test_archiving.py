"""The journal is copied, checked, trimmed; what the copy has and the store lacks stops the books (reliability 35)."""

import asyncio
import json
import os
import shutil
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from refusals import Reason, Refusal
from services.ledger.adapters.keys import Keys
from services.ledger.adapters.segment_file import Segment, entry_line, segment_name
from services.ledger.adapters.segments import SegmentArchive
from services.ledger.app.archiving import Archiver
from services.ledger.app.audit import Auditor
from services.ledger.app.entries import chain_hash
from services.ledger.app.journal import Journal
from services.ledger.edge.damage import damage_told
from services.ledger.ports import ArchiveFault
from services.ledger.values import ArchiveNote, Entry, Grant, Leg, Resumption, Settlement
from tests.services.ledger.rig import CALL, Rig, refused
from tests.services.ledger.vault import SEGMENT, Vault, played_vault

LEGS = [Leg("ann", "bob", 1, "win")]


def _asked(vault: Vault, seq: int, legs: list[Leg]) -> Settlement:
    return Settlement("t1", 1, seq, "d1", vault.asset, tuple(legs))


def resumption(vault: Vault, number: int) -> Resumption:
    return Resumption(str(uuid4()), vault.asset, number, "the replica took over without its last second")


async def test_what_is_archived_and_sealed_is_trimmed_and_nothing_else(rig: Rig, tmp_path: Path) -> None:
    vault = await played_vault(rig, tmp_path, 20)
    everything = await rig.store.next_entries(vault.asset, 0, 100)
    assert await vault.archiver.copy(vault.asset) == 23
    assert vault.archive.entries(vault.asset, 0, 100) == everything
    # 23 entries: five are to stay, and only 20 are sealed.
    assert await vault.stored() == list(range(19, 24))
    await vault.play(21, 29)
    assert await vault.archiver.copy(vault.asset) == 32
    assert await vault.stored() == list(range(28, 33))
    await vault.play(30, 33)
    assert await vault.archiver.copy(vault.asset) == 36
    assert await vault.stored() == list(range(31, 37))
    assert await vault.archiver.copy(vault.asset) == 36


async def test_books_are_verified_over_archive_and_store_as_one(rig: Rig, tmp_path: Path) -> None:
    vault = await played_vault(rig, tmp_path)
    before = await vault.verify()
    await vault.archiver.copy(vault.asset)
    assert len(await vault.stored()) < 10
    assert await vault.verify() == before
    assert (before.faults, before.entry_count) == ((), 43)


async def test_a_settlement_long_trimmed_is_answered_from_the_archive(rig: Rig, tmp_path: Path) -> None:
    """PF-53."""
    vault = await played_vault(rig, tmp_path)
    legs = [Leg("ann", "bob", 2, "win"), Leg("bob", "ann", 1, "rain")]
    first = await rig.settle(vault.asset, 2, legs)
    await vault.archiver.copy(vault.asset)
    assert first.number not in await vault.stored()
    again = await vault.books.settle(_asked(vault, 2, legs), CALL)
    assert (again.number, again.lines, again.duplicate) == (first.number, first.lines, True)
    changed = await refused(vault.books.settle(_asked(vault, 2, legs[::-1]), CALL))
    assert changed.reason is Reason.SETTLEMENT_CONFLICT
    assert (await refused(rig.settle(vault.asset, 2, legs))).reason is Reason.SETTLEMENT_OLD


@pytest.mark.parametrize("number", [2, 14, 33, 41, 43])
async def test_an_entry_edited_in_the_store_is_named_and_not_copied(rig: Rig, tmp_path: Path, number: int) -> None:
    vault = await played_vault(rig, tmp_path, 30)
    await vault.archiver.copy(vault.asset)
    await vault.play(31, 40)
    key = Keys.of(vault.asset).journal
    stored = await vault.stored()
    if number in stored:
        rows: Any = await rig.client.xrange(key)
        await rig.client.delete(key)
        for entry_id, fields in rows:
            if entry_id == f"{number}-0".encode():
                fields[b"body"] = fields[b"body"].replace(b'"at_ms":17', b'"at_ms":18')
            await rig.client.xadd(key, fields, id=entry_id)
        assert ("chain", "", number) in await vault.found()
        if number > 33:
            with pytest.raises(ArchiveFault, match=f"entry {number} in the store does not follow"):
                await vault.archiver.copy(vault.asset)
            assert vault.archive.head(vault.asset).number == 33
    else:
        path = next(path for path in sorted((tmp_path / vault.asset).iterdir()) if int(path.stem) + 9 >= number)
        path.chmod(0o644)
        path.write_bytes(path.read_bytes().replace(b'{"number":%d,"kind' % number, b'{"number":%d,"kinb' % number))
        assert ("chain", "", number) in await vault.found()


async def test_a_dropped_entry_stops_the_copy(rig: Rig, tmp_path: Path) -> None:
    vault = await played_vault(rig, tmp_path, 10)
    await rig.client.xdel(Keys.of(vault.asset).journal, "7-0")
    with pytest.raises(ArchiveFault, match="entry 8 in the store does not follow entry 6"):
        await vault.archiver.copy(vault.asset)
    assert vault.archive.head(vault.asset).number == 0


@pytest.mark.parametrize("cut", ["a segment gone", "a segment cut", "the archive gone"])
async def test_a_cut_archive_is_named(rig: Rig, tmp_path: Path, cut: str) -> None:
    vault = await played_vault(rig, tmp_path)
    await vault.archiver.copy(vault.asset)
    segments = sorted((tmp_path / vault.asset).iterdir())
    for path in segments:
        path.chmod(0o644)
    if cut == "a segment gone":
        segments[1].unlink()
        expected = {("chain", "", 21), ("gap", "", 21)}
    elif cut == "a segment cut":
        segments[1].write_bytes(segments[1].read_bytes()[:1000])
        expected = {("chain", "", 21), ("gap", "", 21)}
    else:
        for path in segments:
            path.unlink()
        expected = {("gap", "", (await vault.stored())[0])}
    assert expected <= await vault.found()


def _cut_to(path: Path, size: int) -> None:
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:size])


def _cut(paths: list[Path], whole: int, part: float) -> None:
    """Takes off whole files, and a part of the one before."""
    for path in paths[-whole:]:
        path.unlink()
    if part:
        last = paths[-whole - 1]
        _cut_to(last, int(last.stat().st_size * part))


TAILS: dict[str, tuple[Callable[[list[Path]], object], int]] = {
    # what is done to the files of entries 1-10, 11-20, 21-30, 31-37; and the first entry that is gone
    "half of the newest": (lambda paths: _cut_to(paths[-1], paths[-1].stat().st_size // 2), 34),
    "its last byte": (lambda paths: _cut_to(paths[-1], paths[-1].stat().st_size - 1), 37),
    "its last entry": (lambda paths: _cut_to(paths[-1], paths[-1].read_bytes()[:-1].rindex(b"\n") + 1), 37),
    "all its entries": (lambda paths: _cut_to(paths[-1], paths[-1].read_bytes().index(b"\n") + 1), 31),
    "all of it": (lambda paths: _cut_to(paths[-1], 0), 31),
    "its file": (lambda paths: paths[-1].unlink(), 31),
    "two files": (lambda paths: _cut(paths, 2, 0), 21),
    "a file and a half": (lambda paths: _cut(paths, 1, 0.5), 25),
    "everything": (lambda paths: _cut(paths, 4, 0), 1),
    "the folder": (lambda paths: shutil.rmtree(paths[0].parent), 1),
}


@pytest.mark.parametrize("tail", TAILS)
async def test_an_archive_that_was_cut_at_its_end_is_named_and_not_written_on(
    rig: Rig, tmp_path: Path, tail: str
) -> None:
    """The store has all the entries that were cut off: nothing but what was noted of the archive tells."""
    vault = await played_vault(rig, tmp_path, 34)
    archiver = Archiver(rig.store, vault.archive, vault.stops, kept_count=1_000)
    auditor = Auditor(rig.store, (vault.asset,), 7, journal=vault.journal)
    assert await archiver.copy(vault.asset) == 37
    await vault.play(35, 36)
    assert not (await auditor.look_again(vault.asset)).faults
    folder = tmp_path / vault.asset
    cut, first = TAILS[tail]
    cut(sorted(folder.glob("*.seg")))
    left = {path.name: path.read_bytes() for path in folder.glob("*")}
    os.utime(folder if folder.exists() else tmp_path)

    with pytest.raises(ArchiveFault, match=f"it ends at {first - 1} and went to 37: it was cut"):
        await archiver.copy(vault.asset)
    assert {path.name: path.read_bytes() for path in folder.glob("*")} == left, "what was left is no longer to be seen"
    assert ("chain", "", first) in await vault.found()
    assert [fault.number for fault in (await auditor.look_again(vault.asset)).faults if fault.kind == "chain"] == [
        first
    ]

    # An operator who has looked at it decides that the archive is written anew from there.
    number, lost_count = await vault.corrections.resume(resumption(vault, 39), CALL)
    assert (number, lost_count) == (40, 0)
    assert await archiver.copy(vault.asset) == 40
    assert await vault.found() == set()
    assert vault.archive.entries(vault.asset, 0, 100) == await rig.store.next_entries(vault.asset, 0, 100)


async def test_an_archive_whose_folder_was_taken_away_is_named_at_once(rig: Rig, tmp_path: Path) -> None:
    """With the file by which the one who writes it is known."""
    vault = await played_vault(rig, tmp_path / "archive")
    await vault.archiver.copy(vault.asset)
    (tmp_path / "archive").rename(tmp_path / "elsewhere")
    assert ("chain", "", 1) in await vault.found()
    (tmp_path / "elsewhere").rename(tmp_path / "archive")
    assert await vault.archiver.copy(vault.asset) == 43
    assert await vault.found() == set()


async def test_another_process_goes_by_what_the_writer_has_noted(rig: Rig, tmp_path: Path) -> None:
    """On a shared volume it may see the archive as it was; that is no cut."""
    vault = await played_vault(rig, tmp_path)
    await vault.archiver.copy(vault.asset)
    reader = Journal(rig.store, SegmentArchive(tmp_path, segment_count=SEGMENT))
    newest = sorted((tmp_path / vault.asset).glob("*.seg"))[-1]
    _cut_to(newest, 0)
    assert await reader.shortened_archive(vault.asset) is None
    with pytest.raises(ArchiveFault):
        await vault.archiver.copy(vault.asset)
    assert await reader.shortened_archive(vault.asset) == (40, 43)


async def test_an_archive_cut_by_more_than_the_store_has_cannot_be_gone_on_with(rig: Rig, tmp_path: Path) -> None:
    """Only a copy of it can; play goes on all the same."""
    vault = await played_vault(rig, tmp_path)
    await vault.archiver.copy(vault.asset)
    await vault.play(41, 42)
    (kept, *_), newest = await vault.stored(), sorted((tmp_path / vault.asset).glob("*.seg"))[-2:]
    copies = {path: path.read_bytes() for path in newest}
    for path in newest:
        path.unlink()
    assert {("chain", "", 31), ("gap", "", kept)} <= await vault.found()
    await vault.corrections.resume(resumption(vault, 45), CALL)
    for _ in range(2):
        with pytest.raises(ArchiveFault, match="it ends at 30 and went to 43"):
            await vault.archiver.copy(vault.asset)
        await vault.play(43, 44)
    assert vault.stops.why(vault.asset) == ""
    assert {("chain", "", 31), ("gap", "", kept)} <= await vault.found()
    for path, data in copies.items():
        path.write_bytes(data)
    os.utime(tmp_path / vault.asset)
    assert await vault.archiver.copy(vault.asset) == 48
    assert await vault.found() == set()


async def test_an_archive_that_ends_just_before_what_the_store_has_is_gone_on_with(rig: Rig, tmp_path: Path) -> None:
    """The newest file is gone, and the store begins where that began."""
    vault = await played_vault(rig, tmp_path, 45)
    await vault.archiver.copy(vault.asset)
    assert (await vault.stored())[0] == 41
    (tmp_path / vault.asset / "0000000000000041.seg").unlink()
    assert ("chain", "", 41) in await vault.found()
    await vault.corrections.resume(resumption(vault, 48), CALL)
    for _ in range(2):
        assert await vault.archiver.copy(vault.asset) == 49
    assert vault.stops.why(vault.asset) == ""
    assert await vault.found() == set()


async def test_a_decision_about_something_else_does_not_cover_that_the_archive_was_cut(
    rig: Rig, tmp_path: Path
) -> None:
    vault = await played_vault(rig, tmp_path)
    archiver = Archiver(rig.store, vault.archive, vault.stops, kept_count=1_000)
    await rig.client.hincrby(Keys.of(vault.asset).balance, "bob", 1)
    await vault.play(41, 41)
    await archiver.copy(vault.asset)
    assert {(kind, number) for kind, _, number in await vault.found()} & {("balance", 44), ("chain", 41)} == {
        ("balance", 44)
    }
    _cut_to(sorted((tmp_path / vault.asset).glob("*.seg"))[-1], 0)
    await vault.corrections.resume(resumption(vault, 44), CALL)
    assert ("chain", "", 41) in await vault.found(), "nobody had been told of it"
    await vault.corrections.resume(resumption(vault, 43), CALL)
    assert ("chain", "", 41) in await vault.found(), "it had gone to 44"
    await vault.corrections.resume(resumption(vault, 44), CALL)
    assert ("chain", "", 41) not in await vault.found()


async def test_a_decision_on_lost_entries_does_not_cover_that_the_archive_was_cut(own_rig: Rig, tmp_path: Path) -> None:
    rig = own_rig
    vault = await played_vault(rig, tmp_path / "archive", 20)
    archiver = Archiver(rig.store, vault.archive, vault.stops, kept_count=1_000)
    await archiver.copy(vault.asset)
    rig.back_up(tmp_path / "backup")
    await vault.play(21, 28)
    await rig.restore(tmp_path / "backup")
    _cut_to(sorted((tmp_path / "archive" / vault.asset).glob("*.seg"))[-1], 0)
    vault.stops.stop(vault.asset, "it ends before what was acknowledged")
    await vault.corrections.resume(resumption(vault, 23), CALL)
    assert ("chain", "", 21) in await vault.found()
    with pytest.raises(ArchiveFault, match="it ends at 20 and went to 23"):
        await archiver.copy(vault.asset)


async def test_a_wrong_archive_that_goes_further_is_not_taken_for_the_right_one(rig: Rig, tmp_path: Path) -> None:
    """Another process of the ledger has not yet seen that the books are closed."""
    vault = await played_vault(rig, tmp_path / "one")
    await vault.archiver.copy(vault.asset)
    await vault.play(41, 60)
    await vault.archiver.copy(vault.asset)
    await rig.store.mark(vault.asset, wrong=True)
    segments = tmp_path / "one" / vault.asset
    longer = segments / segment_name(61)
    head = vault.archive.head(vault.asset)
    body = '{"number":64,"kind":"grant","at_ms":1,"legs":[]}'
    right = {path: path.read_bytes() for path in segments.glob("*.seg")}
    _append(longer, entry_line(Entry(64, body, chain_hash(head.hash, body))))
    os.utime(segments)
    assert vault.archive.head(vault.asset).number == 64
    await vault.corrections.resume(resumption(vault, 63), CALL)
    longer.write_bytes(right[longer])
    os.utime(segments)
    assert await rig.store.noted_archive(vault.asset) == ArchiveNote(63)
    assert await vault.archiver.copy(vault.asset) == 64


def _append(path: Path, line: bytes) -> None:
    path.write_bytes(path.read_bytes() + line)


async def test_whoever_rewrites_the_whole_tail_in_the_store_is_found_by_the_archive(rig: Rig, tmp_path: Path) -> None:
    """Entries, hashes, head and balances agree with each other; only the copy outside tells."""
    vault = await played_vault(rig, tmp_path, 6)
    await vault.archiver.copy(vault.asset)
    keys = Keys.of(vault.asset)
    rows: Any = await rig.client.xrange(keys.journal)
    await rig.client.delete(keys.journal)
    digest = ""
    for entry_id, fields in rows:
        body = json.loads(fields[b"body"])
        if body["number"] == 9:
            body["legs"][0][7] = 1
        text = json.dumps(body, separators=(",", ":"), ensure_ascii=False)
        digest = chain_hash(digest, text)
        await rig.client.xadd(keys.journal, {"body": text, "hash": digest}, id=entry_id)
    await rig.client.hset(keys.head, "hash", digest)
    assert not (await rig.verify(vault.asset)).faults
    assert ("chain", "", 9) in await vault.found()
    await vault.archiver.check(vault.asset)
    assert "another entry 9" in vault.stops.why(vault.asset)


async def test_a_store_set_back_stops_the_books_until_an_operator_decides(own_rig: Rig, tmp_path: Path) -> None:
    """Reliability 35: the lost entries are set aside, the decision is journaled, and the books go on."""
    rig = own_rig
    vault = await played_vault(rig, tmp_path / "archive", 20)
    rig.back_up(tmp_path / "backup")
    await vault.play(21, 28)
    await vault.archiver.copy(vault.asset)
    await rig.restore(tmp_path / "backup")
    rig.store.expect(vault.asset, 0)

    head = await vault.archiver.check(vault.asset)
    assert (head.number, vault.stops.why(vault.asset)) == (23, "the journal ends at 23, the archive at 31")
    grant = Grant(str(uuid4()), "ann", vault.asset, 1, "why not")
    for call in (
        vault.books.settle(_asked(vault, 21, LEGS), CALL),
        vault.books.claim("t1", 2, vault.asset, CALL),
        vault.books.open_account("eve", CALL),
        vault.books.release("t1", 2, "d1", vault.asset, CALL),
        vault.corrections.grant(grant, CALL),
    ):
        assert (await refused(call)).reason is Reason.BOOKS_STOPPED
    assert (await rig.store.head(vault.asset)) == head
    assert ("gap", "", 23) in await vault.found()
    assert await vault.archiver.copy(vault.asset) == 31, "it stays as it is"

    wrong = await refused(vault.corrections.resume(resumption(vault, 31), CALL))
    assert (wrong.reason, wrong.field) == (Reason.INVALID_FIELD, "journal_number")
    assert await vault.corrections.resume(resumption(vault, 23), CALL) == (24, 8)
    body = json.loads((await rig.store.entries(vault.asset, 23, 1))[0].body)
    assert (body["kind"], body["actor"], body["why"]) == ("resume", CALL.actor, resumption(vault, 23).why)
    assert [path.name[:6] for path in (tmp_path / "archive" / vault.asset / "aside").iterdir()] == ["24-31-"]
    await vault.play(21, 30)
    await vault.archiver.copy(vault.asset)
    assert (await vault.verify()).faults == ()
    assert vault.stops.why(vault.asset) == ""


@pytest.mark.parametrize("place", ["before it is journaled", "before the archive is cut"])
@pytest.mark.parametrize("again", ["the same call", "another call"])
async def test_a_decision_that_was_interrupted_leaves_the_books_closed_and_is_gone_on_with(
    own_rig: Rig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, again: str
) -> None:
    """Reliability 35: whatever fails between, nothing opens without the decision, and nothing that is lost is lost."""
    rig = own_rig
    vault = await played_vault(rig, tmp_path / "archive", 20)
    rig.back_up(tmp_path / "backup")
    await vault.play(21, 28)
    await vault.archiver.copy(vault.asset)
    lost = await asyncio.to_thread(vault.archive.entries, vault.asset, 23, 99)
    auditor = Auditor(rig.store, [vault.asset], journal=vault.journal)
    assert not (await auditor.look_again(vault.asset)).faults
    await rig.restore(tmp_path / "backup")
    rig.store.expect(vault.asset, 0)
    await vault.archiver.check(vault.asset)

    decision = resumption(vault, 23)
    with monkeypatch.context() as faulty:
        if place == "before it is journaled":
            faulty.setattr(rig.store, "resume", _down)
        else:
            faulty.setattr(vault.archive, "cut", _full)
        with pytest.raises((Refusal, ArchiveFault)):
            await vault.corrections.resume(decision, CALL)
    vault.stops.clear(vault.asset)  # as after a restart
    head = await vault.archiver.check(vault.asset)
    assert vault.stops.why(vault.asset)
    assert (await refused(vault.books.settle(_asked(vault, 21, LEGS), CALL))).reason is Reason.BOOKS_STOPPED

    if again == "another call":
        decision = resumption(vault, head.number)
    assert await vault.corrections.resume(decision, CALL) == (head.number + (decision.number == head.number), 8)
    assert not vault.stops.why(vault.asset)
    (aside,) = (tmp_path / "archive" / vault.asset / "aside").iterdir()
    assert Segment(aside).entries(23, 99) == lost
    await vault.play(21, 30)
    await vault.archiver.copy(vault.asset)
    assert (await vault.verify()).faults == ()
    assert (await auditor.look_again(vault.asset)).faults == (), "a check that had read the lost entries begins anew"
    assert await vault.corrections.resume(decision, CALL) == (head.number + (decision.number == head.number), 8)
    changed = await refused(vault.corrections.resume(replace(decision, why="another reason"), CALL))
    assert changed.reason is Reason.REQUEST_ID_REUSED


@pytest.mark.parametrize("with_archive", [True, False])
async def test_a_decision_of_before_opens_no_books_that_were_closed_since(
    own_rig: Rig, tmp_path: Path, *, with_archive: bool
) -> None:
    """Reliability 35: a script that repeats its call must not decide about entries that nobody has looked at."""
    rig = own_rig
    vault = await played_vault(rig, tmp_path / "archive", 20)
    decision = resumption(vault, 3)
    await rig.store.mark(vault.asset, wrong=True)
    corrections = vault.corrections if with_archive else rig.corrections(vault.asset)
    first = await corrections.resume(decision, CALL)
    await vault.play(21, 22)
    await vault.archiver.copy(vault.asset)
    rig.back_up(tmp_path / "backup")
    await vault.play(23, 28)
    await vault.archiver.copy(vault.asset)
    await rig.restore(tmp_path / "backup")
    stops = vault.stops if with_archive else corrections._stops
    stops.stop(vault.asset, "the journal ends before what was acknowledged")
    assert await corrections.resume(decision, CALL) == first
    assert stops.why(vault.asset)
    assert vault.archive.head(vault.asset).number == first[0] + 8
    assert not (tmp_path / "archive" / vault.asset / "aside").exists()


async def _down(*_: object) -> None:
    raise Refusal(Reason.STORE_UNAVAILABLE)


def _full(*_: object) -> None:
    raise ArchiveFault("coins: No space left on device")


async def test_a_store_with_another_history_stops_the_books(own_rig: Rig, tmp_path: Path) -> None:
    """As long as the archive, or longer, but not the same: two stores were written to."""
    rig = own_rig
    vault = await played_vault(rig, tmp_path / "archive", 20)
    rig.back_up(tmp_path / "backup")
    await vault.play(21, 28)
    await vault.archiver.copy(vault.asset)
    await rig.restore(tmp_path / "backup")
    rig.store.expect(vault.asset, 0)
    for seq in range(21, 33):
        await rig.settle(vault.asset, seq, [Leg("ann", "bob", 4, "win")])

    await vault.archiver.check(vault.asset)
    assert "another entry 31" in vault.stops.why(vault.asset)
    assert await vault.corrections.resume(resumption(vault, 35), CALL) == (36, 8)
    assert await vault.archiver.copy(vault.asset) == 36
    assert (await vault.verify()).faults == ()


async def test_an_empty_store_under_an_archive_stops_the_books(own_rig: Rig, tmp_path: Path) -> None:
    rig = own_rig
    vault = await played_vault(rig, tmp_path / "archive", 20)
    await vault.archiver.copy(vault.asset)
    await rig.client.flushall()
    await vault.archiver.check(vault.asset)
    assert vault.stops.why(vault.asset) == "the journal ends at 0, the archive at 23"


async def test_a_store_that_takes_over_under_a_running_ledger_is_not_written_to(own_rig: Rig, tmp_path: Path) -> None:
    """Reliability 35: no archive needed; the process knows what it has acknowledged."""
    rig = own_rig
    vault = await played_vault(rig, tmp_path / "archive", 3)
    rig.back_up(tmp_path / "backup")
    await vault.play(4, 5)
    await rig.restore(tmp_path / "backup")
    behind: list[tuple[str, int]] = []
    rig.store._on_behind = lambda asset, number: behind.append((asset, number))
    refusal = await refused(rig.settle(vault.asset, 4, LEGS))
    assert (refusal.reason, dict(refusal.metadata)) == (Reason.BOOKS_STOPPED, {"journal_number": "6"})
    assert behind == [(vault.asset, 6)]
    assert (await rig.store.head(vault.asset)).number == 6


async def test_an_archive_that_ends_before_what_was_trimmed_is_named_to_the_operator(rig: Rig, tmp_path: Path) -> None:
    """What lies between is nowhere: the archive must be brought back, or nothing tells what is lost.

    So it is where nothing was noted of the archive: the store is another one than it was written from.
    """
    vault = await played_vault(rig, tmp_path)
    await vault.archiver.copy(vault.asset)
    first = (await vault.stored())[0]
    for path in sorted((tmp_path / vault.asset).glob("*.seg"))[1:]:
        path.unlink()
    await rig.client.hdel(Keys.of(vault.asset).head, "archived")
    await vault.archiver.check(vault.asset)
    refusal = await refused(_told(vault.corrections.resume(resumption(vault, 43), CALL)))
    assert (refusal.reason, dict(refusal.metadata)) == (Reason.JOURNAL_DAMAGED, {"journal_number": str(first - 1)})


async def _told(call: Awaitable[object]) -> None:
    with damage_told():
        await call


async def test_books_that_are_open_cannot_be_resumed(rig: Rig, tmp_path: Path) -> None:
    vault = await played_vault(rig, tmp_path, 3)
    refusal = await refused(vault.corrections.resume(resumption(vault, 6), CALL))
    assert (refusal.reason, refusal.field) == (Reason.INVALID_FIELD, "asset")
    assert (await rig.store.head(vault.asset)).number == 6


async def test_a_copy_that_is_cancelled_ends_only_when_its_thread_has(
    rig: Rig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last copy, at the end of the service, comes right behind it."""
    vault = await played_vault(rig, tmp_path)
    began, may_go_on = threading.Event(), threading.Event()
    append = vault.archive.append

    def slow(asset: str, entries: Sequence[Entry]) -> None:
        began.set()
        may_go_on.wait(30)
        append(asset, entries)

    monkeypatch.setattr(vault.archive, "append", slow)
    copying = asyncio.create_task(vault.archiver.copy(vault.asset))
    await asyncio.to_thread(began.wait, 30)
    copying.cancel()
    await asyncio.sleep(0)
    may_go_on.set()
    (ending,) = await asyncio.gather(copying, return_exceptions=True)
    assert isinstance(ending, asyncio.CancelledError)
    assert vault.archive.head(vault.asset) == await rig.store.head(vault.asset)
    await vault.archiver.copy(vault.asset)
