"""What the books say, read from Redis."""

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import redis.asyncio
from redis.exceptions import RedisClusterException, RedisError

from refusals import Reason, Refusal
from services.ledger.adapters.answers import resumed, text
from services.ledger.adapters.barrier import Barrier
from services.ledger.adapters.coalescer import refusal_of_fault
from services.ledger.adapters.keys import Keys
from services.ledger.adapters.lua import ScriptName, script
from services.ledger.adapters.sending import Command, sender_for
from services.ledger.values import SYSTEM_ACCOUNTS, ArchiveNote, Balance, Entry, Head, Resumption, StoredTable, Totals

_SCAN_COUNT: Final = 500
_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]{0,15})")
_WRONG: Final = "wrong"
_ARCHIVED: Final = "archived"
_CUT_TO: Final = "cut_to"
_HEAD: Final = ["number", "hash"]
_TABLE: Final = ["epoch", "seq", "entry", "deal", "accounts"]


@contextmanager
def _asking() -> Iterator[None]:
    """What goes wrong with the store while it is asked is told as it is of the scripts (``LedgerStore``)."""
    try:
        yield
    except (RedisError, RedisClusterException, OSError) as error:
        raise refusal_of_fault(error) from error


class RedisJournal:
    """The reading half of ``LedgerStore``.

    Args:
        client: answers as bytes.
        barrier: what replicas must confirm; None: nothing.
    """

    def __init__(self, client: redis.asyncio.Redis, barrier: Barrier | None = None) -> None:
        self._client = client
        self._barrier = barrier

    async def balances(self, accounts: Sequence[str], asset: str) -> list[Balance | None]:
        """See ``LedgerStore``."""
        keys = Keys.of(asset)
        with _asking():
            async with self._client.pipeline(transaction=True) as pipeline:
                pipeline.hmget(keys.balance, list(accounts))
                pipeline.hmget(keys.lock, list(accounts))
                pipeline.smismember(keys.frozen, list(accounts))
                units, locks, frozen = await pipeline.execute()
        rows: list[Balance | None] = []
        for account, value, lock, is_frozen in zip(accounts, units, locks, frozen, strict=True):
            if value is None and account not in SYSTEM_ACCOUNTS:
                rows.append(None)
            else:
                rows.append(Balance(account, asset, int(value or 0), text(lock or b""), bool(is_frozen)))
        return rows

    async def head(self, asset: str) -> Head:
        """See ``LedgerStore``."""
        with _asking():
            return _head(await self._client.hmget(Keys.of(asset).head, _HEAD))

    async def kept_head(self, asset: str) -> Head:
        """See ``LedgerStore``. Raises: Refusal STORE_UNAVAILABLE: the replicas do not confirm."""
        if self._barrier is None:
            return await self.head(asset)
        asked: Command = ("HMGET", Keys.of(asset).head, *_HEAD)
        with _asking():
            head, *_, confirmed = await sender_for(self._client).send([asked, *self._barrier.commands()])
        if not self._barrier.is_met(confirmed):
            raise Refusal(Reason.STORE_UNAVAILABLE, detail="the store's replicas do not confirm")
        return _head(head)

    async def entries(self, asset: str, after: int, count: int) -> list[Entry]:
        """See ``LedgerStore``."""
        return await self._range(asset, after, f"{after + count}-0", count)

    async def next_entries(self, asset: str, after: int, count: int) -> list[Entry]:
        """See ``LedgerStore``."""
        return await self._range(asset, after, "+", count)

    async def walk(self, asset: str, number: int, account: str, count: int) -> tuple[list[Entry], int]:
        """See ``LedgerStore``."""
        keys = Keys.of(asset)
        with _asking():
            found = await script(ScriptName.WALK)(
                self._client, keys.scripted(keys.requests), (0, number, account, count)
            )
        next_number, *parts = [text(part) for part in found]
        rows = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
        return [Entry(int(one), body, digest) for one, body, digest in rows], int(next_number)

    async def last_entry(self, asset: str, account: str) -> int:
        """See ``LedgerStore``."""
        with _asking():
            return int(await self._client.hget(Keys.of(asset).last, account) or 0)

    async def trim(self, asset: str, through: int) -> None:
        """See ``LedgerStore``."""
        with _asking():
            await self._client.xtrim(Keys.of(asset).journal, minid=f"{through + 1}-0", approximate=False)

    async def accounts(self, asset: str) -> AsyncIterator[tuple[str, ...]]:
        """See ``LedgerStore``."""
        cursor = -1
        while cursor != 0:
            with _asking():
                found = await self._client.hscan(Keys.of(asset).balance, max(cursor, 0), count=_SCAN_COUNT)
            cursor, accounts = int(found[0]), found[1]
            yield tuple(map(text, accounts))

    async def units(self, asset: str, accounts: Sequence[str]) -> tuple[Head, list[int | str | None], list[int | str]]:
        """See ``LedgerStore``."""
        keys = Keys.of(asset)
        names = [account.encode("utf-8", "surrogateescape") for account in accounts]  # some may be no text
        with _asking():
            async with self._client.pipeline(transaction=True) as pipeline:
                pipeline.hmget(keys.head, _HEAD)
                pipeline.hmget(keys.balance, names)
                pipeline.hmget(keys.last, names)
                head, units, lasts = await pipeline.execute()
        return (
            _head(head),
            [None if value is None else _stored(value) for value in units],
            [_stored(last or b"0") for last in lasts],
        )

    async def frozen(self, asset: str) -> tuple[Head, frozenset[str]]:
        """See ``LedgerStore``."""
        keys = Keys.of(asset)
        with _asking():
            number, digest, *accounts = await script(ScriptName.FROZEN)(
                self._client, keys.scripted(keys.requests), (0,)
            )
        return _head((number, digest)), frozenset(map(text, accounts))

    async def locks(self, asset: str) -> tuple[Head, dict[str, str]]:
        """See ``LedgerStore``."""
        keys = Keys.of(asset)
        with _asking():
            async with self._client.pipeline(transaction=True) as pipeline:
                pipeline.hmget(keys.head, _HEAD)
                pipeline.hgetall(keys.lock)
                head, locks = await pipeline.execute()
        return _head(head), {text(account): text(table) for account, table in locks.items()}

    async def tables(self, asset: str, tables: Sequence[str]) -> tuple[Head, list[StoredTable]]:
        """See ``LedgerStore``."""
        keys = Keys.of(asset)
        with _asking():
            async with self._client.pipeline(transaction=True) as pipeline:
                pipeline.hmget(keys.head, _HEAD)
                for table in tables:
                    pipeline.hmget(keys.table(table), _TABLE)
                head, *records = await pipeline.execute()
        return _head(head), [_table(record) for record in records]

    async def totals(self, asset: str) -> Totals:
        """See ``LedgerStore``."""
        keys = Keys.of(asset)
        with _asking():
            async with self._client.pipeline(transaction=True) as pipeline:
                pipeline.hmget(keys.head, [*_HEAD, _WRONG])
                pipeline.hmget(keys.balance, list(SYSTEM_ACCOUNTS))
                pipeline.hlen(keys.balance)
                pipeline.hlen(keys.lock)
                pipeline.scard(keys.frozen)
                head, system, account_count, locked_count, frozen_count = await pipeline.execute()
        return Totals(
            head=_head(head[:2]),
            wrong=head[2] is not None,
            account_count=account_count - sum(units is not None for units in system),
            locked_count=locked_count,
            frozen_count=frozen_count,
            system={account: int(units or 0) for account, units in zip(SYSTEM_ACCOUNTS, system, strict=True)},
        )

    async def resumed(self, resumption: Resumption, fingerprint: str) -> tuple[int, int] | None:
        """See ``LedgerStore``."""
        with _asking():
            found = await self._client.hget(Keys.of(resumption.asset).requests, resumption.request_id)
        if found is None:
            return None
        mark, _, result = text(found).partition(" ")
        if mark != fingerprint:
            raise Refusal(Reason.REQUEST_ID_REUSED, field="request_id")
        return resumed(result)

    async def mark(self, asset: str, *, wrong: bool) -> None:
        """See ``LedgerStore``."""
        key = Keys.of(asset).head
        try:
            await (self._client.hset(key, _WRONG, "1") if wrong else self._client.hdel(key, _WRONG))
        except (RedisError, OSError) as error:
            raise Refusal(Reason.STORE_UNAVAILABLE) from error

    async def noted_archive(self, asset: str) -> ArchiveNote:
        """See ``LedgerStore``."""
        with _asking():
            found = await self._client.hmget(Keys.of(asset).head, [_ARCHIVED, _CUT_TO])
        number, cut_to = (_stored(value) if value is not None else None for value in found)
        return ArchiveNote(number if isinstance(number, int) else 0, cut_to if isinstance(cut_to, int) else None)

    async def note_archive(self, asset: str, before: ArchiveNote, note: ArchiveNote) -> None:
        """See ``LedgerStore``."""
        keys = Keys.of(asset)
        cut_to = "" if note.cut_to is None else note.cut_to
        with _asking():
            await script(ScriptName.NOTE)(
                self._client, keys.scripted(keys.requests), (0, before.number, note.number, cut_to)
            )

    async def _range(self, asset: str, after: int, until: str, count: int) -> list[Entry]:
        with _asking():
            rows: Any = await self._client.xrange(Keys.of(asset).journal, min=f"({after}-0", max=until, count=count)
        return [_entry(entry_id, fields) for entry_id, fields in rows]


def _head(found: Sequence[bytes | str | None]) -> Head:
    """Where the store says that the journal ends; a number that is none counts as 0, and every check names that."""
    number, digest = _stored(found[0] or b"0"), text(found[1] or b"")
    return Head(number if isinstance(number, int) and number >= 0 else 0, digest)


def _stored(value: bytes | str) -> int | str:
    """A number as the scripts write it; as text what is none."""
    found = text(value)
    return int(found) if _NUMBER.fullmatch(found) else found


def _table(found: Sequence[bytes | None]) -> StoredTable:
    epoch, seq, entry = (None if value is None else _stored(value) for value in found[:3])
    return StoredTable(epoch, seq, entry, text(found[3] or b""), tuple(text(found[4] or b"").split()))


def _entry(entry_id: bytes, fields: dict[bytes, bytes]) -> Entry:
    number = int(text(entry_id).split("-")[0])
    return Entry(number, text(fields.get(b"body", b"")), text(fields.get(b"hash", b"")))
