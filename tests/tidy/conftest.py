"""Which tests `make check` runs as a whole."""

from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
FAST_ROOMS = (TESTS / "contract", TESTS / "tidy")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks every test of the fast rooms; tests elsewhere carry the mark themselves. Slow ones are left out of both."""
    for item in items:
        if any(item.path.is_relative_to(room) for room in FAST_ROOMS):
            item.add_marker(pytest.mark.fast)
