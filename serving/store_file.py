"""A store's append-only file after a power cut: nothing is written behind half a change.

Where the power fails while a script's writes go to the file, the file ends within them. The store leaves that script
out when it starts, but releases without a fix of 2026 cut the file off behind the last whole command, not before the
script's first one. What is written next then stands behind the half of a script, and at the start after that the half
is carried out together with it: a journal entry without its balances, at the place of another one.

So the store is asked to write its file anew, from what it holds, once after each of its starts and before anything
else is sent to it (docs/decisions/ledger-file-after-a-power-cut.md).
"""

import asyncio
import time
from typing import Any, Final

from redis.exceptions import ConnectionError, ResponseError

_TRUE: Final = "1"
_BUSY: Final = "already in progress"
_POLL_S: Final = 0.01


class FileUnfinished(ConnectionError):
    """The store has not written its file anew since it started: nothing is sent to it yet."""


class FileRefused(ConnectionError):
    """The store does not write its file anew on request: its commands are restricted."""


class StoreFile:
    """Lets connections be made only to a store whose file it has written anew since its start.

    Args:
        wait_ms: how long a connection waits for that; small files take some ten milliseconds.
    """

    def __init__(self, wait_ms: int) -> None:
        self._wait_s = wait_ms / 1000
        self._asking: set[str] = set()
        self._asked: set[str] = set()
        self._whole: set[str] = set()

    async def on_connect(self, connection: Any) -> None:
        """For a client's connections, before their first command.

        Raises: FileUnfinished: the store was asked, and is at it or did not manage; connect again. FileRefused.
        """
        await connection.on_connect()
        until = time.monotonic() + self._wait_s
        run = (await _info(connection, "server"))["run_id"]
        while run not in self._whole and await self._is_unwritten(connection, run):
            if time.monotonic() >= until:
                raise FileUnfinished("it writes its file anew after its start, or cannot; see its log")
            await asyncio.sleep(_POLL_S)

    async def _is_unwritten(self, connection: Any, run: str) -> bool:
        """Asks a store that has not begun; one without a file has nothing to write.

        What it says of itself may be from before another connection asked: only what was asked before counts.
        """
        was_asked_before = run in self._asked
        state = await _info(connection, "persistence")
        if state.get("loading") == _TRUE:
            return True  # it refuses everything until it has read its file
        if state.get("aof_enabled") != _TRUE:
            return False  # whoever needs a file refuses the store
        is_writing = _TRUE in (state["aof_rewrite_in_progress"], state["aof_rewrite_scheduled"])
        was_asked = was_asked_before or int(state.get("aof_rewrites", 0)) > 0
        if was_asked and not is_writing and state["aof_last_bgrewrite_status"] == "ok":
            self._whole.add(run)
            return False
        is_asked_now = run in self._asking or (run in self._asked and not was_asked_before)
        if not is_writing and not is_asked_now:
            self._asking.add(run)
            try:
                await _ask(connection)
                self._asked.add(run)
            finally:
                self._asking.discard(run)
        return True


async def _ask(connection: Any) -> None:
    await connection.send_command("BGREWRITEAOF")
    try:
        await connection.read_response()
    except ResponseError as error:
        if _BUSY not in str(error):  # another connection was quicker
            raise FileRefused(str(error)) from error


async def _info(connection: Any, section: str) -> dict[str, str]:
    await connection.send_command("INFO", section)
    answer = await connection.read_response()
    text: str = answer if isinstance(answer, str) else answer.decode()
    return dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
