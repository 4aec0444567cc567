from collections.abc import AsyncIterator

import pytest

from tests.services.ledger.rig import Rig, open_rig


@pytest.fixture
async def rig(ledger_redis_url: str) -> AsyncIterator[Rig]:
    """A ledger without a wire on a real store."""
    async with open_rig(ledger_redis_url) as opened:
        yield opened
