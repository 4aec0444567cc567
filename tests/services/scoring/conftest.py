from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.services.scoring.rig import running_scoring


@pytest.fixture
async def scoring(keys: Path) -> AsyncIterator[Any]:
    """A stub of a running scoring service that takes anonymous callers."""
    async with running_scoring(keys) as stub:
        yield stub
