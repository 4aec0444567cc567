"""Table pods and a ledger as small servers, so that the matchmaker meets real sockets and real refusals."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
from cardroom.ledger.v1 import ledger_pb2
from cardroom.table.v1 import control_pb2, control_pb2_grpc
from redis.asyncio import Redis

from refusals import Reason, Refusal
from serving.registry import PodCard, PodRegistry
from serving.runtime import make_runtime
from serving.server import RunningServer, start_server
from serving.settings import ServiceSettings
from serving.tasks import end_tasks


def server_settings(keys: Path) -> ServiceSettings:
    """Settings of a small server."""
    return ServiceSettings(
        jwks_file=keys / "jwks.json", service_key_file=keys / "service.pem", log_level="error", drain_limit_ms=2_000
    )


class Mood(StrEnum):
    """How a pod answers CreateTable."""

    MAKES = "makes"
    """Makes the table, or says that it exists, where it is, or that no slot is free."""
    HANGS = "hangs"
    """Wedged: takes the call, does nothing, never answers."""
    MAKES_AND_HANGS = "makes_and_hangs"
    """Stores the table, never answers: the outcome is unknown."""


@dataclass
class TableLogs:
    """What all pods share: table id -> (pod, request). As the tables' logs in the store."""

    made: dict[str, tuple[str, control_pb2.CreateTableRequest]] = field(default_factory=dict)

    def players(self) -> list[str]:
        """All players of all tables, one entry a seat."""
        return [seat.player_id for _, request in self.made.values() for seat in request.seats]


class Pod(control_pb2_grpc.TableControlServiceServicer):
    """A table pod that only makes tables."""

    def __init__(self, name: str, logs: TableLogs, *, slots: int, mood: Mood) -> None:
        self.name = name
        self.logs = logs
        self.slots = slots
        self.mood: Mood | Refusal = mood
        self.next_moods: list[Mood | Refusal] = []
        """How the next calls are answered, before `mood` counts; a refusal is what it says."""
        self.asked: list[str] = []
        self.authority = ""

    @property
    def used(self) -> int:
        """Tables of this pod."""
        return sum(1 for pod, _ in self.logs.made.values() if pod == self.name)

    async def CreateTable(
        self, request: control_pb2.CreateTableRequest, context: Any
    ) -> control_pb2.CreateTableResponse:
        self.asked.append(request.table_id)
        mood = self.next_moods.pop(0) if self.next_moods else self.mood
        if isinstance(mood, Refusal):
            raise mood
        if mood is Mood.HANGS:
            await asyncio.Event().wait()
        existed = request.table_id in self.logs.made
        owner, first = self.logs.made.get(request.table_id, (self.name, request))
        if owner != self.name:
            raise Refusal(Reason.NOT_OWNER, metadata={"pod": owner, "authority": "", "epoch": "1"})
        if first != request:
            raise Refusal(Reason.TABLE_CONFLICT)
        if not existed and self.used >= self.slots:
            raise Refusal(Reason.NO_SLOT)
        self.logs.made[request.table_id] = (self.name, request)
        if mood is Mood.MAKES_AND_HANGS:
            await asyncio.Event().wait()
        return control_pb2.CreateTableResponse(
            table_id=request.table_id, pod=self.name, authority=self.authority, epoch=1, existed=existed
        )

    async def ListTables(self, request: control_pb2.ListTablesRequest, context: Any) -> control_pb2.ListTablesResponse:
        own = sorted(table for table, (pod, _) in self.logs.made.items() if pod == self.name)
        return control_pb2.ListTablesResponse(tables=[control_pb2.TableSummary(table_id=table) for table in own])

    def register(self, server: grpc.aio.Server) -> Sequence[str]:
        control_pb2_grpc.add_TableControlServiceServicer_to_server(self, server)
        return ["cardroom.table.v1.TableControlService"]

    async def start(self) -> None:
        """Nothing to connect."""

    async def drain(self) -> None:
        """Nothing to end."""

    async def stop(self) -> None:
        """Nothing to release."""


class RunningPod:
    """A pod that serves and announces itself until it is stopped."""

    def __init__(self, pod: Pod, server: RunningServer, registry: PodRegistry, incarnation: int) -> None:
        self.pod = pod
        self.draining = False
        self._server = server
        self._registry = registry
        self._incarnation = incarnation
        self._announcing: asyncio.Task[None] | None = None

    @classmethod
    async def start(cls, pod: Pod, keys: Path, redis: Redis, lease_ms: int, *, draining: bool) -> "RunningPod":
        """Serves and is in the registry when this returns."""
        settings = server_settings(keys)
        server = await start_server("table", settings, pod, make_runtime("table", settings), port=0)
        pod.authority = f"127.0.0.1:{server.port}"
        registry = PodRegistry(redis, lease_ms=lease_ms)
        running = cls(pod, server, registry, await registry.enter())
        running.draining = draining
        await running.announce()
        running._announcing = asyncio.create_task(running._announce_on())
        return running

    async def announce(self) -> None:
        """Publishes the card as it is now."""
        authority = self.pod.authority
        card = PodCard(
            self.pod.name, authority, authority, "1", self.pod.slots, self.pod.used, self.draining, self._incarnation
        )
        await self._registry.announce(card)

    async def _announce_on(self) -> None:
        while True:
            await asyncio.sleep(self._registry.lease_ms / 4000)
            await self.announce()

    async def stop(self) -> None:
        """Dies: the lease runs out by itself."""
        if self._announcing is not None:
            await end_tasks(self._announcing)
            self._announcing = None
        await self._server.kill()


class Ledger:
    """A ledger that knows balances: 1,000 for everybody who is not named."""

    def __init__(self) -> None:
        self.balances: dict[tuple[str, str], int] = {}
        self.unknown: set[str] = set()
        self.robots: set[str] = set()
        self.robot_opening = 1_000
        self.robot_count_max = 1_000

    async def open_account(
        self, request: ledger_pb2.OpenAccountRequest, context: Any
    ) -> ledger_pb2.OpenAccountResponse:
        """Opens robots' accounts while the fund lasts."""
        if len(self.robots) >= self.robot_count_max:
            raise Refusal(Reason.BUDGET_EXHAUSTED)
        self.robots.add(request.account_id)
        row = ledger_pb2.AccountBalance(account_id=request.account_id, asset="points", balance=self.robot_opening)
        return ledger_pb2.OpenAccountResponse(balances=[row], opened=True)

    async def get_balances(
        self, request: ledger_pb2.GetBalancesRequest, context: Any
    ) -> ledger_pb2.GetBalancesResponse:
        robots = {account for account in request.account_ids if account.startswith("robot:")}
        if self.unknown.intersection(request.account_ids) or robots - self.robots:
            raise Refusal(Reason.ACCOUNT_UNKNOWN)
        if any(" " in account for account in request.account_ids):
            raise Refusal(Reason.INVALID_FIELD, field="account_ids[0]", detail="no account is called so")
        return ledger_pb2.GetBalancesResponse(
            balances=[
                ledger_pb2.AccountBalance(
                    account_id=account,
                    asset=request.asset,
                    balance=self.balances.get((account, request.asset), 1_000),
                )
                for account in request.account_ids
            ]
        )

    def register(self, server: grpc.aio.Server) -> Sequence[str]:
        name = "cardroom.ledger.v1.LedgerService"
        handler = grpc.unary_unary_rpc_method_handler(
            self.get_balances,
            request_deserializer=ledger_pb2.GetBalancesRequest.FromString,
            response_serializer=ledger_pb2.GetBalancesResponse.SerializeToString,
        )
        opening = grpc.unary_unary_rpc_method_handler(
            self.open_account,
            request_deserializer=ledger_pb2.OpenAccountRequest.FromString,
            response_serializer=ledger_pb2.OpenAccountResponse.SerializeToString,
        )
        handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {"GetBalances": handler, "OpenAccount": opening}
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(name, handlers),))
        return [name]

    async def start(self) -> None:
        """Nothing to connect."""

    async def drain(self) -> None:
        """Nothing to end."""

    async def stop(self) -> None:
        """Nothing to release."""
