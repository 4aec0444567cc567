"""A machine to break things on: two stores, ledger and matchmaker as processes, any number of table pods."""

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

import grpc.aio
from cardroom.ledger.v1 import audit_pb2, audit_pb2_grpc, ledger_pb2, ledger_pb2_grpc
from cardroom.table.v1 import control_pb2, control_pb2_grpc, event_pb2, room_pb2
from redis.asyncio import Redis

from cardroom_client import Seat
from deploy.local.ports import HOST, claim_ports
from deploy.local.process import ROOT, ServiceProcess
from deploy.local.redis_server import RedisServer
from deploy.local.state import StateDirectory
from serving.channels import connect
from serving.tokens import Minter, ServiceTokens, create_keys
from tests.channels import bare_channel

ASSET = "points"
START_LIMIT_SECONDS = 60.0
CLOCK_MS = 3_600_000
TOKEN_SECONDS = 3_600

ORDINARY = "services.table.main"
"""The table service as it runs in production."""


class PodProcess(ServiceProcess):
    """A process of a table pod: the ordinary service, or one that a test has prepared."""

    def __init__(
        self, pod: str, address: str, environment: Mapping[str, str], state: StateDirectory, *, label: str
    ) -> None:
        """`label`: tells its log from that of another process of the same pod."""
        super().__init__(label, address, environment, state)
        self.pod = pod

    async def start(self, *module: str) -> None:
        """Start a module, its arguments after its name; the ordinary service where none is named."""
        assert not self.pid, f"{self.name} runs already"
        with self._state.log(self.name).open("ab") as log, self._errors.open("ab") as errors:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                *(module or (ORDINARY,)),
                cwd=ROOT,
                env=self._environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=errors,
                start_new_session=True,
            )
        self._state.record(self.name, self._process.pid)

    async def up(self, *module: str) -> None:
        """As `start`, and wait until it is healthy."""
        await self.start(*module)
        await self.healthy(START_LIMIT_SECONDS)

    def said(self, event: str) -> list[dict[str, Any]]:
        """What it has logged under this name since its first start."""
        lines = self._state.log(self.name).read_text(errors="replace").splitlines()
        rows = [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]
        return [row for row in rows if row.get("event") == event]


class Machine:
    """Starts everything but the table pods; those are the tests' affair."""

    def __init__(
        self, directory: Path, *, pod_lease_ms: int, environment: Mapping[str, Mapping[str, str]] | None = None
    ) -> None:
        """`environment`: further settings by service."""
        self.pod_lease_ms = pod_lease_ms
        self._state = StateDirectory(directory)
        self._more = environment or {}
        self._holding = ExitStack()
        self._services: list[ServiceProcess] = []
        self._pods: list[PodProcess] = []
        self._channels: dict[str, grpc.aio.Channel] = {}
        self._addresses: dict[str, str] = {}

    async def __aenter__(self) -> Self:
        self._holding.enter_context(self._state.held())
        try:
            await self._start()
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stop()

    async def _start(self) -> None:
        create_keys(self._state.keys)
        self.tables_store, self.ledger_store = await asyncio.gather(
            asyncio.to_thread(RedisServer.start, self._state.data("tables"), fsync="everysec"),
            asyncio.to_thread(RedisServer.start, self._state.data("ledger"), fsync="always"),
        )
        self.tables = Redis.from_url(self.tables_store.url)
        self.books = Redis.from_url(self.ledger_store.url)
        names = ("matchmaker", "ledger")
        self._addresses = {name: f"{HOST}:{port}" for name, port in claim_ports(dict.fromkeys(names, 0)).items()}
        self._services = [
            ServiceProcess(name, self.address(name), self._environment(name, self.address(name)), self._state)
            for name in names
        ]
        await asyncio.gather(*(service.start() for service in self._services))
        await asyncio.gather(*(service.healthy(START_LIMIT_SECONDS) for service in self._services))

    async def _stop(self) -> None:
        for process in (*self._pods, *self._services):
            await process.kill()
        for channel in self._channels.values():
            await channel.close()
        for name in ("tables", "books"):
            redis: Redis | None = getattr(self, name, None)
            if redis is not None:
                await redis.aclose()
        for name in ("tables_store", "ledger_store"):
            server: RedisServer | None = getattr(self, name, None)
            if server is not None:
                await asyncio.to_thread(server.kill)
        self._holding.close()

    # --- processes ----------------------------------------------------------------------

    async def scoring(self) -> str:
        """Start a scoring service; returns its address."""
        address = f"{HOST}:{claim_ports({'scoring': 0})['scoring']}"
        service = ServiceProcess("scoring", address, self._environment("scoring", address), self._state)
        self._services.append(service)
        await service.start()
        await service.healthy(START_LIMIT_SECONDS)
        return address

    def service(self, name: str) -> ServiceProcess:
        """The process of the ledger or the matchmaker."""
        return next(service for service in self._services if service.name == name)

    @property
    def keys(self) -> Path:
        """Where the private keys are."""
        return self._state.keys

    def logged(self) -> Mapping[str, str]:
        """All that each process has written, on its standard output and its standard error."""
        folder = self._state.log("any").parent
        return {path.name: path.read_text(errors="replace") for path in sorted(folder.iterdir())}

    def pod(self, name: str, *, label: str = "", lease_ms: int | None = None, **more: str) -> PodProcess:
        """A pod that is not started yet; it keeps its address over restarts.

        Args:
            label: for a second process under a name that another one has.
            lease_ms: another lease than the machine's.
            more: further settings, by the names of their variables.
        """
        label = label or name
        address = f"{HOST}:{claim_ports({label: 0})[label]}"
        own = {
            "CARDROOM_POD": name,
            "CARDROOM_ADVERTISE_AUTHORITY": address,
            "CARDROOM_POD_LEASE_MS": str(lease_ms or self.pod_lease_ms),
            "CARDROOM_SCORING_ADDRESS": "",
            "CARDROOM_BOT_DELAY_MIN_MS": "0",
            "CARDROOM_BOT_DELAY_MAX_MS": "0",
            **more,
        }
        environment = {**self._environment("table", address), **own}
        process = PodProcess(name, address, environment, self._state, label=label)
        self._pods.append(process)
        return process

    def address(self, service: str) -> str:
        """host:port of the ledger or the matchmaker."""
        return self._addresses[service]

    def _environment(self, service: str, address: str) -> dict[str, str]:
        keys = self._state.keys
        return {
            "CARDROOM_GRPC_HOST": HOST,
            "CARDROOM_GRPC_PORT": address.rpartition(":")[2],
            "CARDROOM_METRICS_PORT": "0",
            "CARDROOM_JWKS_FILE": str(keys / "jwks.json"),
            "CARDROOM_SERVICE_KEY_FILE": str(keys / "service.pem"),
            "CARDROOM_SEAT_KEY_FILE": str(keys / "seat.pem"),
            "CARDROOM_REDIS_URL": self.tables_store.url,
            "CARDROOM_LEDGER_REDIS_URL": self.ledger_store.url,
            "CARDROOM_LEDGER_ADDRESS": self.address("ledger"),
            "CARDROOM_MATCHMAKER_ADDRESS": self.address("matchmaker"),
            "CARDROOM_PRESENCE_LIMIT_MS": str(CLOCK_MS),
            **self._more.get(service, {}),
        }

    # --- credentials --------------------------------------------------------------------

    def token(self, key: str, role: str, subject: str, seconds: int = TOKEN_SECONDS, **claims: object) -> str:
        """A token signed by a key: "player", "seat" or "service"."""
        return Minter(self._state.keys / f"{key}.pem").mint(role, subject, seconds, **claims)

    def channel(self, address: str, role: str) -> grpc.aio.Channel:
        """A channel of a service role, which waits for a service that is started again; closed with the machine."""
        name = f"{role}@{address}"
        if name not in self._channels:
            tokens = ServiceTokens(self._state.keys / "service.pem", role, "faults")
            self._channels[name] = connect(address, token=tokens, patient=True)
        return self._channels[name]

    def plain(self, address: str) -> grpc.aio.Channel:
        """A channel that adds nothing to a call; closed with the machine."""
        if address not in self._channels:
            self._channels[address] = bare_channel(address)
        return self._channels[address]

    def seat(self, pod: PodProcess, table_id: str, seat: int, player_id: str) -> Seat:
        """A seat as the matchmaker would give it."""
        token = self.token("seat", "seat", player_id, table_id=table_id, seat=seat)
        expiry = datetime.now(UTC) + timedelta(seconds=TOKEN_SECONDS)
        return Seat(table_id, seat, "faults", pod.address, pod.pod, token, expiry)

    # --- what is asked of the services ----------------------------------------------------

    async def open_accounts(self, player_ids: Sequence[str]) -> None:
        """Accounts with their opening grants."""
        ledger = ledger_pb2_grpc.LedgerServiceStub(self.channel(self.address("ledger"), "login"))
        for player_id in player_ids:
            await ledger.OpenAccount(ledger_pb2.OpenAccountRequest(account_id=player_id))

    async def accounts(self, player_ids: Sequence[str], asset: str = ASSET) -> Sequence[ledger_pb2.AccountBalance]:
        """What the players have, and which table holds it."""
        ledger = ledger_pb2_grpc.LedgerServiceStub(self.channel(self.address("ledger"), "login"))
        request = ledger_pb2.GetBalancesRequest(account_ids=player_ids, asset=asset)
        return tuple((await ledger.GetBalances(request)).balances)

    async def verified(self, asset: str = ASSET) -> audit_pb2.VerifyBooksResponse:
        """The books, folded and compared."""
        audit = audit_pb2_grpc.AuditServiceStub(self.channel(self.address("ledger"), "operator"))
        return await audit.VerifyBooks(audit_pb2.VerifyBooksRequest(asset=asset), timeout=30)

    async def create_table(self, pod: PodProcess, table_id: str, players: Sequence[str], **changes: Any) -> None:
        """A table as the matchmaker makes it, under an id of the test's own."""
        control = control_pb2_grpc.TableControlServiceStub(self.channel(pod.address, "matchmaker"))
        request = control_pb2.CreateTableRequest(
            table_id=table_id,
            match_id=table_id,
            room=room(**changes),
            seats=[event_pb2.SeatTaken(seat=seat, player_id=player) for seat, player in enumerate(players)],
        )
        await control.CreateTable(request)

    async def owner(self, table_id: str) -> tuple[int, str]:
        """Epoch and pod of a table, as the store has them."""
        epoch, pod = await self.tables.hmget(f"{{{table_id}}}:meta", ["epoch", "pod"])
        assert isinstance(epoch, bytes) and isinstance(pod, bytes), table_id
        return int(epoch), pod.decode()

    async def forget_tables(self) -> None:
        """Empty the store of tables; no pod may run."""
        await self.tables.flushall()


def room(**changes: Any) -> room_pb2.Room:
    """A room of one deal whose clocks are longer than any test waits: if one has to run out, the test fails."""
    fields: dict[str, Any] = {
        "room_id": "faults",
        "name": "faults",
        "variant": "bloody4",
        "asset": ASSET,
        "stake": 1,
        "least_balance": 20,
        "turn_limit_ms": CLOCK_MS,
        "claim_limit_ms": CLOCK_MS,
        "claim_timing": room_pb2.CLAIM_TIMING_NATURAL,
        "ready_limit_ms": CLOCK_MS,
        "arrive_limit_ms": CLOCK_MS,
        "dealing_ms": 50,
        "deals_max": 1,
        "etag": "1",
    }
    return room_pb2.Room(**{**fields, **changes})
