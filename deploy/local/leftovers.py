"""Processes that a killed run left behind: found by their records, ended in order."""

import asyncio
import os
import signal
from collections.abc import Sequence

from deploy.local.settings import SERVICES
from deploy.local.state import RUNNER, ProcessRecord, StateDirectory
from deploy.local.stores import FSYNC

DRAIN_LIMIT_SECONDS = 30.0
ASK_EVERY_SECONDS = 0.05


async def end_leftovers(state: StateDirectory) -> list[str]:
    """End every recorded process that is still ours: services first, then stores.

    Returns: names of those that had to be ended.
    """
    records = {record.name: record for record in state.records()}
    found = [name for name, record in records.items() if record.alive and name != RUNNER]
    for group in (SERVICES, tuple(FSYNC)):
        await end([records[name] for name in group if name in records])
    for name in records:
        state.strike(name)
    return found


async def end(records: Sequence[ProcessRecord], limit_seconds: float = DRAIN_LIMIT_SECONDS) -> None:
    """Ask processes to end, wait, and kill those that are still there after the limit."""
    for record in records:
        _signal(record, signal.SIGTERM)
    loop = asyncio.get_running_loop()
    until = loop.time() + limit_seconds
    while any(record.alive for record in records):
        if loop.time() > until:
            for record in records:
                _signal(record, signal.SIGKILL)
            until = loop.time() + limit_seconds
        await asyncio.sleep(ASK_EVERY_SECONDS)


def _signal(record: ProcessRecord, number: signal.Signals) -> None:
    if record.alive:
        os.kill(record.pid, number)
