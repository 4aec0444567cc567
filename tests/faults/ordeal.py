"""A deal in the midst of which its table's process is killed, and what must hold afterwards."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from cardroom_client import Seat
from tests.faults.machine import Machine, PodProcess
from tests.faults.points import Aim, Point
from tests.faults.truth import Log, assert_booked, assert_kept, assert_seen, read_log
from tests.faults.witnesses import Witness, play

DEALS_MAX = 4
"""Deals until the point must have been reached."""
LIMIT_SECONDS = 240.0
"""Far above any deal; a deal that takes longer hangs."""
_LAST_WORDS_SECONDS = 5.0

KILLED = -9
SEEDED = "tests.faults.killed_table"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the kills of a deal came to.

    Attributes:
        deals: deals until the first point was reached.
        promises: moves that were promised, all of them kept.
        seq: number of the last entry when the last owner took over.
        after_ms: from the last kill until the first entry of the last owner; None if the deal had none to come.
    """

    points: Sequence[Point]
    deals: int
    entries: int
    promises: int
    seq: int
    after_ms: int | None
    lease_ms: int

    def __str__(self) -> str:
        again = "nothing more to write" if self.after_ms is None else f"{self.after_ms / self.lease_ms:.2f} leases"
        return (
            f"{', then '.join(map(str, self.points))}: killed in deal {self.deals} after entry {self.seq} of "
            f"{self.entries}; {self.promises} moves promised and kept; playing again after {again}"
        )


async def killed_and_resumed(machine: Machine, aim: Aim, *, seed: int, name: str) -> Outcome:
    """Plays deals until the process dies at the point, starts the ordinary service in its place, plays to the end.

    Fails unless everything holds that a fault must not touch.
    """
    players = [f"{_slug(name)}.{number}" for number in range(4)]
    await machine.open_accounts(players)
    await machine.forget_tables()
    pod = machine.pod("table-0")
    try:
        async with asyncio.timeout(LIMIT_SECONDS):
            return await _ordeal(machine, pod, aim, seed, name, players)
    finally:
        await pod.kill()


async def _ordeal(machine: Machine, pod: PodProcess, aim: Aim, seed: int, name: str, players: Sequence[str]) -> Outcome:
    points = aim.points(seed, name)
    await pod.up(SEEDED, str(seed), *points[0].words())
    for deal in range(1, DEALS_MAX + 1):
        table_id = f"{_slug(name)}-{seed}-{deal}"
        seats = await seated(machine, pod, table_id, players, aim, floor_ms=aim.floor_ms << (deal - 1))
        playing = asyncio.create_task(play(seats, deal_count=aim.deals))
        if await _dies(pod, playing):
            break
        await playing
    for point in points[1:]:
        await pod.start(SEEDED, str(seed), *point.words())
        await _dies(pod, playing)
    assert not pod.pid, f"{points} were not reached in {DEALS_MAX} deals"
    killed_ms = time.time_ns() // 1_000_000
    await pod.up()
    witnesses = await playing
    log = await read_log(machine.tables, table_id)
    promises = await assert_whole(machine, table_id, log, witnesses, players)
    assert log.epoch == 1 + len(points)
    first = log.first_by_last_owner
    after_ms = None if first is None else first.at_ms - killed_ms
    return Outcome(points, deal, len(log.entries), promises, log.start_seq, after_ms, machine.pod_lease_ms)


async def seated(
    machine: Machine, pod: PodProcess, table_id: str, players: Sequence[str], aim: Aim, *, floor_ms: int
) -> list[Seat]:
    """A new table, and everybody's seat at it; questions stay open for so long, and longer from deal to deal."""
    await machine.create_table(
        pod, table_id, players, claim_floor_min_ms=floor_ms, claim_floor_max_ms=floor_ms, deals_max=aim.deals
    )
    return [machine.seat(pod, table_id, seat, player) for seat, player in enumerate(players)]


async def _dies(pod: PodProcess, playing: "asyncio.Task[list[Witness]]") -> bool:
    """Whether the process dies of its own before the deal has long been played."""
    ending = asyncio.create_task(pod.ended())
    await asyncio.wait({playing, ending}, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.wait({ending}, timeout=_LAST_WORDS_SECONDS)
    if not ending.done():
        ending.cancel()
        return False
    assert ending.result() == KILLED
    return True


def _slug(name: str) -> str:
    """A name as an id may have it."""
    return "".join(letter if letter.isalnum() else "-" for letter in name)[:48]


async def assert_whole(
    machine: Machine, table_id: str, log: Log, witnesses: Sequence[Witness], players: Sequence[str]
) -> int:
    """A deal that was played to its end whatever happened: seen, kept, paid and booked. Returns: moves promised."""
    assert [entry.kind for entry in log.entries[-2:]] == ["deal_settled", "closed"]
    for witness in witnesses:
        assert witness.played.faults == []
        assert witness.played.overtaken_count == 0
        assert_seen(log, witness.played.seat, witness.played.entries)
    await assert_booked(machine, table_id, log, players)
    return assert_kept(log, witnesses)
