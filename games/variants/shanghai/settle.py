"""Who pays whom in 上海麻将: one win ends the deal; liability moves what others owe (SH-32..47)."""

from collections import Counter
from collections.abc import Iterator

from games.kernel import SYSTEM, Payment, Seat
from games.mahjong.events import EndCause, Ended, KongOutcome
from games.mahjong.hand import Score
from games.mahjong.melds import MeldKind
from games.mahjong.state import Phase, State

MOUTHFULS = 3
"""Melds claimed from one player that bind the two (SH-40)."""
LIABLE_SELF_DRAW, LIABLE_DISCARD, PLAIN = 3, 2, 1
"""Amounts paid by a liable player on the other's self-draw, by a liable discarder, and by anybody else."""


def partners(state: State, seat: Seat) -> frozenset[Seat]:
    """Players in liability with this one, whichever claimed three melds of the other (SH-40)."""
    return frozenset(other for other in state.others(seat) if _bound(state, seat, other) or _bound(state, other, seat))


def _bound(state: State, claimer: Seat, giver: Seat) -> bool:
    given = Counter(meld.from_seat for meld in state.melds[claimer] if meld.kind is not MeldKind.CONCEALED_KONG)
    return given[giver] >= MOUTHFULS


def win_payments(state: State, winner: Seat, worth: Score) -> tuple[Payment, ...]:
    """What one winner asks, in order (SH-32, SH-41..47)."""
    amount = worth.amount * deal_factor(state)
    liable = partners(state, winner)
    asked = _from_all(state, winner, liable) if state.question is None else _from_owner(state, winner, liable)
    return tuple(Payment(payer, winner, times * amount, cause) for payer, times, cause in asked)


def deal_factor(state: State) -> int:
    """2 after an exhaustive draw; under draw_doubling = stack 2 for each in a row (SH-33)."""
    draws = state.draws_in_row
    return 1 << (draws if state.ruleset.option("draw_doubling") == "stack" else min(draws, 1))


def _from_all(state: State, winner: Seat, liable: frozenset[Seat]) -> Iterator[tuple[Seat, int, str]]:
    """A self-draw: a liable partner pays three amounts in one move, each other player one (SH-41)."""
    for payer in state.others(winner):
        yield payer, LIABLE_SELF_DRAW if payer in liable else PLAIN, "win"


def _from_owner(state: State, winner: Seat, liable: frozenset[Seat]) -> Iterator[tuple[Seat, int, str]]:
    """A discard or a robbed kong: its owner, then the liable partners who did not discard (SH-42, SH-43)."""
    assert state.question is not None
    owner = state.question.seat
    if owner in liable:
        times = LIABLE_DISCARD
    elif state.phase is Phase.ROBBERY and state.ruleset.option("rob_pays") == 3:
        times = 3
    else:
        times = PLAIN
    yield owner, times, "win"
    for partner in state.others(winner):
        if partner in liable and partner != owner:
            yield partner, PLAIN, "liability"


def no_transfer(state: State) -> tuple[int, ...]:
    """Kongs cost nothing here, so nothing is transferred."""
    return ()


def earthly(state: State, seat: Seat) -> bool:
    """A non-dealer's win in the first round: nobody has discarded twice (SH-12, kind 2)."""
    discards = Counter(discard.seat for discard in state.discards)
    return seat != state.dealer and all(times < 2 for times in discards.values())


def end(state: State, cause: EndCause) -> Ended:
    """The last event of a deal: the escape's penalty, or who deals next (SH-1, PF-23)."""
    payments: tuple[Payment, ...] = ()
    if cause is EndCause.ESCAPED and state.ruleset.escape_penalty:
        (escaper,) = state.away
        payments = (Payment(escaper, SYSTEM, state.ruleset.escape_penalty, "penalty"),)
    return Ended(
        cause=cause,
        payments=payments,
        checks=(),
        kong_outcomes=(KongOutcome.VOID,) * len(state.kongs),
        next_dealer=None if cause is EndCause.ESCAPED else _next_dealer(state),
        hands=state.hands,
    )


def _next_dealer(state: State) -> Seat:
    """The winner, the first in turn order from the discarder; after an exhaustive draw the dealer again."""
    return state.wins[0].winners[0].seat if state.wins else state.dealer
