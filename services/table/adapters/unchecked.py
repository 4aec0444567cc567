"""Deals that were settled while scoring was away, in Redis: a hash under the tag `{tables}`, for whichever pod asks."""

from collections.abc import Sequence

from services.table.adapters.connection import Connection
from services.table.ports import StoreFull

_KEY = "{tables}:unchecked"
_SOME_COUNT = 20


class RedisUnchecked:
    """`Unchecked` in Redis; beyond `count_max` nothing more is kept, so that a long absence fills no store."""

    def __init__(self, connection: Connection, *, count_max: int) -> None:
        self._connection = connection
        self._count_max = count_max

    async def keep(self, table_id: str, deal_id: str, question: bytes) -> None:
        """See `Unchecked`."""
        if await self._connection.call("HLEN", _KEY) >= self._count_max:
            raise StoreFull
        await self._connection.call("HSET", _KEY, f"{table_id} {deal_id}", question)

    async def some(self) -> Sequence[tuple[str, str, bytes]]:
        """See `Unchecked`."""
        flat = await self._connection.call("HRANDFIELD", _KEY, _SOME_COUNT, "WITHVALUES")
        rows = zip(flat[::2], flat[1::2], strict=True)
        return [(*_names(name), question) for name, question in rows]

    async def drop(self, table_id: str, deal_id: str) -> None:
        """See `Unchecked`."""
        await self._connection.call("HDEL", _KEY, f"{table_id} {deal_id}")


def _names(name: bytes) -> tuple[str, str]:
    table_id, _, deal_id = name.decode().partition(" ")
    return table_id, deal_id
