"""The rooms of the house, the machine that modules share which break nothing; and its clocks."""

from collections.abc import Mapping

ARRIVE_MS = 6_000
READY_MS = 5_000
PAUSE_MS = 2_000
LONG_PAUSE_MS = 8_000
"""So long a device has to come back in while tiles are dealt."""

ROOMS: Mapping[str, Mapping[str, object]] = {
    "absent": {"arrive_limit_ms": ARRIVE_MS},
    "unready": {"ready_limit_ms": READY_MS},
    "whole": {"ready_limit_ms": READY_MS, "dealing_ms": PAUSE_MS, "deals_max": 0},
    "evening": {"variant": "shanghai", "stake": 5, "deals_max": 0, "dealing_ms": LONG_PAUSE_MS},
}
"""By id, what is other than in the rooms of all machines; every other clock is longer than a test may take."""
