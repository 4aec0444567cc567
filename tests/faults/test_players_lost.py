"""Players' processes that freeze, die and come back (PF-23, PF-24, BB-60, BB-61; reliability 12)."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import pytest
import pytest_asyncio
from cardroom.table.v1 import event_pb2, table_pb2

from cardroom_client import Seat
from deploy.local.process import ROOT
from tests.faults.bare import BarePlayer, answer
from tests.faults.machine import CLOCK_MS, Machine, PodProcess
from tests.faults.truth import Log, read_log

LEASE_MS = 5_000
LIMIT_MS = 15_000
"""The setting of production."""
BEAT_SECONDS = LIMIT_MS / 3 / 1000
SLACK = 1.2
"""Of the limit: what a loaded machine may add."""
GRACE_MS = 2_000
PENALTY = 30
LIMIT_SECONDS = 120.0


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def own_machine(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Machine]:
    """A machine whose tables notice losses as in production."""
    environment = {"table": {"CARDROOM_PRESENCE_LIMIT_MS": str(LIMIT_MS)}}
    directory = tmp_path_factory.mktemp("players_lost")
    async with Machine(directory, pod_lease_ms=LEASE_MS, environment=environment) as machine:
        yield machine


@dataclass
class Sitting:
    """A table with three watching players of this process, and one of another."""

    machine: Machine
    pod: PodProcess
    table_id: str
    names: list[str]
    players: list[BarePlayer]
    lone: asyncio.subprocess.Process

    async def log(self) -> Log:
        return await read_log(self.machine.tables, self.table_id)

    async def logged(self, kind: str) -> int:
        """When an entry of the game of this kind was stored, on the store's clock, once it was."""
        async with asyncio.timeout(LIMIT_SECONDS):
            while True:
                for entry in (await self.log()).entries:
                    if kind in (entry.kind, entry.event.mahjong.WhichOneof("kind")):
                        return entry.at_ms
                await asyncio.sleep(0.05)

    async def store_ms(self) -> int:
        seconds, micros = await self.machine.tables.time()
        return int(seconds) * 1000 + int(micros) // 1000

    async def closed(self) -> event_pb2.TableClosed:
        """The table's end."""
        await self.logged("closed")
        return (await self.log()).entries[-1].event.closed


@asynccontextmanager
async def sitting(machine: Machine, name: str, beat_seconds: float, **changes: object) -> AsyncIterator[Sitting]:
    """A deal that begins; seat 3 is the process."""
    pod = machine.pod("table-0", label=name)
    names = [f"{name}.{seat}" for seat in range(4)]
    await machine.open_accounts(names)
    await machine.forget_tables()
    table_id = f"{name}-table"
    async with AsyncExitStack() as stack:
        await pod.up()
        stack.push_async_callback(pod.kill)
        await machine.create_table(pod, table_id, names, **changes)
        seats = [machine.seat(pod, table_id, seat, player) for seat, player in enumerate(names)]
        players = [await stack.enter_async_context(BarePlayer(seat)) for seat in seats[:3]]
        lone = await begun(seats[3], beat_seconds)
        stack.push_async_callback(ended, lone)
        sits = Sitting(machine, pod, table_id, names, players, lone)
        await sits.logged("arrived")
        await until(lambda: all(player.seq >= 5 for player in players))
        for player in players:
            await player.ready()
        await sits.logged("dealt")
        yield sits


async def begun(seat: Seat, beat_seconds: float) -> asyncio.subprocess.Process:
    row = {name: getattr(seat, name) for name in ("table_id", "seat", "room_id", "authority", "pod", "token")}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.faults.lone_player", str(beat_seconds),
        cwd=ROOT, stdin=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(json.dumps(row).encode() + b"\n")
    await process.stdin.drain()
    return process


async def ended(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        os.kill(process.pid, signal.SIGKILL)
        await process.wait()


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(LIMIT_SECONDS):
        while not holds():  # noqa: ASYNC110  other processes ring no event here
            await asyncio.sleep(0.02)


async def leave(player: BarePlayer, when: "event_pb2.LeaveWhen.ValueType") -> None:
    request = table_pb2.LeaveRequest(
        table_id=player.seat.table_id, request_id="00000000-0000-4000-8000-000000000009", when=when
    )
    await answer(player.stub.Leave(request, metadata=player.metadata()))


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("beats", [True, False], ids=["beats", "only streams"])
async def test_a_frozen_player_is_away_within_fifteen_seconds_and_back_when_he_wakes_row_12(
    own_machine: Machine, beats: bool
) -> None:
    """By his heartbeats, or, where a client sends none, by his connection that does not answer (PF-24)."""
    name = "frozen" if beats else "mute"
    async with sitting(own_machine, name, BEAT_SECONDS if beats else 0) as sits:
        frozen_ms = await sits.store_ms()
        os.kill(sits.lone.pid, signal.SIGSTOP)
        away_ms = await sits.logged("went_away") - frozen_ms
        os.kill(sits.lone.pid, signal.SIGCONT)
        await sits.logged("came_back")
        for player in sits.players:
            await leave(player, event_pb2.LEAVE_WHEN_NOW)
        await sits.closed()
        print(f"{name}: noticed after {away_ms / LIMIT_MS:.2f} of the limit")
        assert away_ms <= LIMIT_MS * SLACK


@pytest.mark.asyncio(loop_scope="module")
async def test_a_killed_player_is_served_and_resumes_on_another_device_bb_61(own_machine: Machine) -> None:
    async with sitting(own_machine, "killed", BEAT_SECONDS) as sits:
        await ended(sits.lone)
        await sits.logged("went_away")
        seat = sits.machine.seat(sits.pod, sits.table_id, 3, sits.names[3])
        other = await begun(seat, BEAT_SECONDS)
        try:
            await sits.logged("came_back")
            for player in sits.players:
                await leave(player, event_pb2.LEAVE_WHEN_NOW)
            closed = await sits.closed()
            assert closed.cause == event_pb2.TABLE_CLOSE_CAUSE_DEALS_PLAYED
            await asyncio.wait_for(other.wait(), LIMIT_SECONDS)
            assert other.returncode == 0, "it saw a whole log, without a gap"
        finally:
            await ended(other)
        rows = await sits.machine.accounts(sits.names)
        assert [row.locked_by_table_id for row in rows] == [""] * 4
        assert not (await sits.machine.verified()).faults


@pytest.mark.asyncio(loop_scope="module")
async def test_a_player_killed_for_longer_than_the_grace_has_escaped_and_pays_once_pf_23(own_machine: Machine) -> None:
    """His clocks run meanwhile (PF-24); then the deal ends, he pays the room's penalty, the others nothing."""
    async with sitting(
        own_machine,
        "escaped",
        BEAT_SECONDS,
        variant="shanghai",
        reconnect_grace_ms=GRACE_MS,
        escape_penalty=PENALTY,
        turn_limit_ms=CLOCK_MS,
    ) as sits:
        before = [row.balance for row in await sits.machine.accounts(sits.names)]
        await ended(sits.lone)
        closed = await sits.closed()
        assert closed.cause == event_pb2.TABLE_CLOSE_CAUSE_ESCAPED
        assert list(closed.requeued_seats) == []
        after = [row.balance for row in await sits.machine.accounts(sits.names)]
        assert [now - then for now, then in zip(after, before, strict=True)] == [0, 0, 0, -PENALTY]
        assert not (await sits.machine.verified()).faults
        log = await sits.log()
        made = [entry.event.payments_made for entry in log.entries if entry.kind == "payments_made"]
        assert [(row.payments[0].payer_seat, row.payments[0].paid, row.payments[0].cause) for row in made] == [
            (3, PENALTY, "penalty")
        ]
