"""A ledger behind a socket, and its stubs in any role."""

from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import grpc.aio
import pytest
from cardroom.ledger.v1 import account_pb2_grpc, admin_pb2_grpc, audit_pb2_grpc, ledger_pb2, ledger_pb2_grpc

from refusals import Refusal
from services.ledger.main import SERVICE, build
from services.ledger.settings import LedgerSettings
from serving.channels import connect
from serving.refusing import refusal_of
from serving.runtime import Clock, Runtime, make_runtime
from serving.server import RunningServer, start_server
from tests.conftest import STORE_PATIENCE_MS, Mint
from tests.services.ledger.rig import new_asset


@dataclass(slots=True)
class Wire:
    """A running ledger with two assets of its own."""

    server: RunningServer
    mint: Mint
    coins: str
    points: str
    runtime: Runtime
    channels: list[grpc.aio.Channel] = field(default_factory=list)

    def metric(self, name: str, **labels: str) -> float | None:
        """What GET /metrics would show."""
        return self.runtime.metrics.registry.get_sample_value(f"cardroom_ledger_{name}", labels)

    def channel(self, role: str | None, subject: str = "table-0") -> grpc.aio.Channel:
        """A channel of a caller in this role; None: without a token."""
        token = None if role is None else self.mint(role, subject)
        channel = connect(f"127.0.0.1:{self.server.port}", token=None if token is None else lambda: token)
        self.channels.append(channel)
        return channel

    def ledger(self, role: str | None = "table") -> "ledger_pb2_grpc.LedgerServiceAsyncStub":
        """LedgerService, as a table unless told otherwise."""
        return ledger_pb2_grpc.LedgerServiceStub(self.channel(role))

    def admin(self, role: str | None = "operator") -> "admin_pb2_grpc.AccountAdminServiceAsyncStub":
        """AccountAdminService, as an operator."""
        return admin_pb2_grpc.AccountAdminServiceStub(self.channel(role, "op-1"))

    def audit(self, role: str | None = "operator") -> "audit_pb2_grpc.AuditServiceAsyncStub":
        """AuditService, as an operator."""
        return audit_pb2_grpc.AuditServiceStub(self.channel(role, "op-1"))

    def account(self, role: str | None = "player", subject: str = "ann") -> "account_pb2_grpc.AccountServiceAsyncStub":
        """AccountService, as a player."""
        return account_pb2_grpc.AccountServiceStub(self.channel(role, subject))

    async def seat(self, *accounts: str, table: str = "t1") -> None:
        """Open accounts (10,000 coins, 1,000 points) and reserve their coins for a table."""
        login = self.ledger("login")
        for account in accounts:
            await login.OpenAccount(ledger_pb2.OpenAccountRequest(account_id=account))
        reserved = await self.ledger().ReserveStake(
            ledger_pb2.ReserveStakeRequest(
                table_id=table, epoch=1, deal_id="d1", asset=self.coins, account_ids=accounts, least_balance=1
            )
        )
        assert reserved.reserved, reserved

    def settlement(self, seq: int = 1, amount: int = 5, *, table: str = "t1") -> ledger_pb2.SettleRequest:
        """Ann pays Bob."""
        payment = ledger_pb2.LedgerPayment(payer="ann", payee="bob", amount=amount, reason="win")
        return ledger_pb2.SettleRequest(
            table_id=table, epoch=1, seq=seq, deal_id="d1", asset=self.coins, payments=[payment]
        )


@asynccontextmanager
async def open_wire(
    redis_url: str, keys: Path, mint: Mint, *, clock: Clock | None = None, **changed: object
) -> AsyncIterator[Wire]:
    """Start a ledger in this process; ``changed`` are settings."""
    coins, points = new_asset(), new_asset()
    given: dict[str, object] = {
        "jwks_file": keys / "jwks.json",
        "service_key_file": keys / "service.pem",
        "ledger_redis_url": redis_url,
        "opening_grants": {points: 1_000, coins: 10_000},
        "log_level": "error",
        "store_timeout_ms": STORE_PATIENCE_MS // 2,
        "default_deadline_ms": STORE_PATIENCE_MS,
        **changed,
    }
    settings = LedgerSettings.model_validate(given)
    runtime = make_runtime(SERVICE, settings, clock=clock)
    server = await start_server(SERVICE, settings, await build(runtime), runtime, port=0)
    wire = Wire(server, mint, coins, points, runtime)
    try:
        yield wire
    finally:
        for channel in wire.channels:
            await channel.close()
        await server.stop()


async def refused(call: Awaitable[object]) -> tuple[grpc.StatusCode, Refusal]:
    """Status code and refusal of a call that must be refused."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    refusal = refusal_of(caught.value)
    assert refusal is not None, caught.value
    return caught.value.code(), refusal
