"""A world to send bad input into: tables at every stage, a queue, seats and books, and all of it kept as it is."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import count, islice
from typing import Any
from uuid import uuid4

import grpc.aio
from cardroom.ledger.v1 import ledger_pb2, ledger_pb2_grpc
from cardroom.mahjong.v1 import action_pb2
from cardroom.matchmaker.v1 import matchmaker_pb2, matchmaker_pb2_grpc
from cardroom.table.v1 import table_pb2
from redis.asyncio import Redis

from cardroom_client import CallRefused
from games.mahjong.claims import hand_waits
from games.mahjong.state import State
from services.table.edge.events import room_from_proto
from services.table.model import play
from tests.faults.bare import BarePlayer, answer, first_turn
from tests.faults.killed_table import SeededEntropy
from tests.faults.machine import ASSET, CLOCK_MS, Machine, PodProcess, room
from tests.faults.ordeal import SEEDED
from tests.faults.witnesses import nonce_of

LONG = {"claim_floor_min_ms": CLOCK_MS, "claim_floor_max_ms": CLOCK_MS}
"""A question stays open, whoever answers it."""

LET_GO_LIMIT_SECONDS = 60.0
"""Until a table that is over has let its players go."""

DEALS_MAX = 5_000
"""Deals that are looked through for one that will do."""
_LEFT_OUT = (b"{pods}", b"{ledger}:requests")
"""Keys of the registry, since pods renew their leases whatever happens; and which content an operator's request id was
first sent with: an id stays bound to its content, refused or not.
"""


@dataclass
class Table:
    """A table at a stage, with its players over bare stubs.

    Attributes:
        deal: its first deal after the tiles are dealt.
        tile: the dealer's first discard.
        turn: id of the dealer's first decision; empty before.
        turn_request: id of the request that answered it.
        claim: id of the claimant's decision; empty before.
        claim_request: id of the request that answered it.
    """

    table_id: str
    names: Sequence[str]
    players: Sequence[BarePlayer]
    deal: State
    claimant_seat: int
    tile: int
    turn: str = ""
    turn_request: str = ""
    claim: str = ""
    claim_request: str = ""

    @property
    def dealer(self) -> BarePlayer:
        """Seat 0 deals first."""
        return self.players[0]

    @property
    def claimant(self) -> BarePlayer:
        """Holds a pair of the dealer's tile."""
        return self.players[self.claimant_seat]

    @property
    def missing(self) -> int:
        """A tile of the game that the dealer does not hold."""
        return next(tile for tile in self.deal.ruleset.kinds if tile not in self.deal.hands[0])

    @property
    def neither(self) -> BarePlayer:
        """Neither dealer nor claimant."""
        return next(self.players[seat] for seat in (1, 2) if seat != self.claimant_seat)


@dataclass
class World:
    """Everything that bad input must leave alone.

    Attributes:
        waiting: a table nobody is ready at.
        turn: a table whose dealer has his first turn.
        asked: a table with a question that nobody has answered.
        answered: a table with a question that the claimant has passed, and that stays open.
        seated: players with a seat out of the queue; their table waits.
        queued: a player with a ticket; `ticket` is its id, `queue_request` the request that took it.
        free: a player without ticket and seat.
        staked: accounts of the table "books", whose settlement 1 is carried out under epoch 2.
    """

    machine: Machine
    pod: PodProcess
    waiting: Table
    turn: Table
    asked: Table
    answered: Table
    seated: Sequence[str]
    seated_table: str
    seated_ticket: str
    queued: str
    ticket: str
    queue_request: str
    free: str
    staked: Sequence[str]

    async def everything(self) -> Mapping[bytes, bytes]:
        """All that both stores hold, but for what is left out above; and all that the tables know themselves."""
        tables = (self.waiting, self.turn, self.asked, self.answered)
        found = {b"known " + table.table_id.encode(): await _known(table) for table in tables}
        for name, redis in ((b"tables ", self.machine.tables), (b"books ", self.machine.books)):
            found.update({name + key: value for key, value in (await _contents(redis)).items()})
        return found

    def seat_token(self, table_id: str, player_id: str, seat: int, *, key: str = "seat", seconds: int = 600) -> str:
        """A seat's token, signed by a key."""
        return self.machine.token(key, "seat", player_id, seconds, table_id=table_id, seat=seat)

    def matchmaker(self, player_id: str) -> "QueueCaller":
        """A player at the matchmaker."""
        return QueueCaller(self.machine, self.machine.token("player", "player", player_id))


async def _known(table: Table) -> bytes:
    """What a table shows its dealer, without what time does to it."""
    dealer = table.dealer
    request = table_pb2.GetSnapshotRequest(table_id=table.table_id)
    shown = await answer(dealer.stub.GetSnapshot(request, metadata=dealer.metadata()))
    shown.snapshot.ClearField("deadline")
    if shown.snapshot.HasField("prompt"):
        shown.snapshot.prompt.ClearField("deadline")
        shown.snapshot.prompt.ClearField("remaining_ms")
    return shown.SerializeToString(deterministic=True)


async def _contents(redis: Redis) -> Mapping[bytes, bytes]:
    keys = sorted([key async for key in redis.scan_iter(count=1_000) if not key.startswith(_LEFT_OUT)])
    return {key: await redis.dump(key) or b"" for key in keys}


class QueueCaller:
    """Calls to the matchmaker with one token. Every call may raise CallRefused."""

    def __init__(self, machine: Machine, token: str) -> None:
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._stub = matchmaker_pb2_grpc.MatchmakerServiceStub(machine.plain(machine.address("matchmaker")))

    async def join(self, room_id: str, *, request_id: str = "") -> matchmaker_pb2.JoinQueueResponse:
        """A ticket."""
        request = matchmaker_pb2.JoinQueueRequest(request_id=request_id or str(uuid4()), room_id=room_id)
        return await answer(self._stub.JoinQueue(request, metadata=self._metadata))

    async def cancel(self, ticket_id: str) -> matchmaker_pb2.CancelTicketResponse:
        """Gives a ticket back."""
        request = matchmaker_pb2.CancelTicketRequest(request_id=str(uuid4()), ticket_id=ticket_id)
        return await answer(self._stub.CancelTicket(request, metadata=self._metadata))

    async def watch(self, ticket_id: str) -> matchmaker_pb2.WatchTicketResponse:
        """First news of a ticket."""
        request = matchmaker_pb2.WatchTicketRequest(ticket_id=ticket_id)
        call = self._stub.WatchTicket(request, metadata=self._metadata)
        return await answer(anext(aiter(call)))

    async def my_seat(self) -> matchmaker_pb2.GetMySeatResponse:
        """The player's seat."""
        return await answer(self._stub.GetMySeat(matchmaker_pb2.GetMySeatRequest(), metadata=self._metadata))


async def why_not_queued(machine: Machine, player_id: str) -> str:
    """Why a player cannot queue once his table has let him go, as a reason; empty where he can."""
    caller = QueueCaller(machine, machine.token("player", "player", player_id))
    async with asyncio.timeout(LET_GO_LIMIT_SECONDS):
        while True:
            try:
                ticket_id = (await caller.join("empty")).ticket_id
            except CallRefused as refusal:
                if refusal.reason != "ALREADY_SEATED":
                    return refusal.reason
                await asyncio.sleep(0.05)
            else:
                await caller.cancel(ticket_id)
                return ""


# --- making it ----------------------------------------------------------------------------


@asynccontextmanager
async def made(machine: Machine, seed: int) -> AsyncIterator[World]:
    """The world, with nothing moving in it."""
    pod = machine.pod("table-0")
    await pod.up(SEEDED, str(seed))
    async with AsyncExitStack() as stack:
        tables = [await _table(machine, pod, stack, name, seed) for name in ("waiting", "turn", "asked", "answered")]
        waiting, turn, asked, answered = tables
        for table in (turn, asked, answered):
            await _to_turn(table)
        for table in (asked, answered):
            await _to_question(table)
        await _to_answer(answered)
        players = [f"guest.{number}" for number in range(6)]
        await machine.open_accounts(players)
        *seated, queued, free = players
        seated_ticket, seated_table = await _seated(machine, seated)
        queue_request = str(uuid4())
        caller = QueueCaller(machine, machine.token("player", "player", queued))
        ticket = (await caller.join("empty", request_id=queue_request)).ticket_id
        staked = await _settled(machine)
        yield World(
            machine, pod, waiting, turn, asked, answered, seated, seated_table, seated_ticket, queued, ticket,
            queue_request, free, staked,
        )  # fmt: skip
    await pod.kill()


async def _table(machine: Machine, pod: PodProcess, stack: AsyncExitStack, name: str, seed: int) -> Table:
    """A table whose dealer holds a tile that one seat may claim for a pung, and nobody for more."""
    names = [f"{name}.{number}" for number in range(4)]
    await machine.open_accounts(names)
    deals = ((table_id, first_deal(table_id, str(seed))) for table_id in map(f"{name}-{{}}".format, count()))
    table_id, deal, tile, claimant = next(
        (table_id, deal, *found) for table_id, deal in islice(deals, DEALS_MAX) if (found := claimable(deal))
    )
    await machine.create_table(pod, table_id, names, **LONG)
    seats = [machine.seat(pod, table_id, seat, player) for seat, player in enumerate(names)]
    players = [await stack.enter_async_context(BarePlayer(seat)) for seat in seats]
    return Table(table_id, names, players, deal, claimant, tile)


def first_deal(table_id: str, seed: str, **changes: Any) -> Any:
    """What a table of this id and room deals under this seed, if every seat sends its own nonce (PF-41)."""
    rules = play.rules_of(room_from_proto(room(**changes)))
    state = play.before_the_wall(rules, 0, deal_index=0, draws_in_row=0)
    nonces = tuple(map(nonce_of, state.seats))
    for event in play.opening(state, seed=SeededEntropy(seed).seed(), nonces=nonces, deal_id=f"{table_id}.1"):
        state = play.evolve(state, event)
    for event in play.decide(state, play.dealing(state)):
        state = play.evolve(state, event)
    return state


def claimable(state: State) -> tuple[int, int] | None:
    """A tile of the dealer's that one seat may claim for a pung, and nobody for more; and that seat."""
    if any(hand_waits(state, seat) for seat in state.seats):
        return None
    for tile in state.hands[state.turn]:
        holders = {seat: state.hands[seat].count(tile) for seat in state.seats if seat != state.turn}
        pairs = [seat for seat, copies in holders.items() if copies > 1]
        if len(pairs) == 1 and holders[pairs[0]] == 2:
            return tile, pairs[0]
    return None


async def _to_turn(table: Table) -> None:
    assert await first_turn(table.players) is table.dealer
    table.turn = (await table.dealer.until_asked()).decision_id


async def _to_question(table: Table) -> None:
    table.turn_request = str(uuid4())
    await table.dealer.act(discard(table.tile), table.turn, request_id=table.turn_request)
    table.claim = (await table.claimant.until_asked()).decision_id


async def _to_answer(table: Table) -> None:
    table.claim_request = str(uuid4())
    await table.claimant.act(PASS, table.claim, request_id=table.claim_request)


async def _seated(machine: Machine, players: Sequence[str]) -> tuple[str, str]:
    """Four players through the queue. Returns: the last one's ticket, and their table."""
    for player in players:
        caller = QueueCaller(machine, machine.token("player", "player", player))
        ticket_id = (await caller.join("faults")).ticket_id
    while not (news := await caller.watch(ticket_id)).HasField("seat"):
        pass
    return ticket_id, news.seat.table_id


async def _settled(machine: Machine) -> Sequence[str]:
    """A table at the ledger that has reserved a stake and carried out one settlement."""
    accounts = ["books.0", "books.1"]
    await machine.open_accounts(accounts)
    books = ledger_pb2_grpc.LedgerServiceStub(machine.channel(machine.address("ledger"), "table"))
    await books.Claim(ledger_pb2.ClaimRequest(table_id="books", asset=ASSET, epoch=2))
    await books.ReserveStake(
        ledger_pb2.ReserveStakeRequest(
            table_id="books", epoch=2, deal_id="books.1", asset=ASSET, account_ids=accounts, least_balance=20
        )
    )
    await books.Settle(settlement())
    return accounts


def settlement(**changes: object) -> ledger_pb2.SettleRequest:
    """The settlement that the world's books have carried out, or another one."""
    fields: dict[str, object] = {
        "table_id": "books",
        "epoch": 2,
        "seq": 1,
        "deal_id": "books.1",
        "asset": ASSET,
        "payments": [payment()],
    }
    return ledger_pb2.SettleRequest(**{**fields, **changes})  # type: ignore[arg-type]  # fields by their names


def payment(**changes: object) -> ledger_pb2.LedgerPayment:
    """The payment in it, or another one."""
    fields: dict[str, object] = {"payer": "books.0", "payee": "books.1", "amount": 3, "reason": "win"}
    return ledger_pb2.LedgerPayment(**{**fields, **changes})  # type: ignore[arg-type]  # fields by their names


# --- moves --------------------------------------------------------------------------------

PASS = action_pb2.Action(pass_claim=action_pb2.Pass())
PUNG = action_pb2.Action(pung=action_pb2.Pung())
WIN = action_pb2.Action(win=action_pb2.Win())
LOCK = action_pb2.Action(lock=action_pb2.Lock())


def discard(tile: int) -> action_pb2.Action:
    """Discard a tile."""
    return action_pb2.Action(discard=action_pb2.Discard(tile=tile))


def kong(tile: int | None = None) -> action_pb2.Action:
    """Declare a kong, or claim one."""
    return action_pb2.Action(kong=action_pb2.Kong(tile=tile))


Call = Callable[[World], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Case:
    """Something a service must refuse.

    Attributes:
        call: what is asked.
        reason: the refusal's reason; empty where gRPC itself refuses.
        field: the request's field at fault; None where none is.
        facts: what the refusal says besides, a part of its metadata.
        code: the code, where there is no reason that has one.
    """

    call: Call
    reason: str
    field: str | None = None
    facts: Callable[[World], Mapping[str, str]] | None = None
    code: grpc.StatusCode | None = None
