"""Channels: what goes with every call, and who may say otherwise."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import grpc.aio
import pytest

from cardroom_client.link import Link
from deploy.local.ports import free_port
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


@asynccontextmanager
async def _slow_link(address: str) -> AsyncIterator[str]:
    """An address of the same server that is some way off: whatever it says arrives late."""
    host, _, port = address.rpartition(":")

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay_s: float) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                await asyncio.sleep(delay_s)
                writer.write(data)
                await writer.drain()
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(host, int(port))
        await asyncio.gather(relay(reader, far_writer, 0), relay(far_reader, writer, _FAR_S))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


_FAR_S = 0.3


@pytest.mark.parametrize("side", ["a service", "the client library"])
async def test_a_connection_that_takes_long_to_make_is_not_given_up(keys: Path, mint: Mint, side: str) -> None:
    link = Link()
    async with running(keys) as house, _slow_link(house.address) as address:
        channel = connect(address) if side == "a service" else link.channel(address)
        await list_rooms(channel, mint("player", "anna"))
        await channel.close()
    await link.close()


async def test_a_patient_channel_waits_for_a_service_and_another_one_does_not(keys: Path, mint: Mint) -> None:
    port, token = free_port(), mint("player", "anna")
    address = f"127.0.0.1:{port}"
    async with connect(address, patient=True) as patient, connect(address) as other:
        waiting = asyncio.create_task(list_rooms(patient, token))
        for call in (list_rooms(other, token), list_rooms(patient, token, wait_for_ready=False)):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await call
            assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
        assert not waiting.done()
        async with running(keys, port=port):
            await waiting
