"""Who pays whom in 血战: wins at once, rain and ready check at the end (BB-25..52)."""

from collections.abc import Iterator
from dataclasses import dataclass

from games.kernel import Payment, Seat
from games.mahjong.claims import hand_waits
from games.mahjong.events import DrawSource, EndCause, Ended, KongOutcome, ReadyCheck
from games.mahjong.hand import Score, WinBy, WinningHand
from games.mahjong.ruleset import Ruleset
from games.mahjong.state import KongRecord, Phase, State
from games.variants.bloody.fans import amount_of, score


def win_payments(state: State, winner: Seat, worth: Score) -> tuple[Payment, ...]:
    """What one winner asks: everybody who has not won by self-draw, else the tile's owner alone (BB-25)."""
    by: WinBy
    payers: tuple[Seat, ...]
    if state.question is not None:
        by, payers = WinBy.DISCARD, (state.question.seat,)
    else:
        by, payers = WinBy.SELF, tuple(seat for seat in state.others(winner) if not state.has_won(seat))
    # A payer who has declared pays one fan more (BB-18); the winner's own is in the hand's fans.
    return tuple(
        Payment(payer, winner, amount_of(state.ruleset, worth.fan_total + (payer in state.declared), by), "win")
        for payer in payers
    )


def transferred(state: State) -> tuple[int, ...]:
    """Kongs whose rain goes to the winners of the discard in question (BB-33).

    `kong_transfer = last`: the kong whose replacement preceded the discard. `chain`: every
    kong of that turn. Robbed and already transferred ones stay out.
    """
    if state.phase is not Phase.CLAIMS or state.draw is None or state.draw.source is not DrawSource.REPLACEMENT:
        return ()
    chain = state.ruleset.option("kong_transfer") == "chain"
    chosen = state.turn_kongs if chain else state.turn_kongs[-1:]
    return tuple(index for index in chosen if state.kongs[index].outcome is KongOutcome.OPEN)


def earthly(state: State, seat: Seat) -> bool:
    """A non-dealer's win on the dealer's first discard, which is the deal's first (BB-22)."""
    return (
        state.phase is Phase.CLAIMS
        and len(state.discards) == 1
        and state.discards[0].seat == state.dealer
        and seat != state.dealer
    )


def no_flowers(rules: Ruleset) -> Score | None:
    """There are no flowers to win on (BB-1)."""
    return None


def end(state: State, cause: EndCause) -> Ended:
    """The last event of a deal, with the money that moves at its end (BB-50)."""
    playing = state.playing()
    checks = () if cause is EndCause.ONE_LEFT else tuple(_check(state, seat) for seat in playing)
    ready = {check.seat for check in checks if check.ready}
    unready = {check.seat for check in checks if not check.ready}
    outcomes = tuple(_outcome(kong, unready) for kong in state.kongs)
    rain = _rain(state, outcomes)
    return Ended(
        cause=cause,
        payments=(*rain, *_check_payments(state, checks, ready, unready)),
        checks=checks,
        kong_outcomes=outcomes,
        next_dealer=_next_dealer(state),
        hands=state.hands,
    )


def _outcome(kong: KongRecord, unready: set[Seat]) -> KongOutcome:
    """A kong of somebody not ready is void; a transferred one stands (BB-32)."""
    if kong.outcome is not KongOutcome.OPEN:
        return kong.outcome
    return KongOutcome.VOID if kong.seat in unready else KongOutcome.PAID


def _next_dealer(state: State) -> Seat:
    """The first winner, else the dealer again; after several first winners on one tile see the table (BB-5)."""
    if not state.wins:
        return state.dealer
    first = state.wins[0]
    if len(first.winners) > 1 and state.ruleset.seat_count in DISCARDER_DEALS_NEXT:
        assert first.from_seat is not None
        return first.from_seat
    return first.winners[0].seat


DISCARDER_DEALS_NEXT = frozenset({6})
"""Numbers of players where, after several first winners on one tile, its owner deals (BB-5)."""


# --- rain ----------------------------------------------------------------------------------


def _rain(state: State, outcomes: tuple[KongOutcome, ...]) -> tuple[Payment, ...]:
    """By the payee's rank, then those who never won in turn order from the dealer; within a payee by time."""
    won = [winner.seat for winner in state.winners()]
    from_dealer = (state.dealer, *state.others(state.dealer))
    payees = (*won, *(seat for seat in from_dealer if seat not in won))
    kongs = [(kong, outcome) for kong, outcome in zip(state.kongs, outcomes, strict=True)]
    return tuple(payment for payee in payees for kong, outcome in kongs for payment in _rain_to(payee, kong, outcome))


def _rain_to(payee: Seat, kong: KongRecord, outcome: KongOutcome) -> Iterator[Payment]:
    """What one kong brings one seat, payers in turn order from the konger (BB-52)."""
    if outcome is KongOutcome.PAID and kong.seat == payee:
        yield from (Payment(payer, payee, kong.amount, "rain") for payer in kong.owing)
    if outcome is KongOutcome.TRANSFERRED:
        for part in split_pool(kong):
            if part.receiver == payee and part.payer != payee:
                yield Payment(part.payer, payee, part.amount, "rain")


@dataclass(frozen=True, slots=True)
class PoolPart:
    """A part of a transferred kong's pool; payer and receiver may be the same seat."""

    payer: Seat
    receiver: Seat
    amount: int


def split_pool(kong: KongRecord) -> tuple[PoolPart, ...]:
    """A transferred kong's pool in equal shares, odd units to the earlier receivers (BB-33, BB-52).

    The shares are filled in turn order from the discarder, out of the payers in turn order
    from the konger; what somebody would pay himself is a part too, and drops out later.
    """
    share, odd = divmod(kong.amount * len(kong.owing), len(kong.receivers))
    purses = [[payer, kong.amount] for payer in kong.owing]
    parts = []
    for place, receiver in enumerate(kong.receivers):
        missing = share + (place < odd)
        while missing:
            purse = next(purse for purse in purses if purse[1])
            amount = min(missing, purse[1])
            purse[1] -= amount
            missing -= amount
            parts.append(PoolPart(purse[0], receiver, amount))
    return tuple(parts)


# --- ready check ----------------------------------------------------------------------------


def _check(state: State, seat: Seat) -> ReadyCheck:
    """The most the hand could win from one payer, as a discard win without situations (BB-40)."""
    rules = state.ruleset
    best = 0
    for tile in hand_waits(state, seat):
        worth = score(rules, WinningHand(state.hands[seat], state.melds[seat], tile, WinBy.DISCARD))
        assert worth is not None, (seat, tile)
        best = max(best, worth.amount)
    return ReadyCheck(seat, best > 0, best)


def _check_payments(
    state: State, checks: tuple[ReadyCheck, ...], ready: set[Seat], unready: set[Seat]
) -> Iterator[Payment]:
    """Payees in turn order from the dealer, the dealer first; for each its payers in turn order (BB-52)."""
    amounts = {check.seat: check.amount for check in checks}

    def owed(payer: Seat, payee: Seat) -> int:
        """A declared side makes it one fan more; a ready payer owes only if he has declared (BB-41)."""
        if payee not in ready or (payer not in unready and payer not in state.declared):
            return 0
        declared = payee in state.declared or payer in state.declared
        return amounts[payee] << declared

    for payee in (state.dealer, *state.others(state.dealer)):
        for payer in state.others(payee):
            if payer in ready or payer in unready:
                net = owed(payer, payee) - owed(payee, payer)
                if net > 0:
                    yield Payment(payer, payee, net, "check")
