"""Settlements a second through gRPC, each synced to disk before it is answered, beside calls that do nothing.

64 callers, a table each, over one channel a process; the ledger and its store run as they do in production, with the
archive on. The peer is a null unary call to the same server factory, with as many callers, in turns.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Self

import uvloop
from cardroom.ledger.v1 import ledger_pb2, ledger_pb2_grpc

from bench.null_unary import PEER, NullServer, cpu_seconds
from bench.row import Row, interleaved
from deploy.local.ports import free_port
from deploy.local.redis_server import RedisServer
from serving.channels import connect
from serving.tokens import ServiceTokens, create_keys

NAMES = ("ledger_settle_s",)
CALLERS = 64
SECONDS = 3.0
SEATS = 4
_ASSET = "coins"
_READY_LIMIT_SECONDS = 30.0


class LedgerServer:
    """A ledger with a store of its own, both processes, for the length of an `async with`."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._store: RedisServer | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._lives = 0
        self.address = ""
        self.cpu_per_call = 0.0
        self.store_cpu_per_call = 0.0

    @property
    def folder(self) -> Path:
        """Keys, data and logs."""
        return Path(self._folder.name)

    @property
    def store(self) -> RedisServer:
        """Its store."""
        assert self._store is not None
        return self._store

    async def __aenter__(self) -> Self:
        create_keys(self.folder)
        self._store = await asyncio.to_thread(RedisServer.start, self.folder / "store")
        port = free_port()
        self.address = f"127.0.0.1:{port}"
        environment = {
            **os.environ,
            "CARDROOM_GRPC_PORT": str(port),
            "CARDROOM_LEDGER_REDIS_URL": self._store.url,
            "CARDROOM_LEDGER_ARCHIVE_DIR": str(self.folder / "archive"),
            "CARDROOM_JWKS_FILE": str(self.folder / "jwks.json"),
            "CARDROOM_SERVICE_KEY_FILE": str(self.folder / "service.pem"),
        }
        with (self.folder / "ledger.log").open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "services.ledger.main", env=environment, stdout=log, stderr=log
            )
        await self._ready()
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._process is not None
        self._process.terminate()
        await self._process.wait()
        self.store.stop()
        self._folder.cleanup()

    async def load(self, callers: int = CALLERS, seconds: float = SECONDS) -> float:
        """Settlements a second; new tables and players at each call."""
        assert self._process is not None
        self._lives += 1
        before = cpu_seconds(self._process.pid), cpu_seconds(self.store.process.pid)
        loading = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bench.ledger_settle", "--address", self.address, "--keys", str(self.folder),
            "--callers", str(callers), "--seconds", str(seconds), "--life", str(self._lives),
            stdout=subprocess.PIPE,
        )  # fmt: skip
        out, _ = await loading.communicate()
        assert loading.returncode == 0, "the load did not run"
        count, took = out.decode().split()
        self.cpu_per_call = (cpu_seconds(self._process.pid) - before[0]) / int(count)
        self.store_cpu_per_call = (cpu_seconds(self.store.process.pid) - before[1]) / int(count)
        return int(count) / float(took)

    async def _ready(self) -> None:
        async with asyncio.timeout(_READY_LIMIT_SECONDS), _channel(self.address, self.folder, "login") as channel:
            ledger = ledger_pb2_grpc.LedgerServiceStub(channel)
            await ledger.OpenAccount(ledger_pb2.OpenAccountRequest(account_id="first"), wait_for_ready=True)


async def measure() -> list[Row]:
    """Ours and the peer's rate, in turns."""
    async with LedgerServer() as ledger, NullServer() as null:

        async def peer() -> float:
            return (await null.load(CALLERS, SECONDS)).per_second

        ours, theirs = await interleaved(ledger.load, peer)
        note = (
            f"gRPC, {CALLERS} callers, fsync always, archive on; {ledger.cpu_per_call * 1e6:.0f} us of the ledger and "
            f"{ledger.store_cpu_per_call * 1e6:.0f} us of the store a call; first bar 0.25, aim 0.45"
        )
        return [Row("ledger_settle_s", ours, "settlements/s", PEER, theirs, note=note)]


def _channel(address: str, keys: Path, role: str) -> Any:
    return connect(address, token=ServiceTokens(keys / "service.pem", role, "bench"), deadline_ms=20_000)


async def _load(keys: Path, address: str, callers: int, seconds: float, life: int) -> None:
    """Prints how many settlements were answered, and in how many seconds."""
    async with _channel(address, keys, "login") as login, _channel(address, keys, "table") as table:
        opener, ledger = ledger_pb2_grpc.LedgerServiceStub(login), ledger_pb2_grpc.LedgerServiceStub(table)
        names = [f"t{life}-{number}" for number in range(callers)]
        seats = {name: [f"{name}-{seat}" for seat in range(SEATS)] for name in names}
        await asyncio.gather(
            *(
                opener.OpenAccount(ledger_pb2.OpenAccountRequest(account_id=account))
                for accounts in seats.values()
                for account in accounts
            )
        )
        await asyncio.gather(
            *(
                ledger.ReserveStake(
                    ledger_pb2.ReserveStakeRequest(
                        table_id=name, epoch=1, deal_id=f"{name}:1", asset=_ASSET, account_ids=accounts
                    )
                )
                for name, accounts in seats.items()
            )
        )
        began = time.perf_counter()
        ends = began + seconds

        async def play(name: str, accounts: list[str]) -> int:
            """As a win: the three others pay one, in turn."""
            seq = 0
            while time.perf_counter() < ends:
                seq += 1
                winner = accounts[seq % SEATS]
                payments = [
                    ledger_pb2.LedgerPayment(payer=payer, payee=winner, amount=3, reason="win")
                    for payer in accounts
                    if payer != winner
                ]
                await ledger.Settle(
                    ledger_pb2.SettleRequest(
                        table_id=name, epoch=1, seq=seq, deal_id=f"{name}:1", asset=_ASSET, payments=payments
                    )
                )
            return seq

        count = sum(await asyncio.gather(*(play(*one) for one in seats.items())))
        print(count, time.perf_counter() - began, flush=True)


def main() -> None:
    """Entry of the process that calls."""
    parser = argparse.ArgumentParser(prog="bench.ledger_settle")
    parser.add_argument("--keys", type=Path, required=True)
    parser.add_argument("--address", required=True)
    parser.add_argument("--callers", type=int, default=CALLERS)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--life", type=int, default=1)
    given = parser.parse_args()
    uvloop.run(_load(given.keys, given.address, given.callers, given.seconds, given.life))


if __name__ == "__main__":
    main()
