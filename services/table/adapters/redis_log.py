"""Tables' logs in Redis: one stream a table, and beside it who owns it, its clocks, answers and requests.

Keys of one table share its tag: `{<table>}:log`, `:meta`, `:answers`, `:requests:<deal>`. Which pod has which tables
stands under the tag `{tables}`.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any

from services.table.adapters.connection import Connection
from services.table.model.events import CloseCause
from services.table.ports import Appended, Batch, Claimed, Ownership, RequestRow, StoredEntry

EPOCHS_REMEMBERED = 16
_PODS = "{tables}:pods"
_START = b"start:"
_GENERATION = b"generation:"
_LAST = "last:"
_OUTCOMES = {outcome.value.encode(): outcome for outcome in Appended}


def scripts() -> Mapping[str, str]:
    """The scripts' sources by name."""
    folder = resources.files("services.table.adapters") / "scripts"
    return {
        name: (folder / f"{name}.lua").read_text(encoding="utf-8")
        for name in ("append", "create", "claim", "finish", "inherit", "renew", "strike", "trim")
    }


class RedisLog:
    """`TableLog` in Redis."""

    def __init__(self, connection: Connection, on_appended: Callable[[float], None]) -> None:
        """`on_appended` hears the seconds each append took."""
        self._connection = connection
        self._on_appended = on_appended

    async def create(self, table_id: str, *, pod: str, authority: str, entry: bytes, clocks: str) -> bool:
        """See `TableLog`."""
        keys = (_meta(table_id), _log(table_id))
        return bool(await self._connection.script("create", len(keys), *keys, pod, authority, entry, clocks))

    async def append(self, batch: Batch) -> Appended:
        """See `TableLog`."""
        table_id, request = batch.table_id, batch.request
        keys = (
            _meta(table_id),
            _log(table_id),
            _answers(table_id),
            _requests(table_id, request.deal_number if request is not None else 0),
            _requests(table_id, batch.forgets_deal or 0),
        )
        began = time.perf_counter()
        outcome = await self._connection.script(
            "append",
            len(keys),
            *keys,
            batch.epoch,
            batch.token,
            batch.expected_seq,
            batch.clocks or "",
            int(batch.clears_answers),
            int(batch.forgets_deal is not None),
            *_request_arguments(request),
            len(batch.private),
            *batch.private,
            *batch.entries,
        )
        self._on_appended(time.perf_counter() - began)
        return _OUTCOMES[outcome]

    async def owner(self, table_id: str) -> Ownership | None:
        """See `TableLog`."""
        epoch, pod, authority, seq, finished = await self._connection.call(
            "HMGET", _meta(table_id), "epoch", "pod", "authority", "seq", "finished"
        )
        if epoch is None:
            return None
        cause = None if finished is None else CloseCause(finished.decode())
        return Ownership(int(epoch), pod.decode(), authority.decode(), int(seq), cause)

    async def claim(self, table_id: str, *, known_epoch: int, pod: str, authority: str) -> Claimed | None:
        """See `TableLog`."""
        keys = (_meta(table_id), _answers(table_id))
        reply = await self._connection.script("claim", len(keys), *keys, known_epoch, pod, authority, EPOCHS_REMEMBERED)
        if reply is None:
            return None
        epoch, seq, clocks, age_ms, answers, fields, now_ms = reply
        starts, generations = _numbers(_START, fields), _numbers(_GENERATION, fields)
        return Claimed(epoch, seq, clocks.decode(), age_ms, tuple(answers), starts, generations, now_ms)

    async def renew(self, table_id: str, epoch: int, seat: int, generation: int) -> bool:
        """See `TableLog`."""
        field = f"{_GENERATION.decode()}{seat}"
        return bool(await self._connection.script("renew", 1, _meta(table_id), epoch, field, generation))

    async def entries(self, table_id: str, after_seq: int, count_max: int) -> Sequence[StoredEntry]:
        """See `TableLog`."""
        rows = await self._connection.call("XRANGE", _log(table_id), f"{after_seq + 1}-0", "+", "COUNT", count_max)
        return [_entry(name, dict(_pairs(fields))) for name, fields in rows]

    async def now_ms(self) -> int:
        """See `TableLog`."""
        seconds, micros = await self._connection.call("TIME")
        return int(seconds) * 1000 + int(micros) // 1000

    async def requests(self, table_id: str, deal_number: int) -> Sequence[RequestRow]:
        """See `TableLog`."""
        fields = await self._connection.call("HGETALL", _requests(table_id, deal_number))
        rows, last = [], set()
        for name, value in _pairs(fields):
            text = name.decode()
            if text.startswith(_LAST):
                last.add((int(text[len(_LAST) :]), value.decode()))
                continue
            seat, _, request_id = text.partition(":")
            print_, _, answer = value.decode().partition(":")
            rows.append(RequestRow(deal_number, int(seat), request_id, print_, answer))
        return sorted(rows, key=lambda row: (row.seat, row.request_id) in last)

    async def finish(self, table_id: str, *, epoch: int, cause: CloseCause, deal_number: int, keep_ms: int) -> None:
        """See `TableLog`."""
        keys = (
            _meta(table_id),
            _log(table_id),
            _answers(table_id),
            *(_requests(table_id, number) for number in (deal_number, deal_number + 1)),
        )
        await self._connection.script("finish", len(keys), *keys, epoch, cause, keep_ms)

    async def inherit(self, table_id: str, dead_pod: str, pod: str) -> bool:
        """See `TableLog`."""
        return bool(await self._connection.script("inherit", 1, _meta(table_id), dead_pod, pod))

    async def trim(self, table_id: str) -> None:
        """See `TableLog`."""
        keys = (_meta(table_id), _log(table_id), _answers(table_id))
        await self._connection.script("trim", len(keys), *keys)

    async def enlist(self, pod: str, table_id: str) -> None:
        """See `TableLog`."""
        # In this order: while the table is listed, striking another one does not forget the pod.
        await self._connection.call("SADD", _tables_of(pod), table_id)
        await self._connection.call("SADD", _PODS, pod)

    async def strike(self, pod: str, table_id: str) -> None:
        """See `TableLog`."""
        keys = (_tables_of(pod), _PODS)
        await self._connection.script("strike", len(keys), *keys, table_id, pod)

    async def listed(self, pod: str) -> Sequence[str]:
        """See `TableLog`."""
        return sorted(name.decode() for name in await self._connection.call("SMEMBERS", _tables_of(pod)))

    async def listed_pods(self) -> Sequence[str]:
        """See `TableLog`."""
        return sorted(name.decode() for name in await self._connection.call("SMEMBERS", _PODS))


def _request_arguments(request: RequestRow | None) -> tuple[str, str, str, str]:
    if request is None:
        return "", "", "", ""
    field = f"{request.seat}:{request.request_id}"
    return field, f"{request.fingerprint}:{request.answer}", f"{_LAST}{request.seat}", request.request_id


def _numbers(prefix: bytes, fields: Sequence[Any]) -> Mapping[int, int]:
    """Fields of meta that are numbers by number."""
    return {int(name[len(prefix) :]): int(value) for name, value in _pairs(fields) if name.startswith(prefix)}


def _entry(name: bytes, fields: Mapping[bytes, bytes]) -> StoredEntry:
    return StoredEntry(int(name.partition(b"-")[0]), fields[b"e"], int(fields[b"t"]))


def _pairs(flat: Sequence[Any]) -> list[tuple[bytes, bytes]]:
    return list(zip(flat[::2], flat[1::2], strict=True))


def _log(table_id: str) -> str:
    return f"{{{table_id}}}:log"


def _meta(table_id: str) -> str:
    return f"{{{table_id}}}:meta"


def _answers(table_id: str) -> str:
    return f"{{{table_id}}}:answers"


def _requests(table_id: str, deal_number: int) -> str:
    return f"{{{table_id}}}:requests:{deal_number}"


def _tables_of(pod: str) -> str:
    return f"{{tables}}:of:{pod}"
