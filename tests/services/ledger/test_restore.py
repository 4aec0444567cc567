"""The restore drill of docs/operating-the-ledger.md: the store is lost, the archive brings everything back."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from uuid import uuid4

import pytest

from refusals import Reason
from services.ledger.adapters.keys import REQUEST_IDS, Keys
from services.ledger.app.corrections import Corrections
from services.ledger.app.entries import chain_hash
from services.ledger.app.funds import Funds
from services.ledger.values import RELIEF_FUND, EntryKind, Freeze, Grant, Group, Leg, Resumption, Reversal, Stake, Void
from tests.services.ledger.rig import CALL, Rig, refused
from tests.services.ledger.vault import KEPT, SEGMENT, Vault


async def lose_store(vault: Vault) -> None:
    """All of it is archived; then the ledger ends, and its store is empty."""
    await vault.archiver.copy(vault.asset)
    vault.archive.let_go()
    await vault.rig.client.flushall()


async def lived(rig: Rig, folder: Path) -> tuple[Vault, dict[str, object]]:
    """Books of everything: settled and running deals, voids, groups, operators' calls. And what was asked of them."""
    rig.clock.jump(seconds=-rig.clock.now_ms() / 1000 + 4_000_000_000)  # far enough that no record is too old
    asset = await rig.seated("t1", {"ann": 90, "bob": 50, "cyd": 5, "dan": 0})
    vault = Vault(rig, asset, folder)
    shared = [Leg("cyd", "ann", 9, "rain", 2), Leg("cyd", "bob", 9, "rain", 2)]
    for seq in range(1, 20):
        await rig.settle(asset, seq, [Leg("ann", "bob", seq, "win"), Leg("bob", "ann", seq - 1, "rain")])
    await rig.settle(asset, 20, shared, [Group(2, "bob")])
    await rig.books(asset).void(Void("t1", 1, 21, "d1", asset, "a fault"), CALL)
    await rig.store.release("t1", 1, "d1", asset, CALL)
    operators = Corrections(rig.store, Funds({asset: 0}, {RELIEF_FUND: {asset: 100}}))
    grant = Grant(str(uuid4()), "cyd", asset, 7, 'a "prize" / 奖')
    relief = Grant(str(uuid4()), "dan", asset, 20, "broke")
    freeze = Freeze(str(uuid4()), "dan", EntryKind.FREEZE, "a complaint")
    reversal = Reversal(str(uuid4()), asset, 6, "mistaken")
    await operators.grant(grant, CALL)
    await operators.relieve(relief, CALL)
    await operators.freeze(freeze, CALL)
    await operators.reverse(reversal, CALL)
    await rig.store.claim("t2", 7, asset, CALL)
    await rig.reserve(asset, "t2", ["ann", "bob"], deal="d2", epoch=7)
    await rig.settle(asset, 1, [Leg("ann", "bob", 60, "win")], table="t2", deal="d2", epoch=7)
    return vault, {"grant": grant, "relief": relief, "freeze": freeze, "reversal": reversal}


async def contents(rig: Rig, asset: str) -> dict[str, object]:
    """All that the store holds of an asset but the journal, which may be trimmed, and of request ids."""
    found: dict[str, object] = {}
    names = [key async for key in rig.client.scan_iter(match=f"{Keys.of(asset).tag}*", count=1_000)]
    for name in [*names, REQUEST_IDS.encode()]:
        kind = await rig.client.type(name)
        if kind == b"hash":
            found[name.decode()] = await rig.client.hgetall(name)
        elif kind == b"set":
            found[name.decode()] = await rig.client.smembers(name)
        found[f"{name.decode()} is kept"] = await rig.client.pttl(name) > 0
    return found


def rebuild(redis_url: str, archive: Path, asset: str) -> "subprocess.CompletedProcess[str]":
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "CARDROOM_LEDGER_REDIS_URL": redis_url,
        "CARDROOM_LEDGER_ARCHIVE_DIR": str(archive),
        "CARDROOM_OPENING_GRANTS": f'{{"{asset}": 0}}',
        "CARDROOM_ARCHIVE_SEGMENT_ENTRIES": str(SEGMENT),
        "CARDROOM_JOURNAL_KEPT_ENTRIES": str(KEPT),
    }
    return subprocess.run(
        [sys.executable, "-m", "services.ledger.rebuild"],
        env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


async def test_a_lost_store_comes_back_from_the_archive_whole(own_rig: Rig, tmp_path: Path) -> None:
    """The drill: an old backup is put back, the books stop, the store is emptied and rebuilt, play goes on."""
    rig, archive = own_rig, tmp_path / "archive"
    vault, asked = await lived(rig, archive)
    rig.back_up(tmp_path / "backup")
    last = await rig.settle(vault.asset, 2, [Leg("bob", "ann", 5, "win")], table="t2", deal="d2", epoch=7)
    await vault.archiver.copy(vault.asset)
    before = await contents(rig, vault.asset)

    # An old backup: the books stop rather than forget the last settlement.
    await rig.restore(tmp_path / "backup")
    rig.store.expect(vault.asset, 0)
    await vault.archiver.check(vault.asset)
    assert vault.stops.why(vault.asset)
    vault.stops.clear(vault.asset)
    vault.archive.let_go()

    # The store is emptied, and rebuilt with the ledger stopped.
    assert "empty it first" in rebuild(_url(rig), archive, vault.asset).stderr
    await rig.client.flushall()
    done = rebuild(_url(rig), archive, vault.asset)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout.startswith(f"{vault.asset}: {last.number} entries, 6 accounts, 2 of them reserved by tables")
    assert await contents(rig, vault.asset) == before

    # It is as if nothing had happened.
    assert vault.archive.hold()
    await vault.archiver.check(vault.asset)
    assert not vault.stops.why(vault.asset)
    assert (await vault.verify()).faults == ()
    await _goes_on(rig, vault, asked)


async def _goes_on(rig: Rig, vault: Vault, asked: Mapping[str, object]) -> None:
    asset = vault.asset
    operators = Corrections(rig.store, Funds({asset: 0}, {RELIEF_FUND: {asset: 100}}), journal=vault.journal)
    grant, relief, freeze, reversal = (asked[name] for name in ("grant", "relief", "freeze", "reversal"))
    assert isinstance(grant, Grant) and isinstance(relief, Grant)
    assert isinstance(freeze, Freeze) and isinstance(reversal, Reversal)
    assert (await operators.grant(grant, CALL)).duplicate
    assert (await operators.relieve(relief, CALL)).duplicate
    assert (await operators.freeze(freeze, CALL))[1]
    assert (await operators.reverse(reversal, CALL)).duplicate
    again = Reversal(str(uuid4()), asset, 6, "once more")
    assert (await refused(operators.reverse(again, CALL))).reason is Reason.ENTRY_REVERSED
    repeat = await rig.settle(asset, 20, [
        Leg("cyd", "ann", 9, "rain", 2), Leg("cyd", "bob", 9, "rain", 2),
    ], [Group(2, "bob")])  # fmt: skip
    assert repeat.duplicate
    stake = Stake("t3", 1, "d1", asset, ("ann",), 0)
    assert (await rig.store.reserve(stake, CALL)).rows[0].refusal == "LOCKED_ELSEWHERE"
    stale = await refused(rig.settle(asset, 3, [Leg("ann", "bob", 1, "win")], table="t2", deal="d2", epoch=6))
    assert stale.reason is Reason.FENCED
    settled = await rig.settle(asset, 3, [Leg("ann", "bob", 1, "win")], table="t2", deal="d2", epoch=7)
    assert not settled.duplicate
    assert await rig.store.release("t2", 7, "d2", asset, CALL) == ("ann", "bob")
    late = await refused(rig.store.reserve(Stake("t1", 1, "d1", asset, ("ann",), 0), CALL))
    assert late.reason is Reason.SETTLEMENT_CONFLICT
    lines, _ = await vault.statements.page("ann", asset, 200, "")
    assert lines[-1].change == 90
    assert (await vault.verify()).faults == ()


def _url(rig: Rig) -> str:
    assert rig.server is not None
    return rig.server.url


async def test_a_damaged_archive_rebuilds_nothing(own_rig: Rig, tmp_path: Path) -> None:
    rig, archive = own_rig, tmp_path / "archive"
    vault, _ = await lived(rig, archive)
    await vault.archiver.copy(vault.asset)
    assert "another process writes" in rebuild(_url(rig), archive, vault.asset).stderr
    vault.archive.let_go()
    await rig.client.flushall()
    path = sorted((archive / vault.asset).glob("*.seg"))[1]
    path.chmod(0o644)
    path.write_bytes(path.read_bytes().replace(b'"win"', b'"tip"', 1))
    done = rebuild(_url(rig), archive, vault.asset)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"the archive of {vault.asset} is damaged at entry 1" in done.stderr
    assert await rig.client.dbsize() == 0


async def test_a_wrong_figure_that_was_accepted_does_not_come_back(own_rig: Rig, tmp_path: Path) -> None:
    """PF-50: somebody altered a balance, a settlement took it into the journal, an operator accepted the entry."""
    rig, archive = own_rig, tmp_path / "archive"
    vault, _ = await lived(rig, archive)
    right = await rig.units(vault.asset, "ann")
    await rig.client.hincrby(Keys.of(vault.asset).balance, "ann", 100)
    wrong = await rig.settle(vault.asset, 2, [Leg("ann", "bob", 1, "win")], table="t2", deal="d2", epoch=7)
    assert ("balance", "ann", wrong.number) in await vault.found()
    await rig.store.mark(vault.asset, wrong=True)
    decision = Resumption(str(uuid4()), vault.asset, wrong.number, "looked at it")
    await vault.corrections.resume(decision, CALL)
    await lose_store(vault)
    assert rebuild(_url(rig), archive, vault.asset).returncode == 0
    assert await rig.units(vault.asset, "ann") == [right[0] - 1]
    assert vault.archive.hold()
    state = await vault.verify()
    assert (state.faults, state.sum_total) == ((), 0)
    assert [fault.number for fault in state.accepted] == [wrong.number]


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "grant", "request": "r1", "legs": []},
        {"kind": "freeze", "request": "r1", "legs": []},
        {"kind": "open", "request": "r1", "legs": []},
    ],
)
async def test_an_entry_the_ledger_never_writes_rebuilds_nothing_and_is_named(
    own_rig: Rig, tmp_path: Path, fields: dict[str, object]
) -> None:
    """Somebody wrote it behind the ledger's back, with a right hash."""
    rig, archive = own_rig, tmp_path / "archive"
    vault, _ = await lived(rig, archive)
    head = await rig.store.head(vault.asset)
    number = head.number + 1
    body = json.dumps({"number": number, "at_ms": 1, **fields}, separators=(",", ":"))
    digest = chain_hash(head.hash, body)
    await rig.client.xadd(Keys.of(vault.asset).journal, {"body": body, "hash": digest}, id=f"{number}-0")
    await rig.client.hset(Keys.of(vault.asset).head, mapping={"number": str(number), "hash": digest})
    await lose_store(vault)
    done = rebuild(_url(rig), archive, vault.asset)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"the archive of {vault.asset} is wrong at entry {number}" in done.stderr
    assert await rig.client.dbsize() == 0


async def test_a_store_that_takes_no_more_ends_a_rebuild_in_one_line(own_rig: Rig, tmp_path: Path) -> None:
    rig, archive = own_rig, tmp_path / "archive"
    vault, _ = await lived(rig, archive)
    await lose_store(vault)
    await rig.client.config_set("maxmemory", "1")
    done = rebuild(_url(rig), archive, vault.asset)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "the store refused" in done.stderr


async def test_a_folder_that_is_no_archive_rebuilds_nothing(own_rig: Rig, tmp_path: Path) -> None:
    """A wrong path must not leave a store that the right one then finds in use."""
    done = rebuild(_url(own_rig), tmp_path / "elsewhere", "coins")
    assert (done.returncode, done.stdout) == (2, "")
    assert "elsewhere has no entry of coins" in done.stderr
    assert await own_rig.client.dbsize() == 0


async def test_half_a_rebuild_is_no_store(own_rig: Rig, tmp_path: Path) -> None:
    """It was killed in the middle: without the head the journal ends at 0, and the books stop."""
    rig, archive = own_rig, tmp_path / "archive"
    vault, _ = await lived(rig, archive)
    await lose_store(vault)
    assert rebuild(_url(rig), archive, vault.asset).returncode == 0
    await rig.client.delete(Keys.of(vault.asset).head)
    rig.store.expect(vault.asset, 0)
    assert vault.archive.hold()
    await vault.archiver.check(vault.asset)
    assert "ends at 0" in vault.stops.why(vault.asset)


async def test_records_of_tables_long_gone_are_left_out(own_rig: Rig, tmp_path: Path) -> None:
    rig, archive = own_rig, tmp_path / "archive"
    vault, _ = await lived(rig, archive)
    rig.clock.jump(seconds=-4_000_000_000 + 1_600_000_000)
    await rig.store.claim("t9", 1, vault.asset, CALL)
    await rig.reserve(vault.asset, "t9", ["cyd"], deal="d9")
    await rig.store.release("t9", 1, "d9", vault.asset, CALL)
    await lose_store(vault)
    assert rebuild(_url(rig), archive, vault.asset).returncode == 0
    keys = Keys.of(vault.asset)
    assert [await rig.client.exists(keys.table(name)) for name in ("t1", "t2", "t9")] == [1, 1, 0]


@pytest.mark.parametrize("is_set", [True, False])
def test_a_rebuild_without_what_it_needs_says_so_in_one_line(tmp_path: Path, is_set: bool) -> None:
    environment = {
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "CARDROOM_LEDGER_REDIS_URL": "redis://127.0.0.1:1",
        **({"CARDROOM_LEDGER_ARCHIVE_DIR": str(tmp_path)} if is_set else {}),
    }
    done = subprocess.run(
        [sys.executable, "-m", "services.ledger.rebuild"],
        env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert ("does not answer" if is_set else "CARDROOM_LEDGER_ARCHIVE_DIR") in done.stderr
