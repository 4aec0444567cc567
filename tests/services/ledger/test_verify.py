"""VerifyBooks finds what somebody did to the store behind the ledger's back."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from services.ledger.adapters.keys import REQUEST_IDS, Keys
from services.ledger.app import fold
from services.ledger.app.audit import Auditor
from services.ledger.app.entries import chain_hash
from services.ledger.app.fold import FaultKind, Fold
from services.ledger.edge.mapping import verify_response
from services.ledger.values import Grant, Leg, Resumption, Reversal
from tests.services.ledger.rig import CALL, Rig, new_asset
from tests.services.ledger.vault import played_vault

Rows = list[tuple[str, dict[str, str]]]
"""Entries of a journal: id, and the fields body and hash."""


async def played(rig: Rig) -> str:
    """Books of eleven entries: four accounts, a reservation, six settlements."""
    asset = await rig.seated("t1", {"ann": 20, "bob": 20, "cyd": 0, "dan": 20})
    for seq in range(1, 6):
        await rig.settle(asset, seq, [Leg("ann", "bob", seq, "win"), Leg("dan", "cyd", seq, "rain")])
    await rig.settle(asset, 6, [Leg("bob", "system", 7, "penalty")])
    return asset


async def journal(rig: Rig, asset: str) -> Rows:
    rows: Any = await rig.client.xrange(Keys.of(asset).journal)
    return [(entry.decode(), {k.decode(): v.decode() for k, v in fields.items()}) for entry, fields in rows]


async def rewrite(rig: Rig, asset: str, rows: Rows) -> None:
    """Puts other entries in the place of the journal."""
    await rig.client.delete(Keys.of(asset).journal)
    for entry, fields in rows:
        await rig.client.xadd(Keys.of(asset).journal, fields, id=entry)  # type: ignore[arg-type]


async def found(rig: Rig, asset: str) -> set[tuple[str, str, int]]:
    """What is named, as the wire tells it."""
    told = verify_response(await rig.verify(asset))
    return {(fault.kind, fault.account_id, fault.journal_number) for fault in told.faults}


async def test_right_books_are_right_with_their_totals(rig: Rig) -> None:
    state = await rig.verify(await played(rig))
    assert not state.faults
    assert (state.entry_count, state.account_count) == (11, 6)
    assert (state.supply, state.players_total, state.penalties_total, state.sum_total) == (60, 53, 7, 0)


async def test_books_without_an_entry_are_right(rig: Rig) -> None:
    state = await rig.verify(new_asset())
    assert (state.faults, state.entry_count, state.account_count, state.sum_total) == ((), 0, 0, 0)


@pytest.mark.parametrize("account", ["cyd", "issuance", "penalties"])
async def test_one_altered_balance_is_named(rig: Rig, account: str) -> None:
    asset = await played(rig)
    await rig.client.hincrby(Keys.of(asset).balance, account, 1)
    state = await rig.verify(asset)
    assert {(fault.kind, fault.account) for fault in state.faults} == {("balance", account), ("sum", "")}
    assert state.sum_total == 1


@pytest.mark.parametrize("text", ["", "abc", "1.5", "20 ", "020", "+20", "2_0", "9" * 30, "-0.0", "\x00"])
@pytest.mark.parametrize("key", ["balance", "last"])
async def test_what_is_no_number_is_named_too(rig: Rig, text: str, key: str) -> None:
    asset = await played(rig)
    await rig.client.hset(getattr(Keys.of(asset), key), "ann", text)
    kind = {"balance": "balance", "last": "chain"}[key]
    assert (kind, "ann", 0) in await found(rig, asset)


async def test_money_moved_by_hand_is_named_on_both_sides(rig: Rig) -> None:
    asset = await played(rig)
    await rig.client.hincrby(Keys.of(asset).balance, "bob", 9)
    await rig.client.hincrby(Keys.of(asset).balance, "cyd", -16)
    await rig.client.hincrby(Keys.of(asset).balance, "dan", 7)
    expected = {("balance", "bob", 0), ("balance", "cyd", 0), ("negative", "cyd", 0), ("balance", "dan", 0)}
    assert await found(rig, asset) == expected


async def test_an_account_made_or_lost_behind_the_ledgers_back_is_named(rig: Rig) -> None:
    asset = await played(rig)
    await rig.client.hset(Keys.of(asset).balance, "eve", "0")
    await rig.client.hdel(Keys.of(asset).balance, "cyd")
    assert {(FaultKind.BALANCE, "eve", 0), (FaultKind.BALANCE, "cyd", 0)} <= await found(rig, asset)


async def test_a_dropped_entry_is_named(rig: Rig) -> None:
    asset = await played(rig)
    await rig.client.xdel(Keys.of(asset).journal, "6-0")
    assert {("gap", "", 7), ("chain", "", 7)} <= await found(rig, asset)


@pytest.mark.parametrize("last", ["11-0", "9-0"])
async def test_a_lost_tail_is_named(rig: Rig, last: str) -> None:
    """Reliability 35: balances and head say more than the journal."""
    asset = await played(rig)
    rows = [row for row in await journal(rig, asset) if int(row[0].split("-")[0]) < int(last.split("-")[0])]
    await rewrite(rig, asset, rows)
    assert ("gap", "", 11) in await found(rig, asset)


async def test_two_swapped_entries_are_named(rig: Rig) -> None:
    asset = await played(rig)
    rows = await journal(rig, asset)
    rows[6], rows[7] = (rows[6][0], rows[7][1]), (rows[7][0], rows[6][1])
    await rewrite(rig, asset, rows)
    assert {("gap", "", 7), ("chain", "", 7), ("gap", "", 8), ("chain", "", 8)} <= await found(rig, asset)


def _paid(body: str) -> str:
    fields = json.loads(body)
    fields["legs"][0][3] += 1
    return json.dumps(fields, separators=(",", ":"))


@pytest.mark.parametrize(
    "edit",
    [
        lambda body: body.replace('"win"', '"tip"', 1),
        lambda body: body.replace('"at_ms":17', '"at_ms":18'),
        lambda body: body + " ",
        lambda body: "not json",
        lambda body: '{"number":7,"legs":[["ann"]]}',
        lambda body: '{"number":7,"legs":[["ann","bob",1,0.5,1,1,"win",0]]}',
        _paid,
    ],
)
async def test_an_edited_entry_is_named(rig: Rig, edit: Callable[[str], str]) -> None:
    asset = await played(rig)
    rows = await journal(rig, asset)
    assert edit(rows[6][1]["body"]) != rows[6][1]["body"]
    rows[6][1]["body"] = edit(rows[6][1]["body"])
    await rewrite(rig, asset, rows)
    assert ("chain", "", 7) in await found(rig, asset)


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"legs":[[', f'"legs":{DEEP}[['),
        ('"kind":', f'"more":{DEEP},"kind":'),
        ('["ann","bob",2,2,', '["ann","bob","2",2,'),
        ('["ann","bob",2,2,', '["ann","bob",2,null,'),
        ('["ann","bob",2,2,', '["ann",["bob"],2,2,'),
        ('["ann","bob",2,2,', '["ann",null,2,2,'),
        ('["ann","bob",2,2,', f'["ann","bob",2,{"9" * 30},'),
        ('["ann","bob",2,2,', f'["ann","bob",2,{"9" * 5_000},'),
        ('["ann","bob",2,2,', '["ann","bob",2,true,'),
        ('["ann","bob",2,2,', '["ann","bob",2,1e999,'),
        ('["ann","bob",2,2,', '["ann","\\ud800",2,2,'),
        ('"before":{', '"before":[],"x":{'),
        ('"before":{"', '"before":{"\\ud800":0,"'),
        ('"seq":2', '"seq":"4"'),
        ('"kind":"settle"', '"kind":5'),
        ('"legs":', '"accounts":5,"legs":'),
        ('"legs":', '"groups":[[1]],"legs":'),
    ],
)
@pytest.mark.parametrize("is_hashed", [False, True])
async def test_an_entry_of_a_shape_that_none_has_is_named_at_its_number(
    rig: Rig, old: str, new: str, is_hashed: bool
) -> None:
    """Whatever somebody wrote there, the check comes to its end and tells it."""
    asset = await played(rig)
    rows = await journal(rig, asset)
    fields = rows[6][1]
    assert old in fields["body"], fields["body"]
    fields["body"] = fields["body"].replace(old, new, 1)
    if is_hashed:
        fields["hash"] = chain_hash(rows[5][1]["hash"], fields["body"])
    await rewrite(rig, asset, rows)
    assert ("chain", "", 7) in await found(rig, asset)


@pytest.mark.parametrize("number", ["", "abc", "-3", "1.5", "9" * 30])
async def test_a_head_that_is_no_number_is_named(rig: Rig, number: str) -> None:
    asset = await played(rig)
    await rig.client.hset(Keys.of(asset).head, "number", number)
    assert ("gap", "", 1) in await found(rig, asset)


async def test_an_account_whose_name_is_no_text_is_named(rig: Rig) -> None:
    asset = await played(rig)
    await rig.client.hset(Keys.of(asset).balance, b"\xff", "5")
    assert ("balance", "?", 0) in await found(rig, asset)


async def test_an_edited_entry_with_a_new_hash_shows_at_the_next(rig: Rig) -> None:
    asset = await played(rig)
    rows = await journal(rig, asset)
    fields = rows[6][1]
    fields["body"] = _paid(fields["body"])
    fields["hash"] = chain_hash(rows[5][1]["hash"], fields["body"])
    await rewrite(rig, asset, rows)
    assert {("chain", "", 8), ("balance", "ann", 7), ("balance", "bob", 7)} <= await found(rig, asset)


async def test_an_edited_last_entry_with_a_new_hash_shows_at_the_head(rig: Rig) -> None:
    asset = await played(rig)
    rows = await journal(rig, asset)
    fields = rows[10][1]
    fields["body"] = fields["body"].replace("penalty", "fine")
    fields["hash"] = chain_hash(rows[9][1]["hash"], fields["body"])
    await rewrite(rig, asset, rows)
    assert await found(rig, asset) == {("chain", "", 11)}


async def test_entries_added_by_hand_are_named(rig: Rig) -> None:
    asset = await played(rig)
    rows = await journal(rig, asset)
    await rewrite(rig, asset, [*rows[:5], ("5-1", rows[4][1]), *rows[5:], ("12-0", rows[10][1])])
    assert {("gap", "", 5), ("gap", "", 12)} <= await found(rig, asset)


async def test_bytes_that_are_no_text_do_not_stop_the_check(rig: Rig) -> None:
    asset = await played(rig)
    rows = await journal(rig, asset)
    await rig.client.delete(Keys.of(asset).journal)
    for entry, fields in rows:
        body = b"\xff\xfe" if entry == "7-0" else fields["body"]
        await rig.client.xadd(Keys.of(asset).journal, {"body": body, "hash": fields["hash"]}, id=entry)
    assert ("chain", "", 7) in await found(rig, asset)


async def test_books_longer_than_a_batch_are_read_to_the_end(rig: Rig) -> None:
    asset = await played(rig)
    for batch in (1, 3, 5, 11, 12):
        state = await Auditor(rig.store, (asset,), batch).verify(asset)
        assert (state.faults, state.entry_count, state.account_count) == ((), 11, 6)


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("seq", "5", ("table", "", 11)),
        ("seq", "x", ("table", "", 11)),
        ("entry", "10", ("table", "", 11)),
        ("epoch", "0", ("table", "", 11)),
        ("deal", "d9", ("table", "", 11)),
        ("deal", "", ("table", "", 11)),
        ("accounts", "ann bob", ("table", "", 11)),
        ("seq", None, ("table", "", 11)),
        ("entry", None, ("table", "", 11)),
        (None, None, ("table", "", 11)),
    ],
)
async def test_a_tables_record_that_somebody_altered_is_named(
    rig: Rig, field: str | None, value: str | None, named: tuple[str, str, int]
) -> None:
    """PF-53, PF-55: before a settlement is made a second time, or by whom does not own the table."""
    asset = await played(rig)
    key = Keys.of(asset).table("t1")
    if field is None:
        await rig.client.delete(key)
    elif value is None:
        await rig.client.hdel(key, field)
    else:
        await rig.client.hset(key, field, value)
    assert await found(rig, asset) == {named}


async def test_a_lock_that_no_stake_explains_and_a_stake_without_its_lock_are_named(rig: Rig) -> None:
    """PF-55."""
    asset = await played(rig)
    await rig.open("eve", asset, 5)
    await rig.client.hset(Keys.of(asset).lock, mapping={"eve": "t1", "bob": "t2"})
    await rig.client.hdel(Keys.of(asset).lock, "ann")
    assert await found(rig, asset) == {("lock", account, 0) for account in ("ann", "bob", "eve")}


async def test_tables_that_ended_claimed_or_were_forgotten_are_right(rig: Rig) -> None:
    asset = await played(rig)
    await rig.store.release("t1", 1, "d1", asset, CALL)
    await rig.store.claim("t1", 3, asset, CALL)
    assert await found(rig, asset) == set()
    await rig.client.delete(Keys.of(asset).table("t1"))
    assert await found(rig, asset) == set()
    await rig.store.claim("t1", 3, asset, CALL)
    assert await found(rig, asset) == set()
    await rig.client.hset(
        Keys.of(asset).table("t1"), "epoch", "0"
    )  # claimed anew, with an epoch below the forgotten one
    assert await found(rig, asset) == set()
    await rig.reserve(asset, "t1", ["ann", "bob"], deal="d2", epoch=3)
    assert await found(rig, asset) == set()


@pytest.mark.parametrize("seq", [1, 2, 6, 9])
async def test_a_seq_that_is_settled_again_or_left_out_is_named(rig: Rig, seq: int) -> None:
    """PF-53: the table's record was set back, or forward, behind the ledger's back."""
    asset = await played(rig)
    await rig.client.hset(Keys.of(asset).table("t1"), "seq", str(seq - 1))
    await rig.settle(asset, seq, [Leg("bob", "ann", 3, "check")])
    assert ("order", "", 12) in await found(rig, asset)


async def test_a_table_that_the_store_has_forgotten_begins_anew(rig: Rig) -> None:
    asset = await played(rig)
    await rig.store.release("t1", 1, "d1", asset, CALL)
    await rig.client.delete(Keys.of(asset).table("t1"))
    await rig.reserve(asset, "t1", ["ann", "bob"], deal="d2")
    await rig.settle(asset, 1, [Leg("bob", "ann", 3, "check")], deal="d2")
    await rig.settle(asset, 2, [Leg("bob", "ann", 3, "check")], deal="d2")
    assert await found(rig, asset) == set()


async def test_an_entry_that_is_reversed_again_is_named(rig: Rig) -> None:
    asset = await played(rig)
    await rig.store.release("t1", 1, "d1", asset, CALL)
    for _ in range(2):
        await rig.corrections(asset).reverse(Reversal(str(uuid4()), asset, 10, "mistaken"), CALL)
        await rig.client.hdel(Keys.of(asset).requests, "#10")
    state = await rig.verify(asset)
    assert [(fault.kind, fault.number, fault.detail) for fault in state.faults] == [
        ("order", 14, "reverses entry 10, which entry 13 has reversed")
    ]


async def test_a_last_entry_that_somebody_altered_can_be_accepted_after_a_settlement_took_it_in(rig: Rig) -> None:
    asset = await played(rig)
    await rig.client.hset(Keys.of(asset).last, "ann", "2")
    settled = await rig.settle(asset, 7, [Leg("bob", "ann", 3, "check")])
    assert await found(rig, asset) == {("order", "ann", settled.number)}
    decision = Resumption(str(uuid4()), asset, settled.number, "ann's statement leaves some out")
    await rig.corrections(asset).resume(decision, CALL)
    state = await rig.verify(asset)
    assert (state.faults, [fault.number for fault in state.accepted]) == ((), [settled.number])


async def test_a_release_that_came_too_early_leaves_the_stake_that_is_held(rig: Rig) -> None:
    """PF-55."""
    asset = await played(rig)
    assert await rig.store.release("t1", 1, "d2", asset, CALL) == ()
    assert await found(rig, asset) == set()
    await rig.settle(asset, 7, [Leg("bob", "ann", 3, "check")])
    await rig.client.hset(Keys.of(asset).table("t1"), "seq", "0")
    again = await rig.settle(asset, 1, [Leg("bob", "ann", 3, "check")])
    assert ("order", "", again.number) in await found(rig, asset), "the record of a table with a stake is kept"
    assert await rig.store.release("t1", 1, "d1", asset, CALL)


async def test_tables_that_have_been_silent_longest_are_forgotten_unless_they_hold_a_stake(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ledger that lives for years keeps its check small."""
    monkeypatch.setattr(fold, "TABLES_MAX", 10)
    asset = await played(rig)
    for number in range(30):
        await rig.store.release(f"x{number}", 1, "d1", asset, CALL)
    book = Fold()
    for entry in await rig.store.next_entries(asset, 0, 100):
        book.add(entry)
    assert "t1" in book.tables and "x29" in book.tables and "x0" not in book.tables
    assert len(book.tables) <= 10
    assert await found(rig, asset) == set()


@pytest.mark.parametrize("forgotten", ["in one asset", "wholly"])
async def test_an_operators_call_that_the_store_has_forgotten_and_carried_out_twice_is_named(
    rig: Rig, forgotten: str
) -> None:
    asset = await played(rig)
    grant = Grant(str(uuid4()), "ann", asset, 500, "for the tournament")
    first = await rig.corrections(asset).grant(grant, CALL)
    await rig.client.hdel(Keys.of(asset).requests, grant.request_id)
    if forgotten == "wholly":
        await rig.client.hdel(REQUEST_IDS, grant.request_id)
    again = await rig.corrections(asset).grant(grant, CALL)
    assert again.number == first.number + 1, "nothing but the journal remembers it"
    assert await found(rig, asset) == {("order", "", again.number)}


async def test_an_entry_that_stands_twice_at_the_end_is_named(rig: Rig) -> None:
    asset = await played(rig)
    entry_id, fields = (await journal(rig, asset))[-1]
    await rig.client.xadd(Keys.of(asset).journal, dict(fields.items()), id=entry_id.replace("-0", "-1"))
    assert ("gap", "", 11) in await found(rig, asset)


async def test_what_others_follow_from_is_named_first(rig: Rig) -> None:
    asset = await played(rig)
    await rig.client.xdel(Keys.of(asset).journal, "7-0")
    told = verify_response(await rig.verify(asset))
    assert [fault.kind for fault in told.faults][:2] == ["gap", "chain"]
    assert len(told.faults) > 2


async def test_what_was_done_twice_can_be_accepted_once_it_was_made_good(rig: Rig) -> None:
    asset = await played(rig)
    await rig.client.hset(Keys.of(asset).table("t1"), "seq", "5")
    await rig.settle(asset, 6, [Leg("bob", "ann", 3, "check")])
    assert await found(rig, asset) == {("order", "", 12)}
    await rig.corrections(asset).resume(Resumption(str(uuid4()), asset, 12, "seen"), CALL)
    state = await rig.verify(asset)
    assert (state.faults, [fault.number for fault in state.accepted]) == ((), [12])


def _edited(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes()
    assert old in data
    path.chmod(0o644)
    path.write_bytes(data.replace(old, new, 1))


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        (lambda paths: paths[1].with_name("foo.seg").write_bytes(b""), ("stray", "", 0)),
        (lambda paths: paths[1].with_name("zz.seg").write_bytes(paths[1].read_bytes()), ("stray", "", 0)),
        (lambda paths: paths[1].with_name("00000001 copy.seg").write_bytes(b"x\n"), ("stray", "", 0)),
        (lambda paths: _edited(paths[1], b'"asset":"', b'"asset":"o'), ("chain", "", 11)),
        (lambda paths: _edited(paths[-1], b'"asset":"', b'"asset":"o'), ("chain", "", 41)),
        (lambda paths: paths[1].rename(paths[1].with_name("0000000000000012.seg")), ("chain", "", 12)),
        (lambda paths: paths[-1].rename(paths[-1].with_name("0000000000000042.seg")), ("chain", "", 42)),
        (lambda paths: _edited(paths[1], b'"sha256":', b'"sha256":"x"}\nmore{"'), ("chain", "", 20)),
        (lambda paths: _edited(paths[1], b'"legs":[[', b'"legs":' + DEEP.encode()), ("chain", "", 11)),
        (lambda paths: _edited(paths[1], b'"seq":9', b'"seq":"9"'), ("chain", "", 12)),
        (lambda paths: _edited(paths[1], b'"first":11', b'"first":-11'), ("chain", "", 0)),
    ],
)
async def test_files_of_the_archive_that_somebody_touched_are_named(
    rig: Rig, tmp_path: Path, damage: Callable[[list[Path]], object], named: tuple[str, str, int]
) -> None:
    vault = await played_vault(rig, tmp_path)
    await vault.archiver.copy(vault.asset)
    damage(sorted((tmp_path / vault.asset).glob("*.seg")))
    os.utime(tmp_path / vault.asset)
    told = verify_response(await vault.verify())
    assert named in {(fault.kind, fault.account_id, fault.journal_number) for fault in told.faults}


async def test_a_file_that_is_no_segment_does_not_stop_the_books(rig: Rig, tmp_path: Path) -> None:
    vault = await played_vault(rig, tmp_path)
    await vault.archiver.copy(vault.asset)
    (tmp_path / vault.asset / "zz.seg").write_bytes((tmp_path / vault.asset / "0000000000000001.seg").read_bytes())
    await vault.play(41, 45)
    assert await vault.archiver.copy(vault.asset) == 48
    assert vault.stops.why(vault.asset) == ""
    assert [(fault.kind, fault.detail) for fault in (await vault.verify()).faults] == [
        ("stray", "the archive holds zz.seg, which is no segment")
    ]


async def test_what_lies_before_the_damage_is_not_called_missing(rig: Rig, tmp_path: Path) -> None:
    vault = await played_vault(rig, tmp_path)
    await vault.archiver.copy(vault.asset)
    path = tmp_path / vault.asset / "0000000000000011.seg"
    path.rename(path.with_name("0000000000000012.seg"))
    kept = (await vault.stored())[0]
    gaps = [fault.detail for fault in (await vault.verify()).faults if fault.kind == "gap"]
    assert gaps == [f"entries 11-{kept - 1} are missing"]


async def test_bytes_after_the_end_of_a_sealed_segment_are_named(rig: Rig, tmp_path: Path) -> None:
    vault = await played_vault(rig, tmp_path)
    await vault.archiver.copy(vault.asset)
    path = tmp_path / vault.asset / "0000000000000011.seg"
    path.chmod(0o644)
    path.write_bytes(path.read_bytes() + b"more")
    assert ("chain", "", 21) in await vault.found()


async def test_the_check_changes_nothing(rig: Rig) -> None:
    asset = await played(rig)
    await rig.client.hincrby(Keys.of(asset).balance, "cyd", 1)
    before = await rig.client.hgetall(Keys.of(asset).balance)
    await rig.verify(asset)
    assert await rig.client.hgetall(Keys.of(asset).balance) == before
    assert (await rig.store.head(asset)).number == 11
