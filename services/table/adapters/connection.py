"""One connection to the store, for everybody at once: calls are sent as they come and answered in order.

A client that takes a connection out of a pool for each call costs several times as much processor time, and a table
waits for one answer each move.
"""

import asyncio
import hashlib
import ssl
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import hiredis
from redis.asyncio.connection import parse_url

from services.table.adapters.patience import LOOK_EACH_S, Patience, Verdict
from services.table.ports import StoreAway, StoreFull

Argument = Any
"""Bytes, text or a number."""

CONNECT_LIMIT_S = 1.0
"""How long a connection may take to be made, unless the patience is longer."""
_USUAL_MOST_S = 0.5
_FADES = 0.95
_PAUSE_FIRST_S = 0.05
_PAUSE_MOST_S = 0.5
_FULL = ("OOM", "MISCONF")
_AWAY = ("LOADING", "MASTERDOWN", "READONLY", "BUSY", "TRYAGAIN", "CLUSTERDOWN")


class StoreFault(Exception):
    """The store refuses a call as wrong: a fault of ours."""


@dataclass(slots=True)
class _Call:
    reply: "asyncio.Future[Any]"
    sent_s: float


class _Wire(asyncio.Protocol):
    """Bytes to calls and back. `usual_s`: how long answers have taken lately, the slow ones first."""

    def __init__(self, on_lost: "Callable[[_Wire], None]") -> None:
        self._on_lost = on_lost
        self._reader = hiredis.Reader()
        self._transport: asyncio.Transport | None = None
        self._calls: deque[_Call] = deque()
        self._unsent: list[bytes] = []
        self._loop = asyncio.get_running_loop()
        self._answered_s = self._loop.time()
        self.usual_s = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._reader.feed(data)
        self._answered_s = self._loop.time()
        while (reply := self._reader.gets()) is not False:
            call = self._calls.popleft()
            self.usual_s = max(self.usual_s * _FADES, min(self._answered_s - call.sent_s, _USUAL_MOST_S))
            if call.reply.done():
                continue
            if isinstance(reply, hiredis.ReplyError):
                call.reply.set_exception(_error(reply))
            else:
                call.reply.set_result(reply)

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        while self._calls:
            call = self._calls.popleft()
            if not call.reply.done():
                call.reply.set_exception(StoreAway())
        self._on_lost(self)

    def send(self, arguments: tuple[Argument, ...]) -> "asyncio.Future[Any]":
        """Send a call; its answer comes later. Calls made in one turn of the loop go out together.

        Raises: StoreAway: the connection is gone.
        """
        if self._transport is None or self._transport.is_closing():
            raise StoreAway
        packed = hiredis.pack_command(arguments)
        reply: asyncio.Future[Any] = self._loop.create_future()
        self._calls.append(_Call(reply, self._loop.time()))
        if not self._unsent:
            self._loop.call_soon(self._flush)
        self._unsent.append(packed)
        return reply

    def _flush(self) -> None:
        unsent, self._unsent = self._unsent, []
        if self._transport is not None:
            self._transport.write(unsent[0] if len(unsent) == 1 else b"".join(unsent))

    def silent_s(self) -> float:
        """How long an answer has been waited for without hearing anything; 0 if none is waited for."""
        if not self._calls:
            return 0.0
        return self._loop.time() - max(self._answered_s, self._calls[0].sent_s)

    def abort(self) -> None:
        """Give the connection up."""
        if self._transport is not None:
            self._transport.abort()


def _error(reply: hiredis.ReplyError) -> Exception:
    text = str(reply)
    kind = text.partition(" ")[0]
    if kind in _FULL:
        return StoreFull()
    if kind in _AWAY:
        return StoreAway()
    return StoreFault(text)


class Connection:
    """A connection that comes back by itself.

    While it is gone, or has not answered for `patience_ms` (longer where answers usually take long), it says so to
    `on_away`, later to `on_back`. Calls raise `StoreAway` while it is gone.
    """

    def __init__(
        self,
        url: str,
        *,
        patience_ms: int,
        on_away: Callable[[], None],
        on_back: Callable[[], None],
        scripts: Mapping[str, str],
    ) -> None:
        """`url` as redis-py has it; `scripts`: source by name, for `script`."""
        self._address = parse_url(url)
        self._patience = Patience(patience_ms / 1000)
        self._connect_limit_s = max(CONNECT_LIMIT_S, patience_ms / 1000)
        self._on_away = on_away
        self._on_back = on_back
        self._scripts = {name: source.encode() for name, source in scripts.items()}
        self._digests = {name: hashlib.sha1(source).hexdigest() for name, source in self._scripts.items()}
        self._wire: _Wire | None = None
        self._away = True
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    async def open(self) -> None:
        """Connect. Raises: StoreAway: the store cannot be reached."""
        try:
            self._wire = await self._connected()
        except (OSError, TimeoutError) as error:
            raise StoreAway from error
        self._away = False
        self._run(self._watch())

    async def close(self) -> None:
        """End it."""
        self._closed = True
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._wire is not None:
            self._wire.abort()

    async def call(self, *arguments: Argument) -> Any:
        """One command. Raises: StoreAway, StoreFull, StoreFault."""
        if self._wire is None:
            raise StoreAway
        return await self._wire.send(arguments)

    async def script(self, name: str, key_count: int, *arguments: Argument) -> Any:
        """One script: keys first among the arguments. Raises: as `call`."""
        try:
            return await self.call("EVALSHA", self._digests[name], key_count, *arguments)
        except StoreFault as error:
            if not str(error).startswith("NOSCRIPT"):
                raise
        return await self.call("EVAL", self._scripts[name], key_count, *arguments)

    async def _connected(self) -> _Wire:
        """A connection on which the store has answered, with its scripts loaded."""
        async with asyncio.timeout(self._connect_limit_s):
            wire = await self._dialled()
            replies = await asyncio.gather(*map(wire.send, self._greeting()), return_exceptions=True)
            for reply in replies:
                if isinstance(reply, BaseException):
                    wire.abort()
                    raise reply
            return wire

    def _greeting(self) -> list[tuple[Argument, ...]]:
        address = self._address
        commands: list[tuple[Argument, ...]] = []
        if address.get("password"):
            user = (address["username"],) if address.get("username") else ()
            commands.append(("AUTH", *user, address["password"]))
        if address.get("db"):
            commands.append(("SELECT", int(address["db"])))
        commands += [("SCRIPT", "LOAD", source) for source in self._scripts.values()]
        commands.append(("PING",))
        return commands

    async def _dialled(self) -> _Wire:
        address, loop = self._address, asyncio.get_running_loop()
        if "path" in address:
            _, wire = await loop.create_unix_connection(lambda: _Wire(self._lost), address["path"])
            return wire
        secure = "SSL" in getattr(address.get("connection_class"), "__name__", "")
        _, wire = await loop.create_connection(
            lambda: _Wire(self._lost),
            address.get("host", "localhost"),
            int(address.get("port", 6379)),
            ssl=ssl.create_default_context() if secure else None,
        )
        return wire

    def _lost(self, wire: _Wire) -> None:
        if self._closed or wire is not self._wire:
            return
        self._wire = None
        self._is_away()
        self._run(self._reconnect())

    async def _reconnect(self) -> None:
        pause_s = _PAUSE_FIRST_S
        while True:
            try:
                self._wire = await self._connected()
                break
            except (OSError, TimeoutError, StoreAway, StoreFull):
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, _PAUSE_MOST_S)
        self._is_back()

    async def _watch(self) -> None:
        """Notice a store that is there and does not answer."""
        clock = asyncio.get_running_loop().time
        while True:
            began_s = clock()
            await asyncio.sleep(LOOK_EACH_S)
            wire = self._wire
            if wire is None:
                continue
            match self._patience.look(silent_s=wire.silent_s(), usual_s=wire.usual_s, slept_s=clock() - began_s):
                case Verdict.AWAY:
                    self._is_away()
                case Verdict.BACK:
                    self._is_back()
                case Verdict.GIVE_UP:
                    wire.abort()

    def _is_away(self) -> None:
        if not self._away:
            self._away = True
            self._on_away()

    def _is_back(self) -> None:
        if self._away:
            self._away = False
            self._on_back()

    def _run(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
