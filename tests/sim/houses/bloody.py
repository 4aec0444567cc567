"""血战 by its clauses: what wins are worth and what the end of a deal costs."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from games.mahjong.events import DrawSource, EndCause, KongOutcome
from games.mahjong.hand import Situation, WinBy
from games.mahjong.melds import MeldKind
from tests.contract import brute
from tests.sim.houses.house import Ending, House, Line, Worth

if TYPE_CHECKING:
    from tests.sim.books import Books, KongNote

FAN_ROWS = {
    "heavenly_win": ("天胡", 3, 3),
    "earthly_win": ("地胡", 2, 3),
    "all_pungs": ("对子胡", 2, 2),
    "full_flush": ("清一色", 2, 2),
    "seven_pairs": ("暗七对", 2, 0),
    "four_pairs": ("暗四对", 0, 2),
    "gui": ("归", 1, 1),
    "win_on_replacement": ("杠上开花", 1, 1),
    "robbing_the_kong": ("抢杠胡", 1, 1),
    "win_after_kong": ("杠上炮", 1, 1),
    "last_tile_draw": ("海底捞", 1, 1),
    "last_tile_discard": ("海底炮", 1, 1),
    "ready_declaration": ("报叫", 0, 1),
}
"""BB-22: name, fan of one occurrence for four and for six players; 0 where the game has it not."""

RAIN_BASES: Mapping[MeldKind, int] = {
    MeldKind.CONCEALED_KONG: 2,
    MeldKind.ADDED_KONG: 1,
    MeldKind.EXPOSED_KONG: 2,
}
"""BB-30."""
FAN_COLUMN = {4: 1, 6: 2}
PAIRS = {4: "seven_pairs", 6: "four_pairs"}


class Bloody4(House):
    """四人血战."""

    must_win = locks = True
    stacks = 9
    rain_bases = RAIN_BASES
    bonus_bases = 0
    contradiction_rule = "BB-70"
    owner_deals = False

    def wall_start(self, dealer: int, dice: tuple[int, ...]) -> int:
        """BB-3."""
        breaker = dealer
        for _ in range(dice[0] + dice[1] - 1):
            breaker = (breaker + 1) % self.seat_count
        return 2 * (breaker * self.stacks + min(dice) - 1)

    def worth(self, books: "Books", seat: int, tile: int | None, by: WinBy | None) -> Worth | None:
        """BB-20..22, BB-42."""
        tiles = tuple(sorted((*books.hands[seat],) if tile is None else (*books.hands[seat], tile)))
        meld_tiles = books.meld_tiles(seat)
        copies = Counter((*tiles, *meld_tiles))
        if max(copies.values()) > 4 or not brute.completes(tiles, meld_count=len(books.melds[seat]), pairs_win=True):
            return None
        fans = self._shape_fans(copies, tiles, len(books.melds[seat]))
        if by is not None:
            fans |= situation_fans(books, seat, by)
        rows = [(name, zh, fans.get(name, 0) * values[FAN_COLUMN[self.seat_count] - 1]) for name, (zh, *values) in ROWS]
        found = tuple(row for row in rows if row[2])
        total = sum(value for _, _, value in found)
        return Worth(found, total, self._amount(books, total, by))

    def _amount(self, books: "Books", total: int, by: WinBy | None) -> int:
        """BB-21, BB-23."""
        bonus = self.bonus_bases if by is WinBy.SELF else 0
        return int(books.ruleset.stake * (2**total + bonus))

    def _shape_fans(self, copies: Counter[int], tiles: tuple[int, ...], meld_count: int) -> dict[str, int]:
        """Occurrences of the fans that tiles alone make, in the best reading."""
        fans = {"gui": sum(held == 4 for held in copies.values())}
        fans["full_flush"] = int(len({tile // 9 for tile in copies}) == 1)
        if any(all(kind == "triplet" for kind, _ in sets) for sets, _ in brute.readings(tiles)):
            fans["all_pungs"] = 1
        elif not meld_count and brute.all_pairs(tiles):
            fans[PAIRS[self.seat_count]] = 1
        return fans

    def situations(self, books: "Books", seat: int, tile: int, by: WinBy) -> frozenset[Situation]:
        """BB-18, BB-22."""
        holds = situation_fans(books, seat, by)
        return frozenset(SITUATION_OF_FAN[name] for name, held in holds.items() if held and name in SITUATION_OF_FAN)

    def asks(self, books: "Books", seat: int, worth: Worth, by: WinBy, owner: int | None) -> list[Line]:
        """BB-25; a payer who has declared pays one fan more (BB-18)."""
        payers = books.still_playing_after(seat) if owner is None else [owner]
        return [
            (payer, seat, self._amount(books, worth.total + (payer in books.declared), by), "win") for payer in payers
        ]

    def transferred(self, books: "Books") -> tuple[int, ...]:
        """BB-33."""
        if books.source is not DrawSource.REPLACEMENT:
            return ()
        chosen = books.turn_kongs if books.ruleset.option("kong_transfer") == "chain" else books.turn_kongs[-1:]
        return tuple(index for index in chosen if not books.kongs[index].robbed)

    def ending(self, books: "Books", cause: EndCause, escaper: int | None) -> Ending:
        """BB-32, BB-40..42, BB-50..52."""
        left = books.playing()
        check = {seat: highest(books, seat) for seat in left} if len(left) > 1 else {}
        outcomes = tuple(outcome(kong, check, stands=self.robbed_stands) for kong in books.kongs)
        payments = [*_rain(books, outcomes), *_check_money(books, check)]
        return Ending(payments, self._next_dealer(books), check, outcomes)

    def _next_dealer(self, books: "Books") -> int:
        """BB-5."""
        if not books.wins:
            return books.dealer
        first = books.wins[0]
        seats = {winner.seat for winner in first.winners}
        if first.from_seat is None:
            return seats.pop()
        if len(seats) > 1 and self.owner_deals:
            return first.from_seat
        return next(seat for seat in books.after(first.from_seat) if seat in seats)


class Bloody6(Bloody4):
    """六人血战."""

    seat_count = 6
    portions = (3, 3, 1)
    stacks = 6
    locks = False
    declares = shares = robbed_stands = owner_deals = True
    bonus_bases = 1


SITUATION_OF_FAN = {
    "heavenly_win": Situation.HEAVENLY,
    "earthly_win": Situation.EARTHLY,
    "win_on_replacement": Situation.KONG_REPLACEMENT,
    "win_after_kong": Situation.AFTER_KONG,
    "last_tile_draw": Situation.LAST_TILE,
    "last_tile_discard": Situation.LAST_TILE,
    "ready_declaration": Situation.DECLARED,
}
ROWS = tuple(FAN_ROWS.items())


def situation_fans(books: "Books", seat: int, by: WinBy) -> dict[str, int]:
    """The fans that the moment makes (BB-18, BB-22)."""
    fans: dict[str, int] = {"ready_declaration": seat in books.declared}
    if by is WinBy.SELF:
        fans["heavenly_win"] = books.source is DrawSource.DEAL
        fans["win_on_replacement"] = books.source is DrawSource.REPLACEMENT
        fans["last_tile_draw"] = books.last_tile()
    elif by is WinBy.ROB:
        fans["robbing_the_kong"] = True
    else:
        fans["earthly_win"] = len(books.discards) == 1 and books.discards[0][0] == books.dealer
        fans["win_after_kong"] = books.source is DrawSource.REPLACEMENT
        fans["last_tile_discard"] = books.last_tile()
    return fans


def highest(books: "Books", seat: int) -> int:
    """The most a hand could win from one payer, 0 if it is not ready (BB-40)."""
    amounts = [books.worth(seat, tile, None) for tile in books.waits(seat)]
    return max((worth.amount for worth in amounts if worth is not None), default=0)


def outcome(kong: "KongNote", check: dict[int, int], *, stands: bool) -> KongOutcome:
    """What becomes of a kong (BB-32)."""
    if kong.robbed and not stands:
        return KongOutcome.VOID
    if kong.receivers:
        return KongOutcome.TRANSFERRED
    return KongOutcome.VOID if check.get(kong.seat) == 0 else KongOutcome.PAID


def _rain(books: "Books", outcomes: tuple[KongOutcome, ...]) -> Iterator[Line]:
    """BB-50, BB-52."""
    payees = [*books.winners, *(seat for seat in books.around() if seat not in books.winners)]
    for payee in payees:
        for kong, fate in zip(books.kongs, outcomes, strict=True):
            if fate is KongOutcome.PAID and kong.seat == payee:
                for payer in kong.owing:
                    yield payer, payee, kong.amount, "rain"
            if fate is KongOutcome.TRANSFERRED:
                for payer, amount in share_of(kong, payee):
                    yield payer, payee, amount, "rain"


def share_of(kong: "KongNote", payee: int) -> list[tuple[int, int]]:
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


def _check_money(books: "Books", check: dict[int, int]) -> Iterator[Line]:
    """BB-40, and BB-41 for hands that were declared."""
    for payee in books.around():
        if not check.get(payee):
            continue
        for payer in books.after(payee):
            if payer not in check:
                continue
            mine = _check_claim(books, check, payee, payer)
            his = _check_claim(books, check, payer, payee)
            if mine > his:
                yield payer, payee, mine - his, "check"


def _check_claim(books: "Books", check: dict[int, int], payee: int, payer: int) -> int:
    """What one seat may ask another at the check."""
    if not check[payee]:
        return 0
    if check[payer] and payer not in books.declared:
        return 0
    doubled = payee in books.declared or payer in books.declared
    return check[payee] * (2 if doubled else 1)
