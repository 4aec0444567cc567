"""Deadlines: a default, a cap, absurd ones refused, streams exempt, passed on."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import grpc.aio
import pytest
from cardroom.table.v1 import table_pb2, table_pb2_grpc

from refusals import Reason, Refusal
from serving import gate
from serving.calls import correlation_id, remaining_s
from serving.channels import connect
from serving.refusing import refusal_of
from tests.channels import bare_channel
from tests.conftest import Mint
from tests.edge.raw_call import raw_unary_call
from tests.edge.scripted import LIST_ROOMS, WATCH, Context, Scripted, list_rooms, no_rooms, one_goodbye, running, watch

pytestmark = pytest.mark.fast

_DEFAULT_MS, _CAP_MS = 50, 100
_OWN_S = 0.25
_AGE_MS = 60_000


class _Sleepy:
    """A servicer that never answers; remembers how long each call still had when it came."""

    def __init__(self) -> None:
        self.left_s: list[float | None] = []
        self.reached = asyncio.Event()

    async def __call__(self, _: Context) -> Any:
        self.left_s.append(remaining_s())
        self.reached.set()
        await asyncio.Event().wait()


@pytest.mark.parametrize(("timeout_s", "limit_ms"), [(None, _DEFAULT_MS), (20.0, _CAP_MS)])
async def test_a_call_without_a_deadline_gets_the_default_and_a_long_one_the_cap(
    keys: Path, mint: Mint, timeout_s: float | None, limit_ms: int
) -> None:
    sleepy = _Sleepy()
    async with (
        running(keys, Scripted(sleepy), default_deadline_ms=_DEFAULT_MS, deadline_cap_ms=_CAP_MS) as house,
        bare_channel(house.address) as channel,
    ):
        while not sleepy.left_s:  # on a starved machine a call may be over before it is begun
            began = time.monotonic()
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await list_rooms(channel, mint("player", "anna"), timeout=timeout_s)
            took_s = time.monotonic() - began
            assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
            await asyncio.wait_for(house.server.idle(), 60)
        assert {line["code"] for line in house.lines()} == {"DEADLINE_EXCEEDED"}
    (left_s,) = sleepy.left_s
    assert left_s is not None
    assert left_s * 1000 <= limit_ms <= took_s * 1000


async def test_a_deadline_within_the_cap_is_the_callers_own(keys: Path, mint: Mint) -> None:
    sleepy = _Sleepy()
    async with (
        running(keys, Scripted(sleepy)) as house,
        bare_channel(house.address) as channel,
    ):
        await channel.channel_ready()
        while not sleepy.left_s:  # as above
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await list_rooms(channel, mint("player", "anna"), timeout=_OWN_S)
            assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
            await asyncio.wait_for(house.server.idle(), 60)
        assert {line["code"] for line in house.lines()} == {"DEADLINE_EXCEEDED"}
    (left_s,) = sleepy.left_s
    assert left_s is not None
    assert left_s < 2 * _OWN_S, "gRPC tells it in whole units, rounded up"


async def test_a_call_its_client_gives_up_is_counted_as_cancelled(keys: Path, mint: Mint) -> None:
    sleepy = _Sleepy()
    async with running(keys, Scripted(sleepy)) as house, connect(house.address) as channel:
        call = asyncio.create_task(list_rooms(channel, mint("player", "anna")))
        await sleepy.reached.wait()
        call.cancel()
        await asyncio.wait_for(house.server.idle(), 60)
        assert [line["code"] for line in house.lines()] == ["CANCELLED"]


async def test_an_absurd_deadline_is_refused(keys: Path, mint: Mint) -> None:
    async with running(keys) as house, connect(house.address) as channel:
        await list_rooms(channel, mint("player", "anna"), timeout=23 * 3600.0)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await list_rooms(channel, mint("player", "anna"), timeout=25 * 3600.0)
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert cast(Refusal, refusal_of(caught.value)).reason is Reason.DEADLINE_INVALID


async def test_a_deadline_of_zero_never_reaches_the_servicer(keys: Path, mint: Mint) -> None:
    reached: list[str] = []

    async def answer(context: Context) -> Any:
        reached.append(correlation_id())
        return await no_rooms(context)

    async with running(keys, Scripted(answer)) as house:
        for timeout in ("5S", "0m", "0S"):
            headers = {"authorization": f"Bearer {mint('player', 'anna')}", "x-correlation-id": timeout}
            headers["grpc-timeout"] = timeout
            await asyncio.wait_for(raw_unary_call("127.0.0.1", house.server.port, f"/{LIST_ROOMS}", headers), 60)
        await asyncio.wait_for(house.server.idle(), 60)
    assert reached == ["5S"]


async def test_streams_have_no_deadline_but_an_age(keys: Path, mint: Mint) -> None:
    ends: list[int] = []

    async def stream(context: Context) -> AsyncIterator[Any]:
        await asyncio.sleep(4 * _CAP_MS / 1000)
        ends.append(house.runtime.stream_deadline() - house.runtime.clock.monotonic_ms())
        async for message in one_goodbye(context):
            yield message

    short: dict[str, Any] = {"default_deadline_ms": _DEFAULT_MS, "deadline_cap_ms": _CAP_MS}
    async with (
        running(keys, Scripted(stream=stream), stream_max_age_ms=_AGE_MS, **short) as house,
        connect(house.address) as channel,
    ):
        assert len(await watch(channel, mint("seat", "anna", table_id="t", seat=0))) == 1
        await asyncio.wait_for(house.server.idle(), 60)
        assert house.sample("cardroom_rpc_handled_total", service=WATCH.split("/")[0], method="Watch", code="OK") == 1
    assert _AGE_MS / 2 < ends[0] <= _AGE_MS


async def test_a_stream_that_ignores_its_age_is_cut_off(
    keys: Path, mint: Mint, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stream(context: Context) -> AsyncIterator[Any]:
        try:
            async for message in one_goodbye(context):
                yield message
            await asyncio.Event().wait()
        finally:
            ended.set()

    ended = asyncio.Event()
    monkeypatch.setattr(gate, "STREAM_GRACE_S", 0.3)
    async with (
        running(keys, Scripted(stream=stream), stream_max_age_ms=300) as house,
        connect(house.address) as channel,
    ):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await watch(channel, mint("seat", "anna", table_id="t", seat=0))
        assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        assert ended.is_set()


async def test_a_stream_whose_client_leaves_is_ended_and_its_generator_closed(keys: Path, mint: Mint) -> None:
    async def stream(context: Context) -> AsyncIterator[Any]:
        try:
            while True:
                async for message in one_goodbye(context):
                    yield message
                await asyncio.sleep(0.01)  # a flood would have to be read to its end before anybody can leave
        finally:
            ended.set()

    ended = asyncio.Event()
    async with running(keys, Scripted(stream=stream)) as house, connect(house.address) as channel:
        stub: Any = table_pb2_grpc.TableServiceStub(channel)
        token = mint("seat", "anna", table_id="t", seat=0)
        watching = stub.Watch(table_pb2.WatchRequest(), metadata=(("authorization", f"Bearer {token}"),))
        await watching.read()
        assert house.server.in_flight == 1
        watching.cancel()
        await asyncio.wait_for(asyncio.gather(ended.wait(), house.server.idle()), 60)
        assert [line["code"] for line in house.lines()] == ["CANCELLED"]


async def test_what_is_left_of_a_deadline_goes_on_to_the_next_service(keys: Path, mint: Mint) -> None:
    left_s: list[float] = []

    async def inner_answer(context: Context) -> Any:
        left_s.append(context.time_remaining())
        return await no_rooms(context)

    token = mint("operator", "olga")
    async with running(keys, Scripted(inner_answer)) as inner, connect(inner.address) as to_inner:

        async def outer_answer(context: Context) -> Any:
            await list_rooms(to_inner, token)
            await list_rooms(to_inner, token, timeout=20)
            return await no_rooms(context)

        async with running(keys, Scripted(outer_answer)) as outer, connect(outer.address) as to_outer:
            await list_rooms(to_outer, token, timeout=2)
            await list_rooms(to_outer, token, timeout=15)
    of_short, asked, of_long, _ = left_s
    assert 0 < of_short <= 2.1 < of_long <= 5.1 < asked <= 20.1


async def test_a_task_that_outlives_its_call_is_not_bound_by_the_calls_deadline(keys: Path, mint: Mint) -> None:
    left: list[float | None] = []
    tasks: list[asyncio.Task[None]] = []

    async def later() -> None:
        left.append(remaining_s())

    async def answer(context: Context) -> Any:
        left.append(remaining_s())
        tasks.append(asyncio.create_task(later()))
        return await no_rooms(context)

    async with running(keys, Scripted(answer)) as house, connect(house.address) as channel:
        await list_rooms(channel, mint("player", "anna"))
        await tasks[0]
    assert left[0] is not None
    assert left[1] is None
