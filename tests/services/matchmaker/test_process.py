"""The matchmaker as a process, and on a store that goes away."""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import grpc.aio
import pytest

from deploy.local.redis_server import RedisServer
from refusals import Reason
from services.matchmaker.settings import MatchmakerSettings
from serving.refusing import refusal_of
from tests.services.matchmaker.conftest import World, refused

LIMIT_S = 60.0

Answer = TypeVar("Answer")


async def _run(world: World, **environment: str) -> asyncio.subprocess.Process:
    given = {
        "CARDROOM_GRPC_PORT": "0",
        "CARDROOM_METRICS_PORT": "0",
        "CARDROOM_REDIS_URL": world.redis_url,
        "CARDROOM_JWKS_FILE": str(world.keys / "jwks.json"),
        "CARDROOM_SERVICE_KEY_FILE": str(world.keys / "service.pem"),
        "CARDROOM_SEAT_KEY_FILE": str(world.keys / "seat.pem"),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        **environment,
    }
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "services.matchmaker.main",
        env={**os.environ, **given},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def test_it_serves_until_sigterm_and_ends_in_order(world: World) -> None:
    process = await _run(world)
    assert process.stdout is not None
    async with asyncio.timeout(LIMIT_S):
        async for line in process.stdout:
            if b'"serving"' in line:
                break
        process.send_signal(signal.SIGTERM)
        _, errors = await process.communicate()
    assert (process.returncode, errors) == (0, b"")


async def test_a_bad_room_stops_the_start_with_one_line_that_names_it(world: World, tmp_path: Path) -> None:
    rooms = tmp_path / "rooms.toml"
    rooms.write_text('[a-room]\nname = "x"\nvariant = "bloody4"\nasset = "points"\nstake = 0\nleast_balance = 0\n')
    process = await _run(world, CARDROOM_ROOMS_FILE=str(rooms))
    async with asyncio.timeout(LIMIT_S):
        _, errors = await process.communicate()
    assert process.returncode == 2
    (line,) = errors.decode().splitlines()
    for word in (str(rooms), "a-room", "stake"):
        assert word in line


def test_a_lease_shorter_than_a_call_is_refused() -> None:
    """Else a handler that waits for a pod would lose its match to another replica each time."""
    with pytest.raises(ValueError, match="match_lease_ms"):
        MatchmakerSettings.model_validate({"match_lease_ms": 1_000, "create_deadline_ms": 1_000})


async def test_a_store_that_went_away_is_told_and_found_again(world: World, tmp_path: Path) -> None:
    """Reliability 7: calls are refused with a retry while it is away; when it is back the places are as they were."""
    store = RedisServer.start(tmp_path / "store", fsync="always")
    try:
        matchmaker = await world.matchmaker(redis_url=store.url)
        (ann,) = await world.queue(matchmaker, ["ann"])
        bob = world.player(matchmaker, "bob")
        store.kill()
        assert await refused(bob.join()) is Reason.STORE_UNAVAILABLE
        assert await refused(ann.last_news()) is Reason.STORE_UNAVAILABLE
        store = RedisServer.start(tmp_path / "store", store.port, fsync="always")

        assert await _in_the_end(ann.first_place) == 1
        await _in_the_end(bob.join)
        assert await _in_the_end(bob.first_place) == 2
    finally:
        store.kill()


async def _in_the_end(call: Callable[[], Awaitable[Answer]]) -> Answer:
    """What a client gets that tries again while it is told that the store is away."""
    async with asyncio.timeout(LIMIT_S):
        while True:
            try:
                return await call()
            except grpc.aio.AioRpcError as error:
                refusal = refusal_of(error)
                if refusal is None or refusal.reason is not Reason.STORE_UNAVAILABLE:
                    raise
            await asyncio.sleep(0.05)
