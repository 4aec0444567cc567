"""What is tried beside what is legal: `decide` accepts what `legal` lists, and refuses the rest for a reason."""

from collections import Counter
from collections.abc import Iterator
from random import Random

from games.kernel import IllegalAction
from games.landlord import actions as asked
from games.landlord.actions import Action, PlayerAction
from games.landlord.cards import DECK, HIDDEN, chosen, counts_of
from games.landlord.checks import refused
from games.landlord.combinations import Kind
from games.landlord.events import Event, Played
from games.landlord.game import GAME
from games.landlord.state import State
from tests.sim.landlord.books import Books
from tests.sim.landlord.laws import hold
from tests.sim.landlord.shuffling import shuffled

WORDS = (asked.Call, asked.CallBlind, asked.Double, asked.Redouble, asked.Pass)
LEGAL_MAX = 40
"""So many of the legal moves of a moment are tried at most."""
RANDOM_PLAYS = 6
REFUSED_OF_THE_TABLE: tuple[Action, ...] = (asked.Deal(), asked.Timeout(3), asked.Leave(-1))
"""Actions of the table that only make sense at some moment, or never."""

Refusals = Counter[tuple[str, str]]


def probe(state: State, books: Books, chance: Random) -> Refusals:
    """Try what is legal and what is not; how often each reason and rule was given.

    Args:
        books: kept up to this state; they know what is allowed.

    Raises:
        Broken: `decide`, `legal` and the books differ, or a refusal tells what its player cannot see.
    """
    others = {seat: shuffled(state, seat, chance) for seat in state.seats}
    refusals: Refusals = Counter()
    legal = {seat: GAME.legal(state, seat) for seat in state.seats}
    for options in legal.values():
        for option in options if len(options) <= LEGAL_MAX else chance.sample(options, LEGAL_MAX):
            hold(_decided(state, option, refusals) is not None, "what is legal is accepted", option)
    for action in (*_words(state), *_plays(state, chance), *REFUSED_OF_THE_TABLE):
        events = _decided(state, action, refusals)
        if isinstance(action, PlayerAction):
            listed = legal.get(action.seat, ())
            hold(events is None or _canonical(state, action, events) in listed, "what is accepted is legal", action)
            hold(events is not None or action not in listed, "what is refused is not legal", action)
            hold((events is not None) == books.permits(action), "the books allow what is accepted", action)
            if action.seat in others:
                told = [_told(seen, action) for seen in (state, others[action.seat])]
                hold(told[0] == told[1], "a refusal tells nothing of what is hidden", (action, told))
    return refusals


def _words(state: State) -> Iterator[PlayerAction]:
    for seat in (*state.seats, 7):
        for word in WORDS:
            yield word(seat)


def _plays(state: State, chance: Random) -> Iterator[PlayerAction]:
    """Legal plays without their kind, spoilt ones, cards of others and cards there are not."""
    seat = state.turn
    hand = [card for card in state.hands[seat] if card != HIDDEN]
    for option in GAME.legal(state, seat)[:LEGAL_MAX:7]:
        if isinstance(option, asked.Play):
            yield asked.Play(seat, option.cards)
            yield asked.Play(seat, option.cards, chance.choice(list(Kind)))
    for _ in range(RANDOM_PLAYS):
        number = chance.randint(0, min(6, len(hand)))
        yield asked.Play(seat, tuple(chance.sample(hand, number)), chance.choice((None, *Kind)))
    yield from _groups(state, chance)
    yield asked.Play(seat, (chance.choice(DECK),))
    yield asked.Play((seat + 1) % 3, state.hands[(seat + 1) % 3][:1])
    yield asked.Play(seat, (chance.choice((51, 1 << 31, HIDDEN)),))
    if hand:
        yield asked.Play(seat, (hand[0], hand[0]))


def _groups(state: State, chance: Random) -> Iterator[PlayerAction]:
    """Fours and threes with the wild card: what TY-24 is about."""
    seat, hand = state.turn, state.hands[state.turn]
    for size in (3, 4, 5):
        start = chance.randint(0, max(0, len(hand) - size))
        yield asked.Play(seat, hand[start : start + size])
        yield asked.Play(seat, tuple({*hand[:1], *hand[start + 1 : start + size]}))


def _decided(state: State, action: Action, refusals: Refusals) -> tuple[Event, ...] | None:
    try:
        return GAME.decide(state, action)
    except IllegalAction as refusal:
        refusals[refusal.reason.value, refusal.rule] += 1
        return None


def _told(state: State, action: PlayerAction) -> tuple[str, str] | None:
    """What the player is told when he is refused."""
    refusal = refused(state, action)
    return None if refusal is None else (str(refusal), refusal.field)


def _canonical(state: State, action: PlayerAction, events: tuple[Event, ...]) -> PlayerAction:
    """The move as `legal` lists it: the first cards of the hand, with the kind they were played as."""
    if not isinstance(action, asked.Play):
        return action
    (played,) = [event for event in events if isinstance(event, Played)]
    cards = chosen(state.hands[action.seat], counts_of(action.cards))
    return asked.Play(action.seat, cards, played.reading.kind)
