"""A scoring service for the comparison, in a process of its own: python -m bench.score_batch_side ours|reference.

Both are the same service; the reference has the evaluator in place of our scorer of 大众麻将. It prints host:port and
serves until standard input closes.
"""

import argparse
import asyncio
import importlib
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import uvloop

from games.mahjong.hand import FanScore, Score, WinningHand
from games.mahjong.ruleset import Ruleset
from games.variants import dazhong
from games.variants.dazhong.fan_table import FANS
from games.variants.dazhong.options import base_points
from services.scoring.main import ScoringComponent
from services.scoring.settings import ScoringSettings
from serving.main import start_server
from serving.runtime import make_runtime
from serving.tokens import create_keys
from tests.sim.dazhong.reference import OTHER_NAMES, arguments

SIDES = ("ours", "reference")
Scorer = Callable[[Ruleset, WinningHand], Score | None]


def reference_score() -> Scorer:
    """The evaluator as a scorer: it is asked, and its rows are looked up among ours."""
    calculate = importlib.import_module("MahjongGB").MahjongFanCalculator
    rows = {fan.name_zh: fan for fan in FANS}
    known: dict[tuple[str, int], FanScore] = {}

    def fan_of(value: int, times: int, name: str) -> FanScore:
        key = (name, times)
        found = known.get(key)
        if found is None:
            row = rows.get(OTHER_NAMES.get(name, name), rows["暗杠"])  # 明暗杠 has no row here (DZ-32)
            found = known[key] = FanScore(row.fan_id, row.name_zh, value * times, row.number, times)
        return found

    def score(rules: Ruleset, hand: WinningHand) -> Score | None:
        melds, tiles, *rest = arguments(hand)
        try:
            told = calculate(tuple(melds), tuple(tiles), *rest, True)
        except TypeError:
            return None
        fans = tuple(fan_of(value, times, name) for value, times, name, _ in told)
        total = sum(fan.value for fan in fans)
        return Score(fans, total, (base_points(rules) + total) * rules.stake)

    return score


def use(score: Scorer) -> None:
    """Put a scorer in place of our own, before anybody asks the catalogue."""
    (own,) = dazhong.VARIANTS

    def make(options: tuple[tuple[str, object], ...], stake: int, escape_penalty: int) -> Ruleset:
        rules = own.make_ruleset(options, stake, escape_penalty)
        return replace(rules, judgement=replace(rules.judgement, score=score))

    dazhong.VARIANTS = (replace(own, make_ruleset=make),)


async def _serve(keys: Path) -> None:
    settings = ScoringSettings(
        grpc_port=0,
        metrics_port=0,
        jwks_file=keys / "jwks.json",
        anonymous_allowed=True,
        anonymous_hands_per_second=0,
        log_level="warning",
    )
    answers = os.dup(1)
    os.dup2(2, 1)
    server = await start_server("scoring", settings, ScoringComponent(), make_runtime("scoring", settings))
    os.write(answers, f"127.0.0.1:{server.port}\n".encode())
    os.close(answers)
    await asyncio.to_thread(sys.stdin.read)
    await server.stop()


def main() -> None:
    """Entry of the process."""
    parser = argparse.ArgumentParser(prog="bench.score_batch_side")
    parser.add_argument("side", choices=SIDES)
    side: str = parser.parse_args().side
    if side == "reference":
        use(reference_score())
    with tempfile.TemporaryDirectory() as folder:
        create_keys(Path(folder))
        uvloop.run(_serve(Path(folder)))


if __name__ == "__main__":
    main()
