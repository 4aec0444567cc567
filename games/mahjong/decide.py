"""What an action causes. A player may be wrong: then `IllegalAction`, and nothing has happened.

Every check is a function of its own that `legal` asks too, so that the two agree. What the
rules force after an action (draws, wins that must be taken, moves of locked and absent
seats) follows by itself, until somebody has to decide.
"""

from collections.abc import Callable
from typing import Any

from games.kernel import IllegalAction, Reason, Seat
from games.mahjong import actions as asked
from games.mahjong.actions import CHOICE_OF, Action, Choice
from games.mahjong.claims import (
    PUNG_TILES,
    claims_open,
    forced_to_win,
    hand_waits,
    possible_claims,
    question_score,
    question_winners,
    self_draw_score,
)
from games.mahjong.events import (
    Answered,
    CameBack,
    Dealt,
    Discarded,
    Drawn,
    DrawSource,
    Event,
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
from games.mahjong.tiles import HIDDEN, Tile
from games.mahjong.wall import deal_order

KONG_COPIES = 4
CLAIM_ORDER = (Choice.KONG, Choice.PUNG)
"""Claims below a win, the stronger first; no two can stand on one tile (BB-14)."""


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


def refused(state: State, action: Action) -> IllegalAction | None:
    """Why `decide` would refuse the action; None if it would not."""
    if state.phase is Phase.OVER:
        return IllegalAction(Reason.DEAL_OVER, "BB-11")
    return _CHECKS[type(action)](state, action)


# --- checks ---------------------------------------------------------------------------


def _absent_or_out(state: State, seat: Seat) -> IllegalAction | None:
    """What holds for every move of a player."""
    if seat not in state.seats:
        return IllegalAction(Reason.NOT_YOUR_TURN, field="seat")
    if state.phase in (Phase.CLOSED, Phase.OPENED):
        return IllegalAction(Reason.NOT_DEALT, "BB-4")
    if state.has_won(seat):
        return IllegalAction(Reason.HAS_WON, "BB-11")
    if seat in state.away:
        return IllegalAction(Reason.SEAT_AWAY, "BB-60")
    return None


def _not_his_turn(state: State, seat: Seat) -> IllegalAction | None:
    """What holds for every move of a turn."""
    if refusal := _absent_or_out(state, seat):
        return refusal
    if state.phase in QUESTIONS:
        return IllegalAction(Reason.QUESTION_OPEN, "PF-20")
    if state.turn != seat:
        return IllegalAction(Reason.NOT_YOUR_TURN, "BB-13")
    return None


def _check_discard(state: State, action: asked.Discard) -> IllegalAction | None:
    if refusal := _not_his_turn(state, action.seat):
        return refusal
    return _not_held(state, action.seat, action.tile, 1)


def _not_held(state: State, seat: Seat, tile: Tile, copies: int) -> IllegalAction | None:
    if tile not in state.ruleset.kinds:
        return IllegalAction(Reason.TILE_UNKNOWN, "BB-1", "tile")
    if state.hands[seat].count(tile) < copies:
        return IllegalAction(Reason.TILE_NOT_HELD, "BB-10", "tile")
    return None


def _check_claim(state: State, seat: Seat, choice: Choice) -> IllegalAction | None:
    """An answer to the question that stands open."""
    question = state.question
    if question is None:
        return IllegalAction(Reason.NO_QUESTION, "BB-10")
    if seat in state.locked:
        return IllegalAction(Reason.HAND_LOCKED, "BB-17")
    if question.answers[seat] is not None or forced_to_win(state, seat):
        return IllegalAction(Reason.ALREADY_ANSWERED, "BB-16")
    choices = claims_open(state, seat)
    if choice in choices or (choice is Choice.PASS and choices):
        return None
    return IllegalAction(*_why_not_claim(state, seat, choice))


def _why_not_claim(state: State, seat: Seat, choice: Choice) -> tuple[Reason, str]:
    """The reason a seat may not make a claim, the most telling first."""
    question = state.question
    assert question is not None
    if seat == question.seat or choice is Choice.PASS:
        return Reason.NOT_ASKED, "BB-10"
    if choice is Choice.WIN:
        return (Reason.PASSED_WIN, "BB-19") if seat in state.win_locked else (Reason.NOT_A_WIN, "BB-20")
    if state.phase is Phase.ROBBERY:
        return Reason.NOT_ASKED, "BB-15"
    held = state.hands[seat].count(question.tile)
    if choice is Choice.KONG and held > PUNG_TILES and not state.wall:
        return Reason.WALL_EMPTY, "BB-6"
    return Reason.MELD_NOT_POSSIBLE, "BB-10"


def _check_pung(state: State, action: asked.Pung) -> IllegalAction | None:
    return _absent_or_out(state, action.seat) or _check_claim(state, action.seat, Choice.PUNG)


def _check_pass(state: State, action: asked.Pass) -> IllegalAction | None:
    return _absent_or_out(state, action.seat) or _check_claim(state, action.seat, Choice.PASS)


def _check_win(state: State, action: asked.Win) -> IllegalAction | None:
    if refusal := _absent_or_out(state, action.seat):
        return refusal
    if state.phase in QUESTIONS:
        return _check_claim(state, action.seat, Choice.WIN)
    if refusal := _not_his_turn(state, action.seat):
        return refusal
    if _claimed_turn(state):
        return IllegalAction(Reason.NO_DRAW, "BB-10")
    if self_draw_score(state, action.seat) is None:
        return IllegalAction(Reason.NOT_A_WIN, "BB-20")
    return None


def _claimed_turn(state: State) -> bool:
    return state.draw is not None and state.draw.source is DrawSource.CLAIM


def _check_kong(state: State, action: asked.Kong) -> IllegalAction | None:
    if refusal := _absent_or_out(state, action.seat):
        return refusal
    if state.phase in QUESTIONS:
        return _check_exposed_kong(state, action)
    if refusal := _not_his_turn(state, action.seat):
        return refusal
    if action.tile is None:
        return IllegalAction(Reason.NO_QUESTION, "BB-10", "tile")
    if _claimed_turn(state):
        return IllegalAction(Reason.NO_DRAW, "BB-10")
    kind = own_kong_kind(state, action.seat, action.tile)
    if kind is None:
        needed = 1 if action.kind is MeldKind.ADDED_KONG else KONG_COPIES
        missing = _not_held(state, action.seat, action.tile, needed)
        return missing or IllegalAction(Reason.MELD_NOT_POSSIBLE, "BB-10", "tile")
    if action.kind not in (None, kind):
        return IllegalAction(Reason.MELD_NOT_POSSIBLE, "BB-10", "kind")
    if not state.wall:
        return IllegalAction(Reason.WALL_EMPTY, "BB-6")
    return None


def _check_exposed_kong(state: State, action: asked.Kong) -> IllegalAction | None:
    question = state.question
    assert question is not None
    if action.tile not in (None, question.tile):
        return IllegalAction(Reason.QUESTION_OPEN, "BB-10", "tile")
    if action.kind not in (None, MeldKind.EXPOSED_KONG):
        return IllegalAction(Reason.QUESTION_OPEN, "BB-10", "kind")
    return _check_claim(state, action.seat, Choice.KONG)


def own_kong_kind(state: State, seat: Seat, tile: Tile) -> MeldKind | None:
    """Which kong the seat could make of its own tiles (BB-10); None if none."""
    held = state.hands[seat].count(tile)
    if held == KONG_COPIES:
        return MeldKind.CONCEALED_KONG
    has_pung = any(meld.kind is MeldKind.PUNG and meld.tile == tile for meld in state.melds[seat])
    return MeldKind.ADDED_KONG if held and has_pung else None


def _check_lock(state: State, action: asked.Lock) -> IllegalAction | None:
    seat = action.seat
    if not state.ruleset.locks:
        return IllegalAction(Reason.NOT_IN_THIS_GAME, "BB-17")
    if refusal := _absent_or_out(state, seat):
        return refusal
    if seat in state.locked:
        return IllegalAction(Reason.HAND_LOCKED, "BB-17")
    if state.phase is Phase.TURN and state.turn == seat:
        return IllegalAction(Reason.HOLDS_DISCARD, "BB-17")
    if state.question is not None and state.question.answers[seat] not in (None, Choice.PASS):
        return IllegalAction(Reason.ALREADY_ANSWERED, "BB-17")
    if not hand_waits(state, seat):
        return IllegalAction(Reason.NOT_READY, "BB-17")
    return None


def _check_deal(state: State, action: asked.Deal) -> IllegalAction | None:
    return None if state.phase is Phase.OPENED else IllegalAction(Reason.NOT_DEALT, "PF-12")


def _check_timeout(state: State, action: asked.Timeout) -> IllegalAction | None:
    return _not_his_turn(state, action.seat)


def _check_close(state: State, action: asked.CloseQuestion) -> IllegalAction | None:
    return None if state.phase in QUESTIONS else IllegalAction(Reason.NO_QUESTION, "PF-20")


def _check_presence(state: State, action: asked.Leave | asked.Return) -> IllegalAction | None:
    return None if action.seat in state.seats else IllegalAction(Reason.NOT_YOUR_TURN, field="seat")


_CHECKS: dict[type, Callable[[State, Any], IllegalAction | None]] = {
    asked.Discard: _check_discard,
    asked.Pung: _check_pung,
    asked.Kong: _check_kong,
    asked.Win: _check_win,
    asked.Pass: _check_pass,
    asked.Lock: _check_lock,
    asked.Deal: _check_deal,
    asked.Timeout: _check_timeout,
    asked.CloseQuestion: _check_close,
    asked.Leave: _check_presence,
    asked.Return: _check_presence,
}


# --- what a permitted action causes -----------------------------------------------------


def _handle_discard(state: State, action: asked.Discard) -> tuple[Event, ...]:
    return (Discarded(action.seat, action.tile),)


def _handle_answer(state: State, action: asked.Pung | asked.Pass) -> tuple[Event, ...]:
    return (Answered(action.seat, CHOICE_OF[type(action)]),)


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


def _handle_deal(state: State, action: asked.Deal) -> tuple[Event, ...]:
    hands: list[list[Tile]] = [[] for _ in state.seats]
    for seat, tile in zip(deal_order(state.ruleset, state.dealer), state.wall, strict=False):
        hands[seat].append(tile)
    return (Dealt(tuple(tuple(sorted(hand)) for hand in hands)),)


def _handle_timeout(state: State, action: asked.Timeout) -> tuple[Event, ...]:
    return (_served_discard(state),)


def _handle_leave(state: State, action: asked.Leave) -> tuple[Event, ...]:
    return () if action.seat in state.away else (WentAway(action.seat),)


def _handle_return(state: State, action: asked.Return) -> tuple[Event, ...]:
    return (CameBack(action.seat),) if action.seat in state.away else ()


def _handle_close(state: State, action: asked.CloseQuestion) -> tuple[Event, ...]:
    """The answers become one public event: the winners, else the strongest claim, else the next draw."""
    question = state.question
    assert question is not None
    winners = question_winners(state)
    if winners:
        return (_question_won(state, winners),)
    for choice in CLAIM_ORDER:
        for seat in state.others(question.seat):
            if question.answers[seat] is choice:
                return (_CLAIMED[choice](seat, question.tile, question.seat, state),)
    return (_next_event(state, *_after_question(state)),)


def _claimed_pung(seat: Seat, tile: Tile, from_seat: Seat, state: State) -> Event:
    return Melded(seat, tile, from_seat)


def _claimed_kong(seat: Seat, tile: Tile, from_seat: Seat, state: State) -> Event:
    return Konged(seat, MeldKind.EXPOSED_KONG, tile, from_seat, (from_seat,))


_CLAIMED: dict[Choice, Callable[[Seat, Tile, Seat, State], Event]] = {
    Choice.PUNG: _claimed_pung,
    Choice.KONG: _claimed_kong,
}


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
    if state.phase is Phase.TURN:
        return _forced_turn(state)
    return None


def _forced_turn(state: State) -> Event | None:
    """Wins that must be taken (BB-16, BB-17), and the moves of locked and absent seats (BB-60)."""
    assert state.draw is not None
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
    return Discarded(state.turn, tile)


def _next_event(state: State, seat: Seat, source: DrawSource) -> Event:
    """The next draw, or the deal's end where only one plays on or the wall is empty (BB-11)."""
    if len(state.playing()) <= 1 or not state.wall:
        return state.ruleset.judgement.end(state)
    return Drawn(seat, state.wall[0], source)


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
    return WinnerResult(seat, len(state.wins) + 1, score.fans, score.fan_total, score.amount, payments)


# --- what is legal -----------------------------------------------------------------------


def legal(state: State, seat: Seat) -> tuple[asked.PlayerAction, ...]:
    """Every move of this seat that `decide` accepts now, wins first, then kongs, then the rest."""
    if state.phase in (Phase.CLOSED, Phase.OPENED, Phase.OVER):
        return ()
    moves = _legal_answers(state, seat) if state.phase in QUESTIONS else _legal_in_turn(state, seat)
    lock = asked.Lock(seat)
    return moves if refused(state, lock) is not None else (*moves, lock)


def _legal_answers(state: State, seat: Seat) -> tuple[asked.PlayerAction, ...]:
    choices = claims_open(state, seat)
    return (*(_ANSWER[choice](seat) for choice in choices), asked.Pass(seat)) if choices else ()


_ANSWER: dict[Choice, Callable[[Seat], asked.PlayerAction]] = {
    Choice.WIN: asked.Win,
    Choice.KONG: asked.Kong,
    Choice.PUNG: asked.Pung,
}


def _legal_in_turn(state: State, seat: Seat) -> tuple[asked.PlayerAction, ...]:
    if _not_his_turn(state, seat) is not None:
        return ()
    hand = sorted(set(state.hands[seat]) - {HIDDEN})
    own: list[asked.PlayerAction] = [asked.Win(seat)]
    pungs = [meld.tile for meld in state.melds[seat] if meld.kind is MeldKind.PUNG]
    own += [asked.Kong(seat, tile) for tile in hand if tile in pungs or state.hands[seat].count(tile) == KONG_COPIES]
    moves = [action for action in own if refused(state, action) is None]
    return (*moves, *(asked.Discard(seat, tile) for tile in hand))


def awaiting(state: State) -> frozenset[Seat]:
    """Seats the deal waits for: whose turn it is, or who has not answered the question."""
    if state.phase in QUESTIONS:
        return frozenset(seat for seat in state.seats if claims_open(state, seat))
    if state.phase is Phase.TURN:
        return frozenset({state.turn})
    return frozenset()


__all__ = ["awaiting", "decide", "legal", "possible_claims", "refused"]
