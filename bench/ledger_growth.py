"""What a settlement costs with a thousand times the accounts, and a page of a statement sixteen times as long.

In this process, without gRPC, on real stores that sync every write; small and large take turns. The peer of each figure
is the same with little in the books: asked is at most 1.3 times its cost.
"""

import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import redis.asyncio

from bench.row import RUNS, Row
from deploy.local.redis_server import RedisServer
from services.ledger.adapters.coalescer import Coalescer
from services.ledger.adapters.keys import Keys
from services.ledger.adapters.redis_store import RedisLedgerStore
from services.ledger.adapters.segments import SegmentArchive
from services.ledger.app.archiving import Archiver
from services.ledger.app.books import Books
from services.ledger.app.funds import Funds
from services.ledger.app.journal import Journal
from services.ledger.app.statements import Statements
from services.ledger.app.stops import Stops
from services.ledger.ports import Call
from services.ledger.values import Leg, Settlement, Source, Stake
from serving.runtime import SystemClock
from serving.store import connect_redis

NAMES = ("growth_ledger_accounts", "growth_ledger_statement", "ledger_account_bytes")

FEW, MANY = 1_000, 1_000_000
SHORT, LONG = 1_000, 16_000
TABLES, SEATS, ROUNDS = 64, 4, 20
PAGES, PAGE = 40, 50
KEPT = 500
_ASSET = "coins"
_CALL = Call("bench")
_CHUNK = 5_000


@dataclass(slots=True)
class BigBooks:
    """A ledger in this process, with so many accounts besides those that play."""

    client: redis.asyncio.Redis
    store: RedisLedgerStore
    books: Books
    life: int = 0

    async def fill(self, count: int) -> float:
        """Adds accounts as the scripts leave them; returns the bytes of memory that one takes."""
        keys, before = Keys.of(_ASSET), await self._memory()
        for first in range(0, count, _CHUNK):
            names = [f"player-{number}" for number in range(first, min(first + _CHUNK, count))]
            await self.client.hset(keys.balance, mapping=dict.fromkeys(names, "10000"))
            await self.client.hset(keys.last, mapping=dict.fromkeys(names, str(first)))
        for key in (keys.balance, keys.last):
            await self._finish_doubling(key, names, count)
        return (await self._memory() - before) / count

    async def _finish_doubling(self, key: str, names: list[str], count: int) -> None:
        """Looks fields up until the store has moved the whole of a hash to the larger table it has grown into.

        It moves a little at every access. After so many accounts in one go it would be at that all through the
        measurement; a ledger that opens them over months is done some thousand settlements after each doubling.
        """
        for _ in range(count // len(names) // 4 + 1):
            await self.client.hmget(key, names)

    async def settle_us(self) -> float:
        """Microseconds a settlement takes, 64 tables at once."""
        self.life += 1
        tables = {f"t{self.life}-{number}": [f"p{number}-{seat}" for seat in range(SEATS)] for number in range(TABLES)}
        await asyncio.gather(*(self._seat(table, accounts) for table, accounts in tables.items()))
        began = time.perf_counter()
        await asyncio.gather(*(self._play(table, accounts, ROUNDS) for table, accounts in tables.items()))
        took = time.perf_counter() - began
        for table in tables:
            await self.store.release(table, 1, table, _ASSET, _CALL)
        return took / (TABLES * ROUNDS) * 1e6

    async def long_history(self, count: int) -> None:
        """One account with so many settlements, by several tables one after the other."""
        await self._seat("t", ["long", "other"])
        await self._play("t", ["long", "other"], count)

    async def _seat(self, table: str, accounts: list[str]) -> None:
        for account in accounts:
            await self.store.open_account(account, _ASSET, 10_000, Source(), _CALL)
        await self.store.reserve(Stake(table, 1, table, _ASSET, tuple(accounts), 0), _CALL)

    async def _play(self, table: str, accounts: list[str], count: int) -> None:
        for seq in range(1, count + 1):
            winner = accounts[seq % len(accounts)]
            legs = tuple(Leg(payer, winner, 3, "win") for payer in accounts if payer != winner)
            await self.books.settle(Settlement(table, 1, seq, table, _ASSET, legs), _CALL)

    async def _memory(self) -> int:
        return int((await self.client.info("memory"))["used_memory"])


@asynccontextmanager
async def big_books(folder: Path) -> AsyncIterator[BigBooks]:
    """A ledger on a store of its own."""
    server = await asyncio.to_thread(RedisServer.start, folder)
    client = await connect_redis(server.url, need_fsync=True, timeout_ms=60_000)
    clock = SystemClock()
    calls = Coalescer(client, clock)
    calls.start()
    store = RedisLedgerStore(client, calls, clock, record_kept_days=30)
    try:
        yield BigBooks(client, store, Books(store, Funds({_ASSET: 0})))
    finally:
        await calls.stop()
        await client.aclose()
        server.kill()


async def medians(small: Callable[[], Awaitable[float]], large: Callable[[], Awaitable[float]]) -> tuple[float, float]:
    """Of runs that take turns, after one of each that does not count."""
    await small()
    await large()
    pairs = [(await small(), await large()) for _ in range(RUNS)]
    return statistics.median(one for one, _ in pairs), statistics.median(other for _, other in pairs)


async def measure() -> list[Row]:
    """The three rows."""
    with tempfile.TemporaryDirectory() as name:
        return [*await _accounts(Path(name)), await _statements(Path(name))]


async def _accounts(folder: Path) -> list[Row]:
    async with big_books(folder / "few") as few, big_books(folder / "many") as many:
        await few.fill(FEW)
        bytes_each = await many.fill(MANY)
        small, large = await medians(few.settle_us, many.settle_us)
    note = f"a settlement with {MANY:,} accounts against {FEW:,}, {TABLES} tables, no hash doubling; asked: <= 1.3"
    return [
        Row("growth_ledger_accounts", large, "us", f"{FEW:,} accounts", small, note=note),
        Row("ledger_account_bytes", bytes_each, "bytes", runs=1, note=f"memory of the store an account, of {MANY:,}"),
    ]


async def _statements(folder: Path) -> Row:
    async with big_books(folder / "short") as short, big_books(folder / "long") as long:
        small = await _reader(short, folder / "short-archive", SHORT)
        large = await _reader(long, folder / "long-archive", LONG)
        less, more = await medians(small, large)
    note = (
        f"a page of {PAGE} lines, anywhere in {LONG:,} against {SHORT:,}, all but {KEPT} in the archive; asked: <= 1.3"
    )
    return Row("growth_ledger_statement", more, "us", f"{SHORT:,} lines", less, note=note)


async def _reader(books: BigBooks, folder: Path, count: int) -> Callable[[], Awaitable[float]]:
    """Reads pages at random places of a statement of so many lines, most of them archived; microseconds a page."""
    await books.long_history(count)
    archive = SegmentArchive(folder, segment_count=KEPT)
    assert archive.hold()
    await Archiver(books.store, archive, Stops(), kept_count=KEPT).copy(_ASSET)
    statements = Statements(books.store, Journal(books.store, archive), (_ASSET,))
    chance = random.Random(count)
    first = count - KEPT

    async def read() -> float:
        began = time.perf_counter()
        for _ in range(PAGES):
            lines, _ = await statements.page("long", _ASSET, PAGE, f"{chance.randint(PAGE + 10, first)}:0")
            assert len(lines) == PAGE
        return (time.perf_counter() - began) / PAGES * 1e6

    return read
