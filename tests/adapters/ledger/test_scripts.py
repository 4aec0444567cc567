"""The scripts by themselves: they trust no caller, and a refusal writes nothing."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from deploy.local.redis_server import RedisServer
from services.ledger.adapters.answers import text
from services.ledger.adapters.coalescer import ScriptFault
from services.ledger.adapters.keys import Keys
from services.ledger.adapters.lua import ScriptName, script
from services.ledger.app.entries import parse_body
from services.ledger.app.fingerprint import settlement_fingerprint
from services.ledger.values import UNITS_MAX, ArchiveNote, Group, Leg, Settlement
from tests.services.ledger.rig import CALL, Rig, open_rig

NOT_WHOLE = ["", "-1", "1.5", "1e3", " 1", "1 ", "+1", "01", "0x10", "nan", "inf", "one", "1\n"]
TOO_LARGE = [str(UNITS_MAX + 1), str(UNITS_MAX + 2), "9" * 16, "9" * 400]
SETTLE = ("t1", "1", "1", "print", "d1", "0", "actor", "1", "0", "ann", "bob", "5", "win", "0")
RESERVE = ("t2", "1", "d1", "0", "1000", "0", "actor", "cyd")
RELEASE = ("t1", "1", "d1", "1000", "0", "actor", "")
CLAIM = ("t1", "1", "1000")
VOID = ("t1", "1", "1", "print", "d1", "0", "actor", "why")
OPEN = ("eve", "5", "0", "actor", "issuance", "0")
GRANT = ("request", "print", "ann", "5", "0", "actor", "why", "issuance", "0")
RELIEF = ("request", "print", "ann", "5", "0", "actor", "why", "fund:relief", "50")
FREEZE = ("request", "print", "ann", "freeze", "0", "actor", "why")
RESUME = ("request", "print", "4", "1", "0", "actor", "why", "0", "3")
REVERSE = ("request", "print", "1", "0", "actor", "why", "", "", "1", "bob", "issuance", "5")
SEEN = "0"
OF_REQUESTS = {ScriptName.OPEN, ScriptName.GRANT, ScriptName.FREEZE, ScriptName.RESUME, ScriptName.REVERSE}


async def run(
    rig: Rig, name: ScriptName, asset: str, arguments: Sequence[str], table: str = "t1", seen: str = SEEN
) -> list[str]:
    """The script's answer, without where the journal ends, which must be true."""
    keys = Keys.of(asset)
    record = keys.requests if name in OF_REQUESTS else keys.table(table)
    answer = await rig.calls.run(script(name), keys.scripted(record), (seen, *arguments), None)
    *parts, ends = [text(part) for part in answer]
    assert int(ends) == (await rig.store.head(asset)).number
    return parts


async def everything(rig: Rig, asset: str) -> dict[bytes, bytes | None]:
    """All that is stored of an asset."""
    found = [key async for key in rig.client.scan_iter(match=f"{Keys.of(asset).tag}*", count=1000)]
    return {key: await rig.client.dump(key) for key in sorted(found)}


async def file_size(rig: Rig) -> int:
    """Bytes of the store's append-only file; its server must be the test's own."""
    return int((await rig.client.info("persistence"))["aof_current_size"])


def changed(arguments: Sequence[str], place: int, value: str) -> tuple[str, ...]:
    return (*arguments[:place], value, *arguments[place + 1 :])


async def test_numbers_that_are_not_whole_are_invalid_everywhere_and_write_nothing(rig: Rig) -> None:
    asset = await rig.seated("t1", {"ann": 9, "bob": 9})
    before = await everything(rig, asset)
    for value in NOT_WHOLE:
        for place in (1, 2, 5, 7, 8, 11, 13):
            answer = await run(rig, ScriptName.SETTLE, asset, changed(SETTLE, place, value))
            assert answer[0] == "INVALID", (place, value)
        for name, arguments, places in (
            (ScriptName.RESERVE, RESERVE, (1, 3, 5)),
            (ScriptName.RELEASE, RELEASE, (1, 4)),
            (ScriptName.CLAIM, CLAIM, (1,)),
            (ScriptName.VOID, VOID, (1, 2, 5)),
            (ScriptName.OPEN, OPEN, (1, 2, 5)),
            (ScriptName.GRANT, GRANT, (3, 4, 8)),
            (ScriptName.FREEZE, FREEZE, (4,)),
            (ScriptName.RESUME, RESUME, (2, 4, 7, 8)),
            (ScriptName.REVERSE, REVERSE, (2, 3, 8, 11)),
        ):
            for place in places:
                answer = await run(rig, name, asset, changed(arguments, place, value))
                assert answer[0] == "INVALID", (name, place, value)
            assert (await run(rig, name, asset, arguments, seen=value))[0] == "INVALID", (name, value)
    assert await everything(rig, asset) == before


@pytest.mark.parametrize("value", TOO_LARGE)
async def test_amounts_a_double_cannot_hold_are_over_the_limit(rig: Rig, value: str) -> None:
    asset = await rig.seated("t1", {"ann": 9, "bob": 9})
    before = await everything(rig, asset)
    assert (await run(rig, ScriptName.SETTLE, asset, changed(SETTLE, 11, value)))[0] == "LIMIT"
    assert (await run(rig, ScriptName.GRANT, asset, changed(GRANT, 3, value)))[0] == "LIMIT"
    assert await everything(rig, asset) == before


@pytest.mark.parametrize(
    "arguments",
    [
        SETTLE[:9],
        SETTLE[:-1],
        (*SETTLE, "1"),
        changed(SETTLE, 7, "2"),
        changed(SETTLE, 1, "0"),
        changed(SETTLE, 2, "0"),
        *(changed(SETTLE, 9, payer) for payer in ("", "bob", "system", "penalties", "issuance")),
        *(changed(SETTLE, 10, payee) for payee in ("", "ann", "system", "penalties", "issuance")),
        changed(SETTLE, 12, "penalty"),
        changed(SETTLE, 13, "1"),
        (*changed(SETTLE, 8, "1"), "1", ""),
        (*changed(changed(SETTLE, 8, "1"), 13, "1"), "1", "cyd"),
        (*changed(changed(SETTLE, 8, "1"), 13, "1"), "0", ""),
        (*changed(changed(SETTLE, 8, "2"), 13, "1"), "1", "", "1", ""),
    ],
)
async def test_a_settlement_that_cannot_be_is_invalid_and_writes_nothing(rig: Rig, arguments: Sequence[str]) -> None:
    """PF-51, PF-52, PF-54: no party twice in a leg, no win of the system, no half request."""
    asset = await rig.seated("t1", {"ann": 9, "bob": 9})
    before = await everything(rig, asset)
    assert (await run(rig, ScriptName.SETTLE, asset, arguments))[0] == "INVALID"
    assert await everything(rig, asset) == before
    assert (await run(rig, ScriptName.SETTLE, asset, SETTLE))[0] == "OK"


GROUP_OF_THREE = ("ann", "bob", "5", "win", "1", "ann", "cyd", "5", "win", "1", "ann", "dan", "5", "win", "1")


@pytest.mark.parametrize(
    "legs",
    [
        changed(GROUP_OF_THREE, 9, "0"),
        changed(GROUP_OF_THREE, 5, "dan"),
        changed(GROUP_OF_THREE, 11, "bob"),
    ],
    ids=["apart", "two payers", "a payee twice"],
)
async def test_a_group_is_one_payers_legs_side_by_side_to_different_payees(rig: Rig, legs: Sequence[str]) -> None:
    """PF-52."""
    asset = await rig.seated("t1", dict.fromkeys(("ann", "bob", "cyd", "dan"), 9))
    head = (*SETTLE[:7], "3", "1")
    before = await everything(rig, asset)
    assert (await run(rig, ScriptName.SETTLE, asset, (*head, *legs, "1", "")))[0] == "INVALID"
    assert await everything(rig, asset) == before
    assert (await run(rig, ScriptName.SETTLE, asset, (*head, *GROUP_OF_THREE, "1", "")))[0] == "OK"


@pytest.mark.parametrize(
    ("name", "arguments", "first", "again"),
    [
        (ScriptName.SETTLE, SETTLE, "OK", "DUP"),
        (ScriptName.VOID, VOID, "OK", "DUP"),
        (ScriptName.GRANT, GRANT, "OK", "DUP"),
        (ScriptName.GRANT, RELIEF, "OK", "DUP"),
        (ScriptName.OPEN, OPEN, "OPENED", "SAME"),
        (ScriptName.RESERVE, ("t1", *RESERVE[1:7], "ann", "bob"), "OK", "OK"),
        (ScriptName.RELEASE, RELEASE, "OK", "OK"),
        (ScriptName.RELEASE, changed(RELEASE, 2, ""), "OK", "OK"),
        (ScriptName.CLAIM, CLAIM, "OK", "OK"),
        (ScriptName.FREEZE, FREEZE, "OK", "DUP"),
        (ScriptName.RESUME, changed(RESUME, 2, "3"), "OK", "DUP"),
        (ScriptName.REVERSE, REVERSE, "OK", "DUP"),
    ],
)
async def test_a_repeat_writes_and_changes_nothing(
    tmp_path: Path, name: ScriptName, arguments: Sequence[str], first: str, again: str
) -> None:
    """A replication barrier after a repeat must cover the first write: the repeat itself reaches the file."""
    server = RedisServer.start(tmp_path)
    try:
        async with open_rig(server.url) as rig:
            asset = await rig.seated("t1", {"ann": 9, "bob": 9})
            if name is ScriptName.REVERSE:
                await run(rig, ScriptName.RELEASE, asset, RELEASE)
            answer = await run(rig, name, asset, arguments)
            before, size = await everything(rig, asset), await file_size(rig)
            repeat = await run(rig, name, asset, arguments)
            assert (answer[0], repeat[0]) == (first, again)
            assert name is ScriptName.RELEASE or answer[1:] == repeat[1:]
            assert await everything(rig, asset) == before
            assert await file_size(rig) > size
    finally:
        server.stop()


async def test_every_other_refusal_writes_nothing_either(rig: Rig) -> None:
    asset = await rig.seated("t1", {"ann": 9, "bob": 9})
    await rig.open("cyd", asset, 9)
    for seq in range(1, 18):
        await rig.settle(asset, seq, [Leg("ann", "bob", 0, "win")], epoch=5)
    assert (await run(rig, ScriptName.REVERSE, asset, changed(REVERSE, 9, "cyd")))[0] == "OK"
    await rig.client.hset(Keys.of(asset).head, "wrong", "1")
    seq_18 = changed(changed(SETTLE, 1, "5"), 2, "18")
    before = await everything(rig, asset)
    for status, arguments in (
        ("FENCED", changed(seq_18, 1, "4")),
        ("GAP", changed(seq_18, 2, "19")),
        ("OLD", changed(seq_18, 2, "1")),
        ("CONFLICT", changed(seq_18, 2, "17")),
        ("NOACCT", changed(seq_18, 10, "eve")),
        ("MISSING", changed(seq_18, 4, "d2")),
        ("MISSING", changed(seq_18, 9, "cyd")),
    ):
        assert (await run(rig, ScriptName.SETTLE, asset, arguments))[0] == status
    other = ("other", "print")
    for status, name, arguments in (
        ("REFUSED", ScriptName.RESERVE, changed(RESERVE, 7, "ann")),
        ("GAP", ScriptName.VOID, changed(changed(VOID, 1, "5"), 2, "19")),
        ("INVALID", ScriptName.VOID, VOID[:7]),
        ("LIMIT", ScriptName.OPEN, changed(OPEN, 1, str(UNITS_MAX))),
        ("INVALID", ScriptName.OPEN, changed(OPEN, 0, "issuance")),
        ("INVALID", ScriptName.OPEN, changed(OPEN, 0, "fund:relief")),
        ("INVALID", ScriptName.OPEN, changed(OPEN, 4, "ann")),
        ("BUDGET", ScriptName.OPEN, changed(OPEN, 4, "fund:robots")),
        ("WRONG", ScriptName.GRANT, (*other, *GRANT[2:])),
        ("INVALID", ScriptName.GRANT, (*other, *changed(GRANT, 2, "penalties")[2:])),
        ("INVALID", ScriptName.GRANT, (*other, *changed(GRANT, 3, "0")[2:])),
        ("INVALID", ScriptName.GRANT, (*other, *changed(GRANT, 7, "penalties")[2:])),
        ("INVALID", ScriptName.GRANT, (*other, *changed(RELIEF, 2, "fund:robots")[2:])),
        ("REUSED", ScriptName.GRANT, changed(GRANT, 1, "another print")),
        ("REUSED", ScriptName.FREEZE, changed(FREEZE, 1, "another print")),
        ("NOACCT", ScriptName.FREEZE, (*other, *changed(FREEZE, 2, "eve")[2:])),
        ("INVALID", ScriptName.FREEZE, (*other, *changed(FREEZE, 2, "penalties")[2:])),
        ("INVALID", ScriptName.FREEZE, (*other, *changed(FREEZE, 3, "melt")[2:])),
        ("MOVED", ScriptName.RESUME, (*other, *RESUME[2:])),
        ("MOVED", ScriptName.RESUME, (*other, "99", "0", *RESUME[4:])),
        ("INVALID", ScriptName.RESUME, (*other, *changed(RESUME, 3, "2")[2:])),
        ("INVALID", ScriptName.RESUME, (*other, *changed(RESUME, 8, "-1")[2:])),
        ("REVERSED", ScriptName.REVERSE, (*other, *REVERSE[2:])),
        ("LOCKED", ScriptName.REVERSE, (*other, *changed(changed(REVERSE, 2, "2"), 9, "ann")[2:])),
        ("NOACCT", ScriptName.REVERSE, (*other, *changed(changed(REVERSE, 2, "2"), 9, "eve")[2:])),
        ("INVALID", ScriptName.REVERSE, (*other, *changed(REVERSE, 2, "99")[2:])),
        ("INVALID", ScriptName.REVERSE, (*other, *changed(REVERSE, 9, "issuance")[2:])),
        ("INVALID", ScriptName.REVERSE, (*other, *REVERSE[2:-1])),
        ("INVALID", ScriptName.RESERVE, (*RESERVE, "cyd")),
        ("INVALID", ScriptName.RESERVE, (*RESERVE, "issuance")),
        ("INVALID", ScriptName.RESERVE, RESERVE[:7]),
    ):
        assert (await run(rig, name, asset, arguments, table="t2" if name is ScriptName.RESERVE else "t1"))[
            0
        ] == status, (name, arguments)
    assert await everything(rig, asset) == before


async def test_grants_and_relief_that_cannot_be_write_nothing(rig: Rig) -> None:
    """PF-50: also not the budget that a fund would begin with."""
    asset = await rig.seated("t1", {"ann": 9, "bob": 9})
    before = await everything(rig, asset)
    for status, arguments in (
        ("NOACCT", changed(GRANT, 2, "eve")),
        ("NOACCT", changed(RELIEF, 2, "eve")),
        ("LIMIT", changed(GRANT, 3, str(UNITS_MAX))),
        ("LIMIT", changed(RELIEF, 8, str(UNITS_MAX))),
        ("BUDGET", changed(RELIEF, 3, "51")),
        ("BUDGET", changed(RELIEF, 8, "0")),
    ):
        assert (await run(rig, ScriptName.GRANT, asset, arguments))[0] == status
    assert await everything(rig, asset) == before


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (ScriptName.SETTLE, SETTLE),
        (ScriptName.VOID, VOID),
        (ScriptName.GRANT, GRANT),
        (ScriptName.OPEN, OPEN),
        (ScriptName.OPEN, changed(OPEN, 0, "ann")),
        (ScriptName.RESERVE, ("t1", *RESERVE[1:7], "ann", "bob")),
        (ScriptName.RELEASE, RELEASE),
        (ScriptName.CLAIM, CLAIM),
        (ScriptName.FREEZE, FREEZE),
        (ScriptName.RESUME, changed(RESUME, 2, "3")),
        (ScriptName.REVERSE, changed(REVERSE, 9, "cyd")),
    ],
)
async def test_a_journal_that_ends_before_what_was_seen_is_not_written_to(
    rig: Rig, name: ScriptName, arguments: Sequence[str]
) -> None:
    """Reliability 35: a store that took over, or was set back; also a repeat is not answered from it."""
    asset = await rig.seated("t1", {"ann": 9, "bob": 9})
    await rig.open("cyd", asset, 9)
    before = await everything(rig, asset)
    assert await run(rig, name, asset, arguments, seen="5") == ["BEHIND", "4"]
    assert await everything(rig, asset) == before
    if name is ScriptName.RESUME:
        arguments = changed(RESUME, 2, "4")
    assert (await run(rig, name, asset, arguments, seen="4"))[0] in ("OK", "OPENED", "SAME")


@pytest.mark.parametrize("damage", ["1.5", "1e3", "much", ""])
async def test_a_damaged_balance_stops_the_script_before_it_writes(rig: Rig, damage: str) -> None:
    asset = await rig.seated("t1", {"ann": 9, "bob": 9})
    await rig.client.hset(Keys.of(asset).balance, "bob", damage)
    before = await everything(rig, asset)
    with pytest.raises(ScriptFault):
        await run(rig, ScriptName.SETTLE, asset, SETTLE)
    assert await everything(rig, asset) == before


async def test_a_journal_that_is_ahead_of_its_head_stops_the_script_before_it_writes(rig: Rig) -> None:
    """Reliability 35: a head restored from an older backup must not number entries again."""
    asset = await rig.seated("t1", {"ann": 9, "bob": 9})
    await rig.client.hset(Keys.of(asset).head, "number", "1")
    before = await everything(rig, asset)
    with pytest.raises(ScriptFault):
        await run(rig, ScriptName.SETTLE, asset, SETTLE)
    assert await everything(rig, asset) == before


async def test_the_journal_holds_every_fact_of_a_settlement(rig: Rig) -> None:
    """PF-56: table, deal, seq, epoch, actor, time; asked, paid, both balances after, reason and group of each leg."""
    asset = await rig.seated("t1", {"ann": 9, "bob": 0, "cyd": 0})
    legs = (Leg("ann", "bob", 8, "rain", 3), Leg("ann", "cyd", 8, "rain", 3), Leg("bob", "system", 2, "penalty"))
    await rig.settle(asset, 1, [Leg("cyd", "ann", 0, "win")])
    asked = Settlement("t1", 4, 2, "d1", asset, legs, (Group(3, "cyd"),))
    settled = await rig.store.settle(asked, "print", CALL)
    entry = (await rig.store.entries(asset, settled.number - 1, 1))[0]
    assert entry.body == (
        '{"number":6,"kind":"settle","at_ms":1700000000000,"actor":"table-0","why":"","request":"","table":"t1",'
        '"epoch":4,"seq":2,"deal":"d1","prior":5,"groups":[[3,"cyd"]],"before":{"ann":5,"bob":2,"cyd":5,"penalties":0},'
        '"legs":[["ann","bob",8,4,5,4,"rain",3],["ann","cyd",8,5,0,5,"rain",3],["bob","system",2,2,2,2,"penalty",0]]}'
    )
    record = parse_body(entry.body)
    assert record.fingerprint(asset) == settlement_fingerprint(asked)
    assert (record.earlier(""), record.earlier("ann"), record.earlier("penalties")) == (5, 5, 0)


async def test_all_keys_of_an_asset_share_one_slot(rig: Rig) -> None:
    asset = await rig.seated("t1", {"ann": 9, "bob": 9})
    await run(rig, ScriptName.SETTLE, asset, SETTLE)
    await run(rig, ScriptName.GRANT, asset, GRANT)
    await run(rig, ScriptName.FREEZE, asset, changed(FREEZE, 0, "other"))
    stored = {key.decode() for key in await everything(rig, asset)}
    assert stored == {*Keys.of(asset).scripted(Keys.of(asset).requests), Keys.of(asset).table("t1")}
    assert all(key.startswith(f"{{ledger:{asset}}}") for key in stored)


@pytest.mark.parametrize("value", ["oops", "7x", "-1", "1.5", "99", "99999999999999999999"])
@pytest.mark.parametrize("place", ["an account's last entry", "a table's last entry"])
async def test_a_stored_number_that_is_no_entry_stops_a_settlement_before_it_is_written(
    rig: Rig, place: str, value: str
) -> None:
    """It would stand in the journal for ever, under a hash that says it is right."""
    asset = await rig.seated("t1", {"ann": 9, "bob": 9})
    keys = Keys.of(asset)
    key, field = (keys.last, "ann") if place.startswith("an account") else (keys.table("t1"), "entry")
    await rig.client.hset(key, field, value)
    before = await everything(rig, asset)
    with pytest.raises(ScriptFault, match="not one of the journal"):
        await run(rig, ScriptName.SETTLE, asset, SETTLE)
    assert await everything(rig, asset) == before


@pytest.mark.parametrize("value", ["abc", "007", "1.5", "99999999999999999999", "-99999999999999999999"])
async def test_a_stored_balance_that_is_no_whole_number_stops_a_settlement_before_it_is_written(
    rig: Rig, value: str
) -> None:
    asset = await rig.seated("t1", {"ann": 9, "bob": 9})
    await rig.client.hset(Keys.of(asset).balance, "ann", value)
    before = await everything(rig, asset)
    with pytest.raises(ScriptFault, match="not a whole number"):
        await run(rig, ScriptName.SETTLE, asset, SETTLE)
    assert await everything(rig, asset) == before


async def test_a_note_of_where_the_archive_ends_undoes_no_decision(rig: Rig) -> None:
    """An operator decided between its being read and its being written."""
    asset = await rig.seated("t1", {"ann": 9, "bob": 9})
    assert await run(rig, ScriptName.NOTE, asset, ("0", "3", "")) == ["OK"]
    assert await rig.store.noted_archive(asset) == ArchiveNote(3)
    assert await run(rig, ScriptName.NOTE, asset, ("3", "3", "1")) == ["OK"]
    assert await rig.store.noted_archive(asset) == ArchiveNote(3, cut_to=1)
    await run(rig, ScriptName.RESUME, asset, changed(changed(RESUME, 2, "3"), 8, "1"))
    assert await rig.store.noted_archive(asset) == ArchiveNote(1)
    for number, cut_to in (("3", "1"), ("4", "")):
        assert await run(rig, ScriptName.NOTE, asset, ("3", number, cut_to)) == ["MOVED"]
    assert await rig.store.noted_archive(asset) == ArchiveNote(1)


@pytest.mark.parametrize("group", ["0", "1"])
async def test_an_account_below_zero_pays_nothing_and_is_paid(rig: Rig, group: str) -> None:
    """PF-51: a rebuild may find that somebody paid more than he ever had."""
    asset = await rig.seated("t1", {"ann": 9, "bob": 9})
    await rig.client.hset(Keys.of(asset).balance, "ann", "-490")
    legs = ("ann", "bob", "5", "win", group, "bob", "ann", "3", "rain", "0")
    groups = ("1", "") if group == "1" else ()
    asked = ("t1", "1", "1", "print", "d1", "0", "actor", "2", str(len(groups) // 2), *legs, *groups)
    assert (await run(rig, ScriptName.SETTLE, asset, asked))[0] == "OK"
    assert await rig.units(asset, "ann", "bob") == [-487, 6]
    body = (await rig.store.next_entries(asset, 0, 99))[-1].body
    assert [leg.paid for leg in parse_body(body).legs] == [0, 3]
