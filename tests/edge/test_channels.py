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


async def test_calls_go_to_every_address_a_name_has_and_on_when_one_is_gone(keys: Path, mint: Mint) -> None:
    """A headless Service names all pods: none of them gets all calls, and one that dies is not waited for."""
    reached: dict[str, int] = {"one": 0, "two": 0}

    def counting(name: str) -> Scripted:
        async def answer(context: Context) -> Any:
            reached[name] += 1
            return await no_rooms(context)

        return Scripted(answer)

    async with running(keys, counting("one")) as one, running(keys, counting("two")) as two:
        both = f"ipv4:{one.address},{two.address}"
        async with connect(both) as channel:
            await channel.channel_ready()
            while not all(reached.values()):  # the second address is still being connected
                await list_rooms(channel, mint("player", "anna"))
            before = dict(reached)
            for _ in range(10):
                await list_rooms(channel, mint("player", "anna"))
            assert [reached[name] - before[name] for name in reached] == [5, 5]
            await one.server.kill()
            for _ in range(10):
                await list_rooms(channel, mint("player", "anna"), wait_for_ready=True)
    assert reached == {"one": before["one"] + 5, "two": before["two"] + 15}
