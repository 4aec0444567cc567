"""Deals to play: who sits where with what, and how they are played. Chance comes from one seeded source a deal."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from games.bots import landlord as policy
from games.bots import uniform
from games.catalog import variants_of
from games.kernel import IllegalAction, Seat
from games.landlord.actions import Action, Deal, Leave, Play, PlayerAction, Timeout
from games.landlord.cards import DECK, SUIT_COUNT, Card
from games.landlord.events import Event
from games.landlord.game import GAME
from games.landlord.ruleset import Ruleset
from games.landlord.state import Phase, State
from games.landlord.variant import LandlordVariant

ACTIONS_MAX = 200
"""More than any deal takes: 51 cards, each alone and each passed twice, and seven words."""


class Style(StrEnum):
    """Who moves."""

    POLICY = "policy"
    UNIFORM = "uniform"


@dataclass(frozen=True, slots=True)
class Habits:
    """How often seats do what is not a plain move; shares of 1.

    Attributes:
        timeout: turns that run out.
        leave: moments at which somebody escapes.
        unnamed: plays that do not name their kind where the rules leave no doubt.
    """

    timeout: float
    leave: float
    unnamed: float


HABITS = {
    Style.POLICY: Habits(timeout=0.01, leave=0.002, unnamed=0.5),
    Style.UNIFORM: Habits(timeout=0.05, leave=0.006, unnamed=0.5),
}
STACKED_SHARE = 0.25
"""Deals of a pack that is hardly mixed: whole fours stay together, so that bombs and planes are common."""


@dataclass(frozen=True, slots=True)
class Setup:
    """A deal before it is played.

    Attributes:
        name: what to call it in a report.
        wall: the pack in the order it is dealt.
        balances: one a seat.
        wishes: actions to play first, in order; those the rules refuse are passed over.
    """

    name: str
    style: Style
    ruleset: Ruleset
    dealer: Seat
    wall: tuple[Card, ...]
    balances: tuple[int, ...]
    wishes: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One action and what came of it; `action` is None for the opening."""

    before: State
    action: Action | None
    events: tuple[Event, ...]
    after: State


def random_setup(style: Style, name: str, chance: Random) -> Setup:
    """A deal with a shuffled pack under random options and balances."""
    ruleset = random_ruleset(chance)
    return Setup(
        name=name,
        style=style,
        ruleset=ruleset,
        dealer=chance.randrange(ruleset.seat_count),
        wall=_stacked(chance) if chance.random() < STACKED_SHARE else _mixed(chance),
        balances=random_balances(ruleset, chance),
    )


def random_ruleset(chance: Random) -> Ruleset:
    """One of the rooms, numbers instead, or neither; any base score."""
    variant = variants_of(LandlordVariant)["tingyong"]
    options: dict[str, object] = {"call_score": chance.choice((1, 1, 2, 3))}
    money = chance.randrange(3)
    if money == 0:
        options["room"] = chance.choice(variant.options["room"])
    if money == 1:
        options |= {"coins_per_score": chance.randint(1, 50), "landlord_cap": chance.randint(1, 900)}
        options |= {"escape_cap": chance.randint(1, 900)}
    return variant.ruleset(options, 1)


def _mixed(chance: Random) -> tuple[Card, ...]:
    wall = list(DECK)
    chance.shuffle(wall)
    return tuple(wall)


def _stacked(chance: Random) -> tuple[Card, ...]:
    """Fours that lie together go to one hand each; the odd ones fill up."""
    suited = [list(DECK[start : start + SUIT_COUNT]) for start in range(1, 49, SUIT_COUNT)]
    chance.shuffle(suited)
    if chance.random() < 0.5:
        suited[:9] = sorted(suited[:9], reverse=chance.random() < 0.5)
    hands: list[list[Card]] = [[card for four in suited[place::3] for card in four] for place in range(3)]
    odd = [0, 49, 50]
    chance.shuffle(odd)
    if chance.random() < 0.5:
        taken, given = chance.sample(range(3), 2)
        hands[given][-1], hands[taken][0] = hands[taken][0], hands[given][-1]
    owner = chance.randrange(3)
    if chance.random() < 0.7:
        hands[owner][-3:], odd = odd, hands[owner][-3:]
    return (*(hands[index % 3][index // 3] for index in range(48)), *odd)


def random_balances(ruleset: Ruleset, chance: Random) -> tuple[int, ...]:
    """One time in three somebody is short or has nothing."""
    unit = ruleset.coins_per_score
    if chance.random() < 2 / 3:
        return (100_000 * unit,) * ruleset.seat_count
    return tuple(chance.choice((0, 1, unit, 2 * unit + 1, 7 * unit, 1_000 * unit)) for _ in range(ruleset.seat_count))


def play(setup: Setup, chance: Random) -> Iterator[Step]:
    """Play a deal to its end, one step an action."""
    before = GAME.initial(setup.ruleset, setup.dealer)
    events = GAME.open(before, setup.wall)
    state = _folded(before, events)
    yield Step(before, None, events, state)
    wishes = list(setup.wishes)
    for _ in range(ACTIONS_MAX):
        if state.phase is Phase.OVER:
            return
        action = _wish(state, wishes) or _next(setup, state, chance)
        before, events = state, GAME.decide(state, action)
        state = _folded(before, events)
        yield Step(before, action, events, state)
    raise AssertionError(f"deal {setup.name} does not end")


def _folded(state: State, events: tuple[Event, ...]) -> State:
    for event in events:
        state = GAME.evolve(state, event)
    return state


def _wish(state: State, wishes: list[Action]) -> Action | None:
    """The next wish that the rules grant; None when all are gone."""
    while wishes:
        wish = wishes.pop(0)
        if _decided(state, wish) is not None:
            return wish
    return None


def _next(setup: Setup, state: State, chance: Random) -> Action:
    habits = HABITS[setup.style]
    if chance.random() < habits.leave:
        return Leave(chance.choice(state.seats))
    if state.phase is Phase.OPENED:
        return Deal()
    if chance.random() < habits.timeout:
        return Timeout(state.turn)
    return _unnamed(state, _move(setup.style, state, chance), habits.unnamed, chance)


def _move(style: Style, state: State, chance: Random) -> PlayerAction:
    """What the seat does whose turn it is, from its own view alone."""
    seat = state.turn
    view = GAME.view(state, seat)
    options = GAME.legal(view, seat)
    if style is Style.POLICY:
        return policy.choose(view, seat, options)
    return uniform.choose(options, chance.randrange)


def _unnamed(state: State, move: PlayerAction, share: float, chance: Random) -> PlayerAction:
    """The same play without its kind now and then, where that means the same (TY-24)."""
    if not isinstance(move, Play) or chance.random() >= share:
        return move
    bare = Play(move.seat, tuple(chance.sample(move.cards, len(move.cards))))
    events = _decided(state, bare)
    return bare if events is not None and events == _decided(state, move) else move


def _decided(state: State, move: Action) -> tuple[Event, ...] | None:

    try:
        return GAME.decide(state, move)
    except IllegalAction:
        return None
