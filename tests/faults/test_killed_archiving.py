"""kill -9 between archiving a log and trimming it from the store: nothing lost, nothing doubled (reliability 21)."""

import asyncio
from pathlib import Path

import pytest

from services.table.adapters.archive_files import FileArchive
from tests.faults.machine import Machine
from tests.faults.ordeal import KILLED, SEEDED
from tests.faults.points import Moment, Point

PLAYERS = [f"archived.{number}" for number in range(4)]
LIMIT_SECONDS = 60.0


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("count", [1, 2])
async def test_a_log_is_archived_once_whatever_its_process_does(machine: Machine, tmp_path: Path, count: int) -> None:
    await machine.forget_tables()
    pod = machine.pod(
        "table-0", label=f"archiving-{count}", CARDROOM_TABLE_ARCHIVE_DIR=str(tmp_path), CARDROOM_LINGER_MS="0"
    )
    await pod.up(SEEDED, "1", *Point("archived", Moment.ANY, count).words())
    names = [f"over-{count}-{number}" for number in range(count)]
    for name in names:
        await machine.create_table(pod, name, PLAYERS, arrive_limit_ms=100)
        if name != names[-1]:
            await _forgotten(machine, name)
    async with asyncio.timeout(LIMIT_SECONDS):
        assert await pod.ended() == KILLED
    last = names[-1]
    assert await machine.tables.exists(f"{{{last}}}:log") == 1, "killed before it was trimmed"
    kept = FileArchive(tmp_path, "reader").read(last)
    assert kept is not None
    size = _size(tmp_path)
    await pod.up()
    await _forgotten(machine, last)
    assert FileArchive(tmp_path, "reader").read(last) == kept
    assert FileArchive(tmp_path, "reader").table_ids() == names
    assert _size(tmp_path) == size, "nothing was written a second time"
    await pod.kill()


async def _forgotten(machine: Machine, table_id: str) -> None:
    """Wait until the store holds nothing of a table, the only one: its log goes first, then its place on a list."""
    async with asyncio.timeout(LIMIT_SECONDS):
        while await machine.tables.keys(f"{{{table_id}}}:*") or await machine.tables.keys("{tables}*"):  # noqa: ASYNC110  the store rings no event
            await asyncio.sleep(0.02)


def _size(root: Path) -> int:
    return sum(path.stat().st_size for path in root.glob("*/*"))
