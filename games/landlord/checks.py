"""What the rules permit: one check an action, asked by `decide` and `legal` alike."""

from collections.abc import Callable
from typing import Any

from games.kernel import IllegalAction, Reason, Seat
from games.landlord import actions as asked
from games.landlord.actions import Action, PlayerAction
from games.landlord.cards import DECK, HIDDEN, Counts, chosen, counts_of
from games.landlord.combinations import Reading
from games.landlord.hints import best_first
from games.landlord.state import ASKING, Phase, State


def refused(state: State, action: Action) -> IllegalAction | None:
    """Why `decide` would refuse the action; None if it would not."""
    if state.phase is Phase.OVER:
        return IllegalAction(Reason.DEAL_OVER, "TY-25")
    return _CHECKS[type(action)](state, action)


def _not_his_turn(state: State, seat: Seat) -> IllegalAction | None:
    """What holds for every move of a player."""
    if seat not in state.seats:
        return IllegalAction(Reason.NOT_YOUR_TURN, field="seat")
    if state.phase not in ASKING:
        return IllegalAction(Reason.NOT_DEALT, "TY-1")
    if state.turn != seat:
        return IllegalAction(Reason.NOT_YOUR_TURN, "TY-10" if state.landlord is None else "TY-20")
    return None


def _only_in(phase: Phase, rule: str) -> Callable[[State, Any], IllegalAction | None]:
    """A check that a seat may say this word now."""

    def check(state: State, action: Any) -> IllegalAction | None:
        if refusal := _not_his_turn(state, action.seat):
            return refusal
        return None if state.phase is phase else IllegalAction(Reason.WRONG_STAGE, rule)

    return check


_check_call = _only_in(Phase.BIDDING, "TY-12")


def _check_blind(state: State, action: asked.CallBlind) -> IllegalAction | None:
    if refusal := _check_call(state, action):
        return refusal
    if len(state.speeches) < state.ruleset.seat_count - 1:
        return IllegalAction(Reason.BLIND_NOT_OFFERED, "TY-12")
    return None


def _check_pass(state: State, action: asked.Pass) -> IllegalAction | None:
    if refusal := _not_his_turn(state, action.seat):
        return refusal
    if state.phase is Phase.BIDDING and must_call(state, action.seat):
        return IllegalAction(Reason.MUST_CALL, "TY-11")
    if state.phase is Phase.PLAYING and state.last is None:
        return IllegalAction(Reason.LEADER_MUST_PLAY, "TY-20")
    return None


def must_call(state: State, seat: Seat) -> bool:
    """Whether the seat may not pass the bidding (TY-11); False where its hand lies face down."""
    hand = state.hands[seat]
    return HIDDEN not in hand and state.ruleset.judgement.must_call(hand)


def _check_play(state: State, action: asked.Play) -> IllegalAction | None:
    found = play_reading(state, action)
    return found if isinstance(found, IllegalAction) else None


def play_reading(state: State, action: asked.Play) -> Reading | IllegalAction:
    """What the cards are played as, or why they may not be played (TY-20..24)."""
    if refusal := _not_his_turn(state, action.seat):
        return refusal
    if state.phase is not Phase.PLAYING:
        return IllegalAction(Reason.WRONG_STAGE, "TY-20")
    cards = action.cards
    if any(card not in DECK for card in cards) or len(set(cards)) < len(cards):
        return IllegalAction(Reason.CARD_UNKNOWN, "TY-1", "cards")
    if not set(cards) <= set(state.hands[action.seat]):
        return IllegalAction(Reason.CARD_NOT_HELD, "TY-20", "cards")
    readings = state.ruleset.plays.readings_of(counts_of(cards))
    if not readings:
        return IllegalAction(Reason.NOT_A_PLAY, "TY-21", "cards")
    last = None if state.last is None else state.last.reading
    reading = _meant(readings, last, action)
    if isinstance(reading, Reading) and last is not None and not reading.beats(last):
        return IllegalAction(Reason.PLAY_TOO_LOW, "TY-22", "cards", f"read as {reading}; to beat: {last}")
    return reading


def _meant(readings: tuple[Reading, ...], last: Reading | None, action: asked.Play) -> Reading | IllegalAction:
    """The one reading that is meant: the named kind, else what the rule takes it for (TY-24)."""
    listed = ", ".join(map(str, readings))
    if action.kind is not None:
        named = [reading for reading in readings if reading.kind is action.kind]
        return named[0] if named else IllegalAction(Reason.NOT_A_PLAY, "TY-24", "kind", f"it can be {listed}")
    if last is None:
        if len(readings) == 1:
            return readings[0]
        return IllegalAction(Reason.PLAY_AMBIGUOUS, "TY-24", "kind", f"it can be {listed}")
    like_last = [reading for reading in readings if reading.follows_kind(last)]
    bombs = [reading for reading in readings if reading.power > 0]
    if like_last or bombs:
        return (like_last or bombs)[0]
    return IllegalAction(Reason.PLAY_TOO_LOW, "TY-22", "cards", f"it can be {listed}; to beat: {last}")


def _check_deal(state: State, action: asked.Deal) -> IllegalAction | None:
    return None if state.phase is Phase.OPENED else IllegalAction(Reason.NOT_DEALT, "PF-12")


def _check_timeout(state: State, action: asked.Timeout) -> IllegalAction | None:
    return _not_his_turn(state, action.seat)


def _check_leave(state: State, action: asked.Leave) -> IllegalAction | None:
    if action.seat not in state.seats:
        return IllegalAction(Reason.NOT_YOUR_TURN, field="seat")
    return IllegalAction(Reason.NOT_DEALT, "TY-33") if state.phase is Phase.CLOSED else None


_CHECKS: dict[type, Callable[[State, Any], IllegalAction | None]] = {
    asked.Call: _check_call,
    asked.CallBlind: _check_blind,
    asked.Double: _only_in(Phase.DOUBLING, "TY-14"),
    asked.Redouble: _only_in(Phase.REDOUBLING, "TY-14"),
    asked.Play: _check_play,
    asked.Pass: _check_pass,
    asked.Deal: _check_deal,
    asked.Timeout: _check_timeout,
    asked.Leave: _check_leave,
}


# --- what is legal --------------------------------------------------------------------------


def legal(state: State, seat: Seat) -> tuple[PlayerAction, ...]:
    """Every move of this seat that `decide` accepts now; a pass comes last.

    Plays that differ in suits alone are one: the first cards in display order stand for all.
    Each names its kind, so that none is ambiguous. They come by kind and rank, lowest first.
    """
    if state.phase not in ASKING or state.turn != seat:
        return ()
    words = (asked.Call(seat), asked.CallBlind(seat), asked.Double(seat), asked.Redouble(seat))
    spoken = () if state.phase is Phase.PLAYING else words
    moves: tuple[PlayerAction, ...] = (*spoken, asked.Pass(seat))
    return (*legal_plays(state, seat), *(action for action in moves if refused(state, action) is None))


def legal_plays(state: State, seat: Seat) -> tuple[asked.Play, ...]:
    """The plays among the legal moves."""
    return _as_actions(state, seat, _held_plays(state, seat))


def hints(state: State, seat: Seat) -> tuple[asked.Play, ...]:
    """The same, the best hint first: what spoils least of the hand."""
    return _as_actions(state, seat, best_first(counts_of(state.hands[seat]), _held_plays(state, seat)))


def _held_plays(state: State, seat: Seat) -> list[tuple[Counts, Reading]]:
    hand = state.hands[seat]
    if state.phase is not Phase.PLAYING or state.turn != seat or HIDDEN in hand:
        return []
    return playable(state, counts_of(hand))


def _as_actions(state: State, seat: Seat, plays: list[tuple[Counts, Reading]]) -> tuple[asked.Play, ...]:
    hand = state.hands[seat]
    return tuple(asked.Play(seat, chosen(hand, counts), reading.kind) for counts, reading in plays)


def playable(state: State, hand: Counts) -> list[tuple[Counts, Reading]]:
    """Every play of a hand that the trick allows, by kind and rank, lowest first."""
    plays, last = state.ruleset.plays, state.last
    if last is None:
        return list(plays.plays(hand))
    assert last.reading is not None
    return list(plays.beating(hand, last.reading))


def awaiting(state: State) -> frozenset[Seat]:
    """The seat the deal waits for."""
    return frozenset({state.turn}) if state.phase in ASKING else frozenset()
