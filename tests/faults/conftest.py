"""Faults in real processes, on real stores and sockets. `pytest tests/faults --seed N` draws other points."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.faults.machine import Machine

SEED = 1


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, default=SEED, help="seed of the points at which processes are killed")


@pytest.fixture(scope="session")
def seed(request: pytest.FixtureRequest) -> int:
    """The seed of this run."""
    chosen: int = request.config.getoption("seed", default=SEED)
    return chosen


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def machine(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> AsyncIterator[Machine]:
    """Stores, ledger and matchmaker for a module's tests; pods with the lease of production."""
    async with Machine(tmp_path_factory.mktemp(request.module.__name__.rpartition(".")[2]), pod_lease_ms=5_000) as it:
        yield it
