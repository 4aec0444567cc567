"""With a replica, nothing is acknowledged that the loss of the store itself would lose (reliability 34, 35)."""

import asyncio
import random
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import grpc
import pytest
import redis.asyncio
from cardroom.ledger.v1 import admin_pb2, audit_pb2, ledger_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc

from deploy.local.redis_server import RedisServer
from refusals import Reason, Refusal
from services.ledger.adapters.barrier import Barrier, barrier_for
from services.ledger.adapters.coalescer import Coalescer
from services.ledger.adapters.durability import CHECK_EVERY_MS
from services.ledger.adapters.redis_store import RedisLedgerStore
from services.ledger.values import Leg, Settled
from serving.errors import StartError
from serving.store import connect_redis
from tests.conftest import STORE_PATIENCE_MS, Mint
from tests.fakes.clock import FakeClock
from tests.services.ledger.rig import CALL, Rig, new_asset, refused
from tests.services.ledger.wire import Wire, open_wire
from tests.services.ledger.wire import refused as refused_call

SEED = 20_260_214
BARRIER_MS = 1_000
_LINKED_LIMIT_S = 60.0


@contextmanager
def pair(folder: Path) -> Iterator[tuple[RedisServer, RedisServer]]:
    """A store and its replica, linked."""
    primary = RedisServer.start(folder / "primary", settings={"repl-diskless-sync-delay": "0"})
    replica: RedisServer | None = None
    try:
        replica = RedisServer.start(folder / "replica", settings={"replicaof": f"127.0.0.1 {primary.port}"})
        wait_for(replica, "master_link_status", "up")
        wait_for_fsync(primary)
        yield primary, replica
    finally:
        for server in (primary, replica):
            if server is not None:
                server.kill()


def wait_for(server: RedisServer, name: str, value: str) -> None:
    """Until the server's INFO says so."""
    with redis.Redis(port=server.port) as client:
        until = time.monotonic() + _LINKED_LIMIT_S
        while str(client.info("replication").get(name)) != value:
            assert time.monotonic() < until, f"{name} does not become {value}"
            time.sleep(0.01)


def wait_for_fsync(primary: RedisServer) -> None:
    """Until the replica writes a file of its own and says that it has all written so far."""
    with redis.Redis(port=primary.port) as client:
        until = time.monotonic() + _LINKED_LIMIT_S
        client.set("linked", "1")
        while client.waitaof(1, 1, 100)[1] < 1:
            assert time.monotonic() < until, "the replica does not confirm"


@contextmanager
def promoted(replica: RedisServer) -> Iterator[RedisServer]:
    """The replica takes over with what it has on disk: what had only reached its machine's memory is gone."""
    replica.kill()
    server = RedisServer.start(replica.directory, replica.port)
    try:
        yield server
    finally:
        server.kill()


@asynccontextmanager
async def rig_with(server: RedisServer, barrier: Barrier | None) -> AsyncIterator[Rig]:
    """A ledger that waits for this barrier."""
    client = await connect_redis(server.url, need_fsync=True)
    clock = FakeClock()
    calls = Coalescer(client, clock, barrier=barrier)
    calls.start()
    store = RedisLedgerStore(client, calls, clock, record_kept_days=30, barrier=barrier)
    try:
        yield Rig(client, clock, calls, store, server)
    finally:
        await calls.stop()
        await client.aclose()


@pytest.mark.parametrize("fsyncs", [True, False], ids=["WAITAOF", "WAIT"])
async def test_what_a_stopped_replica_does_not_confirm_is_not_acknowledged(tmp_path: Path, fsyncs: bool) -> None:
    """A barrier that is not met makes the outcome unknown, never OK; the same id again is answered once it is."""
    with pair(tmp_path) as (primary, replica):
        async with rig_with(primary, Barrier(1, fsyncs, BARRIER_MS)) as rig:
            asset = await rig.seated("t1", {"ann": 9, "bob": 0})
            legs = [Leg("ann", "bob", 1, "win")]
            await rig.settle(asset, 1, legs)
            replica.process.send_signal(signal.SIGSTOP)
            for _ in range(2):  # the second one is a repeat: it must not be answered from memory either
                assert (await refused(rig.settle(asset, 2, legs))).reason is Reason.STORE_UNAVAILABLE
            assert (await refused(rig.store.kept_head(asset))).reason is Reason.STORE_UNAVAILABLE
            assert (await rig.store.head(asset)).number == 5
            replica.process.send_signal(signal.SIGCONT)
            wait_for(primary, "connected_slaves", "1")
            again = await _definite(rig, asset, 2)
            assert (again.duplicate, again.number) == (True, 5)
            assert (await rig.store.kept_head(asset)).number == 5
            assert await rig.units(asset, "ann", "bob") == [7, 2]


async def _definite(rig: Rig, asset: str, seq: int, amount: int = 1) -> Settled:
    async with asyncio.timeout(30):
        while True:
            try:
                return await rig.settle(asset, seq, [Leg("ann", "bob", amount, "win")])
            except Refusal as refusal:
                if refusal.reason is not Reason.STORE_UNAVAILABLE:
                    raise
                await asyncio.sleep(0.01)


@pytest.mark.parametrize("is_waiting", [True, False], ids=["with the barrier", "without: the control must lose"])
async def test_a_failover_loses_nothing_that_was_acknowledged_behind_the_barrier(
    tmp_path: Path, is_waiting: bool
) -> None:
    """Reliability 34: replicas stop, stores die, replicas take over; seeded."""
    chance = random.Random(SEED)
    acknowledged = lost = 0
    for life in range(3):
        with pair(tmp_path / f"life-{life}") as (primary, replica):
            barrier = Barrier(1, True, BARRIER_MS) if is_waiting else None
            async with rig_with(primary, barrier) as rig:
                asset = await rig.seated("t1", {"ann": 9_000, "bob": 0})
                answered: dict[int, Settled] = {}
                for seq in range(1, 30):
                    answered[seq] = await _definite(rig, asset, seq, seq)
                await asyncio.sleep(chance.random() * 0.02)
                replica.process.send_signal(signal.SIGSTOP)
                for seq in range(30, 60):
                    try:
                        answered[seq] = await rig.settle(asset, seq, [Leg("ann", "bob", seq, "win")])
                    except Refusal:  # not acknowledged; the store is about to die
                        break
                primary.kill()
            with promoted(replica) as heir:
                async with rig_with(heir, None) as rig:
                    found = (await rig.store.claim("t1", 2, asset, CALL)).last_seq
                    assert not (await rig.verify(asset)).faults
                    for seq, before in answered.items():
                        acknowledged += 1
                        if seq > found:
                            lost += 1
                        elif seq > found - 16:
                            again = await rig.settle(asset, seq, [Leg("ann", "bob", seq, "win")], epoch=2)
                            assert (again.duplicate, again.number, again.lines) == (True, before.number, before.lines)
    print(f"failovers {'with' if is_waiting else 'without'} the barrier: {lost} of {acknowledged} acknowledged lost")
    assert (lost == 0) is is_waiting
    assert acknowledged >= 60


async def test_a_replica_that_is_not_there_is_said_at_the_start(ledger_redis_url: str, keys: Path, mint: Mint) -> None:
    with pytest.raises(StartError, match="has 0 of 1 replicas"):
        async with open_wire(ledger_redis_url, keys, mint, ledger_replicas=1):
            pass


async def test_the_barrier_is_the_best_the_store_can_do(tmp_path: Path) -> None:
    with pair(tmp_path) as (primary, _):
        client = await connect_redis(primary.url, timeout_ms=STORE_PATIENCE_MS)
        assert await barrier_for(client, 0, 100) is None
        assert await barrier_for(client, 1, 100) == Barrier(1, True, 100)
        with pytest.raises(StartError, match="has 1 of 2"):
            await barrier_for(client, 2, 100)
        await client.aclose()


def _waits(**changed: object) -> dict[str, Any]:
    return {"ledger_replicas": 1, "barrier_timeout_ms": BARRIER_MS, **changed}


async def test_the_service_serves_while_it_has_its_replica(tmp_path: Path, keys: Path, mint: Mint) -> None:
    clock = FakeClock()
    with pair(tmp_path) as (primary, replica):
        async with open_wire(primary.url, keys, mint, clock=clock, **_waits()) as wire:
            await wire.seat("ann", "bob")
            assert not (await wire.ledger().Settle(wire.settlement())).duplicate
            replica.process.send_signal(signal.SIGSTOP)
            code, refusal = await refused_call(wire.ledger().Settle(wire.settlement(2)))
            assert (code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, Reason.STORE_UNAVAILABLE)
            replica.process.send_signal(signal.SIGCONT)
            replica.kill()
            wait_for(primary, "connected_slaves", "0")
            await clock.run(ms=CHECK_EVERY_MS)
            await _becomes(wire, health_pb2.HealthCheckResponse.NOT_SERVING)
            assert (await refused_call(wire.ledger().Settle(wire.settlement(2))))[1].reason is Reason.STORE_NOT_DURABLE


async def _becomes(wire: Wire, status: int) -> None:
    stub = health_pb2_grpc.HealthStub(wire.channel(None))
    async with asyncio.timeout(60):
        while (await stub.Check(health_pb2.HealthCheckRequest())).status != status:
            pass


async def test_a_failover_without_its_tail_is_found_at_the_start_and_an_operator_decides(
    tmp_path: Path, keys: Path, mint: Mint
) -> None:
    """Reliability 35, with real stores and the whole service; the archive is the anchor outside of the store."""
    archive = tmp_path / "archive"
    with pair(tmp_path) as (primary, replica):
        grants = {new_asset(): 10_000}
        (asset,) = grants
        changed: dict[str, Any] = {
            "opening_grants": grants, "ledger_archive_dir": archive, "archive_every_ms": 10,
        }  # fmt: skip
        async with open_wire(primary.url, keys, mint, **changed) as wire:
            wire.coins = asset
            await wire.seat("ann", "bob")
            await wire.ledger().Settle(wire.settlement(1))
            wait_for_fsync(primary)
            replica.process.send_signal(signal.SIGSTOP)
            for seq in range(2, 7):
                await wire.ledger().Settle(wire.settlement(seq))
        primary.kill()
        with promoted(replica) as heir:
            async with open_wire(heir.url, keys, mint, **changed) as wire:
                wire.coins = asset
                code, refusal = await refused_call(wire.ledger().Settle(wire.settlement(7)))
                assert (code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, Reason.BOOKS_STOPPED)
                totals = await wire.audit().GetTotals(audit_pb2.GetTotalsRequest(asset=asset))
                assert (totals.journal_number, totals.archived_number) == (4, 9)
                assert totals.stopped == "the journal ends at 4, the archive at 9"
                books = await wire.audit().VerifyBooks(audit_pb2.VerifyBooksRequest(asset=asset))
                assert [(fault.kind, fault.journal_number) for fault in books.faults] == [("gap", 4)]
                balances = ledger_pb2.GetBalancesRequest(account_ids=["ann"], asset=asset)
                assert (await wire.ledger().GetBalances(balances)).balances[0].balance == 9_995

                resumed = await wire.admin().ResumeBooks(
                    admin_pb2.ResumeBooksRequest(
                        request_id=str(uuid4()), asset=asset, journal_number=4, reason="five settlements are lost"
                    )
                )
                assert (resumed.journal_number, resumed.lost_count) == (5, 5)
                assert not (await wire.ledger().Settle(wire.settlement(2))).duplicate
                assert (await wire.audit().VerifyBooks(audit_pb2.VerifyBooksRequest(asset=asset))).ok
