"""Connections to a store whose callers can be cancelled.

The Redis client sends with `asyncio.wait_for`. Up to Python 3.11 that loses a cancellation which arrives together with
its result: the task that was cancelled goes on as if nothing had been said, and whoever waits for its end waits for
ever. Sending to a near store takes no time at all, so most cancellations of a task that asks it arrive in that moment.
"""

import asyncio
from collections.abc import Iterable
from typing import Any, cast

from redis.asyncio import Connection, SSLConnection, UnixDomainSocketConnection
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import TimeoutError as StoreTimeoutError


class _Cancellable(AbstractConnection):
    """Sends under `asyncio.timeout`, which keeps the two apart; what it raises stays the client's."""

    async def send_packed_command(self, command: bytes | str | Iterable[bytes], check_health: bool = True) -> None:
        limit_s, self.socket_timeout = self.socket_timeout, None
        try:
            async with asyncio.timeout(limit_s):
                await super().send_packed_command(command, check_health)
        except TimeoutError:
            raise StoreTimeoutError("Timeout writing to socket") from None
        finally:
            self.socket_timeout = limit_s


class _Tcp(_Cancellable, Connection):
    pass


class _Tls(_Cancellable, SSLConnection):
    pass


class _Socket(_Cancellable, UnixDomainSocketConnection):
    pass


_CANCELLABLE: dict[Any, Any] = {Connection: _Tcp, SSLConnection: _Tls, UnixDomainSocketConnection: _Socket}


def cancellable(kind: Any) -> type[Connection]:
    """The same kind of connection with senders that can be cancelled."""
    return cast("type[Connection]", _CANCELLABLE[kind])
