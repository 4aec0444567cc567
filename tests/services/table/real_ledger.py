"""The real ledger beside a table's pods."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from cardroom.ledger.v1 import admin_pb2, admin_pb2_grpc, audit_pb2, audit_pb2_grpc, ledger_pb2, ledger_pb2_grpc

from services.ledger.main import build as build_ledger
from services.ledger.settings import LedgerSettings
from services.table.adapters.ledger import GrpcLedger
from serving.channels import connect
from serving.main import start_server
from serving.runtime import make_runtime
from tests.conftest import STORE_PATIENCE_MS, Mint
from tests.services.table.rig import new_request_id

OPENING = 10_000
"""Coins of a new account."""
OPENING_POINTS = 1_000


class Books:
    """The real ledger in this process, as a table and as an operator see it."""

    def __init__(self, port: int, mint: Mint) -> None:
        address = f"127.0.0.1:{port}"
        self.channels = {
            role: connect(address, token=lambda role=role: mint(role, "tests"))  # type: ignore[misc]
            for role in ("table", "login", "operator")
        }
        self.ledger = GrpcLedger(self.channels["table"])

    async def opened(self, names: list[str]) -> None:
        stub = ledger_pb2_grpc.LedgerServiceStub(self.channels["login"])
        for name in names:
            await stub.OpenAccount(ledger_pb2.OpenAccountRequest(account_id=name))

    async def grant(self, name: str, amount: int, asset: str = "coins") -> None:
        stub = admin_pb2_grpc.AccountAdminServiceStub(self.channels["operator"])
        await stub.Grant(
            admin_pb2.GrantRequest(
                request_id=new_request_id(), account_id=name, asset=asset, amount=amount, reason="a test"
            )
        )

    async def balances(self, names: list[str], asset: str = "coins") -> list[Any]:
        stub = ledger_pb2_grpc.LedgerServiceStub(self.channels["login"])
        response = await stub.GetBalances(ledger_pb2.GetBalancesRequest(account_ids=names, asset=asset))
        return list(response.balances)

    async def sound(self, *assets: str) -> None:
        stub = audit_pb2_grpc.AuditServiceStub(self.channels["operator"])
        for asset in assets or ("coins",):
            response = await stub.VerifyBooks(audit_pb2.VerifyBooksRequest(asset=asset))
            assert not response.faults, response


@asynccontextmanager
async def books_on(ledger_redis_url: str, keys: Path, mint: Mint) -> AsyncIterator[Books]:
    """The ledger on a socket."""
    settings = LedgerSettings(
        grpc_port=0,
        metrics_port=0,
        jwks_file=keys / "jwks.json",
        service_key_file=keys / "service.pem",
        ledger_redis_url=ledger_redis_url,
        store_timeout_ms=STORE_PATIENCE_MS // 2,
        default_deadline_ms=STORE_PATIENCE_MS,
        log_level="error",
    )
    runtime = make_runtime("ledger", settings)
    server = await start_server("ledger", settings, await build_ledger(runtime), runtime)
    made = Books(server.port, mint)
    yield made
    for channel in made.channels.values():
        await channel.close()
    await server.stop()
