"""Who pays whom in 听用斗地主: the multiplier, the scores, and coins within the room's caps (TY-30..43)."""

from games.kernel import SYSTEM, Group, Payment, Seat
from games.landlord.events import EndCause, Ended, Spring
from games.landlord.state import State

SPRING_FACTOR = 4
"""What spring and anti-spring multiply by (TY-32)."""
ESCAPE_FACTOR = 3
"""Base scores times multiplier that an escape costs (TY-33)."""
ESCAPE_BEFORE_CALL = 3
"""Scores an escape costs before anybody has called, whatever the base (TY-33)."""

CAUSE_WIN = "win"
CAUSE_PENALTY = "penalty"


def end(state: State, cause: EndCause, escaper: Seat | None) -> Ended:
    """The last event of a deal, with the money that moves."""
    if cause is EndCause.OUT:
        return _won(state)
    if escaper is None:
        return _ended(state, cause)
    score = _escape_score(state)
    rules = state.ruleset
    return _ended(
        state,
        cause,
        escaper=escaper,
        scores=tuple(-score if seat == escaper else 0 for seat in state.seats),
        payments=(_penalty(escaper, _within(score * rules.coins_per_score, rules.escape_cap)),),
        point_payments=(_penalty(escaper, score),),
    )


def _ended(
    state: State,
    cause: EndCause,
    *,
    winners: tuple[Seat, ...] = (),
    escaper: Seat | None = None,
    spring: Spring = Spring.NONE,
    multiplier: int | None = None,
    scores: tuple[int, ...] | None = None,
    payments: tuple[Payment, ...] = (),
    point_payments: tuple[Payment, ...] = (),
) -> Ended:
    return Ended(
        cause=cause,
        winners=winners,
        escaper=escaper,
        spring=spring,
        multiplier=state.multiplier if multiplier is None else multiplier,
        scores=(0,) * len(state.seats) if scores is None else scores,
        payments=payments,
        point_payments=point_payments,
        next_dealer=state.after(state.dealer),
        hands=state.hands,
        bottom=state.bottom,
    )


# --- somebody is out ------------------------------------------------------------------------


def _won(state: State) -> Ended:
    """The landlord wins, or the other two do (TY-25)."""
    out = next(seat for seat in state.seats if not state.hands[seat])
    landlord = state.landlord
    assert landlord is not None
    others = state.others(landlord)
    spring = _spring(state, out)
    multiplier = state.multiplier * (1 if spring is Spring.NONE else SPRING_FACTOR)
    score = state.ruleset.call_score * multiplier
    sign = 1 if out == landlord else -1
    return _ended(
        state,
        EndCause.OUT,
        winners=(landlord,) if out == landlord else others,
        spring=spring,
        multiplier=multiplier,
        scores=tuple(sign * (len(others) if seat == landlord else -1) * score for seat in state.seats),
        payments=_win_payments(state, out, _part(state, score * state.ruleset.coins_per_score)),
        point_payments=_win_payments(state, out, score),
    )


def _spring(state: State, out: Seat) -> Spring:
    """春天: no other has played a card; 反春: the landlord played only once (TY-32)."""
    landlord = state.landlord
    assert landlord is not None
    if out == landlord:
        return Spring.NONE if any(state.play_count(seat) for seat in state.others(landlord)) else Spring.SPRING
    return Spring.ANTI_SPRING if state.play_count(landlord) == 1 else Spring.NONE


def _part(state: State, amount: int) -> int:
    """What one opponent wins or loses: half the landlord's total, which is capped (TY-41)."""
    opponents = len(state.seats) - 1
    return _within(amount * opponents, state.ruleset.landlord_cap) // opponents


def _win_payments(state: State, out: Seat, amount: int) -> tuple[Payment, ...]:
    """The others in turn order from the landlord; what a short landlord has is shared equally (TY-42, TY-43)."""
    landlord = state.landlord
    assert landlord is not None
    others = state.others(landlord)
    if amount == 0:
        return ()
    if out == landlord:
        return tuple(Payment(other, landlord, amount, CAUSE_WIN) for other in others)
    together = Group(1, remainder_to=out)
    return tuple(Payment(landlord, other, amount, CAUSE_WIN, together) for other in others)


# --- somebody escaped -----------------------------------------------------------------------


def _escape_score(state: State) -> int:
    """What an escape costs now, in scores (TY-33)."""
    if state.landlord is None:
        return ESCAPE_BEFORE_CALL
    return state.ruleset.call_score * state.multiplier * ESCAPE_FACTOR


def _penalty(escaper: Seat, amount: int) -> Payment:
    return Payment(escaper, SYSTEM, amount, CAUSE_PENALTY)


def _within(amount: int, cap: int | None) -> int:
    return amount if cap is None else min(amount, cap)
