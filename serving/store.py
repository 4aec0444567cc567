"""Connections to Redis, and scripts that run in it."""

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

import structlog.typing
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError, ResponseError

from serving.errors import StartError
from serving.store_connections import cancellable
from serving.store_file import FileRefused, FileUnfinished, StoreFile

_T = TypeVar("_T")

FLOOR = (6, 2)
"""Oldest Redis that will do."""

TIMEOUT_MS = 2_000
_CONNECTION_COUNT_MAX = 64
_READY_LIMIT_S = 600.0
_READY_POLL_S = 0.1

KEEPS_EVERYTHING: Mapping[str, str] = MappingProxyType({"maxmemory-policy": "noeviction"})
"""Settings of any store of ours: a key that is evicted is a table that is lost."""

KEEPS_EVERY_WRITE: Mapping[str, str] = MappingProxyType(
    {"appendonly": "yes", "appendfsync": "always", "no-appendfsync-on-rewrite": "no", **KEEPS_EVERYTHING}
)
"""Settings of the ledger's store: what it acknowledged survives a power cut."""


async def connect_redis(
    url: str,
    *,
    need_fsync: bool = False,
    trust_store: bool = False,
    timeout_ms: int = TIMEOUT_MS,
    connection_count_max: int = _CONNECTION_COUNT_MAX,
    decode_responses: bool = False,
    log: structlog.typing.FilteringBoundLogger | None = None,
) -> Redis:
    """A client whose server was asked whether it will do; one that still reads its file is waited for.

    A command that gets no answer raises redis.exceptions.TimeoutError or ConnectionError and is never sent again by
    the client itself: whether it took effect is not known. Where all connections are busy a command waits its turn.

    Args:
        url: ``redis://host:port/db``.
        need_fsync: the store must keep every acknowledged write (the ledger's). Then, too, nothing is sent to it, now
            or after a later start of it, before it has written its file anew (``StoreFile``).
        trust_store: do not ask for the store's settings, nor for a new file: managed stores do neither.
        timeout_ms: of connecting and of each answer; commands that block must block for less.
        connection_count_max: most connections at once.
        decode_responses: answers as str instead of bytes.
        log: told when the store is waited for.
    Raises: StartError: the store is out of reach, too old, or set up so that it loses data; says what to do.
    """
    shown = _without_password(url)
    file = StoreFile(timeout_ms // 2) if need_fsync and not trust_store else None
    try:
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=connection_count_max,
            timeout=timeout_ms / 1000,
            socket_timeout=timeout_ms / 1000,
            socket_connect_timeout=timeout_ms / 1000,
            retry=Retry(NoBackoff(), 0),
            decode_responses=decode_responses,
            redis_connect_func=file.on_connect if file is not None else None,
        )
    except ValueError as error:
        raise StartError(f"{shown} is no Redis URL; write redis://HOST:PORT") from error
    pool.connection_class = cancellable(pool.connection_class)
    redis = Redis.from_pool(pool)
    try:
        await when_written(
            lambda: _must_be_loaded(redis),
            lambda reason: log.warning("store_waited_for", store=shown, reason=reason) if log is not None else None,
        )
        fault = await _fault_of(redis, need_fsync=need_fsync, trust_store=trust_store)
    except FileRefused as error:
        fault = f"does not write its file anew after its start ({error}); let it, or {_TRUST}"
    except (RedisError, OSError) as error:
        fault = f"does not answer ({_kind_of(error)}); start it or set the URL of one that runs"
    if fault is not None:
        await redis.aclose()
        raise StartError(f"Redis at {shown} {fault}")
    return redis


async def when_written(ask: Callable[[], Awaitable[_T]], waiting: Callable[[str], object] = lambda reason: None) -> _T:
    """The answer of a store, as soon as it has read its file after its start and, where that is asked, written it anew.

    Args:
        ask: raises FileUnfinished while the store is not that far.
        waiting: told once, and why, if the answer is waited for.
    Raises: FileUnfinished: not in ten minutes.
    """
    until, waits = time.monotonic() + _READY_LIMIT_S, False
    while True:
        try:
            return await ask()
        except FileUnfinished as error:
            if time.monotonic() >= until:
                raise
            if not waits:
                waiting(str(error))
            waits = True
            await asyncio.sleep(_READY_POLL_S)


async def _must_be_loaded(redis: Redis) -> None:
    if int((await redis.info("persistence")).get("loading", 0)):
        raise FileUnfinished("it still reads its file")


async def durability_fault(redis: Redis) -> str | None:
    """What makes this store lose acknowledged writes, in words; None if nothing does. To be asked now and then.

    Raises: redis.exceptions.RedisError: the store does not answer, or does not tell its settings.
    """
    return await _setting_fault(redis, KEEPS_EVERY_WRITE)


async def _fault_of(redis: Redis, *, need_fsync: bool, trust_store: bool) -> str | None:
    server = await redis.info("server")
    version = str(server.get("redis_version", "0"))
    if tuple(int(part) for part in version.split(".")[:2] if part.isdigit()) < FLOOR:
        return f"is version {version}; {FLOOR[0]}.{FLOOR[1]} or newer is needed"
    if trust_store:
        return None
    try:
        return await _setting_fault(redis, KEEPS_EVERY_WRITE if need_fsync else KEEPS_EVERYTHING)
    except ResponseError:
        if not need_fsync:
            return None
        return f"does not tell its settings, so that nobody knows whether it keeps what it acknowledges; {_TRUST}"


async def _setting_fault(redis: Redis, wanted: Mapping[str, str]) -> str | None:
    for name, value in wanted.items():
        found = {_text(key): _text(row) for key, row in (await redis.config_get(name)).items()}
        if found.get(name, value) != value:
            return f"has {name} {found[name]} and may lose data; run `CONFIG SET {name} {value}` there ({_TRUST})"
    return None


_TRUST = "if the store is managed and durable by other means, set CARDROOM_TRUST_STORE=true"


class Script:
    """A Lua script, called by its digest; the store is sent the text when it does not know it (any more)."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sha = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()

    async def __call__(self, redis: Redis, keys: Sequence[Any] = (), args: Sequence[Any] = ()) -> Any:
        """Run it; keys of one call must share a hash tag."""
        try:
            return await redis.evalsha(self.sha, len(keys), *keys, *args)
        except NoScriptError:
            return await redis.eval(self.text, len(keys), *keys, *args)

    def queue(self, pipeline: Any, keys: Sequence[Any] = (), args: Sequence[Any] = ()) -> None:
        """Add a run to a pipeline. Where the store lost the script the run's result is a NoScriptError: nothing was
        done; ``load`` it and queue the run again.
        """
        pipeline.evalsha(self.sha, len(keys), *keys, *args)

    async def load(self, redis: Redis) -> None:
        """Send the text to the store."""
        await redis.script_load(self.text)


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _kind_of(error: Exception) -> str:
    return str(error) or type(error).__name__


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    if parts.password is None:
        return url
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
