"""What an action causes. A player may be wrong: then `IllegalAction`, and nothing has happened.

What is allowed stands in `checks`. What the rules force after an action (draws, flowers,
wins that must be taken, moves of locked and absent seats) follows by itself, until somebody
has to decide.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from games.kernel import Seat
from games.mahjong import actions as asked
from games.mahjong.actions import CHOICE_OF, CHOW_OFFSETS, Action, Choice, chow_choice
from games.mahjong.checks import own_kong_kind, refused
from games.mahjong.claims import declared_discards, question_score, question_winners, self_draw_score
from games.mahjong.drawing import die_thrown, nothing_left, take
from games.mahjong.events import (
    Answered,
    Began,
    CameBack,
    Dealt,
    Declared,
    Declined,
    Discarded,
    Drawn,
    DrawSource,
    EndCause,
    Event,
    Flowered,
    Konged,
    Locked,
    Melded,
    WentAway,
    WinnerResult,
    Won,
)
from games.mahjong.evolve import evolve
from games.mahjong.hand import Score, WinBy
from games.mahjong.melds import MeldKind
from games.mahjong.state import QUESTIONS, Phase, State
from games.mahjong.tiles import Tile
from games.mahjong.wall import deal_order

CLAIM_ORDER = (frozenset({Choice.KONG, Choice.PUNG}), frozenset(CHOW_OFFSETS))
"""Claims below a win, the stronger first; a kong and a pung cannot both be made of one tile (SH-5)."""


def decide(state: State, action: Action) -> tuple[Event, ...]:
    """Events an action causes, with all that the rules force after them.

    Raises:
        IllegalAction: the rules refuse; reason, rule and field say why.
    """
    refusal = refused(state, action)
    if refusal is not None:
        raise refusal
    events = list(_HANDLERS[type(action)](state, action))
    for event in events:
        state = evolve(state, event)
    while (forced := _forced(state)) is not None:
        events.append(forced)
        state = evolve(state, forced)
    return tuple(events)


# --- what a permitted action causes -----------------------------------------------------


def _handle_discard(state: State, action: asked.Discard) -> tuple[Event, ...]:
    return (Discarded(action.seat, action.tile),)


def _handle_answer(state: State, action: asked.Pung | asked.Pass) -> tuple[Event, ...]:
    return (Answered(action.seat, CHOICE_OF[type(action)]),)


def _handle_chow(state: State, action: asked.Chow) -> tuple[Event, ...]:
    assert state.question is not None and state.question.tile is not None
    choice = chow_choice(action, state.question.tile)
    assert choice is not None
    return (Answered(action.seat, choice),)


def _handle_decline(state: State, action: asked.Decline) -> tuple[Event, ...]:
    return (Declined(action.seat),)


def _handle_win(state: State, action: asked.Win) -> tuple[Event, ...]:
    if state.phase in QUESTIONS:
        return (Answered(action.seat, Choice.WIN),)
    return (_self_drawn_win(state),)


def _handle_kong(state: State, action: asked.Kong) -> tuple[Event, ...]:
    if state.phase in QUESTIONS:
        return (Answered(action.seat, Choice.KONG),)
    assert action.tile is not None
    kind = own_kong_kind(state, action.seat, action.tile)
    assert kind is not None
    owing = tuple(seat for seat in state.others(action.seat) if not state.has_won(seat))
    return (Konged(action.seat, kind, action.tile, None, owing),)


def _handle_lock(state: State, action: asked.Lock) -> tuple[Event, ...]:
    return (Locked(action.seat),)


def _handle_declare(state: State, action: asked.Declare) -> tuple[Event, ...]:
    if state.phase is Phase.DECLARING:
        return (Answered(action.seat, Choice.DECLARE),)
    return (Declared((action.seat,)),)


def _handle_deal(state: State, action: asked.Deal) -> tuple[Event, ...]:
    hands: list[list[Tile]] = [[] for _ in state.seats]
    for seat, tile in zip(deal_order(state.ruleset, state.dealer), state.wall, strict=False):
        hands[seat].append(tile)
    return (Dealt(tuple(tuple(sorted(hand)) for hand in hands)),)


def _handle_timeout(state: State, action: asked.Timeout) -> tuple[Event, ...]:
    if state.phase is Phase.OFFER:
        return (Declined(action.seat),)
    return (_served_discard(state),)


def _handle_leave(state: State, action: asked.Leave) -> tuple[Event, ...]:
    if state.ruleset.leaving_ends_deal:
        return (state.ruleset.judgement.end(replace(state, away=frozenset({action.seat})), EndCause.ESCAPED),)
    return () if action.seat in state.away else (WentAway(action.seat),)


def _handle_return(state: State, action: asked.Return) -> tuple[Event, ...]:
    return (CameBack(action.seat),) if action.seat in state.away else ()


def _handle_close(state: State, action: asked.CloseQuestion) -> tuple[Event, ...]:
    """The answers become public: who declares, who wins, else who melds, else the next draw."""
    if state.phase is Phase.DECLARING:
        return (_declarations(state),)
    winners = question_winners(state)
    won = (_question_won(state, winners),) if winners else ()
    if winners and not state.ruleset.shares_tiles:
        return won
    claimed = _strongest_claim(state, shared=bool(winners))
    if won or claimed:
        return (*won, *claimed)
    return (_next_event(state, *_after_question(state)),)


def _declarations(state: State) -> Event:
    question = state.question
    assert question is not None
    return Declared(tuple(seat for seat in state.seats if question.answers[seat] is Choice.DECLARE))


def _strongest_claim(state: State, *, shared: bool) -> tuple[Event, ...]:
    """The meld made of the tile in question; beside its winners where they share it (BB-14)."""
    question = state.question
    assert question is not None and question.tile is not None
    for choices in CLAIM_ORDER:
        for seat in state.others(question.seat):
            choice = question.answers[seat]
            if choice in choices:
                return (_claimed(choice, seat, question.tile, question.seat, shared),)
    return ()


def _claimed(choice: Choice, seat: Seat, tile: Tile, from_seat: Seat, shared: bool) -> Event:
    """The meld a claim makes of the tile in question."""
    if choice is Choice.KONG:
        return Konged(seat, MeldKind.EXPOSED_KONG, tile, from_seat, (from_seat,), shared)
    lowest = tile + min(0, *CHOW_OFFSETS[choice]) if choice in CHOW_OFFSETS else None
    return Melded(seat, tile, from_seat, lowest, shared)


def _after_question(state: State) -> tuple[Seat, DrawSource]:
    """Who draws when nobody claims: the next who has not won, or the kong's owner (BB-13)."""
    question = state.question
    assert question is not None
    if state.phase is Phase.ROBBERY:
        return question.seat, DrawSource.REPLACEMENT
    return next(seat for seat in state.others(question.seat) if not state.has_won(seat)), DrawSource.WALL


_HANDLERS: dict[type, Callable[[State, Any], tuple[Event, ...]]] = {
    asked.Discard: _handle_discard,
    asked.Pung: _handle_answer,
    asked.Kong: _handle_kong,
    asked.Win: _handle_win,
    asked.Pass: _handle_answer,
    asked.Lock: _handle_lock,
    asked.Declare: _handle_declare,
    asked.Chow: _handle_chow,
    asked.Decline: _handle_decline,
    asked.Deal: _handle_deal,
    asked.Timeout: _handle_timeout,
    asked.CloseQuestion: _handle_close,
    asked.Leave: _handle_leave,
    asked.Return: _handle_return,
}


# --- what the rules force ----------------------------------------------------------------


def _forced(state: State) -> Event | None:
    """The event that follows by itself; None when somebody has to decide."""
    if state.phase is Phase.MOVING:
        assert state.due is not None
        return _next_event(state, state.turn, state.due)
    if state.phase is Phase.OPENING:
        return _forced_opening(state)
    if state.phase is Phase.TURN:
        return _forced_turn(state)
    return None


def _forced_opening(state: State) -> Event:
    """The dealer's flowers first, then the others' in turn order, each to the end (DZ-4)."""
    for seat in (state.dealer, *state.others(state.dealer)):
        if (flower := _held_flower(state, seat)) is not None:
            return Flowered(seat, flower)
    return Began()


def _held_flower(state: State, seat: Seat) -> Tile | None:
    return next((tile for tile in state.hands[seat] if tile in state.ruleset.flowers), None)


def _forced_turn(state: State) -> Event | None:
    """Wins that must be taken (BB-16, BB-17), and the moves of locked and absent seats (BB-60)."""
    assert state.draw is not None
    if (flower := _held_flower(state, state.turn)) is not None:
        return Flowered(state.turn, flower)
    drawn = state.draw.source in (DrawSource.WALL, DrawSource.REPLACEMENT)
    bound = state.must_win() or state.turn in state.locked
    if drawn and bound and self_draw_score(state, state.turn) is not None:
        return _self_drawn_win(state)
    if state.turn in state.locked or state.turn in state.away:
        return _served_discard(state)
    return None


def _served_discard(state: State) -> Event:
    """What the server discards for a seat: the tile just drawn, else the last in display order (PF-21)."""
    assert state.draw is not None
    tile = state.draw.tile if state.draw.tile is not None else state.hands[state.turn][-1]
    if state.declares_with_discard(state.turn) and tile not in declared_discards(state, state.turn):
        tile = declared_discards(state, state.turn)[-1]
    return Discarded(state.turn, tile)


def _next_event(state: State, seat: Seat, source: DrawSource) -> Event:
    """The next draw, or the deal's end where it is won, only one plays on or the wall is empty (BB-11)."""
    cause = _end_cause(state, source)
    if cause is not None:
        return state.ruleset.judgement.end(state, cause)
    die = state.kong_dice[0] if die_thrown(state, source) else None
    return Drawn(seat, take(state, source, die).tile, source, die)


def _end_cause(state: State, source: DrawSource) -> EndCause | None:
    if state.wins and state.ruleset.win_ends_deal:
        return EndCause.WON
    if len(state.playing()) <= 1:
        return EndCause.ONE_LEFT
    return EndCause.WALL_EMPTY if nothing_left(state, source) else None


def _self_drawn_win(state: State) -> Event:
    score = self_draw_score(state, state.turn)
    assert score is not None and state.draw is not None
    return Won(WinBy.SELF, state.draw.tile, None, (_winner(state, state.turn, score),))


def _question_won(state: State, winners: tuple[Seat, ...]) -> Event:
    question = state.question
    assert question is not None
    results = []
    for seat in winners:
        score = question_score(state, seat)
        assert score is not None, seat
        results.append(_winner(state, seat, score))
    by = WinBy.ROB if state.phase is Phase.ROBBERY else WinBy.DISCARD
    transferred = state.ruleset.judgement.transferred(state)
    return Won(by, question.tile, question.seat, tuple(results), transferred)


def _winner(state: State, seat: Seat, score: Score) -> WinnerResult:
    """A winner's row; winners on one tile share a rank (BB-12)."""
    payments = state.ruleset.judgement.win_payments(state, seat, score)
    return WinnerResult(seat, len(state.wins) + 1, score.fans, score.fan_total, score.amount, payments, score.base_sum)
