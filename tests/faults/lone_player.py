"""One player as a process of his own, so that a test can kill or freeze him.

`python -m tests.faults.lone_player BEAT_SECONDS` plays the seat that comes as JSON on standard input; with a beat of 0
he sends no heartbeats.
"""

import asyncio
import json
import sys
from datetime import UTC, datetime, timedelta

from cardroom_client import Seat, TableSession
from clients.load.bot_player import BotPlayer

NEVER_SECONDS = 1e6


async def main(row: dict[str, object], beat_seconds: float) -> None:
    """Play until the table is dissolved."""
    seat = Seat(**row, expiry=datetime.now(UTC) + timedelta(hours=1))  # type: ignore[arg-type]  # by their names
    async with TableSession(seat, heartbeat_seconds=beat_seconds or NEVER_SECONDS) as session:
        await BotPlayer(session).play()


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.stdin.readline()), float(sys.argv[1])))
