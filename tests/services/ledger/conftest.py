from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.conftest import Mint
from tests.services.ledger.rig import Rig, open_rig
from tests.services.ledger.wire import Wire, open_wire


@pytest.fixture
async def rig(ledger_redis_url: str) -> AsyncIterator[Rig]:
    """A ledger without a wire on a real store."""
    async with open_rig(ledger_redis_url) as opened:
        yield opened


@pytest.fixture
async def wire(ledger_redis_url: str, keys: Path, mint: Mint) -> AsyncIterator[Wire]:
    """A ledger behind a socket."""
    async with open_wire(ledger_redis_url, keys, mint) as opened:
        yield opened
