"""Many calls, few round trips; what is not sent is said not to be sent."""

import asyncio
from pathlib import Path

import pytest
from redis.asyncio import Redis

from deploy.local.redis_server import RedisServer
from refusals import Reason
from services.ledger.adapters.coalescer import Coalescer, ScriptFault
from serving.store import Script, connect_redis
from tests.fakes.clock import FakeClock
from tests.services.ledger.rig import CALL, Rig, new_asset, open_rig, refused

COUNT = Script("return {redis.call('INCR', KEYS[1])}")
FAIL = Script("redis.call('INCR', KEYS[1]) return {redis.call('NOSUCH')}")


async def value(client: Redis, key: str) -> int:
    return int(await client.get(key) or 0)


async def test_calls_that_wait_go_together_and_each_gets_its_own_answer(rig: Rig) -> None:
    sizes: list[int] = []
    calls = Coalescer(rig.client, rig.clock, batch_max=64, on_batch=sizes.append)
    calls.start()
    key = new_asset()
    answers = await asyncio.gather(*(calls.run(COUNT, [key], [], None) for _ in range(200)))
    await calls.stop()
    assert sizes == [64, 64, 64, 8]
    assert [int(answer[0]) for answer in answers] == list(range(1, 201))


async def test_scripts_the_store_has_forgotten_are_sent_again_and_run_once(rig: Rig) -> None:
    key = new_asset()
    await rig.calls.run(COUNT, [key], [], None)
    await rig.client.script_flush()
    await asyncio.gather(*(rig.calls.run(COUNT, [key], [], None) for _ in range(9)))
    assert await value(rig.client, key) == 10


async def test_a_call_whose_deadline_passed_is_dropped_before_it_is_sent(rig: Rig) -> None:
    clock = FakeClock()
    calls = Coalescer(rig.client, clock)
    key = new_asset()
    late, in_time, patient = (
        asyncio.create_task(calls.run(COUNT, [key], [], deadline))
        for deadline in (clock.monotonic_ms() + 50, clock.monotonic_ms() + 500, None)
    )
    await asyncio.sleep(0)
    clock.advance(ms=100)
    calls.start()
    assert (await refused(late)).reason is Reason.OVERLOADED
    await asyncio.gather(in_time, patient)
    await calls.stop()
    assert await value(rig.client, key) == 2


async def test_a_caller_that_gave_up_is_dropped_before_it_is_sent(rig: Rig) -> None:
    calls = Coalescer(rig.client, rig.clock)
    key = new_asset()
    gone, there = (asyncio.create_task(calls.run(COUNT, [key], [], None)) for _ in range(2))
    await asyncio.sleep(0)
    gone.cancel()
    calls.start()
    await there
    await calls.stop()
    assert await value(rig.client, key) == 1


async def test_too_many_that_wait_are_refused_and_not_kept(rig: Rig) -> None:
    calls = Coalescer(rig.client, rig.clock, waiting_max=2)
    key = new_asset()
    waiting = [asyncio.create_task(calls.run(COUNT, [key], [], None)) for _ in range(2)]
    await asyncio.sleep(0)
    assert (await refused(calls.run(COUNT, [key], [], None))).reason is Reason.OVERLOADED
    calls.start()
    await asyncio.gather(*waiting)
    await calls.run(COUNT, [key], [], None)
    await calls.stop()
    assert await value(rig.client, key) == 3


async def test_stopping_sends_what_waits_and_takes_no_more(rig: Rig) -> None:
    calls = Coalescer(rig.client, rig.clock)
    key = new_asset()
    waiting = [asyncio.create_task(calls.run(COUNT, [key], [], None)) for _ in range(100)]
    await asyncio.sleep(0)
    calls.start()
    await calls.stop()
    await asyncio.gather(*waiting)
    assert (await refused(calls.run(COUNT, [key], [], None))).reason is Reason.SHUTTING_DOWN
    assert await value(rig.client, key) == 100


async def test_a_fault_of_one_script_is_no_fault_of_its_neighbours(rig: Rig) -> None:
    key, other = new_asset(), new_asset()
    good = [asyncio.create_task(rig.calls.run(COUNT, [key], [], None)) for _ in range(3)]
    with pytest.raises(ScriptFault):
        await rig.calls.run(FAIL, [other], [], None)
    await asyncio.gather(*good)
    assert await value(rig.client, key) == 3


async def test_a_store_that_is_away_is_told_as_such_and_comes_back(tmp_path: Path) -> None:
    """Reliability 7."""
    server = RedisServer.start(tmp_path)
    try:
        async with open_rig(server.url) as rig:
            await rig.calls.run(COUNT, ["key"], [], None)
            server.kill()
            away = await asyncio.gather(*(refused(rig.calls.run(COUNT, ["key"], [], None)) for _ in range(100)))
            assert {refusal.reason for refusal in away} == {Reason.STORE_UNAVAILABLE}
            server = RedisServer.start(tmp_path, server.port)
            await rig.calls.run(COUNT, ["key"], [], None)
            assert await value(rig.client, "key") == 2
    finally:
        server.stop()


async def test_a_store_that_hangs_is_waited_for_only_so_long(tmp_path: Path) -> None:
    server = RedisServer.start(tmp_path)
    client = await connect_redis(server.url, need_fsync=True, timeout_ms=1_000)
    calls = Coalescer(client, FakeClock())
    calls.start()
    try:
        await calls.run(COUNT, ["key"], [], None)
        await client.client_pause(60_000)
        assert (await refused(calls.run(COUNT, ["key"], [], None))).reason is Reason.STORE_UNAVAILABLE
    finally:
        server.kill()
        await calls.stop()
        await client.aclose()


async def test_a_full_store_refuses_and_moves_nothing(tmp_path: Path) -> None:
    """Reliability 10: RESOURCE_EXHAUSTED, no key evicted, no half settlement."""
    server = RedisServer.start(tmp_path)
    try:
        async with open_rig(server.url) as rig:
            asset = new_asset()
            books = rig.books(asset)
            await books.open_account("ann", CALL)
            await rig.client.config_set("maxmemory", 1)
            assert (await refused(books.open_account("bob", CALL))).reason is Reason.OVERLOADED
            await rig.client.config_set("maxmemory", 0)
            assert (await books.open_account("bob", CALL))[1]
            state = await rig.verify(asset)
            assert (state.faults, state.entry_count) == ((), 2)
    finally:
        server.stop()
