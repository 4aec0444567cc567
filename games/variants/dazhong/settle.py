"""Who pays whom in 大众麻将: one win ends the deal (DZ-12, DZ-40..42, DZ-50)."""

from collections.abc import Iterator

from games.kernel import SYSTEM, Payment, Seat
from games.mahjong.events import EndCause, Ended, KongOutcome
from games.mahjong.hand import Score
from games.mahjong.ruleset import Ruleset
from games.mahjong.state import State
from games.variants.dazhong.options import base_points


def win_payments(state: State, winner: Seat, worth: Score) -> tuple[Payment, ...]:
    """What the winner asks, in order: base and fan, or the base alone (DZ-40, DZ-42)."""
    return tuple(Payment(payer, winner, amount, "win") for payer, amount in _asked(state, winner, worth) if amount)


def _asked(state: State, winner: Seat, worth: Score) -> Iterator[tuple[Seat, int]]:
    if state.question is None:
        yield from ((payer, worth.amount) for payer in state.others(winner))
        return
    giver = state.question.seat
    yield giver, worth.amount
    base = base_points(state.ruleset) * state.ruleset.stake
    yield from ((payer, base) for payer in state.others(winner) if payer != giver)


def no_flower_win(rules: Ruleset) -> Score | None:
    """Flowers alone win nothing here."""
    return None


def no_transfer(state: State) -> tuple[int, ...]:
    """Kongs cost nothing here, so nothing is transferred."""
    return ()


def no_earthly(state: State, seat: Seat) -> bool:
    """The first moments of a deal pay nothing extra (DZ-35)."""
    return False


def end(state: State, cause: EndCause) -> Ended:
    """The last event of a deal: the escape's penalty, or who deals next (DZ-12, DZ-50)."""
    payments: tuple[Payment, ...] = ()
    if cause is EndCause.ESCAPED and state.ruleset.escape_penalty:
        (escaper,) = state.away
        payments = (Payment(escaper, SYSTEM, state.ruleset.escape_penalty, "penalty"),)
    return Ended(
        cause=cause,
        payments=payments,
        checks=(),
        kong_outcomes=(KongOutcome.VOID,) * len(state.kongs),
        next_dealer=_next_dealer(state, cause),
        hands=state.hands,
    )


def _next_dealer(state: State, cause: EndCause) -> Seat | None:
    """The winner; after an exhaustive draw the dealer's next player; nobody after an escape."""
    if cause is EndCause.ESCAPED:
        return None
    if state.wins:
        return state.wins[0].winners[0].seat
    return state.others(state.dealer)[0]
