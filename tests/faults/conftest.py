"""Faults in real processes, on real stores and sockets. `pytest tests/faults --seed N` draws other points."""

import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
import pytest_asyncio

from tests.faults import house_rooms
from tests.faults.machine import ASSET, Machine, PodProcess
from tests.faults.ordeal import SEEDED

SEED = 1

Rooms = Mapping[str, Mapping[str, object]]

_LEASE_MS = 5_000
"""The lease of production; a module may set its own as LEASE_MS."""

_ROOM = {
    "variant": "bloody4",
    "asset": ASSET,
    "stake": 1,
    "least_balance": 20,
    "turn_limit_ms": 120_000,
    "claim_limit_ms": 60_000,
    "claim_timing": "natural",
    "claim_floor_min_ms": 0,
    "claim_floor_max_ms": 0,
    "ready_limit_ms": 600_000,
    "arrive_limit_ms": 600_000,
    "dealing_ms": 50,
    "deals_max": 1,
    "bots_allowed": False,
    "bot_wait_ms": 0,
}

_ROOMS: Rooms = {"faults": {}, "empty": {}, "bots": {"bots_allowed": True}, "rich": {"least_balance": 1_000_000}}
"""By id, what is other than above: "faults", "empty" for all, "bots" for all and with bots, "rich" for nobody."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, default=SEED, help="seed of the points at which processes are killed")


@pytest.fixture(scope="session")
def seed(request: pytest.FixtureRequest) -> int:
    """The seed of this run."""
    chosen: int = request.config.getoption("seed", default=SEED)
    return chosen


@pytest.fixture(scope="session")
def rooms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of rooms."""
    file: Path = tmp_path_factory.mktemp("rooms") / "rooms.toml"
    file.write_text(_toml(_ROOMS))
    return file


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def machine(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest, rooms: Path
) -> AsyncIterator[Machine]:
    """Stores, ledger and matchmaker for a module's tests."""
    directory = tmp_path_factory.mktemp(request.module.__name__.rpartition(".")[2])
    lease_ms = getattr(request.module, "LEASE_MS", _LEASE_MS)
    environment = {"matchmaker": {"CARDROOM_ROOMS_FILE": str(rooms), "CARDROOM_POD_LEASE_MS": str(lease_ms)}}
    async with Machine(directory, pod_lease_ms=lease_ms, environment=environment) as machine:
        yield machine


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Machine]:
    """A machine for all modules that break nothing; it has the rooms of the house, too."""
    directory = tmp_path_factory.mktemp("house")
    file = directory / "rooms.toml"
    file.write_text(_toml({**_ROOMS, **house_rooms.ROOMS}))
    environment = {"matchmaker": {"CARDROOM_ROOMS_FILE": str(file), "CARDROOM_POD_LEASE_MS": str(_LEASE_MS)}}
    async with Machine(directory / "state", pod_lease_ms=_LEASE_MS, environment=environment) as machine:
        yield machine


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def house_pod(house: Machine, seed: int) -> AsyncIterator[PodProcess]:
    """Its pod; the walls hang on seed and deal, all else is as in production."""
    pod = house.pod("table-0")
    await pod.up(SEEDED, str(seed))
    yield pod
    await pod.kill()


def _toml(rooms: Rooms) -> str:
    """A file of rooms; numbers, words and truths are written in TOML as in JSON."""
    tables = []
    for room_id, changes in rooms.items():
        row = {"name": room_id, **_ROOM, **changes}
        tables.append(
            "\n".join([f"[{room_id}]", *(f"{name} = {json.dumps(value)}" for name, value in row.items()), ""])
        )
    return "\n".join(tables)
