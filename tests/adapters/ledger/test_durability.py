"""A ledger never serves from a store that may lose what it acknowledged."""

import asyncio
from pathlib import Path

import grpc
import pytest
from cardroom.ledger.v1 import audit_pb2, ledger_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc

from deploy.local.redis_server import RedisServer
from refusals import Reason
from services.ledger.adapters.durability import CHECK_EVERY_MS
from serving.errors import StartError
from serving.store import connect_redis
from tests.conftest import STORE_PATIENCE_MS, Mint
from tests.fakes.clock import FakeClock
from tests.services.ledger.wire import Wire, open_wire, refused

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


async def healths(wire: Wire) -> set[int]:
    stub = health_pb2_grpc.HealthStub(wire.channel(None))
    names = ["", *(f"cardroom.ledger.v1.{name}Service" for name in ("Ledger", "AccountAdmin", "Audit"))]
    return {(await stub.Check(health_pb2.HealthCheckRequest(service=name))).status for name in names}


async def becomes(wire: Wire, status: int) -> None:
    async with asyncio.timeout(60):
        while await healths(wire) != {status}:
            pass


async def test_a_store_that_syncs_every_second_is_refused_at_the_start_unless_trusted(
    redis_url: str, keys: Path, mint: Mint
) -> None:
    with pytest.raises(StartError, match="appendfsync everysec"):
        async with open_wire(redis_url, keys, mint):
            pass
    async with open_wire(redis_url, keys, mint, trust_store=True) as wire:
        await wire.seat("ann", "bob")
        assert await healths(wire) == {SERVING}


async def test_a_store_that_stops_being_durable_is_noticed_within_a_minute_and_so_is_its_return(
    tmp_path: Path, keys: Path, mint: Mint
) -> None:
    server = RedisServer.start(tmp_path)
    clock = FakeClock()
    client = await connect_redis(server.url, timeout_ms=STORE_PATIENCE_MS)
    try:
        async with open_wire(server.url, keys, mint, clock=clock) as wire:
            await wire.seat("ann", "bob")
            await client.config_set("appendfsync", "everysec")
            await clock.run(ms=CHECK_EVERY_MS)
            await becomes(wire, NOT_SERVING)
            code, refusal = await refused(wire.ledger().Settle(wire.settlement()))
            assert (code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, Reason.STORE_NOT_DURABLE)
            balances = ledger_pb2.GetBalancesRequest(account_ids=["ann"], asset=wire.coins)
            assert (await refused(wire.ledger().GetBalances(balances)))[1].reason is Reason.STORE_NOT_DURABLE
            assert (await wire.audit().VerifyBooks(audit_pb2.VerifyBooksRequest(asset=wire.coins))).ok

            await client.config_set("appendfsync", "always")
            await clock.run(ms=CHECK_EVERY_MS)
            await becomes(wire, SERVING)
            assert not (await wire.ledger().Settle(wire.settlement())).duplicate
    finally:
        await client.aclose()
        server.stop()


async def test_a_store_that_does_not_answer_the_question_tells_nothing(tmp_path: Path, keys: Path, mint: Mint) -> None:
    server = RedisServer.start(tmp_path)
    clock = FakeClock()
    async with open_wire(server.url, keys, mint, clock=clock) as wire:
        server.kill()
        await clock.run(ms=CHECK_EVERY_MS)
        assert (await refused(wire.ledger().Settle(wire.settlement())))[1].reason is Reason.STORE_UNAVAILABLE
        assert await healths(wire) == {SERVING}
