"""A table pod as a process of its own, on a store of its own, with stand-ins for the books and the seats.

The pod is the one that is shipped: same component, same gate, real log lines, metrics served. Only ledger and
matchmaker are stand-ins inside its process, which answer at once: what is measured is the table. Use:

    async with TablePod() as pod:
        before = cpu_seconds(pod.pid)
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import uvloop
from prometheus_client import start_http_server

from deploy.local.redis_server import RedisServer
from games.kernel import Payment
from services.table.component import build
from services.table.ports import Account, Books, Reserved, Settled, StakeRefused
from services.table.settings import TableSettings
from serving.main import start_server
from serving.runtime import make_runtime
from serving.tokens import create_keys

SLOT_COUNT = 4_096
_READY_LIMIT_SECONDS = 20.0
_BALANCE = 1_000_000_000
_LOG = "pod.log"


class RichLedger:
    """`Ledger` of players who can pay anything; it answers at once."""

    def __init__(self) -> None:
        self._balances: dict[str, int] = {}

    async def claim(self, account: Account, known_seq: int) -> Books:
        """See `Ledger`."""
        return Books(0)

    async def reserve(self, account: Account, deal_id: str, least_balance: int) -> Reserved | StakeRefused:
        """See `Ledger`."""
        return Reserved(tuple(self._balances.get(player, _BALANCE) for player in account.players))

    async def settle(self, account: Account, deal_id: str, seq: int, payments: Sequence[Payment]) -> Settled:
        """See `Ledger`."""
        balances = {player: self._balances.get(player, _BALANCE) for player in account.players}
        for payment in payments:
            balances[account.players[payment.payer]] -= payment.amount
            if payment.payee is not None:
                balances[account.players[payment.payee]] += payment.amount
        self._balances |= balances
        return Settled(tuple(payment.amount for payment in payments), balances)

    async def penalize(self, account: Account, deal_id: str, seq: int, payment: Payment) -> Settled:
        """See `Ledger`."""
        return await self.settle(account, deal_id, seq, (payment,))

    async def release(self, account: Account, deal_id: str) -> None:
        """See `Ledger`."""


class OpenSeats:
    """`Seats` nobody else wants."""

    async def release(self, table_id: str, epoch: int, players: Sequence[str], *, requeue: bool) -> None:
        """See `Seats`."""


class TablePod:
    """A pod and its store on loopback, for the length of an `async with`.

    Attributes:
        keys: directory of the keys that its tokens are signed with.
        address: host:port of the pod.
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._store: RedisServer | None = None
        self._process: asyncio.subprocess.Process | None = None
        self.keys = Path(self._folder.name)
        self.address = ""

    @property
    def pid(self) -> int:
        """Process id of the pod."""
        assert self._process is not None
        return self._process.pid

    @property
    def store_pid(self) -> int:
        """Process id of the store."""
        assert self._store is not None
        return self._store.process.pid

    async def __aenter__(self) -> Self:
        try:
            await self._start()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()
        if self._store is not None:
            await asyncio.to_thread(self._store.kill)
        self._folder.cleanup()

    def log_lines(self) -> list[bytes]:
        """The pod's log so far: one JSON object a line."""
        return (self.keys / _LOG).read_bytes().splitlines()

    async def stop(self) -> None:
        """Let the pod drain and end; its store stays."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            await self._process.wait()

    async def _start(self) -> None:
        create_keys(self.keys)
        self._store = await asyncio.to_thread(RedisServer.start, self.keys / "store", 0, "everysec")
        command = [sys.executable, "-m", "bench.table_pod", "--keys", str(self.keys), "--store", self._store.url]
        errors = self.keys / "pod.err"
        with errors.open("wb") as file:
            self._process = await asyncio.create_subprocess_exec(
                *command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file
            )
        assert self._process.stdout is not None
        async with asyncio.timeout(_READY_LIMIT_SECONDS):
            self.address = (await self._process.stdout.readline()).decode().strip()
        assert self.address, f"the pod did not start: {errors.read_text()[:2_000]}"


async def _serve(keys: Path, store: str) -> None:
    """Serves until standard input closes; says host:port in one line. The log goes where a service's goes."""
    settings = TableSettings(
        grpc_port=0,
        metrics_port=0,
        jwks_file=keys / "jwks.json",
        service_key_file=keys / "service.pem",
        redis_url=store,
        slot_count=SLOT_COUNT,
    )
    answers = os.dup(1)
    with (keys / _LOG).open("ab") as log:
        os.dup2(log.fileno(), 1)
    runtime = make_runtime("table", settings)
    start_http_server(0, settings.grpc_host, runtime.metrics.registry)
    component = await build(runtime, ledger=RichLedger(), seats=OpenSeats())
    server = await start_server("table", settings, component, runtime)
    os.write(answers, f"127.0.0.1:{server.port}\n".encode())
    os.close(answers)
    await asyncio.to_thread(sys.stdin.read)
    await server.stop()


def main() -> None:
    """Entry of the process."""
    parser = argparse.ArgumentParser(prog="bench.table_pod")
    parser.add_argument("--keys", type=Path, required=True)
    parser.add_argument("--store", required=True)
    given = parser.parse_args()
    uvloop.run(_serve(given.keys, given.store))


if __name__ == "__main__":
    main()
