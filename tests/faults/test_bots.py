"""One free player plays alone at a table that bots fill, over sockets; killing its pod changes nothing (PF-10)."""

import asyncio
from collections.abc import Callable

import pytest
from cardroom.table.v1 import table_pb2

from cardroom_client import Player, Seat
from clients.load.bot_player import BotPlayer, Played, Seen
from tests.faults.machine import Machine

pytestmark = pytest.mark.asyncio(loop_scope="module")

LEASE_MS = 1_000
_MOVES = 2
_DEALS_MAX = 20
_LIMIT_SECONDS = 120


async def test_one_player_and_three_bots_play_a_deal_to_settled_money_pf_10(machine: Machine) -> None:
    pod = machine.pod("table-0")
    await pod.up()
    try:
        async with _player(machine, "solo") as player:
            played = await _played(player, await _seated(machine, player, "solo"))
        await _money_is_right(machine, played)
    finally:
        await pod.kill()


async def test_bots_survive_kill_9_of_their_pod_in_mid_deal_pf_10(machine: Machine) -> None:
    """Killed after some of the player's moves; the next process under its name plays on with the same bots.

    A deal in which he has no more to do afterwards proves nothing: then there is a further one.
    """
    for number in range(_DEALS_MAX):
        if await _goes_on_after_kill_9(machine, f"stoic.{number}"):
            return
    raise AssertionError("no deal went on after its pod was killed")


async def _goes_on_after_kill_9(machine: Machine, player_id: str) -> bool:
    """Plays a deal, in the midst of which its pod is killed. Returns: whether the player has moved since then."""
    pod = machine.pod("table-0")
    await pod.up()
    try:
        async with _player(machine, player_id) as player:
            seat = await _seated(machine, player, player_id)
            ripe = _Ripe()
            playing = asyncio.create_task(_played(player, seat, ripe.of))
            ripening = asyncio.create_task(ripe.reached.wait())
            await asyncio.wait([ripening, playing], return_when=asyncio.FIRST_COMPLETED)
            ripening.cancel()
            await pod.kill()
            moves_before = ripe.move_count
            await pod.up()
            played = await playing
        epoch, _ = await machine.owner(seat.table_id)
        await _money_is_right(machine, played)
        has_moved = played.move_count > moves_before
        assert epoch > 1 or not has_moved, "moved without an owner"
        return has_moved
    finally:
        await pod.kill()


def _player(machine: Machine, player_id: str) -> Player:
    return Player(machine.token("player", "player", player_id), machine.address("matchmaker"))


async def _seated(machine: Machine, player: Player, player_id: str) -> Seat:
    await machine.open_accounts([player_id])
    async with asyncio.timeout(_LIMIT_SECONDS):
        return await player.join("bots")


async def _played(player: Player, seat: Seat, seen: Callable[[BotPlayer], Seen] | None = None) -> Played:
    async with asyncio.timeout(_LIMIT_SECONDS), player.sit(seat) as table:
        bot = BotPlayer(table)
        return await bot.play(seen and seen(bot))


class _Ripe:
    """Says when the player has made so many moves that the pod may be ripe."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self._bot: BotPlayer | None = None

    def of(self, bot: BotPlayer) -> Seen:
        """Looks at this bot, at every message it gets."""
        self._bot = bot
        return self._look

    @property
    def move_count(self) -> int:
        """Moves he has made."""
        return self._bot.played.move_count if self._bot is not None else 0

    def _look(self, message: table_pb2.WatchResponse) -> None:
        if self.move_count >= _MOVES:
            self.reached.set()


async def _money_is_right(machine: Machine, played: Played) -> None:
    """The deal is settled, what the log says is what the books say, and money only changed hands."""
    assert played.faults == []
    assert played.deal_count == 1
    created = next(entry.snapshot for entry in played.entries if entry.HasField("snapshot"))
    players = [row.player_id for row in created.seats]
    assert sum(player.startswith("robot:") for player in players) == 3
    events = [entry.event for entry in played.entries if entry.HasField("event")]
    begun = next(event.deal_started for event in events if event.HasField("deal_started"))
    settled = next(event.deal_settled for event in events if event.HasField("deal_settled"))
    balances = [row.balance for row in await machine.accounts(players)]
    assert balances == [row.balance for row in settled.balances]
    assert sum(balances) == sum(row.balance for row in begun.balances)
    books = await machine.verified()
    assert books.ok
    assert books.sum_total == 0
