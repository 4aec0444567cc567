"""A store that goes away, is slow, full, or comes back without its last entries (reliability 7-10)."""

import asyncio
import time
from functools import partial

from redis.asyncio import Redis

from refusals import Reason
from services.table.model.events import Move
from tests.fakes.clock import FakeClock
from tests.lines import line_to
from tests.services.table.logs import lose_tail, received, seen_of, stored
from tests.services.table.rig import (
    Player,
    Pods,
    eventually,
    new_request_id,
    playing,
    reason_for,
    refusal_for,
    to_act,
)
from tests.services.table.stores import Store

PATIENCE_MS = 500
LINE_MS = 100
"""What the slow line takes each way."""
LEASE_MS = 5_000
MOVES = 4


async def refused_soon(player: Player) -> None:
    """A move is answered UNAVAILABLE with a retry time, in a few times the store's patience."""
    assert player.prompt is not None
    action, decision = player.prompt.options[-1].mahjong, player.prompt.decision_id
    began = time.monotonic()
    refusal = await refusal_for(player.act(action, decision))
    assert refusal.reason is Reason.STORE_UNAVAILABLE
    assert refusal.retry_after_ms
    assert time.monotonic() - began < 4 * PATIENCE_MS / 1000


async def accepted_at_last(player: Player, request_id: str) -> bool:
    """The same request until it is answered; returns whether the answer is an earlier one's."""
    assert player.prompt is not None
    action, decision = player.prompt.options[-1].mahjong, player.prompt.decision_id
    async with asyncio.timeout(60):
        while True:
            try:
                return (await player.act(action, decision, request_id=request_id)).duplicate
            except Exception:
                await asyncio.sleep(0.02)


async def test_a_store_that_is_away_is_told_soon_and_play_resumes_row_7(own_pods: Pods, store: Store) -> None:
    pod = await own_pods.start(store_patience_ms=PATIENCE_MS)
    seated = await pod.create("t-store")
    players = await playing(seated)
    dealer = await to_act(players)
    prompt = dealer.prompt
    store.kill()
    for _ in range(3):
        await refused_soon(dealer)
    assert await reason_for(seated.player(0).ready()) is Reason.STORE_UNAVAILABLE
    await store.start()
    dealer.prompt = prompt
    await accepted_at_last(dealer, new_request_id())
    await players[1].until("event", "discarded")
    log = await stored(store.url, seated.table_id)
    for player in players:
        first = player.messages[0].seq
        await player.seen(len(log))
        assert received(player) == {seq: event for seq, event in seen_of(log, player.seat).items() if seq > first}


async def test_a_frozen_store_is_told_soon_and_a_move_counts_once_row_7(own_pods: Pods, store: Store) -> None:
    pod = await own_pods.start(store_patience_ms=PATIENCE_MS)
    seated = await pod.create("t-store")
    players = await playing(seated)
    dealer = await to_act(players)
    prompt = dealer.prompt
    store.freeze()
    await refused_soon(dealer)
    for _ in range(3):
        dealer.prompt = prompt
        await refused_soon(dealer)
    store.thaw()
    dealer.prompt = prompt
    await eventually(lambda: len(dealer.seqs()) > 0 and "discarded" in dealer.events())
    discards = [event for event in await stored(store.url, seated.table_id) if "Discarded" in repr(event)]
    assert len(discards) == 1, "the first move was on its way when the store froze; no other was taken"


async def test_clocks_stand_still_while_the_store_is_away_row_7(
    own_pods: Pods, store: Store, fake_clock: FakeClock
) -> None:
    pod = await own_pods.start(clock=fake_clock)
    seated = await pod.create("t-store", turn_limit_ms=20_000)
    players = await playing(seated)
    dealer = await to_act(players)
    fake_clock.advance(seconds=12)
    store.kill()
    await eventually(lambda: pod.component._outside.health.away)
    fake_clock.advance(seconds=300)
    await store.start()
    await eventually(lambda: not pod.component._outside.health.away)
    prompt = await dealer.until("prompt")
    while prompt.prompt.remaining_ms == 20_000:
        prompt = await dealer.until("prompt")
    assert prompt.prompt.remaining_ms == 8_000, "told again, with what is left"
    fake_clock.advance(ms=7_900)
    assert (await dealer.snapshot()).seq == dealer.last_seq
    fake_clock.advance(ms=200)
    await dealer.until("event", "discarded")


async def test_a_full_store_refuses_and_nothing_is_lost_row_10(own_pods: Pods, store: Store) -> None:
    pod = await own_pods.start()
    seated = await pod.create("t-store")
    players = await playing(seated)
    dealer = await to_act(players)
    assert dealer.prompt is not None
    action, decision, request_id = dealer.prompt.options[-1].mahjong, dealer.prompt.decision_id, new_request_id()
    redis = Redis.from_url(store.url)
    await redis.config_set("maxmemory", 1)
    assert await reason_for(dealer.act(action, decision, request_id=request_id)) is Reason.OVERLOADED
    before = await stored(store.url, seated.table_id)
    await redis.config_set("maxmemory", 0)
    answer = await dealer.act(action, decision, request_id=request_id)
    assert (answer.duplicate, answer.seq) == (False, len(before) + 1)
    await redis.aclose()


async def test_scripts_the_store_has_forgotten_are_sent_again(own_pods: Pods, store: Store) -> None:
    pod = await own_pods.start()
    players = await playing(await pod.create("t-store"))
    dealer = await to_act(players)
    redis = Redis.from_url(store.url)
    await redis.script_flush()
    await redis.aclose()
    assert dealer.prompt is not None
    await dealer.act(dealer.prompt.options[-1].mahjong, dealer.prompt.decision_id)


async def test_a_store_that_lost_its_tail_stops_the_table_which_begins_again_from_what_is_left_row_8(
    own_pods: Pods, store: Store
) -> None:
    """It never goes on silently: everybody connects again and is told that entries are gone."""
    pod = await own_pods.start()
    seated = await pod.create("t-store")
    players = await playing(seated)
    dealer = await to_act(players)
    assert dealer.prompt is not None
    await dealer.act(dealer.prompt.options[-1].mahjong, dealer.prompt.decision_id)
    await to_act(players)
    head = len(await stored(store.url, seated.table_id))
    redis = Redis.from_url(store.url)
    await lose_tail(store.url, seated.table_id, 2)
    await redis.client_kill_filter(_type="normal", skipme=True)
    for player in players:
        await player.ended()
        assert player.goodbyes() == ["RECONNECT"]
    await eventually(lambda: seated.table_id in pod.component.pod.tables)
    returned = seated.player(0)
    returned.open(after_seq=head, known_epoch=1)
    message = await returned.next()
    assert message.snapshot.rewound
    assert message.epoch == 2
    assert head - 2 <= message.seq < head, "what is left, and at most the question that nobody keeps open closed again"
    await redis.aclose()


async def test_a_lost_tail_is_noticed_at_the_next_write_too_row_8(own_pods: Pods, store: Store) -> None:
    pod = await own_pods.start()
    seated = await pod.create("t-store")
    players = await playing(seated)
    dealer = await to_act(players)
    assert dealer.prompt is not None
    head = len(await stored(store.url, seated.table_id))
    await lose_tail(store.url, seated.table_id, 1)
    refusal = await refusal_for(dealer.act(dealer.prompt.options[-1].mahjong, dealer.prompt.decision_id))
    assert refusal.reason is Reason.STORE_UNAVAILABLE
    for player in players:
        await player.ended()
    log = await stored(store.url, seated.table_id)
    assert len([event for event in log if isinstance(event, Move)]) < head


async def test_a_table_whose_log_is_gone_is_unknown(own_pods: Pods, store: Store) -> None:
    pod = await own_pods.start()
    seated = await pod.create("t-store")
    players = await playing(seated)
    dealer = await to_act(players)
    assert dealer.prompt is not None
    redis = Redis.from_url(store.url)
    await redis.flushall()
    await redis.aclose()
    call = dealer.act(dealer.prompt.options[-1].mahjong, dealer.prompt.decision_id)
    assert await reason_for(call) is Reason.TABLE_UNKNOWN
    assert seated.table_id not in pod.component.pod.tables


def _unasked(player: Player) -> bool:
    return player.prompt is None or player.prompt.standing


async def slowly(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    """A line that takes its time."""
    loop = asyncio.get_running_loop()
    while data := await source.read(65_536):
        loop.call_later(LINE_MS / 1000, sink.write, data)
    loop.call_later(LINE_MS / 1000, sink.close)


async def slow_move(players: list[Player]) -> None:
    """The last option of the player who is asked, stored before it is answered."""
    player = await to_act(players)
    assert player.prompt is not None
    asked = time.monotonic()
    await player.act(player.prompt.options[-1].mahjong, player.prompt.decision_id)
    assert time.monotonic() - asked >= 2 * LINE_MS / 1000
    await eventually(partial(_unasked, player))


async def test_a_slow_store_slows_moves_and_loses_no_lease_row_9(own_pods: Pods, store: Store) -> None:
    """How long each answer took is what the patience goes by (`tests/adapters/test_patience.py`)."""
    async with line_to(store.server.port, slowly) as port:
        pod = await own_pods.start(redis_url=f"redis://127.0.0.1:{port}", pod_lease_ms=LEASE_MS)
        rival = await own_pods.start(pod_lease_ms=LEASE_MS)
        began = time.monotonic()
        seated = await pod.create("t-store")
        players = await playing(seated)
        for _ in range(MOVES - 1):
            await slow_move(players)
        await asyncio.sleep(began + 1.5 * LEASE_MS / 1000 - time.monotonic())
        await slow_move(players)
        wire = pod.component._connection._wire
        assert wire is not None
        assert wire.usual_s >= 2 * LINE_MS / 1000
        log = await stored(store.url, seated.table_id)
        assert len([event for event in log if "Discarded" in repr(event)]) >= 3
        assert pod.component.pod.tables[seated.table_id].current.epoch == 1
        assert seated.table_id not in rival.component.pod.tables
