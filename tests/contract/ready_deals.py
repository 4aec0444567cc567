"""Deals played at random from hands that are nearly ready, so that wins, kongs, locks and robberies are common.

Chance comes from a seed; nothing here knows the rules but through `games`.
"""

import random
from collections import Counter
from dataclasses import dataclass

from games.catalog import variant_of
from games.kernel import Seat
from games.mahjong import actions as asked
from games.mahjong.actions import Action
from games.mahjong.events import PRIVATE_EVENTS, Event
from games.mahjong.game import GAME
from games.mahjong.ruleset import Ruleset
from games.mahjong.state import QUESTIONS, Phase, State
from games.mahjong.tiles import Tile
from games.mahjong.wall import arrange, tiles_in_order

Hands = tuple[tuple[Tile, ...], ...]


@dataclass(frozen=True, slots=True)
class RandomDeal:
    """A deal played to its end: its public events, and the state after it."""

    record: tuple[Event, ...]
    state: State


def random_deal(seed: int) -> RandomDeal:
    """The deal of this seed; the players do everything the rules allow, in any order, and come and go."""
    rng = random.Random(seed)
    options = {"pass_locks_win": rng.random() < 0.5, "kong_transfer": rng.choice(("last", "chain"))}
    rules = variant_of("bloody4").ruleset(options, rng.choice((1, 5)))
    dealer = rng.randrange(rules.seat_count)
    hands, draws = _nearly_ready(rng, rules, dealer)
    dice = tuple(rng.randint(1, 6) for _ in range(4))
    run = _Run(rng, rules, dealer)
    run.happen(GAME.open(run.state, arrange(rules, dealer, hands, draws, dice), dice))
    run.come_and_go()
    run.act(asked.Deal())
    while run.state.phase is not Phase.OVER:
        run.step()
    record = tuple(event for event in run.events if not isinstance(event, PRIVATE_EVENTS))
    return RandomDeal(record, run.state)


class _Run:
    def __init__(self, rng: random.Random, rules: Ruleset, dealer: Seat) -> None:
        self.rng = rng
        self.state = GAME.initial(rules, dealer)
        self.events: list[Event] = []

    def happen(self, events: tuple[Event, ...]) -> None:
        for event in events:
            self.state = GAME.evolve(self.state, event)
        self.events += events

    def act(self, action: Action) -> None:
        self.happen(GAME.decide(self.state, action))

    def step(self) -> None:
        self.come_and_go()
        if self.state.phase in QUESTIONS:
            self._answer()
        elif self.state.phase is Phase.TURN:
            self._move()

    def come_and_go(self) -> None:
        for action, chance in ((asked.Leave, 0.06), (asked.Return, 0.2)):
            if self.state.phase is not Phase.OVER and self.rng.random() < chance:
                self.act(action(self._any_seat()))

    def _answer(self) -> None:
        """Some answer, some lock, some keep silent; then the question closes."""
        for _ in range(self.rng.randrange(6)):
            possible = GAME.legal(self.state, self._any_seat())
            if possible:
                self.act(self.rng.choice(possible))
            if self.rng.random() < 0.1:
                self.come_and_go()
        self.act(asked.CloseQuestion())

    def _move(self) -> None:
        if self.rng.random() < 0.1:
            locks = [action for action in GAME.legal(self.state, self._any_seat()) if isinstance(action, asked.Lock)]
            for lock in locks:
                self.act(lock)
            return
        possible = GAME.legal(self.state, self.state.turn)
        best = [action for action in possible if not isinstance(action, asked.Discard)]
        if best and self.rng.random() < 0.7:
            self.act(self.rng.choice(best))
        elif self.rng.random() < 0.1:
            self.act(asked.Timeout(self.state.turn))
        else:
            self.act(self.rng.choice(possible))

    def _any_seat(self) -> Seat:
        return self.rng.randrange(self.state.ruleset.seat_count)


def _nearly_ready(rng: random.Random, rules: Ruleset, dealer: Seat) -> tuple[Hands, tuple[Tile, ...]]:
    """Hands of three or four sets each, the rest of them any tiles, and a wall of any length."""
    left = Counter(tiles_in_order(rules))
    hands: list[list[Tile]] = []
    for _ in range(rules.seat_count):
        hand: list[Tile] = []
        for _ in range(rng.choice((3, 4, 4))):
            possible = [tiles for tiles in _sets(rules) if Counter(tiles) <= left]
            chosen = rng.choice(possible)
            left.subtract(chosen)
            hand += chosen
        hands.append(hand)
    rest = list(left.elements())
    rng.shuffle(rest)
    for seat, hand in enumerate(hands):
        while len(hand) < rules.hand_size + (seat == dealer):
            hand.append(rest.pop())
    return tuple(map(tuple, hands)), tuple(rest[: rng.randint(1, len(rest))])


def _sets(rules: Ruleset) -> list[tuple[Tile, Tile, Tile]]:
    triplets = [(tile, tile, tile) for tile in rules.kinds]
    runs = [(tile, tile + 1, tile + 2) for tile in rules.kinds if tile % 9 <= 6]
    return triplets + runs
