"""Which failures pass by themselves, and how long to wait for it."""

import asyncio
import logging
import random
from collections.abc import Callable

import grpc

from cardroom_client.refused import CallRefused

_log = logging.getLogger("cardroom_client")

FIRST_PAUSE_SECONDS = 0.1
LAST_PAUSE_SECONDS = 5.0
TELL_AFTER_SECONDS = 3.0
"""An outage that lasts so long is told once, as a warning of the logger `cardroom_client`; restarts are shorter."""

PASSING_REASONS = frozenset(
    {"STORE_UNAVAILABLE", "DEPENDENCY_UNAVAILABLE", "SHUTTING_DOWN", "OVERLOADED", "NOT_OWNER", "TOKEN_EXPIRED"}
)
"""Reasons a client gets over: by waiting, by going to the owner, by a fresh token."""

PASSING_CODES = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNKNOWN,
    }
)
"""Codes that, without a reason of the server, mean a broken connection: the outcome is unknown, not failed."""


def passes(refusal: CallRefused) -> bool:
    """Whether the same call, sent again, may get another answer."""
    if refusal.reason:
        return refusal.reason in PASSING_REASONS or refusal.retry_after is not None
    return refusal.code in PASSING_CODES


class Patience:
    """Pauses between attempts: growing, spread at random, and ending when nothing worked for too long."""

    def __init__(self, limit_seconds: float, clock: Callable[[], float] | None = None) -> None:
        """`limit_seconds` counts from the first failure after the last success."""
        self._limit_seconds = limit_seconds
        self._clock = clock or asyncio.get_running_loop().time
        self._first_failure: float | None = None
        self._told = False
        self.failure_count = 0

    def succeeded(self) -> None:
        """Something worked: the next failure is a first one."""
        self._first_failure = None
        self._told = False
        self.failure_count = 0

    async def pause(self, refusal: CallRefused) -> None:
        """Wait before the next attempt.

        Raises: the refusal, if nothing has worked for the limit, or nothing is promised to work within it.
        """
        now = self._clock()
        if self._first_failure is None:
            self._first_failure = now
        if now + (refusal.retry_after or 0.0) - self._first_failure >= self._limit_seconds:
            raise refusal
        if not self._told and now - self._first_failure >= TELL_AFTER_SECONDS:
            self._told = True
            _log.warning(
                "no answer for %.0f s, trying on for %.0f s: %s",
                now - self._first_failure,
                self._limit_seconds - (now - self._first_failure),
                refusal,
            )
        longest = min(FIRST_PAUSE_SECONDS * 2**self.failure_count, LAST_PAUSE_SECONDS)
        self.failure_count += 1
        await asyncio.sleep(max(refusal.retry_after or 0.0, random.uniform(longest / 2, longest)))
