"""Which tests `make check` runs as a whole."""

from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
FAST_ROOMS = (TESTS / "contract", TESTS / "tidy")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks every test of the fast rooms but the slow ones; tests elsewhere carry the mark themselves."""
    for item in items:
        if item.get_closest_marker("slow") is None and any(item.path.is_relative_to(room) for room in FAST_ROOMS):
            item.add_marker(pytest.mark.fast)
