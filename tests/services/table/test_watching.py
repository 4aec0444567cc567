"""Streams: what a viewer is sent, from where on, and how it ends (PF-30..34, PF-40; reliability 11, 13, 14)."""

import asyncio
from typing import Any

import grpc.aio
from cardroom.table.v1 import event_pb2, table_pb2

from refusals import Reason
from services.table.app.viewers import FRAME_COUNT_MAX, SLOW_WITHIN_MS, Viewer
from services.table.model import play
from services.table.ports import Farewell
from serving.refusing import refusal_of
from tests.services.table.logs import folded, received, seen_of, stored, table_with_settlements
from tests.services.table.rig import (
    LIMIT_S,
    Player,
    Pods,
    RunningPod,
    Seated,
    eventually,
    first_option,
    gathered,
    new_table_id,
    playing,
    to_act,
)
from wire.mahjong import view_from_proto


async def played(seated: Seated) -> list[Player]:
    """A deal played to the table's end."""
    players = await gathered(seated)
    for player in players:
        player.play(first_option)
    for player in players:
        await player.ready()
    for player in players:
        await player.ended()
    return players


async def some_moves(players: list[Player], count: int = 3) -> None:
    """A few discards."""
    for _ in range(count):
        player = await to_act(players)
        assert player.prompt is not None
        option = player.prompt.options[-1] if not player.prompt.options[-1].mahjong.HasField("lock") else None
        chosen = option or player.prompt.options[0]
        await player.act(chosen.mahjong, player.prompt.decision_id)


async def test_everybody_receives_the_log_as_he_may_know_it_pf_40(pod: RunningPod, redis_url: str) -> None:
    """Exactly once, in order, without gaps, and nothing but what `redact` lets through."""
    seated = await pod.create(new_table_id())
    players = await played(seated)
    log = await stored(redis_url, seated.table_id)
    for player in players:
        first = player.messages[0].seq
        assert player.seqs() == list(range(first + 1, len(log) + 1))
        seen = {seq: event for seq, event in seen_of(log, player.seat).items() if seq > first}
        assert received(player) == seen


async def test_a_snapshot_is_the_view_of_the_log_pf_32(pod: RunningPod, redis_url: str) -> None:
    seated = await pod.create(new_table_id())
    players = await playing(seated)
    await some_moves(players)
    state = folded(seated.table_id, await stored(redis_url, seated.table_id))
    assert state.deal is not None
    for player in players:
        response = await player.snapshot()
        snapshot = response.snapshot
        if response.seq != state.seq:
            state = folded(seated.table_id, await stored(redis_url, seated.table_id))
        assert state.deal is not None
        assert view_from_proto(snapshot.mahjong, player.seat) == play.view(state.deal.game, player.seat)
        assert snapshot.state == event_pb2.TABLE_STATE_PLAYING
        assert (snapshot.own_seat, snapshot.deal_number, snapshot.dealer) == (player.seat, 1, 0)
        assert [seat.player_id for seat in snapshot.seats] == seated.names
        assert snapshot.HasField("deadline")


async def test_before_the_deal_a_snapshot_says_who_is_there_and_ready_pf_30(pod: RunningPod) -> None:
    seated = await pod.create(new_table_id())
    first = seated.player(0)
    first.open()
    message = await first.until("snapshot")
    assert message.snapshot.state == event_pb2.TABLE_STATE_WAITING
    assert message.snapshot.room.room_id == "bloody4-1"
    await first.until("event", "arrived")
    await first.ready(nonce=b"secret")
    snapshot = (await seated.player(1).snapshot()).snapshot
    assert [(seat.arrived, seat.ready) for seat in snapshot.seats] == [(True, True)] + [(False, False)] * 3
    message = await first.until("event", "ready")
    assert message.event.ready.nonce == "", "nonces are shown when nobody can choose his any more"


async def test_between_deals_a_snapshot_has_the_last_settlement_pf_33(pod: RunningPod) -> None:
    seated = await pod.create(table_with_settlements(pod, 2), deals_max=2)
    players = await gathered(seated)
    for player in players:
        player.play(first_option)
    for player in players:
        await player.ready()
    for player in players:
        await player.until("event", "deal_settled")
    snapshot = (await players[0].snapshot()).snapshot
    assert snapshot.state == event_pb2.TABLE_STATE_BETWEEN_DEALS
    assert snapshot.deal_number == 1
    assert sum(seat.net for seat in snapshot.seats) == 0
    assert [balance.balance for balance in snapshot.last_settlement.balances] == [
        seat.balance for seat in snapshot.seats
    ]


async def test_a_viewer_that_comes_back_gets_what_he_missed_once_and_in_order_pf_34(pods: Pods, redis_url: str) -> None:
    """At the head, one behind, from memory, out of the log, and too far behind."""
    pod = await pods.start(recent_count=4, resume_count_max=30)
    seated = await pod.create(new_table_id())
    players = await playing(seated)
    await some_moves(players, 4)
    await to_act(players)
    head = players[0].last_seq
    log = await stored(redis_url, seated.table_id)
    for after in (head, head - 1, head - 3, 1, 0):
        returned = seated.player(0)
        returned.open(after_seq=after, known_epoch=1)
        if after < head:
            await returned.seen(head)
        await asyncio.sleep(0.05)
        seen = {seq: event for seq, event in seen_of(log, 0).items() if seq > after}
        assert received(returned) == seen, after
        assert "snapshot" not in returned.kinds()
        await returned.close()


async def test_one_too_far_behind_gets_a_snapshot_pf_34(pods: Pods) -> None:
    pod = await pods.start(recent_count=4, resume_count_max=3)
    seated = await pod.create(new_table_id())
    players = await playing(seated)
    returned = seated.player(1)
    returned.open(after_seq=1, known_epoch=1)
    assert (await returned.next()).WhichOneof("kind") == "snapshot"
    assert returned.seqs() == []
    assert returned.last_seq == players[0].last_seq


async def test_a_place_ahead_of_the_log_is_refused_row_14(pod: RunningPod) -> None:
    seated = await pod.create(new_table_id())
    await playing(seated)
    for epoch in (1, 0):
        ahead = seated.player(0)
        ahead.open(after_seq=10_000, known_epoch=epoch)
        await ahead.ended()
        assert ahead.error is not None
        refusal = refusal_of(ahead.error)
        assert refusal is not None
        assert refusal.reason is Reason.SEQ_AHEAD


async def test_a_prompt_has_ready_made_options_and_a_deadline(pod: RunningPod) -> None:
    seated = await pod.create(new_table_id(), turn_limit_ms=15_000)
    players = await playing(seated)
    dealer = await to_act(players)
    prompt = dealer.prompt
    assert prompt is not None
    opened = next(m.seq for m in dealer.messages if m.event.mahjong.HasField("dealt"))
    assert prompt.decision_id == f"{opened}-0"
    assert 0 < prompt.remaining_ms <= 15_000
    assert len({option.SerializeToString() for option in prompt.options}) == len(prompt.options)
    again = seated.player(0)
    again.open()
    first = await again.until("snapshot")
    assert first.snapshot.prompt.options == prompt.options
    assert first.snapshot.prompt.decision_id == prompt.decision_id


async def test_messages_that_are_ready_together_come_as_one_to_those_who_take_them_so(pod: RunningPod) -> None:
    """Nothing is left out, and nothing comes in another order than one by one."""
    seated = await pod.create(new_table_id(), spectators_allowed=True)
    players = await gathered(seated)
    token = pod.mint("spectator", "guest", table_id=seated.table_id)
    metadata = (("authorization", f"Bearer {token}"),)
    streams = [
        players[0].stub.Watch(table_pb2.WatchRequest(table_id=seated.table_id, together=together), metadata=metadata)
        for together in (True, False)
    ]
    firsts: list[Any] = [await stream.read() for stream in streams]
    since = max(first.seq for first in firsts)
    for player in players:
        await player.ready()
    for player in players:
        await player.until("event", "dealt")
    await some_moves(players)
    last_seq = players[0].last_seq
    joined, single = [await messages_until(stream, last_seq) for stream in streams]
    assert any(message.more for message in joined)
    assert not any(message.more for message in single)
    told = [(each.seq, each.event) for each in single if since < each.seq <= last_seq]
    assert told
    assert [(each.seq, each.event) for each in apart(joined) if since < each.seq <= last_seq] == told


async def messages_until(stream: Any, seq: int) -> list[table_pb2.WatchResponse]:
    """What a stream sends, as it comes, up to the entry of this number."""
    messages: list[table_pb2.WatchResponse] = []
    while not messages or apart(messages)[-1].seq < seq:
        messages.append(await stream.read())
    return messages


def apart(messages: list[table_pb2.WatchResponse]) -> list[table_pb2.WatchResponse]:
    """Messages one by one."""
    return [each for message in messages for each in (message, *message.more)]


async def test_the_newest_connection_of_a_seat_stands_row_13(pod: RunningPod) -> None:
    seated = await pod.create(new_table_id())
    players = await playing(seated)
    newer = seated.player(0)
    newer.open()
    await newer.until("snapshot")
    await players[0].ended()
    assert players[0].goodbyes() == ["REPLACED"]
    await players[0].close()  # a late close of the older changes nothing
    assert pod.sample("cardroom_table_viewers") == 4
    dealer = await to_act([newer, *players[1:]])
    await dealer.act(dealer.prompt.options[-1].mahjong, dealer.prompt.decision_id)  # type: ignore[union-attr]
    await newer.until("event", "discarded")


async def test_a_viewer_that_hangs_up_is_forgotten(pod: RunningPod) -> None:
    players = await playing(await pod.create(new_table_id()))
    for player in players:
        await player.close()
    await eventually(lambda: pod.sample("cardroom_table_viewers") == 0)


async def test_an_old_stream_is_asked_to_reconnect(pods: Pods) -> None:
    pod = await pods.start(stream_max_age_ms=300)
    player = (await pod.create(new_table_id())).player(0)
    player.open()
    await player.ended()
    assert player.goodbyes() == ["RECONNECT"]


async def test_a_pod_that_shuts_down_says_so(pods: Pods) -> None:
    pod = await pods.start()
    players = await playing(await pod.create(new_table_id()))
    await pod.server.stop()
    for player in players:
        await player.ended()
        assert player.goodbyes() == ["SHUTDOWN"]
        assert player.error is None


async def test_a_viewer_that_does_not_read_gets_one_snapshot_then_goodbye_row_11() -> None:
    viewer, now_ms = Viewer(0), 1_000
    for number in range(FRAME_COUNT_MAX + 20):
        viewer.offer(b"%d" % number, now_ms)
    assert viewer.queued_count == 0
    assert await viewer.next() is None, "one snapshot instead of all of it"
    viewer.offer(b"next", now_ms)
    assert await viewer.next() == b"next"
    for number in range(FRAME_COUNT_MAX + 1):
        viewer.offer(b"%d" % number, now_ms + SLOW_WITHIN_MS)
    assert await viewer.next() is Farewell.SLOW


async def test_a_viewer_that_was_slow_long_ago_gets_a_snapshot_again_row_11() -> None:
    viewer, now_ms = Viewer(0), 1_000
    for late_ms in (0, SLOW_WITHIN_MS + 1):
        for number in range(FRAME_COUNT_MAX + 1):
            viewer.offer(b"%d" % number, now_ms + late_ms)
        assert await viewer.next() is None


async def test_a_viewer_that_stops_reading_is_let_go_and_disturbs_nobody_row_11(pod: RunningPod) -> None:
    seated = await pod.create(new_table_id())
    silent = seated.player(3)
    stream = silent.stub.Watch(table_pb2.WatchRequest(table_id=seated.table_id), metadata=silent.metadata())
    await stream.read()
    others = seated.players()[:3]
    for player in others:
        player.open()
        await player.ready()
    await silent.ready()
    viewer = pod.component.pod.tables[seated.table_id].gallery.viewers.of_seat(3)
    assert viewer is not None
    message = table_pb2.WatchResponse(table_id="x" * 4_000).SerializeToString()
    async with asyncio.timeout(LIMIT_S):
        while viewer._closing is None:
            for _ in range(FRAME_COUNT_MAX):
                viewer.offer(message, 0)
                assert viewer.queued_count <= FRAME_COUNT_MAX
            await asyncio.sleep(0)
    for player in others:
        await player.until("event", "dealt")
    last: Any = None
    while (read := await stream.read()) is not grpc.aio.EOF:
        last = read
    assert last is not None
    assert last.goodbye.reason == table_pb2.GOODBYE_REASON_SLOW
