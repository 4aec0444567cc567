"""What a table could not write down in time: its store was full, or slow when players came back (reliability 7, 10)."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio
from redis.asyncio import Redis

from refusals import Refusal
from services.table.app.table import RETRY_MS, Table
from services.table.model.events import CloseCause, Closed, PaymentsMade
from tests.fakes.clock import FakeClock
from tests.services.table.logs import stored, table_with_settlements
from tests.services.table.rig import (
    LIMIT_S,
    Player,
    Pods,
    RunningPod,
    Seated,
    eventually,
    first_option,
    gathered,
    playing,
    to_act,
)
from tests.services.table.stores import Store

SILENT_S, GRACE_S, ARRIVE_S = 15, 60, 5
PENALTY = 70
OF_AN_ESCAPE: dict[str, Any] = {"variant": "shanghai", "escape_penalty": PENALTY, "turn_limit_ms": 600_000}
GONE = 3
"""The seat of the player who goes."""
TRIES = 3


class Room:
    """How much a store may hold."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def none(self) -> None:
        await self._redis.config_set("maxmemory", 1)

    async def again(self) -> None:
        await self._redis.config_set("maxmemory", 0)

    async def script_calls(self) -> int:
        """Scripts run so far; tables write by nothing else."""
        return int((await self._redis.info("commandstats"))["cmdstat_evalsha"]["calls"])


@pytest_asyncio.fixture
async def room(store: Store) -> AsyncIterator[Room]:
    redis = Redis.from_url(store.url)
    yield Room(redis)
    await redis.aclose()


class Differing:
    """Scoring that finds every win wrong, and tells so when the store has just become full."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self.asked_count = 0

    async def same_win(self, before: object, event: object) -> bool:
        self.asked_count += 1
        await self._room.none()
        return False

    def question(self, entries: object) -> bytes:
        return b""

    async def same_deal(self, question: bytes) -> bool:
        return True


async def started(pods: Pods, clock: FakeClock) -> RunningPod:
    return await pods.start(clock=clock, presence_limit_ms=SILENT_S * 1000, pod_lease_ms=3_600_000)


def table_of(pod: RunningPod, seated: Seated) -> Table:
    table = pod.component.pod.tables[seated.table_id]
    assert isinstance(table, Table)
    return table


async def one_gone(pods: Pods, clock: FakeClock) -> tuple[RunningPod, Seated, list[Player]]:
    """A deal that going ends as an escape; one player's stream has ended, and the pod knows."""
    pod = await started(pods, clock)
    seated = await pod.create("t-store", **OF_AN_ESCAPE)
    players = await playing(seated)
    await to_act(players)
    await players[GONE].close()
    await eventually(lambda: table_of(pod, seated).gallery.viewers.of_seat(GONE) is None)
    return pod, seated, players


async def passes(clock: FakeClock, seconds: int) -> None:
    """Time passes, and the table sees each second of it."""
    for _ in range(seconds):
        clock.advance(seconds=1)
        await asyncio.sleep(0.01)


async def caught_up(clock: FakeClock, holds: Callable[[], bool]) -> None:
    """The table tries again, a second after each time it could not, until it holds."""
    async with asyncio.timeout(LIMIT_S):
        while not holds():
            clock.advance(ms=RETRY_MS)
            await asyncio.sleep(0.01)


async def beyond_the_grace(pod: RunningPod, seated: Seated, clock: FakeClock, other: Player) -> None:
    """All are there; time goes on beyond what a lost player has, and no penalty is asked of him."""
    await eventually(lambda: not table_of(pod, seated).current.lost)
    for _ in range(GRACE_S // SILENT_S + 1):
        clock.advance(seconds=SILENT_S)
        await other.snapshot()
    assert not table_of(pod, seated).current.lost
    assert pod.ledger.penalties == []


async def test_who_comes_back_while_his_loss_is_being_stored_is_there_pf_24_row_7(
    own_pods: Pods, store: Store, fake_clock: FakeClock
) -> None:
    pod, seated, players = await one_gone(own_pods, fake_clock)
    player = players[GONE]
    store.freeze()
    fake_clock.advance(seconds=SILENT_S)
    await eventually(lambda: table_of(pod, seated)._open is not None)
    player.open()
    await eventually(lambda: table_of(pod, seated).gallery.viewers.of_seat(player.seat) is not None)
    store.thaw()
    while (await players[0].until("presence")).presence.seats[player.seat].online:
        pass  # until his loss is stored
    await beyond_the_grace(pod, seated, fake_clock, players[0])


@pytest.mark.parametrize("full_s", [0, 2 * GRACE_S], ids=["within his grace", "after his grace"])
async def test_who_comes_back_at_a_full_store_is_there_when_it_has_room_pf_24_row_10(
    own_pods: Pods, room: Room, fake_clock: FakeClock, full_s: int
) -> None:
    pod, seated, players = await one_gone(own_pods, fake_clock)
    player = players[GONE]
    fake_clock.advance(seconds=SILENT_S)
    await eventually(lambda: player.seat in table_of(pod, seated).current.lost)
    await room.none()
    player.open()
    await eventually(lambda: table_of(pod, seated)._vigil.paused)
    await passes(fake_clock, full_s)
    await room.again()
    await caught_up(fake_clock, lambda: player.seat not in table_of(pod, seated).current.lost)
    await beyond_the_grace(pod, seated, fake_clock, players[0])


@pytest.mark.parametrize("full_s", [0, 2 * ARRIVE_S], ids=["in time", "after the time"])
async def test_who_arrives_at_a_full_store_has_arrived_when_it_has_room_pf_12_row_10(
    own_pods: Pods, room: Room, fake_clock: FakeClock, full_s: int
) -> None:
    pod = await started(own_pods, fake_clock)
    seated = await pod.create("t-store", arrive_limit_ms=ARRIVE_S * 1000)
    await room.none()
    for player in seated.players():
        player.open()
        await player.until("snapshot")
    await eventually(lambda: table_of(pod, seated)._vigil.paused)
    await passes(fake_clock, full_s)
    await room.again()
    await caught_up(fake_clock, lambda: len(table_of(pod, seated).current.state.arrived) == len(seated.names))


async def test_a_table_that_cannot_write_tries_once_a_second_row_10(
    own_pods: Pods, room: Room, fake_clock: FakeClock
) -> None:
    pod = await started(own_pods, fake_clock)
    seated = await pod.create("t-store", variant="shanghai", turn_limit_ms=5_000)
    players = await playing(seated)
    await to_act(players)
    await room.none()
    before = await room.script_calls()
    fake_clock.advance(seconds=5)
    for tried in range(1, TRIES + 1):
        await eventually(lambda: table_of(pod, seated)._vigil.paused)
        await asyncio.sleep(0.1)  # long enough for hundreds of tries
        assert await room.script_calls() - before == tried
        fake_clock.advance(ms=RETRY_MS)
    await room.again()
    await caught_up(fake_clock, lambda: "timed_out" in players[0].events())


async def test_what_scoring_found_wrong_is_not_settled_after_a_full_store(
    own_pods: Pods, store: Store, room: Room
) -> None:
    """Design, system: where the two differ nothing is settled; the store's fullness makes them agree no more."""
    scoring = Differing(room)
    own_pods.scoring = scoring
    pod = await own_pods.start()
    seated = await pod.create(table_with_settlements(pod, 1, wins=1))
    players = await gathered(seated)
    for player in players:
        player.play(first_option)
        await player.ready()
    await eventually(lambda: table_of(pod, seated)._vigil.paused)
    await room.again()
    for player in players:
        await player.ended()
    log = await stored(store.url, seated.table_id)
    assert isinstance(log[-1], Closed) and log[-1].cause is CloseCause.SCORING
    assert not any(isinstance(event, PaymentsMade) for event in log)
    assert scoring.asked_count == 1


async def test_what_scoring_finds_later_is_told_again_after_a_full_store(
    own_pods: Pods, room: Room, fake_clock: FakeClock
) -> None:
    pod = await started(own_pods, fake_clock)
    seated = await pod.create("t-store")
    players = await playing(seated)
    table = table_of(pod, seated)
    deal = table.current.state.deal
    assert deal is not None
    await room.none()
    with pytest.raises(Refusal, match="full"):
        await table.set_aside(deal.deal_id)
    assert not _is_set_aside(table)
    await room.again()
    await table.set_aside(deal.deal_id)
    assert _is_set_aside(table)
    for player in players:
        await player.ended()


def _is_set_aside(table: Table) -> bool:
    return table.current.state.closed is CloseCause.SCORING
