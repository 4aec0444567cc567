"""The ledger's store as its tests use it: a real server, assets of their own, times that stand still."""

import asyncio
import itertools
import shutil
import uuid
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import redis.asyncio

from deploy.local.redis_server import RedisServer
from refusals import Refusal
from services.ledger.adapters.coalescer import Coalescer
from services.ledger.adapters.redis_store import RedisLedgerStore
from services.ledger.app.audit import Auditor
from services.ledger.app.books import Books
from services.ledger.app.corrections import Corrections
from services.ledger.app.fold import BooksState
from services.ledger.app.funds import Funds
from services.ledger.ports import Call
from services.ledger.values import Balance, Group, Leg, Settled, Settlement, Source, Stake
from serving.store import connect_redis
from tests.conftest import STORE_PATIENCE_MS
from tests.fakes.clock import FakeClock

CALL = Call("table-0")

_RUN = uuid.uuid4().hex[:8]
_NUMBERS = itertools.count()


def new_asset() -> str:
    """An asset nobody has used: its books are empty."""
    return f"t{_RUN}{next(_NUMBERS)}"


async def refused(call: Awaitable[object]) -> Refusal:
    """The refusal of a call that must be refused."""
    with pytest.raises(Refusal) as caught:
        await call
    return caught.value


@dataclass(slots=True)
class Rig:
    """A ledger without a wire, on assets of its own."""

    client: redis.asyncio.Redis
    clock: FakeClock
    calls: Coalescer
    store: RedisLedgerStore
    server: RedisServer | None = None
    """The store's process, where it is the test's own."""

    async def kill_and_restart(self) -> None:
        """Kill -9 of the store's process, and another one on its data and port."""
        assert self.server is not None
        self.server.kill()
        self.server = await asyncio.to_thread(RedisServer.start, self.server.directory, self.server.port)
        await self._hang_up()

    def back_up(self, folder: Path) -> None:
        """Copy the store's files as they are; nothing may be under way."""
        assert self.server is not None
        shutil.copytree(self.server.directory, folder)

    async def restore(self, folder: Path) -> None:
        """The store's process dies, its files are those of a backup, another one starts: what came since is lost."""
        assert self.server is not None
        self.server.kill()
        shutil.rmtree(self.server.directory)
        shutil.copytree(folder, self.server.directory)
        self.server = await asyncio.to_thread(RedisServer.start, self.server.directory, self.server.port)
        await self._hang_up()

    async def _hang_up(self) -> None:
        """Connections to the process that is gone, but for those in use: their users find out."""
        await self.client.connection_pool.disconnect(inuse_connections=False)

    def books(self, asset: str, opening: int = 100) -> Books:
        """Books of one asset."""
        return Books(self.store, Funds({asset: opening}))

    def corrections(self, *assets: str) -> Corrections:
        """What operators do to these assets."""
        return Corrections(self.store, Funds(dict.fromkeys(assets, 0)))

    async def open(self, account: str, asset: str, units: int) -> tuple[Balance, bool]:
        """Open an account with new money."""
        return await self.store.open_account(account, asset, units, Source(), CALL)

    async def seated(self, table: str, balances: Mapping[str, int], *, deal: str = "d1") -> str:
        """A new asset in which these accounts have these balances and are reserved by the table."""
        asset = new_asset()
        for account, units in balances.items():
            await self.open(account, asset, units)
        await self.reserve(asset, table, tuple(balances), deal=deal)
        return asset

    async def reserve(
        self, asset: str, table: str, accounts: Sequence[str], *, deal: str = "d1", epoch: int = 1
    ) -> None:
        """Reserve accounts that are free."""
        reservation = await self.store.reserve(Stake(table, epoch, deal, asset, tuple(accounts), 0), CALL)
        assert reservation.reserved, reservation

    async def settle(
        self,
        asset: str,
        seq: int,
        legs: Sequence[Leg],
        groups: Sequence[Group] = (),
        *,
        table: str = "t1",
        epoch: int = 1,
        deal: str = "d1",
    ) -> Settled:
        """Settle through the checks, as the service does."""
        return await self.books(asset).settle(
            Settlement(table, epoch, seq, deal, asset, tuple(legs), tuple(groups)), CALL
        )

    async def units(self, asset: str, *accounts: str) -> list[int]:
        """Stored balances."""
        return [balance.units for balance in await self.books(asset).balances(accounts, asset)]

    async def verify(self, asset: str) -> BooksState:
        """The state of the asset's books."""
        return await Auditor(self.store, (asset,)).verify(asset)


@asynccontextmanager
async def open_own_rig(folder: Path) -> AsyncIterator[Rig]:
    """A ledger on a store of its own, that may be killed, backed up and set back."""
    server = await asyncio.to_thread(RedisServer.start, folder)
    async with open_rig(server.url, server) as rig:
        try:
            yield rig
        finally:
            assert rig.server is not None
            rig.server.stop()


@asynccontextmanager
async def open_rig(url: str, server: RedisServer | None = None) -> AsyncIterator[Rig]:
    """A ledger on the store at this URL, which ``server`` may be."""
    client = await connect_redis(url, need_fsync=True, timeout_ms=STORE_PATIENCE_MS)
    clock = FakeClock()
    calls = Coalescer(client, clock)
    calls.start()
    try:
        yield Rig(client, clock, calls, RedisLedgerStore(client, calls, clock, record_kept_days=30), server)
    finally:
        await calls.stop()
        await client.aclose()
