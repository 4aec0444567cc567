"""One policy bot against three that move by chance: python -m tests.sim.strength [--deals 1000] [--seed 1].

Seats rotate, walls are shuffled from the seed, everybody has money enough. Money won is what a
seat is paid; the balance is what it is paid less what it pays.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from games.bots import policy, uniform
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


@dataclass
class Record:
    """What the policy bot and the three others came to.

    Attributes:
        won: money the bot was paid.
        others_won: money the three others together were paid.
        balance: what the bot was paid, less what it paid.
        wins: deals in which the bot won.
    """

    deals: int = 0
    won: int = 0
    others_won: int = 0
    balance: int = 0
    wins: int = 0

    def __str__(self) -> str:
        """Figures in one line."""
        return (
            f"{self.deals} deals: the policy bot won {self.won} ({self.wins} wins), the three random ones together "
            f"{self.others_won}; its balance {self.balance:+}, theirs {-self.balance:+}"
        )


def contest(seed: int, deal_count: int) -> Record:
    """Play the deals; the bot sits at another seat every deal."""
    rules = variant_of("bloody4").ruleset({}, 1)
    record = Record()
    for number in range(deal_count):
        bot = number % rules.seat_count
        _count(record, bot, _deal(rules, bot, Random(f"{seed}/strength/{number}")))
    return record


def _deal(rules: Ruleset, bot: Seat, chance: Random) -> list[Event]:
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
        events = _next(state, bot, chance)


def _next(state: State, bot: Seat, chance: Random) -> tuple[Event, ...]:
    if state.phase is Phase.OPENED:
        return GAME.decide(state, Deal())
    asked = sorted(GAME.awaiting(state))
    if state.phase in QUESTIONS and not asked:
        return GAME.decide(state, CloseQuestion())
    return GAME.decide(state, _choice(state, asked[0], bot, chance))


def _choice(state: State, seat: Seat, bot: Seat, chance: Random) -> PlayerAction:
    view = GAME.view(state, seat)
    options = GAME.legal(view, seat)
    return policy.choose(view, seat, options) if seat == bot else uniform.choose(options, chance.randrange)


def _count(record: Record, bot: Seat, log: Sequence[Event]) -> None:
    balances: tuple[int, ...] = (ENOUGH,) * 4
    record.deals += 1
    for event in log:
        if isinstance(event, Won):
            record.wins += any(winner.seat == bot for winner in event.winners)
        if isinstance(event, Won | Ended):
            paid = pay(balances, event.payments)
            balances = paid.balances
            record.won += sum(line.paid for line in paid.lines if line.payment.payee == bot)
            record.others_won += sum(line.paid for line in paid.lines if line.payment.payee != bot)
    record.balance += balances[bot] - ENOUGH


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if the bot won more than the three together."""
    parser = argparse.ArgumentParser(prog="python -m tests.sim.strength", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    record = contest(chosen.seed, chosen.deals)
    print(record)
    return 0 if record.won > record.others_won and record.balance > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
