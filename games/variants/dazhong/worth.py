"""What a hand is worth: every reading in every shape, the dearest stands (DZ-20, DZ-30).

A reading is one way to see the tiles. Its fans come from tables, those that are not paid beside a
dearer one go (`paid`), and what is left is added up.
"""

from typing import Final

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
    FIVES_SHIFT,
    FOURS,
    LOW_KINDS,
    MELD_COUNT_MASK,
    NO_MELDS,
    ONE_OF,
    ONES,
    OUTSIDE_SHIFT,
    PAIR_MASK,
    PAIR_SHIFT,
    PUNG_COUNT_SHIFT,
    PUNGS_MASK,
    RANKS,
    RUN_BASE,
    RUN_OF,
    SUIT_MASK,
    SUIT_WIDTH,
    SUITED_PUNGS_MASK,
    TABLE_SIZE_MAX,
    copies,
    counts_of,
    kinds_in,
    melds_part,
    sets_and_pair,
)
from games.variants.dazhong.waiting import HONOUR_ONES, KNITTED, ORPHANS, waits_of

NO_TILE: Final = -1
"""In place of the winning tile where there is none (DZ-43)."""

SINGLES: Final = 14
"""Tiles of honours and knitted, all different."""
SETS: Final = 4

NINE_GATES: Final = 0o311111113
SEVEN_SHIFTED: Final = tuple(0o2222222 << (3 * step) for step in range(3))

_NINE_GATES: Final = bit("nine_gates")
_SEVEN_PAIRS: Final = bit("seven_pairs")
_SEVEN_SHIFTED: Final = bit("seven_shifted_pairs")
_ORPHANS: Final = bit("thirteen_orphans")
_LESSER: Final = bit("lesser_honours_and_knitted")
_GREATER: Final = bit("greater_honours_and_knitted")
_STRAIGHT: Final = bit("knitted_straight")
_EDGE: Final = bit("edge_wait")
_CLOSED: Final = bit("closed_wait")
_SINGLE: Final = bit("single_wait")
_HOG: Final = bit("tile_hog")
_HOG_ONCE: Final = ONCE["tile_hog"]
_END_PUNG: Final = bit("pung_of_terminals_or_honours")
_END_PUNG_ONCE: Final = ONCE["pung_of_terminals_or_honours"]
_END_PUNG_TIMES: Final = TIMES_MASK * _END_PUNG_ONCE

Worth = tuple[int, int, int]
"""Total without flowers, the fans paid, and the times of those counted."""


class Judge:
    """One hand on one winning tile: what all its readings share, and the dearest of them so far.

    Attributes:
        total: of the dearest reading, without flowers; below zero while there is none.
        paid: its fans that are paid.
        paid_times: the times of those counted.
        shown: all fans it shows, paid or not.
    """

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
        self.waiting_low, self.waiting_high = counts_of(concealed)
        self.low, self.high = self.waiting_low, self.waiting_high
        if tile >= LOW_KINDS:
            self.high += ONE_OF[tile]
        elif tile >= 0:
            self.low += ONE_OF[tile]
        self.meld_count = len(melds)
        self.runs, self.blocks, meld_low, meld_high, meld_kinds = melds_part(melds) if melds else NO_MELDS
        self.concealed_kongs = meld_kinds >> 3 & MELD_COUNT_MASK
        self.key = self.concealed_kongs << 9 | (meld_kinds >> 6 & MELD_COUNT_MASK) << 12
        if tile != NO_TILE and melds and copies(meld_low, meld_high, tile) == 3:
            moment |= LAST_OF_KIND
        self.by_self = moment & BY_SELF != 0
        self.winds = winds
        low, high = self.low + meld_low, self.high + meld_high
        kinds_low, kinds_high = kinds_in(low), kinds_in(high)
        if is_even(kinds_low, kinds_high):
            self.key |= EVEN_KEY
        claimed = meld_kinds & MELD_COUNT_MASK
        self.fans = fans_of_kinds(kinds_low, kinds_high) | fans_of_moment(moment | claimed << CLAIMED_SHIFT)
        self.times = 0
        if low & FOURS or high & FOURS:
            self.fans |= _HOG
            self.times = ((low & FOURS).bit_count() + (high & FOURS).bit_count()) * _HOG_ONCE
        self.lone = -1
        self.total = -1
        self.paid = 0
        self.paid_times = 0
        self.shown = 0

    def judge(self) -> Worth:
        """The dearest reading; a total below zero if there is none.

        Sets with a pair may be seven pairs too; every other shape has nine or more tiles that stand apart, and
        no second reading.
        """
        gates = _NINE_GATES if self.meld_count == 0 and self._is_nine_gates() else 0
        for runs, blocks in sets_and_pair(self.low, self.high):
            self._read(runs, blocks, gates, self.low, self.high)
        if self.meld_count == 0 and not self.low & ONES and not self.high & ONES:
            self._pairs()
        if self.total < 0 and self.meld_count <= 1:
            self._knitted_straight()
            if self.meld_count == 0:
                self._singles()
        return self.total, self.paid, self.paid_times

    # --- shapes -----------------------------------------------------------------------------

    def _is_nine_gates(self) -> bool:
        """Whether the hand, its winning tile apart, is 1112345678999 of one suit (DZ#4, DZ-43)."""
        value = _one_suit(self.waiting_low, self.waiting_high)
        if value < NINE_GATES:
            return False
        extra = value - NINE_GATES
        if self.tile != NO_TILE:
            return extra == 0
        return extra & ONES == extra and extra & (extra - 1) == 0

    def _pairs(self) -> None:
        """Seven pairs; four alike are two of them."""
        fans = _SEVEN_PAIRS
        if _one_suit(self.low, self.high) in SEVEN_SHIFTED:
            fans |= _SEVEN_SHIFTED
        self._offer(self.fans | fans, self.times)

    def _singles(self) -> None:
        """Thirteen orphans, and honours with knitted tiles."""
        low, high = kinds_in(self.low), kinds_in(self.high)
        if (low, high) == ORPHANS:
            self._offer(self.fans | _ORPHANS, self.times)
        if low.bit_count() + high.bit_count() != SINGLES:
            return
        for knitted_low, knitted_high in KNITTED:
            if not low & ~knitted_low and not high & ~(knitted_high | HONOUR_ONES):
                fans = _LESSER
                if high & HONOUR_ONES == HONOUR_ONES:
                    fans |= _GREATER
                if low == knitted_low and high & ~HONOUR_ONES == knitted_high:
                    fans |= _STRAIGHT
                self._offer(self.fans | fans, self.times)

    def _knitted_straight(self) -> None:
        """The nine knitted tiles as three sets, with one set more and the pair."""
        kinds_low, kinds_high = kinds_in(self.low), kinds_in(self.high)
        for knitted_low, knitted_high in KNITTED:
            if kinds_low & knitted_low == knitted_low and kinds_high & knitted_high == knitted_high:
                low, high = self.low - knitted_low, self.high - knitted_high
                for runs, blocks in sets_and_pair(low, high):
                    self._read(runs, blocks, _STRAIGHT, low, high)

    # --- one reading ------------------------------------------------------------------------

    def _read(self, runs: int, blocks: int, fans: int, low: int, high: int) -> None:
        """Offer a reading as sets and a pair.

        Args:
            runs: those it sees in the concealed tiles.
            blocks: its pungs and pair.
            fans: what its shape is worth by itself.
            low: the concealed tiles it reads so.
            high: the same.
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
        pung_count = all_blocks >> PUNG_COUNT_SHIFT
        key = self.key | SETS - pung_count | pung_count << 3 | self._concealed_pungs(blocks, low, high) << 6
        key |= (all_blocks >> OUTSIDE_SHIFT & BLOCK_COUNT_MASK) << 15
        key |= (all_blocks >> FIVES_SHIFT & BLOCK_COUNT_MASK) << 18
        if pair <= HONOURS.start:
            key |= SUITED_PAIR_KEY
        fans |= fans_of_set_counts(key)
        if self.tile != NO_TILE:
            fans |= self._wait_fan(runs, pair)
        if fans & _NINE_GATES and times & _END_PUNG_TIMES:
            times -= _END_PUNG_ONCE
            if not times & _END_PUNG_TIMES:
                fans &= ~_END_PUNG
        self._offer(fans, times)

    def _concealed_pungs(self, blocks: int, low: int, high: int) -> int:
        """Pungs nobody gave to; one completed by another's tile counts where the tile fits a run too (DZ-36).

        A fourth copy beside a pung can only stand in a run.
        """
        concealed = self.concealed_kongs + (blocks >> PUNG_COUNT_SHIFT)
        if not self.by_self and blocks >> self.tile & 1 and copies(low, high, self.tile) == 3:
            concealed -= 1
        return concealed

    def _wait_fan(self, runs: int, pair: int) -> int:
        """The fan of the place where the winning tile stands, if the hand waited for that tile alone (DZ-33)."""
        tile = self.tile
        fan = 0
        if tile < HONOURS.start and runs:
            rank = tile % RANKS
            edge = tile - 2 if rank == 2 else tile if rank == 6 else NO_TILE
            if edge != NO_TILE and runs // RUN_OF[edge] % RUN_BASE:
                fan = _EDGE
            elif 1 <= rank <= 7 and runs // RUN_OF[tile - 1] % RUN_BASE:
                fan = _CLOSED
        if not fan and pair == tile + 1:
            fan = _SINGLE
        if fan and self.lone < 0:
            waits = waits_of(self.waiting_low, self.waiting_high, self.meld_count)
            self.lone = 1 if waits & (waits - 1) == 0 else 0
        return fan if self.lone > 0 else 0

    def _offer(self, fans: int, times: int) -> None:
        """Keep a reading if it is dearer than those before."""
        kept, value, paid_times = paid(fans)
        times &= paid_times
        total = value + value_of_times(times)
        if total > self.total:
            self.total, self.paid, self.paid_times, self.shown = total, kept, times, fans


def _one_suit(low: int, high: int) -> int:
    """The counts of the only suit a hand has tiles of; -1 if it has others, or honours."""
    if not high:
        return low if low <= SUIT_MASK else low >> SUIT_WIDTH if not low & SUIT_MASK else -1
    return high if not low and high <= SUIT_MASK else -1


# --- what is paid of the fans a reading shows -----------------------------------------------------

Paid = tuple[int, int, int]
"""The fans that stand, the value of those not counted, and a mask over the times of those counted."""

_PAID: Final[dict[int, Paid]] = {}
_TIMES_VALUES: Final[dict[int, int]] = {0: 0}


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


_CHICKEN: Final = FAN_BY_ID["chicken_hand"]
_PLACE_OF: Final = {FAN_BY_ID[fan_id].number: place for place, fan_id in enumerate(COUNTED)}
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
