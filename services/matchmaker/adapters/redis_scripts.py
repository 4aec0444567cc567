"""The matchmaker's scripts, and how the store's answers and failures are read."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import OutOfMemoryError
from redis.exceptions import TimeoutError as RedisTimeoutError

from refusals import Reason, Refusal
from serving.store import Script

TAG = "{seats}"
"""All keys of the matchmaker share it: one slot, so that one script may touch them together."""

_LUA = files("services.matchmaker.adapters") / "lua"
_RETRY_MS = 500


@contextmanager
def store_trouble() -> Iterator[None]:
    """Turns a store that does not answer, or is full, into a Refusal that says: try again."""
    try:
        yield
    except (RedisConnectionError, RedisTimeoutError, OSError) as error:
        raise Refusal(Reason.STORE_UNAVAILABLE, retry_after_ms=_RETRY_MS) from error
    except OutOfMemoryError as error:
        raise Refusal(Reason.OVERLOADED, retry_after_ms=_RETRY_MS) from error


class Scripts:
    """The scripts of the folder `lua`, each run with the tag as its one key."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        prelude = (_LUA / "prelude.lua").read_text("utf-8")
        self._scripts = {
            entry.name.removesuffix(".lua"): Script(prelude + entry.read_text("utf-8"))
            for entry in _LUA.iterdir()
            if entry.name.endswith(".lua") and entry.name != "prelude.lua"
        }

    async def run(self, name: str, *args: str | int) -> Any:
        """What the script of this name answers. Raises Refusal STORE_UNAVAILABLE, OVERLOADED."""
        with store_trouble():
            return await self._scripts[name](self._redis, (TAG,), args)


def text(value: bytes | str) -> str:
    """A value as text, whether the connection decodes or not."""
    return value.decode() if isinstance(value, bytes) else value


def texts(values: Sequence[bytes | str]) -> list[str]:
    """As `text`, for a list."""
    return [text(value) for value in values]


def pairs(flat: Sequence[bytes | str]) -> dict[str, str]:
    """A flat list of names and values as a dictionary."""
    decoded = texts(flat)
    return dict(zip(decoded[::2], decoded[1::2], strict=True))
