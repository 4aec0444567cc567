"""Pods for the table's tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from redis.asyncio import Redis

from tests.conftest import Mint
from tests.services.table.real_ledger import Books, books_on
from tests.services.table.rig import Pods, RunningPod, pods_on
from tests.services.table.stores import Store


@pytest_asyncio.fixture
async def pods(redis_url: str, keys: Path, mint: Mint) -> AsyncIterator[Pods]:
    """Starts pods on the shared store, emptied: a pod takes over what others have left."""
    redis = Redis.from_url(redis_url)
    await redis.flushall()
    await redis.aclose()
    async with pods_on(redis_url, keys, mint) as starting:
        yield starting


@pytest_asyncio.fixture
async def pod(pods: Pods) -> RunningPod:
    """One pod on the machine's clock."""
    return await pods.start()


@pytest_asyncio.fixture
async def books(ledger_redis_url: str, keys: Path, mint: Mint) -> AsyncIterator[Books]:
    """The real ledger, in this process, on a socket."""
    async with books_on(ledger_redis_url, keys, mint) as made:
        yield made


@pytest_asyncio.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """A store of the test's own, that it may stop."""
    own = Store(tmp_path / "store")
    yield own
    if own.server.process.poll() is None:
        own.thaw()
    own.server.kill()


@pytest_asyncio.fixture
async def own_pods(store: Store, keys: Path, mint: Mint) -> AsyncIterator[Pods]:
    """Starts pods on that store."""
    async with pods_on(store.url, keys, mint) as pods:
        yield pods
        if store.server.process.poll() is not None:
            await store.start()
        store.thaw()
