"""How each event changes a deal. Asserts what must hold: a log that does not fit is our fault.

The same functions fold a full log into the state and a redacted one into a seat's view:
cards that lie face down stay so.
"""

from collections.abc import Callable
from typing import Any

from games.kernel import changed
from games.landlord import events as happened
from games.landlord.cards import HIDDEN, Card
from games.landlord.events import EndCause, Event
from games.landlord.state import Phase, Speech, State, TablePlay, Word

DOUBLING_FACTOR = 2
"""What a blind call, a double, a redouble and every bomb or rocket multiply by (TY-30)."""


def evolve(state: State, event: Event) -> State:
    """The state after one event."""
    return _EVOLVERS[type(event)](state, event)


def _opened(state: State, event: happened.Opened) -> State:
    assert state.phase is Phase.CLOSED, event
    assert len(event.wall) == event.ruleset.card_count, event
    return changed(
        state,
        ruleset=event.ruleset,
        dealer=event.dealer,
        turn=event.dealer,
        phase=Phase.OPENED,
        wall=event.wall,
    )


def _dealt(state: State, event: happened.Dealt) -> State:
    assert state.phase is Phase.OPENED, event
    assert sum(map(len, event.hands)) + len(event.bottom) == len(state.wall), event
    return changed(state, phase=Phase.BIDDING, hands=event.hands, bottom=event.bottom, wall=())


def _called(state: State, event: happened.Called) -> State:
    assert state.phase is Phase.BIDDING and state.turn == event.seat, event
    said = changed(
        state,
        phase=Phase.DOUBLING,
        landlord=event.seat,
        blind=event.blind,
        bottom=state.bottom if HIDDEN in event.bottom else event.bottom,
        turn=state.after(event.seat),
    )
    return _multiplied(_spoken(said, event, Word.BLIND)) if event.blind else _spoken(said, event, Word.CALL)


def _doubled(state: State, event: happened.Doubled) -> State:
    assert state.phase is Phase.DOUBLING and state.turn == event.seat, event
    return _doubling_goes_on(_multiplied(_spoken(state, event, Word.DOUBLE)))


def _redoubled(state: State, event: happened.Redoubled) -> State:
    assert state.phase is Phase.REDOUBLING and state.turn == event.seat, event
    return changed(_multiplied(_spoken(state, event, Word.REDOUBLE)), phase=Phase.TAKING)


def _passed(state: State, event: happened.Passed) -> State:
    assert state.turn == event.seat, event
    return _PASSED[state.phase](state, event)


def _passed_call(state: State, event: happened.Passed) -> State:
    said = _spoken(changed(state, turn=state.after(event.seat)), event, Word.PASS)
    all_passed = len(said.speeches) == state.ruleset.seat_count
    return changed(said, phase=Phase.SETTLING) if all_passed else said


def _passed_double(state: State, event: happened.Passed) -> State:
    return _doubling_goes_on(_spoken(state, event, Word.PASS))


def _passed_redouble(state: State, event: happened.Passed) -> State:
    return changed(_spoken(state, event, Word.PASS), phase=Phase.TAKING)


def _passed_play(state: State, event: happened.Passed) -> State:
    assert state.last is not None, event
    return changed(state, plays=(*state.plays, TablePlay(event.seat)), turn=state.after(event.seat))


_PASSED: dict[Phase, Callable[[State, happened.Passed], State]] = {
    Phase.BIDDING: _passed_call,
    Phase.DOUBLING: _passed_double,
    Phase.REDOUBLING: _passed_redouble,
    Phase.PLAYING: _passed_play,
}


def _doubling_goes_on(state: State) -> State:
    """The next to speak: the other opponent, then the landlord if anybody doubled, then nobody (TY-14)."""
    assert state.landlord is not None
    turn = state.after(state.turn)
    if turn != state.landlord:
        return changed(state, turn=turn)
    return changed(state, turn=turn, phase=Phase.REDOUBLING if state.doubled() else Phase.TAKING)


def _spoken(state: State, event: Any, word: Word) -> State:
    return changed(state, speeches=(*state.speeches, Speech(event.seat, word)))


def _multiplied(state: State) -> State:
    return changed(state, multiplier=state.multiplier * DOUBLING_FACTOR)


def _bottom_taken(state: State, event: happened.BottomTaken) -> State:
    assert state.phase is Phase.TAKING and event.seat == state.landlord, event
    hand = state.hands[event.seat]
    taken = (HIDDEN,) * (len(hand) + len(event.cards)) if HIDDEN in hand else tuple(sorted((*hand, *event.cards)))
    return changed(_with_hand(state, event.seat, taken), phase=Phase.PLAYING, bottom=event.cards, turn=event.seat)


def _played(state: State, event: happened.Played) -> State:
    assert state.phase is Phase.PLAYING and state.turn == event.seat, event
    assert state.last is None or (state.last.reading is not None and event.reading.beats(state.last.reading)), event
    left = _without(state.hands[event.seat], event.cards)
    after = changed(
        _with_hand(state, event.seat, left),
        plays=(*state.plays, TablePlay(event.seat, event.cards, event.reading)),
        turn=state.after(event.seat),
        phase=Phase.PLAYING if left else Phase.SETTLING,
    )
    return _multiplied(after) if event.reading.power else after


def _without(hand: tuple[Card, ...], cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """A hand less the cards played; one that lies face down only grows shorter."""
    if HIDDEN in hand:
        assert len(cards) <= len(hand), cards
        return hand[len(cards) :]
    left = tuple(card for card in hand if card not in cards)
    assert len(left) == len(hand) - len(cards), cards
    return left


def _with_hand(state: State, seat: int, hand: tuple[Card, ...]) -> State:
    return changed(state, hands=(*state.hands[:seat], hand, *state.hands[seat + 1 :]))


def _ended(state: State, event: happened.Ended) -> State:
    resting = state.phase not in (Phase.CLOSED, Phase.OVER)
    assert resting if event.cause is EndCause.ESCAPED else state.phase is Phase.SETTLING, event
    return changed(state, phase=Phase.OVER, hands=event.hands, bottom=event.bottom, result=event)


_EVOLVERS: dict[type, Callable[[State, Any], State]] = {
    happened.Opened: _opened,
    happened.Dealt: _dealt,
    happened.Called: _called,
    happened.Doubled: _doubled,
    happened.Redoubled: _redoubled,
    happened.Passed: _passed,
    happened.BottomTaken: _bottom_taken,
    happened.Played: _played,
    happened.Ended: _ended,
}
