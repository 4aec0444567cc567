"""The books in Redis: one script a change, one stream a journal."""

from collections.abc import Callable, Sequence
from typing import Final

import redis.asyncio

from refusals import Refusal
from services.ledger.adapters import answers
from services.ledger.adapters.answers import text
from services.ledger.adapters.barrier import Barrier
from services.ledger.adapters.coalescer import Answer, Coalescer
from services.ledger.adapters.keys import REQUEST_IDS, Keys
from services.ledger.adapters.lua import ScriptName, script
from services.ledger.adapters.redis_journal import RedisJournal
from services.ledger.ports import Call, Clock
from services.ledger.values import (
    Balance,
    Claimed,
    Freeze,
    Grant,
    Granted,
    Reservation,
    Resumption,
    Reversal,
    Settled,
    Settlement,
    Source,
    Stake,
    Void,
)

_MS_PER_DAY: Final = 86_400_000

Argument = str | int


class RedisLedgerStore(RedisJournal):
    """``LedgerStore`` on one Redis instance that syncs every write (``appendfsync always``).

    It remembers how far it has seen each journal, and tells that to every script: a store that took over from another
    one and lacks entries is not written to.

    Args:
        client: answers as bytes.
        calls: runs the scripts.
        clock: stamps entries.
        record_kept_days: how long the record of a table that holds no stake is kept.
        barrier: what replicas must confirm; None: nothing.
        on_behind: told the asset, and where its journal ends, when that is before what was seen of it.
    """

    def __init__(
        self,
        client: redis.asyncio.Redis,
        calls: Coalescer,
        clock: Clock,
        *,
        record_kept_days: int,
        barrier: Barrier | None = None,
        on_behind: Callable[[str, int], None] = lambda asset, number: None,
    ) -> None:
        super().__init__(client, barrier)
        self._calls = calls
        self._clock = clock
        self._kept_ms = record_kept_days * _MS_PER_DAY
        self._on_behind = on_behind
        self._seen: dict[str, int] = {}

    def expect(self, asset: str, number: int) -> None:
        """From now on the journal must go at least to this number, however far it was seen."""
        self._seen[asset] = number

    async def open_account(
        self, account: str, asset: str, opening: int, source: Source, call: Call
    ) -> tuple[Balance, bool]:
        """See ``LedgerStore``."""
        arguments = (account, opening, self._clock.now_ms(), call.actor, source.account, source.budget)
        answer = await self._run(ScriptName.OPEN, asset, None, arguments, call)
        status, (units, lock, frozen) = answers.accepted(answer, "OPENED", "SAME")
        return Balance(account, asset, int(units), lock, frozen == "1"), status == "OPENED"

    async def reserve(self, stake: Stake, call: Call) -> Reservation:
        """See ``LedgerStore``."""
        arguments: tuple[Argument, ...] = (
            stake.table,
            stake.epoch,
            stake.deal,
            stake.least,
            self._kept_ms,
            self._clock.now_ms(),
            call.actor,
            *stake.accounts,
        )
        answer = await self._run(ScriptName.RESERVE, stake.asset, stake.table, arguments, call)
        return answers.reservation(answer, stake.accounts)

    async def release(
        self, table: str, epoch: int, deal: str, asset: str, call: Call, *, why: str = ""
    ) -> tuple[str, ...]:
        """See ``LedgerStore``."""
        arguments = (table, epoch, deal, self._kept_ms, self._clock.now_ms(), call.actor, why)
        answer = await self._run(ScriptName.RELEASE, asset, table, arguments, call)
        return tuple(answers.accepted(answer, "OK")[1])

    async def claim(self, table: str, epoch: int, asset: str, call: Call, *, known_seq: int | None = None) -> Claimed:
        """See ``LedgerStore``."""
        arguments = (table, epoch, self._kept_ms, "" if known_seq is None else known_seq)
        return answers.claimed(await self._run(ScriptName.CLAIM, asset, table, arguments, call))

    async def settle(self, settlement: Settlement, fingerprint: str, call: Call) -> Settled:
        """See ``LedgerStore``."""
        arguments: list[Argument] = [
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
        return answers.outcome(await self._run(ScriptName.SETTLE, settlement.asset, settlement.table, arguments, call))

    async def void(self, void: Void, fingerprint: str, call: Call) -> Settled:
        """See ``LedgerStore``."""
        arguments = (
            void.table, void.epoch, void.seq, fingerprint, void.deal, self._clock.now_ms(), call.actor, void.why,
        )  # fmt: skip
        return answers.outcome(await self._run(ScriptName.VOID, void.asset, void.table, arguments, call))

    async def grant(self, grant: Grant, source: Source, fingerprint: str, call: Call) -> Granted:
        """See ``LedgerStore``."""
        arguments = (
            grant.request_id,
            fingerprint,
            grant.account,
            grant.amount,
            self._clock.now_ms(),
            call.actor,
            grant.why,
            source.account,
            source.budget,
        )
        return answers.granted(await self._run(ScriptName.GRANT, grant.asset, None, arguments, call))

    async def freeze(self, freeze: Freeze, asset: str, fingerprint: str, call: Call) -> bool:
        """See ``LedgerStore``."""
        arguments = (
            freeze.request_id, fingerprint, freeze.account, freeze.verb, self._clock.now_ms(), call.actor, freeze.why,
        )  # fmt: skip
        return answers.noted(await self._run(ScriptName.FREEZE, asset, None, arguments, call))[1]

    async def reverse(self, reversal: Reversal, fingerprint: str, call: Call) -> Settled:
        """See ``LedgerStore``."""
        arguments: list[Argument] = [
            reversal.request_id,
            fingerprint,
            reversal.number,
            self._clock.now_ms(),
            call.actor,
            reversal.why,
            reversal.table,
            reversal.deal,
            len(reversal.legs),
        ]
        for leg in reversal.legs:
            arguments += (leg.payer, leg.payee, leg.amount)
        return answers.outcome(await self._run(ScriptName.REVERSE, reversal.asset, None, arguments, call))

    async def resume(self, resumption: Resumption, fingerprint: str, call: Call) -> tuple[int, int]:
        """See ``LedgerStore``. Where the journal must end there, what was seen beyond it is forgotten."""
        asset, seen = resumption.asset, self._seen.get(resumption.asset, 0)
        arguments = (
            resumption.request_id, fingerprint, resumption.number, int(resumption.is_end), self._clock.now_ms(),
            call.actor, resumption.why, resumption.lost_count,
            "-" if resumption.archived is None else resumption.archived,
        )  # fmt: skip
        if resumption.is_end:
            self.expect(asset, 0)
        try:
            _, (result,) = answers.accepted(
                await self._run(ScriptName.RESUME, asset, None, arguments, call), "OK", "DUP"
            )
        except Refusal:
            self.expect(asset, max(seen, self._seen[asset]))
            raise
        return answers.resumed(text(result))

    async def bind_request(self, request_id: str, fingerprint: str, call: Call) -> None:
        """See ``LedgerStore``."""
        answer = await self._calls.run(
            script(ScriptName.REQUEST), (REQUEST_IDS,), (0, request_id, fingerprint), call.deadline_ms
        )
        answers.accepted(answer, "OK")

    async def _run(
        self, name: ScriptName, asset: str, table: str | None, arguments: Sequence[Argument], call: Call
    ) -> Answer:
        """The script's answer, without where the journal ends, which is its last part."""
        keys = Keys.of(asset)
        record = keys.requests if table is None else keys.table(table)
        arguments = (self._seen.get(asset, 0), *arguments)
        *answer, ends = await self._calls.run(script(name), keys.scripted(record), arguments, call.deadline_ms)
        if text(answer[0]) == "BEHIND":
            self._on_behind(asset, int(ends))
        else:
            self._seen[asset] = max(self._seen.get(asset, 0), int(ends))
        return answer
