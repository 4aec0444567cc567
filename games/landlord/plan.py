"""How many turns a hand needs if nobody stands in its way: what hints and bots measure hands by.

An estimate from above: straights of one, two and three alike are tried in all ways, the rest
goes as bombs, triples with kickers, pairs and singles. The wild card makes one group larger
or goes as a single; in straights it is not looked for.
"""

from collections.abc import Iterator
from functools import lru_cache

from games.landlord.cards import (
    BITS,
    BLACK_JOKER_RANK,
    RED_JOKER_RANK,
    SUITED,
    WILD_RANK,
    Counts,
    contains,
    count,
    of,
)
from games.landlord.table import RUNS, runs_of

_MEMORY = 1 << 16
"""Hands whose turns are kept: the same cards are asked about again and again within a deal."""
_SUITED_BITS = sum(15 << BITS * rank for rank in SUITED)
_ONES = sum(1 << BITS * rank for rank in SUITED)
"""The lowest bit of every suited rank."""


def turns(hand: Counts) -> int:
    """Plays that empty the hand, at most; 0 for an empty one.

    Args:
        hand: counts by rank.
    """
    jokers = count(hand, BLACK_JOKER_RANK) + count(hand, RED_JOKER_RANK)
    return _turns(hand & _SUITED_BITS, count(hand, WILD_RANK), jokers, 0)


@lru_cache(maxsize=_MEMORY)
def _turns(suited: Counts, wild: int, jokers: int, room: int) -> int:
    """Plays for cards of which some straights are taken out.

    Args:
        suited: counts of 4 to 2.
        wild: 1 if the wild card is held.
        jokers: how many.
        room: kickers that the planes taken out have room for.
    """
    best = _grouped(suited, wild, jokers, room)
    for run, carries in _runs_in(suited):
        best = min(best, 1 + _turns(suited - run, wild, jokers, room + carries))
    return best


def _runs_in(suited: Counts) -> Iterator[tuple[Counts, int]]:
    """Every straight the cards hold, and how many kickers it has room for."""
    at_least_two = suited >> 1 | suited >> 2
    yield from _runs_among(1, (suited | at_least_two) & _ONES)
    yield from _runs_among(2, at_least_two & _ONES)
    yield from _runs_among(3, (suited & suited >> 1 | suited >> 2) & _ONES)


@lru_cache(maxsize=_MEMORY)
def _runs_among(number: int, ranks: Counts) -> tuple[tuple[Counts, int], ...]:
    """Straights with so many cards of each rank, from these ranks alone.

    Args:
        ranks: one for each rank of which there are enough cards.
    """
    fewest = next(fewest for _, alike, fewest in RUNS if alike == number)
    return tuple(
        (sum(of(rank, number) for rank in run), len(run) if number == 3 else 0)
        for run in runs_of(number, fewest)
        if contains(ranks, sum(map(of, run)))
    )


def _grouped(suited: Counts, wild: int, jokers: int, room: int) -> int:
    """Plays for cards as bombs, triples with kickers, pairs and singles alone."""
    digits = f"{suited:x}"
    fours, triples, pairs, singles = (digits.count(number) for number in "4321")
    rockets, lone = divmod(jokers, 2)
    singles += lone
    best = _plays(fours, triples, pairs, singles + wild, room)
    if wild and singles:
        best = min(best, _plays(fours, triples, pairs + 1, singles - 1, room))
    if wild and pairs:
        best = min(best, _plays(fours, triples + 1, pairs - 1, singles, room))
    if wild and triples:
        best = min(best, _plays(fours + 1, triples - 1, pairs, singles, room))
    return rockets + best


def _plays(fours: int, triples: int, pairs: int, singles: int, room: int) -> int:
    return fours + triples + max(0, pairs + singles - triples - room)
