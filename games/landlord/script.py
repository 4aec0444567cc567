"""A deal as text: arranged cards, then one action a line, to its payments.

Cases and golden playthroughs are written so. An action is "SEAT VERB", or
"SEAT play CARDS [as KIND]"; taking the bottom cards and the end happen by themselves.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from games.kernel import IllegalAction, Payment, Reason, Seat, pay
from games.landlord import actions as asked
from games.landlord.actions import Action
from games.landlord.cards import Card, NotationError, parse
from games.landlord.combinations import Kind
from games.landlord.decide import deal_order
from games.landlord.events import Event
from games.landlord.game import GAME
from games.landlord.ruleset import Ruleset
from games.landlord.scoring import CardsError
from games.landlord.state import State

VERBS: Mapping[str, Callable[[Seat], Action]] = {
    "call": asked.Call,
    "blind": asked.CallBlind,
    "double": asked.Double,
    "redouble": asked.Redouble,
    "pass": asked.Pass,
    "escape": asked.Leave,
}
PLAY = "play"
AS = "as"
SYSTEM_NAME = "system"
"""How the payee of a penalty is written."""
OTHER_GAMES = frozenset(
    ("discard", "chow", "pung", "kong", "add", "conceal", "win", "declare", "lock", "decline", "return")
)
"""Verbs of the cases that this family has not."""


class ScriptError(ValueError):
    """A line of a script is not an action; `index` is its place."""

    def __init__(self, index: int, line: str) -> None:
        super().__init__(f"action {index}: {line!r}")
        self.index = index


@dataclass(frozen=True, slots=True)
class Arranged:
    """A deal's cards as a script gives them; `dealer` bids first."""

    dealer: Seat
    hands: tuple[tuple[Card, ...], ...]
    bottom: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """What a script came to.

    Attributes:
        events: all events.
        state: where the deal stands.
        illegal: place of the action the rules refused; None if all were accepted.
        refusal: why.
    """

    events: tuple[Event, ...]
    state: State
    illegal: int | None = None
    refusal: IllegalAction | None = None

    def payments(self) -> tuple[Payment, ...]:
        """Everything asked, in the order it moves."""
        return () if self.state.result is None else self.state.result.payments

    def result(self, balances: Sequence[int]) -> dict[str, Any]:
        """The outcome in the form of the cases: moves, balances, next dealer, winners; or illegal."""
        if self.refusal is not None:
            return {"illegal": self.illegal, "reason": str(self.refusal)}
        paid = pay(balances, self.payments())
        ended = self.state.result
        return {
            "moves": [
                [
                    line.payment.payer,
                    SYSTEM_NAME if line.payment.payee is None else line.payment.payee,
                    line.payment.amount,
                    line.paid,
                    line.payment.cause,
                ]
                for line in paid.lines
            ],
            "balances": list(paid.balances),
            "next_dealer": None if ended is None else ended.next_dealer,
            "winners": [] if ended is None else list(ended.winners),
        }


def play(rules: Ruleset, arranged: Arranged, lines: Sequence[str]) -> Played:
    """Play a script to the deal's end, or to the action the rules refuse.

    Raises:
        CardsError: the cards cannot be dealt.
        ScriptError: a line is not an action.
    """
    state, events = dealt(rules, arranged)
    for index, line in enumerate(lines):
        try:
            made = GAME.decide(state, parse_action(index, line))
        except IllegalAction as refusal:
            return Played(tuple(events), state, index, refusal)
        for event in made:
            state = GAME.evolve(state, event)
        events += made
    return Played(tuple(events), state)


def dealt(rules: Ruleset, arranged: Arranged) -> tuple[State, list[Event]]:
    """A deal whose cards have just been dealt as arranged, and its events so far.

    Raises:
        CardsError: the cards cannot be dealt.
    """
    check_arranged(rules, arranged)
    state = GAME.initial(rules, arranged.dealer)
    events = [*GAME.open(state, arrange(rules, arranged))]
    state = GAME.evolve(state, events[0])
    events += GAME.decide(state, asked.Deal())
    return GAME.evolve(state, events[-1]), events


def arrange(rules: Ruleset, arranged: Arranged) -> tuple[Card, ...]:
    """A pack that deals these hands and leaves these bottom cards."""
    sources = [list(hand) for hand in arranged.hands]
    wall = tuple(sources[seat].pop(0) for seat in deal_order(rules, arranged.dealer))
    return (*wall, *arranged.bottom)


def check_arranged(rules: Ruleset, arranged: Arranged) -> None:
    """Raise CardsError if these cards cannot be dealt (TY-1)."""
    if arranged.dealer not in range(rules.seat_count):
        raise CardsError("dealer", "TY-10", f"seat {arranged.dealer}")
    if len(arranged.hands) != rules.seat_count:
        raise CardsError("hands", "TY-1", f"{len(arranged.hands)} hands")
    for seat, hand in enumerate(arranged.hands):
        if len(hand) != rules.hand_size:
            raise CardsError("hands", "TY-1", f"seat {seat} has {len(hand)} cards, not {rules.hand_size}")
    if len(arranged.bottom) != rules.bottom_count:
        raise CardsError("bottom", "TY-1", f"{len(arranged.bottom)} bottom cards, not {rules.bottom_count}")
    cards = [card for hand in (*arranged.hands, arranged.bottom) for card in hand]
    if len(set(cards)) < len(cards):
        raise CardsError("hands", "TY-1", "a card is there twice")


def parse_action(index: int, line: str) -> Action:
    """The action that a line asks for.

    Raises:
        ScriptError: none.
        IllegalAction: one of another game, or with cards that are not in the pack.
    """
    words = line.split()
    try:
        seat, verb = int(words[0]), words[1]
        if verb in OTHER_GAMES:
            raise IllegalAction(Reason.NOT_IN_THIS_GAME, field="action")
        if verb == PLAY:
            return _parse_play(seat, words[2:])
        (lone,) = words[1:]
        return VERBS[lone](seat)
    except (IndexError, KeyError, ValueError) as error:
        raise ScriptError(index, line) from error


def _parse_play(seat: Seat, words: list[str]) -> asked.Play:
    kind = None
    if AS in words:
        place = words.index(AS)
        (name,) = words[place + 1 :]
        kind, words = Kind(name), words[:place]
    if not words:
        raise ValueError("cards are missing")
    try:
        return asked.Play(seat, parse(" ".join(words)), kind)
    except NotationError as error:
        raise IllegalAction(Reason.CARD_UNKNOWN, "TY-1", "cards", error.detail) from None
