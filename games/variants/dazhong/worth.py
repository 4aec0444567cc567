"""What a hand is worth: every reading in every shape, the dearest stands (DZ-20, DZ-30).

A reading is one way to see the tiles. Its fans come from tables, those that are not paid beside a
dearer one go (`paid`), and what is left is added up.
"""

from games.mahjong.melds import Meld
from games.mahjong.tiles import HONOURS, Tile
from games.variants.dazhong.fan_table import FAN_BY_ID, FAN_COUNT, UNPAID_BESIDE, VALUE, bit
from games.variants.dazhong.fans import (
    BY_SELF,
    CLAIMED_SHIFT,
    COUNTED,
    EVEN_KEY,
    LAST_OF_KIND,
    ONCE,
    SUITED_PAIR_KEY,
    TIMES_MASK,
    TIMES_WIDTH,
    fans_of_honours,
    fans_of_kinds,
    fans_of_moment,
    fans_of_pungs,
    fans_of_runs,
    fans_of_set_counts,
    is_even,
)
from games.variants.dazhong.sets import (
    BLOCK_COUNT_MASK,
    COUNT_OF,
    FIVES_SHIFT,
    FOURS,
    MELD_COUNT_MASK,
    ONES,
    OUTSIDE_SHIFT,
    PAIR_MASK,
    PAIR_SHIFT,
    PUNGS_MASK,
    RANKS,
    RUN_BASE,
    RUN_OF,
    SUIT_MASK,
    SUIT_WIDTH,
    SUITED_PUNGS_MASK,
    TABLE_SIZE_MAX,
    Part,
    counts_of,
    melds_part,
    sets_and_pair,
)
from games.variants.dazhong.waiting import HONOUR_ONES, KNITTED, ORPHANS, kinds_in, waits_of

NO_TILE = -1
"""In place of the winning tile where there is none (DZ-43)."""

KNITTED_KINDS = 9
ORPHAN_KINDS = 13
SINGLE_KINDS = 14
"""Kinds that a hand of the shape shows at least."""
SETS = 4

NINE_GATES = 0o311111113
SEVEN_SHIFTED = tuple(0o2222222 << (3 * step) for step in range(3))

_NINE_GATES = bit("nine_gates")
_SEVEN_PAIRS = bit("seven_pairs")
_SEVEN_SHIFTED = bit("seven_shifted_pairs")
_ORPHANS = bit("thirteen_orphans")
_LESSER = bit("lesser_honours_and_knitted")
_GREATER = bit("greater_honours_and_knitted")
_STRAIGHT = bit("knitted_straight")
_EDGE = bit("edge_wait")
_CLOSED = bit("closed_wait")
_SINGLE = bit("single_wait")
_HOG = bit("tile_hog")
_HOG_ONCE = ONCE["tile_hog"]
_END_PUNG = bit("pung_of_terminals_or_honours")
_END_PUNG_ONCE = ONCE["pung_of_terminals_or_honours"]
_END_PUNG_TIMES = TIMES_MASK * _END_PUNG_ONCE

Worth = tuple[int, int, int]
"""Total without flowers, the fans paid, and the times of those counted."""


class Judge:
    """One hand on one winning tile: what all its readings share, and the dearest of them so far."""

    def __init__(
        self, concealed: tuple[Tile, ...], melds: tuple[Meld, ...], tile: Tile, moment: int, winds: int
    ) -> None:
        """Prepare.

        Args:
            concealed: the tiles in the hand; all of them where `tile` is NO_TILE.
            melds: sets on the table.
            tile: the winning tile.
            moment: bits of `fans`, from BY_SELF to LAST_OF_KIND.
            winds: as `fans.winds_key` makes them.
        """
        self.tile = tile
        self.waiting = counts_of(concealed)
        self.counts = self.waiting if tile == NO_TILE else self.waiting + COUNT_OF[tile]
        self.meld_count = len(melds)
        self.runs, self.blocks, meld_counts, meld_kinds = melds_part(melds)
        claimed = meld_kinds & MELD_COUNT_MASK
        self.concealed_kongs = meld_kinds >> 3 & MELD_COUNT_MASK
        self.kong_key = self.concealed_kongs << 9 | (meld_kinds >> 6 & MELD_COUNT_MASK) << 12
        if tile != NO_TILE and meld_counts >> (3 * tile) & 7 == 3:
            moment |= LAST_OF_KIND
        self.by_self = moment & BY_SELF != 0
        self.winds = winds
        everything = self.counts + meld_counts
        kinds = kinds_in(everything)
        if is_even(kinds):
            self.kong_key |= EVEN_KEY
        self.fans = fans_of_kinds(kinds) | fans_of_moment(moment | claimed << CLAIMED_SHIFT)
        self.times = 0
        hogs = everything & FOURS
        if hogs:
            self.fans |= _HOG
            self.times = hogs.bit_count() * _HOG_ONCE
        self.lone = -1
        self.total = -1
        self.paid = 0
        self.paid_times = 0

    def judge(self) -> Worth:
        """The dearest reading; a total below zero if there is none."""
        gates = _NINE_GATES if self.meld_count == 0 and self._is_nine_gates() else 0
        for runs, blocks in sets_and_pair(self.counts):
            self._read(runs, blocks, gates, self.counts)
        if self.meld_count <= 1:
            kinds = kinds_in(self.counts)
            kind_count = kinds.bit_count()
            if self.meld_count == 0:
                if not self.counts & ONES:
                    self._pairs()
                elif kind_count >= ORPHAN_KINDS:
                    self._singles(kinds, kind_count)
            if kind_count >= KNITTED_KINDS:
                self._knitted_straight(kinds)
        return self.total, self.paid, self.paid_times

    # --- shapes -----------------------------------------------------------------------------

    def _is_nine_gates(self) -> bool:
        """Whether the hand, its winning tile apart, is 1112345678999 of one suit (DZ#4, DZ-43)."""
        for suit in range(3):
            extra = (self.waiting >> (SUIT_WIDTH * suit)) - NINE_GATES
            if extra < 0 or extra > SUIT_MASK or self.waiting & ((1 << (SUIT_WIDTH * suit)) - 1):
                continue
            if self.tile != NO_TILE:
                return extra == 0
            return extra & ONES == extra and extra & (extra - 1) == 0
        return False

    def _pairs(self) -> None:
        """Seven pairs; four alike are two of them."""
        fans = _SEVEN_PAIRS
        for suit in range(3):
            shift = SUIT_WIDTH * suit
            value = self.counts >> shift
            if value in SEVEN_SHIFTED and value << shift == self.counts:
                fans |= _SEVEN_SHIFTED
        self._offer(self.fans | fans, self.times)

    def _singles(self, kinds: int, kind_count: int) -> None:
        """Thirteen orphans, and honours with knitted tiles."""
        if kinds == ORPHANS:
            self._offer(self.fans | _ORPHANS, self.times)
        if kind_count != SINGLE_KINDS:
            return
        for knitted in KNITTED:
            if kinds & ~(knitted | HONOUR_ONES) == 0:
                fans = _LESSER
                if kinds & HONOUR_ONES == HONOUR_ONES:
                    fans |= _GREATER
                if kinds & knitted == knitted:
                    fans |= _STRAIGHT
                self._offer(self.fans | fans, self.times)

    def _knitted_straight(self, kinds: int) -> None:
        """The nine knitted tiles as three sets, with one set more and the pair."""
        for knitted in KNITTED:
            if kinds & knitted == knitted:
                rest = self.counts - knitted
                for runs, blocks in sets_and_pair(rest):
                    self._read(runs, blocks, _STRAIGHT, rest)

    # --- one reading ------------------------------------------------------------------------

    def _read(self, runs: int, blocks: int, fans: int, counts: int) -> None:
        """Offer a reading as sets and a pair.

        Args:
            runs: those it sees in the concealed tiles.
            blocks: its pungs and pair.
            fans: what its shape is worth by itself.
            counts: the concealed tiles it reads so.
        """
        fans |= self.fans
        times = self.times
        pair = blocks >> PAIR_SHIFT & PAIR_MASK
        all_runs = self.runs + runs
        if all_runs:
            together = fans_of_runs(all_runs)
            fans |= together.fans_with_fives if together.fives == pair else together.fans
            times += together.times
        all_blocks = self.blocks + blocks
        pungs = all_blocks & PUNGS_MASK
        suited_pungs = pungs & SUITED_PUNGS_MASK
        if suited_pungs:
            more, more_times = fans_of_pungs(suited_pungs)
            fans |= more
            times += more_times
        if pungs != suited_pungs:
            honour_pair = pair - HONOURS.start if pair > HONOURS.start else 0
            more, more_times = fans_of_honours(pungs >> HONOURS.start, honour_pair, self.winds)
            fans |= more
            times += more_times
        key = self.kong_key | self._concealed_pungs(blocks, counts) << 6
        if pair <= HONOURS.start:
            key |= SUITED_PAIR_KEY
        pung_count = pungs.bit_count()
        fans |= fans_of_set_counts(
            key
            | SETS - pung_count
            | pung_count << 3
            | (all_blocks >> OUTSIDE_SHIFT & BLOCK_COUNT_MASK) << 15
            | (all_blocks >> FIVES_SHIFT & BLOCK_COUNT_MASK) << 18
        )
        if self.tile != NO_TILE:
            fans |= self._wait_fan(runs, pair)
        if fans & _NINE_GATES and times & _END_PUNG_TIMES:
            times -= _END_PUNG_ONCE
            if not times & _END_PUNG_TIMES:
                fans &= ~_END_PUNG
        self._offer(fans, times)

    def _concealed_pungs(self, blocks: int, counts: int) -> int:
        """Pungs nobody gave to; one completed by another's tile counts where the tile fits a run too (DZ-36).

        A fourth copy beside a pung can only stand in a run.
        """
        concealed = self.concealed_kongs + (blocks & PUNGS_MASK).bit_count()
        if not self.by_self and blocks >> self.tile & 1 and counts >> (3 * self.tile) & 7 == 3:
            concealed -= 1
        return concealed

    def _wait_fan(self, runs: int, pair: int) -> int:
        """The fan of the place where the winning tile stands, if the hand waited for that tile alone (DZ-33)."""
        tile = self.tile
        fan = 0
        if tile < HONOURS.start and runs:
            rank = tile % RANKS
            if rank == 2 and runs // RUN_OF[tile - 2] % RUN_BASE or rank == 6 and runs // RUN_OF[tile] % RUN_BASE:
                fan = _EDGE
            elif 1 <= rank <= 7 and runs // RUN_OF[tile - 1] % RUN_BASE:
                fan = _CLOSED
        if not fan and pair == tile + 1:
            fan = _SINGLE
        if fan and self.lone < 0:
            waits = waits_of(self.waiting, self.meld_count)
            self.lone = 1 if waits & (waits - 1) == 0 else 0
        return fan if self.lone > 0 else 0

    def _offer(self, fans: int, times: int) -> None:
        """Keep a reading if it is dearer than those before."""
        kept, value, paid_times = paid(fans)
        times &= paid_times
        total = value + value_of_times(times)
        if total > self.total:
            self.total, self.paid, self.paid_times = total, kept, times


# --- what is paid of the fans a reading shows -----------------------------------------------------

Paid = tuple[int, int, int]
"""The fans that stand, the value of those not counted, and a mask over the times of those counted."""

_PAID: dict[int, Paid] = {}
_TIMES_VALUES: dict[int, int] = {0: 0}


def paid(fans: int) -> Paid:
    """What is paid of the fans a reading shows (DZ-30, DZ-31).

    From the dearest down, a fan stands unless one that stands says that it is not paid beside it. A fan that
    is gone says nothing more: without 不求人, 自摸 stands. Where nothing stands, 无番和 does.
    """
    found = _PAID.get(fans)
    if found is None:
        if len(_PAID) >= TABLE_SIZE_MAX:
            _PAID.clear()
        found = _PAID[fans] = _standing(fans)
    return found


def _standing(fans: int) -> Paid:
    kept = unpaid = value = paid_times = 0
    for number in range(1, FAN_COUNT + 1):
        if not fans >> number & 1 or unpaid >> number & 1:
            continue
        kept |= 1 << number
        unpaid |= UNPAID_BESIDE[number]
        if number in _PLACE_OF:
            paid_times |= TIMES_MASK << TIMES_WIDTH * _PLACE_OF[number]
        else:
            value += VALUE[number]
    return (kept, value, paid_times) if kept else (1 << _CHICKEN.number, _CHICKEN.value, 0)


_CHICKEN = FAN_BY_ID["chicken_hand"]
_PLACE_OF = {FAN_BY_ID[fan_id].number: place for place, fan_id in enumerate(COUNTED)}
"""Place of each counted row among the times, by number."""


def value_of_times(times: int) -> int:
    """Fan of what is counted."""
    found = _TIMES_VALUES.get(times, -1)
    if found < 0:
        found = sum(VALUE[number] * times_of(times, number) for number in _PLACE_OF)
        _TIMES_VALUES[times] = found
    return found


def times_of(times: int, number: int) -> int:
    """How often a row is paid, if it is."""
    place = _PLACE_OF.get(number)
    return 1 if place is None else times >> TIMES_WIDTH * place & TIMES_MASK
