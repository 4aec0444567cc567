"""The registry of table pods on a real store: leases, incarnations, draining."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from redis.asyncio import Redis
from redis.exceptions import RedisError

from serving.registry import Announcer, PodCard, PodRegistry
from serving.runtime import SystemClock
from serving.store import connect_redis
from serving.tasks import end_tasks

LEASE_MS = 150


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Redis]:
    client = await connect_redis(redis_url)
    await client.flushdb()
    yield client
    await client.aclose()


def card(pod: str, incarnation: int, *, used: int = 0, draining: bool = False) -> PodCard:
    return PodCard(pod, f"{pod}:7102", f"{pod}:7102", "1.0", 10, used, draining, incarnation)


async def until_gone(registry: PodRegistry, pod: str) -> None:
    async with asyncio.timeout(10):
        while await registry.find(pod) is not None:  # noqa: ASYNC110  the store rings no event when a lease ends
            await asyncio.sleep(0.005)


async def test_what_a_pod_announces_is_what_readers_see(redis: Redis) -> None:
    registry = PodRegistry(redis)
    cards = [card(name, await registry.enter(), used=used) for used, name in enumerate(("b", "a", "c"))]
    assert [await registry.announce(one) for one in cards] == [True, True, True]
    assert await PodRegistry(redis).live() == tuple(sorted(cards, key=lambda one: one.pod))
    assert await registry.find("b") == cards[0]
    assert await registry.find("d") is None


async def test_a_pod_that_falls_silent_is_gone_after_its_lease(redis: Redis) -> None:
    registry = PodRegistry(redis, lease_ms=LEASE_MS)
    silent, lively = card("silent", await registry.enter()), card("lively", await registry.enter())
    await registry.announce(silent)
    announcer = Announcer(registry, SystemClock(), lambda: lively, on_error=_no_errors)
    announcing = asyncio.create_task(announcer.run())
    began = asyncio.get_running_loop().time()
    await until_gone(registry, "silent")
    assert asyncio.get_running_loop().time() - began >= LEASE_MS / 1000 * 0.9
    await asyncio.sleep(2 * LEASE_MS / 1000)
    assert await registry.live() == (lively,)
    await end_tasks(announcing)


async def test_an_older_process_cannot_speak_under_a_name_that_was_taken_over(redis: Redis) -> None:
    """Reliability 4: a stopped pod that wakes up beside its successor."""
    registry = PodRegistry(redis, lease_ms=LEASE_MS)
    old, new = card("table-0", await registry.enter()), card("table-0", await registry.enter(), used=5)
    assert await registry.announce(old)
    assert await registry.announce(new)
    assert not await registry.announce(old)
    assert not await registry.withdraw("table-0", old.incarnation)
    assert await registry.live() == (new,)
    await until_gone(registry, "table-0")
    assert not await registry.announce(old), "also when the successor has gone"


async def test_an_announcer_ends_when_it_is_superseded(redis: Redis) -> None:
    registry = PodRegistry(redis, lease_ms=LEASE_MS)
    old, new = card("table-0", await registry.enter()), card("table-0", await registry.enter())
    await registry.announce(new)
    await asyncio.wait_for(Announcer(registry, SystemClock(), lambda: old, on_error=_no_errors).run(), 10)
    assert await registry.live() == (new,)


async def test_an_orderly_end_takes_a_pod_off_at_once(redis: Redis) -> None:
    registry = PodRegistry(redis)
    one = card("table-0", await registry.enter())
    await registry.announce(one)
    assert await registry.withdraw("table-0", one.incarnation)
    assert await registry.live() == ()
    assert not await registry.withdraw("table-0", one.incarnation)
    assert await registry.announce(replace(one, incarnation=await registry.enter()))


def test_a_draining_or_full_pod_has_no_free_slot() -> None:
    assert card("a", 1, used=3).slots_free == 7
    assert card("a", 1, used=10).slots_free == card("a", 1, used=11).slots_free == 0
    assert card("a", 1, used=3, draining=True).slots_free == 0


async def test_news_of_a_pod_need_not_wait_for_its_turn(redis: Redis) -> None:
    registry = PodRegistry(redis, lease_ms=600_000)
    used = 0
    incarnation = await registry.enter()
    announcer = Announcer(registry, SystemClock(), lambda: card("table-0", incarnation, used=used), on_error=_no_errors)
    announcing = asyncio.create_task(announcer.run())
    for used in range(1, 4):
        announcer.announce_soon()
        async with asyncio.timeout(10):
            while (found := await registry.find("table-0")) is None or found.slots_used != used:  # noqa: ASYNC110
                await asyncio.sleep(0.005)
    await end_tasks(announcing)


async def test_an_announcer_outlives_a_store_that_does_not_answer(redis: Redis) -> None:
    registry = PodRegistry(redis, lease_ms=LEASE_MS)
    one = card("table-0", await registry.enter())
    errors: list[Exception] = []

    class Flaky(PodRegistry):
        async def announce(self, card: PodCard) -> bool:
            if len(errors) < 2:
                raise RedisError("away")
            return await super().announce(card)

    announcer = Announcer(Flaky(redis, lease_ms=LEASE_MS), SystemClock(), lambda: one, on_error=errors.append)
    announcing = asyncio.create_task(announcer.run())
    async with asyncio.timeout(10):
        while await registry.find("table-0") is None:  # noqa: ASYNC110  the store rings no event
            await asyncio.sleep(0.005)
    assert len(errors) == 2
    await end_tasks(announcing)


def test_a_lease_without_length_is_refused(redis: Redis) -> None:
    with pytest.raises(ValueError, match="lease_ms"):
        PodRegistry(redis, lease_ms=0)


def _no_errors(error: Exception) -> None:
    raise AssertionError(error)
