"""A deal as text: arranged tiles, then one action a line, to its payments.

Cases and golden playthroughs are written so. An action is "SEAT VERB [TILE]"; draws, wins
the rules force and the moves of locked and absent seats happen by themselves. Answers to one
tile are written one after another in any order; who is asked and not heard before the next
action that is no claim passes.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from games.kernel import IllegalAction, Payment, Reason, Seat, pay
from games.mahjong import actions as asked
from games.mahjong.actions import Action, Choice
from games.mahjong.claims import claims_open, forced_to_win
from games.mahjong.events import Ended, Event, Won
from games.mahjong.game import GAME
from games.mahjong.hand import HandError
from games.mahjong.melds import MeldKind
from games.mahjong.ruleset import Ruleset
from games.mahjong.state import QUESTIONS, Phase, State
from games.mahjong.tiles import NotationError, Tile, parse, show
from games.mahjong.waits import COPIES
from games.mahjong.wall import arrange

Maker = Callable[..., Action]

VERBS: Mapping[str, Maker] = {
    "discard": lambda seat, tile: asked.Discard(seat, tile),
    "chow": lambda seat, first, second: asked.Chow(seat, (first, second)),
    "pung": lambda seat: asked.Pung(seat),
    "kong": lambda seat: asked.Kong(seat, None, MeldKind.EXPOSED_KONG),
    "add": lambda seat, tile: asked.Kong(seat, tile, MeldKind.ADDED_KONG),
    "conceal": lambda seat, tile: asked.Kong(seat, tile, MeldKind.CONCEALED_KONG),
    "win": lambda seat: asked.Win(seat),
    "pass": lambda seat: asked.Pass(seat),
    "lock": lambda seat: asked.Lock(seat),
    "declare": lambda seat: asked.Declare(seat),
    "decline": lambda seat: asked.Decline(seat),
    "escape": lambda seat: asked.Leave(seat),
    "return": lambda seat: asked.Return(seat),
}
"""Verbs and what they ask for, from the seat and the tiles named."""
OTHER_GAMES = frozenset(("call", "blind", "double", "redouble", "play"))
"""Verbs of the cases that no game built on these rules knows."""
CLAIMS = (asked.Chow, asked.Pung, asked.Win, asked.Pass)
OPEN_CLAIMS = (asked.Lock, asked.Leave, asked.Return)
"""Actions that leave an open question open."""


class ScriptError(ValueError):
    """A line of a script is not an action; `index` is its place."""

    def __init__(self, index: int, line: str) -> None:
        super().__init__(f"action {index}: {line!r}")
        self.index = index


@dataclass(frozen=True, slots=True)
class Arranged:
    """A deal's tiles as a script gives them.

    Attributes:
        dealer: who deals.
        hands: one a seat, the dealer's with one tile more.
        draws: in the order they are drawn; the wall is empty when they are used up.
        replacements: for kongs and flowers, first to be taken first.
        draws_in_row: exhaustive draws just before (SH-33).
    """

    dealer: Seat
    hands: tuple[tuple[Tile, ...], ...]
    draws: tuple[Tile, ...]
    replacements: tuple[Tile, ...] = ()
    draws_in_row: int = 0


@dataclass(frozen=True, slots=True)
class Played:
    """What a script came to.

    Attributes:
        events: all events, private ones included.
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
        return tuple(payment for event in self.events if isinstance(event, Won | Ended) for payment in event.payments)

    def result(self, balances: Sequence[int]) -> dict[str, Any]:
        """The outcome in the form of the cases: moves, balances, next dealer, winners; or illegal."""
        if self.refusal is not None:
            return {"illegal": self.illegal, "reason": str(self.refusal)}
        paid = pay(balances, self.payments())
        ended = self.state.result
        return {
            "moves": [
                [line.payment.payer, _payee_name(line.payment), line.payment.amount, line.paid, line.payment.cause]
                for line in paid.lines
            ],
            "balances": list(paid.balances),
            "next_dealer": None if ended is None else ended.next_dealer,
            "winners": [winner.seat for winner in self.state.winners()],
        }


def _payee_name(payment: Payment) -> Seat | str:
    return "system" if payment.payee is None else payment.payee


def play(rules: Ruleset, arranged: Arranged, lines: Sequence[str]) -> Played:
    """Play a script to the deal's end, or to the action the rules refuse.

    Raises:
        HandError: the tiles cannot be dealt.
        ScriptError: a line is not an action.
    """
    check_arranged(rules, arranged)
    run = _Run(rules, arranged)
    for index, line in enumerate(lines):
        try:
            run.act(_parse_action(index, line))
        except IllegalAction as refusal:
            return Played(tuple(run.events), run.state, index, refusal)
    run.finish()
    return Played(tuple(run.events), run.state)


def check_arranged(rules: Ruleset, arranged: Arranged) -> None:
    """Raise HandError if these tiles cannot be dealt."""
    if arranged.dealer not in range(rules.seat_count):
        raise HandError("dealer", rules.hand_clause("size"), f"seat {arranged.dealer}")
    if len(arranged.hands) != rules.seat_count:
        raise HandError("hands", rules.hand_clause("size"), f"{len(arranged.hands)} hands")
    for seat, hand in enumerate(arranged.hands):
        wanted = rules.hand_size + (seat == arranged.dealer)
        if len(hand) != wanted:
            raise HandError("hands", rules.hand_clause("size"), f"seat {seat} has {len(hand)} tiles, not {wanted}")
    copies = Counter(tile for tiles in (*arranged.hands, arranged.draws, arranged.replacements) for tile in tiles)
    for tile, held in copies.items():
        if tile not in rules.kinds and tile not in rules.flowers:
            raise HandError("hands", rules.hand_clause("tiles"), f"{show([tile])} is not in this game")
        if held > (COPIES if tile in rules.kinds else 1):
            raise HandError("hands", rules.hand_clause("tiles"), f"{held} of {show([tile])}")


class _Run:
    """A deal under way: state, events so far, and the rule that silence passes."""

    def __init__(self, rules: Ruleset, arranged: Arranged) -> None:
        self.state = GAME.initial(rules, arranged.dealer, draws_in_row=arranged.draws_in_row)
        self.events: list[Event] = []
        dice = (1,) * GAME.dice_count(rules)
        wall = arrange(rules, arranged.dealer, arranged.hands, arranged.draws, dice, arranged.replacements)
        # What the script gives is the wall: it is empty when the draws are used up.
        self._happen(GAME.open(self.state, wall, dice, tail_count=len(arranged.replacements), undrawn_count=0))
        self._happen(GAME.decide(self.state, asked.Deal()))

    def act(self, action: Action) -> None:
        while not self._leaves_question_open(action):
            self._close_question()
        self._happen(GAME.decide(self.state, action))
        while self.state.phase in QUESTIONS and not GAME.awaiting(self.state):
            self._close_question()

    def finish(self) -> None:
        """The script is over: silence passes."""
        while self.state.phase in QUESTIONS:
            self._close_question()

    def _close_question(self) -> None:
        self._happen(GAME.decide(self.state, asked.CloseQuestion()))

    def _leaves_question_open(self, action: Action) -> bool:
        """Whether the action speaks to the tile in question, or to none."""
        state = self.state
        if state.phase not in QUESTIONS or isinstance(action, OPEN_CLAIMS):
            return True
        if state.phase is Phase.DECLARING:
            return isinstance(action, asked.Declare) and self._is_heard(action.seat)
        if isinstance(action, asked.Kong):
            return action.kind is MeldKind.EXPOSED_KONG and self._is_heard(action.seat)
        if isinstance(action, asked.Win):
            return self._is_heard(action.seat) and self._may_speak_of_a_win(action.seat)
        return isinstance(action, CLAIMS) and self._is_heard(action.seat)

    def _may_speak_of_a_win(self, seat: Seat) -> bool:
        """Whether a win of an asked seat is its claim; one of a seat asked about a meld alone is of a later tile."""
        asked_for = claims_open(self.state, seat)
        return not asked_for or Choice.WIN in asked_for

    def _is_heard(self, seat: Seat) -> bool:
        """Whether a claim of this seat is one on the tile in question: asked, answered or forced."""
        question = self.state.question
        assert question is not None
        if seat not in self.state.seats:
            return False
        return (
            question.answers[seat] is not None or bool(claims_open(self.state, seat)) or forced_to_win(self.state, seat)
        )

    def _happen(self, events: Sequence[Event]) -> None:
        for event in events:
            self.state = GAME.evolve(self.state, event)
        self.events += events


def _parse_action(index: int, line: str) -> Action:
    words = line.split()
    try:
        seat, verb = int(words[0]), words[1]
        if verb in OTHER_GAMES:
            raise IllegalAction(Reason.NOT_IN_THIS_GAME, field="action")
        return VERBS[verb](seat, *parse("".join(words[2:])))
    except (IndexError, KeyError, TypeError, ValueError, NotationError) as error:
        raise ScriptError(index, line) from error
