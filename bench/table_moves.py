"""How many moves a second one table pod carries: four viewers a table, stored before shown, metrics and logs on.

A move is a call of Act that is answered ACCEPTED or QUEUED: discards, kongs, wins, and answers to shared questions,
passes too. Each is validated, appended to its table's log by one script in a real store (fsync every second), shown to
four streams, and answered. Saying ready, shuffling and settling between deals are part of the load and not counted.

Two rows: moves against null calls a second, and the same a second of the server's own processor time, which a busy
machine disturbs less.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from bench.null_unary import PEER, NullServer, Rate, cpu_seconds
from bench.row import Row
from bench.table_load import SEATS, TableLoad
from bench.table_pod import TablePod

NAMES = ("table_moves_s", "table_moves_cpu_s")

TABLE_COUNT = 64
PAIR_COUNT = 9
"""Runs of ours and of the peer, in turns; short ones, so that a slow minute hits both."""
_RUN_SECONDS = 2.0
_WARM_SECONDS = 2.0
_ASKED = "asked: >= 0.15, aim 0.3"


@dataclass(frozen=True, slots=True)
class Pair:
    """A run of ours and the peer's run after it; `message_count`: messages a move to all viewers together."""

    moves: Rate
    calls: Rate
    message_count: float


async def measure() -> list[Row]:
    """A pod and a null server side by side, loaded in turns."""
    async with TablePod() as pod, NullServer() as null, TableLoad(pod.address, pod.keys, tables=TABLE_COUNT) as load:
        await load.play(_WARM_SECONDS)
        return rows([await _pair(pod, load, null) for _ in range(PAIR_COUNT)])


async def _pair(pod: TablePod, load: TableLoad, null: NullServer) -> Pair:
    before = cpu_seconds(pod.pid)
    played = await load.play(_RUN_SECONDS)
    moves = Rate(played.moves / played.seconds, played.moves / max(cpu_seconds(pod.pid) - before, 0.01))
    calls = await null.load(callers=TABLE_COUNT, seconds=_RUN_SECONDS)
    return Pair(moves, calls, played.messages / max(played.moves, 1))


def rows(pairs: Sequence[Pair]) -> list[Row]:
    """Both figures of some runs: medians."""
    moves = [pair.moves for pair in pairs]
    calls = [pair.calls for pair in pairs]
    messages = statistics.median(pair.message_count for pair in pairs)
    load = f"{TABLE_COUNT} tables, {SEATS} viewers each, {messages:.1f} messages a move; ledger: a stand-in in the pod"
    move_us, call_us = (1e6 / statistics.median(rate.per_cpu_second for rate in rates) for rates in (moves, calls))
    return [
        Row(
            "table_moves_s",
            statistics.median(rate.per_second for rate in moves),
            "moves/s",
            PEER,
            statistics.median(rate.per_second for rate in calls),
            len(pairs),
            f"{load}; {_ASKED}",
        ),
        Row(
            "table_moves_cpu_s",
            1e6 / move_us,
            "moves/cpu s",
            PEER,
            1e6 / call_us,
            len(pairs),
            f"the same by the server's processor time: {move_us:,.0f} us a move, {call_us:,.0f} us a null call",
        ),
    ]
