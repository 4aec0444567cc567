import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.conftest import Mint
from tests.services.ledger.rig import Rig, open_own_rig, open_rig
from tests.services.ledger.wire import Wire, open_wire


@pytest.fixture
async def rig(ledger_redis_url: str) -> AsyncIterator[Rig]:
    """A ledger without a wire on a real store."""
    async with open_rig(ledger_redis_url) as opened:
        yield opened


@pytest.fixture
async def own_rig(tmp_path: Path) -> AsyncIterator[Rig]:
    """A ledger without a wire on a store of its own, that may be killed, backed up and set back."""
    async with open_own_rig(tmp_path / "own-store") as opened:
        yield opened


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    """Runs what properties ask: they are no coroutines themselves."""
    with asyncio.Runner() as opened:
        yield opened


@pytest.fixture(scope="module")
def shared_rig(ledger_redis_url: str, runner: asyncio.Runner) -> Iterator[Rig]:
    """One ledger for all examples of a property; on the runner's loop."""
    opening = open_rig(ledger_redis_url)
    yield runner.run(opening.__aenter__())
    runner.run(opening.__aexit__(None, None, None))


@pytest.fixture
async def wire(ledger_redis_url: str, keys: Path, mint: Mint) -> AsyncIterator[Wire]:
    """A ledger behind a socket."""
    async with open_wire(ledger_redis_url, keys, mint) as opened:
        yield opened
