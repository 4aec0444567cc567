"""Background tasks and their end."""

import asyncio
from typing import Any

_AGAIN_S = 0.05


async def end_tasks(*tasks: "asyncio.Task[Any]") -> None:
    """Cancels tasks and returns when all have ended; what they raise at the end is dropped.

    A task is cancelled again until it ends: what it awaits may lose a cancellation that arrives together with its
    result, as `asyncio.wait_for` does under Python 3.11, and the task would go on.
    """
    running = {task for task in tasks if not task.done()}
    while running:
        for task in running:
            task.cancel()
        _, running = await asyncio.wait(running, timeout=_AGAIN_S)
    await asyncio.gather(*tasks, return_exceptions=True)
