"""All plays there are, generated from the rule at the first use, and asked by everybody else.

A play is keyed by its counts by rank: suits make no difference. One table a kicker rule is
built once a process; importing this module builds nothing.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import combinations
from typing import NamedTuple

from games.landlord.cards import (
    ALL_COUNTS,
    BLACK_JOKER_RANK,
    GUARD,
    IN_RUNS,
    NOTHING,
    RANK_COUNT,
    RED_JOKER_RANK,
    SUITED,
    WILD_RANK,
    Counts,
    Rank,
    contains,
    count,
    of,
)
from games.landlord.combinations import POWER, KickerRule, Kind, Reading

PLAY_SIZE_MAX = 19
"""Cards of a landlord: no play is longer."""
OF_FOURS = frozenset({Kind.BOMB, Kind.DEEP_BOMB})
"""Kinds of high power that need three of a rank at least."""
_ONES = sum(of(rank) for rank in SUITED)
ROCKET = of(BLACK_JOKER_RANK) + of(RED_JOKER_RANK)
ONE_WILD = of(WILD_RANK)


class Body(NamedTuple):
    """The part of a play that is compared, and every set of cards that may go with it.

    A tuple, for the loops that take thousands apart.

    Attributes:
        reading: what the play is.
        body: counts of the compared part, the wild card among them where it stands for one.
        plays: counts of the whole plays, the body included.
    """

    reading: Reading
    body: Counts
    plays: tuple[Counts, ...]


@dataclass(frozen=True)
class PlayTable:
    """All plays under one kicker rule.

    Attributes:
        readings: for each play its readings, one a kind with the highest rank, in the order of `Kind`.
        bodies: of each kind and number of cards, by rank, the lowest first.
    """

    readings: Mapping[Counts, tuple[Reading, ...]] = field(repr=False)
    bodies: Mapping[tuple[Kind, int], tuple[Body, ...]] = field(repr=False)

    def readings_of(self, counts: Counts) -> tuple[Reading, ...]:
        """What the cards can be read as, one reading a kind; empty if they are no play."""
        return self.readings.get(counts, ())

    def plays(self, hand: Counts) -> Iterator[tuple[Counts, Reading]]:
        """Every play of a hand with every reading, by kind and rank, the lowest first."""
        for bodies in self.bodies.values():
            yield from _distinct(hand, bodies)

    def beating(self, hand: Counts, last: Reading) -> Iterator[tuple[Counts, Reading]]:
        """Every play of a hand that beats the last, with the reading that does, the lowest first."""
        yield from _distinct(hand, self._higher.get(last, ()))
        guard = GUARD
        held = hand | guard
        needs = [*_bits((hand & hand >> 1 | hand >> 2) & _ONES)]
        if hand & ROCKET == ROCKET:
            needs.append(ROCKET)
        for by_need in self._stronger[last.power] if needs else ():
            for need in needs:
                for play, reading in by_need.get(need, ()):
                    if held - play & guard == guard:
                        yield play, reading

    @cached_property
    def _higher(self) -> Mapping[Reading, tuple[Body, ...]]:
        """For each reading the bodies of its kind and number of cards that are higher."""
        return {
            reading: bodies[bisect_right(bodies, reading.rank, key=_rank_of) :]
            for bodies in self.bodies.values()
            for reading in {body.reading for body in bodies}
        }

    @cached_property
    def _stronger(self) -> Mapping[int, tuple[Mapping[Counts, list[tuple[Counts, Reading]]], ...]]:
        """For each power the kinds of higher power, in the order of `Kind`: their plays by what a hand must hold first.

        That is one card of the rank of which they take three at least, or both jokers.
        """
        rows = {kind: _by_need(kind, bodies) for (kind, _), bodies in self.bodies.items() if kind in POWER}
        return {
            power: tuple(row for kind, row in rows.items() if POWER[kind] > power) for power in (0, *POWER.values())
        }


def _by_need(kind: Kind, bodies: tuple[Body, ...]) -> dict[Counts, list[tuple[Counts, Reading]]]:
    found: dict[Counts, list[tuple[Counts, Reading]]] = {}
    for body in bodies:
        need = of(body.reading.rank) if kind in OF_FOURS else ROCKET
        found.setdefault(need, []).append((body.body, body.reading))
    return found


def _bits(number: int) -> Iterator[int]:
    """The powers of two that a number is the sum of, the lowest first."""
    while number:
        lowest = number & -number
        number ^= lowest
        yield lowest


def _rank_of(body: Body) -> Rank:
    return body.reading.rank


def _distinct(hand: Counts, bodies: Iterable[Body]) -> Iterable[tuple[Counts, Reading]]:
    """The plays of one kind that a hand holds; each once, under its highest reading."""
    found: dict[Counts, Reading] = {}
    guard = GUARD
    held = hand | guard
    for reading, body, plays in bodies:
        if held - body & guard == guard:  # `contains`, which costs more than its work in this loop
            for play in plays:
                if held - play & guard == guard:
                    found[play] = reading
    return found.items()


@cache
def play_table(kickers: KickerRule) -> PlayTable:
    """The table of a rule; some tenths of a second at the first call, then nothing."""
    bodies: dict[tuple[Kind, int], list[Body]] = {}
    for body in _all_bodies(kickers):
        bodies.setdefault((body.reading.kind, body.reading.count), []).append(body)
    for rows in bodies.values():
        rows.sort(key=lambda body: body.reading.rank)
    readings: dict[Counts, tuple[Reading, ...]] = {}
    rows_of: dict[tuple[Reading, ...], tuple[Reading, ...]] = {}
    for rows in bodies.values():
        for body in rows:
            for play in body.plays:
                row = _read_too(readings.get(play, ()), body.reading)
                readings[play] = rows_of.setdefault(row, row)
    return PlayTable(readings, {key: tuple(rows) for key, rows in bodies.items()})


def _read_too(known: tuple[Reading, ...], reading: Reading) -> tuple[Reading, ...]:
    """The readings of a play with one more; of one kind the later, which is the higher."""
    if known and known[-1].kind is reading.kind:
        return (*known[:-1], reading)
    return (*known, reading)


# --- the rule -------------------------------------------------------------------------------

RUNS = ((Kind.STRAIGHT, 1, 5), (Kind.PAIR_STRAIGHT, 2, 3), (Kind.TRIPLE_STRAIGHT, 3, 2))
"""Kind, cards of each rank, fewest ranks."""
GROUPS = ((Kind.PAIR, 2), (Kind.TRIPLE, 3), (Kind.BOMB, 4))
"""Kind, cards of one rank."""
WITH_KICKERS = (
    (3, Kind.TRIPLE_SINGLE, Kind.TRIPLE_PAIR, 1),
    (4, Kind.FOUR_TWO, Kind.FOUR_TWO_PAIRS, 2),
)
"""Cards of the body, kind with single kickers, kind with pairs, kickers. Planes have one kicker a triple."""


def _all_bodies(kickers: KickerRule) -> Iterator[Body]:
    """Every body with its plays, kind by kind in the order of `Kind`."""
    found = [*_plain(), *_runs(), *_kicked(kickers), *_special()]
    order = list(Kind)
    yield from sorted(found, key=lambda body: order.index(body.reading.kind))


def _plain() -> Iterator[Body]:
    for rank in range(RANK_COUNT):
        yield _alone(Kind.SINGLE, rank, of(rank), 1)
    for kind, number in GROUPS:
        for rank in SUITED:
            for body in _with_wild((rank,), number):
                yield _alone(kind, rank, body, number)


def _runs() -> Iterator[Body]:
    for kind, number, fewest in RUNS:
        for ranks in runs_of(number, fewest):
            for body in _with_wild(ranks, number):
                yield _alone(kind, ranks[-1], body, number * len(ranks))


def _kicked(rule: KickerRule) -> Iterator[Body]:
    for number, with_singles, with_pairs, kicker_count in WITH_KICKERS:
        for rank in SUITED:
            yield from _bodies_with(rule, (rank,), number, with_singles, with_pairs, kicker_count)
    for ranks in runs_of(3, 2):
        yield from _bodies_with(rule, ranks, 3, Kind.PLANE_SINGLE, Kind.PLANE_PAIR, len(ranks))


def _special() -> Iterator[Body]:
    yield _alone(Kind.ROCKET, RED_JOKER_RANK, ROCKET, 2)
    for rank in SUITED:
        yield _alone(Kind.DEEP_BOMB, rank, of(rank, 4) + ONE_WILD, 5)
    yield _alone(Kind.DEEP_ROCKET, RED_JOKER_RANK, ROCKET + ONE_WILD, 3)


def _alone(kind: Kind, rank: Rank, body: Counts, number: int) -> Body:
    return Body(Reading(kind, rank, number), body, (body,))


def _with_wild(ranks: tuple[Rank, ...], number: int) -> Iterator[Counts]:
    """So many of each rank, naturally and with the wild card for any one of them (TY-3)."""
    natural = sum(of(rank, number) for rank in ranks)
    yield natural
    for rank in ranks:
        yield natural - of(rank) + ONE_WILD


def runs_of(number: int, fewest: int) -> Iterator[tuple[Rank, ...]]:
    """Every run of ranks without 2 and jokers, with so many cards of each, that is no longer than a hand."""
    for low in IN_RUNS:
        for high in range(low + fewest - 1, IN_RUNS.stop):
            if number * (high - low + 1) <= PLAY_SIZE_MAX:
                yield tuple(range(low, high + 1))


def _bodies_with(
    rule: KickerRule, ranks: tuple[Rank, ...], number: int, with_singles: Kind, with_pairs: Kind, kicker_count: int
) -> Iterator[Body]:
    """Bodies of these ranks with single kickers, then with pairs; none where a play would be too long."""
    body_size = number * len(ranks)
    for kind, each, make in ((with_singles, 1, _single_kickers), (with_pairs, 2, _pair_kickers)):
        play_size = body_size + each * kicker_count
        if play_size > PLAY_SIZE_MAX:
            continue
        sets = make(rule, ranks, kicker_count)
        for body in _with_wild(ranks, number):
            left = ALL_COUNTS - body
            plays = tuple(body + kickers for kickers in sets if contains(left, kickers))
            yield Body(Reading(kind, ranks[-1], play_size), body, plays)


def _single_kickers(rule: KickerRule, ranks: tuple[Rank, ...], number: int) -> list[Counts]:
    """Sets of single kickers: any ranks but the body's; the wild card is a 3 (TY-23)."""
    free = [rank for rank in range(RANK_COUNT) if rank not in ranks]
    sets = {NOTHING}
    for _ in range(number):
        sets = {kickers + of(rank) for kickers in sets for rank in free if _is_free(rule, kickers, rank)}
    return sorted(sets)


def _is_free(rule: KickerRule, kickers: Counts, rank: Rank) -> bool:
    """Whether one more of a rank may join these single kickers."""
    held = count(kickers, rank)
    if held == count(ALL_COUNTS, rank) or (held and not rule.equal_singles):
        return False
    makes_rocket = contains(kickers + of(rank), ROCKET) and rank in (BLACK_JOKER_RANK, RED_JOKER_RANK)
    return rule.both_jokers or not makes_rocket


def _pair_kickers(rule: KickerRule, ranks: tuple[Rank, ...], number: int) -> list[Counts]:
    """Sets of pairs of different ranks, none the body's; the wild card may complete one (TY-23)."""
    free = [rank for rank in SUITED if rank not in ranks]
    return [kickers for paired in combinations(free, number) for kickers in _with_wild(paired, 2)]
