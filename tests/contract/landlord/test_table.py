"""The table of plays: as many as the rule makes (TY-23, TY-24), quickly, once, and each as brute force reads it."""

import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterable
from itertools import combinations_with_replacement
from random import Random

import pytest

from games.landlord.cards import ALL_COUNTS, RANK_COUNT, Counts, contains, count, of, size
from games.landlord.combinations import KickerRule, Kind, Reading
from games.landlord.table import PLAY_SIZE_MAX, PlayTable, play_table
from games.variants.tingyong.ruleset import KICKERS
from tests.contract.landlord import brute
from tests.tidy.tree import ROOT

PLAY_COUNT = 50_825
AMBIGUOUS_COUNT = 263
STRICT_COUNT = 29_631
SAMPLE = 1_500
SMALL = 4
MEGABYTES_MAX = 12.0


@pytest.fixture(scope="module")
def table() -> PlayTable:
    return play_table(KICKERS)


def ranks_of(counts: Counts) -> list[int]:
    return [rank for rank in range(RANK_COUNT) for _ in range(count(counts, rank))]


def expected(counts: Counts) -> dict[Kind, Reading]:
    return brute.readings(ranks_of(counts))


def test_there_are_as_many_plays_as_the_rule_makes(table: PlayTable) -> None:
    """TY-23, TY-24."""
    assert len(table.readings) == PLAY_COUNT
    assert sum(len(readings) > 1 for readings in table.readings.values()) == AMBIGUOUS_COUNT


def test_a_strict_reading_of_the_kickers_leaves_fewer() -> None:
    """TY-23: the decision is one constant."""
    assert len(play_table(KickerRule(equal_singles=False, both_jokers=False)).readings) == STRICT_COUNT


def test_every_play_is_of_cards_that_there_are(table: PlayTable) -> None:
    """TY-1, TY-24: one reading a kind, each of all the cards."""
    for counts, readings in table.readings.items():
        assert contains(ALL_COUNTS, counts) and 1 <= size(counts) <= PLAY_SIZE_MAX
        assert {reading.count for reading in readings} == {size(counts)}
        assert len({reading.kind for reading in readings}) == len(readings)


def check(table: PlayTable, many: Iterable[Counts]) -> int:
    """Ask the table and brute force; how many of the sets are plays."""
    plays = 0
    for counts in many:
        found = {reading.kind: reading for reading in table.readings_of(counts)}
        assert found == expected(counts), ranks_of(counts)
        plays += bool(found)
    return plays


def test_small_sets_are_read_as_brute_force_reads_them(table: PlayTable) -> None:
    """TY-3, TY-21: all sets of up to four cards."""
    small = [
        counts
        for number in range(1, SMALL + 1)
        for ranks in combinations_with_replacement(range(RANK_COUNT), number)
        if contains(ALL_COUNTS, counts := sum(map(of, ranks)))
    ]
    assert 0 < check(table, small) < len(small)


def test_plays_are_read_as_brute_force_reads_them(table: PlayTable) -> None:
    """TY-21..24: a sample of all, and every ambiguous one."""
    sample = Random(7).sample(list(table.readings), SAMPLE)
    ambiguous = [counts for counts, readings in table.readings.items() if len(readings) > 1]
    assert check(table, sample) == SAMPLE
    assert check(table, ambiguous) == AMBIGUOUS_COUNT


def test_spoilt_plays_are_read_as_brute_force_reads_them(table: PlayTable) -> None:
    """TY-21..23: one card exchanged for another makes another play, or none."""
    chance = Random(8)
    spoilt = []
    for counts in chance.sample(list(table.readings), SAMPLE):
        gone, come = chance.choice(ranks_of(counts)), chance.randrange(RANK_COUNT)
        changed = counts - of(gone) + of(come)
        if contains(ALL_COUNTS, changed):
            spoilt.append(changed)
    assert 0 < check(table, spoilt) < len(spoilt)


def test_the_wild_card_stands_for_no_joker_and_no_three(table: PlayTable) -> None:
    """TY-3."""
    wild_and = [of(0) + of(rank) for rank in (13, 14)]
    assert [table.readings_of(counts) for counts in wild_and] == [(), ()]
    straight_from_three = of(0) + sum(of(rank) for rank in range(1, 5))
    assert [str(reading) for reading in table.readings_of(straight_from_three)] == ["straight 8"]


def test_building_takes_little_memory(capsys: pytest.CaptureFixture[str]) -> None:
    build = play_table.__wrapped__
    started = time.perf_counter()
    build(KICKERS)
    seconds = time.perf_counter() - started
    tracemalloc.start()
    kept = build(KICKERS)
    held = tracemalloc.get_traced_memory()[0] / 1e6
    tracemalloc.stop()
    assert len(kept.readings) == PLAY_COUNT
    with capsys.disabled():
        print(f"\ntable of plays: {seconds * 1000:.0f} ms, {held:.1f} MB")
    assert held < MEGABYTES_MAX


def test_importing_builds_nothing() -> None:
    """A service that never sees a card pays nothing for it."""
    asked = (
        "from games.catalog import variant_of; from games.landlord.table import play_table;"
        "variant_of('tingyong').ruleset({}, 1); import sys; sys.exit(play_table.cache_info().currsize)"
    )
    assert subprocess.run([sys.executable, "-c", asked], cwd=ROOT, check=False).returncode == 0
