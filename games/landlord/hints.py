"""The order of hints: what spoils least of a hand first.

A hint keeps bombs whole, the two jokers together and the wild card free, leaves triples,
pairs and straights as they are where it can, and spends low cards before high ones. Only a
play that empties the hand comes before all that.
"""

from collections.abc import Generator, Iterable

from games.landlord.cards import NOTHING, SUITED, WILD_RANK, Counts, contains, count
from games.landlord.combinations import Reading
from games.landlord.plan import turns
from games.landlord.table import ROCKET

FOUR = 4

Hint = tuple[Counts, Reading]


def best_first(hand: Counts, plays: Iterable[Hint]) -> list[Hint]:
    """Plays of a hand, the best hint first; equal ones keep their order.

    Args:
        hand: counts by rank, every play among them.
    """
    work = ranking(hand, plays)
    while True:
        try:
            next(work)
        except StopIteration as end:
            ranked: list[Hint] = end.value
            return ranked


def ranking(hand: Counts, plays: Iterable[Hint]) -> Generator[None, None, list[Hint]]:
    """The same, which takes long for a strong hand; yields after each play."""
    costs: list[tuple[tuple[int, ...], int, Counts, Reading]] = []
    for play, reading in plays:
        costs.append((_cost(hand, play, reading), len(costs), play, reading))
        yield
    return [(play, reading) for _, _, play, reading in sorted(costs, key=lambda row: row[:2])]


def _cost(hand: Counts, play: Counts, reading: Reading) -> tuple[int, ...]:
    """What a play costs the hand; the parts in the order in which they weigh."""
    left = hand - play
    return (
        left != NOTHING,
        reading.power,
        broken_bombs(hand, play, reading),
        count(play, WILD_RANK),
        turns(left),
        reading.rank,
    )


def broken_bombs(hand: Counts, play: Counts, reading: Reading) -> int:
    """How many fours and rockets of a hand a play spends without being a bomb or rocket of them."""
    is_bomb = reading.power > 0
    fours = sum(count(hand, rank) == FOUR and 0 < count(play, rank) < FOUR + (not is_bomb) for rank in SUITED)
    jokers = contains(hand, ROCKET) and play & ROCKET not in (NOTHING, ROCKET)
    return fours + jokers
