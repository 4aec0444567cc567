"""A table session comes back after every kind of end, and its calls happen once (PF-34)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import grpc
import pytest
from cardroom.landlord.v1 import action_pb2 as landlord_pb2
from cardroom.mahjong.v1 import action_pb2
from cardroom.table.v1 import table_pb2

from cardroom_client import OVERTAKEN, CallRefused, LogGap, Seat, TableSession, TooLate
from tests.services.sdk.scripted_table import (
    Fail,
    ScriptedTable,
    entry,
    goodbye,
    hidden,
    prompt,
    served_table,
    snapshot,
)

pytestmark = pytest.mark.fast

ENDED = goodbye(9, table_pb2.GOODBYE_REASON_ENDED)
PASSING_ENDS = [
    goodbye(2, table_pb2.GOODBYE_REASON_MOVED),
    goodbye(2, table_pb2.GOODBYE_REASON_SLOW),
    goodbye(2, table_pb2.GOODBYE_REASON_RECONNECT),
    goodbye(2, table_pb2.GOODBYE_REASON_SHUTDOWN),
    Fail(grpc.StatusCode.UNAVAILABLE),
    Fail(grpc.StatusCode.INTERNAL),
    Fail(grpc.StatusCode.CANCELLED),
    Fail(grpc.StatusCode.UNAVAILABLE, "SHUTTING_DOWN", retry_ms=1),
    Fail(grpc.StatusCode.UNAVAILABLE, "STORE_UNAVAILABLE"),
]


def seat_at(authority: str) -> Seat:
    return Seat(
        table_id="t1", seat=2, room_id="r", authority=authority, pod="table-0", token="one", expiry=datetime.now(UTC)
    )


async def watched(session: TableSession) -> list[tuple[str, int]]:
    return [(str(update.WhichOneof("kind")), update.seq) async for update in session.watch()]


def discard(tile: int) -> action_pb2.Action:
    return action_pb2.Action(discard=action_pb2.Discard(tile=tile))


@pytest.mark.parametrize("end", PASSING_ENDS)
async def test_a_stream_that_ends_is_resumed_behind_the_last_entry(end: Any) -> None:
    table = ScriptedTable(streams=[[snapshot(0), entry(1), hidden(2), end], [hidden(2), entry(3), prompt(3), ENDED]])
    async with served_table(table) as at, TableSession(seat_at(at.authority)) as session:
        seen = await watched(session)
    assert seen == [("snapshot", 0), ("event", 1), ("hidden", 2), ("event", 3), ("prompt", 3), ("goodbye", 9)]
    assert not table.watched[0].HasField("after_seq")
    assert (table.watched[1].after_seq, table.watched[1].known_epoch) == (2, 1)
    assert table.metadata[0]["x-table-pod"] == "table-0"
    assert table.metadata[0]["authorization"] == "Bearer one"


async def test_a_stream_that_ends_without_a_word_is_resumed() -> None:
    table = ScriptedTable(streams=[[snapshot(0), entry(1)], [], [entry(2), ENDED]])
    async with served_table(table) as at, TableSession(seat_at(at.authority)) as session:
        assert [seq for _, seq in await watched(session)] == [0, 1, 2, 9]


async def test_messages_that_come_together_are_given_one_by_one() -> None:
    both = entry(1)
    both.more.extend([entry(2), prompt(2)])
    table = ScriptedTable(streams=[[snapshot(0), both, hidden(3), ENDED]])
    async with served_table(table) as at, TableSession(seat_at(at.authority)) as session:
        updates = [update async for update in session.watch()]
    assert table.watched[0].together
    assert [update.seq for update in updates] == [0, 1, 2, 2, 3, 9]
    assert not any(update.more for update in updates)


async def test_a_goodbye_among_messages_that_come_together_ends_the_stream() -> None:
    both = entry(1)
    both.more.extend([goodbye(1, table_pb2.GOODBYE_REASON_MOVED), entry(2)])
    table = ScriptedTable(streams=[[snapshot(0), both], [entry(2), ENDED]])
    async with served_table(table) as at, TableSession(seat_at(at.authority)) as session:
        assert [seq for _, seq in await watched(session)] == [0, 1, 2, 9]
    assert table.watched[1].after_seq == 1


async def test_a_replaced_viewer_stays_away() -> None:
    table = ScriptedTable(streams=[[snapshot(0), goodbye(0, table_pb2.GOODBYE_REASON_REPLACED)]])
    async with served_table(table) as at, TableSession(seat_at(at.authority)) as session:
        assert [kind for kind, _ in await watched(session)] == ["snapshot", "goodbye"]
    assert len(table.watched) == 1


async def test_a_gap_is_raised_not_passed_over() -> None:
    table = ScriptedTable(streams=[[snapshot(0), entry(1), entry(3)]])
    async with served_table(table) as at, TableSession(seat_at(at.authority)) as session:
        with pytest.raises(LogGap):
            await watched(session)


async def test_not_owner_leads_to_the_owner() -> None:
    owner = ScriptedTable(streams=[[snapshot(5), ENDED]], answers=[table_pb2.ActResponse(seq=6)])
    async with served_table(owner) as there:
        moved = Fail(grpc.StatusCode.FAILED_PRECONDITION, "NOT_OWNER", {"authority": there.authority, "pod": "table-7"})
        former = ScriptedTable(streams=[[moved]], answers=[moved])
        async with served_table(former) as here, TableSession(seat_at(here.authority)) as session:
            answer = await session.act(discard(3), "5-2")
            seen = await watched(session)
            assert session.seat.pod == "table-7"
    assert answer.seq == 6
    assert [kind for kind, _ in seen] == ["snapshot", "goodbye"]
    assert owner.metadata[0]["x-table-pod"] == "table-7"


async def test_a_move_keeps_its_request_id_until_the_answer_is_definite() -> None:
    answers: Sequence[Any] = [
        Fail(grpc.StatusCode.UNAVAILABLE),
        Fail(grpc.StatusCode.DEADLINE_EXCEEDED),
        table_pb2.ActResponse(seq=8, outcome=table_pb2.ACT_OUTCOME_ACCEPTED, duplicate=True),
    ]
    table = ScriptedTable(answers=answers)
    async with served_table(table) as at, TableSession(seat_at(at.authority)) as session:
        option = table_pb2.Option(mahjong=discard(3))
        answer = await session.act(option, "7-2")
    assert answer.duplicate
    assert len({request.request_id for request in table.asked}) == 1
    assert len(table.asked) == 3
    assert table.asked[0].mahjong == discard(3)
    assert table.asked[0].decision_id == "7-2"


@pytest.mark.parametrize("as_option", [True, False])
async def test_a_move_of_any_family_is_sent_as_what_it_is(as_option: bool) -> None:
    move = landlord_pb2.Action(play=landlord_pb2.Play(cards=[1, 2]))
    table = ScriptedTable(answers=[table_pb2.ActResponse(seq=8, outcome=table_pb2.ACT_OUTCOME_ACCEPTED)])
    async with served_table(table) as at, TableSession(seat_at(at.authority)) as session:
        await session.act(table_pb2.Option(landlord=move) if as_option else move, "7-2")
    assert table.asked[0].landlord == move
    assert not table.asked[0].HasField("mahjong")


async def test_an_option_that_needs_newer_stubs_is_not_sent() -> None:
    table = ScriptedTable(answers=[])
    async with served_table(table) as at, TableSession(seat_at(at.authority)) as session:
        with pytest.raises(ValueError, match="newer stubs"):
            await session.act(table_pb2.Option(), "7-2")
    assert table.asked == []


async def test_a_refused_move_says_why_and_is_not_sent_again() -> None:
    refusal = Fail(
        grpc.StatusCode.INVALID_ARGUMENT, "TILE_NOT_HELD", {"rule": "BB-10"}, violation="mahjong.discard.tile"
    )
    table = ScriptedTable(answers=[refusal])
    async with served_table(table) as at, TableSession(seat_at(at.authority)) as session:
        with pytest.raises(CallRefused) as caught:
            await session.act(discard(3), "7-2")
    told = caught.value
    assert (told.reason, told.code) == ("TILE_NOT_HELD", grpc.StatusCode.INVALID_ARGUMENT)
    assert (told.field, told.rule, told.message) == ("mahjong.discard.tile", "BB-10", "in words")
    assert told.retry_after is None
    assert len(table.asked) == 1


@pytest.mark.parametrize("reason", sorted(OVERTAKEN))
async def test_a_move_that_comes_too_late_is_told_apart_from_a_wrong_one(reason: str) -> None:
    table = ScriptedTable(answers=[Fail(grpc.StatusCode.FAILED_PRECONDITION, reason), table_pb2.ActResponse(seq=9)])
    async with served_table(table) as at, TableSession(seat_at(at.authority)) as session:
        with pytest.raises(TooLate) as caught:
            await session.act(discard(3), "7-2")
        assert (await session.act(discard(3), "8-2")).seq == 9
    assert (caught.value.reason, caught.value.message) == (reason, "in words")


async def test_an_expired_seat_token_is_renewed() -> None:
    table = ScriptedTable(
        answers=[Fail(grpc.StatusCode.UNAUTHENTICATED, "TOKEN_EXPIRED"), table_pb2.SetReadyResponse(seq=3)]
    )
    async with served_table(table) as at:

        async def renew() -> Seat:
            return replace(seat_at(at.authority), token="two")

        async with TableSession(seat_at(at.authority), renew=renew) as session:
            assert (await session.set_ready(b"n")).seq == 3
    assert [metadata["authorization"] for metadata in table.metadata] == ["Bearer one", "Bearer two"]


async def test_an_expired_token_without_renewal_is_refused() -> None:
    table = ScriptedTable(answers=[Fail(grpc.StatusCode.UNAUTHENTICATED, "TOKEN_EXPIRED")])
    async with served_table(table) as at, TableSession(seat_at(at.authority)) as session:
        with pytest.raises(CallRefused, match="TOKEN_EXPIRED"):
            await session.set_ready()


async def test_an_address_that_does_not_answer_is_asked_for_anew() -> None:
    table = ScriptedTable(answers=[table_pb2.GetSnapshotResponse(seq=4)])
    asked = []
    async with served_table(table) as at:

        async def renew() -> Seat:
            asked.append(1)
            return seat_at(at.authority)

        async with TableSession(seat_at("127.0.0.1:1"), renew=renew) as session:
            assert (await session.snapshot()).seq == 4
    assert asked


async def test_patience_has_an_end() -> None:
    async with TableSession(seat_at("127.0.0.1:1"), patience_seconds=0.3) as session:
        with pytest.raises(CallRefused) as caught:
            await session.snapshot()
        with pytest.raises(CallRefused):
            await watched(session)
    assert caught.value.code is grpc.StatusCode.UNAVAILABLE
