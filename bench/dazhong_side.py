"""One side of the comparison of dazhong kernels, in a process of its own: python -m bench.dazhong_side ours|reference.

A line in, "score" or "waits", a line out: the processor seconds that all hands took. Everything either side needs to be
asked is prepared before; both have answered once before the first line, so tables are filled and code is warm.
"""

import argparse
import gc
import importlib
import itertools
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from games.catalog import variant_of
from games.mahjong.hand import WinningHand
from games.mahjong.scoring import list_waits
from games.mahjong.tiles import KIND_COUNT
from tests.sim.dazhong.hands import hands
from tests.sim.dazhong.reference import arguments, tile_code

HAND_COUNT = 10_000
SEED = 1998
COPIES = 4

Work = Callable[[], None]


def ours() -> Mapping[str, Work]:
    """Our scorer, asked as a table asks it; waits with all checks of input, as the service asks for them."""
    rules = variant_of("dazhong").ruleset({}, 1)
    score, won = rules.judgement.score, list(hands(SEED, HAND_COUNT))
    waiting = [replace(hand, situations=frozenset()) for hand in won]

    def score_all() -> None:
        for hand in won:
            score(rules, hand)

    def list_all() -> None:
        for hand in waiting:
            list_waits(rules, hand)

    return {"score": score_all, "waits": list_all}


def reference() -> Mapping[str, Work]:
    """The evaluator: its calculator once a hand; for waits once a tile and way, none of which would be a fifth copy."""
    calculate = importlib.import_module("MahjongGB").MahjongFanCalculator
    won = list(hands(SEED, HAND_COUNT))
    asked = [_asked(hand) for hand in won]
    open_hands = [(melds, tiles, _possible(hand)) for hand, (melds, tiles, *_) in zip(won, asked, strict=True)]

    def score_all() -> None:
        for one in asked:
            calculate(*one)

    def list_all() -> None:
        for melds, tiles, possible in open_hands:
            for tile in possible:
                for by_self in (False, True):
                    try:
                        calculate(melds, tiles, tile, 0, by_self, False, False, False, 0, 0)
                    except TypeError:
                        continue

    return {"score": score_all, "waits": list_all}


def _asked(hand: WinningHand) -> tuple[Any, ...]:
    melds, tiles, *rest = arguments(hand)
    return tuple(melds), tuple(tiles), *rest


def _possible(hand: WinningHand) -> Sequence[str]:
    held = Counter(itertools.chain(hand.concealed, *(meld.tiles for meld in hand.melds)))
    return [tile_code(tile) for tile in range(KIND_COUNT) if held[tile] < COPIES]


def main() -> None:
    """Answer line by line."""
    parser = argparse.ArgumentParser(prog="bench.dazhong_side")
    parser.add_argument("side", choices=("ours", "reference"))
    work = ours() if parser.parse_args().side == "ours" else reference()
    work["score"]()
    print("ready", flush=True)
    for line in sys.stdin:
        gc.collect()
        began = time.process_time()
        work[line.strip()]()
        print(time.process_time() - began, flush=True)


if __name__ == "__main__":
    main()
