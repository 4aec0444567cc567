"""Owners that die, are too late, or hand over: the log goes on under one writer (reliability 1-4, 6, 14)."""

import asyncio

from cardroom.table.v1 import table_pb2
from redis.asyncio import Redis

from refusals import Reason
from tests.fakes.clock import FakeClock
from tests.services.table.fakes import OPENING
from tests.services.table.logs import (
    PUNG,
    discard,
    first_deal,
    folded,
    lose_tail,
    pung_tile,
    received,
    seen_of,
    stored,
    table_where,
)
from tests.services.table.rig import (
    Player,
    Pods,
    RunningPod,
    Seated,
    eventually,
    first_option,
    gathered,
    new_request_id,
    new_table_id,
    playing,
    refusal_for,
    to_act,
)

POD = "table-0"


async def moves(players: list[Player], count: int) -> None:
    """So many turns, each ended by a discard."""
    for _ in range(count):
        player = await to_act(players)
        assert player.prompt is not None
        options = [option.mahjong for option in player.prompt.options]
        chosen = next((option for option in options if option.HasField("discard")), options[-1])
        await player.act(chosen, player.prompt.decision_id)


async def moved_over(seated: Seated, players: list[Player], pod: RunningPod) -> list[Player]:
    """The same players at another pod, each from where he was."""
    after = []
    for old in players:
        player = seated.player(old.seat, pod)
        player.messages = list(old.messages)
        player._read_count = len(player.messages)
        player.open(after_seq=old.last_seq, known_epoch=old.epoch)
        after.append(player)
    return after


async def finished(players: list[Player]) -> None:
    for player in players:
        player.play(first_option)
        if player.prompt is not None and not player.prompt.standing and player.prompt.options:
            await player.act(player.prompt.options[0].mahjong, player.prompt.decision_id)
    for player in players:
        await player.ended()
        assert player.goodbyes()[-1] == "ENDED"


async def test_a_deal_goes_on_after_its_process_was_killed_row_1(pods: Pods, redis_url: str) -> None:
    """Same hands, same numbers, every viewer gets exactly what he missed; the money adds up."""
    pod = await pods.start(POD)
    seated = await pod.create(new_table_id())
    players = await playing(seated)
    await moves(players, 5)
    await to_act(players)
    await pod.crash()
    before = folded(seated.table_id, await stored(redis_url, seated.table_id))
    again = await pods.start(POD)
    await again.owns(seated)
    table = again.component.pod.tables[seated.table_id]
    assert table.current.epoch == 2
    assert table.current.state == before
    players = await moved_over(seated, players, again)
    await to_act(players)
    await finished(players)
    log = await stored(redis_url, seated.table_id)
    for player in players:
        first = player.messages[0].seq
        assert received(player) == {seq: event for seq, event in seen_of(log, player.seat).items() if seq > first}
    assert sum(pods.ledger.balances.values()) == 4 * OPENING


async def test_another_pod_takes_over_when_the_lease_is_gone_row_1(pods: Pods) -> None:
    pod = await pods.start("table-a", pod_lease_ms=300)
    seated = await pod.create(new_table_id())
    players = await playing(seated)
    await moves(players, 2)
    other = await pods.start("table-b", pod_lease_ms=300)
    await pod.crash()
    await eventually(lambda: seated.table_id in other.component.pod.tables)
    players = await moved_over(seated, players, other)
    await moves(players, 2)


async def test_a_withdrawn_pod_s_tables_are_taken_over_at_once(pods: Pods) -> None:
    pod = await pods.start("table-a", pod_lease_ms=60_000)
    seated = await pod.create(new_table_id())
    await pod.server.stop()
    other = await pods.start("table-b", pod_lease_ms=300)
    await eventually(lambda: seated.table_id in other.component.pod.tables)


async def test_an_owner_that_lost_its_table_is_fenced_and_says_where_it_is_row_4(pods: Pods, redis_url: str) -> None:
    """Its first write is refused by the store; the log stays whole."""
    pod = await pods.start("table-a", pod_lease_ms=60_000)
    seated = await pod.create(new_table_id())
    players = await playing(seated)
    dealer = await to_act(players)
    assert dealer.prompt is not None
    redis = Redis.from_url(redis_url)
    meta = f"{{{seated.table_id}}}:meta"
    await redis.hset(meta, mapping={"epoch": "2", "pod": "table-b", "authority": "127.0.0.1:9"})
    before = await stored(redis_url, seated.table_id)
    refusal = await refusal_for(dealer.act(dealer.prompt.options[-1].mahjong, dealer.prompt.decision_id))
    assert refusal.reason is Reason.NOT_OWNER
    assert refusal.metadata == {"authority": "127.0.0.1:9", "pod": "table-b", "epoch": "2"}
    assert await stored(redis_url, seated.table_id) == before
    for player in players:
        await player.ended()
        assert player.goodbyes() == ["MOVED"]
    assert seated.table_id not in pod.component.pod.tables
    await redis.aclose()


async def test_a_newer_process_of_the_same_name_ends_the_older(pods: Pods) -> None:
    older = await pods.start(POD, pod_lease_ms=300)
    seated = await older.create(new_table_id())
    players = await gathered(seated)
    newer = await pods.start(POD, pod_lease_ms=300)
    await newer.owns(seated)
    await eventually(lambda: not older.component.pod.tables)
    for player in players:
        await player.ended()
    assert seated.table_id in newer.component.pod.tables
    await older.crash()
    await asyncio.sleep(0.2)
    assert seated.table_id in newer.component.pod.tables


async def test_a_request_answered_before_the_crash_is_answered_the_same_after_row_2(pods: Pods) -> None:
    pod = await pods.start(POD)
    seated = await pod.create(new_table_id())
    players = await playing(seated)
    dealer = await to_act(players)
    assert dealer.prompt is not None
    action, decision, request_id = dealer.prompt.options[-1].mahjong, dealer.prompt.decision_id, new_request_id()
    first = await dealer.act(action, decision, request_id=request_id)
    await pod.crash()
    again = await pods.start(POD)
    second = await seated.player(0, again).act(action, decision, request_id=request_id)
    assert second.duplicate
    assert (second.seq, second.outcome) == (first.seq, first.outcome)
    refusal = await refusal_for(seated.player(0, again).act(discard(3), decision, request_id=request_id))
    assert refusal.reason is Reason.REQUEST_ID_REUSED
    snapshot = (await seated.player(0, again).snapshot()).snapshot
    assert snapshot.last_request_id == request_id


async def test_an_answer_to_an_open_question_survives_the_crash(pods: Pods) -> None:
    """It stands in no log entry, only in the side record."""
    pod = await pods.start(POD)
    table_id = table_where(pod, lambda state: pung_tile(state) is not None)
    found = pung_tile(first_deal(pod, table_id))
    assert found is not None
    tile, seat = found
    seated = await pod.create(table_id, claim_floor_min_ms=1_500, claim_floor_max_ms=1_500)
    players = await playing(seated)
    dealer, claimer = await to_act(players), players[seat]
    assert dealer.prompt is not None
    await dealer.act(discard(tile), dealer.prompt.decision_id)
    await eventually(lambda: claimer.prompt is not None and not claimer.prompt.standing)
    assert claimer.prompt is not None
    answer = await claimer.act(PUNG, claimer.prompt.decision_id)
    assert answer.outcome == table_pb2.ACT_OUTCOME_QUEUED
    await pod.crash()
    again = await pods.start(POD)
    players = await moved_over(seated, players, again)
    for player in players:
        message = await player.until("event", "melded")
        assert message.event.mahjong.melded.seat == seat


async def test_clocks_are_credited_with_the_outage_row_1(pods: Pods, fake_clock: FakeClock, redis_url: str) -> None:
    """A turn of 20 s with 12 s used has 8 s left, however long nobody owned the table."""
    pod = await pods.start(POD, clock=fake_clock, pod_lease_ms=5_000)
    seated = await pod.create(new_table_id())
    players = await playing(seated)
    await to_act(players)
    await pod.crash()
    redis = Redis.from_url(redis_url)
    now_ms = int((await redis.time())[0]) * 1000
    await redis.hset(f"{{{seated.table_id}}}:meta", "clocks_at", now_ms - 100_000)
    await redis.zadd("{pods}:leases", {POD: now_ms - 88_000 + 5_000})
    await redis.aclose()
    again = await pods.start(POD, clock=FakeClock(), pod_lease_ms=5_000)
    prompt = (await seated.player(0, again).snapshot()).snapshot.prompt
    assert 6_900 <= prompt.remaining_ms <= 8_100


async def test_a_viewer_that_saw_what_is_lost_is_rewound_row_14(pods: Pods, redis_url: str) -> None:
    """The store comes back with its tail lost: entries that some have seen are gone."""
    pod = await pods.start(POD)
    seated = await pod.create(new_table_id())
    players = await playing(seated)
    await moves(players, 3)
    await to_act(players)
    await pod.crash()
    log = await stored(redis_url, seated.table_id)
    await lose_tail(redis_url, seated.table_id, 2)
    again = await pods.start(POD)
    returned = seated.player(2, again)
    returned.open(after_seq=len(log), known_epoch=1)
    message = await returned.next()
    assert message.snapshot.rewound
    assert (message.seq, message.epoch) == (len(log) - 2, 2)


async def test_a_log_this_version_cannot_read_is_left_alone_row_22(pods: Pods, redis_url: str) -> None:
    pod = await pods.start(POD)
    seated = await pod.create(new_table_id())
    healthy = await pod.create(new_table_id())
    await pod.crash()
    redis = Redis.from_url(redis_url)
    await redis.xadd(f"{{{seated.table_id}}}:log", {"e": b"\xfa\x07\x00", "t": 1}, id="2-0")
    await redis.hset(f"{{{seated.table_id}}}:meta", "seq", 2)
    again = await pods.start(POD)
    await again.owns(healthy)
    assert list(again.component.pod.tables) == [healthy.table_id]
    assert await redis.hget(f"{{{seated.table_id}}}:meta", "epoch") == b"1", "not claimed"
    await redis.aclose()
