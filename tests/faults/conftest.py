"""Faults in real processes, on real stores and sockets. `pytest tests/faults --seed N` draws other points."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.faults.machine import ASSET, Machine

SEED = 1

_LEASE_MS = 5_000
"""The lease of production; a module may set its own as LEASE_MS."""

_ROOM = """
[{room_id}]
name = "{room_id}"
variant = "bloody4"
asset = "{asset}"
stake = 1
least_balance = {least_balance}
turn_limit_ms = 120_000
claim_limit_ms = 60_000
claim_timing = "natural"
claim_floor_min_ms = 0
claim_floor_max_ms = 0
ready_limit_ms = 600_000
arrive_limit_ms = 600_000
dealing_ms = 50
deals_max = 1
bots_allowed = {bots_allowed}
bot_wait_ms = 0
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, default=SEED, help="seed of the points at which processes are killed")


@pytest.fixture(scope="session")
def seed(request: pytest.FixtureRequest) -> int:
    """The seed of this run."""
    chosen: int = request.config.getoption("seed", default=SEED)
    return chosen


@pytest.fixture(scope="session")
def rooms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of rooms: "faults" and "empty" for everybody, "bots" for everybody with bots, "rich" for nobody."""
    least_balances = {"faults": 20, "empty": 20, "bots": 20, "rich": 1_000_000}
    rows = [
        _ROOM.format(room_id=room_id, asset=ASSET, least_balance=least, bots_allowed=str(room_id == "bots").lower())
        for room_id, least in least_balances.items()
    ]
    file: Path = tmp_path_factory.mktemp("rooms") / "rooms.toml"
    file.write_text("".join(rows))
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
