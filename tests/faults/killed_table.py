"""The table service with a seeded shuffle, killed (SIGKILL, by itself) at a point of its work.

`python -m tests.faults.killed_table SEED [PLACE MOMENT COUNT DELAY_US]`; without a point it is not killed.
"""

import asyncio
import hashlib
import os
import signal
import sys
from collections.abc import Callable, Mapping
from functools import partial

from services.table.app.table import Table
from services.table.component import TableComponent, build
from services.table.settings import TableSettings
from serving.main import serve
from serving.runtime import Runtime
from tests.faults.points import Moment, Point, moment_of


class SeededEntropy:
    """Chance that a seed stands for: the same walls for the same table ids."""

    def __init__(self, seed: str) -> None:
        self._seed = seed

    def seed(self) -> bytes:
        """32 bytes, always the same; the wall hangs on the deal's id too (PF-41)."""
        return hashlib.sha256(self._seed.encode()).digest()

    def between(self, least: int, most: int) -> int:
        """The least."""
        return least


class KilledAt:
    """`Checkpoints` that kill the process.

    Attributes:
        tables: the pod's tables; the one begun last is looked at.
    """

    def __init__(self, point: Point | None) -> None:
        self._point = point
        self._reached = 0
        self.tables: Callable[[], Mapping[str, Table]] = dict

    def reach(self, name: str) -> None:
        """See `Checkpoints`."""
        point = self._point
        if point is None or name != point.place or point.moment not in self._moment():
            return
        self._reached += 1
        if self._reached == point.count:
            if point.delay_us:
                asyncio.get_running_loop().call_later(point.delay_us / 1_000_000, _die)
            else:
                _die()

    def _moment(self) -> frozenset[str]:
        tables = list(self.tables().values())
        return moment_of(tables[-1].current.state) if tables else frozenset({Moment.ANY})


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def build_killed(seed: str, point: Point | None, runtime: Runtime) -> TableComponent:
    """The table's component as in production, but for chance and checkpoints."""
    killed_at = KilledAt(point)
    component = await build(runtime, checkpoints=killed_at, entropy=SeededEntropy(seed))
    killed_at.tables = lambda: component.pod.tables
    return component


if __name__ == "__main__":
    _, its_seed, *its_point = sys.argv
    sys.exit(serve("table", TableSettings, partial(build_killed, its_seed, Point.of(its_point) if its_point else None)))
