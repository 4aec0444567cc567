"""A seat over the bare stubs: nothing is repeated, resumed or decided by itself."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Self, TypeVar
from uuid import uuid4

import grpc.aio
from cardroom.mahjong.v1 import action_pb2
from cardroom.table.v1 import table_pb2, table_pb2_grpc

from cardroom_client import Seat, refused
from tests.channels import bare_channel
from tests.faults.witnesses import nonce_of

Answer = TypeVar("Answer")

LIMIT_SECONDS = 60.0

Metadata = tuple[tuple[str, str], ...]


class BareCaller:
    """One seat: calls, and nothing else."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.channel = bare_channel(seat.authority)
        self.stub = table_pb2_grpc.TableServiceStub(self.channel)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.channel.close()

    def metadata(self, *, token: str = "", pod: str = "") -> Metadata:
        """The seat's metadata, or with another token or pod."""
        bearer = f"Bearer {token or self.seat.token}"
        return (("authorization", bearer), ("x-table-pod", pod or self.seat.pod))

    async def act(
        self,
        action: action_pb2.Action | None,
        decision_id: str,
        *,
        request_id: str = "",
        table_id: str = "",
        token: str = "",
        pod: str = "",
        timeout: float = LIMIT_SECONDS,
    ) -> table_pb2.ActResponse:
        """One try, with the seat's own token and table where no other is named. Raises: CallRefused."""
        request = table_pb2.ActRequest(
            table_id=table_id or self.seat.table_id,
            request_id=request_id or str(uuid4()),
            decision_id=decision_id,
            mahjong=action,
        )
        metadata = self.metadata(token=token, pod=pod)
        return await answer(self.stub.Act(request, metadata=metadata, timeout=timeout))

    async def ready(self) -> table_pb2.SetReadyResponse:
        """Ready for the next deal, with the nonce that the seat always has."""
        request = table_pb2.SetReadyRequest(
            table_id=self.seat.table_id, request_id=str(uuid4()), nonce=nonce_of(self.seat.seat)
        )
        return await answer(self.stub.SetReady(request, metadata=self.metadata(), timeout=LIMIT_SECONDS))


class BarePlayer(BareCaller):
    """One seat that watches in the background.

    Attributes:
        prompt: what the seat was asked last; None before.
        seq: number of the last entry.
    """

    def __init__(self, seat: Seat) -> None:
        super().__init__(seat)
        self.prompt: table_pb2.Prompt | None = None
        self.seq = 0
        self._news = asyncio.Condition()
        self._watching = asyncio.create_task(self._watch())

    async def __aenter__(self) -> Self:
        await self.until(lambda: self.seq > 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._watching.cancel()
        await asyncio.gather(self._watching, return_exceptions=True)
        await super().__aexit__()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until it holds; it is looked at after each message."""
        async with asyncio.timeout(LIMIT_SECONDS), self._news:
            await self._news.wait_for(holds)

    async def until_asked(self) -> table_pb2.Prompt:
        """The decision that the seat is asked for, once it is."""
        await self.until(lambda: self.asked)
        assert self.prompt is not None
        return self.prompt

    @property
    def asked(self) -> bool:
        """Whether the seat has a decision to make."""
        return self.prompt is not None and bool(self.prompt.options) and not self.prompt.standing

    async def _watch(self) -> None:
        request = table_pb2.WatchRequest(table_id=self.seat.table_id)
        async for message in self.stub.Watch(request, metadata=self.metadata()):
            async with self._news:
                self._take(message)
                self._news.notify_all()

    def _take(self, message: table_pb2.WatchResponse) -> None:
        self.seq = message.seq
        kind = message.WhichOneof("kind")
        if kind == "prompt":
            self.prompt = message.prompt
        elif kind == "snapshot":
            self.prompt = message.snapshot.prompt if message.snapshot.HasField("prompt") else None
        elif kind == "event" and message.event.HasField("mahjong"):
            self.prompt = None


async def answer(call: Awaitable[Answer]) -> Answer:
    """The answer of a call. Raises: CallRefused."""
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        raise refused(error) from None


async def first_turn(players: Sequence[BarePlayer]) -> BarePlayer:
    """Everybody says ready; returns the dealer, once he is asked for his first discard."""
    for player in players:
        await player.ready()
    waiting = [asyncio.create_task(player.until_asked()) for player in players]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()
    return next(player for player in players if player.asked)
