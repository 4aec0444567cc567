"""Channels: what goes with every call, and who may say otherwise."""

from pathlib import Path
from typing import Any

import grpc.aio
import pytest

from serving.auth import Caller, current_caller
from serving.calls import CORRELATION
from serving.channels import connect
from serving.tokens import ServiceTokens
from tests.conftest import Mint
from tests.edge.scripted import Context, Scripted, list_rooms, no_rooms, one_goodbye, running, watch

pytestmark = pytest.mark.fast


async def test_every_call_carries_the_services_own_token(keys: Path) -> None:
    async def answer(context: Context) -> Any:
        seen.append(current_caller())
        return await no_rooms(context)

    seen: list[Caller] = []
    tokens = ServiceTokens(keys / "service.pem", "table", "table-3")
    async with running(keys, Scripted(answer)) as house, connect(house.address, token=tokens) as channel:
        await list_rooms(channel)
        await list_rooms(channel)
    assert [(caller.role, caller.subject) for caller in seen] == [("table", "table-3")] * 2


async def test_what_a_caller_gives_himself_wins(keys: Path, mint: Mint) -> None:
    async def answer(context: Context) -> Any:
        seen.append((current_caller().subject, context.time_remaining()))
        return await no_rooms(context)

    seen: list[tuple[str, float]] = []
    tokens = ServiceTokens(keys / "service.pem", "table", "table-3")
    async with running(keys, Scripted(answer)) as house, connect(house.address, token=tokens) as channel:
        await list_rooms(channel, mint("player", "anna"), timeout=20, metadata=[(CORRELATION, "mine")])
        await list_rooms(channel, timeout=None)
        await house.server.idle()
        assert [line["correlation_id"] == "mine" for line in house.lines()] == [True, False]
    assert [subject for subject, _ in seen] == ["anna", "table-3"]
    assert seen[1][1] < 6 < seen[0][1]


async def test_unary_calls_get_the_channels_deadline_and_streams_none(keys: Path, mint: Mint) -> None:
    async def answer(context: Context) -> Any:
        left.append(context.time_remaining())
        return await no_rooms(context)

    async def stream(context: Context) -> Any:
        left.append(context.time_remaining())
        async for message in one_goodbye(context):
            yield message

    left: list[float | None] = []
    async with (
        running(keys, Scripted(answer, stream)) as house,
        connect(house.address, deadline_ms=1_000) as channel,
    ):
        await list_rooms(channel, mint("player", "anna"))
        await watch(channel, mint("seat", "anna", table_id="t", seat=0))
    assert left[0] is not None
    assert left[0] <= 1.1
    assert left[1] is None


async def test_an_answer_over_the_channels_limit_is_refused(keys: Path, mint: Mint) -> None:
    async def answer(context: Context) -> Any:
        rooms = await no_rooms(context)
        rooms.next_page_token = "x" * 2_000
        return rooms

    async with (
        running(keys, Scripted(answer)) as house,
        connect(house.address, message_bytes_max=1_000) as channel,
    ):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await list_rooms(channel, mint("player", "anna"))
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
