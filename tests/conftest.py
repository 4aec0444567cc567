"""Real stores and keys for all tests; fakes only for clock and chance."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from deploy.local.redis_server import RedisServer
from serving.roles import PURPOSE_OF_ROLE
from serving.tokens import Minter, create_keys
from tests.fakes.clock import FakeClock

# The same examples at every run, however slow the machine: a red run is the tree's fault. `make sim` looks further.
settings.register_profile(
    "cardroom", derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)
settings.load_profile("cardroom")

LONG_FIRST = ("tests/e2e/", "tests/sim/", "tests/faults/")
"""Rooms whose files take longest: begun first, they do not run on alone when everything else is done."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long rooms before the others; within a room as they stand."""
    items.sort(key=lambda item: next((at for at, room in enumerate(LONG_FIRST) if item.nodeid.startswith(room)), 9))


STORE_PATIENCE_MS = 30_000
"""How long tests wait for a store that is well, where they prove nothing about its silence: the machine may be busy."""

Mint = Callable[..., str]
"""``mint(role, subject, ttl_s=300, **claims)``: a token signed by the key that the role asks for."""


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A store as tables have it (everysec); shared by the session's tests, so use ids of your own."""
    server = RedisServer.start(tmp_path_factory.mktemp("redis"), fsync="everysec")
    yield server.url
    server.stop()


@pytest.fixture(scope="session")
def ledger_redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A store as the ledger has it (fsync always); shared by the session's tests, so use ids of your own."""
    server = RedisServer.start(tmp_path_factory.mktemp("ledger-redis"), fsync="always")
    yield server.url
    server.stop()


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with jwks.json, player.pem, seat.pem and service.pem."""
    directory = tmp_path_factory.mktemp("keys")
    create_keys(directory)
    return directory


@pytest.fixture(scope="session")
def mint(keys: Path) -> Mint:
    """Makes tokens on the machine's clock."""
    minters = {purpose: Minter(keys / f"{purpose}.pem") for purpose in set(PURPOSE_OF_ROLE.values())}

    def make(role: str, subject: str, ttl_s: int = 300, **claims: object) -> str:
        return minters[PURPOSE_OF_ROLE[role]].mint(role, subject, ttl_s, **claims)

    return make


@pytest.fixture
def fake_clock() -> FakeClock:
    """A clock that only the test moves."""
    return FakeClock()
