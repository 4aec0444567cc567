"""Whether an action is allowed, and which are.

Every check is one function that both `decide` and `legal` ask, so that the two agree. The
variant's table of clauses says which rule stands behind a refusal.
"""

from collections.abc import Callable
from typing import Any

from games.kernel import IllegalAction, Reason, Seat
from games.mahjong import actions as asked
from games.mahjong.actions import CHOW_OFFSETS, Action, Choice, chow_choice
from games.mahjong.claims import (
    PUNG_TILES,
    claims_open,
    declared_discards,
    forced_to_win,
    hand_waits,
    self_draw_score,
)
from games.mahjong.events import DrawSource
from games.mahjong.melds import MeldKind
from games.mahjong.state import QUESTIONS, Phase, State
from games.mahjong.tiles import HIDDEN, Tile

KONG_COPIES = 4


def _refusal(state: State, reason: Reason, field: str = "") -> IllegalAction:
    return IllegalAction(reason, state.ruleset.clause(reason), field)


def refused(state: State, action: Action) -> IllegalAction | None:
    """Why `decide` would refuse the action; None if it would not."""
    if state.phase is Phase.OVER:
        return _refusal(state, Reason.DEAL_OVER)
    return _CHECKS[type(action)](state, action)


# --- checks ---------------------------------------------------------------------------


def _absent_or_out(state: State, seat: Seat) -> IllegalAction | None:
    """What holds for every move of a player."""
    if seat not in state.seats:
        return _refusal(state, Reason.NOT_YOUR_TURN, "seat")
    if state.phase in (Phase.CLOSED, Phase.OPENED):
        return _refusal(state, Reason.NOT_DEALT)
    if state.has_won(seat):
        return _refusal(state, Reason.HAS_WON)
    if seat in state.away:
        return _refusal(state, Reason.SEAT_AWAY)
    return None


def _not_his_turn(state: State, seat: Seat) -> IllegalAction | None:
    """What holds for every move of a turn."""
    if refusal := _absent_or_out(state, seat):
        return refusal
    if state.phase in QUESTIONS:
        return _refusal(state, Reason.QUESTION_OPEN)
    if state.turn != seat:
        return _refusal(state, Reason.NOT_YOUR_TURN)
    return None


def _not_playing(state: State, seat: Seat) -> IllegalAction | None:
    """What holds for discards and kongs: his turn, and no offer stands (SH-11)."""
    if refusal := _not_his_turn(state, seat):
        return refusal
    return _refusal(state, Reason.QUESTION_OPEN) if state.phase is Phase.OFFER else None


def _check_discard(state: State, action: asked.Discard) -> IllegalAction | None:
    if refusal := _not_playing(state, action.seat) or _not_held(state, action.seat, action.tile, 1):
        return refusal
    if state.declares_with_discard(action.seat) and action.tile not in declared_discards(state, action.seat):
        return _refusal(state, Reason.NOT_READY, "tile")
    return None


def _not_held(state: State, seat: Seat, tile: Tile, copies: int) -> IllegalAction | None:
    if tile not in state.ruleset.kinds:
        return _refusal(state, Reason.TILE_UNKNOWN, "tile")
    if state.hands[seat].count(tile) < copies:
        return _refusal(state, Reason.TILE_NOT_HELD, "tile")
    return None


def _check_claim(state: State, seat: Seat, choice: Choice) -> IllegalAction | None:
    """An answer to the question that stands open."""
    question = state.question
    if question is None:
        return _refusal(state, Reason.NO_QUESTION)
    if seat in state.locked:
        return _refusal(state, Reason.HAND_LOCKED)
    if question.answers[seat] is not None or forced_to_win(state, seat):
        return _refusal(state, Reason.ALREADY_ANSWERED)
    choices = claims_open(state, seat)
    if choice in choices or (choice is Choice.PASS and choices):
        return None
    return _refusal(state, _why_not_claim(state, seat, choice))


def _why_not_claim(state: State, seat: Seat, choice: Choice) -> Reason:
    """The reason a seat may not make a claim, the most telling first."""
    question = state.question
    assert question is not None
    if seat == question.seat or choice is Choice.PASS:
        return Reason.NOT_ASKED
    if (choice is Choice.DECLARE) != (state.phase is Phase.DECLARING):
        return Reason.NO_QUESTION
    if choice is Choice.DECLARE:
        return Reason.NOT_READY
    if choice is Choice.WIN:
        return Reason.PASSED_WIN if seat in state.win_locked else Reason.NOT_A_WIN
    if state.phase is Phase.ROBBERY:
        return Reason.NOT_ASKED
    if choice in CHOW_OFFSETS and state.ruleset.chow_from == "none":
        return Reason.NOT_IN_THIS_GAME
    held = state.hands[seat].count(question.tile)
    no_melds = not state.left and not state.ruleset.last_discard_melds
    if no_melds or (choice is Choice.KONG and held > PUNG_TILES and not state.left):
        return Reason.WALL_EMPTY
    return Reason.MELD_NOT_POSSIBLE


def _check_pung(state: State, action: asked.Pung) -> IllegalAction | None:
    return _absent_or_out(state, action.seat) or _check_claim(state, action.seat, Choice.PUNG)


def _check_chow(state: State, action: asked.Chow) -> IllegalAction | None:
    if refusal := _absent_or_out(state, action.seat):
        return refusal
    if state.ruleset.chow_from == "none":
        return _refusal(state, Reason.NOT_IN_THIS_GAME)
    if state.question is None or state.question.tile is None:
        return _refusal(state, Reason.NO_QUESTION)
    choice = chow_choice(action, state.question.tile)
    if choice is None:
        return _refusal(state, Reason.MELD_NOT_POSSIBLE, "tiles")
    return _check_claim(state, action.seat, choice)


def _check_decline(state: State, action: asked.Decline) -> IllegalAction | None:
    if not state.ruleset.flower_offer_count:
        return _refusal(state, Reason.NOT_IN_THIS_GAME)
    if refusal := _not_his_turn(state, action.seat):
        return refusal
    return None if state.phase is Phase.OFFER else _refusal(state, Reason.NO_QUESTION)


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
        return _refusal(state, Reason.NO_DRAW)
    if state.declares_with_discard(action.seat):
        return _refusal(state, Reason.HAND_LOCKED)
    if self_draw_score(state, action.seat) is None:
        return _refusal(state, Reason.NOT_A_WIN)
    return None


def _claimed_turn(state: State) -> bool:
    return state.draw is not None and state.draw.source is DrawSource.CLAIM


def _check_kong(state: State, action: asked.Kong) -> IllegalAction | None:
    if refusal := _absent_or_out(state, action.seat):
        return refusal
    if state.phase in QUESTIONS:
        return _check_exposed_kong(state, action)
    if refusal := _not_playing(state, action.seat):
        return refusal
    if action.tile is None:
        return _refusal(state, Reason.NO_QUESTION, "tile")
    if state.declares_with_discard(action.seat):
        return _refusal(state, Reason.HAND_LOCKED)
    if _claimed_turn(state):
        return _refusal(state, Reason.NO_DRAW)
    kind = own_kong_kind(state, action.seat, action.tile)
    if kind is None:
        needed = 1 if action.kind is MeldKind.ADDED_KONG else KONG_COPIES
        missing = _not_held(state, action.seat, action.tile, needed)
        return missing or _refusal(state, Reason.MELD_NOT_POSSIBLE, "tile")
    if action.kind not in (None, kind):
        return _refusal(state, Reason.MELD_NOT_POSSIBLE, "kind")
    if not state.left:
        return _refusal(state, Reason.WALL_EMPTY)
    return None


def _check_exposed_kong(state: State, action: asked.Kong) -> IllegalAction | None:
    question = state.question
    assert question is not None
    if action.tile not in (None, question.tile):
        return _refusal(state, Reason.QUESTION_OPEN, "tile")
    if action.kind not in (None, MeldKind.EXPOSED_KONG):
        return _refusal(state, Reason.QUESTION_OPEN, "kind")
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
        return _refusal(state, Reason.NOT_IN_THIS_GAME)
    if refusal := _absent_or_out(state, seat):
        return refusal
    if seat in state.locked:
        return _refusal(state, Reason.HAND_LOCKED)
    if state.phase is Phase.TURN and state.turn == seat:
        return _refusal(state, Reason.HOLDS_DISCARD)
    if state.question is not None and state.question.answers[seat] not in (None, Choice.PASS):
        return _refusal(state, Reason.ALREADY_ANSWERED)
    if not hand_waits(state, seat):
        return _refusal(state, Reason.NOT_READY)
    return None


def _check_declare(state: State, action: asked.Declare) -> IllegalAction | None:
    """The others when they are asked; the dealer together with his first discard (BB-18)."""
    seat = action.seat
    if not state.ruleset.declares:
        return _refusal(state, Reason.NOT_IN_THIS_GAME)
    if refusal := _absent_or_out(state, seat):
        return refusal
    if seat != state.dealer:
        return _check_claim(state, seat, Choice.DECLARE)
    if state.discards:
        return _refusal(state, Reason.NO_QUESTION)
    if refusal := _not_his_turn(state, seat):
        return refusal
    if seat in state.declared:
        return _refusal(state, Reason.ALREADY_ANSWERED)
    return None if declared_discards(state, seat) else _refusal(state, Reason.NOT_READY)


def _check_deal(state: State, action: asked.Deal) -> IllegalAction | None:
    return None if state.phase is Phase.OPENED else _refusal(state, Reason.NOT_DEALT)


def _check_timeout(state: State, action: asked.Timeout) -> IllegalAction | None:
    return _not_his_turn(state, action.seat)


def _check_close(state: State, action: asked.CloseQuestion) -> IllegalAction | None:
    return None if state.phase in QUESTIONS else _refusal(state, Reason.NO_QUESTION)


def _check_presence(state: State, action: asked.Leave | asked.Return) -> IllegalAction | None:
    return None if action.seat in state.seats else _refusal(state, Reason.NOT_YOUR_TURN, "seat")


_CHECKS: dict[type, Callable[[State, Any], IllegalAction | None]] = {
    asked.Discard: _check_discard,
    asked.Pung: _check_pung,
    asked.Kong: _check_kong,
    asked.Win: _check_win,
    asked.Pass: _check_pass,
    asked.Lock: _check_lock,
    asked.Declare: _check_declare,
    asked.Chow: _check_chow,
    asked.Decline: _check_decline,
    asked.Deal: _check_deal,
    asked.Timeout: _check_timeout,
    asked.CloseQuestion: _check_close,
    asked.Leave: _check_presence,
    asked.Return: _check_presence,
}


# --- what is legal -----------------------------------------------------------------------


def legal(state: State, seat: Seat) -> tuple[asked.PlayerAction, ...]:
    """Every move of this seat that `decide` accepts now, wins first, then kongs, then the rest."""
    if state.phase in (Phase.CLOSED, Phase.OPENED, Phase.OVER):
        return ()
    moves = _legal_answers(state, seat) if state.phase in QUESTIONS else _legal_in_turn(state, seat)
    standing = (asked.Declare(seat), asked.Lock(seat))
    return (*moves, *(action for action in standing if action not in moves and refused(state, action) is None))


def _legal_answers(state: State, seat: Seat) -> tuple[asked.PlayerAction, ...]:
    question, choices = state.question, claims_open(state, seat)
    assert question is not None
    if not choices:
        return ()
    return (*(_answer(choice, seat, question.tile) for choice in choices), asked.Pass(seat))


def _answer(choice: Choice, seat: Seat, tile: Tile | None) -> asked.PlayerAction:
    """The action that gives an answer to the question about a tile."""
    if choice in CHOW_OFFSETS:
        assert tile is not None
        first, second = CHOW_OFFSETS[choice]
        return asked.Chow(seat, (tile + first, tile + second))
    return _ANSWER[choice](seat)


_ANSWER: dict[Choice, Callable[[Seat], asked.PlayerAction]] = {
    Choice.WIN: asked.Win,
    Choice.KONG: asked.Kong,
    Choice.PUNG: asked.Pung,
    Choice.DECLARE: asked.Declare,
}


def _legal_in_turn(state: State, seat: Seat) -> tuple[asked.PlayerAction, ...]:
    if _not_his_turn(state, seat) is not None:
        return ()
    own: list[asked.PlayerAction] = [asked.Win(seat)]
    if state.phase is Phase.OFFER:
        return (*(action for action in own if refused(state, action) is None), asked.Decline(seat))
    hand = sorted(set(state.hands[seat]) - {HIDDEN})
    pungs = [meld.tile for meld in state.melds[seat] if meld.kind is MeldKind.PUNG]
    own += [asked.Kong(seat, tile) for tile in hand if tile in pungs or state.hands[seat].count(tile) == KONG_COPIES]
    moves = [action for action in own if refused(state, action) is None]
    discards = declared_discards(state, seat) if state.declares_with_discard(seat) else hand
    return (*moves, *(asked.Discard(seat, tile) for tile in discards))


def awaiting(state: State) -> frozenset[Seat]:
    """Seats the deal waits for: whose turn it is, or who has not answered the question."""
    if state.phase in QUESTIONS:
        return frozenset(seat for seat in state.seats if claims_open(state, seat))
    if state.phase in (Phase.TURN, Phase.OFFER):
        return frozenset({state.turn})
    return frozenset()
