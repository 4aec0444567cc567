"""`cardroom books verify`: an auditor with nothing but the archive's files."""

import asyncio
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from click.testing import CliRunner, Result

from clients.cli.main import cardroom
from services.ledger.adapters.segment_file import Footer, Header
from services.ledger.app.corrections import Corrections
from services.ledger.app.funds import Funds
from services.ledger.values import RELIEF_FUND, EntryKind, Freeze, Grant, Group, Leg, Reversal, Void
from tests.services.ledger.chains import entries_of
from tests.services.ledger.rig import CALL, Rig
from tests.services.ledger.vault import SEGMENT, Vault

Bodies = list[dict[str, Any]]


def verify(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(cardroom, ["books", "verify", str(folder), *options])


async def _everything(rig: Rig, folder: Path) -> Vault:
    """Books in which everything has happened that can happen, archived."""
    asset = await rig.seated("t1", {"ann": 50, "bob": 50, "cyd": 5, "dan": 0})
    vault = Vault(rig, asset, folder)
    await rig.settle(asset, 1, [Leg("ann", "bob", 9, "win"), Leg("bob", "ann", 3, "rain")])
    shared = [Leg("cyd", "ann", 9, "rain", 2), Leg("cyd", "bob", 9, "rain", 2), Leg("cyd", "dan", 1, "rain", 2)]
    await rig.settle(asset, 2, shared, [Group(2, "bob")])
    await rig.books(asset).void(Void("t1", 1, 3, "d1", asset, "a fault"), CALL)
    await rig.settle(asset, 4, [Leg("bob", "system", 70, "penalty"), Leg("dan", "ann", 2, "check")])
    await rig.store.release("t1", 1, "d1", asset, CALL)
    await rig.reserve(asset, "t2", ["ann", "bob"], deal="d2")
    await rig.settle(asset, 1, [Leg("ann", "bob", 60, "win")], table="t2", deal="d2")
    await rig.store.release("t2", 1, "d2", asset, CALL)
    operators = Corrections(rig.store, Funds({asset: 0}, {RELIEF_FUND: {asset: 100}}))
    await operators.grant(Grant(str(uuid4()), "cyd", asset, 7, "a prize"), CALL)
    await operators.relieve(Grant(str(uuid4()), "dan", asset, 20, "broke"), CALL)
    await operators.freeze(Freeze(str(uuid4()), "ann", EntryKind.FREEZE, "a complaint"), CALL)
    await operators.reverse(Reversal(str(uuid4()), asset, 6, "mistaken"), CALL)
    for seq in range(2, 12):
        await rig.reserve(asset, "t2", ["bob", "cyd"], deal=f"d{seq + 1}")
        await rig.settle(asset, seq, [Leg("bob", "cyd", seq, "win")], table="t2", deal=f"d{seq + 1}")
        await rig.store.release("t2", 1, f"d{seq + 1}", asset, CALL)
    assert not (await rig.verify(asset)).faults
    await vault.archiver.copy(asset)
    return vault


@pytest.fixture(scope="module")
def archived(
    runner: asyncio.Runner, shared_rig: Rig, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, str, Bodies]]:
    """An archive in several segments, its asset, and the bodies of its entries."""
    folder = tmp_path_factory.mktemp("archive")
    vault = runner.run(_everything(shared_rig, folder))
    entries = vault.archive.entries(vault.asset, 0, 1_000)
    yield folder, vault.asset, [json.loads(entry.body) for entry in entries]
    vault.archive.let_go()


def rewritten(folder: Path, asset: str, bodies: Bodies) -> Path:
    """An archive of these bodies with every hash and digest made anew: only what they say can tell."""
    entries = entries_of([{name: value for name, value in body.items() if name != "number"} for body in bodies])
    (folder / asset).mkdir(parents=True)
    before, previous = "", ""
    for first in range(0, len(entries), SEGMENT):
        run = entries[first : first + SEGMENT]
        data = Header(asset, first + 1, before, previous).line()
        data += b"".join(f"{entry.hash} {entry.body}\n".encode() for entry in run)
        before, previous = run[-1].hash, hashlib.sha256(data).hexdigest()
        if len(run) == SEGMENT:
            data += Footer(run[-1].number, before, previous).line()
        (folder / asset / f"{first + 1:016d}.seg").write_bytes(data)
    return folder


def test_right_books_are_right_with_their_totals(archived: tuple[Path, str, Bodies]) -> None:
    folder, asset, bodies = archived
    result = verify(folder)
    assert (result.exit_code, result.output.count("\n")) == (0, 1), result.output
    assert result.output.startswith(f"{asset}: {len(bodies)} entries, head ")
    assert "supply 212 = players " in result.output
    assert result.output.endswith("+ penalties 58 + funds 80: right\n")


def test_balances_can_be_printed(archived: tuple[Path, str, Bodies], runner: asyncio.Runner, shared_rig: Rig) -> None:
    folder, asset, _ = archived
    printed = dict(line.split() for line in verify(folder, "--balances").output.splitlines()[1:])
    names = ("ann", "bob", "cyd", "dan", "issuance", "penalties", RELIEF_FUND)
    assert {name: int(printed[name]) for name in names} == dict(
        zip(names, runner.run(shared_rig.units(asset, *names)), strict=True)
    )


def test_a_head_noted_elsewhere_is_compared(archived: tuple[Path, str, Bodies]) -> None:
    """An archive that lost its end, or was rewritten whole, is right by itself."""
    folder, asset, bodies = archived
    digest = verify(folder).output.split("head ")[1].split(";")[0]
    assert verify(folder, "--head", f"{asset}={len(bodies)}:{digest}").exit_code == 0
    other = verify(folder, "--head", f"{asset}={len(bodies) + 1}:{digest}")
    assert other.exit_code == 1
    assert f"the archive ends with entry {len(bodies)}" in other.output
    earlier = entries_of(bodies)[4]
    assert verify(folder, "--head", f"{asset}=5:{earlier.hash}").exit_code == 0, "it has grown since"
    anew = verify(folder, "--head", f"{asset}=5:{digest}")
    assert anew.exit_code == 1
    assert f"entry 5 has the hash {earlier.hash}, not {digest}" in anew.output
    assert verify(folder, "--head", "gold=1:x").exit_code == 2
    for nonsense in ("nonsense", f"{asset}=²:{digest}", f"{asset}={'9' * 17}:{digest}"):
        assert verify(folder, "--head", nonsense).exit_code == 2


def test_an_asset_whose_segments_are_gone_is_not_passed_over(archived: tuple[Path, str, Bodies]) -> None:
    folder, asset, _ = archived
    (folder / "gold").mkdir()
    found = verify(folder)
    assert found.exit_code == 2
    assert f"{asset}: " in found.output and "gold holds no segments" in found.output


def test_an_archive_rewritten_as_it_was_is_right(archived: tuple[Path, str, Bodies], tmp_path: Path) -> None:
    """Or the tests below would test nothing."""
    _, asset, bodies = archived
    result = verify(rewritten(tmp_path, asset, bodies))
    assert result.exit_code == 0, result.output


def _changed(number: int, change: Callable[[dict[str, Any]], object]) -> Callable[[Bodies], object]:
    return lambda bodies: change(bodies[number - 1])


def _leg(number: int, leg: int, part: int, value: object) -> Callable[[Bodies], object]:
    return lambda bodies: bodies[number - 1]["legs"][leg].__setitem__(part, value)


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (_leg(6, 0, 3, 8), "entry 6: ann has 50, is asked 9 and pays 8"),
        (_leg(6, 0, 4, 99), "entry 6: ann has 41 after it, not 99"),
        (_leg(7, 0, 3, 3), "entry 7: cyd has 5, is asked 19 and pays 3, 2, 1"),
        (_leg(9, 0, 3, 70), "entry 9: bob has -"),
        (_leg(9, 0, 0, "dan"), "entry 9: dan has 1, is asked 70 and pays"),
        (_leg(6, 0, 0, "eve"), "entry 6: eve pays at t1, which had not reserved it for d1"),
        (_changed(6, lambda body: body.update(deal="d9")), "entry 6: ann pays at t1, which had not reserved it for d9"),
        (_changed(5, lambda body: body["accounts"].remove("bob")), "bob pays at t1, which had not reserved it"),
        (_changed(11, lambda body: body.update(table="t9")), "which had not reserved it for d2"),
        (_changed(10, lambda body: body["accounts"].clear()), "entry 11: ann is reserved by t1 already"),
        (_changed(8, lambda body: body.update(seq=9)), "entry 8: settlement 9 of t1 stands after 2"),
        (_changed(6, lambda body: body["before"].update(ann=4)), "entry 6: ann's entry before it is 1, not 4"),
        (lambda bodies: bodies.pop(5), "entry 6: ann's entry before it is 1, not 6"),
        (_leg(1, 0, 3, 51), "entry 1: issuance has"),
        (_changed(8, lambda body: body.update(seq=2)), "entry 8: settlement 2 of t1 stands after 2"),
        (_changed(8, lambda body: body.update(seq=1)), "entry 8: settlement 1 of t1 stands after 2"),
        (lambda bodies: bodies.insert(17, bodies[16]), "it reverses entry 6, which entry 17 has reversed"),
    ],
)
def test_entries_that_break_a_rule_are_named_even_where_every_hash_was_made_anew(
    archived: tuple[Path, str, Bodies], tmp_path: Path, damage: Callable[[Bodies], object], says: str
) -> None:
    """PF-50..55: who forges the whole archive must still forge books that could have been."""
    _, asset, bodies = archived
    forged: Bodies = json.loads(json.dumps(bodies))
    damage(forged)
    result = verify(rewritten(tmp_path, asset, forged))
    assert result.exit_code == 1
    assert says in result.output


def test_wrong_figures_that_an_operator_accepted_are_counted_and_are_no_fault(tmp_path: Path) -> None:
    def opening(account: str, after: int) -> dict[str, Any]:
        return {"kind": "open", "at_ms": 0, "legs": [["issuance", account, 5, 5, after, 5, "opening", 0]]}

    bodies = [opening("ann", -5), opening("bob", -9), {"kind": "resume", "at_ms": 0, "accepts": 2, "legs": []}]
    assert verify(rewritten(tmp_path / "a", "gold", bodies[:2])).exit_code == 1
    result = verify(rewritten(tmp_path / "b", "gold", bodies))
    assert result.exit_code == 0
    assert "1 wrong figures accepted by an operator: right" in result.output
    bodies[2]["accepts"] = 1
    assert verify(rewritten(tmp_path / "c", "gold", bodies)).exit_code == 1


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda paths: paths[1].unlink(), "does not continue entry 10"),
        (lambda paths: paths[0].unlink(), "does not continue entry 0"),
        (lambda paths: _edit(paths[1], b'"seq":1', b'"seq":2'), "was edited, or is not the successor"),
        (lambda paths: _edit(paths[1], b'"sha256":"', b'"sha256":"0'), "is not what it was when it was sealed"),
        (lambda paths: paths[1].write_bytes(paths[1].read_bytes()[:900]), "is torn"),
        (lambda paths: paths[1].write_bytes(paths[1].read_bytes().partition(b'{"last"')[0]), "has no end"),
        (lambda paths: paths[1].write_bytes(paths[1].read_bytes() + b"more\n"), "goes on after its end"),
        (lambda paths: paths[1].write_bytes(paths[1].read_bytes() + b"more"), "goes on after its end"),
        (lambda paths: (paths[4].unlink(), paths[3].write_bytes(paths[3].read_bytes() + b"more")), "after its end"),
        (lambda paths: paths[1].rename(paths[1].with_name("0000000000000012.seg")), "does not continue entry 10"),
        (lambda paths: paths[4].rename(paths[4].with_name("0000000000000042.seg")), "does not continue entry 40"),
        (lambda paths: _edit(paths[1], b'"asset":"', b'"asset":"o'), "does not continue entry 10"),
        (lambda paths: _edit(paths[1], b'"first":', b'"first":' + b"[" * 100_000), "does not continue entry 10"),
        (lambda paths: paths[0].with_name("foo.seg").write_bytes(b""), "foo.seg is no segment"),
        (lambda paths: paths[0].with_name("0 copy.seg").write_bytes(b""), "0 copy.seg is no segment"),
        (lambda paths: _edit(paths[1], b'"legs":[', b'"legs":x['), "cannot be read"),
        (lambda paths: _edit(paths[1], b'"kind"', b'\xff"kind"'), "cannot be read"),
    ],
)  # fmt: skip
def test_damaged_files_are_named(
    archived: tuple[Path, str, Bodies], tmp_path: Path, damage: Callable[[list[Path]], None], says: str
) -> None:
    _, asset, bodies = archived
    folder = rewritten(tmp_path, asset, bodies)
    damage(sorted((folder / asset).glob("*.seg")))
    result = verify(folder)
    assert result.exit_code == 1
    assert says in result.output


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"legs":[[', b'"legs":' + b"[" * 100_000),
        (b'["ann","bob",60,', b'["ann","bob","60",'),
        (b'["ann","bob",60,', b'["ann",["bob"],60,'),
        (b'["ann","bob",60,', b'["\\ud800","bob",60,'),
        (b'["ann","bob",60,', b'["ann","bob",60,null,0,0,"win",0],["ann","bob",60,'),
        (b'"before":{', b'"before":[],"x":{'),
        (b'"seq":1', b'"seq":"1"'),
        (b'"accounts":[', b'"accounts":5,"x":['),
        (b'"kind":', b'"number":"12","kind":'),
    ],
)
def test_an_entry_of_a_shape_that_none_has_is_named_and_other_assets_are_looked_at(
    archived: tuple[Path, str, Bodies], tmp_path: Path, old: bytes, new: bytes
) -> None:
    _, asset, bodies = archived
    rewritten(tmp_path, asset, bodies)
    rewritten(tmp_path, f"{asset}-other", bodies)
    _edit(sorted((tmp_path / asset).glob("*.seg"))[1], old, new)
    result = verify(tmp_path)
    assert (result.exit_code, result.output.count(": right\n")) == (1, 1), result.output
    assert re.search(r"entry 1\d cannot be read", result.output), result.output


def test_an_asset_that_cannot_be_read_does_not_hide_another(archived: tuple[Path, str, Bodies], tmp_path: Path) -> None:
    _, asset, bodies = archived
    rewritten(tmp_path, asset, bodies)
    (tmp_path / "a" / "0000000000000001.seg").mkdir(parents=True)
    result = verify(tmp_path)
    assert (result.exit_code, result.stdout.count(": right\n")) == (2, 1), result.output


def _edit(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))


def test_a_torn_end_of_the_open_segment_is_no_fault(archived: tuple[Path, str, Bodies], tmp_path: Path) -> None:
    """The ledger was killed while it wrote; it takes the rest off at its next start."""
    _, asset, bodies = archived
    folder = rewritten(tmp_path, asset, bodies)
    last = sorted((folder / asset).glob("*.seg"))[-1]
    last.write_bytes(last.read_bytes()[:-5])
    result = verify(folder)
    assert (result.exit_code, f"{len(bodies) - 1} entries" in result.output) == (0, True)


def test_where_there_is_nothing_to_read_is_said(tmp_path: Path) -> None:
    assert verify(tmp_path).exit_code == 2
    assert verify(tmp_path / "nowhere").exit_code == 2


def test_the_command_imports_nothing_of_the_ledger() -> None:
    """A second opinion is one only if it was written apart."""
    done = subprocess.run(
        [sys.executable, "-c", "import sys, clients.cli.books; print(*(m for m in sys.modules if 'services' in m))"],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
    )
    assert done.stdout.strip() == ""
