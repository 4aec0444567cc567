"""What `make run` prints: every kind of event, as a person reads it (BB-53)."""

from collections.abc import Mapping
from typing import Any

import pytest
from cardroom.mahjong.v1 import event_pb2 as mahjong_pb2
from cardroom.table.v1 import event_pb2, room_pb2, table_pb2

from deploy.local.narrator import CLOSE_WORDS, END_WORDS, KONG_WORDS, OUTCOME_WORDS, Narrator

pytestmark = pytest.mark.fast

P1, P5, S9 = 9, 13, 26


def moves(*events: mahjong_pb2.Event) -> list[event_pb2.TableEvent]:
    return [event_pb2.TableEvent(mahjong=event) for event in events]


def told(*events: event_pb2.TableEvent) -> list[str]:
    lines: list[str] = []
    narrator = Narrator(lines.append)
    for event in events:
        narrator.tell(event)
    narrator.close()
    return lines


def drawn(seat: int, tile: int | None, source: "mahjong_pb2.DrawSource.ValueType") -> mahjong_pb2.Event:
    return mahjong_pb2.Event(drawn=mahjong_pb2.Drawn(seat=seat, tile=tile, source=source))


def discarded(seat: int, tile: int) -> mahjong_pb2.Event:
    return mahjong_pb2.Event(discarded=mahjong_pb2.Discarded(seat=seat, tile=tile))


def test_moves_share_a_line_and_a_draw_its_discard() -> None:
    lines = told(
        *moves(
            discarded(0, P1),
            drawn(1, P5, mahjong_pb2.DRAW_SOURCE_WALL),
            discarded(1, S9),
            mahjong_pb2.Event(melded=mahjong_pb2.Melded(seat=3, tile=S9, from_seat=1)),
            discarded(3, P1),
            drawn(0, None, mahjong_pb2.DRAW_SOURCE_REPLACEMENT),
        )
    )
    assert lines == ["  0-1p  1+5p-9s  3 pung 999s from 1  3-1p  0++?"]


def test_a_line_of_moves_ends_before_it_is_too_wide() -> None:
    lines = told(*moves(*[discarded(0, P1)] * 60))
    assert len(lines) > 2
    assert all(len(line) <= 110 for line in lines)
    assert " ".join(lines).count("0-1p") == 60


def test_a_win_names_fans_in_both_tongues_and_every_payment_what_was_asked_and_paid() -> None:
    winner = mahjong_pb2.WinnerResult(
        seat=2,
        rank=1,
        fans=[
            mahjong_pb2.FanCount(fan_id="full_flush", value=2, name_zh="清一色"),
            mahjong_pb2.FanCount(fan_id="gui", value=1, name_zh="归"),
        ],
        fan_total=3,
        amount=8,
    )
    won = mahjong_pb2.Event(won=mahjong_pb2.Won(by=mahjong_pb2.WIN_BY_DISCARD, tile=P5, from_seat=0, winners=[winner]))
    made = event_pb2.PaymentsMade(
        settlement_seq=1,
        asset="points",
        payments=[event_pb2.TablePayment(payer_seat=0, payee_seat=2, asked=8, paid=5, cause="win")],
        balances=[event_pb2.SeatBalance(seat=seat, balance=amount) for seat, amount in enumerate((0, 9, 15, 9))],
    )
    assert told(*moves(won), event_pb2.TableEvent(payments_made=made)) == [
        "  WIN seat 2, number 1: 5p on the discard of seat 0: 清一色 full_flush +2, 归 gui +1 = 3 fan, 8 a payer",
        "    win: seat 0 -> 2, asked 8, paid 5",
        "    settlement 1 in points: balances 0 9 15 9",
    ]


def test_kongs_ready_check_and_end_are_told() -> None:
    konged = mahjong_pb2.Konged(seat=1, kind=mahjong_pb2.KONG_KIND_EXPOSED, tile=P1, from_seat=3, owing_seats=[3])
    ended = mahjong_pb2.Ended(
        cause=mahjong_pb2.END_CAUSE_WALL_EMPTY,
        next_dealer=2,
        checks=[mahjong_pb2.ReadyCheck(seat=0, ready=True, amount=4), mahjong_pb2.ReadyCheck(seat=1)],
        kong_outcomes=[mahjong_pb2.KONG_OUTCOME_VOID],
        hands=[mahjong_pb2.Hand(tiles=[P1, P5]), mahjong_pb2.Hand()],
    )
    assert told(*moves(mahjong_pb2.Event(konged=konged), mahjong_pb2.Event(ended=ended))) == [
        "  KONG seat 1: 引杠 exposed 1111p from seat 3; owing: 3",
        "  END the wall is empty; next dealer: seat 2",
        "  seat 0 15p",
        "  seat 1 (nothing concealed)",
        "  查叫 ready check: seat 0 ready for 4, seat 1 not ready",
        "  kongs, in order: void",
    ]


def test_a_table_is_introduced_and_a_deal_resumed() -> None:
    lines: list[str] = []
    narrator = Narrator(lines.append)
    snapshot = table_pb2.Snapshot(
        deal_number=1,
        room=room_pb2.Room(room_id="r", name="演示", variant="bloody4", stake=2, asset="coins"),
        seats=[table_pb2.SeatState(seat=1, player_id="b"), table_pb2.SeatState(seat=0, player_id="a")],
    )
    snapshot.mahjong.wall_left = 30
    narrator.introduce(snapshot)
    narrator.resume(snapshot)
    assert lines == [
        "room r, 演示: bloody4, stake 2 coins",
        "  seat 0 a, seat 1 b",
        "deal 1 goes on where it was left: 30 tiles in the wall, 0 discards, 0 wins",
    ]


def test_every_kind_of_move_has_words() -> None:
    """A kind added to the wire and not to the narrator would be played unseen."""
    for field in mahjong_pb2.Event.DESCRIPTOR.fields:
        event = mahjong_pb2.Event()
        getattr(event, field.name).SetInParent()
        if field.name == "opened":
            event.opened.dice.extend([1, 2, 3, 4])
        if field.name == "dealt":
            event.dealt.hands.add(hidden_count=13)
        if field.name == "won":
            event.won.by = mahjong_pb2.WIN_BY_SELF
            event.won.winners.add(seat=1)
        if field.name == "konged":
            event.konged.kind = mahjong_pb2.KONG_KIND_ADDED
        if field.name == "ended":
            event.ended.cause = mahjong_pb2.END_CAUSE_ONE_LEFT
        assert told(*moves(event)), field.name


def test_a_game_with_flowers_chows_and_caps_is_told_in_its_own_words_sh_12_31() -> None:
    winner = mahjong_pb2.WinnerResult(seat=1, rank=1, fan_total=1, amount=30, base_sum=5)
    lines = told(
        *moves(
            mahjong_pb2.Event(opened=mahjong_pb2.Opened(dice=[4, 3], wall_count=144)),
            mahjong_pb2.Event(flowered=mahjong_pb2.Flowered(seat=1, tile=38)),
            drawn(1, P5, mahjong_pb2.DRAW_SOURCE_FLOWER),
            discarded(1, P5),
            mahjong_pb2.Event(melded=mahjong_pb2.Melded(seat=2, tile=P5, from_seat=1, lowest=P5 - 1)),
            mahjong_pb2.Event(declared=mahjong_pb2.Declared(seats=[0, 2])),
            mahjong_pb2.Event(declined=mahjong_pb2.Declined(seat=0)),
            mahjong_pb2.Event(won=mahjong_pb2.Won(by=mahjong_pb2.WIN_BY_SELF, winners=[winner])),
            mahjong_pb2.Event(ended=mahjong_pb2.Ended(cause=mahjong_pb2.END_CAUSE_ESCAPED)),
        )
    )
    assert lines == [
        "  dice 4+3; 144 tiles",
        "  1 flower 5f  1++5p-5p  2 chow 456p from 1",
        "  报叫 seat 0, seat 2 declares a ready hand",
        "  seat 0 declines the win for all flowers",
        "  WIN seat 1, number 1: 自摸 self-draw: 推倒胡 plain = base sum 5, 1 lezi, 30 a payer",
        "  END a player has left; next dealer: nobody",
    ]


def test_payers_who_are_asked_for_different_sums_are_told_apart_dz_40() -> None:
    asked = [
        mahjong_pb2.Payment(payer_seat=seat, payee_seat=1, amount=amount) for seat, amount in ((2, 15), (3, 8), (0, 8))
    ]
    winner = mahjong_pb2.WinnerResult(seat=1, rank=1, fan_total=7, amount=15, payments=asked)
    won = mahjong_pb2.Won(by=mahjong_pb2.WIN_BY_DISCARD, from_seat=2, tile=P5, winners=[winner])
    (line,) = told(*moves(mahjong_pb2.Event(won=won)))
    assert line.endswith("= 7 fan, 15 of seat 2, 8 of seat 3, 8 of seat 0")


@pytest.mark.parametrize(
    ("enum", "told_of"),
    [
        (mahjong_pb2.EndCause, END_WORDS),
        (mahjong_pb2.KongKind, KONG_WORDS),
        (event_pb2.TableCloseCause, CLOSE_WORDS),
        (mahjong_pb2.KongOutcome, OUTCOME_WORDS),
    ],
)
def test_there_are_words_for_whatever_the_wire_may_say(enum: Any, told_of: Mapping[int, str]) -> None:
    assert {number for number in enum.values() if number} <= set(told_of)
