"""Plays without the wild card are those of RLCard's judger, where the rules agree; where not is named here.

RLCard has all four 3s and a landlord of 20 cards: its plays with a 3, and of 20 cards, are left out.
"""

import json

from games.landlord.cards import BLACK_JOKER_RANK, IN_RUNS, RANK_COUNT, RED_JOKER_RANK, WILD_RANK, Counts, count, of
from games.landlord.combinations import Kind, Reading
from games.landlord.table import play_table
from games.variants.tingyong.ruleset import KICKERS
from tests.contract.landlord.rlcard import DIGESTS, KINDS, digest

TRIPLE = 3
FOUR = 4


def kickers_of(counts: Counts, reading: Reading) -> Counts:
    """The single kickers of a plane or a four."""
    if reading.kind is Kind.FOUR_TWO:
        return counts - of(reading.rank, FOUR)
    length = reading.count // FOUR
    return counts - sum(of(rank, TRIPLE) for rank in range(reading.rank - length + 1, reading.rank + 1))


def both_jokers(counts: Counts, reading: Reading) -> bool:
    """TY-23: two jokers may be single kickers together."""
    kickers = kickers_of(counts, reading)
    return bool(count(kickers, BLACK_JOKER_RANK) and count(kickers, RED_JOKER_RANK))


def four_alike(counts: Counts, reading: Reading) -> bool:
    """TY-23: four equal kickers, though they would be a bomb."""
    kickers = kickers_of(counts, reading)
    return any(count(kickers, rank) == FOUR for rank in range(RANK_COUNT))


def longer_plane(counts: Counts, reading: Reading) -> bool:
    """TY-24: three equal kickers that would make the plane longer; then it is a straight of triples too."""
    kickers = kickers_of(counts, reading)
    beside = (reading.rank + 1, reading.rank - reading.count // FOUR)
    return any(rank in IN_RUNS and count(kickers, rank) == TRIPLE for rank in beside)


OURS_ALONE = {Kind.PLANE_SINGLE: (both_jokers, four_alike, longer_plane), Kind.FOUR_TWO: (both_jokers,)}
"""Plays that RLCard has not, by kind, and why we have them."""


def test_wild_free_plays_agree_but_for_the_differences_named() -> None:
    """TY-2, TY-21, TY-22: the same sets of cards, in the same order."""
    wanted = json.loads(DIGESTS.read_text(encoding="utf-8"))
    plays: dict[Kind, dict[Counts, int]] = {kind: {} for kind in KINDS.values()}
    shown: set[object] = set()
    for counts, readings in play_table(KICKERS).readings.items():
        for reading in readings if not count(counts, WILD_RANK) else ():
            different = [why for why in OURS_ALONE.get(reading.kind, ()) if why(counts, reading)]
            shown.update((reading.kind, why) for why in different)
            if not different:
                plays[reading.kind][counts] = reading.rank
    assert {kind.value: digest(of_kind) for kind, of_kind in plays.items()} == wanted
    assert shown == {(kind, why) for kind, reasons in OURS_ALONE.items() for why in reasons}
    assert sum(row["count"] for row in wanted.values()) > 10_000
