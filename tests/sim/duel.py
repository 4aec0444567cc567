"""Bots that weigh fans against bots that go for the nearest win: python -m tests.sim.duel --variant dazhong.

Two of each play one table; who sits where changes from deal to deal, walls are shuffled from the seed, everybody has
money enough. The balance is what the weighing two are paid less what they pay.
"""

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from random import Random

from games.bots import nearest, weighing
from games.catalog import variant_of
from games.kernel import Seat, pay
from games.mahjong.actions import CloseQuestion, Deal, PlayerAction
from games.mahjong.events import Ended, Event, Won
from games.mahjong.game import GAME
from games.mahjong.ruleset import Ruleset
from games.mahjong.state import QUESTIONS, Phase, State
from games.mahjong.wall import tiles_in_order
from tests.sim.deals import random_dice

ENOUGH = 1 << 40
SEATINGS = tuple(combinations(range(4), 2))


@dataclass
class Duel:
    """What came of it.

    Attributes:
        deals: played.
        balance: what the two weighing seats were paid, less what they paid, in stakes.
        wins: wins of the weighing seats.
        others: wins of the other two.
        seconds: processor time of each decision of the weighing seats.
    """

    deals: int = 0
    balance: int = 0
    wins: int = 0
    others: int = 0
    seconds: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        """Figures in one line."""
        took = sorted(self.seconds)
        return (
            f"{self.deals} deals: two bots that weigh fans against two that go for the nearest win: balance "
            f"{self.balance:+}, wins {self.wins} to {self.others}; a decision takes "
            f"{1e3 * sum(took) / len(took):.1f} ms, 99 of 100 under {1e3 * took[len(took) * 99 // 100]:.0f} ms"
        )


def duel(variant: str, options: Mapping[str, object], seed: int, deal_count: int) -> Duel:
    """Play the deals."""
    rules = variant_of(variant).ruleset(options, 1)
    result = Duel()
    for number in range(deal_count):
        weighing_seats = SEATINGS[number % len(SEATINGS)]
        balances: tuple[int, ...] = (ENOUGH,) * rules.seat_count
        for event in _deal(rules, weighing_seats, Random(f"{seed}/duel/{number}"), result):
            if isinstance(event, Won):
                result.wins += sum(winner.seat in weighing_seats for winner in event.winners)
                result.others += sum(winner.seat not in weighing_seats for winner in event.winners)
            if isinstance(event, Won | Ended):
                balances = pay(balances, event.payments).balances
        result.deals += 1
        result.balance += sum(balances[seat] - ENOUGH for seat in weighing_seats)
    return result


def _deal(rules: Ruleset, weighing_seats: Sequence[Seat], chance: Random, result: Duel) -> list[Event]:
    wall = list(tiles_in_order(rules))
    chance.shuffle(wall)
    state = GAME.initial(rules, chance.randrange(rules.seat_count))
    log: list[Event] = []
    events = GAME.open(state, tuple(wall), random_dice(state.ruleset, chance))
    while True:
        for event in events:
            state = GAME.evolve(state, event)
        log += events
        if state.phase is Phase.OVER:
            return log
        events = _next(state, weighing_seats, result)


def _next(state: State, weighing_seats: Sequence[Seat], result: Duel) -> tuple[Event, ...]:
    if state.phase is Phase.OPENED:
        return GAME.decide(state, Deal())
    asked = sorted(GAME.awaiting(state))
    if state.phase in QUESTIONS and not asked:
        return GAME.decide(state, CloseQuestion())
    return GAME.decide(state, _choice(state, asked[0], weighing_seats, result))


def _choice(state: State, seat: Seat, weighing_seats: Sequence[Seat], result: Duel) -> PlayerAction:
    view = GAME.view(state, seat)
    options = GAME.legal(view, seat)
    if seat not in weighing_seats:
        return nearest.choose(view, seat, options)
    began = time.process_time()
    chosen = weighing.choose(view, seat, options)
    result.seconds.append(time.process_time() - began)
    return chosen


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if the bots that weigh fans won money."""
    parser = argparse.ArgumentParser(prog="python -m tests.sim.duel", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--variant", default="dazhong", choices=sorted(weighing.WEIGHTS))
    parser.add_argument("--options", type=json.loads, default={}, help="such as '{\"minimum_fan\": 8}'")
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    result = duel(chosen.variant, chosen.options, chosen.seed, chosen.deals)
    print(f"{chosen.variant} {chosen.options}: {result}")
    return 0 if result.balance > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
