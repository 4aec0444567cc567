"""A viewer's place in the log: no entry twice, none out of order, none left out (PF-34)."""

import pytest
from cardroom.table.v1 import table_pb2
from hypothesis import given
from hypothesis import strategies as st

from cardroom_client import LogGap
from cardroom_client.place import Place
from tests.services.sdk.scripted_table import entry, hidden, prompt, snapshot

pytestmark = pytest.mark.fast


def placed(seq: int) -> Place:
    place = Place()
    assert place.accept(snapshot(seq))
    return place


def test_entries_follow_the_snapshot() -> None:
    place = placed(4)
    assert [place.accept(entry(5)), place.accept(hidden(6)), place.accept(entry(7))] == [True, True, True]
    assert place.seq == 7


def test_an_entry_seen_before_is_no_news() -> None:
    place = placed(4)
    place.accept(entry(5))
    assert not place.accept(entry(5))
    assert not place.accept(hidden(3))
    assert place.seq == 5


@pytest.mark.parametrize("skipped", [entry(6), hidden(9)])
def test_a_skipped_entry_is_a_fault(skipped: table_pb2.WatchResponse) -> None:
    place = placed(4)
    with pytest.raises(LogGap):
        place.accept(skipped)


def test_an_entry_before_any_snapshot_is_a_fault() -> None:
    with pytest.raises(LogGap):
        Place().accept(entry(1))


def test_a_snapshot_behind_the_place_must_say_that_the_log_lost_its_tail() -> None:
    place = placed(8)
    with pytest.raises(LogGap):
        place.accept(snapshot(5))
    assert place.accept(snapshot(5, rewound=True))
    assert place.accept(entry(6))


def test_a_prompt_older_than_the_place_is_no_news() -> None:
    place = placed(4)
    assert place.accept(prompt(4))
    assert not place.accept(prompt(3))


def test_a_kind_of_a_later_version_is_passed_over() -> None:
    place = placed(4)
    assert not place.accept(table_pb2.WatchResponse(seq=4))
    assert place.seq == 4


@given(cuts=st.lists(st.integers(0, 30), max_size=8))
def test_any_overlap_of_resumed_streams_gives_each_entry_once(cuts: list[int]) -> None:
    """A server may go back any number of entries at each resumption; what is accepted is 1, 2, 3, ..."""
    place = placed(0)
    accepted = []
    for cut in cuts:
        head = place.seq or 0
        for seq in range(max(head - cut, 0) + 1, head + cut + 1):
            if place.accept(entry(seq)):
                accepted.append(seq)
    assert accepted == list(range(1, (place.seq or 0) + 1))
