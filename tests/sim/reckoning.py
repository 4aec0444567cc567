"""What wins are worth and what the end of a deal costs in 四人血战, worked out again from the clauses.

Slow and plain on purpose, and with none of the code under test.
"""

from collections import Counter
from collections.abc import Iterator

from games.mahjong.events import DrawSource, KongOutcome
from games.mahjong.hand import WinBy
from games.mahjong.melds import MeldKind
from tests.contract import brute
from tests.sim.books import Books, KongNote

FAN_ROWS = (
    ("heavenly_win", "天胡", 3),
    ("earthly_win", "地胡", 2),
    ("all_pungs", "对子胡", 2),
    ("full_flush", "清一色", 2),
    ("seven_pairs", "暗七对", 2),
    ("gui", "归", 1),
    ("win_on_replacement", "杠上开花", 1),
    ("robbing_the_kong", "抢杠胡", 1),
    ("win_after_kong", "杠上炮", 1),
    ("last_tile_draw", "海底捞", 1),
    ("last_tile_discard", "海底炮", 1),
)
"""BB-22 for four players: id, name, fan of one occurrence."""

Line = tuple[int, int, int, str]
"""Payer, payee, amount, cause."""


def shape_fans(tiles: tuple[int, ...], meld_tiles: tuple[int, ...], meld_count: int) -> dict[str, int]:
    """Occurrences of the fans that tiles alone make, in the best reading."""
    copies = Counter((*tiles, *meld_tiles))
    fans = {"gui": sum(held == 4 for held in copies.values())}
    fans["full_flush"] = int(len({tile // 9 for tile in copies}) == 1)
    if any(all(kind == "triplet" for kind, _ in sets) for sets, _ in brute.readings(tuple(sorted(tiles)))):
        fans["all_pungs"] = 1
    elif not meld_count and brute.all_pairs(tiles):
        fans["seven_pairs"] = 1
    return {name: times for name, times in fans.items() if times}


def situation_fans(books: Books, seat: int, by: WinBy) -> dict[str, int]:
    """The fans that the moment makes (BB-22)."""
    fans = {}
    last = books.draw_count > 0 and not books.wall
    if by is WinBy.SELF:
        fans["heavenly_win"] = books.source is DrawSource.DEAL
        fans["win_on_replacement"] = books.source is DrawSource.REPLACEMENT
        fans["last_tile_draw"] = last
    elif by is WinBy.ROB:
        fans["robbing_the_kong"] = True
    else:
        first = len(books.discards) == 1 and books.discards[0][0] == books.dealer
        fans["earthly_win"] = first
        fans["win_after_kong"] = books.source is DrawSource.REPLACEMENT
        fans["last_tile_discard"] = last
    return {name: 1 for name, holds in fans.items() if holds}


def worth(books: Books, seat: int, tile: int | None, by: WinBy | None) -> tuple[dict[str, int], int]:
    """Fans of a win and what one payer is asked for (BB-21).

    Args:
        tile: the tile from another seat; None where the hand holds it already.
        by: None leaves the moment out of account (BB-40).
    """
    tiles = (*books.hands[seat],) if tile is None else (*books.hands[seat], tile)
    fans = shape_fans(tiles, books.meld_tiles(seat), len(books.melds[seat]))
    if by is not None:
        fans |= situation_fans(books, seat, by)
    values = {name: fans[name] * value for name, _, value in FAN_ROWS if name in fans}
    return values, books.ruleset.stake * 2 ** sum(values.values())


def highest(books: Books, seat: int) -> int:
    """The most a hand could win from one payer, 0 if it is not ready (BB-40)."""
    return max((worth(books, seat, tile, None)[1] for tile in books.waits(seat)), default=0)


def transferred(books: Books) -> tuple[int, ...]:
    """Kongs whose rain goes to the winners of the discard that is asked about (BB-33)."""
    if books.source is not DrawSource.REPLACEMENT:
        return ()
    chosen = books.turn_kongs if books.ruleset.option("kong_transfer") == "chain" else books.turn_kongs[-1:]
    return tuple(index for index in chosen if not books.kongs[index].robbed)


# --- the end ------------------------------------------------------------------------------------


def ready_check(books: Books) -> dict[int, int]:
    """What each seat that takes part in the check could win; empty where there is none."""
    left = books.playing()
    return {seat: highest(books, seat) for seat in left} if len(left) > 1 else {}


def outcome(books: Books, kong: KongNote, check: dict[int, int]) -> KongOutcome:
    """What becomes of a kong (BB-32)."""
    if kong.robbed:
        return KongOutcome.VOID
    if kong.receivers:
        return KongOutcome.TRANSFERRED
    return KongOutcome.VOID if check.get(kong.seat) == 0 else KongOutcome.PAID


def next_dealer(books: Books) -> int:
    """The first winner, the first in turn order where one tile made several; else the dealer (BB-5)."""
    if not books.wins:
        return books.dealer
    first = books.wins[0]
    seats = {winner.seat for winner in first.winners}
    if first.from_seat is None:
        return seats.pop()
    return next(seat for seat in books.after(first.from_seat) if seat in seats)


def end_payments(books: Books) -> list[Line]:
    """All money of the end in the order it moves (BB-50, BB-52)."""
    check = ready_check(books)
    return [*_rain(books, check), *_check_money(books, check)]


def _rain(books: Books, check: dict[int, int]) -> Iterator[Line]:
    around = [books.dealer, *books.after(books.dealer)]
    payees = [*books.winners, *(seat for seat in around if seat not in books.winners)]
    for payee in payees:
        for kong in books.kongs:
            fate = outcome(books, kong, check)
            if fate is KongOutcome.PAID and kong.seat == payee:
                for payer in kong.owing:
                    yield payer, payee, kong.amount, "rain"
            if fate is KongOutcome.TRANSFERRED:
                for payer, amount in share_of(kong, payee):
                    yield payer, payee, amount, "rain"


def share_of(kong: KongNote, payee: int) -> list[tuple[int, int]]:
    """What each payer owes one receiver of a transferred kong: its pool laid out unit by unit."""
    units = [payer for payer in kong.owing for _ in range(kong.amount)]
    least, odd = divmod(len(units), len(kong.receivers))
    start = 0
    for place, receiver in enumerate(kong.receivers):
        size = least + (1 if place < odd else 0)
        if receiver == payee:
            mine = units[start : start + size]
            return [(payer, mine.count(payer)) for payer in kong.owing if payer != payee and payer in mine]
        start += size
    return []


def _check_money(books: Books, check: dict[int, int]) -> Iterator[Line]:
    for payee in (books.dealer, *books.after(books.dealer)):
        if check.get(payee):
            for payer in books.after(payee):
                if check.get(payer) == 0:
                    yield payer, payee, check[payee], "check"


def kong_possible(books: Books, seat: int, tile: int) -> MeldKind | None:
    """The kong the seat could make of its own tiles on its turn (BB-6, BB-10)."""
    if books.source is DrawSource.CLAIM or not books.wall:
        return None
    if books.hands[seat].count(tile) == 4:
        return MeldKind.CONCEALED_KONG
    if tile in books.hands[seat] and (MeldKind.PUNG, tile) in books.melds[seat]:
        return MeldKind.ADDED_KONG
    return None
