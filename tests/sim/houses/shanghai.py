"""上海麻将 by its clauses."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from games.mahjong.events import DrawSource, EndCause, KongOutcome
from games.mahjong.hand import Situation, WinBy
from games.mahjong.melds import MeldKind
from tests.contract import brute
from tests.sim.houses.house import Ending, House, Line, Worth, escape_payments, own_wall_start

if TYPE_CHECKING:
    from tests.sim.books import Books, MeldNote

NAMES = {
    1: ("heavenly_win", "天和", 4),
    2: ("earthly_win", "地和", 2),
    3: ("eight_flowers", "八花", 1),
    4: ("honours_all_pungs", "字一色", 4),
    5: ("all_honours", "乱风向", 2),
    6: ("full_flush_pungs", "清碰", 2),
    7: ("full_flush", "清一色", 1),
    8: ("half_flush_pungs", "混碰", 1),
    9: ("win_on_replacement", "杠开", 0),
    10: ("single_wait_melded", "大吊车", 0),
    11: ("half_flush", "混一色", 0),
    12: ("all_pungs", "碰碰胡", 0),
}
"""SH-12 by number: id, name, lezi."""

HONOUR = 27
DRAGON = 31
POINTS = {
    MeldKind.PUNG: (0, 1, 2),
    MeldKind.EXPOSED_KONG: (1, 2, 3),
    MeldKind.ADDED_KONG: (1, 2, 3),
    MeldKind.CONCEALED_KONG: (2, 3, 4),
    MeldKind.CHOW: (0, 0, 0),
}
"""SH-20: what a suited one, one of winds and one of dragons counts."""

Way = tuple[int, tuple[int, ...], int]
"""Amount in stakes, kinds, lezi."""


class Shanghai(House):
    """上海麻将."""

    flowers = True
    offer_count = 8
    replacement = "tail"
    opening_dice = 2
    pairs_win = False
    win_ends = leaving_ends = True
    last_melds = False
    contradiction_rule = "SH-50"

    def wall_start(self, dealer: int, dice: tuple[int, ...]) -> int:
        """SH-2, DZ-3."""
        return own_wall_start(dealer, dice)

    def chow_seats(self, books: "Books", giver: int) -> list[int]:
        """SH-5: the player after the discarder."""
        return books.after(giver)[:1]

    def worth(self, books: "Books", seat: int, tile: int | None, by: WinBy | None) -> Worth | None:
        """SH-10..31."""
        if by is WinBy.SELF and books.offered:
            return Worth(((*NAMES[3],),), 1, 30 * books.ruleset.stake, 10)
        tiles = tuple(sorted((*books.hands[seat],) if tile is None else (*books.hands[seat], tile)))
        readings = brute.readings(tiles)
        everything = (*tiles, *books.meld_tiles(seat))
        honours = all(one >= HONOUR for one in everything)
        if not readings and not honours:
            return None
        if tile is not None and everything.count(tile) > 4:
            return None
        base_sum = 2 + self._points(books, seat, readings)
        ways = list(self._ways(books, seat, by, readings, base_sum))
        if not ways:
            return None
        amount, kinds, lezi = max(ways, key=lambda way: (way[0], -way[1][0]))
        open_sum = None if not readings and any(tiles.count(one) >= 3 for one in tiles) else base_sum
        return Worth(tuple(NAMES[kind] for kind in kinds), lezi, amount * books.ruleset.stake, open_sum)

    def _points(self, books: "Books", seat: int, readings: frozenset[brute.Reading]) -> int:
        """SH-20, less the 2."""
        held = len(books.flowers[seat]) + sum(_meld_points(meld) for meld in books.melds[seat])
        concealed = [
            sum(POINTS[MeldKind.PUNG][_class(one)] for kind, one in sets if kind == "triplet") for sets, _ in readings
        ]
        return held + max(concealed, default=0)

    def _ways(
        self, books: "Books", seat: int, by: WinBy | None, readings: frozenset[brute.Reading], base_sum: int
    ) -> Iterator[Way]:
        """Every way the hand may be counted."""
        tiles = (*books.hands[seat], *books.meld_tiles(seat))
        if by is not WinBy.SELF:
            assert books.asked is not None and books.asked.tile is not None
            tiles = (*tiles, books.asked.tile)
        suits = {one // 9 for one in tiles if one < HONOUR}
        honours = any(one >= HONOUR for one in tiles)
        pungs = all(meld.kind is not MeldKind.CHOW for meld in books.melds[seat]) and any(
            all(kind == "triplet" for kind, _ in sets) for sets, _ in readings
        )
        if by is WinBy.SELF and seat == books.dealer and books.source is DrawSource.DEAL:
            yield 4 * 30, (1,), 4
        if seat != books.dealer and max(Counter(owner for owner, _ in books.discards).values(), default=0) < 2:
            yield 2 * 30, (2,), 2
        extra = self._extra(books, seat, by)
        main = _main(suits, honours=honours, pungs=pungs, shape=bool(readings))
        if main:
            lezi = NAMES[main][2] * 2 ** len(extra)
            yield lezi * 30, (main, *extra), lezi
            return
        basic = 11 if len(suits) == 1 and honours else 12 if pungs else 0
        if extra:
            if basic or books.ruleset.option("bonus_legalises_plain"):
                yield 30, extra, 1
        elif basic and (by is WinBy.SELF or base_sum > 2):
            yield min(30, base_sum * 4), (basic,), 0

    def situations(self, books: "Books", seat: int, tile: int, by: WinBy) -> frozenset[Situation]:
        """SH-12."""
        found = {Situation.LAST_TILE} if books.last_tile() else set()
        if by is WinBy.SELF and books.source is DrawSource.DEAL and seat == books.dealer:
            found.add(Situation.HEAVENLY)
        if seat != books.dealer and max(Counter(owner for owner, _ in books.discards).values(), default=0) < 2:
            found.add(Situation.EARTHLY)
        replaced = {DrawSource.REPLACEMENT: Situation.KONG_REPLACEMENT, DrawSource.FLOWER: Situation.FLOWER_REPLACEMENT}
        if by is WinBy.SELF and books.source in replaced:
            found.add(replaced[books.source])
        return frozenset(found)

    def _extra(self, books: "Books", seat: int, by: WinBy | None) -> tuple[int, ...]:
        replaced = by is WinBy.SELF and books.source in (DrawSource.REPLACEMENT, DrawSource.FLOWER)
        return (9,) * replaced + (10,) * (len(books.melds[seat]) == 4)

    def asks(self, books: "Books", seat: int, worth: Worth, by: WinBy, owner: int | None) -> list[Line]:
        """SH-32, SH-33, SH-41..47."""
        rules = books.ruleset
        factor = 2**books.draws_in_row if rules.option("draw_doubling") == "stack" else 1 + (books.draws_in_row > 0)
        amount = worth.amount * factor
        liable = partners(books, seat)
        if owner is None:
            return [(payer, seat, amount * (3 if payer in liable else 1), "win") for payer in books.after(seat)]
        robbed = by is WinBy.ROB and rules.option("rob_pays") == 3
        times = 2 if owner in liable else 3 if robbed else 1
        others = [payer for payer in books.after(seat) if payer in liable and payer != owner]
        return [(owner, seat, amount * times, "win"), *((payer, seat, amount, "liability") for payer in others)]

    def ending(self, books: "Books", cause: EndCause, escaper: int | None) -> Ending:
        """SH-1, PF-23."""
        outcomes = (KongOutcome.VOID,) * len(books.kongs)
        if cause is EndCause.ESCAPED:
            return Ending(escape_payments(books, escaper), None, {}, outcomes)
        dealer = books.winners[0] if books.winners else books.dealer
        return Ending([], dealer, {}, outcomes)


def _main(suits: set[int], *, honours: bool, pungs: bool, shape: bool) -> int:
    """The kind of 4 to 8; 0 if there is none."""
    if not suits:
        return 4 if shape else 5
    if len(suits) > 1 or not shape:
        return 0
    if honours:
        return 8 if pungs else 0
    return 6 if pungs else 7


def _class(tile: int) -> int:
    return 0 if tile < HONOUR else 1 if tile < DRAGON else 2


def _meld_points(meld: "MeldNote") -> int:
    return POINTS[meld.kind][_class(meld.tile)]


def partners(books: "Books", seat: int) -> set[int]:
    """Who is in liability with a seat (SH-40)."""
    found = set()
    for other in books.after(seat):
        for claimer, giver in ((seat, other), (other, seat)):
            if sum(meld.from_seat == giver for meld in books.melds[claimer]) >= 3:
                found.add(other)
    return found
