"""How a service starts, reports and stops, with real processes and signals."""

import asyncio
import os
import signal
import socket
import sys
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc.aio
import orjson
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from deploy.local.ports import free_port
from deploy.local.settings import LocalSettings
from services.ledger.settings import LedgerSettings
from services.matchmaker.settings import MatchmakerSettings
from services.scoring.settings import ScoringSettings
from services.table.settings import TableSettings
from serving.channels import connect
from serving.main import SAME_KEYPRESS_S, serve
from serving.server import ALIVE
from serving.settings import misspelt
from tests.conftest import Mint
from tests.edge.scripted import SERVICES, Context, Scripted, list_rooms, running
from tests.edge.service_process import Settings, build

_ROOT = Path(__file__).resolve().parents[2]
_LIMIT_S = 60.0
_SERVING, _NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING


@dataclass
class _Service:
    """A process that serves; ``port`` once it said so."""

    process: asyncio.subprocess.Process
    port: int = 0

    async def until(self, event: str) -> dict[str, Any]:
        """Its next log line of this kind."""
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            row: dict[str, Any] = orjson.loads(line)
            if row["event"] == event:
                return row
        raise AssertionError(f"ended without {event}: {await self.complaint()}")

    async def complaint(self) -> str:
        """What it wrote on standard error, whole."""
        assert self.process.stderr is not None
        return (await self.process.stderr.read()).decode()

    async def end(self) -> int:
        """Its exit status."""
        return await asyncio.wait_for(self.process.wait(), _LIMIT_S)


@asynccontextmanager
async def _started(keys: Path, **settings: object) -> AsyncIterator[_Service]:
    given = {"jwks_file": keys / "jwks.json", **settings}
    environment = {f"CARDROOM_{name.upper()}": str(value) for name, value in given.items()}
    path = os.pathsep.join([str(_ROOT), *(entry for entry in sys.path if entry)])
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.edge.service_process",
        env={**os.environ, "PYTHONPATH": path, **environment},
        cwd=_ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield _Service(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@pytest.fixture
def busy_port() -> Iterator[int]:
    """A port where somebody else listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


@asynccontextmanager
async def _serving(keys: Path, **settings: object) -> AsyncIterator[_Service]:
    async with _started(keys, **settings) as service:
        service.port = (await asyncio.wait_for(service.until("serving"), _LIMIT_S))["port"]
        yield service


async def _health(channel: grpc.aio.Channel, service: str) -> Any:
    stub: Any = health_pb2_grpc.HealthStub(channel)
    return (await stub.Check(health_pb2.HealthCheckRequest(service=service))).status


async def test_a_signal_lets_the_call_that_runs_end_and_stops_with_0(keys: Path, mint: Mint) -> None:
    metrics_port = free_port()
    async with (
        _serving(keys, answer_ms=300, metrics_port=metrics_port) as service,
        connect(f"127.0.0.1:{service.port}") as channel,
    ):
        stub: Any = health_pb2_grpc.HealthStub(channel)
        watching = stub.Watch(health_pb2.HealthCheckRequest())  # a watcher of health must not hold it up
        assert (await watching.read()).status == _SERVING
        await list_rooms(channel, mint("player", "anna"))
        metrics = await asyncio.to_thread(_fetch, f"http://127.0.0.1:{metrics_port}/metrics")
        label = '{code="OK",method="ListRooms",service="cardroom.matchmaker.v1.RoomService"}'
        assert f"cardroom_rpc_handled_total{label} 1.0" in metrics
        assert "process_resident_memory_bytes" in metrics
        await service.until("answering")
        call = asyncio.create_task(list_rooms(channel, mint("player", "anna")))
        await service.until("answering")
        service.process.terminate()
        assert (await watching.read()).status == _NOT_SERVING
        await call
        assert (await service.until("stopped"))["orderly"] is True
        assert await service.end() == 0
        assert await service.complaint() == ""


def _fetch(url: str) -> str:
    with urllib.request.urlopen(url, timeout=_LIMIT_S) as answer:
        text: bytes = answer.read()
    return text.decode()


async def test_a_second_signal_stops_hard_and_an_echo_of_the_first_does_not(keys: Path) -> None:
    async with _serving(keys, drain_ms=60_000) as service:
        service.process.send_signal(signal.SIGINT)
        service.process.send_signal(signal.SIGTERM)  # the same Ctrl-C, passed on by a parent
        await service.until("draining")
        await asyncio.sleep(2 * SAME_KEYPRESS_S)
        assert service.process.returncode is None
        service.process.send_signal(signal.SIGTERM)
        assert (await service.until("stopped"))["orderly"] is False
        assert await service.end() == 1


async def test_a_signal_while_it_starts_ends_it_with_0(keys: Path) -> None:
    """A start may wait for its store for minutes, longer than any grace."""
    async with _started(keys, start_ms=600_000) as service:
        await service.until("starting")
        service.process.terminate()
        assert (await service.until("stopped"))["orderly"] is True
        assert await service.end() == 0
        assert await service.complaint() == ""


async def test_a_thread_that_waits_for_a_volume_holds_no_end_up(keys: Path) -> None:
    async with _serving(keys, stuck=True) as service:
        service.process.terminate()
        await service.until("stopped")
        assert await service.end() == 1


@pytest.mark.parametrize("name", ["matchmaker", "table", "scoring", "ledger"])
async def test_a_signal_during_the_imports_ends_a_service_with_0(name: str, tmp_path: Path) -> None:
    """A container's first process would not hear it: a signal without a handler is not given to such a process."""
    # Short naps: a signal just before one falls asleep is heeded when it wakes.
    (tmp_path / "pydantic.py").write_text("import time\nprint('importing', flush=True)\nwhile True: time.sleep(0.1)\n")
    path = os.pathsep.join([str(tmp_path), str(_ROOT), *(entry for entry in sys.path if entry)])
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", f"services.{name}.main"),
        env={**os.environ, "PYTHONPATH": path},
        cwd=_ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"importing\n"
        process.terminate()
        assert await asyncio.wait_for(process.wait(), _LIMIT_S) == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_a_setting_whose_name_is_misspelt_is_told_with_the_name_meant(keys: Path) -> None:
    async with _started(keys, drain_limit_mss=5, ledger_address="elsewhere:1") as service:
        told = await asyncio.wait_for(service.until("setting_unknown"), _LIMIT_S)
        assert (told["given"], told["meant"]) == ("CARDROOM_DRAIN_LIMIT_MSS", "CARDROOM_DRAIN_LIMIT_MS")
        await asyncio.wait_for(service.until("serving"), _LIMIT_S)  # it is told, not refused


def test_settings_are_not_taken_for_slips_of_each_other() -> None:
    """Services on one machine share an environment: what is another's is told to nobody."""
    classes = (MatchmakerSettings, TableSettings, ScoringSettings, LedgerSettings, LocalSettings)
    all_names = {f"CARDROOM_{name.upper()}": "" for known in classes for name in known.model_fields}
    for known in classes:
        for name in all_names:
            assert misspelt(known, {name: ""}) == {}


async def test_a_busy_port_ends_the_process_with_2_and_one_line(keys: Path, busy_port: int) -> None:
    async with _started(keys, grpc_port=busy_port) as service:
        complaint = await service.complaint()
        assert await service.end() == 2
    assert complaint.startswith(f"cardroom scripted: port {busy_port} on 127.0.0.1 is taken")
    assert complaint.count("\n") == 1


_FAILING_STARTS: dict[str, tuple[dict[str, str], list[str]]] = {
    "metrics port taken": ({"metrics_port": "{busy}"}, ["port {busy}", "is taken", "CARDROOM_METRICS_PORT"]),
    "no keys": ({"jwks_file": "{tmp}/no.json"}, ["{tmp}/no.json", "make run", "CARDROOM_JWKS_FILE"]),
    "no key file": ({"jwks_file": "{tmp}/empty.json"}, ["{tmp}/empty.json", "no JWKS file"]),
    "no store": ({"redis_url": "redis://127.0.0.1:1"}, ["redis://127.0.0.1:1", "does not answer"]),
    "store not durable": ({"redis_url": "{redis}"}, ["appendfsync everysec", "CONFIG SET appendfsync always"]),
    "port not a number": ({"grpc_port": "seven"}, ["CARDROOM_GRPC_PORT", "integer"]),
    "two at once": (
        {"drain_limit_ms": "0", "log_level": "loud"},
        ["CARDROOM_DRAIN_LIMIT_MS", "CARDROOM_LOG_LEVEL"],
    ),
}


@pytest.mark.parametrize("case", _FAILING_STARTS)
def test_a_start_that_fails_is_one_line_that_says_what_to_do(
    case: str,
    keys: Path,
    redis_url: str,
    tmp_path: Path,
    busy_port: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    facts = {"busy": busy_port, "tmp": tmp_path, "redis": redis_url}
    (tmp_path / "empty.json").write_text("{}")
    settings, words = _FAILING_STARTS[case]
    monkeypatch.setenv("CARDROOM_JWKS_FILE", str(keys / "jwks.json"))
    for name, value in settings.items():
        monkeypatch.setenv(f"CARDROOM_{name.upper()}", value.format(**facts))
    assert serve("scripted", Settings, build) == 2
    complaint = capsys.readouterr().err
    assert complaint.startswith("cardroom scripted: ")
    assert complaint.count("\n") == 1
    for word in words:
        assert word.format(**facts) in complaint


@pytest.mark.fast
@pytest.mark.parametrize("stay_serving", [False, True])
async def test_health_while_draining_is_what_the_component_wants(keys: Path, mint: Mint, stay_serving: bool) -> None:
    async def drain() -> None:
        draining.set()
        await drained.wait()

    draining, drained = asyncio.Event(), asyncio.Event()
    component = Scripted(on_drain=drain, serving_while_draining=stay_serving)
    async with running(keys, component) as house, connect(house.address) as channel:
        assert [await _health(channel, name) for name in ("", *SERVICES)] == [_SERVING] * 4
        stopping = asyncio.create_task(house.server.stop())
        await draining.wait()
        assert await _health(channel, SERVICES[0]) == (_SERVING if stay_serving else _NOT_SERVING)
        await list_rooms(channel, mint("player", "anna"))  # still answered: the component says what to refuse
        drained.set()
        assert await stopping


@pytest.mark.fast
async def test_a_component_turns_its_health_while_it_serves(keys: Path, mint: Mint) -> None:
    async with running(keys) as house, connect(house.address) as channel:
        for serving in (False, True):
            await house.runtime.set_serving(serving)
            wanted = _SERVING if serving else _NOT_SERVING
            assert [await _health(channel, name) for name in ("", *SERVICES)] == [wanted] * 4
            assert await _health(channel, ALIVE) == _SERVING  # a store that is away restarts nobody
            await list_rooms(channel, mint("player", "anna"))  # calls still arrive


@pytest.mark.fast
async def test_a_drain_over_its_limit_is_cut_off_and_the_calls_with_it(keys: Path, mint: Mint) -> None:
    async def answer(_: Context) -> Any:
        reached.set()
        await asyncio.Event().wait()

    reached = asyncio.Event()
    component = Scripted(answer)
    async with running(keys, component, drain_limit_ms=100) as house, connect(house.address) as channel:
        call = asyncio.create_task(list_rooms(channel, mint("player", "anna")))
        await reached.wait()
        assert await house.server.stop() is False
        with pytest.raises(grpc.aio.AioRpcError):
            await call
        assert [line["in_flight"] for line in house.lines("drain_limit")] == [1]
    assert component.steps == ["start", "drain", "stop"]


@pytest.mark.fast
async def test_the_component_is_started_drained_and_stopped_once_in_this_order(keys: Path) -> None:
    component = Scripted()
    async with running(keys, component) as house:
        assert component.steps == ["start"]
        assert list(await asyncio.gather(house.server.stop(), house.server.stop())) == [True, True]
        await house.server.kill()
    assert component.steps == ["start", "drain", "stop"]


@pytest.mark.fast
async def test_a_component_that_does_not_start_is_stopped(keys: Path) -> None:
    class Broken(Scripted):
        async def start(self) -> None:
            await super().start()
            raise OSError("no")

    component = Broken()
    with pytest.raises(OSError, match="no"):
        async with running(keys, component):
            pass
    assert component.steps == ["start", "stop"]
