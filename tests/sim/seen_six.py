"""Predicates over a moment of a deal of six: shared tiles, robbed rain, declared hands."""

from games.mahjong import actions as asked
from games.mahjong.actions import Choice
from games.mahjong.events import DrawSource, Konged
from games.mahjong.hand import WinBy
from tests.sim.moments import Moment
from tests.sim.seen import Seen


def owner_deals(by: WinBy) -> Seen:
    """After several first winners on one tile its owner deals next."""

    def seen(m: Moment) -> bool:
        first = m.books.wins[0] if m.books.wins else None
        several = first is not None and first.by is by and len(first.winners) > 1
        return several and first is not None and m.event.next_dealer == first.from_seat

    return seen


def shared(m: Moment) -> bool:
    """A meld of a tile that is won as well."""
    return bool(m.event.shared)


def shared_by_several(m: Moment) -> bool:
    return bool(m.event.shared) and len(m.books.wins[-1].winners) > 1


def plays_on_after_shared(m: Moment) -> bool:
    return any(meld.shared for meld in m.books.melds[m.event.seat]) and m.books.drawn is None


def after_shared_kong(m: Moment) -> bool:
    return m.event.source is DrawSource.REPLACEMENT and isinstance(m.books.last, Konged) and m.books.last.shared


def forced_and_shared(m: Moment) -> bool:
    return bool(m.event.shared) and m.books.must_win()


def robbed_rain(receivers: int) -> Seen:
    """Rain of a robbed kong is paid to its robbers."""

    def seen(m: Moment) -> bool:
        return any(kong.robbed and len(kong.receivers) >= receivers and kong.owing for kong in m.books.kongs)

    return seen


def robbed_rain_odd(m: Moment) -> bool:
    return any(kong.robbed and kong.amount * len(kong.owing) % len(kong.receivers) for kong in m.books.kongs)


def asked_declares(m: Moment) -> bool:
    return m.books.asked is not None and bool(m.event.seats)


def nobody_declares(m: Moment) -> bool:
    """Somebody was ready and did not say that he declares."""
    question = m.books.asked
    if question is None:
        return False
    return any(
        question.answers.get(seat) is not Choice.DECLARE and m.books.waits(seat)
        for seat in m.books.after(m.books.dealer)
    )


def dealer_declares(m: Moment) -> bool:
    return m.event.seats == (m.books.dealer,) and m.books.asked is None


def dealer_declares_after_kong(m: Moment) -> bool:
    return dealer_declares(m) and bool(m.books.kongs)


def declared_times_out(m: Moment) -> bool:
    return isinstance(m.action, asked.Timeout) and m.books.declares_with_discard(m.event.seat)


def discard_not_ready(m: Moment) -> bool:
    return m.event.reason == "NOT_READY" and m.books.declares_with_discard(m.event.seat)


def only_discards(m: Moment) -> bool:
    return m.event.reason == "HAND_LOCKED" and m.books.declares_with_discard(m.event.seat)


def declares_late(m: Moment) -> bool:
    """A ready player asks to declare after the dealer has moved."""
    books = m.books
    late = bool(books.discards) or bool(books.kongs)
    return m.event.kind is asked.Declare and late and m.event.seat in books.playing() and m.event.seat != books.dealer


def declared_discards(m: Moment) -> bool:
    return m.event.seat in m.books.declared & m.books.locked


def declared_payer(m: Moment) -> bool:
    return any(line.payer in m.books.declared for winner in m.event.winners for line in winner.payments)


def both_declared(m: Moment) -> bool:
    return any(
        winner.seat in m.books.declared and line.payer in m.books.declared
        for winner in m.event.winners
        for line in winner.payments
    )


def gui_of_robbed(m: Moment) -> bool:
    """The owner of a robbed kong wins with it."""
    owners = {kong.seat for kong in m.books.kongs if kong.robbed}
    return any(winner.seat in owners and any(fan.fan_id == "gui" for fan in winner.fans) for winner in m.event.winners)


def reverse_check(m: Moment) -> bool:
    """A declared hand that is ready pays another ready one."""
    ready = {row.seat for row in m.event.checks if row.ready}
    return any(
        line.cause == "check" and line.payer in ready & m.books.declared and line.payee not in m.books.declared
        for line in m.event.payments
    )


def unready_pays_declared(m: Moment) -> bool:
    unready = {row.seat for row in m.event.checks if not row.ready}
    return any(
        line.cause == "check" and line.payer in unready and line.payee in m.books.declared for line in m.event.payments
    )


def two_declared_left(m: Moment) -> bool:
    return sum(row.seat in m.books.declared for row in m.event.checks) > 1
