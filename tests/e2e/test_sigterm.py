"""SIGTERM under load, as a cluster sends it: each service ends with 0, and nothing it acknowledged is lost."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from uuid import uuid4

import grpc
import grpc.aio
from cardroom.ledger.v1 import admin_pb2, admin_pb2_grpc
from cardroom.matchmaker.v1 import matchmaker_pb2, matchmaker_pb2_grpc
from cardroom.scoring.v1 import scoring_pb2, scoring_pb2_grpc
from cardroom.table.v1 import table_pb2, table_pb2_grpc

from cardroom_client import Player, Seat
from clients.load.bot_player import BotPlayer, Played, take_seat
from deploy.local.bank import Bank
from deploy.local.settings import LocalSettings
from deploy.local.stack import Stack
from services.ledger.settings import LedgerSettings
from serving.channels import connect
from tests.channels import bare_channel

PLAYERS = [f"term-{number}" for number in range(4)]
WAITER, PAYEE = "term-waiter", "term-payee"
LIMIT_SECONDS = 300.0
PASSING = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED)
READY_HAND = "123p456p789p123s5s"


class Load:
    """Work that goes on until it is told to end; it stands passing failures, and nothing else."""

    def __init__(self, once: Callable[[], Awaitable[None]]) -> None:
        self._once = once
        self._ended = False
        self._done = asyncio.Event()
        self.done_count = 0
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while not self._ended:
            await self._once()
            self.done_count += 1
            self._done.set()

    async def more(self) -> None:
        """Return when something more has been done: the load is there and is carried."""
        self._done.clear()
        done = asyncio.create_task(self._done.wait())
        await asyncio.wait((done, self._task), return_when=asyncio.FIRST_COMPLETED)
        done.cancel()
        if self._task.done():
            self._task.result()

    def cancel(self) -> None:
        """End at once, whatever is under way."""
        self._task.cancel()

    async def end(self) -> int:
        """Times it was done."""
        self._ended = True
        await self._task
        return self.done_count


async def again_and_again(call: Callable[[], Awaitable[object]]) -> object:
    """The answer of a call that is made again, the same, until it is there."""
    while True:
        try:
            return await call()
        except grpc.aio.AioRpcError as error:
            if error.code() not in PASSING:
                raise
        await asyncio.sleep(0.02)


@asynccontextmanager
async def granting(stack: Stack, bank: Bank) -> AsyncIterator[Load]:
    """One unit after the other for one account, each under an id of its own until it is acknowledged."""
    await bank.open_account(PAYEE)
    async with connect(stack.address("ledger"), token=stack.service_tokens("operator")) as channel:
        admin = admin_pb2_grpc.AccountAdminServiceStub(channel)

        async def once() -> None:
            request = admin_pb2.GrantRequest(
                request_id=str(uuid4()), account_id=PAYEE, asset="coins", amount=1, reason="load"
            )
            await again_and_again(lambda: admin.Grant(request))

        load = Load(once)
        try:
            yield load
        finally:
            load.cancel()


@asynccontextmanager
async def scoring(stack: Stack) -> AsyncIterator[Load]:
    """The same question over and over; every answer is the same bytes."""
    async with connect(stack.address("scoring"), token=stack.service_tokens("scoring-caller")) as channel:
        rules = scoring_pb2_grpc.ScoringServiceStub(channel)
        request = scoring_pb2.ListWaitsRequest(
            ruleset=scoring_pb2.Ruleset(variant="bloody4"), hand=scoring_pb2.Hand(notation=READY_HAND)
        )
        answers: set[bytes] = set()

        async def once() -> None:
            answer = await again_and_again(lambda: rules.ListWaits(request))
            assert isinstance(answer, scoring_pb2.ListWaitsResponse)
            answers.add(answer.SerializeToString(deterministic=True))
            assert len(answers) == 1

        load = Load(once)
        try:
            yield load
        finally:
            load.cancel()


async def play(stack: Stack, player_id: str, seen: Callable[[table_pb2.WatchResponse], None]) -> Played:
    player = Player(stack.player_token(player_id), stack.address("matchmaker"))
    async with player, player.sit(await take_seat(player, "bloody4-demo")) as table:
        return await BotPlayer(table).play(seen)


async def goodbye_of(seat: Seat, began: asyncio.Event) -> table_pb2.Goodbye:
    """The last message of a bare stream, which is no client's that comes back by itself; says when it has begun."""
    async with bare_channel(seat.authority) as channel:
        table = table_pb2_grpc.TableServiceStub(channel)
        metadata = (("authorization", f"Bearer {seat.token}"), ("x-table-pod", seat.pod))
        last = table_pb2.WatchResponse()
        async for message in table.Watch(table_pb2.WatchRequest(table_id=seat.table_id), metadata=metadata):
            last = message
            began.set()
    return last.goodbye


async def test_every_service_ends_with_0_under_load_and_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    """A deal is played, money is granted, a player waits, hands are scored; each service is told to end, in turn."""
    settings = LocalSettings(state_directory=tmp_path / "state", port_base=0)
    async with (
        asyncio.timeout(LIMIT_SECONDS),
        Stack(settings, say=lambda _: None) as stack,
        Bank(stack) as bank,
        granting(stack, bank) as grants,
        scoring(stack) as questions,
    ):
        for player_id in (*PLAYERS, WAITER):
            await bank.open_account(player_id)
        before = await bank.balances(PLAYERS, "points")
        began = asyncio.Event()
        places: list[int] = []

        def seen(message: table_pb2.WatchResponse) -> None:
            if message.seq >= 12:
                began.set()

        async def wait_for_a_seat() -> None:
            async with Player(stack.player_token(WAITER), stack.address("matchmaker")) as waiter:
                await waiter.join("bloody6-1", waiting=lambda place: places.append(place.place))

        waiting = asyncio.create_task(wait_for_a_seat())
        playing = [asyncio.create_task(play(stack, player_id, seen)) for player_id in PLAYERS]
        await began.wait()
        for service in ("table", "scoring", "ledger", "matchmaker"):
            await asyncio.gather(grants.more(), questions.more())
            assert await stack.restart(service) == 0, service
        await asyncio.gather(grants.more(), questions.more())

        played = await asyncio.gather(*playing)
        for bot in played:
            assert (bot.faults, bot.deal_count) == ([], 1)
        assert sum(await bank.balances(PLAYERS, "points")) == sum(before)
        granted = settings_opening("coins") + await grants.end()
        assert await bank.balances([PAYEE], "coins") == [granted]
        assert await questions.end() > 0
        for asset in bank.assets:
            books = await bank.books(asset)
            assert books.right, books.text
        assert not waiting.done(), "the ticket is lost"
        assert places
        assert set(places) == {1}, "the place in the queue is lost"
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting


def settings_opening(asset: str) -> int:
    """What a new account begins with, where nothing else is set."""
    grants: dict[str, int] = LedgerSettings.model_fields["opening_grants"].default
    return grants[asset]


async def test_streams_are_told_that_the_service_shuts_down(tmp_path: Path) -> None:
    """A viewer gets Goodbye{SHUTDOWN}, a ticket's follower the end SHUTDOWN; both may ask again elsewhere."""
    settings = LocalSettings(state_directory=tmp_path / "state", port_base=0)
    async with asyncio.timeout(LIMIT_SECONDS), Stack(settings, say=lambda _: None) as stack, Bank(stack) as bank:
        for player_id in (*PLAYERS, WAITER):
            await bank.open_account(player_id)
        players = [Player(stack.player_token(name), stack.address("matchmaker")) for name in PLAYERS]
        seats = await asyncio.gather(*(player.join("bloody4-1") for player in players))
        begun = [asyncio.Event() for _ in (*seats, WAITER)]
        watching = [asyncio.create_task(goodbye_of(seat, each)) for seat, each in zip(seats, begun, strict=False)]
        follower = asyncio.create_task(last_news(stack, begun[-1]))
        await asyncio.gather(*(each.wait() for each in begun))
        assert await stack.restart("table") == 0
        assert [goodbye.reason for goodbye in await asyncio.gather(*watching)] == [
            table_pb2.GOODBYE_REASON_SHUTDOWN
        ] * len(seats)
        assert await stack.restart("matchmaker") == 0
        assert (await follower).ended.cause == matchmaker_pb2.TICKET_END_CAUSE_SHUTDOWN
        await asyncio.gather(*(player.close() for player in players))


async def last_news(stack: Stack, began: asyncio.Event) -> matchmaker_pb2.WatchTicketResponse:
    """The last that a follower of a ticket is told; says when he has been told something."""
    metadata = (("authorization", f"Bearer {stack.player_token(WAITER)}"),)
    async with bare_channel(stack.address("matchmaker")) as channel:
        matchmaker = matchmaker_pb2_grpc.MatchmakerServiceStub(channel)
        join = matchmaker_pb2.JoinQueueRequest(room_id="bloody6-1", request_id=str(uuid4()))
        joined = await matchmaker.JoinQueue(join, metadata=metadata)
        last = matchmaker_pb2.WatchTicketResponse()
        request = matchmaker_pb2.WatchTicketRequest(ticket_id=joined.ticket_id)
        async for news in matchmaker.WatchTicket(request, metadata=metadata):
            last = news
            began.set()
    return last
