"""kill -9 of the table process in mid-deal and its restart: the deal goes on from its log, for everybody (PF-34).

The stream of each client is resumed by the library; what it received altogether has no gap and nothing twice.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from cardroom.table.v1 import table_pb2

from cardroom_client import Player
from clients.load.bot_player import BotPlayer, Played, take_seat
from deploy.local.bank import Bank
from deploy.local.money_check import MoneyCheck
from deploy.local.settings import LocalSettings
from deploy.local.stack import Stack

PLAYERS = [f"crash-{number}" for number in range(4)]
LIMIT_SECONDS = 180.0


@pytest.mark.parametrize("killed_after", [12, 24])
async def test_a_deal_goes_on_after_kill_9_of_its_table(tmp_path: Path, killed_after: int) -> None:
    settings = LocalSettings(state_directory=tmp_path / "state", port_base=0)
    async with asyncio.timeout(LIMIT_SECONDS), Stack(settings, say=lambda _: None) as stack, Bank(stack) as bank:
        for player_id in PLAYERS:
            await bank.open_account(player_id)
        before = await bank.balances(PLAYERS, "points")
        due = asyncio.Event()

        def seen(message: table_pb2.WatchResponse) -> None:
            if message.seq >= killed_after:
                due.set()

        playing = asyncio.create_task(all_play(stack, seen))
        await due.wait()
        await stack.kill("table")
        await stack.start_service("table")
        played = await playing
        after = await bank.balances(PLAYERS, "points")
        books = await bank.books("points")
    for bot in played:
        assert bot.faults == []
        assert bot.deal_count == 1
        assert_whole(bot)
    assert played[0].entries[-1].epoch > played[0].entries[0].epoch
    check = MoneyCheck()
    for entry in played[0].entries:
        if entry.HasField("event"):
            check.take(entry.event)
    assert check.faults == []
    assert sorted(check.balances or ()) == sorted(after)
    assert sum(after) == sum(before)
    assert books.right, books.text


async def all_play(stack: Stack, seen: Callable[[table_pb2.WatchResponse], None]) -> list[Played]:
    async def one(player_id: str) -> Played:
        player = Player(stack.player_token(player_id), stack.address("matchmaker"))
        async with player, player.sit(await take_seat(player, "bloody4-demo")) as table:
            return await BotPlayer(table).play(seen)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(player_id)) for player_id in PLAYERS]
    return [task.result() for task in tasks]


def assert_whole(bot: Played) -> None:
    """A snapshot first, then every number after it once, in order."""
    first, *rest = bot.entries
    assert first.HasField("snapshot")
    numbers = [entry.seq for entry in rest if not entry.HasField("snapshot")]
    assert numbers == list(range(first.seq + 1, first.seq + 1 + len(numbers)))
