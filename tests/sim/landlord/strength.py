"""How good the policy is: the same seeded deals with it and with players who take the first legal move.

The first bidder calls and nobody doubles, so that roles are even; then everybody plays from
his own view. `python -m tests.sim.landlord.strength` prints the figures.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from games.bots import landlord as policy
from games.kernel import Seat
from games.landlord.actions import PlayerAction
from games.landlord.events import Ended
from games.landlord.game import GAME
from games.landlord.state import Phase, State
from tests.contract.landlord.deals import act, called, rules_of

Player = Callable[[State, Seat, tuple[PlayerAction, ...]], PlayerAction]

LANDLORD: Seat = 0


def first_legal(view: State, seat: Seat, options: tuple[PlayerAction, ...]) -> PlayerAction:
    """The first legal move: the lowest play there is, a pass only where nothing else is left."""
    return options[0]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of some deals: the share the landlord won, and his mean score with base 1."""

    landlord_wins: float
    landlord_score: float

    def __str__(self) -> str:
        return f"landlord wins {self.landlord_wins:.1%}, scores {self.landlord_score:+.2f} a deal"


def outcome(deal_count: int, landlord: Player, others: Player) -> Outcome:
    """Play seeded deals: the first of the pack's numbers is the seed."""
    ended = [finished(seed, landlord, others) for seed in range(deal_count)]
    wins = sum(result.winners == (LANDLORD,) for result in ended)
    score = sum(result.scores[LANDLORD] for result in ended)
    return Outcome(wins / deal_count, score / deal_count)


def finished(seed: int, landlord: Player, others: Player) -> Ended:
    """One deal played to its end."""
    state = called(rules_of({}), LANDLORD, Random(f"strength {seed}"))
    while state.phase is not Phase.OVER:
        seat = state.turn
        view = GAME.view(state, seat)
        player = landlord if seat == LANDLORD else others
        state = act(state, player(view, seat, GAME.legal(view, seat)))[0]
    assert state.result is not None
    return state.result


PAIRINGS: dict[str, tuple[Player, Player]] = {
    "first-legal against first-legal": (first_legal, first_legal),
    "the policy against first-legal": (policy.choose, first_legal),
    "first-legal against the policy": (first_legal, policy.choose),
    "the policy against the policy": (policy.choose, policy.choose),
}
"""The landlord, then the other two."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.sim.landlord.strength")
    parser.add_argument("--deals", type=int, default=1000)
    deal_count = parser.parse_args(arguments).deals
    for name, players in PAIRINGS.items():
        print(f"{name}: {outcome(deal_count, *players)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
