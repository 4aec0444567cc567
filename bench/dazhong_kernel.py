"""What scoring a hand of 大众麻将 and listing its waits cost, compiled and plain, against an independent evaluator.

Three processes take turns: ours as `make setup` left it, ours from the plain sources, the evaluator. Each is asked for
the same 10,000 hands. Where the evaluator cannot be built there is nothing to compare with and no row is made.
"""

import os
import statistics
import subprocess
import sys
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from bench.dazhong_side import HAND_COUNT
from bench.row import Row
from deploy.build.compiled_finder import PLAIN
from deploy.build.reference import NotInstalled, environment
from games.catalog import compiled_modules, variant_of

NAMES = ("dazhong_score_us", "dazhong_score_plain_us", "dazhong_waits_us")
PEER = "PyMahjongGB 1.4.0"
ROUNDS = 9
"""Turns that each side takes; a figure is the median of them."""
SCORE, WAITS = "score", "waits"


class Side:
    """A process that measures one side, for the length of a `with`.

    Args:
        side: "ours" or "reference".
        environment: its environment.
    """

    def __init__(self, side: str, environment: Mapping[str, str]) -> None:
        command = [sys.executable, "-m", "bench.dazhong_side", side]
        self._process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        self._line()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def microseconds(self, what: str) -> float:
        """What a hand costs now."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{what}\n")
        self._process.stdin.flush()
        return float(self._line()) / HAND_COUNT * 1e6

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "a side of the comparison ended"
        return line


def measure() -> list[Row]:
    """The three rows; none where there is no evaluator."""
    try:
        theirs = environment()
    except NotInstalled as reason:
        print(f"bench: {', '.join(NAMES)}: not measured: {reason}", file=sys.stderr)
        return []
    plain_environment = {**os.environ, PLAIN: "1"}
    with Side("reference", theirs) as peer, Side("ours", os.environ) as ours, Side("ours", plain_environment) as plain:
        scores = [
            (ours.microseconds(SCORE), plain.microseconds(SCORE), peer.microseconds(SCORE)) for _ in range(ROUNDS)
        ]
        waits = [(ours.microseconds(WAITS), plain.microseconds(WAITS), peer.microseconds(WAITS)) for _ in range(ROUNDS)]
    score, score_plain, score_peer = map(statistics.median, zip(*scores, strict=True))
    wait, wait_plain, wait_peer = map(statistics.median, zip(*waits, strict=True))
    variant_of("dazhong")
    how = "compiled" if compiled_modules() else "plain: nothing is compiled here"
    return [
        Row(NAMES[0], score, "us", PEER, score_peer, ROUNDS, note=f"a winning hand, {how}; asked: ratio <= 2.0"),
        Row(NAMES[1], score_plain, "us", PEER, score_peer, ROUNDS, note="the same, plain source; asked: ratio <= 20"),
        Row(
            NAMES[2],
            wait,
            "us",
            PEER,
            wait_peer,
            ROUNDS,
            note=f"all waits, both ways, {how}; plain {wait_plain / wait_peer:.2f}; asked: ratio <= 1.0",
        ),
    ]
