"""What cards can be read as, worked out by hand and slowly: every rank the wild card may stand for, every shape.

Nothing of the table is used but the words it answers in.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement

from games.landlord.combinations import Kind, Reading

WILD, TWO, BLACK, RED = 0, 12, 13, 14
RUN_TOP = 11
NO_WILD = -1


def readings(ranks: list[int]) -> dict[Kind, Reading]:
    """The highest reading of each kind.

    Args:
        ranks: of the cards, 0 for the wild card, 1..12 for 4..2, 13 and 14 for the jokers.
    """
    best: dict[Kind, Reading] = {}
    for kind, rank in _all(ranks):
        if kind not in best or best[kind].rank < rank:
            best[kind] = Reading(kind, rank, len(ranks))
    return best


def _all(ranks: list[int]) -> Iterator[tuple[Kind, int]]:
    natural = Counter(rank for rank in ranks if rank != WILD)
    if WILD not in ranks:
        yield from _plain(natural, NO_WILD)
        yield from _kicked(natural, NO_WILD)
        return
    yield from _with_three(natural)
    for stands_for in range(1, TWO + 1):
        filled = natural.copy()
        filled[stands_for] += 1
        yield from _plain(filled, stands_for)
        yield from _kicked(filled, stands_for)


def _with_three(natural: Counter[int]) -> Iterator[tuple[Kind, int]]:
    """The wild card as a 3: alone, as a single kicker, or with a bomb or rocket."""
    if not natural:
        yield Kind.SINGLE, WILD
    if natural == Counter([BLACK, RED]):
        yield Kind.DEEP_ROCKET, RED
    if len(natural) == 1 and set(natural.values()) == {4}:
        yield Kind.DEEP_BOMB, next(iter(natural))
    for kind, top in _kicked(natural + Counter([WILD]), NO_WILD):
        if kind in (Kind.TRIPLE_SINGLE, Kind.FOUR_TWO, Kind.PLANE_SINGLE):
            yield kind, top


def _plain(cards: Counter[int], stands_for: int) -> Iterator[tuple[Kind, int]]:
    """Groups, bombs, straights, rocket: nothing beside the body."""
    numbers, ranks = set(cards.values()), sorted(cards)
    if len(numbers) != 1:
        return
    number, top = numbers.pop(), ranks[-1]
    groups = {1: Kind.SINGLE, 2: Kind.PAIR, 3: Kind.TRIPLE, 4: Kind.BOMB}
    if len(ranks) == 1 and number in groups and (top <= TWO or number == 1) and (stands_for == NO_WILD or number > 1):
        yield groups[number], top
    if ranks == [BLACK, RED] and number == 1:
        yield Kind.ROCKET, RED
    runs = {1: (Kind.STRAIGHT, 5), 2: (Kind.PAIR_STRAIGHT, 3), 3: (Kind.TRIPLE_STRAIGHT, 2)}
    if number in runs and _in_a_row(ranks) and len(ranks) >= runs[number][1]:
        yield runs[number][0], top


def _in_a_row(ranks: list[int]) -> bool:
    return ranks[-1] <= RUN_TOP and ranks == list(range(ranks[0], ranks[0] + len(ranks)))


def _kicked(cards: Counter[int], stands_for: int) -> Iterator[tuple[Kind, int]]:
    """A body of threes in a row, or one four, with kickers of other ranks."""
    for four in (rank for rank, held in cards.items() if held == 4):
        yield from _with_kickers(cards, [four], 4, stands_for)
    threes = sorted(rank for rank, held in cards.items() if held == 3)
    for first, last in combinations_with_replacement(range(len(threes)), 2):
        body = threes[first : last + 1]
        if len(body) == 1 or _in_a_row(body):
            yield from _with_kickers(cards, body, 3, stands_for)


def _with_kickers(cards: Counter[int], body: list[int], number: int, stands_for: int) -> Iterator[tuple[Kind, int]]:
    kickers = Counter({rank: held for rank, held in cards.items() if rank not in body})
    wanted = 2 if number == 4 else len(body)
    singles, pairs = {
        (3, True): (Kind.TRIPLE_SINGLE, Kind.TRIPLE_PAIR),
        (3, False): (Kind.PLANE_SINGLE, Kind.PLANE_PAIR),
        (4, True): (Kind.FOUR_TWO, Kind.FOUR_TWO_PAIRS),
    }[number, len(body) == 1]
    # As a single kicker the wild card is a 3 and stands for nothing.
    if kickers.total() == wanted and stands_for not in kickers:
        yield singles, body[-1]
    if len(kickers) == wanted and set(kickers.values()) == {2} and max(kickers) <= TWO and WILD not in kickers:
        yield pairs, body[-1]
