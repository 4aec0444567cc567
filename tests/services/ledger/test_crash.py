"""kill -9 of the store and of the ledger: nothing acknowledged is lost, nothing is paid twice (reliability 34)."""

import asyncio
import os
import random
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import grpc.aio
from cardroom.ledger.v1 import audit_pb2, audit_pb2_grpc, ledger_pb2, ledger_pb2_grpc
from click.testing import CliRunner

from clients.cli.main import cardroom
from deploy.local.ports import free_port
from deploy.local.redis_server import RedisServer
from refusals import Reason, Refusal
from services.ledger.values import RING, Leg, Settled
from serving.channels import connect
from tests.conftest import Mint
from tests.services.ledger.rig import Rig, new_asset, open_rig

SEED = 20_240_601
TABLES = 6
SETTLEMENTS = 40
KILLS = 4
AGAIN = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.RESOURCE_EXHAUSTED)
"""Codes after which a table asks again: whether it happened is not known, or it waited too long to be sent."""


async def _settled(rig: Rig, asset: str, table: str, seq: int) -> Settled:
    """The same settlement until there is a definite answer, as tables do."""
    legs = [Leg(f"{table}-a", f"{table}-b", seq, "win"), Leg(f"{table}-b", f"{table}-a", seq - 1, "rain")]
    while True:
        try:
            return await rig.settle(asset, seq, legs, table=table)
        except Refusal as refusal:
            if refusal.reason is not Reason.STORE_UNAVAILABLE:
                raise
            await asyncio.sleep(0.02)


async def test_settlements_survive_kill_9_of_the_store_once_and_once_only(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    server = RedisServer.start(tmp_path)
    acknowledged: dict[str, list[Settled]] = {}
    try:
        async with open_rig(server.url) as rig:
            asset = new_asset()

            async def play(table: str) -> None:
                for account in (f"{table}-a", f"{table}-b"):
                    await rig.open(account, asset, 1_000)
                await rig.reserve(asset, table, [f"{table}-a", f"{table}-b"])
                done.release()
                await start.wait()
                for seq in range(1, SETTLEMENTS + 1):
                    acknowledged.setdefault(table, []).append(await _settled(rig, asset, table, seq))
                    await asyncio.sleep(chance.random() * 0.01)

            start, done = asyncio.Event(), asyncio.Semaphore(0)
            async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
                for number in range(TABLES):
                    tasks.create_task(play(f"t{number}"))
                for _ in range(TABLES):
                    await done.acquire()
                start.set()
                for _ in range(KILLS):
                    await asyncio.sleep(0.02 + chance.random() * 0.05)
                    server.kill()
                    server = RedisServer.start(tmp_path, server.port)

            for table, answers in acknowledged.items():
                for seq in range(SETTLEMENTS - RING + 1, SETTLEMENTS + 1):
                    again = await _settled(rig, asset, table, seq)
                    assert again.duplicate
                    assert (again.number, again.lines) == (answers[seq - 1].number, answers[seq - 1].lines)
                assert await rig.units(asset, f"{table}-a", f"{table}-b") == [1_000 - SETTLEMENTS, 1_000 + SETTLEMENTS]
            state = await rig.verify(asset)
            assert (state.faults, state.entry_count) == ((), TABLES * (3 + SETTLEMENTS))
    finally:
        server.stop()


@asynccontextmanager
async def _process(
    port: int, asset: str, redis_url: str, keys: Path, archive: Path
) -> AsyncIterator[asyncio.subprocess.Process]:
    """The ledger as it is run, in a process of its own; ended by kill -9."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "services.ledger.main",
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "CARDROOM_GRPC_PORT": str(port),
            "CARDROOM_METRICS_PORT": "0",
            "CARDROOM_LEDGER_REDIS_URL": redis_url,
            "CARDROOM_JWKS_FILE": str(keys / "jwks.json"),
            "CARDROOM_SERVICE_KEY_FILE": str(keys / "service.pem"),
            "CARDROOM_OPENING_GRANTS": f'{{"{asset}": 1000}}',
            "CARDROOM_LEDGER_ARCHIVE_DIR": str(archive),
            "CARDROOM_ARCHIVE_EVERY_MS": "5",
            "CARDROOM_ARCHIVE_SEGMENT_ENTRIES": "20",
            "CARDROOM_LOG_LEVEL": "error",
        },
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def test_kill_9_of_the_ledger_between_settlement_and_answer_pays_once(
    ledger_redis_url: str, keys: Path, mint: Mint, tmp_path: Path
) -> None:
    """The table repeats until it knows: after each kill the first definite answer is the only payment.

    The archive, too, goes on where it was.
    """
    asset, port = new_asset(), free_port()

    def channel(role: str) -> grpc.aio.Channel:
        token = mint(role, "someone")
        return connect(f"127.0.0.1:{port}", token=lambda: token, deadline_ms=1_000)

    table, login, operator = channel("table"), channel("login"), channel("operator")
    ledger = ledger_pb2_grpc.LedgerServiceStub(table)

    async def until_known(call: Callable[..., Awaitable[object]], request: object) -> object:
        while True:
            try:
                return await call(request, wait_for_ready=True)
            except grpc.aio.AioRpcError as error:
                if error.code() not in AGAIN:
                    raise

    async def settle(seq: int) -> None:
        payment = ledger_pb2.LedgerPayment(payer="ann", payee="bob", amount=1, reason="win")
        request = ledger_pb2.SettleRequest(
            table_id="t1", epoch=1, seq=seq, deal_id="d1", asset=asset, payments=[payment]
        )
        await until_known(ledger.Settle, request)

    settled = 0
    async with asyncio.timeout(60):
        for life in range(3):
            async with _process(port, asset, ledger_redis_url, keys, tmp_path) as process:
                if life == 0:
                    opener = ledger_pb2_grpc.LedgerServiceStub(login)
                    for account in ("ann", "bob"):
                        await until_known(opener.OpenAccount, ledger_pb2.OpenAccountRequest(account_id=account))
                    stake = ledger_pb2.ReserveStakeRequest(
                        table_id="t1", epoch=1, deal_id="d1", asset=asset, account_ids=["ann", "bob"]
                    )
                    await until_known(ledger.ReserveStake, stake)
                for _ in range(15):
                    settled += 1
                    await settle(settled)
                if life < 2:
                    in_flight = asyncio.create_task(settle(settled + 1))
                    await asyncio.sleep(0.002 * life)
                    process.kill()
                else:
                    verify = audit_pb2.VerifyBooksRequest(asset=asset)
                    state = await audit_pb2_grpc.AuditServiceStub(operator).VerifyBooks(verify)
            if life < 2:
                in_flight.cancel()
    assert (state.ok, state.entry_count, state.sum_total) == (True, 3 + settled, 0)
    verified = CliRunner().invoke(cardroom, ["books", "verify", str(tmp_path)])
    assert verified.exit_code == 0, verified.output
    for each in (table, login, operator):
        await each.close()
