"""Which sets of a reading make each fan of 大众麻将, and which of its fans are not paid (DZ-30..39).

The scorer packs a hand into numbers and says only which rows are paid. Here the same reading is looked at as
sets, so that each occurrence of a row finds the sets behind it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from games.mahjong.explanation import KONGS, PUNGS, Basis, Ground, Part, PartKind, Principle, Unpaid, holding
from games.mahjong.tiles import HONOURS, Tile
from games.variants.dazhong.combinations import FanOf, Joint, dearest_joints, is_forest, joints_of, serves_once
from games.variants.dazhong.fan_table import FAN_BY_ID, FANS, UNPAID_BESIDE, Fan
from games.variants.dazhong.fans import (
    BY_HONOURS,
    BY_MOMENT,
    BY_SET_COUNTS,
    BY_SUITS,
    DRAGONS,
    ONLY_OF,
    PUNG_FIGURES,
    RUN_FIGURES,
    SHAPES,
    TERMINAL_CHOWS,
    WAITS,
    WINDS,
    figure,
)
from games.variants.dazhong.sets import RANKS

Places = tuple[int, ...]
PRINCIPLES = "DZ-31"
END_PUNG = "pung_of_terminals_or_honours"
COPIES = 4


@dataclass(frozen=True)
class Seen:
    """A reading as parts, with what its fans ask about.

    Attributes:
        parts: of the reading.
        concealed_pungs: places of the pungs nobody gave to, concealed kongs included (DZ-36).
        seat_wind, round_wind: of the hand.
        nine_gates: whether the hand is 九莲宝灯, which takes one 幺九刻 in (DZ-31).
    """

    parts: tuple[Part, ...]
    concealed_pungs: Places
    seat_wind: Tile
    round_wind: Tile
    nine_gates: bool

    def places(self, wanted: Callable[[Part], bool]) -> Places:
        """Places of the parts that are wanted."""
        return tuple(place for place, part in enumerate(self.parts) if wanted(part))

    @property
    def everything(self) -> Places:
        """All places."""
        return tuple(range(len(self.parts)))

    @cached_property
    def runs(self) -> Places:
        """Chows and runs, by their lowest tiles."""
        return self._by_tile(lambda part: part.kind is PartKind.CHOW)

    @cached_property
    def suited_pungs(self) -> Places:
        """Suited pungs and kongs, by their tiles."""
        return self._by_tile(lambda part: part.kind in PUNGS and part.tile not in HONOURS)

    @cached_property
    def pair(self) -> Places:
        """The pair, in a reading that has one."""
        return self.places(lambda part: part.kind is PartKind.PAIR)

    def pungs_of(self, kinds: range) -> Places:
        """Pungs and kongs of these kinds."""
        return self.places(lambda part: part.kind in PUNGS and part.tile in kinds)

    def tiles_at(self, places: Places) -> list[Tile]:
        """The lowest tile of each."""
        return [self.parts[place].tile for place in places]

    def _by_tile(self, wanted: Callable[[Part], bool]) -> Places:
        return tuple(sorted(self.places(wanted), key=lambda place: self.parts[place].tile))


# --- fans that sets make together --------------------------------------------------------------


def _run_fan(sets: Sequence[Tile]) -> str:
    return RUN_FIGURES.get(figure(sets), "")


def _pung_fan(sets: Sequence[Tile]) -> str:
    return PUNG_FIGURES.get(figure(sets), "")


def _joined(seen: Seen) -> Iterator[tuple[str, Places]]:
    """Fans that runs or pungs make together, one a joint that account-once leaves."""
    for places, fan_of in _sorts(seen):
        for joint, fan_id in dearest_joints(seen.tiles_at(places), fan_of):
            yield fan_id, tuple(sorted(places[index] for index in joint))


def _sorts(seen: Seen) -> tuple[tuple[Places, FanOf], ...]:
    return (seen.runs, _run_fan), (seen.suited_pungs, _pung_fan)


def unjoined(seen: Seen, shown: int, paid: int) -> Iterator[Unpaid]:
    """What sets make together too, but not beside the fans that join them already (DZ-31)."""
    for places, fan_of in _sorts(seen):
        sets = seen.tiles_at(places)
        chosen = dearest_joints(sets, fan_of)
        for joint in joints_of(sets, fan_of):
            if joint in chosen:
                continue
            fan = FAN_BY_ID[joint[1]]
            where = tuple(sorted(places[index] for index in joint[0]))
            if shown >> fan.number & 1 and not paid >> fan.number & 1:
                yield _unpaid(fan, where, standing_over(fan, paid))
                continue
            principle, beside = _conflict(joint, chosen)
            by = tuple(dict.fromkeys(_paid_for(one, paid) for _, one in beside))
            yield Unpaid(fan.fan_id, fan.value, where, by, principle, PRINCIPLES)


def standing_over(fan: Fan, paid: int) -> Fan:
    """The paid row that leaves a row unpaid: the first that says so, from the dearest down."""
    return next(one for one in FANS if paid >> one.number & 1 and UNPAID_BESIDE[one.number] >> fan.number & 1)


def _unpaid(fan: Fan, places: Places, over: Fan) -> Unpaid:
    listed = fan.fan_id in over.excludes.split()
    principle = Principle.EXCLUDED if listed else Principle.NON_REPETITION
    return Unpaid(fan.fan_id, fan.value, places, (over.fan_id,), principle, over.rule if listed else PRINCIPLES)


def _paid_for(fan_id: str, paid: int) -> str:
    """The fan itself if it is paid, else the one that stands in its place."""
    fan = FAN_BY_ID[fan_id]
    return fan_id if paid >> fan.number & 1 else standing_over(fan, paid).fan_id


def _conflict(joint: Joint, chosen: Sequence[Joint]) -> tuple[Principle, list[Joint]]:
    """Why a joint does not stand beside the chosen ones, and beside which."""
    within = [other for other in chosen if set(joint[0]) <= set(other[0])]
    if within:
        return Principle.NON_REPETITION, within
    alike = [other for other in chosen if not serves_once((joint, other))]
    if alike:
        return Principle.NON_IDENTICAL, alike
    return Principle.ACCOUNT_ONCE, _cycle(joint, list(chosen))


def _cycle(joint: Joint, chosen: list[Joint]) -> list[Joint]:
    """The fewest of the chosen joints that, with this one, are no forest."""
    assert not is_forest((joint, *chosen)), (joint, chosen)
    for other in list(chosen):
        fewer = [one for one in chosen if one is not other]
        if not is_forest((joint, *fewer)):
            chosen = fewer
    return chosen


# --- fans of pungs ------------------------------------------------------------------------------


def counted_end_pungs(seen: Seen) -> Places:
    """Pungs that pay 幺九刻: terminals, and winds that no other fan pays (DZ-31)."""
    ends = [place for place in seen.suited_pungs if seen.parts[place].tile % RANKS in (0, RANKS - 1)]
    if seen.nine_gates:
        ends = ends[1:]
    winds = seen.pungs_of(WINDS)
    if len(winds) < 3:
        own = (seen.seat_wind, seen.round_wind)
        ends += [place for place in winds if seen.parts[place].tile not in own]
    return tuple(sorted(ends))


def uncounted_end_pungs(seen: Seen, paid: Sequence[Ground]) -> Iterator[Unpaid]:
    """Pungs of terminals and honours that another fan pays already (DZ-31)."""
    counted = counted_end_pungs(seen)
    for place in sorted((*seen.suited_pungs, *seen.pungs_of(HONOURS))):
        tile = seen.parts[place].tile
        if place in counted or not (tile in HONOURS or tile % RANKS in (0, RANKS - 1)):
            continue
        if tile in HONOURS:
            by = tuple(one.fan_id for one in paid if one.fan_id in BY_HONOURS and place in one.parts)
        else:
            by = ("nine_gates",)
        yield Unpaid(END_PUNG, FAN_BY_ID[END_PUNG].value, (place,), by, Principle.NON_REPETITION, PRINCIPLES)


_HONOUR_PARTS: Mapping[str, Callable[[Seen], Places]] = {
    "big_four_winds": lambda seen: seen.pungs_of(WINDS),
    "big_three_dragons": lambda seen: seen.pungs_of(DRAGONS),
    "little_four_winds": lambda seen: (*seen.pungs_of(WINDS), *seen.pair),
    "little_three_dragons": lambda seen: (*seen.pungs_of(DRAGONS), *seen.pair),
    "big_three_winds": lambda seen: seen.pungs_of(WINDS),
    "two_dragon_pungs": lambda seen: seen.pungs_of(DRAGONS),
    "dragon_pung": lambda seen: seen.pungs_of(DRAGONS),
    "prevalent_wind": lambda seen: seen.pungs_of(range(seen.round_wind, seen.round_wind + 1)),
    "seat_wind": lambda seen: seen.pungs_of(range(seen.seat_wind, seen.seat_wind + 1)),
}
assert set(_HONOUR_PARTS) == set(BY_HONOURS)


def _all_sets(seen: Seen) -> Places:
    return seen.places(lambda part: part.is_set)


def _kongs(seen: Seen) -> Places:
    return seen.places(lambda part: part.kind in KONGS)


def _concealed_kongs(seen: Seen) -> Places:
    return seen.places(lambda part: part.kind is PartKind.CONCEALED_KONG)


def _melded_kongs(seen: Seen) -> Places:
    return seen.places(lambda part: part.kind in KONGS - {PartKind.CONCEALED_KONG})


def _concealed_pungs(seen: Seen) -> Places:
    return seen.concealed_pungs


def _every_part(seen: Seen) -> Places:
    return seen.everything


_SET_COUNT_PARTS: Mapping[str, Callable[[Seen], Places]] = {
    "four_kongs": _kongs,
    "four_concealed_pungs": _concealed_pungs,
    "three_kongs": _kongs,
    "all_even_pungs": _every_part,
    "all_fives": _every_part,
    "three_concealed_pungs": _concealed_pungs,
    "all_pungs": _all_sets,
    "two_concealed_kongs": _concealed_kongs,
    "outside_hand": _every_part,
    "two_melded_kongs": _melded_kongs,
    "all_chows": _every_part,
    "two_concealed_pungs": _concealed_pungs,
    "concealed_kong": _concealed_kongs,
    "melded_kong": _melded_kongs,
}
assert set(_SET_COUNT_PARTS) == set(BY_SET_COUNTS)

_MOMENT_PARTS: Mapping[str, Callable[[Seen], Places]] = {
    "melded_hand": _every_part,
    "concealed_hand": _every_part,
    "fully_concealed_hand": _every_part,
}


def _wait_part(seen: Seen) -> Places:
    return seen.places(lambda part: part.wins)


def _hogs(seen: Seen) -> Iterator[Places]:
    """Kinds of which four are used, and not as a kong."""
    kinds = sorted({tile for part in seen.parts for tile in part.tiles})
    for tile in kinds:
        places = holding(seen.parts, tile)
        if any(seen.parts[place].kind in KONGS for place in places):
            continue
        if sum(seen.parts[place].tiles.count(tile) for place in places) == COPIES:
            yield places


# --- one row --------------------------------------------------------------------------------------

_BASES: tuple[tuple[Sequence[str] | Mapping[str, object], Basis], ...] = (
    (ONLY_OF, Basis.TILES),
    (BY_SUITS, Basis.TILES),
    (SHAPES, Basis.SHAPE),
    (WAITS, Basis.WAIT),
    (BY_MOMENT, Basis.MOMENT),
)


def _basis(fan_id: str) -> Basis:
    return next((basis for rows, basis in _BASES if fan_id in rows), Basis.SETS)


def occurrences(seen: Seen, fan_id: str) -> tuple[Places, ...]:
    """The parts of each occurrence of a row that the reading shows."""
    if fan_id == "tile_hog":
        return tuple(_hogs(seen))
    if fan_id == END_PUNG:
        return tuple((place,) for place in counted_end_pungs(seen))
    if fan_id in TERMINAL_CHOWS:
        return ((*seen.runs, *seen.pair),)
    if fan_id in WAITS:
        return (_wait_part(seen),)
    if fan_id in BY_MOMENT:
        return (_MOMENT_PARTS[fan_id](seen) if fan_id in _MOMENT_PARTS else (),)
    makers = _HONOUR_PARTS.get(fan_id) or _SET_COUNT_PARTS.get(fan_id)
    if makers is not None:
        return (makers(seen),)
    together = tuple(places for found, places in _joined(seen) if found == fan_id)
    return together or (seen.everything,)


def grounds_of(seen: Seen, paid: int) -> Iterator[Ground]:
    """What is paid, in table order.

    Args:
        paid: the rows, a bit each.
    """
    for fan in FANS:
        if paid >> fan.number & 1:
            if fan.fan_id == "chicken_hand":
                yield Ground(fan.fan_id, fan.value, (), Basis.NOTHING_ELSE)
                continue
            for places in occurrences(seen, fan.fan_id):
                yield Ground(fan.fan_id, fan.value, places, _basis(fan.fan_id))


def suppressed(seen: Seen, shown: int, paid: int) -> Iterator[Unpaid]:
    """Rows that the reading shows and a dearer one leaves unpaid."""
    for fan in FANS:
        if not shown >> fan.number & 1 or paid >> fan.number & 1:
            continue
        over = standing_over(fan, paid)
        for places in occurrences(seen, fan.fan_id):
            yield _unpaid(fan, places, over)
