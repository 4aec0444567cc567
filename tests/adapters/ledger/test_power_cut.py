"""Power cuts and torn files: what was acknowledged is there, the rest is whole or not at all (reliability 34)."""

import asyncio
import os
import random
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from deploy.local.redis_server import Fsync, RedisServer
from refusals import Reason, Refusal
from services.ledger.adapters.coalescer import Coalescer
from services.ledger.adapters.redis_store import RedisLedgerStore
from services.ledger.values import Leg, Settled
from serving.store import connect_redis
from tests.adapters.ledger.power import MortalStore, build_shim
from tests.fakes.clock import FakeClock
from tests.services.ledger.rig import CALL, Rig, new_asset, open_own_rig

SEED = 20_260_101
TABLES = 8
Answers = dict[str, dict[int, Settled]]


@asynccontextmanager
async def rig_on(url: str) -> AsyncIterator[Rig]:
    """A ledger that trusts its store."""
    client = await connect_redis(url)
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
    async with rig_on(store.url) as rig:
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
    async with rig_on(store.url) as rig:
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


@pytest.mark.parametrize(("fsync", "lives"), [("always", 12), ("everysec", 3)])
async def test_power_cuts_lose_nothing_acknowledged_where_every_write_is_synced(
    tmp_path: Path, fsync: Fsync, lives: int
) -> None:
    """Reliability 34. ``everysec`` is the control: it must lose money, or this test tests nothing."""
    chance = random.Random(SEED)
    shim = build_shim(tmp_path)
    store = MortalStore(tmp_path / "store", fsync, shim, chance)
    answers: Answers = {f"t{number}": {} for number in range(TABLES)}
    asset = new_asset()
    lost_count = acknowledged = gone_bytes = 0
    try:
        for life in range(lives):
            if fsync == "everysec" and life:  # the accounts are gone too: begin anew
                shutil.rmtree(tmp_path / "store")
                store = MortalStore(tmp_path / "store", fsync, shim, chance)
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


async def test_a_file_torn_at_any_byte_gives_whole_books_that_end_earlier(tmp_path: Path) -> None:
    """A settlement is in the file as one or not at all: what a torn tail leaves verifies."""
    chance = random.Random(SEED)
    async with open_own_rig(tmp_path / "store") as rig:
        asset = await rig.seated("t1", {"ann": 500, "bob": 500})
        for seq in range(1, 31):
            await rig.settle(asset, seq, [Leg("ann", "bob", seq, "win"), Leg("bob", "ann", 3, "rain")])
        assert rig.server is not None
        rig.server.kill()
        (file,) = (tmp_path / "store" / "appendonlydir").glob("*.incr.aof")
        numbers = set()
        for place in range(25):
            torn = tmp_path / f"torn-{place}"
            shutil.copytree(tmp_path / "store", torn)
            os.truncate(torn / "appendonlydir" / file.name, chance.randint(1, file.stat().st_size - 1))
            numbers.add(await whole_entries(torn, asset))
        assert len(numbers) > 10


async def whole_entries(folder: Path, asset: str) -> int:
    """Entries of the books in a store's folder, which must be right and go on."""
    server = await asyncio.to_thread(RedisServer.start, folder)
    try:
        async with rig_on(server.url) as rig:
            state = await rig.verify(asset)
            assert not state.faults, state.faults
            if state.entry_count >= 3:
                seq = (await rig.store.claim("t1", 1, asset, CALL)).last_seq + 1
                settled = await rig.settle(asset, seq, [Leg("ann", "bob", 0, "win")])
                assert (settled.number, settled.duplicate) == (state.entry_count + 1, False)
            return state.entry_count
    finally:
        server.kill()
