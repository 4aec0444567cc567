"""Predicates over a moment of a deal: what came to pass. The table that names them is in `clauses.py`."""

from collections import Counter
from collections.abc import Callable

from games.mahjong import actions as asked
from games.mahjong.actions import Choice
from games.mahjong.events import Discarded, DrawSource, EndCause, KongOutcome, Won
from games.mahjong.hand import WinBy
from games.mahjong.melds import MeldKind
from tests.contract import brute
from tests.sim.moments import Moment

Seen = Callable[[Moment], bool]


def first_winners(m: Moment) -> tuple[object, ...]:
    """The winners of the first win of an ended deal."""
    return m.books.wins[0].winners if m.books.wins else ()


def full_set(m: Moment) -> bool:
    """A wall of all tiles, four of each kind and one of each flower."""
    kinds = m.books.ruleset.kinds
    wanted = Counter([*kinds, *kinds, *kinds, *kinds, *m.books.ruleset.flowers])
    return Counter(m.event.wall) == wanted


def last_replacement(m: Moment) -> bool:
    """A kong's replacement that is the last tile."""
    return m.event.source is DrawSource.REPLACEMENT and len(m.books.wall) == 1


def probe(what: str) -> Seen:
    """Whether this contradiction was put to the scorer."""
    return lambda m: m.event.what == what


def full(m: Moment) -> bool:
    """A whole wall, not an arranged shorter one."""
    return len(m.event.wall) == m.books.ruleset.tile_count


def breaker(step: int) -> Seen:
    """Whether drawing starts in the wall of the seat so many places after the dealer."""

    def seen(m: Moment) -> bool:
        count = m.books.house.seat_count
        per_seat = len(m.event.wall) // count
        return full(m) and (m.event.wall_start // per_seat - m.event.dealer) % count == step

    return seen


def by(by: WinBy) -> Seen:
    return lambda m: m.event.by is by


def kong(kind: MeldKind) -> Seen:
    return lambda m: m.event.kind is kind


def added_later(m: Moment) -> bool:
    """An added kong of a tile that was in the hand before the draw."""
    return m.event.kind is MeldKind.ADDED_KONG and m.event.tile != m.books.drawn


def several(number: int) -> Seen:
    return lambda m: len(m.event.winners) == number


def skips_winner(m: Moment) -> bool:
    """The one who would draw has won, so the next one does."""
    last = m.books.last
    return isinstance(last, Discarded) and m.event.seat != m.books.after(last.seat)[0]


def after_wins(m: Moment) -> bool:
    last = m.books.last
    return isinstance(last, Won) and last.by is WinBy.DISCARD


def after_several(m: Moment) -> bool:
    last = m.books.last
    return isinstance(last, Won) and last.by is WinBy.DISCARD and len(last.winners) > 1


def not_after_the_first(m: Moment) -> bool:
    """After several winners another one draws than would after the first of them."""
    last = m.books.last
    if not isinstance(last, Won) or not after_several(m):
        return False
    return bool(m.event.seat != m.books.still_playing_after(last.winners[0].seat)[0])


def claim_beaten(m: Moment) -> bool:
    books = m.books
    return m.event.by is WinBy.DISCARD and bool(books.claims_now(Choice.PUNG) or books.claims_now(Choice.KONG))


def win_let_go(m: Moment) -> bool:
    """A meld of a tile on which somebody could have won."""
    return m.books.asked is not None and any(m.books.could_win_asked(seat) for seat in m.books.playing())


def exposed_let_go(m: Moment) -> bool:
    return m.event.kind is MeldKind.EXPOSED_KONG and win_let_go(m)


def robbed_owner_draws(m: Moment) -> bool:
    last = m.books.last
    return isinstance(last, Won) and last.by is WinBy.ROB


def robbed_owner_left(m: Moment) -> bool:
    return robbed_owner_draws(m) and m.event.cause is EndCause.ONE_LEFT


def not_robbed(m: Moment) -> bool:
    """The kong stands although somebody could have robbed it."""
    asked_now = m.books.asked
    return asked_now is not None and asked_now.robbery and win_let_go(m)


def forced(by: WinBy) -> Seen:
    def seen(m: Moment) -> bool:
        if m.event.by is not by or not m.books.must_win():
            return False
        if by is WinBy.SELF:
            return not isinstance(m.action, asked.Win)
        return any(m.books.forced(winner.seat) for winner in m.event.winners)

    return seen


def made_winner_not_asked(m: Moment) -> bool:
    """An answer from a seat that is a winner already, by the rules."""
    asked_now = m.books.asked
    known = asked_now is not None and m.event.seat in m.books.playing()
    return known and m.event.reason == "ALREADY_ANSWERED" and m.books.must_win() and m.books.forced(m.event.seat)


def forced_beats(m: Moment) -> bool:
    return forced(WinBy.DISCARD)(m) and claim_beaten(m)


def asked_before_first_draw(m: Moment) -> bool:
    """An answer on a tile that would be a forced win if a tile had been drawn."""
    books = m.books
    return books.draw_count == 0 and len(books.wall) <= 3 and books.could_win_asked(m.event.seat)


def locks_asked(m: Moment) -> bool:
    return m.books.asked is not None


def lock_wins(m: Moment) -> bool:
    asked_now = m.books.asked
    return asked_now is not None and m.event.seat not in asked_now.answers and m.books.could_win_asked(m.event.seat)


def lock_passes(m: Moment) -> bool:
    """A lock where a pung or kong was asked about, and no win."""
    asked_now = m.books.asked
    if asked_now is None or asked_now.robbery or asked_now.seat == m.event.seat:
        return False
    held = m.books.hands[m.event.seat].count(asked_now.tile)
    return held >= 2 and not m.books.could_win_asked(m.event.seat)


def locked_discards(m: Moment) -> bool:
    return m.event.seat in m.books.locked


def locked_wins(by: WinBy) -> Seen:
    def seen(m: Moment) -> bool:
        return m.event.by is by and any(
            winner.seat in m.books.locked and not m.books.must_win() for winner in m.event.winners
        )

    return seen


def option(name: str, value: object) -> Seen:
    return lambda m: m.books.ruleset.option(name) == value


def wins_after_pass(m: Moment) -> bool:
    """Without the option: a win on another's tile after one was let go."""
    free = not m.books.ruleset.option("pass_locks_win")
    return free and m.event.by is not WinBy.SELF and any(winner.seat in m.books.passed for winner in m.event.winners)


def locked_until_draw(m: Moment) -> bool:
    """With the option: a draw frees who had passed a win."""
    return m.event.seat in m.books.win_locked


def passed_by_meld(m: Moment) -> bool:
    """With the option: who takes a pung or kong of a tile he could win has passed the win."""
    if not m.books.ruleset.option("pass_locks_win"):
        return False
    if m.books.asked is None:
        return m.event.seat in m.books.win_locked
    return m.books.could_win_asked(m.event.seat)


def self_draw_after_pass(m: Moment) -> bool:
    return (
        bool(m.books.ruleset.option("pass_locks_win"))
        and m.event.by is WinBy.SELF
        and m.event.winners[0].seat in m.books.passed
    )


def tiles(m: Moment, seat: int) -> tuple[int, ...]:
    """The concealed tiles of a winner, the winning one among them."""
    own = m.books.hands[seat]
    return tuple(sorted(own if m.event.by is WinBy.SELF else (*own, m.event.tile)))


def sets(m: Moment) -> bool:
    return any(brute.readings(tiles(m, winner.seat)) for winner in m.event.winners)


def four_as_pairs(m: Moment) -> bool:
    """All pairs with four alike among them."""
    return any(
        fan.fan_id in ("seven_pairs", "four_pairs")
        and any(tiles(m, winner.seat).count(tile) == 4 for tile in range(34))
        for winner in m.event.winners
        for fan in winner.fans
    )


def fan_total(number: int) -> Seen:
    return lambda m: any(winner.fan_total == number for winner in m.event.winners)


def fan(fan_id: str, value: int = 0) -> Seen:
    """Whether a win has the fan, at least so often that it adds `value`."""
    return lambda m: any(
        fan.fan_id == fan_id and fan.value >= value for winner in m.event.winners for fan in winner.fans
    )


def gui_without_kong(m: Moment) -> bool:
    """Four alike that are no kong: three of a pung and one in a run, or four in the hand."""
    for winner in m.event.winners:
        kongs = sum(meld.kind is not MeldKind.PUNG for meld in m.books.melds[winner.seat])
        if sum(fan.value for fan in winner.fans if fan.fan_id == "gui") > kongs:
            return True
    return False


def adds_up(m: Moment) -> bool:
    return any({"all_pungs", "full_flush"} <= {fan.fan_id for fan in winner.fans} for winner in m.event.winners)


def replacement_of_robbed(m: Moment) -> bool:
    """A win on the replacement of a robbed kong."""
    kongs = m.books.turn_kongs
    return (
        m.event.by is WinBy.SELF
        and m.books.source is DrawSource.REPLACEMENT
        and bool(kongs)
        and m.books.kongs[kongs[-1]].robbed
    )


def only_not_won_pay(m: Moment) -> bool:
    return m.event.by is WinBy.SELF and bool(m.books.winners)


def some_do_not_owe(m: Moment) -> bool:
    return bool(m.books.winners) and m.event.kind is not MeldKind.EXPOSED_KONG


def kong_of_winner_paid(m: Moment) -> bool:
    return paid_kongs(m, lambda seat: seat in m.books.winners)


def kong_of_last_paid(m: Moment) -> bool:
    return m.event.cause is EndCause.ONE_LEFT and paid_kongs(m, lambda seat: seat not in m.books.winners)


def kong_of_ready_paid(m: Moment) -> bool:
    return m.event.cause is EndCause.WALL_EMPTY and paid_kongs(m, lambda seat: seat not in m.books.winners)


def paid_kongs(m: Moment, of: Callable[[int], bool]) -> bool:
    outcomes = zip(m.books.kongs, m.event.kong_outcomes, strict=True)
    return any(fate is KongOutcome.PAID and of(kong.seat) for kong, fate in outcomes)


def owes_though_won_since(m: Moment) -> bool:
    """Rain from somebody who has won since the kong was made."""
    return any(line.cause == "rain" and line.payer in m.books.winners for line in m.event.payments)


def void(m: Moment) -> bool:
    outcomes = zip(m.books.kongs, m.event.kong_outcomes, strict=True)
    return any(fate is KongOutcome.VOID and not kong.robbed for kong, fate in outcomes)


def transferred_of_unready(m: Moment) -> bool:
    unready = {row.seat for row in m.event.checks if not row.ready}
    return any(kong.receivers and kong.seat in unready for kong in m.books.kongs)


def transfer(receivers: int) -> Seen:
    return lambda m: bool(m.event.transferred) and len(m.event.winners) == receivers


def transfer_odd(m: Moment) -> bool:
    """A pool that does not divide equally."""
    count = len(m.event.winners)
    kongs = [m.books.kongs[index] for index in m.event.transferred]
    return any(kong.amount * len(kong.owing) % count for kong in kongs)


def own_part_back(m: Moment) -> bool:
    seats = {winner.seat for winner in m.event.winners}
    return any(seats & set(m.books.kongs[index].owing) for index in m.event.transferred)


def chain(m: Moment) -> bool:
    return len(m.event.transferred) > 1


def last_of_chain(m: Moment) -> bool:
    """Without the option: only the last of several kongs of the turn is transferred."""
    return len(m.event.transferred) == 1 and len(m.books.turn_kongs) > 1 and option("kong_transfer", "last")(m)


def robbed_stays_out(m: Moment) -> bool:
    """A win on the discard after a robbed kong's replacement."""
    robbed = any(m.books.kongs[index].robbed for index in m.books.turn_kongs)
    return m.event.by is WinBy.DISCARD and m.books.source is DrawSource.REPLACEMENT and robbed


def check_pays(m: Moment) -> bool:
    return any(line.cause == "check" for line in m.event.payments)


def check_is(ready: bool) -> Seen:
    """Whether all who are checked are ready, or none."""
    return lambda m: bool(m.event.checks) and all(row.ready is ready for row in m.event.checks)


def check_without_winner(m: Moment) -> bool:
    return bool(m.event.checks) and bool(m.books.winners)


def own_four(m: Moment) -> bool:
    """A hand that would be ready but for holding all four of the only tile it waits for."""
    return any(not row.ready and waits_for_own(m, row.seat) for row in m.event.checks)


def waits_for_own(m: Moment, seat: int) -> bool:
    hand, melds = m.books.hands[seat], m.books.melds[seat]
    return any(
        brute.completes(tuple(sorted((*hand, tile))), meld_count=len(melds), pairs_win=m.books.house.pairs_win)
        for tile in m.books.ruleset.kinds
    )


def rain_and_check(m: Moment) -> bool:
    return {"rain", "check"} <= {line.cause for line in m.event.payments}


def rain_by_rank(m: Moment) -> bool:
    """Rain of two payees, the later kong paid first because of its owner's rank."""
    payees = [line.payee for line in m.event.payments if line.cause == "rain"]
    by_time = [kong.seat for kong in m.books.kongs if kong.seat in payees]
    return bool(by_time) and by_time[0] != payees[0]


def short(m: Moment) -> bool:
    return any(0 < line.paid < line.payment.amount for line in m.paid)


def nothing_left(m: Moment) -> bool:
    return any(line.paid == 0 for line in m.paid)


def several_payers(m: Moment) -> bool:
    return any(len(winner.payments) > 1 for winner in m.event.winners)


def pool_in_order(m: Moment) -> bool:
    """A transferred pool with several payers."""
    return any(kong.receivers and len(kong.owing) > 1 for kong in m.books.kongs)


def has_fans(m: Moment) -> bool:
    return any(winner.fans for winner in m.event.winners)


def away_discards(m: Moment) -> bool:
    return m.event.seat in m.books.away and m.event.tile == m.books.drawn


def away_last_in_order(m: Moment) -> bool:
    return m.event.seat in m.books.away and m.books.drawn is None


def away_wins(m: Moment) -> bool:
    return any(winner.seat in m.books.away for winner in m.event.winners)


def away_does_not_win(m: Moment) -> bool:
    """An absent seat throws a tile it would have won with."""
    books = m.books
    return m.event.seat in books.away and books.has_drawn() and books.completed(m.event.seat)


def leaves_asked(m: Moment) -> bool:
    """Somebody leaves who was asked and had not answered."""
    asked_now = m.books.asked
    return asked_now is not None and m.event.seat not in asked_now.answers and m.books.could_win_asked(m.event.seat)


def answer_stands(m: Moment) -> bool:
    """A win claimed before its player left."""
    return m.event.by is not WinBy.SELF and any(
        winner.seat in m.books.away and not m.books.forced(winner.seat) for winner in m.event.winners
    )


def timeout(drawn: bool) -> Seen:
    return lambda m: isinstance(m.action, asked.Timeout) and (m.books.drawn is not None) is drawn


def back_in_control(m: Moment) -> bool:
    return m.event.seat in m.books.returned and isinstance(m.action, asked.Discard)


def silence_passes(m: Moment) -> bool:
    """The question closes and the next tile is drawn although somebody could have claimed."""
    asked_now = m.books.asked
    return asked_now is not None and any(
        seat not in asked_now.answers and seat not in m.books.away | m.books.locked and m.books.could_win_asked(seat)
        for seat in m.books.playing()
    )


def refusal(reason: str, rule: str) -> Seen:
    return lambda m: (m.event.reason, m.event.rule) == (reason, rule)


def always(m: Moment) -> bool:
    return True
