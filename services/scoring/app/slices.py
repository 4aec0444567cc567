"""Long work in short slices: no question keeps the others waiting, and none outlives its caller.

The work is a generator that yields whenever it may be interrupted. It runs on the event loop for a slice at a time
and lets everything else run between two: other callers' slices, health, and the cancellation that a passed deadline
or a lost caller brings. Threads would not help, since the rules are Python; more processes do.
"""

import asyncio
import time
from collections.abc import Generator
from typing import TypeVar

SLICE_SECONDS = 0.002
"""How long work may run before others get their turn."""

Work = Generator[None, None, "T"]
T = TypeVar("T")


async def in_slices(work: Generator[None, None, T], slice_seconds: float = SLICE_SECONDS) -> T:
    """Run work to its end, a slice at a time; cancelled, it stops at the end of a slice.

    Raises: whatever the work raises.
    """
    try:
        while True:
            ends = time.perf_counter() + slice_seconds
            while time.perf_counter() < ends:
                next(work)
            await asyncio.sleep(0)
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        work.close()


def at_once(work: Generator[None, None, T]) -> T:
    """Run work to its end without a pause."""
    try:
        while True:
            next(work)
    except StopIteration as end:
        result: T = end.value
        return result
