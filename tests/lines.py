"""Lines to a server on which a test decides when bytes go on."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

Carry = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]
"""Carries the bytes of one direction of one connection, until it ends."""


@asynccontextmanager
async def line_to(port: int, carry: Carry) -> AsyncIterator[int]:
    """A port of loopback from which `carry` takes bytes to the server at `port`, and back."""
    tasks: set[asyncio.Task[None]] = set()

    async def joined(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        tasks.update(map(asyncio.create_task, (carry(reader, far_writer), carry(far_reader, writer))))

    async with await asyncio.start_server(joined, "127.0.0.1", 0) as line:
        yield line.sockets[0].getsockname()[1]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
