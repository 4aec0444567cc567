"""kill -9 of the table's process in a deal of 听用斗地主: the log goes on, and the books of both assets are right."""

import asyncio
from collections.abc import Mapping, Sequence

import pytest
from cardroom.table.v1 import event_pb2

from cardroom_client import Seat, TableSession
from clients.load.bot_player import BotPlayer, Played
from games.bots import landlord
from games.landlord.actions import Call, PlayerAction
from games.landlord.state import State
from tests.faults.machine import Machine
from tests.faults.ordeal import SEEDED
from tests.faults.points import Moment, Point
from tests.faults.truth import read_log

LIMIT_SECONDS = 120.0
KILLED = -9
ASSETS = ("coins", "points")
SEATS = 3

POINTS: Mapping[str, Point] = {
    "a bid, stored and not shown": Point("stored", Moment.TURN, 1),
    "a play, received and not stored": Point("received", Moment.TURN, 12),
    "a play, stored and not answered": Point("stored", Moment.TURN, 15),
    "the coins, answered and not recorded": Point("settle_answered", Moment.ENDING, 1),
    "the points, not asked yet": Point("settle_asked", Moment.ENDING, 2),
    "the points, answered and not recorded": Point("settle_answered", Moment.ENDING, 2),
    "both recorded, the stakes not given back": Point("recorded", Moment.ENDING, 2),
}


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", POINTS)
async def test_a_card_deal_outlives_its_tables_process_and_both_books_are_right_ty_40(
    machine: Machine, name: str, seed: int
) -> None:
    point, table_id = POINTS[name], f"cards-{list(POINTS).index(name)}"
    players = [f"{table_id}.{seat}" for seat in range(SEATS)]
    await machine.open_accounts(players)
    await machine.forget_tables()
    before = {asset: [row.balance for row in await machine.accounts(players, asset)] for asset in ASSETS}
    pod = machine.pod("table-0", label=table_id)
    try:
        async with asyncio.timeout(LIMIT_SECONDS):
            await pod.up(SEEDED, str(seed), *point.words())
            await machine.create_table(
                pod,
                table_id,
                players,
                variant="tingyong",
                asset="coins",
                moves_points=True,
                options={"room": "2000"},
                least_balance=2_000,
            )
            seats = [machine.seat(pod, table_id, seat, player) for seat, player in enumerate(players)]
            playing = asyncio.create_task(_all_play(seats))
            assert await pod.ended() == KILLED
            await pod.up()
            played = await playing
            log = await read_log(machine.tables, table_id)
    finally:
        await pod.kill()
    assert log.epoch == 2
    assert log.entries[-1].event.closed.cause == event_pb2.TABLE_CLOSE_CAUSE_DEALS_PLAYED
    assert [bot.faults for bot in played] == [[]] * SEATS
    settled = next(entry.event.deal_settled for entry in log.entries if entry.kind == "deal_settled")
    for asset, rows in zip(ASSETS, (settled.balances, settled.points), strict=True):
        accounts = await machine.accounts(players, asset)
        assert [row.balance for row in accounts] == [row.balance for row in rows]
        assert sum(row.balance for row in accounts) == sum(before[asset])
        assert [row.locked_by_table_id for row in accounts] == [""] * SEATS
        dues = [entry.event.payments_due for entry in log.entries if entry.kind == "payments_due"]
        mades = [entry.event.payments_made for entry in log.entries if entry.kind == "payments_made"]
        assert [made.settlement_seq for made in mades if made.asset == asset] == [
            due.settlement_seq for due in dues if due.asset == asset
        ]
        assert not (await machine.verified(asset)).faults


def _bold(view: State, seat: int, options: tuple[PlayerAction, ...]) -> PlayerAction:
    """Whoever is asked first is the landlord, so that every deal is played and paid; then the sensible policy."""
    calls = [option for option in options if isinstance(option, Call)]
    return calls[0] if calls else landlord.choose(view, seat, options)


async def _all_play(seats: Sequence[Seat]) -> list[Played]:
    async def one(seat: Seat) -> Played:
        async with TableSession(seat) as session:
            return await BotPlayer(session, choose=_bold).play()

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(seat)) for seat in seats]
    return [task.result() for task in tasks]
