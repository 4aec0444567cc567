"""Spectators: what everybody sees, as far behind the table as the room says (PF-40)."""

import asyncio
from collections.abc import Callable
from typing import Any

import grpc.aio
import pytest

from refusals import Reason
from services.table.app import balcony
from services.table.app.current import Moment
from services.table.model import play
from services.table.model.state import TableState
from tests.fakes.clock import FakeClock
from tests.services.table.logs import folded, received, seen_of, stored
from tests.services.table.rig import (
    Player,
    Pods,
    RunningPod,
    Seated,
    eventually,
    gathered,
    new_table_id,
    playing,
    reason_for,
    refusal_for,
)

DELAY_MS = 10_000
STEP_MS = 1_000
WATCHED: dict[str, Any] = {"spectators_allowed": True, "spectator_delay_ms": DELAY_MS}


class Behind:
    """Where the table stood at each moment, so that it is known what a spectator may know."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self._history: list[tuple[int, int]] = []

    def note(self, seq: int) -> None:
        self._history.append((self._clock.monotonic_ms(), seq))

    def allowed_seq(self) -> int:
        """Number of the last entry that is as old as the delay; 0 if none is."""
        old_ms = self._clock.monotonic_ms() - DELAY_MS
        return max((seq for at_ms, seq in self._history if at_ms <= old_ms), default=0)


async def one_move(players: list[Player]) -> int:
    """Whoever is asked passes or discards; returns the table's last number."""
    table = players[0].pod.component.pod.tables[players[0].table_id]
    deal = table.current.state.deal
    assert deal is not None
    asked = players[min(play.awaiting(deal.game))]
    prompt = (await asked.snapshot()).snapshot.prompt
    quiet = [row.mahjong for row in prompt.options if row.mahjong.WhichOneof("kind") in ("pass_claim", "discard")]
    await asked.act(quiet[0], prompt.decision_id)
    last_seq = table.current.state.seq
    for player in players:
        await player.seen(last_seq)
    return last_seq


def never_newer(guest: Player, allowed_seq: int) -> None:
    """The law: nothing a spectator was sent is newer than the delay."""
    newest = max((message.seq for message in guest.messages), default=0)
    assert newest <= allowed_seq, f"{newest} was shown when {allowed_seq} was the last that may be"


async def behind_a_deal(pods: Pods, clock: FakeClock, moves: int) -> tuple[Seated, list[Player], Behind]:
    """A table at which a deal is played, a move each second."""
    pod = await pods.start(clock=clock)
    seated = await pod.create(new_table_id(), **WATCHED)
    behind = Behind(clock)
    behind.note(1)
    players = await playing(seated)
    behind.note(players[0].last_seq)
    for _ in range(moves):
        clock.advance(ms=STEP_MS)
        behind.note(await one_move(players))
    return seated, players, behind


async def test_a_spectator_is_as_far_behind_as_the_room_says(pods: Pods, fake_clock: FakeClock, redis_url: str) -> None:
    """PF-40: each entry comes when it is as old as the delay, not before and not much later; and as everybody sees
    it. His snapshot is the table as it stood then.
    """
    seated, players, behind = await behind_a_deal(pods, fake_clock, 11)
    guest = seated.spectator()
    guest.open()
    first = await guest.until("snapshot")
    assert 1 < first.seq == behind.allowed_seq() < players[0].last_seq
    assert not first.snapshot.HasField("own_seat")
    assert not first.snapshot.HasField("prompt")
    assert first.snapshot.delay_ms == DELAY_MS
    for _ in range(7):
        fake_clock.advance(ms=STEP_MS)
        behind.note(await one_move(players))
        allowed_seq = behind.allowed_seq()
        await guest.seen(allowed_seq)
        never_newer(guest, allowed_seq)
        late = await guest.snapshot()
        assert late.seq == allowed_seq
    log = await stored(redis_url, seated.table_id)
    seen = received(guest)
    assert list(seen) == list(range(first.seq + 1, guest.last_seq + 1))
    assert seen == {seq: event for seq, event in seen_of(log, None).items() if seq in seen}
    then = folded(seated.table_id, log[: late.seq])
    assert late.snapshot.mahjong.wall_left == _wall_left(then)
    assert [hand.tiles for hand in late.snapshot.mahjong.hands] == [[]] * 4


def _wall_left(state: TableState) -> int:
    assert state.deal is not None
    left: tuple[int, ...] = state.deal.game.wall
    return len(left)


Leak = Callable[[balcony.Balcony, Moment], None]


def _too_soon(watched: balcony.Balcony, moment: Moment) -> None:
    watched._waiting.append((moment.at_ms + DELAY_MS - 2 * STEP_MS, moment))


def _at_once(watched: balcony.Balcony, moment: Moment) -> None:
    watched._waiting.append((moment.at_ms, moment))


@pytest.mark.parametrize("leak", [_too_soon, _at_once])
async def test_the_law_finds_a_planted_leak(
    pods: Pods, fake_clock: FakeClock, monkeypatch: pytest.MonkeyPatch, leak: Leak
) -> None:
    monkeypatch.setattr(balcony.Balcony, "_wait", leak)
    seated, players, behind = await behind_a_deal(pods, fake_clock, 11)
    guest = seated.spectator()
    guest.open()
    await guest.until("snapshot")
    for _ in range(4):
        fake_clock.advance(ms=STEP_MS)
        behind.note(await one_move(players))
        await guest.seen(behind.allowed_seq() + 1)
    with pytest.raises(AssertionError, match="was shown when"):
        never_newer(guest, behind.allowed_seq())


async def test_before_anything_is_old_enough_there_is_nothing(pods: Pods, fake_clock: FakeClock) -> None:
    """PF-40: not even that a table has begun; the refusal says to come again, and not when."""
    pod = await pods.start(clock=fake_clock)
    seated = await pod.create(new_table_id(), **WATCHED)
    await playing(seated)
    fake_clock.advance(ms=DELAY_MS - STEP_MS)
    guest = seated.spectator()
    early = await refusal_for(guest.snapshot())
    assert (early.reason, early.retry_after_ms) == (Reason.TOO_EARLY, 1_000)
    guest.open()
    await guest.ended()
    assert guest.error is not None
    assert guest.messages == []
    fake_clock.advance(ms=STEP_MS)
    assert (await guest.snapshot()).seq == pod.component.pod.tables[seated.table_id].current.state.seq


async def test_a_spectator_resumes_where_he_was(pods: Pods, fake_clock: FakeClock) -> None:
    """PF-34: the entries after his place, exactly once; a place that is newer than what he may know is refused with
    the number he may know.
    """
    seated, players, behind = await behind_a_deal(pods, fake_clock, 14)
    guest = seated.spectator()
    guest.open()
    first = await guest.until("snapshot")
    await guest.close()
    for _ in range(4):
        fake_clock.advance(ms=STEP_MS)
        behind.note(await one_move(players))
    guest.open(first.seq, first.epoch)
    await guest.seen(behind.allowed_seq())
    never_newer(guest, behind.allowed_seq())
    assert guest.seqs() == list(range(first.seq + 1, behind.allowed_seq() + 1))
    ahead = seated.spectator("other")
    ahead.open(players[0].last_seq, first.epoch)
    await ahead.ended()
    assert ahead.error is not None
    assert f"the last entry is {behind.allowed_seq()}" in str(ahead.error.trailing_metadata())


async def test_a_new_owner_of_the_table_knows_what_is_too_new(pods: Pods, redis_url: str) -> None:
    """PF-40 across a crash: what was stored just before it is still too new after it."""
    pod = await pods.start("table-0")
    seated = await pod.create(new_table_id(), spectators_allowed=True, spectator_delay_ms=2_000)
    players = await gathered(seated)
    early = players[0].last_seq
    await eventually_snapshot(seated, pod)
    for player in players:
        await player.ready()
    for player in players:
        await player.until("event", "dealt")
    dealt = players[0].last_seq
    await pod.crash()
    again = await pods.start("table-0")
    await again.owns(seated)
    guest = seated.spectator(pod=again)
    if again.component.pod.tables[seated.table_id].balcony._waiting:
        first = await guest.snapshot()
        assert early <= first.seq < dealt
    guest.open()
    await eventually(lambda: bool(guest.messages) and guest.last_seq >= dealt)


async def eventually_snapshot(seated: Seated, pod: RunningPod) -> None:
    """Wait until a spectator may see all that stands."""
    last = pod.component.pod.tables[seated.table_id].current.state.seq
    guest = seated.spectator()
    async with asyncio.timeout(60):
        while True:
            try:
                if (await guest.snapshot()).seq >= last:
                    return
            except grpc.aio.AioRpcError:
                await asyncio.sleep(0.02)


async def test_the_end_comes_as_late_as_all_the_rest(pods: Pods, fake_clock: FakeClock) -> None:
    """PF-40: the table is over and its players free; a spectator still watches it to its end."""
    pod = await pods.start(clock=fake_clock)
    seated = await pod.create(new_table_id(), **WATCHED)
    fake_clock.advance(ms=DELAY_MS)
    guest = seated.spectator()
    guest.open()
    await guest.until("snapshot")
    fake_clock.advance(seconds=20)  # nobody arrives
    await eventually(lambda: seated.table_id in pods.seats.released)
    fake_clock.advance(ms=DELAY_MS - STEP_MS)
    assert guest.kinds() == ["snapshot"]
    fake_clock.advance(ms=STEP_MS)
    await guest.ended()
    assert guest.kinds() == ["snapshot", "closed", "goodbye"]
    assert guest.goodbyes() == ["ENDED"]


async def test_where_the_room_allows_none_nobody_watches(pod: RunningPod) -> None:
    seated = await pod.create(new_table_id())
    assert await reason_for(seated.spectator().snapshot()) is Reason.SPECTATORS_NOT_ALLOWED


async def test_a_spectator_cannot_act(pod: RunningPod) -> None:
    seated = await pod.create(new_table_id(), spectators_allowed=True)
    assert await reason_for(seated.spectator().ready()) is Reason.ROLE_NOT_ALLOWED


async def test_too_many_spectators_are_refused(pods: Pods) -> None:
    pod = await pods.start(spectator_count_max=1)
    seated = await pod.create(new_table_id(), spectators_allowed=True)
    one, two = seated.spectator("one"), seated.spectator("two")
    one.open()
    await one.until("snapshot")
    two.open()
    await two.ended()
    assert two.error is not None
    assert "OVERLOADED" in str(two.error.trailing_metadata())
    await one.close()
    await eventually(lambda: len(pod.component.pod.tables[seated.table_id].balcony) == 0)
    again = seated.spectator("two")
    again.open()
    await again.until("snapshot")
