"""One deal of a variant, played by bots through the public API, told as it is played and checked to the last unit."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial

import grpc.aio
from cardroom.matchmaker.v1 import room_pb2, room_pb2_grpc
from cardroom.scoring.v1 import scoring_pb2_grpc
from cardroom.table.v1 import event_pb2, table_pb2
from cardroom.table.v1 import room_pb2 as table_room_pb2

from cardroom_client import CallRefused, LogGap, Player, TicketEnded
from clients.load.bot_player import BotPlayer, Played, take_seat
from deploy.local.bank import Bank, Books
from deploy.local.card_check import CardCheck
from deploy.local.chorus import Chorus
from deploy.local.money_check import MoneyCheck
from deploy.local.narrator import Narrator
from deploy.local.score_check import ScoreCheck
from deploy.local.stack import Stack
from refusals import Reason
from serving.channels import connect
from serving.refusing import refusal_of

IN_A_DEAL = frozenset({event_pb2.TABLE_STATE_DEALING, event_pb2.TABLE_STATE_PLAYING})

TOP_UP_TIMES = 10
"""A bot that has less than the room asks for is granted so many times that."""

Say = Callable[[str], None]


class DemonstrationFailed(Exception):
    """The demonstration could not be played to its end."""


async def demonstrate(stack: Stack, variant: str, seat_count: int, limit_seconds: float, say: Say) -> list[str]:
    """Play one deal of a variant in the room `<variant>-demo`; a deal left over from an earlier run goes on.

    Returns: what is wrong, in words; empty if everything is right.
    """
    say(f"--- {variant}: {seat_count} bots, one deal, over the public API")
    async with Bank(stack) as bank:
        show = Demonstration(stack, bank, f"{variant}-demo", seat_count, say)
        try:
            async with asyncio.timeout(limit_seconds):
                await show.prepare()
                await show.play()
                await show.verify()
        except TimeoutError:
            show.faults.append(f"not finished after {limit_seconds:g} s")
        except (CallRefused, LogGap, TicketEnded, DemonstrationFailed) as error:
            show.faults.append(f"{type(error).__name__}: {error}")
        except grpc.aio.AioRpcError as error:
            show.faults.append(_cause_of(error, stack))
    for fault in show.faults:
        say(f"  WRONG {fault}")
    say(f"--- {variant}: " + ("something is wrong, see above" if show.faults else "all is well"))
    return show.faults


def _cause_of(error: grpc.aio.AioRpcError, stack: Stack) -> str:
    refusal = refusal_of(error)
    if refusal is not None and refusal.reason is Reason.BOOKS_STOPPED:
        return (
            f"the ledger has closed its books: {stack.state.log('ledger')} says why. Its store and its archive "
            f"({stack.state.data('ledger-archive')}) may be of different runs: give it the store of before, or begin "
            f"anew with FRESH=1 and an empty store"
        )
    return f"{error.code().name}: {error.details()}"


class Demonstration:
    """The steps of one demonstration, in order: prepare, play, verify."""

    def __init__(self, stack: Stack, bank: Bank, room_id: str, seat_count: int, say: Say) -> None:
        self._stack = stack
        self._bank = bank
        self._room_id = room_id
        self._say = say
        self._players = [f"{room_id}-{number}" for number in range(1, seat_count + 1)]
        self._room = table_room_pb2.Room()
        self._before: list[int] = []
        self._books_before: Mapping[str, Books] = {}
        self._chorus = Chorus(seat_count)
        self._narrator = Narrator(say)
        self._money: list[MoneyCheck] = []
        self._scores = ScoreCheck()
        self._cards = CardCheck()
        self._bots: Sequence[BotPlayer] = ()
        self._introduced = False
        self._seated: list[str] = []
        self.faults: list[str] = []

    async def prepare(self) -> None:
        """Accounts with enough money; balances and books as they are before."""
        for player_id in self._players:
            await self._bank.open_account(player_id)
        self._room = await self._find_room()
        self._money = [MoneyCheck(self._room.asset)]
        if self._room.moves_points:
            self._money.append(MoneyCheck("points", stake_of_score=self._room.stake))
        await self._top_up()
        self._before = await self._bank.balances(self._players, self._room.asset)
        self._books_before = {asset: await self._bank.books(asset) for asset in self._bank.assets}
        self._say(f"before: {self._money_text(self._before)}")

    async def play(self) -> None:
        """Queue, sit, play to the end of the deal."""
        async with AsyncExitStack() as opened:
            players = [
                await opened.enter_async_context(
                    Player(self._stack.player_token(player_id), self._stack.address("matchmaker"))
                )
                for player_id in self._players
            ]
            seats = await asyncio.gather(*(take_seat(player, self._room_id) for player in players))
            if len({seat.table_id for seat in seats}) != 1:
                raise DemonstrationFailed("the bots do not sit at one table")
            order = sorted(zip(seats, players, self._players, strict=True), key=lambda row: row[0].seat)
            self._seated = [player_id for _, _, player_id in order]
            tables = [await opened.enter_async_context(player.sit(seat)) for seat, player, _ in order]
            self._bots = [BotPlayer(table) for table in tables]
            played = await self._all_play()
        self._narrator.close()
        self._judge(played)

    async def verify(self) -> None:
        """Balances and books after, against before and against the table's log; every win as scoring sees it."""
        after = await self._bank.balances(self._players, self._room.asset)
        self._say(f"after:  {self._money_text(after)}")
        if sum(after) != sum(self._before):
            self.faults.append(f"the bots had {sum(self._before)} together, now {sum(after)}")
        await self._ask_scoring()
        for check in self._money:
            if check.balances != tuple(await self._bank.balances(self._seated, check.asset)):
                self.faults.append(f"the log ends with {check.balances} {check.asset}, the ledger differs")
        for asset in self._bank.assets:
            books = await self._bank.books(asset)
            self._say(f"books of {books.text}")
            if not books.right:
                self.faults.append(f"the books of {asset} are wrong")
            if books.supply != self._books_before[asset].supply:
                self.faults.append(f"the supply of {asset} changed during a deal")

    async def _ask_scoring(self) -> None:
        channel = connect(self._stack.address("scoring"), token=self._stack.service_tokens("scoring-caller"))
        async with channel:
            scoring = scoring_pb2_grpc.ScoringServiceStub(channel)
            differing = [
                *await self._scores.ask(scoring.ScoreWin),
                *await self._cards.ask(scoring.ReadCards, scoring.SettleDeal),
            ]
        self.faults += differing
        asked = f"{self._scores.win_count} win{'' if self._scores.win_count == 1 else 's'}"
        if self._cards.play_count:
            asked = f"{self._cards.play_count} plays and the deal's money"
        found = f"{len(differing)} worth something else there" if differing else "all worth the same there"
        self._say(f"scoring, asked again: {asked}, {found}")

    async def _find_room(self) -> table_room_pb2.Room:
        channel = connect(self._stack.address("matchmaker"), token=self._stack.service_tokens("operator"))
        async with channel:
            rooms = room_pb2_grpc.RoomServiceStub(channel)
            return (await rooms.GetRoom(room_pb2.GetRoomRequest(room_id=self._room_id))).room.room

    async def _top_up(self) -> None:
        """Bots lose like everybody; before they are too poor for the room an operator's grant keeps them in it."""
        room = self._room
        for player_id, balance in zip(self._players, await self._bank.balances(self._players, room.asset), strict=True):
            if balance < room.least_balance:
                amount = room.least_balance * TOP_UP_TIMES
                await self._bank.grant(player_id, room.asset, amount, "demonstration")
                self._say(f"granted {amount} {room.asset} to {player_id}, who had {balance}")

    async def _all_play(self) -> list[Played]:
        playing = [asyncio.create_task(bot.play(partial(self._hear, seat))) for seat, bot in enumerate(self._bots)]
        try:
            return list(await asyncio.gather(*playing))
        finally:
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)

    def _hear(self, seat: int, message: table_pb2.WatchResponse) -> None:
        if message.HasField("snapshot") and not self._introduced:
            self._introduced = True
            self._introduce(message.snapshot)
        if message.event.mahjong.HasField("won"):
            self._scores.take(seat, self._bots[seat].played.view, message.event.mahjong.won)
        for _, event in self._chorus.hear(seat, message):
            self._cards.take(event)
            for check in self._money:
                check.take(event)
            self._narrator.tell(event)

    def _introduce(self, snapshot: table_pb2.Snapshot) -> None:
        self._narrator.introduce(snapshot)
        if snapshot.state in IN_A_DEAL:
            self._narrator.resume(snapshot)
            for check in self._money:
                own = [seat.balance if check.asset == self._room.asset else seat.points for seat in snapshot.seats]
                check.resume(own)

    def _judge(self, played: Sequence[Played]) -> None:
        for bot in played:
            self.faults += bot.faults
            if not bot.deal_count:
                self.faults.append(f"seat {bot.seat}: the table was dissolved before a deal was settled")
        for check in self._money:
            self.faults += check.faults
        moves = sum(bot.move_count for bot in played)
        late = sum(bot.overtaken_count for bot in played)
        views = "differs from" if any(bot.faults for bot in played) else "equals"
        self._say(f"  {moves} moves by the bots, {late} too late; what each folded from its events {views} a snapshot")

    def _money_text(self, amounts: Sequence[int]) -> str:
        rows = ", ".join(f"{player} {amount}" for player, amount in zip(self._players, amounts, strict=True))
        return f"{rows}; together {sum(amounts)} {self._room.asset}"
