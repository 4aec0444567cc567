"""Signs of life: the session sends the player's while he watches, and listens for the server's (PF-24)."""

import asyncio
from typing import Any

import pytest
from cardroom.table.v1 import event_pb2, table_pb2

from cardroom_client import TableSession
from tests.services.sdk.scripted_table import HANGS, ScriptedTable, entry, goodbye, served_table, snapshot
from tests.services.sdk.test_session import ENDED, seat_at, watched

pytestmark = pytest.mark.fast

BEAT_SECONDS = 0.05
SLOW_BEAT_SECONDS = 0.5
"""Where what is sent at once must come before the stream is taken for dead, however busy the machine is."""


def alive() -> table_pb2.WatchResponse:
    return table_pb2.WatchResponse(epoch=1, seq=0, heartbeat=table_pb2.StreamHeartbeat())


def presence() -> table_pb2.WatchResponse:
    seats = [table_pb2.SeatPresence(seat=0, online=True)]
    return table_pb2.WatchResponse(epoch=1, seq=0, presence=table_pb2.Presence(seats=seats))


async def test_heartbeats_are_sent_while_the_player_watches_and_no_longer() -> None:
    table = ScriptedTable(streams=[[snapshot(0), HANGS]])
    async with (
        served_table(table) as at,
        TableSession(seat_at(at.authority), heartbeat_seconds=BEAT_SECONDS) as session,
    ):
        waiting = asyncio.create_task(watched(session))
        async with asyncio.timeout(60):
            while table.heartbeat_count < 2:  # noqa: ASYNC110  the script rings no event
                await asyncio.sleep(0.01)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        before = table.heartbeat_count
        await asyncio.sleep(4 * BEAT_SECONDS)
        assert table.heartbeat_count <= before + 1, "one may have been on its way"


async def test_a_stream_that_falls_silent_is_opened_anew_behind_the_last_entry() -> None:
    table = ScriptedTable(streams=[[snapshot(0), entry(1), HANGS], [entry(2), ENDED]])
    async with (
        served_table(table) as at,
        TableSession(seat_at(at.authority), heartbeat_seconds=SLOW_BEAT_SECONDS) as session,
    ):
        assert [seq for _, seq in await asyncio.wait_for(watched(session), 60)] == [0, 1, 2, 9]
    assert table.watched[1].after_seq == 1


async def test_who_is_cancelled_while_he_watches_is_cancelled() -> None:
    table = ScriptedTable(streams=[[snapshot(0), HANGS]])
    async with served_table(table) as at, TableSession(seat_at(at.authority)) as session:
        task = asyncio.create_task(watched(session))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_presence_is_given_and_the_stream_s_own_heartbeat_is_not() -> None:
    table = ScriptedTable(streams=[[snapshot(0), alive(), presence(), entry(1), ENDED]])
    async with served_table(table) as at, TableSession(seat_at(at.authority)) as session:
        assert [kind for kind, _ in await watched(session)] == ["snapshot", "presence", "event", "goodbye"]


async def test_who_has_left_is_not_brought_back_by_his_own_client() -> None:
    table = ScriptedTable(streams=[[snapshot(0), goodbye(3, table_pb2.GOODBYE_REASON_LEFT)]])
    async with served_table(table) as at, TableSession(seat_at(at.authority)) as session:
        assert await watched(session) == [("snapshot", 0), ("goodbye", 3)]
    assert len(table.watched) == 1


async def test_leaving_and_the_trustee_are_asked_for_by_name() -> None:
    answers: list[Any] = [
        table_pb2.LeaveResponse(seq=7),
        table_pb2.LeaveResponse(seq=8),
        table_pb2.SetTrusteeResponse(),
    ]
    table = ScriptedTable(answers=answers)
    async with served_table(table) as at, TableSession(seat_at(at.authority)) as session:
        assert (await session.leave()).seq == 7
        assert (await session.leave(after_deal=True)).seq == 8
        await session.set_trustee(True)
    assert [request.when for request in table.asked[:2]] == [event_pb2.LEAVE_WHEN_NOW, event_pb2.LEAVE_WHEN_AFTER_DEAL]
    assert table.asked[2].on
