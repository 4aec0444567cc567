"""Why a 大众 hand is worth what it is worth (DZ-30, DZ-31)."""

from collections.abc import Iterator
from dataclasses import dataclass

from games.mahjong.explanation import (
    Basis,
    Explanation,
    Ground,
    Part,
    PartKind,
    Shape,
    meld_part,
    pair_of,
    parts_of_pairs,
    pung_of,
    run_of,
    winning_place,
    with_winner,
)
from games.mahjong.hand import WinningHand
from games.mahjong.ruleset import Ruleset
from games.mahjong.tiles import HONOURS, KIND_COUNT, Tile
from games.variants.dazhong.fan_table import bit
from games.variants.dazhong.fans import WAITS, lowest_tiles
from games.variants.dazhong.grounds import Seen, grounds_of, suppressed, uncounted_end_pungs, unjoined
from games.variants.dazhong.options import minimum_fan
from games.variants.dazhong.scoring import judge_of
from games.variants.dazhong.sets import ONES, PAIR_MASK, PAIR_SHIFT, PUNGS_MASK, RANKS, copies, sets_and_pair
from games.variants.dazhong.waiting import KNITTED, kind_bits, kinds_of
from games.variants.dazhong.worth import NO_TILE, Judge

_GATES = bit("nine_gates")
_STRAIGHT = bit("knitted_straight")
_ORPHANS = bit("thirteen_orphans")
_EDGE, _CLOSED, _SINGLE = map(bit, WAITS)
COMPLETED_COPIES = 3


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The dearest reading: its shape, what it sees in the concealed tiles, and how many were compared."""

    shape: Shape
    parts: tuple[Part, ...]
    count: int


def explain(rules: Ruleset, hand: WinningHand) -> Explanation | None:
    """Why the hand is worth what `scoring.score` says; None if it does not win."""
    judge = judge_of(hand)
    chosen = _dearest(judge)
    if chosen is None or judge.total < minimum_fan(rules):
        return None
    parts = (*map(meld_part, hand.melds), *chosen.parts)
    if judge.tile != NO_TILE:
        parts = with_winner(parts, _winning_place(parts, judge))
    assert hand.seat_wind is not None and hand.round_wind is not None, hand
    nine_gates = bool(judge.shown & _GATES)
    seen = Seen(parts, _concealed_pungs(parts, judge), hand.seat_wind, hand.round_wind, nine_gates)
    paid = tuple(grounds_of(seen, judge.paid))
    unpaid = (
        *suppressed(seen, judge.shown, judge.paid),
        *unjoined(seen, judge.shown, judge.paid),
        *uncounted_end_pungs(seen, paid),
    )
    flowers = tuple(Ground("flower", 1, (), Basis.FLOWERS) for _ in hand.flowers)
    return Explanation(
        shape=chosen.shape,
        parts=parts,
        grounds=(*paid, *flowers),
        unpaid=unpaid,
        qualifying=judge.total,
        flowers=len(hand.flowers),
        reading_count=chosen.count,
    )


# --- the reading chosen -----------------------------------------------------------------------------


def _dearest(judge: Judge) -> _Chosen | None:
    """Compares the readings as `Judge.judge` does, one after another, and remembers which the dearest was."""
    chosen: _Chosen | None = None
    count, best = 0, -1
    for shape, parts in _compared(judge):
        count += 1
        if judge.total > best:
            best = judge.total
            chosen = _Chosen(shape, parts, count)
    return None if chosen is None else _Chosen(chosen.shape, chosen.parts, count)


def _compared(judge: Judge) -> Iterator[tuple[Shape, tuple[Part, ...]]]:
    """Each reading right after the judge has looked at it."""
    gates = _GATES if judge.meld_count == 0 and judge._is_nine_gates() else 0
    for runs, blocks in sets_and_pair(judge.low, judge.high):
        judge._read(runs, blocks, gates, judge.low, judge.high)
        yield Shape.SETS_AND_PAIR, _sets_and_pair(runs, blocks)
    if judge.meld_count == 0 and not judge.low & ONES and not judge.high & ONES:
        judge._pairs()
        yield Shape.ALL_PAIRS, parts_of_pairs(_tiles(judge))
    if judge.total < 0 and judge.meld_count <= 1:
        yield from _straights(judge)
        if judge.meld_count == 0:
            judge._singles()
            if judge.total >= 0:
                orphans = judge.shown & _ORPHANS
                shape = Shape.THIRTEEN_ORPHANS if orphans else Shape.HONOURS_AND_KNITTED
                yield shape, (Part(PartKind.SINGLES, _tiles(judge)),)


def _straights(judge: Judge) -> Iterator[tuple[Shape, tuple[Part, ...]]]:
    for knitted_low, knitted_high in KNITTED:
        kinds = kinds_of(kind_bits(knitted_low, knitted_high))
        if not all(copies(judge.low, judge.high, tile) for tile in kinds):
            continue
        low, high = judge.low - knitted_low, judge.high - knitted_high
        for runs, blocks in sets_and_pair(low, high):
            judge._read(runs, blocks, _STRAIGHT, low, high)
            knitted = tuple(Part(PartKind.KNITTED, kinds[start : start + 3]) for start in (0, 3, 6))
            yield Shape.KNITTED_STRAIGHT, (*knitted, *_sets_and_pair(runs, blocks))


def _sets_and_pair(runs: int, blocks: int) -> tuple[Part, ...]:
    sets = [*map(run_of, lowest_tiles(runs))]
    sets += [pung_of(tile) for tile in range(KIND_COUNT) if blocks & PUNGS_MASK & 1 << tile]
    return (*sorted(sets, key=lambda part: part.tiles), pair_of((blocks >> PAIR_SHIFT & PAIR_MASK) - 1))


def _tiles(judge: Judge) -> tuple[Tile, ...]:
    return tuple(tile for tile in range(KIND_COUNT) for _ in range(copies(judge.low, judge.high, tile)))


# --- where things stand in it ------------------------------------------------------------------------


def _winning_place(parts: tuple[Part, ...], judge: Judge) -> int | None:
    """The part of the wait that is shown, if one is; else a run before the pair, the pair before a pung (DZ-36)."""
    fits = _Fits(judge.shown, judge.tile)
    for place, part in enumerate(parts):
        if not part.melded and judge.tile in part.tiles and fits(part):
            return place
    return winning_place(parts, judge.tile)


@dataclass(frozen=True, slots=True)
class _Fits:
    """Whether a part is the one whose wait a reading shows (DZ-33)."""

    shown: int
    tile: Tile

    def __call__(self, part: Part) -> bool:
        if self.shown & _SINGLE:
            return part.kind is PartKind.PAIR
        if part.kind is not PartKind.CHOW or self.tile in HONOURS:
            return False
        if self.shown & _EDGE:
            rank = self.tile % RANKS
            return (rank == 2 and part.tile == self.tile - 2) or (rank == RANKS - 3 and part.tile == self.tile)
        return bool(self.shown & _CLOSED) and part.tile == self.tile - 1


def _concealed_pungs(parts: tuple[Part, ...], judge: Judge) -> tuple[int, ...]:
    """Pungs nobody gave to; one that another's tile completes counts where the tile fits a run too (DZ-36)."""
    spread = sum(part.tiles.count(judge.tile) for part in parts if not part.melded)
    return tuple(
        place
        for place, part in enumerate(parts)
        if part.kind is PartKind.CONCEALED_KONG
        or (
            part.kind is PartKind.PUNG
            and not part.melded
            and (judge.by_self or part.tile != judge.tile or spread != COMPLETED_COPIES)
        )
    )
