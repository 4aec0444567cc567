"""Deals to ask the rules about: arranged hands, and shuffled ones from a seed."""

from collections.abc import Iterable, Mapping, Sequence
from random import Random

from games.catalog import variants_of
from games.kernel import Seat
from games.landlord import actions as asked
from games.landlord.actions import Action
from games.landlord.cards import DECK, Card, parse
from games.landlord.events import Event
from games.landlord.game import GAME
from games.landlord.ruleset import Ruleset
from games.landlord.script import Arranged, dealt, parse_action
from games.landlord.state import Phase, State
from games.landlord.variant import LandlordVariant

VARIANT = "tingyong"

LOW = "S4 H4 S5 H5 S6 H6 S7 H7 S8 H8 S9 H9 ST HT SJ HJ"
"""Nothing high: its owner may pass the bidding."""
MIDDLE = "D5 D6 D7 D8 D9 DT DJ DQ SK HK SA HA S2 H2 D2 BJ"
"""Three 2s and a joker: neither obliges."""
HIGH = "C4 C5 C6 C7 C8 C9 CT CJ CQ DK CK DA CA C2 RJ *"
BOTTOM = "SQ HQ D4"


def rules_of(options: Mapping[str, object], stake: int = 1) -> Ruleset:
    """The rules of 听用斗地主 under these options."""
    return variants_of(LandlordVariant)[VARIANT].ruleset(options, stake)


def after(
    actions: Iterable[str | Action],
    *,
    hands: Sequence[str] = (LOW, MIDDLE, HIGH),
    bottom: str = BOTTOM,
    dealer: Seat = 0,
    options: Mapping[str, object] | None = None,
) -> State:
    """A deal after these actions, as a script writes them or as values.

    Raises:
        IllegalAction: the rules refuse one.
    """
    return run(actions, hands=hands, bottom=bottom, dealer=dealer, options=options)[0]


def run(
    actions: Iterable[str | Action],
    *,
    hands: Sequence[str] = (LOW, MIDDLE, HIGH),
    bottom: str = BOTTOM,
    dealer: Seat = 0,
    options: Mapping[str, object] | None = None,
) -> tuple[State, list[Event]]:
    """The same, and its events."""
    arranged = Arranged(dealer, tuple(parse(hand) for hand in hands), parse(bottom))
    state, events = dealt(rules_of(options or {}), arranged)
    for index, action in enumerate(actions):
        state, made = act(state, parse_action(index, action) if isinstance(action, str) else action)
        events += made
    return state, events


def act(state: State, action: Action) -> tuple[State, tuple[Event, ...]]:
    """The state after an action, and its events."""
    events = GAME.decide(state, action)
    for event in events:
        state = GAME.evolve(state, event)
    return state, events


def shuffled(rules: Ruleset, dealer: Seat, chance: Random) -> State:
    """A deal whose cards have just been dealt."""
    wall: list[Card] = list(DECK)
    chance.shuffle(wall)
    state = GAME.initial(rules, dealer)
    for event in GAME.open(state, tuple(wall)):
        state = GAME.evolve(state, event)
    return act(state, asked.Deal())[0]


def called(rules: Ruleset, landlord: Seat, chance: Random) -> State:
    """A shuffled deal at its first lead: this seat called at once and nobody doubled."""
    state = act(shuffled(rules, landlord, chance), asked.Call(landlord))[0]
    for seat in state.others(landlord):
        state = act(state, asked.Pass(seat))[0]
    assert state.phase is Phase.PLAYING
    return state
