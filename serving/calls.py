"""The call that runs: who makes it, under which correlation id, until when."""

import asyncio
import re
import time
import uuid
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

CORRELATION = "x-correlation-id"
_WELL_FORMED = re.compile(r"[A-Za-z0-9._:-]{1,64}").fullmatch
_NO_CLAIMS: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: role, subject (a player's or a service's id) and all claims of the token."""

    role: str
    subject: str
    claims: Mapping[str, Any] = field(default_factory=lambda: _NO_CLAIMS)


NOBODY = Caller("anonymous", "")


@dataclass(slots=True)
class Call:
    """A call in progress. ``ends_at`` is seconds on ``time.monotonic``; None for streams."""

    correlation_id: str
    caller: Caller = NOBODY
    ends_at: float | None = None
    task: asyncio.Task[Any] | None = None


CURRENT: ContextVar[Call | None] = ContextVar("cardroom_call", default=None)


def correlation_id() -> str:
    """The correlation id of the call that runs; a new one outside of calls."""
    call = CURRENT.get()
    return call.correlation_id if call is not None else new_correlation_id()


def accepted_correlation_id(given: str) -> str:
    """The caller's correlation id if it is well formed (1 to 64 of letters, digits, ``._:-``), else a new one."""
    return given if _WELL_FORMED(given) else new_correlation_id()


def new_correlation_id() -> str:
    """A fresh correlation id."""
    return uuid.uuid4().hex


def remaining_s() -> float | None:
    """Seconds left to the call that this task handles; None where no call with a deadline runs.

    A task that a handler leaves behind inherits the handler's context but not its deadline.
    """
    call = CURRENT.get()
    if call is None or call.ends_at is None or call.task is not asyncio.current_task():
        return None
    return call.ends_at - time.monotonic()
