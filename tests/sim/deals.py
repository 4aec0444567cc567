"""Deals to play: who sits where with what, and how they are played. Chance comes from one seeded source a deal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from games.bots import policy, uniform
from games.kernel import Seat
from games.mahjong.actions import (
    Action,
    CloseQuestion,
    Deal,
    Leave,
    Lock,
    PlayerAction,
    Return,
    Timeout,
)
from games.mahjong.events import Event
from games.mahjong.game import GAME
from games.mahjong.ruleset import Ruleset
from games.mahjong.state import QUESTIONS, Phase, State
from games.mahjong.tiles import Tile
from games.mahjong.variant import Variant
from games.mahjong.wall import DIE_FACES, tiles_in_order

ACTIONS_MAX = 2000
"""More than any deal takes: with some 90 draws there are at most 200 turns and questions of at most 6 answers."""

LEAVING_ENDS_SHARE = 0.05
"""Where a player who leaves ends the deal he does so this much less often: most deals are to be played out."""

SMALL_NUMBERS = 13
"""Options that are numbers are drawn from the default and the first few, so that hands can win."""


class Style(StrEnum):
    """Who moves."""

    POLICY = "policy"
    UNIFORM = "uniform"


@dataclass(frozen=True, slots=True)
class Habits:
    """How often seats do what is not a plain move; shares of 1.

    Attributes:
        timeout: turns that run out.
        silence: questions that close before all have answered; those who have not are silent.
        leave: moments at which somebody leaves.
        come_back: moments at which an absent player returns.
        lock: moments at which a seat that may lock does.
    """

    timeout: float
    silence: float
    leave: float
    come_back: float
    lock: float


HABITS = {
    Style.POLICY: Habits(timeout=0.01, silence=0.02, leave=0.003, come_back=0.1, lock=0.02),
    Style.UNIFORM: Habits(timeout=0.06, silence=0.12, leave=0.02, come_back=0.1, lock=0.15),
}


@dataclass(frozen=True, slots=True)
class Setup:
    """A deal before it is played.

    Attributes:
        name: what to call it in a report.
        wall: in its physical order; an arranged one may be short.
        balances: one a seat.
        wishes: actions to play first, in order; those that are not legal are passed over.
        tail_count: tiles at the end of an arranged wall that only replacements take.
        deal_index: deals played at the table before this one.
        draws_in_row: exhaustive draws just before it.
        silence_passes: a wish that is no answer to the question that stands open closes it, as in the cases.
    """

    name: str
    style: Style
    ruleset: Ruleset
    dealer: Seat
    wall: tuple[Tile, ...]
    dice: tuple[int, ...]
    balances: tuple[int, ...]
    wishes: tuple[Action, ...] = ()
    tail_count: int = 0
    deal_index: int = 0
    draws_in_row: int = 0
    silence_passes: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One action and what came of it; `action` is None for the opening."""

    before: State
    action: Action | None
    events: tuple[Event, ...]
    after: State


def random_setup(variant: Variant, style: Style, name: str, chance: Random) -> Setup:
    """A deal with a shuffled wall under random options, stake and balances."""
    ruleset = random_ruleset(variant, chance)
    wall = list(tiles_in_order(ruleset))
    chance.shuffle(wall)
    return Setup(
        name=name,
        style=style,
        ruleset=ruleset,
        dealer=chance.randrange(variant.seat_count),
        wall=tuple(wall),
        dice=random_dice(ruleset, chance),
        balances=random_balances(variant.seat_count, ruleset.stake, chance),
        deal_index=chance.randrange(20),
        draws_in_row=chance.choice((0, 0, 1, 2, 3)),
    )


def random_ruleset(variant: Variant, chance: Random) -> Ruleset:
    """Rules with random options and stake."""
    options = {name: _value(allowed, chance) for name, allowed in variant.options.items()}
    return variant.ruleset(options, chance.choice((1, 1, 2, 5, 10)), chance.choice((0, 7, 100)))


def _value(allowed: tuple[object, ...], chance: Random) -> object:
    """One of a few values; every second time the default where there are many."""
    many = len(allowed) > SMALL_NUMBERS
    return allowed[0] if many and chance.random() < 1 / 2 else chance.choice(allowed[:SMALL_NUMBERS])


def random_dice(ruleset: Ruleset, chance: Random) -> tuple[int, ...]:
    """Dice of an opening."""
    return tuple(chance.randint(1, DIE_FACES) for _ in range(GAME.dice_count(ruleset)))


def random_balances(seat_count: int, stake: int, chance: Random) -> tuple[int, ...]:
    """Balances; one time in three somebody is short of a few stakes or has nothing."""
    balances = [1000 * stake] * seat_count
    if chance.random() < 1 / 3:
        balances = [chance.choice((0, 1, stake, 3 * stake, 10 * stake, 1000 * stake)) for _ in balances]
    return tuple(balances)


def play(setup: Setup, chance: Random) -> Iterator[Step]:
    """Play a deal to its end, one step an action."""
    before = start(setup)
    events = GAME.open(before, setup.wall, setup.dice, tail_count=setup.tail_count)
    state = _folded(before, events)
    yield Step(before, None, events, state)
    mover = Mover(setup, chance)
    for _ in range(ACTIONS_MAX):
        if state.phase is Phase.OVER:
            return
        action = mover.next(state)
        before, events = state, GAME.decide(state, action)
        state = _folded(before, events)
        yield Step(before, action, events, state)
    raise AssertionError(f"{setup.name}: not over after {ACTIONS_MAX} actions")


def start(setup: Setup) -> State:
    """The table before the deal."""
    return GAME.initial(setup.ruleset, setup.dealer, deal_index=setup.deal_index, draws_in_row=setup.draws_in_row)


def _folded(state: State, events: Sequence[Event]) -> State:
    for event in events:
        state = GAME.evolve(state, event)
    return state


class Mover:
    """Decides what happens next in a deal: wishes first, then habits and the style's policy."""

    def __init__(self, setup: Setup, chance: Random) -> None:
        self._chance = chance
        self._style = setup.style
        self._habits = HABITS[setup.style]
        self._wishes = list(reversed(setup.wishes))
        self._silence_passes = setup.silence_passes

    def next(self, state: State) -> Action:
        """The next action; always one that `decide` accepts."""
        return self._wish(state) or self._presence(state) or self._lock(state) or self._move(state)

    def _wish(self, state: State) -> Action | None:
        """The next wish that is possible; a question that it is no answer to closes first."""
        if self._wishes and state.phase is Phase.OPENED:
            return Deal()
        if self._wishes and state.phase in QUESTIONS and not GAME.awaiting(state):
            return CloseQuestion()
        while self._wishes:
            wish = self._wishes[-1]
            possible = _is_possible(state, wish)
            if not possible and self._silence_passes and state.phase in QUESTIONS and not isinstance(wish, Lock):
                return CloseQuestion()
            self._wishes.pop()
            if possible:
                return wish
        return None

    def _happens(self, share: float) -> bool:
        return self._chance.random() < share

    def _presence(self, state: State) -> Action | None:
        """Somebody leaves or comes back."""
        often = LEAVING_ENDS_SHARE if state.ruleset.leaving_ends_deal else 1
        if self._happens(self._habits.leave * often):
            return Leave(self._chance.choice(state.seats))
        if state.away and self._happens(self._habits.come_back):
            return Return(self._chance.choice(sorted(state.away)))
        return None

    def _lock(self, state: State) -> Action | None:
        """A ready seat locks, whether it is asked something or not."""
        if not state.ruleset.locks or not self._happens(self._habits.lock):
            return None
        locks = [Lock(seat) for seat in state.seats if Lock(seat) in GAME.legal(state, seat)]
        return self._chance.choice(locks) if locks else None

    def _move(self, state: State) -> Action:
        if state.phase is Phase.OPENED:
            return Deal()
        if state.phase in (Phase.TURN, Phase.OFFER):
            return Timeout(state.turn) if self._happens(self._habits.timeout) else self._choice(state, state.turn)
        assert state.phase in QUESTIONS, state.phase
        asked = sorted(GAME.awaiting(state))
        if not asked or self._happens(self._habits.silence):
            return CloseQuestion()
        return self._choice(state, self._chance.choice(asked))

    def _choice(self, state: State, seat: Seat) -> PlayerAction:
        """What the seat does, from its own view alone."""
        view = GAME.view(state, seat)
        options = GAME.legal(view, seat)
        if self._style is Style.POLICY:
            return policy.choose(view, seat, options)
        return uniform.choose(options, self._chance.randrange)


def _is_possible(state: State, wish: Action) -> bool:
    """Whether the state accepts the action."""
    if isinstance(wish, CloseQuestion):
        return state.phase in QUESTIONS
    if isinstance(wish, Deal):
        return state.phase is Phase.OPENED
    if isinstance(wish, Timeout):
        return state.phase in (Phase.TURN, Phase.OFFER) and state.turn == wish.seat
    return isinstance(wish, Leave | Return) or wish in GAME.legal(state, wish.seat)
