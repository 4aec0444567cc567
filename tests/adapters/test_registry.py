"""The registry of table pods on a real store: leases, incarnations, draining."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import asdict, replace

import orjson
import pytest
from redis.asyncio import Redis

from serving.registry import PodCard, PodRegistry
from serving.store import connect_redis
from tests.conftest import STORE_PATIENCE_MS

LEASE_MS = 1_800
"""So long that a pod stays alive between two calls however busy the machine is."""


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Redis]:
    client = await connect_redis(redis_url, timeout_ms=STORE_PATIENCE_MS)
    await client.flushdb()
    yield client
    await client.aclose()


def card(pod: str, incarnation: int, *, used: int = 0, draining: bool = False) -> PodCard:
    return PodCard(pod, f"{pod}:7102", f"{pod}:7102", "1.0", 10, used, draining, incarnation)


async def until_gone(registry: PodRegistry, pod: str) -> None:
    async with asyncio.timeout(60):
        while await registry.find(pod) is not None:  # noqa: ASYNC110  the store rings no event when a lease ends
            await asyncio.sleep(0.005)


async def test_what_a_pod_announces_is_what_readers_see(redis: Redis) -> None:
    registry = PodRegistry(redis)
    cards = [card(name, await registry.enter(), used=used) for used, name in enumerate(("b", "a", "c"))]
    assert [await registry.announce(one) for one in cards] == [True, True, True]
    assert await PodRegistry(redis).live() == tuple(sorted(cards, key=lambda one: one.pod))
    assert await registry.find("b") == cards[0]
    assert await registry.find("d") is None


async def test_a_card_of_a_newer_version_hides_no_other(redis: Redis) -> None:
    registry = PodRegistry(redis)
    old, new = card("a", await registry.enter()), card("b", await registry.enter())
    assert await registry.announce(old)
    assert await registry.announce(new)
    await redis.hset("{pods}:cards", "b", orjson.dumps({**asdict(new), "said_next_year": 1}))
    assert await registry.live() == (old, new)


async def test_a_pod_that_falls_silent_is_gone_after_its_lease(redis: Redis) -> None:
    """Reliability 1: dead for everybody, whatever its card says; how long it has been silent can be read."""
    registry = PodRegistry(redis, lease_ms=LEASE_MS)
    silent, lively = card("silent", await registry.enter()), card("lively", await registry.enter())
    began = asyncio.get_running_loop().time()
    await registry.announce(silent)
    await until_gone(registry, "silent")
    assert asyncio.get_running_loop().time() - began >= LEASE_MS / 1000 * 0.9
    await registry.announce(lively)
    assert await registry.live() == (lively,)
    silence = await registry.silent_ms()
    assert set(silence) == {"silent", "lively"}
    assert 0 <= silence["lively"] < LEASE_MS <= silence["silent"]
    await registry.withdraw("silent", silent.incarnation)
    assert set(await registry.silent_ms()) == {"lively"}


async def test_an_announcement_renews_the_lease_and_the_card(redis: Redis) -> None:
    registry = PodRegistry(redis, lease_ms=LEASE_MS)
    incarnation = await registry.enter()
    for used in range(4):
        assert await registry.announce(card("table-0", incarnation, used=used))
        await asyncio.sleep(LEASE_MS / 3000)
        found = await registry.find("table-0")
        assert found is not None
        assert found.slots_used == used


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


def test_a_lease_without_length_is_refused(redis: Redis) -> None:
    with pytest.raises(ValueError, match="lease_ms"):
        PodRegistry(redis, lease_ms=0)
