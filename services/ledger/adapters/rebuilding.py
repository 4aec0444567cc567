"""Writes what a replay came to into an empty store."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, TypeVar

import redis.asyncio

from services.ledger.adapters.keys import REQUEST_IDS, Keys
from services.ledger.app.replay import Replay, TableRecord
from services.ledger.values import Entry

_CHUNK: Final = 1_000
_MS_PER_DAY: Final = 86_400_000

_T = TypeVar("_T")


async def is_empty(client: redis.asyncio.Redis, asset: str) -> bool:
    """Whether the store holds nothing of an asset."""
    keys = Keys.of(asset)
    return not await client.exists(*keys.scripted(keys.requests))


async def write_state(
    client: redis.asyncio.Redis, state: Replay, tail: Sequence[Entry], *, now_ms: int, record_kept_days: int
) -> None:
    """Fills the store with an asset's books; the head comes last, so that half a rebuild ends at entry 0.

    Args:
        client: of an empty store.
        state: what the journal came to.
        tail: the newest entries; they are to lie in the store.
        now_ms: records of tables without a stake are left out when they are older than they are kept.
        record_kept_days: how long that is.
    """
    keys = Keys.of(state.asset)
    await _write_hash(client, keys.balance, {account: str(units) for account, units in state.balances.items()})
    await _write_hash(client, keys.last, {account: str(number) for account, number in state.lasts.items()})
    await _write_hash(client, keys.lock, state.locks)
    for accounts in _chunks(sorted(state.frozen)):
        await client.sadd(keys.frozen, *accounts)
    requests = {request: f"{mark} {result}" for request, (mark, result) in state.requests.items()}
    await _write_hash(client, keys.requests, requests)
    await _write_hash(client, keys.requests, {f"#{number}": str(by) for number, by in state.reversed.items()})
    await _write_hash(client, REQUEST_IDS, {request: mark for request, (mark, _) in state.requests.items()})
    for name, table in state.tables.items():
        left_ms = record_kept_days * _MS_PER_DAY - (now_ms - table.at_ms)
        if table.deal or left_ms > 0:
            await _write_table(client, keys.table(name), table, left_ms)
    for entries in _chunks(tail):
        pipeline = client.pipeline(transaction=False)
        for entry in entries:
            pipeline.xadd(keys.journal, {"body": entry.body, "hash": entry.hash}, id=f"{entry.number}-0")
        await pipeline.execute()
    number = str(state.head.number)
    await _write_hash(client, keys.head, {"number": number, "hash": state.head.hash, "archived": number})


async def _write_table(client: redis.asyncio.Redis, key: str, table: TableRecord, left_ms: int) -> None:
    fields = {
        "epoch": str(table.epoch),
        "entry": str(table.entry),
        "deal": table.deal,
        "accounts": " ".join(table.accounts),
    }
    if table.seq:
        fields["seq"] = str(table.seq)
    if table.released:
        fields["released"] = " ".join(table.released)
    for slot, (mark, result) in table.ring.items():
        fields |= {f"mark{slot}": mark, f"result{slot}": result}
    await _write_hash(client, key, fields)
    if not table.deal:
        await client.pexpire(key, left_ms)


async def _write_hash(client: redis.asyncio.Redis, key: str, fields: Mapping[str, str]) -> None:
    for rows in _chunks(fields.items()):
        await client.hset(key, mapping=dict(rows))


def _chunks(items: Iterable[_T]) -> Iterator[list[_T]]:
    left = iter(items)
    while chunk := list(islice(left, _CHUNK)):
        yield chunk
