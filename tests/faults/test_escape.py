"""kill -9 of the table's process around a penalty (PF-23, PF-54; reliability 1, 36): charged once, whatever happens."""

import asyncio
import random
from collections.abc import Mapping
from contextlib import AsyncExitStack
from uuid import uuid4

import pytest
from cardroom.ledger.v1 import account_pb2, account_pb2_grpc
from cardroom.table.v1 import event_pb2, table_pb2

from cardroom_client import CallRefused
from tests.faults.bare import BareCaller, BarePlayer, answer, first_turn
from tests.faults.machine import ASSET, Machine, PodProcess
from tests.faults.ordeal import SEEDED
from tests.faults.points import Moment, Point
from tests.faults.truth import Log, read_log

PENALTY = 30
LIMIT_SECONDS = 120.0
KILLED = -9

POINTS: Mapping[str, Point] = {
    "the exit, received and not stored": Point("received", Moment.TURN, 1),
    "the exit, stored and not answered": Point("stored", Moment.TURN, 1),
    "the penalty, not asked yet": Point("settle_asked", Moment.ENDING, 1),
    "the penalty, asked and not answered": Point("settle_asked", Moment.ENDING, 1, delay_us=1_500),
    "the penalty, answered and not recorded": Point("settle_answered", Moment.ENDING, 1),
    "the penalty, recorded and the stakes not given back": Point("recorded", Moment.ENDING, 1),
}


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("variant", ["shanghai", "dazhong"])
@pytest.mark.parametrize("name", POINTS)
async def test_an_escape_is_charged_once_whatever_its_tables_process_does_pf_23(
    machine: Machine, name: str, variant: str, seed: int
) -> None:
    point, table_id = POINTS[name], f"escape-{variant}-{list(POINTS).index(name)}"
    players = [f"{table_id}.{seat}" for seat in range(4)]
    await machine.open_accounts(players)
    await machine.forget_tables()
    pod = machine.pod("table-0", label=table_id)
    before = [row.balance for row in await machine.accounts(players)]
    escaper = random.Random(f"{seed}:{table_id}").randrange(4)
    try:
        async with asyncio.timeout(LIMIT_SECONDS):
            await pod.up(SEEDED, str(seed), *point.words())
            await machine.create_table(pod, table_id, players, variant=variant, escape_penalty=PENALTY)
            await _leaves(machine, pod, table_id, players, escaper)
            log = await _closed(machine, table_id)
    finally:
        await pod.kill()
    assert log.epoch == 2
    assert log.entries[-1].event.closed.cause == event_pb2.TABLE_CLOSE_CAUSE_ESCAPED
    assert [entry.kind for entry in log.entries].count("left") == 1
    rows = await machine.accounts(players)
    moved = [row.balance - was for row, was in zip(rows, before, strict=True)]
    assert moved == [-PENALTY if seat == escaper else 0 for seat in range(4)]
    assert [row.locked_by_table_id for row in rows] == [""] * 4
    assert await _penalties(machine, players[escaper]) == [-PENALTY]
    assert not (await machine.verified()).faults


async def _leaves(machine: Machine, pod: PodProcess, table_id: str, players: list[str], escaper: int) -> None:
    """One player leaves in the dealer's first turn; his request is repeated until it is answered."""
    seats = [machine.seat(pod, table_id, seat, player) for seat, player in enumerate(players)]
    async with AsyncExitStack() as stack:
        watching = [await stack.enter_async_context(BarePlayer(seat)) for seat in seats]
        await first_turn(watching)
        request = table_pb2.LeaveRequest(table_id=table_id, request_id=str(uuid4()), when=event_pb2.LEAVE_WHEN_NOW)
        leaving = asyncio.create_task(_until_answered(watching[escaper], request))
        assert await pod.ended() == KILLED
        await pod.up()
        await leaving


async def _until_answered(caller: BareCaller, request: table_pb2.LeaveRequest) -> None:
    while True:
        try:
            await answer(caller.stub.Leave(request, metadata=caller.metadata(), timeout=2))
            return
        except CallRefused as refusal:
            if refusal.reason in ("TABLE_CLOSED", "TABLE_UNKNOWN"):
                return
            await asyncio.sleep(0.05)


async def _closed(machine: Machine, table_id: str) -> Log:
    while True:
        log = await read_log(machine.tables, table_id)
        if log.entries[-1].kind == "closed":
            return log
        await asyncio.sleep(0.02)


async def _penalties(machine: Machine, player_id: str) -> list[int]:
    """What the player's statement says of penalties (PF-56)."""
    stub = account_pb2_grpc.AccountServiceStub(machine.channel(machine.address("ledger"), "operator"))
    request = account_pb2.ListStatementRequest(account_id=player_id, asset=ASSET, page_size=200)
    lines = (await stub.ListStatement(request)).lines
    return [line.change for line in lines if line.reason == "penalty"]
