"""Clocks of a table, on a clock the test moves (PF-12, PF-20, PF-21; reliability 18)."""

from functools import partial

from cardroom.table.v1 import event_pb2, room_pb2

from games.mahjong.events import Discarded, Drawn
from services.table.model.events import CloseCause, Closed, Move
from tests.fakes.clock import FakeClock
from tests.services.table.logs import (
    PASS,
    discard,
    first_deal,
    pung_tile,
    stored,
    table_where,
    unclaimed_tile,
)
from tests.services.table.rig import (
    Player,
    Pods,
    RunningPod,
    Seated,
    eventually,
    gathered,
    new_table_id,
    playing,
    to_act,
)

FLOOR_MS = 500
FIXED = room_pb2.CLAIM_TIMING_FIXED


async def stands_still(players: list[Player]) -> None:
    """Nothing has happened: the server has had every chance, and no entry was added."""
    before = players[0].last_seq
    for player in players:
        assert (await player.snapshot()).seq == before


async def test_a_turn_that_runs_out_discards_for_the_player_pf_21(
    pods: Pods, fake_clock: FakeClock, redis_url: str
) -> None:
    pod = await pods.start(clock=fake_clock)
    seated = await pod.create(new_table_id(), turn_limit_ms=20_000)
    players = await playing(seated)
    dealer = await to_act(players)
    assert dealer.prompt is not None
    assert dealer.prompt.remaining_ms == 20_000
    last_tile = first_deal(pod, seated.table_id).hands[0][-1]
    fake_clock.advance(seconds=19)
    await stands_still(players)
    fake_clock.advance(seconds=1)
    message = await players[1].until("event", "discarded")
    assert (message.event.mahjong.discarded.seat, message.event.mahjong.discarded.tile) == (0, last_tile)
    assert pod.sample("cardroom_table_timeouts_total", clock="turn") == 1
    drawn = [event.event for event in await stored(redis_url, seated.table_id) if isinstance(event, Move)]
    assert isinstance(drawn[-1], Drawn | Discarded)


async def test_an_unclaimed_discard_waits_for_its_floor_pf_20(pods: Pods, fake_clock: FakeClock) -> None:
    pod = await pods.start(clock=fake_clock)
    table_id = table_where(pod, lambda state: unclaimed_tile(state) is not None)
    tile = unclaimed_tile(first_deal(pod, table_id))
    assert tile is not None
    seated = await pod.create(table_id, claim_floor_min_ms=FLOOR_MS, claim_floor_max_ms=1_000)
    players = await playing(seated)
    dealer = await to_act(players)
    await discarded(dealer, tile, players)
    fake_clock.advance(ms=FLOOR_MS - 20)
    await stands_still(players)
    assert all(player.prompt is None or player.prompt.standing for player in players)
    fake_clock.advance(ms=40)
    for player in players:
        await player.until("event", "drawn")
    assert pod.entropy.drawn[0] == FLOOR_MS


async def test_a_floor_is_drawn_for_every_discard_claimed_or_not_pf_20(pods: Pods, fake_clock: FakeClock) -> None:
    pod = await pods.start(clock=fake_clock)
    table_id = table_where(pod, lambda state: pung_tile(state) is not None)
    found = pung_tile(first_deal(pod, table_id))
    assert found is not None
    tile, seat = found
    seated = await pod.create(table_id, claim_floor_min_ms=FLOOR_MS, claim_floor_max_ms=1_000)
    players = await playing(seated)
    await discarded(await to_act(players), tile, players)
    claimer = players[seat]
    await eventually(lambda: claimer.prompt is not None and not claimer.prompt.standing)
    assert claimer.prompt is not None
    answer = await claimer.act(PASS, claimer.prompt.decision_id)
    assert answer.outcome == 2, "an answer to a shared question is queued"
    await stands_still(players)  # all have answered, the floor has not passed
    fake_clock.advance(ms=FLOOR_MS + 20)
    for player in players:
        await player.until("event", "drawn")


async def test_a_claim_clock_that_runs_out_is_a_pass_pf_21(pods: Pods, fake_clock: FakeClock) -> None:
    pod = await pods.start(clock=fake_clock)
    table_id = table_where(pod, lambda state: pung_tile(state) is not None)
    found = pung_tile(first_deal(pod, table_id))
    assert found is not None
    seated = await pod.create(table_id, claim_limit_ms=10_000)
    players = await playing(seated)
    await discarded(await to_act(players), found[0], players)
    fake_clock.advance(ms=9_900)
    await stands_still(players)
    fake_clock.advance(ms=200)
    for player in players:
        await player.until("event", "drawn")
    assert pod.sample("cardroom_table_timeouts_total", clock="claim") == 1


async def test_under_fixed_timing_the_window_tells_nothing_pf_20(pods: Pods, fake_clock: FakeClock) -> None:
    """Two discards, one that somebody can claim and has passed, one that nobody can: a bystander sees the same."""
    pod = await pods.start(clock=fake_clock)
    pungs = table_where(pod, lambda state: (pung_tile(state) or (0, 0))[1] == 2)
    found = pung_tile(first_deal(pod, pungs))
    assert found is not None
    plain = table_where(pod, lambda state: unclaimed_tile(state) is not None)
    free = unclaimed_tile(first_deal(pod, plain))
    assert free is not None
    sights = []
    for table_id, tile, claimer in ((pungs, found[0], found[1]), (plain, free, None)):
        pod.entropy._count = 0
        seated = await pod.create(table_id, claim_timing=FIXED, claim_limit_ms=3_000)
        players = await playing(seated)
        await discarded(await to_act(players), tile, players)
        if claimer is not None:
            prompt = await asked(players[claimer])
            await players[claimer].act(PASS, prompt)
        fake_clock.advance(ms=2_980)
        await stands_still(players)
        fake_clock.advance(ms=40)
        bystander = players[3]
        await bystander.until("event", "drawn")
        sights.append(
            [(message.seq, kind) for message, kind in zip(bystander.messages, bystander.kinds(), strict=True)]
        )
    assert without_offers(sights[0]) == without_offers(sights[1])


def without_offers(sight: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """What came from the deal on; without a seat's own prompts, which hang on its own hand."""
    kinds = [kind for _, kind in sight]
    return [row for row in sight[kinds.index("dealt") :] if row[1] != "prompt"]


async def test_who_never_comes_ends_the_table_pf_12(pods: Pods, fake_clock: FakeClock, redis_url: str) -> None:
    pod = await pods.start(clock=fake_clock)
    seated = await pod.create(new_table_id(), arrive_limit_ms=30_000)
    players = seated.players()[:3]
    for player in players:
        player.open()
        await player.until("snapshot")
    await eventually(lambda: {player.last_seq for player in players} == {4})
    fake_clock.advance(ms=29_980)
    await stands_still(players[:1])
    fake_clock.advance(ms=40)
    await closed_for(CloseCause.NOT_READY, seated, players, redis_url, requeued=(0, 1, 2))


async def test_who_is_not_ready_in_time_ends_the_table_pf_12(pods: Pods, fake_clock: FakeClock, redis_url: str) -> None:
    pod = await pods.start(clock=fake_clock)
    seated = await pod.create(new_table_id(), ready_limit_ms=20_000)
    players = await gathered(seated)
    for player in players[:3]:
        await player.ready()
    fake_clock.advance(ms=20_020)
    await closed_for(CloseCause.NOT_READY, seated, players, redis_url, requeued=(0, 1, 2))
    assert pod.ledger.calls == []


async def closed_for(
    cause: CloseCause, seated: Seated, players: list[Player], redis_url: str, *, requeued: tuple[int, ...]
) -> None:
    """Told to all; those on whose account it is are free, the others are in front of their queue."""
    for player in players:
        await player.ended()
        assert player.goodbyes() == ["ENDED"]
    assert (await stored(redis_url, seated.table_id))[-1] == Closed(cause, requeued)
    pod, names = seated.pod, seated.names
    await eventually(lambda: pod.seats.requeued.get(seated.table_id) == tuple(names[seat] for seat in requeued))
    assert set(pod.seats.released[seated.table_id]) == set(names) - {names[seat] for seat in requeued}
    await eventually(lambda: seated.table_id not in pod.component.pod.tables)


async def test_tiles_are_dealt_after_the_pause_pf_12(pods: Pods, fake_clock: FakeClock) -> None:
    pod = await pods.start(clock=fake_clock)
    seated = await pod.create(new_table_id(), dealing_ms=2_000)
    players = await gathered(seated)
    for player in players:
        await player.ready()
    for player in players:
        await player.until("event", "opened")
    snapshot = (await players[0].snapshot()).snapshot
    assert snapshot.state == event_pb2.TABLE_STATE_DEALING
    assert snapshot.mahjong.opened.dice
    fake_clock.advance(ms=1_980)
    await stands_still(players)
    fake_clock.advance(ms=40)
    for player in players:
        await player.until("event", "dealt")


async def test_a_jump_of_the_wall_clock_moves_no_deadline_row_18(pods: Pods, fake_clock: FakeClock) -> None:
    pod = await pods.start(clock=fake_clock)
    seated = await pod.create(new_table_id())
    players = await playing(seated)
    await to_act(players)
    fake_clock.jump(seconds=3_600)
    fake_clock.advance(ms=19_900)
    await stands_still(players)
    fake_clock.advance(ms=200)
    await players[1].until("event", "discarded")


async def test_a_deal_nobody_plays_ends_by_its_clocks_with_the_money_settled_row_17(
    pods: Pods, fake_clock: FakeClock, redis_url: str
) -> None:
    pod = await pods.start(clock=fake_clock, pod_lease_ms=3_600_000)
    seated = await pod.create(new_table_id())
    players = await playing(seated)
    for player in players:
        await player.close()
    seq = -1
    while (now := _seq(pod, seated)) is not None:
        assert now > seq, "each clock that runs out moves the deal on"
        seq = now
        fake_clock.advance(ms=20_020)
        await eventually(partial(_has_moved, pod, seated, seq))
    log = await stored(redis_url, seated.table_id)
    assert log[-1] == Closed(CloseCause.DEALS_PLAYED)
    assert pod.ledger.locked == {}
    assert pod.seats.released[seated.table_id] == tuple(seated.names)


def _seq(pod: RunningPod, seated: Seated) -> int | None:
    table = pod.component.pod.tables.get(seated.table_id)
    return None if table is None else table.current.state.seq


def _has_moved(pod: RunningPod, seated: Seated, seq: int) -> bool:
    return _seq(pod, seated) != seq


async def discarded(dealer: Player, tile: int, players: list[Player]) -> None:
    """The dealer discards a tile, and all have seen it."""
    assert dealer.prompt is not None
    await dealer.act(discard(tile), dealer.prompt.decision_id)
    for player in players:
        await player.until("event", "discarded")


async def asked(player: Player) -> str:
    """The id of a decision the player is asked."""
    await eventually(lambda: player.prompt is not None and not player.prompt.standing)
    assert player.prompt is not None
    return player.prompt.decision_id
