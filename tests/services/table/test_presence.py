"""Who is there: signs of life, losses, returns (PF-24, BB-60, BB-61; reliability 12, 13), on a clock the test moves."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

from cardroom.table.v1 import event_pb2, table_pb2
from redis.asyncio import Redis

from tests.fakes.clock import FakeClock
from tests.services.table.logs import folded, received, seen_of, stored
from tests.services.table.rig import (
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

LIMIT_MS = 15_000
BEAT_MS = 5_000


async def at_play(pods: Pods, clock: FakeClock, **changes: Any) -> tuple[RunningPod, Seated, list[Player]]:
    """A pod that notices losses, a table, and its players in a deal."""
    pod = await pods.start(clock=clock, presence_limit_ms=LIMIT_MS, pod_lease_ms=3_600_000)
    seated = await pod.create(new_table_id(), **{"turn_limit_ms": 120_000, "claim_limit_ms": 60_000, **changes})
    return pod, seated, await playing(seated)


async def beaten(players: Sequence[Player], clock: FakeClock, beats: int) -> None:
    """So many beats of these players, the last one now."""
    for _ in range(beats):
        clock.advance(ms=BEAT_MS)
        for player in players:
            await player.heartbeat()


async def presence(player: Player) -> dict[int, bool]:
    """Who is there by the next message that says so."""
    message = await player.until("presence")
    return {row.seat: row.online for row in message.presence.seats}


def lost(pod: RunningPod, seated: Seated) -> frozenset[int]:
    return pod.component.pod.tables[seated.table_id].current.lost


async def test_a_player_who_stops_beating_is_lost_fifteen_seconds_after_his_last_beat_pf_24(
    pods: Pods, fake_clock: FakeClock
) -> None:
    """His stream stays open, as that of a program that hangs: what he said of himself counts (row 12)."""
    pod, seated, players = await at_play(pods, fake_clock)
    *others, silent = players
    await beaten(players, fake_clock, 1)
    await beaten(others, fake_clock, 2)
    fake_clock.advance(ms=BEAT_MS - 50)
    before = await others[0].heartbeat()
    assert lost(pod, seated) == frozenset(), "not a moment too soon"
    fake_clock.advance(ms=100)
    online = await presence(others[0])
    assert online == {0: True, 1: True, 2: True, 3: False}
    away = await others[1].until("event", "went_away")
    assert away.event.mahjong.went_away.seat == silent.seat
    assert away.seq > before.seq
    snapshot = (await others[0].snapshot()).snapshot
    assert [row.presence.online for row in snapshot.seats] == [True, True, True, False]


async def test_a_presence_message_carries_the_last_number_and_takes_none_pf_34(
    pods: Pods, fake_clock: FakeClock, redis_url: str
) -> None:
    _, seated, players = await at_play(pods, fake_clock, variant="shanghai")
    await players[3].heartbeat()
    fake_clock.advance(ms=LIMIT_MS)
    message = await players[0].until("presence")
    assert message.seq == len(await stored(redis_url, seated.table_id))


async def test_an_open_stream_speaks_for_a_player_who_never_beats_pf_24(pods: Pods, fake_clock: FakeClock) -> None:
    pod, seated, players = await at_play(pods, fake_clock)
    for _ in range(6):
        fake_clock.advance(ms=10_000)
        await players[0].snapshot()
    assert lost(pod, seated) == frozenset()


async def test_who_hangs_up_is_lost_within_the_limit_and_not_at_once_pf_24(pods: Pods, fake_clock: FakeClock) -> None:
    pod, seated, players = await at_play(pods, fake_clock)
    fake_clock.advance(ms=2 * LIMIT_MS)
    await players[2].close()
    await eventually(lambda: len(pod.component.pod.tables[seated.table_id].gallery.viewers) == 3)
    fake_clock.advance(ms=LIMIT_MS // 3 - 100)
    await players[0].snapshot()
    assert lost(pod, seated) == frozenset()
    fake_clock.advance(ms=200)
    assert (await presence(players[0]))[2] is False


async def test_any_call_of_a_seat_is_a_sign_of_life_pf_24(pods: Pods, fake_clock: FakeClock) -> None:
    pod, seated, players = await at_play(pods, fake_clock)
    caller = players[1]
    await caller.heartbeat()
    await caller.close()
    for _ in range(4):
        fake_clock.advance(ms=LIMIT_MS - 100)
        await caller.snapshot()
    assert lost(pod, seated) == frozenset()


async def test_the_newest_device_counts_and_a_late_end_of_the_older_changes_nothing_row_13(
    pods: Pods, fake_clock: FakeClock
) -> None:
    pod, seated, players = await at_play(pods, fake_clock)
    older, newer = players[3], seated.player(3)
    newer.open(after_seq=older.last_seq, known_epoch=1)
    await older.ended()
    assert older.goodbyes() == ["REPLACED"]
    await older.close()
    fake_clock.advance(ms=2 * LIMIT_MS)
    await players[0].snapshot()
    assert lost(pod, seated) == frozenset()
    await newer.close()


async def test_who_comes_back_is_in_control_of_the_same_seat_bb_61(
    pods: Pods, fake_clock: FakeClock, redis_url: str
) -> None:
    """Lost in his own turn: the server plays for him at once (BB-60); he comes back on another device and plays on."""
    pod, seated, players = await at_play(pods, fake_clock)
    gone = await to_act(players)
    await gone.close()
    await eventually(lambda: len(pod.component.pod.tables[seated.table_id].gallery.viewers) == 3)
    fake_clock.advance(ms=LIMIT_MS)
    others = [player for player in players if player is not gone]
    await others[0].until("event", "went_away")
    discarded = await others[0].until("event", "discarded")
    assert discarded.event.mahjong.discarded.seat == gone.seat
    device = seated.player(gone.seat)
    device.messages, device._read_count = list(gone.messages), len(gone.messages)
    device.open(after_seq=gone.last_seq, known_epoch=1)
    back = await device.until("event", "came_back")
    assert back.event.mahjong.came_back.seat == gone.seat
    players[gone.seat] = device
    assert (await presence(others[0]))[gone.seat] is False
    assert (await presence(others[0]))[gone.seat] is True
    for player in players:
        player.play(first_option)
        if player.prompt is not None and player.prompt.options and not player.prompt.standing:
            await player.act(player.prompt.options[0].mahjong, player.prompt.decision_id)
    for player in players:
        await player.ended()
    log = await stored(redis_url, seated.table_id)
    for player in players:
        first = player.messages[0].seq
        assert received(player) == {seq: event for seq, event in seen_of(log, player.seat).items() if seq > first}


async def test_a_heartbeat_of_a_lost_player_brings_him_back_bb_61(pods: Pods, fake_clock: FakeClock) -> None:
    _, _, players = await at_play(pods, fake_clock)
    await players[3].heartbeat()
    fake_clock.advance(ms=LIMIT_MS)
    await players[0].until("event", "went_away")
    await players[3].heartbeat()
    await players[0].until("event", "came_back")


async def test_a_seat_still_away_at_the_settlement_has_left_pf_13(pods: Pods, fake_clock: FakeClock) -> None:
    pod, seated, players = await at_play(pods, fake_clock, deals_max=0)
    await players[3].heartbeat()
    fake_clock.advance(ms=LIMIT_MS)
    await players[0].until("event", "went_away")
    for player in players[:3]:
        player.play(first_option)
        if player.prompt is not None and player.prompt.options and not player.prompt.standing:
            await player.act(player.prompt.options[0].mahjong, player.prompt.decision_id)
    closed = await players[0].until("event", "closed")
    assert closed.event.closed.cause == event_pb2.TABLE_CLOSE_CAUSE_LEFT
    assert list(closed.event.closed.requeued_seats) == [0, 1, 2]
    await eventually(lambda: seated.table_id in pod.seats.requeued)
    assert pod.seats.released[seated.table_id] == (seated.names[3],)
    assert pod.seats.requeued[seated.table_id] == tuple(seated.names[:3])


async def test_when_all_are_gone_the_deal_ends_by_its_rules_with_the_money_settled_row_17(
    pods: Pods, fake_clock: FakeClock, redis_url: str
) -> None:
    pod, seated, players = await at_play(pods, fake_clock)
    for player in players:
        await player.close()
    await eventually(lambda: not len(pod.component.pod.tables[seated.table_id].gallery.viewers))
    fake_clock.advance(ms=LIMIT_MS)
    await eventually(lambda: seated.table_id in pod.seats.released)
    log = await stored(redis_url, seated.table_id)
    state = folded(seated.table_id, log)
    assert state.deal is not None
    assert state.deal.settled
    assert state.dues == ()
    assert pod.ledger.locked == {}


async def test_who_was_lost_before_the_deal_is_away_from_its_start_bb_60(pods: Pods, fake_clock: FakeClock) -> None:
    pod = await pods.start(clock=fake_clock, presence_limit_ms=LIMIT_MS, pod_lease_ms=3_600_000)
    seated = await pod.create(new_table_id(), ready_limit_ms=120_000)
    players = await gathered(seated)
    await players[3].ready()
    await players[3].close()
    await eventually(lambda: len(pod.component.pod.tables[seated.table_id].gallery.viewers) == 3)
    fake_clock.advance(ms=LIMIT_MS)
    assert (await presence(players[0]))[3] is False
    for player in players[:3]:
        await player.ready()
    away = await players[0].until("event", "went_away")
    assert away.event.mahjong.went_away.seat == 3


async def test_an_outage_of_the_pod_is_nobody_s_silence_pf_24(pods: Pods, fake_clock: FakeClock) -> None:
    """A new owner gives everybody the whole limit; who was away stays so until he comes back."""
    pod, seated, players = await at_play(pods, fake_clock)
    for player in players:
        await player.heartbeat()
    await beaten(players[:3], fake_clock, 3)
    await players[0].until("event", "went_away")
    fake_clock.advance(ms=LIMIT_MS - 100)
    await pod.crash()
    clock = FakeClock()
    again = await pods.start(pod.name, clock=clock, presence_limit_ms=LIMIT_MS, pod_lease_ms=3_600_000)
    await again.owns(seated)
    assert lost(again, seated) == {3}
    clock.advance(ms=LIMIT_MS - 100)
    for player in seated.players(again)[:3]:
        await player.heartbeat()
    assert lost(again, seated) == {3}
    seated.player(3, again).open()
    await eventually(lambda: lost(again, seated) == frozenset())


async def test_time_while_the_store_is_away_is_nobody_s_silence_pf_24(pods: Pods, fake_clock: FakeClock) -> None:
    pod, seated, players = await at_play(pods, fake_clock)
    for player in players:
        await player.heartbeat()
    pod.component._outside.health.lost()
    fake_clock.advance(ms=10 * LIMIT_MS)
    await asyncio.sleep(0.05)
    pod.component._outside.health.found()
    await players[0].heartbeat()
    assert lost(pod, seated) == frozenset()


async def test_a_stream_says_every_five_seconds_that_it_is_alive(pods: Pods, fake_clock: FakeClock) -> None:
    _, _, players = await at_play(pods, fake_clock)
    for count in range(1, 4):
        fake_clock.advance(ms=BEAT_MS + 50)
        await eventually(partial(_beaten, players[0], count))


def _beaten(player: Player, count: int) -> bool:
    return player.heartbeat_count == count


async def test_a_heartbeat_is_answered_with_the_place_of_the_log(
    pods: Pods, fake_clock: FakeClock, redis_url: str
) -> None:
    _, seated, players = await at_play(pods, fake_clock)
    answer = await players[0].heartbeat()
    assert (answer.epoch, answer.seq) == (1, len(await stored(redis_url, seated.table_id)))


async def test_the_grace_clock_is_kept_beside_the_log_pf_23(pods: Pods, fake_clock: FakeClock, redis_url: str) -> None:
    """With what was granted and what is left, as all clocks."""
    _, seated, players = await at_play(pods, fake_clock, variant="shanghai")
    await players[3].heartbeat()
    fake_clock.advance(ms=LIMIT_MS)
    message = await players[0].until("presence")
    row = next(row for row in message.presence.seats if row.seat == 3)
    assert row == table_pb2.SeatPresence(seat=3, online=False, grace_remaining_ms=60_000)
    redis = Redis.from_url(redis_url)
    clocks = await redis.hget(f"{{{seated.table_id}}}:meta", "clocks")
    await redis.aclose()
    assert isinstance(clocks, bytes)
    assert b"grace:3:60000:60000" in clocks.split(b";")


async def test_who_resumes_his_stream_is_told_who_is_there_now_pf_34(pods: Pods, fake_clock: FakeClock) -> None:
    """Presence has no place in the log: what changed while he was away comes behind the entries he missed."""
    _, _, players = await at_play(pods, fake_clock, variant="shanghai")
    player, *others, silent = players
    seq, epoch = player.last_seq, player.epoch
    await player.close()
    await silent.heartbeat()
    for _ in range(LIMIT_MS // BEAT_MS):
        fake_clock.advance(ms=BEAT_MS)
        await player.heartbeat()
    assert await presence(others[0]) == {0: True, 1: True, 2: True, 3: False}
    player.open(after_seq=seq, known_epoch=epoch)
    assert await presence(player) == {0: True, 1: True, 2: True, 3: False}
