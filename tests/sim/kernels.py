"""What the rules of 大众麻将 say to hands by chance, as one number: python -m tests.sim.kernels --hands 5000 --seed 7.

Two processes that print the same line agree about every hand: its fans, its points, what its waits are worth.
"""

import argparse
import hashlib
from dataclasses import replace
from random import Random

from games.catalog import compiled_modules, variant_of
from games.mahjong.hand import HandError, WinningHand
from games.mahjong.scoring import list_waits, score_win
from tests.sim.dazhong.hands import any_hand


def answers(hand: WinningHand, chance: Random) -> str:
    """All that can be asked about a hand, and about one that a tile by chance spoils."""
    rules = variant_of("dazhong").ruleset({}, 1)
    waiting = replace(hand, situations=frozenset())
    other = replace(hand, tile=chance.randrange(34))
    try:
        spoiled = repr(score_win(rules, other))
    except HandError as error:
        spoiled = str(error)
    return f"{score_win(rules, hand)} {list_waits(rules, waiting)} {spoiled}"


def main() -> None:
    """Print how the rules run here, and the number."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hands", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=7)
    chosen = parser.parse_args()
    chance, digest = Random(chosen.seed), hashlib.sha256()
    for _ in range(chosen.hands):
        digest.update(answers(any_hand(chance), chance).encode())
    print("compiled" if compiled_modules() else "plain", digest.hexdigest())


if __name__ == "__main__":
    main()
