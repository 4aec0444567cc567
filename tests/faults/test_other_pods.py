"""Owners that die, freeze or have a double (reliability 1, 4): a table has one writer at any time.

Tables come out of the matchmaker's queue here, and players find their table through it.
"""

import asyncio
import random
import signal
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from cardroom.table.v1 import control_pb2, control_pb2_grpc, event_pb2, table_pb2

from cardroom_client import CallRefused, Player
from tests.faults.bare import BareCaller, BarePlayer, answer, first_turn
from tests.faults.machine import Machine, PodProcess
from tests.faults.ordeal import assert_whole
from tests.faults.truth import read_log
from tests.faults.witnesses import Witness, play

LEASE_MS = 3_000
LONG_LEASE_MS = 12_000
"""Where a pod must keep its lease however busy the machine is."""
ADOPTED_WITHIN_LEASES = 2
"""The bound of reliability 1: a lease of 5 s, taken over within 10 s at the latest."""
LIMIT_SECONDS = 120.0
EARLY = "00000000-0000-4000-8000-000000000001"
"""A request that its sender repeats."""


@dataclass
class Match:
    """A deal that is being played through the queue.

    Attributes:
        players: ids in seat order.
        owner, other: the pod that has the table at first, and the one that stands by.
    """

    machine: Machine
    table_id: str
    players: Sequence[str]
    owner: PodProcess
    other: PodProcess
    playing: "asyncio.Task[list[Witness]]"

    async def taken_over(self) -> float:
        """Wait until the other pod has the table. Returns: how long that took, in leases."""
        began = time.monotonic()
        await eventually(self.machine, self.table_id, (2, self.other.pod))
        return (time.monotonic() - began) * 1000 / LEASE_MS

    async def assert_whole(self, *, epoch: int) -> int:
        """Played to the end, nothing lost, one owner after the other. Returns: entries of the log."""
        async with asyncio.timeout(LIMIT_SECONDS):
            witnesses = await self.playing
        log = await read_log(self.machine.tables, self.table_id)
        await assert_whole(self.machine, self.table_id, log, witnesses, self.players)
        assert log.epoch == epoch
        return len(log.entries)


@asynccontextmanager
async def match(machine: Machine, name: str, seed: int, *, lease_ms: int = LEASE_MS) -> AsyncIterator[Match]:
    """Four players at a table from the queue, two pods; given when the deal has come to a seeded entry."""
    until_seq = random.Random(f"{seed}:{name}").randint(16, 30)
    pods = {pod: machine.pod(pod, label=f"{pod}-{name}", lease_ms=lease_ms) for pod in ("table-0", "table-1")}
    await asyncio.gather(*(pod.up() for pod in pods.values()))
    names = [f"{name}.{number}" for number in range(4)]
    await machine.open_accounts(names)
    come = asyncio.Event()

    def seen(message: table_pb2.WatchResponse) -> None:
        if message.seq >= until_seq:
            come.set()

    async with AsyncExitStack() as stack:
        guests = [Player(machine.token("player", "player", name), machine.address("matchmaker")) for name in names]
        for guest in guests:
            await stack.enter_async_context(guest)
        seats = await asyncio.gather(*(guest.join("faults") for guest in guests))
        playing = asyncio.create_task(play(seats, renew=lambda place: guests[place].my_seat, seen=seen))
        stack.callback(playing.cancel)
        await asyncio.wait({playing, asyncio.create_task(come.wait())}, return_when=asyncio.FIRST_COMPLETED)
        assert not playing.done(), playing.exception()
        owner = pods.pop(seats[0].pod)
        players = [name for _, name in sorted((seat.seat, name) for seat, name in zip(seats, names, strict=True))]
        yield Match(machine, seats[0].table_id, players, owner, next(iter(pods.values())), playing)
        await asyncio.gather(owner.kill(), *(pod.kill() for pod in pods.values()))


@pytest.mark.asyncio(loop_scope="module")
async def test_another_pod_takes_over_from_one_that_was_killed(machine: Machine, seed: int) -> None:
    async with match(machine, "killed", seed) as played:
        await played.owner.kill()
        leases = await played.taken_over()
        entries = await played.assert_whole(epoch=2)
        print(f"seed {seed}: killed, taken over after {leases:.2f} leases; {entries} entries")
        assert leases < ADOPTED_WITHIN_LEASES


@pytest.mark.asyncio(loop_scope="module")
async def test_an_owner_that_was_frozen_past_its_lease_lets_go(machine: Machine, seed: int) -> None:
    async with match(machine, "frozen", seed) as played:
        played.owner.signal(signal.SIGSTOP)
        leases = await played.taken_over()
        assert leases < ADOPTED_WITHIN_LEASES
        await asyncio.sleep(LEASE_MS / 1000)
        played.owner.signal(signal.SIGCONT)
        entries = await played.assert_whole(epoch=2)
        gone = [row["why"] for row in await said(played.owner, "table_gone") if row["table_id"] == played.table_id]
        assert gone == ["moved"]
        assert await tables_of(machine, played.owner) == []
        print(f"seed {seed}: frozen, taken over after {leases:.2f} leases; {entries} entries")


@pytest.mark.asyncio(loop_scope="module")
async def test_a_freeze_shorter_than_the_lease_changes_nothing(machine: Machine, seed: int) -> None:
    async with match(machine, "short", seed, lease_ms=LONG_LEASE_MS) as played:
        played.owner.signal(signal.SIGSTOP)
        await asyncio.sleep(LONG_LEASE_MS / 6000)
        played.owner.signal(signal.SIGCONT)
        await played.assert_whole(epoch=1)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_process_whose_name_another_has_taken_lets_go(machine: Machine, seed: int) -> None:
    async with match(machine, "double", seed) as played:
        await played.other.kill()
        played.owner.signal(signal.SIGSTOP)
        double = machine.pod(played.owner.pod, label="the-double")
        await double.up()
        await eventually(machine, played.table_id, (2, played.owner.pod))
        played.owner.signal(signal.SIGCONT)
        await played.assert_whole(epoch=2)
        assert len(await said(played.owner, "superseded")) == 1
        assert await tables_of(machine, played.owner) == []
        assert played.table_id in await tables_of(machine, double)
        with pytest.raises(CallRefused) as refused:
            await answer(machine.create_table(played.owner, "one-more", played.players))
        assert refused.value.reason == "SHUTTING_DOWN"
        await double.kill()


@pytest.mark.asyncio(loop_scope="module")
async def test_a_process_does_not_take_back_what_its_double_has(machine: Machine) -> None:
    """Both have one name, and the older does not know yet that it has a double: its lease is not due for long."""
    older, double = (machine.pod("table-0", label=label, lease_ms=120_000) for label in ("the-older", "the-newer"))
    await older.up()
    players = [f"taken-back.{number}" for number in range(4)]
    await machine.create_table(older, "taken-back", players)
    await double.up()
    await eventually(machine, "taken-back", (2, "table-0"))
    async with BareCaller(machine.seat(older, "taken-back", 0, players[0])) as caller:
        reasons = await asyncio.gather(*(refused_ready(caller) for _ in range(20)))
        reasons.append(await refused_ready(caller))
    assert reasons[-1] == ("NOT_OWNER", {"authority": double.address, "pod": "table-0", "epoch": "2"})
    assert {reason for reason, _ in reasons} <= {"NOT_OWNER", "STORE_UNAVAILABLE"}
    assert len(older.said("superseded")) == 1
    assert await machine.owner("taken-back") == (2, "table-0")
    await asyncio.gather(older.kill(), double.kill())


async def refused_ready(caller: BareCaller) -> tuple[str, Mapping[str, str]]:
    """Why the seat may not say ready, and what it is told besides."""
    with pytest.raises(CallRefused) as refused:
        await caller.ready()
    return refused.value.reason, refused.value.metadata


@pytest.mark.asyncio(loop_scope="module")
async def test_a_move_sent_to_a_frozen_owner_is_not_written_by_it(machine: Machine) -> None:
    """The frozen owner's first write comes after the table has moved: it is fenced, and its sender told where to go."""
    owner, other = (machine.pod(name, label=f"{name}-fenced") for name in ("table-0", "table-1"))
    await asyncio.gather(owner.up(), other.up())
    players = [f"fenced.{number}" for number in range(4)]
    await machine.open_accounts(players)
    await machine.create_table(owner, "fenced", players, claim_floor_min_ms=30_000, claim_floor_max_ms=30_000)
    async with AsyncExitStack() as stack:
        seats = [machine.seat(owner, "fenced", seat, player) for seat, player in enumerate(players)]
        dealer = await first_turn([await stack.enter_async_context(BarePlayer(seat)) for seat in seats])
        prompt = await dealer.until_asked()
        one, two = [option.mahjong for option in prompt.options if option.mahjong.HasField("discard")][:2]
        owner.signal(signal.SIGSTOP)
        early = asyncio.create_task(dealer.act(one, prompt.decision_id, request_id=EARLY))
        await eventually(machine, "fenced", (2, other.pod))
        seat = dealer.seat.seat
        moved = await stack.enter_async_context(BarePlayer(machine.seat(other, "fenced", seat, players[seat])))
        accepted = await moved.act(two, prompt.decision_id)
        owner.signal(signal.SIGCONT)
        with pytest.raises(CallRefused) as refused:
            await early
        assert refused.value.reason == "NOT_OWNER"
        assert refused.value.metadata == {"authority": other.address, "pod": other.pod, "epoch": "2"}
        with pytest.raises(CallRefused) as refused:
            await moved.act(one, prompt.decision_id, request_id=EARLY)
        assert refused.value.reason == "DECISION_STALE"
    log = await read_log(machine.tables, "fenced")
    discards = [(entry.seq, entry.event.mahjong.discarded.tile) for entry in log.entries if is_discard(entry.event)]
    assert discards == [(accepted.seq, two.discard.tile)]
    await asyncio.gather(owner.kill(), other.kill())


async def eventually(machine: Machine, table_id: str, owner: tuple[int, str]) -> None:
    """Wait until a table has this epoch and pod."""
    async with asyncio.timeout(LIMIT_SECONDS):
        while await machine.owner(table_id) != owner:  # noqa: ASYNC110  the store rings no event here
            await asyncio.sleep(0.02)


async def said(pod: PodProcess, event: str) -> list[dict[str, Any]]:
    """What a pod has logged under this name, once it has: a process that was woken finds out in its own time."""
    async with asyncio.timeout(LIMIT_SECONDS):
        while not pod.said(event):  # noqa: ASYNC110  other processes ring no event
            await asyncio.sleep(0.02)
    return pod.said(event)


async def tables_of(machine: Machine, pod: PodProcess) -> list[str]:
    """The tables a pod says it has."""
    control = control_pb2_grpc.TableControlServiceStub(machine.channel(pod.address, "operator"))
    return [row.table_id for row in (await control.ListTables(control_pb2.ListTablesRequest())).tables]


def is_discard(event: event_pb2.TableEvent) -> bool:
    """Whether somebody discards a tile."""
    return event.HasField("mahjong") and event.mahjong.HasField("discarded")
