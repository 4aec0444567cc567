"""A store is asked whether it will do before anybody trusts it (design: own instance, fsync always)."""

import asyncio
import io
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import hiredis
import pytest
from redis.asyncio import Connection, Redis
from redis.exceptions import ConnectionError, NoScriptError, OutOfMemoryError, TimeoutError

from deploy.local.redis_server import NoServerError, RedisServer, find_server
from serving.errors import StartError
from serving.logs import make_log
from serving.store import KEEPS_EVERY_WRITE, Script, connect_redis, durability_fault
from serving.store_file import StoreFile
from tests.conftest import STORE_PATIENCE_MS
from tests.lines import line_to

_WORSE = {
    "appendonly": "no",
    "appendfsync": "everysec",
    "no-appendfsync-on-rewrite": "yes",
    "maxmemory-policy": "allkeys-lru",
}

_LIMIT_S = 60.0


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    """A store of the test's own."""
    server = RedisServer.start(tmp_path / "store")
    yield server
    server.kill()


@asynccontextmanager
async def _plain(url: str) -> AsyncIterator[Redis]:
    async with Redis.from_url(url) as redis:
        yield redis


async def _told(url: str, *, need_fsync: bool = True, trust_store: bool = False) -> str | None:
    """What ``connect_redis`` says against this store; None if it takes it."""
    try:
        redis = await connect_redis(url, need_fsync=need_fsync, trust_store=trust_store)
    except StartError as error:
        return str(error)
    await redis.aclose()
    return None


async def test_a_store_that_syncs_every_second_is_refused_for_money_and_fine_for_tables(redis_url: str) -> None:
    told = await _told(redis_url)
    assert told is not None
    assert "appendfsync everysec" in told
    assert "CONFIG SET appendfsync always" in told
    assert await _told(redis_url, need_fsync=False) is None


async def test_a_store_that_keeps_every_write_is_taken(ledger_redis_url: str) -> None:
    assert await _told(ledger_redis_url) is None


async def test_each_setting_that_loses_writes_is_named_and_trusting_overrides_it(server: RedisServer) -> None:
    assert set(_WORSE) == set(KEEPS_EVERY_WRITE)
    async with _plain(server.url) as redis:
        for name, value in _WORSE.items():
            await redis.config_set(name, value)
            assert f"{name} {value}" in (await _told(server.url) or "")
            assert f"{name} {value}" in (await durability_fault(redis) or "")
            assert await _told(server.url, trust_store=True) is None
            await redis.config_set(name, KEEPS_EVERY_WRITE[name])
            assert await durability_fault(redis) is None


async def test_a_store_that_evicts_is_refused_for_tables_too(server: RedisServer) -> None:
    async with _plain(server.url) as redis:
        await redis.config_set("maxmemory-policy", "volatile-ttl")
    assert "maxmemory-policy volatile-ttl" in (await _told(server.url, need_fsync=False) or "")


async def test_a_store_that_hides_its_settings_is_trusted_only_on_request(tmp_path: Path) -> None:
    server = RedisServer.start(tmp_path / "managed", settings={"rename-command": 'CONFIG ""'})
    try:
        assert "does not tell its settings" in (await _told(server.url) or "")
        assert await _told(server.url, trust_store=True) is None
        assert await _told(server.url, need_fsync=False) is None
    finally:
        server.kill()


async def test_a_store_that_may_not_write_its_file_anew_is_trusted_only_on_request(tmp_path: Path) -> None:
    server = RedisServer.start(tmp_path / "managed", settings={"rename-command": 'BGREWRITEAOF ""'})
    try:
        assert "does not write its file anew" in (await _told(server.url) or "")
        assert await _told(server.url, trust_store=True) is None
        assert await _told(server.url, need_fsync=False) is None
    finally:
        server.kill()


async def test_many_connections_at_once_have_the_file_written_anew_once(server: RedisServer) -> None:
    redis = await connect_redis(server.url, need_fsync=True)
    async with redis:
        for _ in range(3):
            server.kill()
            server = RedisServer.start(server.directory, server.port)
            await redis.connection_pool.disconnect()
            await asyncio.gather(*(redis.ping() for _ in range(30)))
            assert (await redis.info("persistence"))["aof_rewrites"] == 1
    server.kill()


class _Held:
    """Keeps back what tells of a store's file until it is let go."""

    def __init__(self) -> None:
        self.held, self.free = asyncio.Event(), asyncio.Event()

    async def carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while data := await source.read(65_536):
            if b"aof_rewrite_in_progress" in data:
                self.held.set()
                await self.free.wait()
            sink.write(data)


async def test_what_a_store_said_of_its_file_before_another_connection_asked_counts_for_nothing(
    server: RedisServer,
) -> None:
    """An answer that comes late says "nothing is being written" of a store that is at it."""
    async with _plain(server.url) as redis:
        await redis.set("k", "v")
    server.kill()
    server = RedisServer.start(server.directory, server.port, settings={"rdb-key-save-delay": "1000000"})
    file, answers = StoreFile(wait_ms=60_000), _Held()
    async with _plain(server.url) as redis, line_to(server.port, answers.carry) as port:
        late: Any = Connection(port=port, redis_connect_func=file.on_connect)
        quick: Any = Connection(port=server.port, redis_connect_func=file.on_connect)
        connecting = [asyncio.create_task(late.connect())]
        await answers.held.wait()
        connecting.append(asyncio.create_task(quick.connect()))
        while not (await redis.info("persistence"))["aof_rewrite_in_progress"] and not connecting[1].done():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        answers.free.set()
        await asyncio.wait(connecting, return_when=asyncio.FIRST_COMPLETED)
        state = await redis.info("persistence")
        assert (state["aof_rewrite_in_progress"], state["aof_rewrites"]) == (0, 1)
        await asyncio.gather(*connecting)
        await late.disconnect()
        await quick.disconnect()
    server.kill()


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1", "redis://:hunter2@127.0.0.1:1/0", "http://127.0.0.1", "x"])
async def test_a_store_out_of_reach_is_told_without_its_password(url: str) -> None:
    told = await _told(url)
    assert told is not None
    assert "\n" not in told
    assert "hunter2" not in told
    assert ("127.0.0.1" in told) or ("no Redis URL" in told)


async def _commands(reader: asyncio.StreamReader) -> AsyncIterator[list[bytes]]:
    """What a client sends, command by command, however many come at once."""
    parser = hiredis.Reader()
    while data := await reader.read(4096):
        parser.feed(data)
        while (command := parser.gets()) is not False:
            yield command


def _bulk(text: str) -> bytes:
    return f"${len(text)}\r\n{text}\r\n".encode()


@pytest.mark.parametrize(("version", "taken"), [("6.0.16", False), ("6.2.0", True), ("10.0.1", True)])
async def test_a_store_older_than_the_floor_is_refused(version: str, taken: bool) -> None:
    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async for _ in _commands(reader):
            writer.write(_bulk(f"# Server\r\nredis_version:{version}\r\n"))
        writer.close()

    old = await asyncio.start_server(speak, "127.0.0.1", 0)
    async with old:
        port = old.sockets[0].getsockname()[1]
        told = await _told(f"redis://127.0.0.1:{port}?protocol=2&lib_name=&lib_version=", trust_store=True)
    assert (told is None) is taken
    if told is not None:
        assert version in told
        assert "6.2 or newer" in told


async def test_a_script_is_sent_again_when_the_store_forgot_it(redis_url: str) -> None:
    script = Script("return {KEYS[1], ARGV[1]}")
    redis = await connect_redis(redis_url, timeout_ms=STORE_PATIENCE_MS)
    async with redis:
        assert await script(redis, ["{a}:k"], ["1"]) == [b"{a}:k", b"1"]
        await redis.script_flush()
        assert await script(redis, ["{a}:k"], ["2"]) == [b"{a}:k", b"2"]


async def test_a_script_in_a_pipeline_that_the_store_forgot_did_nothing_and_can_be_queued_again(redis_url: str) -> None:
    script = Script("return redis.call('INCR', KEYS[1])  -- once")
    redis = await connect_redis(redis_url, decode_responses=True, timeout_ms=STORE_PATIENCE_MS)
    async with redis:
        await redis.delete("{once}:k")
        results = []
        for _ in range(2):
            async with redis.pipeline(transaction=False) as pipeline:
                script.queue(pipeline, ["{once}:k"])
                [result] = await pipeline.execute(raise_on_error=False)
                results.append(result)
            await script.load(redis)
        assert isinstance(results[0], NoScriptError)
        assert results[1] == 1


async def test_a_write_whose_answer_was_lost_is_not_sent_again_by_the_client() -> None:
    received: list[list[bytes]] = []

    async def deaf(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async for command in _commands(reader):
            if command[0].startswith(b"INCR"):
                received.append(command)
                break
            writer.write(_bulk("redis_version:7.0.0\r\n"))
        writer.close()

    store = await asyncio.start_server(deaf, "127.0.0.1", 0)
    async with store:
        port = store.sockets[0].getsockname()[1]
        redis = await connect_redis(f"redis://127.0.0.1:{port}?protocol=2&lib_name=&lib_version=", trust_store=True)
        with pytest.raises(ConnectionError):
            await redis.incr("k")
        await redis.aclose()
    assert len(received) == 1


async def test_a_store_that_hangs_is_given_up_after_the_time_out(server: RedisServer) -> None:
    redis = await connect_redis(server.url, timeout_ms=1_000)
    async with redis, _plain(server.url) as other:
        await other.client_pause(60_000, all=False)
        with pytest.raises(TimeoutError):
            await redis.set("k", "v")


async def test_more_commands_than_connections_wait_their_turn(redis_url: str) -> None:
    redis = await connect_redis(redis_url, connection_count_max=2, timeout_ms=STORE_PATIENCE_MS)
    async with redis:
        assert await asyncio.gather(*(redis.echo(str(number)) for number in range(50))) == [
            str(number).encode() for number in range(50)
        ]
        assert int((await redis.info("clients"))["connected_clients"]) < 20


async def test_a_task_that_asks_the_store_all_the_time_ends_when_it_is_cancelled(redis_url: str) -> None:
    """Whatever moment the cancellation comes in: a service that stops waits for such tasks."""
    redis = await connect_redis(redis_url, timeout_ms=STORE_PATIENCE_MS)

    async def ask_for_ever() -> None:
        while True:
            await redis.ping()

    async with redis:
        for turn_count in range(60):
            asking = asyncio.create_task(ask_for_ever())
            for _ in range(turn_count):
                await asyncio.sleep(0)
            asking.cancel()
            await asyncio.wait([asking], timeout=_LIMIT_S)
            assert asking.cancelled()


async def test_a_full_store_refuses_writes_and_evicts_nothing(tmp_path: Path) -> None:
    server = RedisServer.start(tmp_path / "full", maxmemory_bytes=4_000_000)
    redis = await connect_redis(server.url, need_fsync=True)

    async def fill() -> None:
        for number in range(100):
            await redis.set(f"k{number}", b"x" * 100_000)
            written.append(number)

    written: list[int] = []
    try:
        with pytest.raises(OutOfMemoryError):
            await fill()
        assert 0 < len(written) == await redis.dbsize()
    finally:
        await redis.aclose()
        server.kill()


async def test_what_was_acknowledged_is_there_after_kill_9_and_a_start_on_the_same_port(server: RedisServer) -> None:
    async with _plain(server.url) as redis:
        await redis.set("k", "v")
    server.kill()
    again = RedisServer.start(server.directory, port=server.port)
    try:
        async with _plain(again.url) as redis:
            assert await redis.get("k") == b"v"
    finally:
        again.stop()
        again.stop()
    assert again.process.returncode == 0


@pytest.mark.parametrize("need_fsync", [True, False], ids=["the ledger's", "the tables'"])
async def test_a_store_that_still_reads_its_file_is_waited_for(server: RedisServer, *, need_fsync: bool) -> None:
    """PF-40: a service that starts together with a large store does not give up on it."""
    async with _plain(server.url) as redis:
        await redis.mset({f"k{number}": "v" for number in range(KEYS_THAT_TAKE_TIME)})
        await redis.bgrewriteaof()
        await _until(redis, "aof_rewrite_in_progress", 0)
    server.stop()
    slow = {"key-load-delay": "300", "loading-process-events-interval-bytes": "1024"}
    starting = asyncio.create_task(
        asyncio.to_thread(RedisServer.start, server.directory, port=server.port, settings=slow)
    )
    stream = io.BytesIO()
    try:
        async with _plain(server.url) as redis, asyncio.timeout(_LIMIT_S):
            await _until(redis, "loading", 1)
            client = await connect_redis(server.url, need_fsync=need_fsync, log=make_log("ledger", "info", stream))
            assert (await redis.info("persistence"))["loading"] == 0
            assert await client.exists("k0", f"k{KEYS_THAT_TAKE_TIME - 1}") == 2
            await client.aclose()
    finally:
        (await starting).kill()
    told = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [(row["event"], row["store"]) for row in told] == [("store_waited_for", server.url)]


KEYS_THAT_TAKE_TIME = 8_000


async def _until(redis: Redis, name: str, value: int) -> None:
    """Wait until the store says so of its file; it may not listen yet."""
    while True:
        with suppress(ConnectionError):
            if (await redis.info("persistence"))[name] == value:
                return
        await asyncio.sleep(0.01)


def test_a_store_does_not_start_where_another_listens(server: RedisServer, tmp_path: Path) -> None:
    with pytest.raises(NoServerError, match=str(server.port)):
        RedisServer.start(tmp_path / "second", port=server.port)
    assert "v=" in server.version()
    assert find_server() == server.binary
