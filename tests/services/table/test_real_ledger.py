"""A deal paid by the real ledger over gRPC: the books add up, and a dead table process moves nothing twice."""

import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest_asyncio
from cardroom.ledger.v1 import audit_pb2, audit_pb2_grpc, ledger_pb2, ledger_pb2_grpc

from services.ledger.main import build as build_ledger
from services.ledger.settings import LedgerSettings
from services.table.adapters.ledger import GrpcLedger
from services.table.model.events import DealSettled, PaymentsDue, PaymentsMade
from serving.channels import connect
from serving.main import start_server
from serving.runtime import make_runtime
from tests.conftest import Mint
from tests.services.table.logs import stored, table_with_settlements
from tests.services.table.rig import Pods, Seated, eventually, first_option, gathered

OPENING = 10_000


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

    async def balances(self, names: list[str]) -> list[Any]:
        stub = ledger_pb2_grpc.LedgerServiceStub(self.channels["login"])
        response = await stub.GetBalances(ledger_pb2.GetBalancesRequest(account_ids=names, asset="coins"))
        return list(response.balances)

    async def sound(self) -> None:
        stub = audit_pb2_grpc.AuditServiceStub(self.channels["operator"])
        response = await stub.VerifyBooks(audit_pb2.VerifyBooksRequest(asset="coins"))
        assert not response.faults, response


@pytest_asyncio.fixture
async def books(ledger_redis_url: str, keys: Path, mint: Mint) -> AsyncIterator[Books]:
    settings = LedgerSettings(
        grpc_port=0,
        metrics_port=0,
        jwks_file=keys / "jwks.json",
        service_key_file=keys / "service.pem",
        ledger_redis_url=ledger_redis_url,
        log_level="error",
    )
    runtime = make_runtime("ledger", settings)
    server = await start_server("ledger", settings, await build_ledger(runtime), runtime)
    made = Books(server.port, mint)
    yield made
    for channel in made.channels.values():
        await channel.close()
    await server.stop()


def names() -> list[str]:
    return [f"{name}-{uuid.uuid4().hex[:8]}" for name in ("ann", "ben", "cho", "dan")]


async def played(seated: Seated) -> None:
    players = await gathered(seated)
    for player in players:
        player.play(first_option)
    for player in players:
        await player.ready()
    for player in players:
        await player.ended()
        assert player.goodbyes() == ["ENDED"]


async def test_the_ledger_s_lines_and_balances_are_the_log_s(pods: Pods, books: Books, redis_url: str) -> None:
    pods.ledger = books.ledger  # type: ignore[assignment]
    pod = await pods.start()
    seated = await pod.create(table_with_settlements(pod, 3), players=names())
    await books.opened(seated.names)
    await played(seated)
    log = await stored(redis_url, seated.table_id)
    settled = next(event for event in log if isinstance(event, DealSettled))
    rows = await books.balances(seated.names)
    assert [row.balance for row in rows] == list(settled.balances)
    assert sum(settled.balances) == 4 * OPENING
    assert [row.locked_by_table_id for row in rows] == [""] * 4
    due = [event.settlement_seq for event in log if isinstance(event, PaymentsDue)]
    assert [event.settlement_seq for event in log if isinstance(event, PaymentsMade)] == due
    await books.sound()


async def test_a_table_taken_over_in_mid_deal_settles_under_its_new_epoch(
    pods: Pods, books: Books, redis_url: str
) -> None:
    pods.ledger = books.ledger  # type: ignore[assignment]
    pod = await pods.start("table-0")
    seated = await pod.create(table_with_settlements(pod, 3), players=names())
    await books.opened(seated.names)
    players = await gathered(seated)
    for player in players:
        player.play(first_option)
    for player in players:
        await player.ready()
    await eventually(lambda: "payments_made" in players[0].events())
    await pod.crash()
    again = await pods.start("table-0")
    for player in seated.players(again):
        player.play(first_option)
        player.open()
    await eventually(lambda: seated.table_id in pods.seats.released)
    log = await stored(redis_url, seated.table_id)
    settled = next(event for event in log if isinstance(event, DealSettled))
    assert [row.balance for row in await books.balances(seated.names)] == list(settled.balances)
    assert again.sample("cardroom_table_quarantines_total") == 0
    await books.sound()


async def test_an_account_that_is_not_open_ends_the_table(pods: Pods, books: Books) -> None:
    pods.ledger = books.ledger  # type: ignore[assignment]
    pod = await pods.start()
    seated = await pod.create(table_with_settlements(pod, 1), players=names())
    await books.opened(seated.names[:3])
    await played(seated)
    await eventually(lambda: seated.table_id in pods.seats.released)
    assert [row.locked_by_table_id for row in await books.balances(seated.names[:3])] == [""] * 3
