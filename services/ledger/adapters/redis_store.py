"""The books in Redis: one script a change, one stream a journal."""

from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

import redis.asyncio

from services.ledger.adapters import answers
from services.ledger.adapters.answers import text
from services.ledger.adapters.coalescer import Answer, Coalescer
from services.ledger.adapters.keys import Keys
from services.ledger.adapters.lua import ScriptName, script
from services.ledger.ports import Call, Clock
from services.ledger.values import (
    ISSUANCE,
    PENALTIES,
    Balance,
    Claimed,
    Entry,
    Grant,
    Granted,
    Head,
    Reservation,
    Settled,
    Settlement,
    Stake,
)

_SCAN_COUNT: Final = 500
_MS_PER_DAY: Final = 86_400_000


class RedisLedgerStore:
    """``LedgerStore`` on one Redis instance that syncs every write (``appendfsync always``).

    Args:
        client: answers as bytes.
        calls: runs the scripts.
        clock: stamps entries.
        record_kept_days: how long the record of a table that holds no stake is kept.
    """

    def __init__(self, client: redis.asyncio.Redis, calls: Coalescer, clock: Clock, *, record_kept_days: int) -> None:
        self._client = client
        self._calls = calls
        self._clock = clock
        self._kept_ms = record_kept_days * _MS_PER_DAY

    async def open_account(self, account: str, asset: str, opening: int, call: Call) -> tuple[Balance, bool]:
        """See ``LedgerStore``."""
        keys = Keys.of(asset)
        answer = await self._run(
            ScriptName.OPEN, keys, keys.requests, (account, opening, self._clock.now_ms(), call.actor), call
        )
        status, (units, lock, frozen) = answers.accepted(answer, "OPENED", "SAME")
        return Balance(account, asset, int(units), lock, frozen == "1"), status == "OPENED"

    async def balances(self, accounts: Sequence[str], asset: str) -> list[Balance | None]:
        """See ``LedgerStore``."""
        keys = Keys.of(asset)
        async with self._client.pipeline(transaction=True) as pipeline:
            pipeline.hmget(keys.balance, list(accounts))
            pipeline.hmget(keys.lock, list(accounts))
            pipeline.smismember(keys.frozen, list(accounts))
            units, locks, frozen = await pipeline.execute()
        rows: list[Balance | None] = []
        for account, value, lock, is_frozen in zip(accounts, units, locks, frozen, strict=True):
            if value is None and account not in (ISSUANCE, PENALTIES):
                rows.append(None)
            else:
                rows.append(Balance(account, asset, int(value or 0), text(lock or b""), bool(is_frozen)))
        return rows

    async def reserve(self, stake: Stake, call: Call) -> Reservation:
        """See ``LedgerStore``."""
        keys = Keys.of(stake.asset)
        arguments: tuple[str | int, ...] = (
            stake.table,
            stake.epoch,
            stake.deal,
            stake.least,
            self._kept_ms,
            *stake.accounts,
        )
        answer = await self._run(ScriptName.RESERVE, keys, keys.table(stake.table), arguments, call)
        return answers.reservation(answer, stake.accounts)

    async def release(self, table: str, epoch: int, deal: str, asset: str, call: Call) -> tuple[str, ...]:
        """See ``LedgerStore``."""
        keys = Keys.of(asset)
        answer = await self._run(ScriptName.RELEASE, keys, keys.table(table), (table, epoch, deal, self._kept_ms), call)
        return tuple(answers.accepted(answer, "OK")[1])

    async def claim(self, table: str, epoch: int, asset: str, call: Call) -> Claimed:
        """See ``LedgerStore``."""
        keys = Keys.of(asset)
        return answers.claimed(
            await self._run(ScriptName.CLAIM, keys, keys.table(table), (table, epoch, self._kept_ms), call)
        )

    async def settle(self, settlement: Settlement, fingerprint: str, call: Call) -> Settled:
        """See ``LedgerStore``."""
        keys = Keys.of(settlement.asset)
        arguments: list[str | int] = [
            settlement.table,
            settlement.epoch,
            settlement.seq,
            fingerprint,
            settlement.deal,
            self._clock.now_ms(),
            call.actor,
            len(settlement.legs),
            len(settlement.groups),
        ]
        for leg in settlement.legs:
            arguments += (leg.payer, leg.payee, leg.amount, leg.reason, leg.group)
        for group in settlement.groups:
            arguments += (group.id, group.remainder_to)
        answer = await self._run(ScriptName.SETTLE, keys, keys.table(settlement.table), arguments, call)
        status, (result,) = answers.accepted(answer, "OK", "DUP")
        return answers.settled(result, duplicate=status == "DUP")

    async def grant(self, grant: Grant, fingerprint: str, call: Call) -> Granted:
        """See ``LedgerStore``."""
        keys = Keys.of(grant.asset)
        arguments = (
            grant.request_id,
            fingerprint,
            grant.account,
            grant.amount,
            self._clock.now_ms(),
            call.actor,
            grant.why,
        )
        return answers.granted(await self._run(ScriptName.GRANT, keys, keys.requests, arguments, call))

    async def knows_request(self, request_id: str, asset: str) -> bool:
        """See ``LedgerStore``."""
        return bool(await self._client.hexists(Keys.of(asset).requests, request_id))

    async def head(self, asset: str) -> Head:
        """See ``LedgerStore``."""
        return _head(await self._client.hmget(Keys.of(asset).head, ["number", "hash"]))

    async def entries(self, asset: str, after: int, count: int) -> list[Entry]:
        """See ``LedgerStore``."""
        rows: Any = await self._client.xrange(Keys.of(asset).journal, min=f"({after}-0", max="+", count=count)
        return [_entry(entry_id, fields) for entry_id, fields in rows]

    async def accounts(self, asset: str) -> AsyncIterator[tuple[str, ...]]:
        """See ``LedgerStore``."""
        found = self._client.hscan_iter(Keys.of(asset).balance, count=_SCAN_COUNT)
        batch: list[str] = []
        async for account, _ in found:
            batch.append(text(account))
            if len(batch) >= _SCAN_COUNT:
                yield tuple(batch)
                batch.clear()
        if batch:
            yield tuple(batch)

    async def units(self, asset: str, accounts: Sequence[str]) -> tuple[Head, list[int | None]]:
        """See ``LedgerStore``."""
        keys = Keys.of(asset)
        async with self._client.pipeline(transaction=True) as pipeline:
            pipeline.hmget(keys.head, ["number", "hash"])
            pipeline.hmget(keys.balance, list(accounts))
            head, units = await pipeline.execute()
        return _head(head), [None if value is None else int(value) for value in units]

    async def _run(
        self, name: ScriptName, keys: Keys, record: str, arguments: Sequence[str | int], call: Call
    ) -> Answer:
        return await self._calls.run(script(name), keys.scripted(record), arguments, call.deadline_ms)


def _head(found: Sequence[bytes | str | None]) -> Head:
    number, digest = found
    return Head(int(number or 0), text(digest or b""))


def _entry(entry_id: bytes, fields: dict[bytes, bytes]) -> Entry:
    number = int(text(entry_id).split("-")[0])
    return Entry(number, text(fields.get(b"body", b"")), text(fields.get(b"hash", b"")))
