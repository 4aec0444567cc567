"""Many callers, few round trips: what waits goes to the store together, as one pipeline.

The store syncs its file once a pipeline, not once a call; that is where the throughput comes from. Where replicas must
have the writes too, the pipeline ends with a barrier, and what was not confirmed is not answered.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import redis.asyncio
from redis.exceptions import (
    NoScriptError,
    OutOfMemoryError,
    RedisClusterException,
    RedisError,
    ResponseError,
)

from refusals import Reason, Refusal
from services.ledger.adapters.barrier import Barrier
from services.ledger.adapters.sending import Command, sender_for
from services.ledger.ports import Clock
from serving.store import Script

Redis = redis.asyncio.Redis
Answer = list[bytes]


@dataclass(slots=True, eq=False)
class _Waiting:
    script: Script
    keys: Sequence[str]
    arguments: Sequence[str | int]
    deadline_ms: int | None
    answer: "asyncio.Future[Answer]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class ScriptFault(Exception):
    """A script stopped with an error of its own: a fault of the code or of what is stored. Nothing was written."""


class Coalescer:
    """Runs scripts.

    Args:
        client: the store; answers as bytes.
        clock: for deadlines.
        batch_max: most calls of one pipeline.
        waiting_max: most calls that wait; more are OVERLOADED.
        on_batch: told the size of each batch sent.
        barrier: what every batch must pass before its calls are answered; None: nothing.
    """

    def __init__(
        self,
        client: Redis,
        clock: Clock,
        *,
        batch_max: int = 64,
        waiting_max: int = 2048,
        on_batch: Callable[[int], None] = lambda size: None,
        barrier: Barrier | None = None,
    ) -> None:
        self._client = client
        self._sender = sender_for(client)
        self._clock = clock
        self._batch_max = batch_max
        self._waiting_max = waiting_max
        self._on_batch = on_batch
        self._barrier = barrier
        self._waiting: deque[_Waiting] = deque()
        self._wake = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None
        self._stopping = False

    def start(self) -> None:
        """Begin to send; calls that came before have waited."""
        self._worker = asyncio.create_task(self._work(), name="ledger-coalescer")

    async def stop(self) -> None:
        """Send what waits, then end; calls from now on are SHUTTING_DOWN."""
        self._stopping = True
        self._wake.set()
        if self._worker is not None:
            await self._worker

    async def run(
        self, script: Script, keys: Sequence[str], arguments: Sequence[str | int], deadline_ms: int | None
    ) -> Answer:
        """The script's answer.

        Raises: Refusal: OVERLOADED, SHUTTING_DOWN or DEADLINE_INVALID: it was not sent; STORE_UNAVAILABLE: the store
            did not answer, and whether it happened is not known. ScriptFault.
        """
        if self._stopping:
            raise Refusal(Reason.SHUTTING_DOWN)
        if len(self._waiting) >= self._waiting_max:
            raise Refusal(Reason.OVERLOADED, detail="too many calls wait for the books")
        waiting = _Waiting(script, keys, arguments, deadline_ms)
        self._waiting.append(waiting)
        self._wake.set()
        return await waiting.answer

    async def _work(self) -> None:
        while True:
            batch = self._next_batch()
            if batch:
                self._on_batch(len(batch))
                await self._send(batch)
            elif self._stopping:
                return
            else:
                self._wake.clear()
                await self._wake.wait()

    def _next_batch(self) -> list[_Waiting]:
        """The oldest calls whose callers still wait. The others are dropped before they reach the store."""
        batch: list[_Waiting] = []
        now_ms = self._clock.monotonic_ms()
        while self._waiting and len(batch) < self._batch_max:
            waiting = self._waiting.popleft()
            if waiting.answer.done():
                continue
            if waiting.deadline_ms is not None and waiting.deadline_ms <= now_ms:
                waiting.answer.set_exception(Refusal(Reason.OVERLOADED, detail="the deadline passed in the queue"))
                continue
            batch.append(waiting)
        return batch

    async def _send(self, batch: list[_Waiting]) -> None:
        try:
            answers = await self._pipeline(batch)
            lacking = [index for index, answer in enumerate(answers) if isinstance(answer, NoScriptError)]
            if lacking:
                for script in {batch[index].script for index in lacking}:
                    await script.load(self._client)
                again = await self._pipeline([batch[index] for index in lacking])
                for index, answer in zip(lacking, again, strict=True):
                    answers[index] = answer
        except Exception as error:  # whatever it is, its callers are told and the next batch is sent
            answers = [error] * len(batch)
        for waiting, answer in zip(batch, answers, strict=True):
            if not waiting.answer.done():
                _deliver(waiting.answer, answer)

    async def _pipeline(self, batch: list[_Waiting]) -> list[Any]:
        commands: list[Command] = [
            ("EVALSHA", waiting.script.sha, len(waiting.keys), *waiting.keys, *waiting.arguments) for waiting in batch
        ]
        if self._barrier is None:
            return await self._sender.send(commands)
        answers = await self._sender.send([*commands, *self._barrier.commands()])
        return answers[: len(batch)] if self._barrier.is_met(answers[-1]) else [_UNCONFIRMED] * len(batch)


_UNCONFIRMED: Final = Refusal(Reason.STORE_UNAVAILABLE, detail="the store's replicas do not confirm")


def _deliver(future: "asyncio.Future[Answer]", answer: object) -> None:
    if isinstance(answer, list):
        future.set_result(answer)
    else:
        future.set_exception(refusal_of_fault(answer))


_AWAY = ("MISCONF", "READONLY", "MASTERDOWN", "NOREPLICAS", "LOADING", "CLUSTERDOWN", "NOAUTH", "NOPERM", "BUSY")
"""How answers of a store begin that it cannot write now."""


def refusal_of_fault(fault: object) -> Exception:
    """What a caller is told about an error of the store's client, or instead of an answer."""
    if isinstance(fault, Refusal):
        return Refusal(fault.reason, detail=fault.detail)
    if isinstance(fault, OutOfMemoryError) or str(fault).startswith("OOM"):
        return Refusal(Reason.OVERLOADED, detail="the ledger's store is full")
    if isinstance(fault, ResponseError) and not str(fault).startswith(_AWAY):
        return ScriptFault(str(fault))
    if isinstance(fault, (RedisError, RedisClusterException, OSError)):
        return Refusal(Reason.STORE_UNAVAILABLE)
    return ScriptFault(repr(fault))
