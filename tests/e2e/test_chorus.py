"""Entries of one log are put together from what each seat was told, in order."""

import pytest
from cardroom.mahjong.v1 import event_pb2 as mahjong_pb2
from cardroom.table.v1 import event_pb2, table_pb2

from deploy.local.chorus import Chorus

pytestmark = pytest.mark.fast


def snapshot(seq: int) -> table_pb2.WatchResponse:
    return table_pb2.WatchResponse(seq=seq, snapshot=table_pb2.Snapshot())


def entry(seq: int, event: mahjong_pb2.Event) -> table_pb2.WatchResponse:
    return table_pb2.WatchResponse(seq=seq, event=event_pb2.TableEvent(mahjong=event))


def drawn(tile: int | None) -> mahjong_pb2.Event:
    return mahjong_pb2.Event(drawn=mahjong_pb2.Drawn(seat=1, tile=tile))


def test_an_entry_is_told_once_all_seats_have_it_with_what_the_best_informed_knows() -> None:
    chorus = Chorus(2)
    chorus.hear(0, snapshot(4))
    chorus.hear(1, snapshot(4))
    assert chorus.hear(0, entry(5, drawn(None))) == []
    told = chorus.hear(1, entry(5, drawn(12)))
    assert [(seq, event.mahjong.drawn.tile) for seq, event in told] == [(5, 12)]


def test_nothing_is_told_twice_or_out_of_order() -> None:
    chorus = Chorus(2)
    chorus.hear(0, snapshot(0))
    for seq in (1, 2, 3):
        assert chorus.hear(0, entry(seq, drawn(seq))) == []
    assert [seq for seq, _ in chorus.hear(1, snapshot(2))] == [1, 2]
    assert [seq for seq, _ in chorus.hear(1, entry(3, drawn(None)))] == [3]


def test_hands_come_from_their_owners() -> None:
    chorus = Chorus(2)
    for seat in (0, 1):
        chorus.hear(seat, snapshot(0))
        hands = [
            mahjong_pb2.Hand(tiles=[9 + owner]) if owner == seat else mahjong_pb2.Hand(hidden_count=1)
            for owner in (0, 1)
        ]
        told = chorus.hear(seat, entry(1, mahjong_pb2.Event(dealt=mahjong_pb2.Dealt(hands=hands))))
    assert [list(hand.tiles) for hand in told[0][1].mahjong.dealt.hands] == [[9], [10]]
