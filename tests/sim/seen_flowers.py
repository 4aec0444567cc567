"""Predicates over a moment of a deal with flowers, chows and one winning tile: 上海 and 大众."""

from collections.abc import Callable

from games.mahjong import actions as asked
from games.mahjong.actions import Choice
from games.mahjong.events import Discarded, DrawSource, EndCause, Melded, WinnerResult
from games.mahjong.hand import WinBy
from games.mahjong.melds import MeldKind
from games.mahjong.tiles import HONOURS
from tests.sim.books import CHOWS
from tests.sim.houses.shanghai import DRAGON, partners
from tests.sim.moments import Moment
from tests.sim.seen import Seen, full

# --- flowers and draws ----------------------------------------------------------------------------


def in_opening(m: Moment) -> bool:
    return not m.books.began


def dealers_in_opening(m: Moment) -> bool:
    return not m.books.began and m.event.seat == m.books.dealer


def others_in_opening(m: Moment) -> bool:
    return not m.books.began and m.event.seat != m.books.dealer


def drawn_later(m: Moment) -> bool:
    return m.books.began


def flower_replaced(m: Moment) -> bool:
    return m.event.source is DrawSource.FLOWER


def last_tile_is_flower(m: Moment) -> bool:
    """A flower is the last tile: exposed, and not replaced."""
    return m.books.began and not m.books.wall


def discards_without_replacement(m: Moment) -> bool:
    books = m.books
    return books.source is DrawSource.CLAIM and books.last_tile() and not isinstance(books.last, Melded)


def offered(m: Moment) -> bool:
    return len(m.books.flowers[m.event.seat]) + 1 == m.books.house.offer_count


def offer_declined(m: Moment) -> bool:
    return isinstance(m.action, asked.Decline)


def offer_timed_out(m: Moment) -> bool:
    return isinstance(m.action, asked.Timeout)


def offer_taken(m: Moment) -> bool:
    return m.books.offered


def scores_after_declining(m: Moment) -> bool:
    """A win of somebody who exposed all flowers and declined."""
    return not m.books.offered and any(
        len(m.books.flowers[winner.seat]) == m.books.house.offer_count for winner in m.event.winners
    )


def only_offer(m: Moment) -> bool:
    """While the offer stands another move of its seat is refused."""
    return m.books.offered and m.event.reason == "QUESTION_OPEN" and m.event.seat == m.books.turn


def die(*numbers: int) -> Seen:
    return lambda m: m.event.die in numbers


def stack_gone(m: Moment) -> bool:
    """A kong's die points at a stack that is gone or broken."""
    return m.event.die is not None and len(m.books.kongs) > 1


def replaced_from_tail(m: Moment) -> bool:
    return m.event.source is DrawSource.REPLACEMENT


def sum_of_dice(m: Moment) -> bool:
    return full(m)


# --- claims -----------------------------------------------------------------------------------------


def chow(choice: Choice) -> Seen:
    return lambda m: m.event.lowest is not None and m.event.tile - m.event.lowest == list(CHOWS).index(choice)


def pung(m: Moment) -> bool:
    return m.event.lowest is None


def pung_beats_chow(m: Moment) -> bool:
    asked_now = m.books.asked
    return m.event.lowest is None and asked_now is not None and bool(set(asked_now.answers.values()) & set(CHOWS))


def win_beats_claims(m: Moment) -> bool:
    claims = {Choice.PUNG, Choice.KONG, *CHOWS}
    return (
        m.event.by is WinBy.DISCARD and m.books.asked is not None and bool(claims & set(m.books.asked.answers.values()))
    )


def chow_from_any(m: Moment) -> bool:
    return m.event.lowest is not None and m.event.seat != m.books.after(m.event.from_seat)[0]


def only_first_wins(m: Moment) -> bool:
    """Two claimed the win; the first in turn order has it."""
    return m.books.asked is not None and len(m.books.claims_now(Choice.WIN)) > 1


def rob_beaten(m: Moment) -> bool:
    return m.event.by is WinBy.ROB and only_first_wins(m)


def last_discard_no_meld(m: Moment) -> bool:
    """A meld of the last discard is refused."""
    return m.event.reason == "WALL_EMPTY" and m.books.asked is not None


def passed_and_wins(m: Moment) -> bool:
    return any(winner.seat in m.books.passed for winner in m.event.winners)


def discard_after(kind: MeldKind | None) -> Seen:
    """A discard right after a meld: a chow, or a pung."""

    def seen(m: Moment) -> bool:
        last = m.books.last
        return isinstance(last, Melded) and (last.lowest is None) == (kind is MeldKind.PUNG)

    return seen


def win_after_claim(m: Moment) -> bool:
    """A win right after a chow or pung is refused."""
    return m.event.reason == "NO_DRAW" and m.event.kind is asked.Win


def kong_after_claim(m: Moment) -> bool:
    return m.event.reason == "NO_DRAW" and m.event.kind is asked.Kong


# --- wins and the end -----------------------------------------------------------------------------


def numbered(number: int) -> Seen:
    """Whether a win has the row of this number."""
    return lambda m: any(fan.number == number for winner in m.event.winners for fan in winner.fans)


def beside(number: int, others: set[int]) -> Seen:
    """Whether a win has the row and one of the others."""
    return lambda m: any(
        number in found and found & others
        for found in ({fan.number for fan in winner.fans} for winner in m.event.winners)
    )


def lezi(multiple: int) -> Seen:
    return lambda m: any(winner.fan_total == multiple for winner in m.event.winners)


def capped(m: Moment) -> bool:
    """A basic win whose base sum would come to more than a lezi."""
    return any(
        not winner.fan_total and winner.base_sum is not None and winner.base_sum * 4 > 30 for winner in m.event.winners
    )


def basic(m: Moment) -> bool:
    return any(not winner.fan_total for winner in m.event.winners)


def no_flower_self_drawn(m: Moment) -> bool:
    return m.event.by is WinBy.SELF and any(not winner.fan_total and winner.base_sum == 2 for winner in m.event.winners)


def no_flower_lezi(m: Moment) -> bool:
    """A hand of kinds 11 or 12 that is worth a lezi wins a discard without a flower point."""
    return m.event.by is not WinBy.SELF and any(
        winner.base_sum == 2 and winner.fans[0].number in (2, 9, 10) for winner in m.event.winners
    )


def flower_by_winning_tile(m: Moment) -> bool:
    """The winning discard makes the honour pung that is the only flower point."""
    if m.event.by is WinBy.SELF or m.event.tile not in HONOURS:
        return False
    tile: int = m.event.tile
    winners: tuple[WinnerResult, ...] = m.event.winners
    least = 4 if tile >= DRAGON else 3
    return any(
        winner.base_sum == least and not winner.fan_total and m.books.hands[winner.seat].count(tile) == 2
        for winner in winners
    )


def plain_refused(m: Moment) -> bool:
    return bool(m.event.reason == "NOT_A_WIN")


def plain_legalised(m: Moment) -> bool:
    return any({fan.number for fan in winner.fans} <= {9, 10} for winner in m.event.winners)


def doubled(stacked: bool) -> Seen:
    def seen(m: Moment) -> bool:
        draws = m.books.draws_in_row
        stacks = m.books.ruleset.option("draw_doubling") == "stack"
        return draws > 1 and stacks if stacked else draws > 0

    return seen


def once_only(m: Moment) -> bool:
    return m.books.draws_in_row > 1 and m.books.ruleset.option("draw_doubling") == "once"


Liable = Callable[[Moment, int, set[int]], bool]


def liable(test: Liable) -> Seen:
    """Whether a winner in liability meets the test: moment, winner, partners."""
    return lambda m: any(
        bool(found) and test(m, winner.seat, found)
        for winner in m.event.winners
        for found in (partners(m.books, winner.seat),)
    )


def bound_now(m: Moment) -> bool:
    """The third meld claimed from one player."""
    given = [meld.from_seat for meld in m.books.melds[m.event.seat]]
    return given.count(m.event.from_seat) == 2


def liable_self(m: Moment, seat: int, found: set[int]) -> bool:
    return m.event.by is WinBy.SELF


def liable_discards(m: Moment, seat: int, found: set[int]) -> bool:
    return m.event.from_seat in found


def third_discards(m: Moment, seat: int, found: set[int]) -> bool:
    return m.event.from_seat is not None and m.event.from_seat not in found


def two_partners(m: Moment, seat: int, found: set[int]) -> bool:
    return len(found) > 1


def feeder_wins(m: Moment, seat: int, found: set[int]) -> bool:
    """Who fed the three melds wins."""
    return any([meld.from_seat for meld in m.books.melds[other]].count(seat) >= 3 for other in found)


def several_and_liable(m: Moment, seat: int, found: set[int]) -> bool:
    return len(m.event.winners) > 1


def liable_short(m: Moment) -> bool:
    return any(line.paid < line.payment.amount and line.payment.cause == "liability" for line in m.paid)


def liable_outside_kinds(m: Moment) -> bool:
    """八花 or 天和 of somebody in liability."""
    return any(winner.fans[0].number in (1, 2, 3) and partners(m.books, winner.seat) for winner in m.event.winners)


def rob_pays(times: int) -> Seen:
    return lambda m: m.event.by is WinBy.ROB and m.books.ruleset.option("rob_pays") == times


def next_dealer_after(cause: EndCause, several: bool = False) -> Seen:
    def seen(m: Moment) -> bool:
        return m.event.cause is cause and (not several or len(m.books.winners) > 1)

    return seen


def minimum_fan_refuses(m: Moment) -> bool:
    return m.event.reason == "NOT_A_WIN" and bool(m.books.ruleset.option("minimum_fan"))


def round_wind(index: int) -> Seen:
    return lambda m: m.books.deal_index // 4 % 4 == index


def option(name: str, value: object) -> Seen:
    return lambda m: m.books.ruleset.option(name) == value


def shape(kind: str) -> Seen:
    """Whether a win has a shape, by the rows that name it."""
    rows = {"orphans": 7, "pairs": 19, "knitted": 34, "knitted_straight": 35}
    return numbered(rows[kind])


def turn_passes(m: Moment) -> bool:
    last = m.books.last
    return isinstance(last, Discarded) and m.event.seat == m.books.after(last.seat)[0]


def penalty(m: Moment) -> bool:
    return any(line.cause == "penalty" for line in m.event.payments)
