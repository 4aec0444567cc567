"""One figure of the bench, and how figures are taken."""

import statistics
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Any

RUNS = 5
"""Runs behind a figure that is compared: machines are shared, so medians of runs that alternate."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure.

    Attributes:
        name: of the figure, such as "table_moves_s".
        value: ours, in `unit`.
        unit: such as "moves/s".
        peer: what it is compared with, measured in the same run; None where there is no peer.
        peer_value: the peer's figure in the same unit of work.
        runs: how many runs `value` is the median of.
        note: how it was taken and what is asked of it, in a few words.
    """

    name: str
    value: float
    unit: str
    peer: str | None = None
    peer_value: float | None = None
    runs: int = RUNS
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Ours / peer."""
        return self.value / self.peer_value if self.peer_value else None

    def as_json(self) -> dict[str, Any]:
        """The row as `bench/results.json` holds it."""
        return {**asdict(self), "ratio": self.ratio}


async def interleaved(
    ours: Callable[[], Awaitable[float]], peer: Callable[[], Awaitable[float]], runs: int = RUNS
) -> tuple[float, float]:
    """Medians of ours and the peer's figure, taken in turns, so that a slow minute hits both."""
    pairs = [(await ours(), await peer()) for _ in range(runs)]
    return statistics.median(value for value, _ in pairs), statistics.median(value for _, value in pairs)
