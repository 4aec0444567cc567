"""kill -9 of the ledger's process while a deal is played: settlements wait in the table's log (reliability 36; PF-53).

A deal needs no ledger between its stakes and its end. What is due waits in the log, the next deal waits for it, and
each settlement is carried out once when the ledger is back.
"""

import asyncio
import signal

import pytest
from cardroom.table.v1 import table_pb2

from cardroom_client import CallRefused
from tests.faults.bare import BareCaller
from tests.faults.machine import START_LIMIT_SECONDS, Machine
from tests.faults.ordeal import SEEDED, assert_whole
from tests.faults.truth import read_log
from tests.faults.witnesses import play

LIMIT_SECONDS = 120.0
DEALS = 2
RETRIES_AWAY_SECONDS = 1.0


@pytest.mark.asyncio(loop_scope="module")
async def test_a_deal_goes_on_without_the_ledger_and_is_paid_once_when_it_is_back_row_36(
    machine: Machine, seed: int
) -> None:
    table_id = f"ledger-away-{seed}"
    players = [f"{table_id}.{number}" for number in range(4)]
    await machine.open_accounts(players)
    opening = await machine.accounts(players)
    ledger, pod = machine.service("ledger"), machine.pod("table-0", label=table_id)
    over = asyncio.Event()

    def seen(message: table_pb2.WatchResponse) -> None:
        move = message.event.mahjong
        if move.HasField("dealt") and not over.is_set():
            ledger.signal(signal.SIGKILL)  # before anybody has played a tile
        if move.HasField("ended"):
            over.set()

    try:
        async with asyncio.timeout(LIMIT_SECONDS):
            await pod.up(SEEDED, str(seed))
            await machine.create_table(pod, table_id, players, deals_max=DEALS)
            seats = [machine.seat(pod, table_id, seat, player) for seat, player in enumerate(players)]
            playing = asyncio.create_task(play(seats, deal_count=DEALS, seen=seen))
            await over.wait()
            assert await ledger.ended() == -signal.SIGKILL
            await asyncio.sleep(RETRIES_AWAY_SECONDS)  # time in which a table that does not wait would go on
            waiting = await read_log(machine.tables, table_id)
            kinds = [entry.kind for entry in waiting.entries]
            assert kinds.count("payments_due") > 0, "nothing moved in this deal: the test proves nothing"
            assert {"payments_made", "deal_settled"}.isdisjoint(kinds)
            assert kinds.count("deal_started") == 1
            async with BareCaller(seats[0]) as caller:
                with pytest.raises(CallRefused) as caught:
                    await caller.ready()
            assert caught.value.reason == "WRONG_TABLE_STATE", "the next deal waits for the money of the last"
            await ledger.start()
            await ledger.healthy(START_LIMIT_SECONDS)
            witnesses = await playing
    finally:
        await pod.kill()
        if not ledger.pid:  # the module's machine has a ledger again, whatever happened
            await ledger.start()
            await ledger.healthy(START_LIMIT_SECONDS)
    log = await read_log(machine.tables, table_id)
    assert log.entries[: len(waiting.entries)] == waiting.entries
    assert log.epoch == 1, "the table has not changed hands"
    kinds = [entry.kind for entry in log.entries]
    assert kinds.count("deal_settled") == kinds.count("deal_started") == DEALS
    due = [entry.event.payments_due.settlement_seq for entry in log.entries if entry.kind == "payments_due"]
    made = [entry.event.payments_made.settlement_seq for entry in log.entries if entry.kind == "payments_made"]
    assert due == made == list(range(1, len(due) + 1))
    first, second = (seq for seq, kind in enumerate(kinds) if kind == "deal_started")
    assert first < kinds.index("payments_made") < kinds.index("deal_settled") < second
    await assert_whole(machine, table_id, log, witnesses, players)
    for witness in witnesses:
        shown = [message.event.payments_made.settlement_seq for message in _made(witness.played.entries)]
        assert shown == made, "every player is told that each payment is made"
    after = await machine.accounts(players)
    assert sum(row.balance for row in after) == sum(row.balance for row in opening)


def _made(entries: list[table_pb2.WatchResponse]) -> list[table_pb2.WatchResponse]:
    return [message for message in entries if message.event.HasField("payments_made")]
