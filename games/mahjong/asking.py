"""Who pays whom for a win, seat by seat, asked without a table.

What a variant decides about payments it decides over a state. Here a state is made that says no more than what is
asked: who won, who gave the tile, who is out, who declared, who is liable.
"""

from dataclasses import dataclass

from games.kernel import Payment, Seat, changed
from games.mahjong.events import WinnerResult, Won
from games.mahjong.game import GAME
from games.mahjong.hand import HandError, Score, Situation, WinBy, WinningHand
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.ruleset import Ruleset
from games.mahjong.state import Phase, Question, State

MELDS_OF_LIABILITY = 3
"""Melds claimed from one player that bind the two (SH-40)."""
DRAWS_IN_ROW_MAX = 16
"""More exhaustive draws in a row than any table is asked about."""


@dataclass(frozen=True, slots=True)
class Seats:
    """Who sits where when a hand wins.

    Attributes:
        winner: the winner's seat.
        giver: who discarded the tile or whose kong is robbed; None on a self-draw.
        out: seats that have won before and take no further part (BB-11).
        declared: seats that have declared, the winner left out (BB-18).
        liable: seats in liability with the winner (SH-40).
        draws_in_row: exhaustive draws just before the deal (SH-33).
    """

    winner: Seat
    giver: Seat | None = None
    out: frozenset[Seat] = frozenset()
    declared: frozenset[Seat] = frozenset()
    liable: frozenset[Seat] = frozenset()
    draws_in_row: int = 0


def usual_seats(rules: Ruleset, by: WinBy) -> Seats:
    """Seats where none are named: the winner at 0; whoever gives the tile right before him."""
    return Seats(winner=0, giver=None if by is WinBy.SELF else rules.seat_count - 1)


def check_seats(rules: Ruleset, hand: WinningHand, seats: Seats) -> None:
    """Raise HandError if the seats contradict each other, the hand, or the game."""
    everybody = range(rules.seat_count)
    _check(seats.winner in everybody, "seats.winner_seat", f"a seat from 0 to {rules.seat_count - 1}")
    if hand.by is WinBy.SELF:
        _check(seats.giver is None, "seats.giver_seat", "nobody gives the tile of a self-draw")
    else:
        _check(seats.giver in everybody, "seats.giver_seat", f"a seat from 0 to {rules.seat_count - 1}")
        _check(seats.giver != seats.winner, "seats.giver_seat", "another seat than the winner's")
    for name, named in (("out", seats.out), ("declared", seats.declared), ("liable", seats.liable)):
        field = f"seats.{name}_seats"
        _check(named <= set(everybody), field, f"seats from 0 to {rules.seat_count - 1}")
        _check(seats.winner not in named, field, "the winner is none of them")
    _check(not seats.out or not rules.win_ends_deal, "seats.out_seats", "here a win ends the deal")
    _check(seats.giver not in seats.out, "seats.out_seats", "who has won gives no tile")
    _check(len(seats.out) < rules.seat_count - 1, "seats.out_seats", "the deal is over: all others have won")
    first = hand.situations & {Situation.HEAVENLY, Situation.EARTHLY}
    _check(not seats.out or not first, "seats.out_seats", "a win of the first moments has none before it")
    _check(not seats.declared or rules.declares, "seats.declared_seats", "nobody declares in this game")
    _check(
        hand.by is not WinBy.ROB or seats.giver not in seats.declared,
        "seats.declared_seats",
        "a declared hand has no pung to add to",
    )
    _check(not seats.liable or rules.judgement.liability, "seats.liable_seats", "there is no liability in this game")
    _check(0 <= seats.draws_in_row <= DRAWS_IN_ROW_MAX, "seats.draws_in_row", f"from 0 to {DRAWS_IN_ROW_MAX}")
    more = rules.judgement.draws_raise_pay
    _check(not seats.draws_in_row or more, "seats.draws_in_row", "no deal pays more after draws in this game")
    _check(
        Situation.PAYER_DECLARED not in hand.situations or not seats.declared,
        "seats.declared_seats",
        "either the situation payer_declared, or the seats that declared",
    )


def _check(holds: bool, field: str, detail: str) -> None:
    if not holds:
        raise HandError(field, "PF-51", detail)


def payments_of(rules: Ruleset, hand: WinningHand, worth: Score, seats: Seats) -> tuple[Payment, ...]:
    """What the winner asks, in the order it moves.

    Raises:
        HandError: the seats contradict each other, the hand, or the game.
    """
    check_seats(rules, hand, seats)
    return rules.judgement.win_payments(_state(rules, hand, worth, seats), seats.winner, worth)


def _state(rules: Ruleset, hand: WinningHand, worth: Score, seats: Seats) -> State:
    """A table at the moment of the win, as far as payments ask."""
    question, phase = None, Phase.TURN
    if seats.giver is not None:
        question = Question(seats.giver, hand.tile, (None,) * rules.seat_count)
        phase = Phase.ROBBERY if hand.by is WinBy.ROB else Phase.CLAIMS
    given = (Meld(MeldKind.PUNG, hand.tile, from_seat=seats.winner),) * MELDS_OF_LIABILITY
    earlier = tuple(
        Won(by=WinBy.SELF, tile=None, from_seat=None, winners=(_winner(seat, rank, worth),))
        for rank, seat in enumerate(sorted(seats.out), start=1)
    )
    return changed(
        GAME.initial(rules, seats.winner, draws_in_row=seats.draws_in_row),
        phase=phase,
        question=question,
        wins=earlier,
        declared=seats.declared,
        melds=tuple(given if seat in seats.liable else () for seat in range(rules.seat_count)),
    )


def _winner(seat: Seat, rank: int, worth: Score) -> WinnerResult:
    return WinnerResult(seat, rank, worth.fans, worth.fan_total, worth.amount, ())
