"""Is a record what the rules say? A log is played again, action by action, and compared.

A public log holds no actions and no private answers. Both are implied by what happened: each
event names the action that causes it, and the event that closes a shared question names the
answers that led there. Only events that `decide` makes itself are ever folded, so that no
record, however wrong, can do more than differ.
"""

from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from games.kernel import IllegalAction, Reason, RecordError, Seat
from games.mahjong import actions as asked
from games.mahjong import events as happened
from games.mahjong.actions import CHOW_OFFSETS, Action, Choice
from games.mahjong.claims import forced_to_win, question_score
from games.mahjong.events import EndCause, Event
from games.mahjong.game import GAME
from games.mahjong.hand import WinBy
from games.mahjong.melds import MeldKind
from games.mahjong.ruleset import Ruleset
from games.mahjong.state import QUESTIONS, Phase, State
from games.mahjong.tiles import Tile
from games.mahjong.waits import COPIES
from games.mahjong.wall import DIE, dice_counts

MAX_EVENTS = 2_000
"""Longest record that is looked at: far more than any deal has, comings and goings included."""

BESIDE = (happened.Locked, happened.WentAway, happened.CameBack)
"""Public events that may stand between a question and the event that closes it."""


def replay(events: Sequence[Event]) -> State:
    """Play a deal's public record again, from its opening to its end.

    Args:
        events: from Opened to Ended as the log has them: wall and hands face up, private
            answers left out. The wall may be an arranged, shorter one.

    Returns: the state after the deal.

    Raises:
        RecordError: an event is not what the rules make of those before it.
    """
    steps = replaying(events)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            state: State = end.value
            return state


def replaying(events: Sequence[Event]) -> Generator[None, None, State]:
    """`replay` step by step: yields after each action, so that a long record can be looked at in between."""
    if len(events) > MAX_EVENTS:
        raise RecordError(MAX_EVENTS, f"a record has at most {MAX_EVENTS} events")
    run = _Replay(events)
    run.open()
    while run.state.phase is not Phase.OVER:
        yield
        run.step()
    if run.index < len(events):
        raise RecordError(run.index, "the deal is over", run.state.ruleset.clause(Reason.DEAL_OVER))
    return run.state


_ACTION_OF: Mapping[Choice, Callable[[Seat], Action]] = {
    Choice.WIN: asked.Win,
    Choice.KONG: asked.Kong,
    Choice.PUNG: asked.Pung,
    Choice.DECLARE: asked.Declare,
    Choice.PASS: asked.Pass,
}


class _Replay:
    """A deal played again: the state so far and the place of the next event to match."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = events
        self._answers: dict[Seat, Choice] | None = None
        self.index = 0
        self.state: State

    def open(self) -> None:
        opened = self._events[0] if self._events else None
        if not isinstance(opened, happened.Opened):
            raise RecordError(0, "a record begins with its opening")
        problem = _opening_problem(opened)
        if problem:
            raise RecordError(0, problem, opened.ruleset.hand_clause("opening"))
        self.state = GAME.initial(
            opened.ruleset, opened.dealer, deal_index=opened.deal_index, draws_in_row=opened.draws_in_row
        )
        self._match(
            GAME.open(
                self.state,
                opened.wall,
                (*opened.dice, *opened.kong_dice),
                tail_count=opened.tail_count,
                undrawn_count=opened.undrawn_count,
            )
        )

    def step(self) -> None:
        """Match the next event, and all that follow from the same action."""
        if self.index == len(self._events):
            raise RecordError(self.index, "the record ends before the deal")
        event = self._events[self.index]
        if isinstance(event, happened.Ended) and event.cause is EndCause.ESCAPED:
            self._act(asked.Leave(event.payments[0].payer if event.payments else self.state.dealer))
            return
        if self.state.phase in QUESTIONS and not isinstance(event, BESIDE):
            self._give_answers()
            self._refuse_missing_answers()
            self._answers = None
            self._act(asked.CloseQuestion())
            return
        if self.state.phase in QUESTIONS:
            self._give_answers()
        self._act(_implied_action(self.state, self.index, event))

    def _act(self, action: Action) -> None:
        self._match(self._decide(action))

    def _decide(self, action: Action) -> tuple[Event, ...]:
        try:
            return GAME.decide(self.state, action)
        except IllegalAction as refusal:
            raise RecordError(self.index, f"the rules refuse it: {refusal.reason}", refusal.rule) from None

    def _match(self, made: Sequence[Event]) -> None:
        if not made:
            raise RecordError(self.index, "nothing happens here")
        for event in made:
            if self.index == len(self._events):
                raise RecordError(self.index, "the record ends before the deal")
            given = self._events[self.index]
            if given != event:
                raise RecordError(self.index, _difference(given, event))
            self.state = GAME.evolve(self.state, event)
            self.index += 1

    # --- answers to a shared question, which no public log holds ---

    def _give_answers(self) -> None:
        """Answer for every seat that now can; a seat that is away may do so when it is back."""
        if self._answers is None:
            self._answers = self._implied_answers()
        for seat, choice in list(self._answers.items()):
            try:
                answered = GAME.decide(self.state, self._answer(seat, choice))
            except IllegalAction:
                continue
            del self._answers[seat]
            for event in answered:
                self.state = GAME.evolve(self.state, event)

    def _refuse_missing_answers(self) -> None:
        """Name the first claim of the closing event that the rules refuse, if one is left."""
        assert self._answers is not None
        for seat, choice in self._answers.items():
            made_by_itself = choice is Choice.PASS or (seat in self.state.seats and forced_to_win(self.state, seat))
            if not made_by_itself:
                self._decide(self._answer(seat, choice))

    def _answer(self, seat: Seat, choice: Choice) -> Action:
        question = self.state.question
        if choice in CHOW_OFFSETS and question is not None and question.tile is not None:
            first, second = CHOW_OFFSETS[choice]
            return asked.Chow(seat, (question.tile + first, question.tile + second))
        return _ACTION_OF[choice](seat)

    def _implied_answers(self) -> dict[Seat, Choice]:
        """What was answered, read from the event that closes the question.

        A lock wins the tile in question by itself (BB-17), unless its player had passed that
        win before: then the record shows the lock, and no win of his.
        """
        closing, locking = self._closing()
        claims = {seat: choice for event in closing for seat, choice in _claims_of(event).items()}
        answers = {seat: choice for seat, choice in claims.items() if seat not in locking}
        for seat in locking:
            could_win = seat in self.state.seats and question_score(self.state, seat) is not None
            if could_win and claims.get(seat) is not Choice.WIN:
                answers[seat] = Choice.PASS
        return answers

    def _closing(self) -> tuple[tuple[Event, ...], frozenset[Seat]]:
        """The event that closes the open question, with a meld that shares its tile, and who locks before it."""
        locking: set[Seat] = set()
        for place, event in enumerate(self._events[self.index :], self.index):
            if not isinstance(event, BESIDE):
                following = self._events[place + 1 : place + 2]
                shared = tuple(meld for meld in following if _is_shared_meld(meld))
                return (event, *shared), frozenset(locking)
            if isinstance(event, happened.Locked):
                locking.add(event.seat)
        return (), frozenset(locking)


def _is_shared_meld(event: Event) -> bool:
    return isinstance(event, happened.Melded | happened.Konged) and event.shared


def _opening_problem(opened: happened.Opened) -> str:
    """What is wrong with an opening, so that it cannot be dealt from; empty if nothing."""
    rules = opened.ruleset
    if opened.dealer not in range(rules.seat_count):
        return "there is no such dealer"
    opening, for_kongs = dice_counts(rules)
    thrown = (*opened.dice, *opened.kong_dice)
    if (len(opened.dice), len(opened.kong_dice)) != (opening, for_kongs) or not all(die in DIE for die in thrown):
        return f"{opening} dice, and {for_kongs} for kongs, each 1 to 6"
    if not rules.hand_size * rules.seat_count < len(opened.wall) <= rules.tile_count:
        return "the wall is missing, too short to deal from, or too long"
    aside = (opened.tail_count, opened.undrawn_count)
    if min(aside) < 0 or sum(aside) > len(opened.wall) - rules.hand_size * rules.seat_count - 1:
        return "more tiles are left in the wall than lie in it after the deal"
    if opened.undrawn_count not in (0, len(opened.wall) - rules.live_tiles):
        return "the tiles that stay undrawn are another number"
    copies = Counter(opened.wall)
    if any(held > _copies_of(rules, tile) for tile, held in copies.items()):
        return "the wall holds tiles that this game has not"
    return ""


def _copies_of(rules: Ruleset, tile: Tile) -> int:
    """How many of a tile the game has."""
    if tile in rules.flowers:
        return 1
    return COPIES if tile in rules.kinds else 0


def _claims_of(closing: Event) -> dict[Seat, Choice]:
    """Claims that make a question close with this event."""
    if isinstance(closing, happened.Won) and closing.by is not WinBy.SELF:
        return {winner.seat: Choice.WIN for winner in closing.winners}
    if isinstance(closing, happened.Declared):
        return dict.fromkeys(closing.seats, Choice.DECLARE)
    if isinstance(closing, happened.Melded):
        return {closing.seat: _meld_choice(closing)}
    if isinstance(closing, happened.Konged) and closing.kind is MeldKind.EXPOSED_KONG:
        return {closing.seat: Choice.KONG}
    return {}


def _meld_choice(event: happened.Melded) -> Choice:
    if event.lowest is None:
        return Choice.PUNG
    offset = event.lowest - event.tile
    return next((choice for choice, pair in CHOW_OFFSETS.items() if min(0, *pair) == offset), Choice.PUNG)


def _winner_of(event: happened.Won) -> Seat | None:
    return event.winners[0].seat if event.winners else None


_IMPLIED: Mapping[type, Callable[[Any], Action | None]] = {
    happened.Dealt: lambda event: asked.Deal(),
    happened.Discarded: lambda event: asked.Discard(event.seat, event.tile),
    happened.Konged: lambda event: asked.Kong(event.seat, event.tile, event.kind),
    happened.Won: lambda event: None if (seat := _winner_of(event)) is None else asked.Win(seat),
    happened.Locked: lambda event: asked.Lock(event.seat),
    happened.Declared: lambda event: asked.Declare(event.seats[0]) if event.seats else None,
    happened.Declined: lambda event: asked.Decline(event.seat),
    happened.WentAway: lambda event: asked.Leave(event.seat),
    happened.CameBack: lambda event: asked.Return(event.seat),
}
"""The action that causes an event by itself; other events only follow from something."""


def _implied_action(state: State, index: int, event: Event) -> Action:
    make = _IMPLIED.get(type(event))
    action = None if make is None else make(event)
    if action is None:
        raise RecordError(index, f"no {_name(event)} can stand here")
    return action


def _difference(given: Event, made: Event) -> str:
    if type(given) is not type(made):
        return f"{_name(given)} where the rules make {_name(made)}"
    wrong = [field.name for field in fields(made) if getattr(given, field.name) != getattr(made, field.name)]
    return f"{_name(given)} differs in {', '.join(wrong)}"


def _name(event: Event) -> str:
    return type(event).__name__
