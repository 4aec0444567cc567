"""What a service says about itself: figures, lines, correlation ids."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc.aio
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from refusals import Reason, Refusal
from serving.calls import CORRELATION, correlation_id
from serving.channels import connect
from serving.metrics import Metrics
from tests.channels import bare_channel
from tests.conftest import Mint
from tests.edge.scripted import LIST_ROOMS, WATCH, Context, Scripted, list_rooms, no_rooms, one_goodbye, running, watch

pytestmark = pytest.mark.fast


async def test_calls_are_counted_by_method_and_code_with_their_duration(keys: Path, mint: Mint) -> None:
    async def picky(context: Context) -> Any:
        flights.append(house.sample("cardroom_rpc_in_flight", service=service, method=method))
        if len(flights) > 3:
            raise Refusal(Reason.ROOM_UNKNOWN)
        return await no_rooms(context)

    flights: list[float | None] = []
    service, method = LIST_ROOMS.split("/")
    async with running(keys, Scripted(picky)) as house, connect(house.address) as channel:
        for _ in range(3):
            await list_rooms(channel, mint("player", "anna"))
        for _ in range(2):
            with pytest.raises(grpc.aio.AioRpcError):
                await list_rooms(channel, mint("player", "anna"))
        await watch(channel, mint("seat", "anna", table_id="t", seat=0))
        await house.server.idle()  # a refusal is sent before it is counted

        def handled(path: str, code: str) -> float | None:
            service, method = path.split("/")
            return house.sample("cardroom_rpc_handled_total", service=service, method=method, code=code)

        assert handled(LIST_ROOMS, "OK") == 3
        assert handled(LIST_ROOMS, "NOT_FOUND") == 2
        assert handled(WATCH, "OK") == 1
        assert house.sample("cardroom_rpc_seconds_count", service=service, method=method) == 5
        assert house.sample("cardroom_refusals_total", reason="ROOM_UNKNOWN") == 2
        assert house.sample("cardroom_rpc_in_flight", service=service, method=method) == 0
    assert flights == [1] * 5


async def test_series_do_not_grow_with_players_or_with_methods_that_callers_invent(keys: Path, mint: Mint) -> None:
    def series() -> int:
        return sum(len(family.samples) for family in house.runtime.metrics.registry.collect())

    async def visit(number: int) -> None:
        await list_rooms(channel, mint("player", f"player-{number}"))
        invented: Any = channel.unary_unary(f"/cardroom.x.v1.X{number}/Y{number}")
        with pytest.raises(grpc.aio.AioRpcError):
            await invented(b"")
        await house.server.idle()  # a refusal is sent before it is counted

    async with running(keys) as house, connect(house.address) as channel:
        await visit(0)
        before = series()
        for number in range(1, 20):
            await visit(number)
        assert series() == before


@pytest.mark.parametrize("label", ["player", "table_id", "ticket", "deal_id"])
def test_a_label_without_bound_is_not_accepted(label: str) -> None:
    metrics = Metrics()
    metrics.counter("cardroom_wins_total", "Wins.", ("variant",)).labels("bloody4").inc()
    assert metrics.registry.get_sample_value("cardroom_wins_total", {"variant": "bloody4"}) == 1
    with pytest.raises(ValueError, match="without bound"):
        metrics.gauge("cardroom_x", "X.", (label,))
    with pytest.raises(ValueError, match="cardroom_"):
        metrics.histogram("x_seconds", "X.")


async def test_one_line_a_call_and_none_with_a_token_or_what_was_said(keys: Path, mint: Mint) -> None:
    async def answer(context: Context) -> Any:
        rooms = await no_rooms(context)
        rooms.next_page_token = "a-secret"
        return rooms

    token = mint("player", "anna")
    async with running(keys, Scripted(answer)) as house, connect(house.address) as channel:
        await list_rooms(channel, token, metadata=[(CORRELATION, "call-1")])
        await watch(channel, mint("spectator", "boris", table_id="t"))
        with pytest.raises(grpc.aio.AioRpcError):
            await list_rooms(channel, token[:-4] + "AAAA")
        await house.server.idle()  # a refusal is sent before it is told
        lines, text = house.lines(), house.log.getvalue()
    assert [(line["method"], line["code"], line["role"], line["subject"]) for line in lines] == [
        (LIST_ROOMS, "OK", "player", "anna"),
        (WATCH, "OK", "spectator", "boris"),
        (LIST_ROOMS, "UNAUTHENTICATED", "anonymous", ""),
    ]
    assert lines[0]["correlation_id"] == "call-1"
    assert lines[2]["reason"] == "TOKEN_INVALID"
    assert {line["service"] for line in lines} == {"scripted"}
    assert b"a-secret" not in text
    assert token.split(".")[0].encode() not in text


async def test_health_probes_do_not_fill_the_log(keys: Path) -> None:
    async with running(keys, log_level="info") as house, connect(house.address) as channel:
        health: Any = health_pb2_grpc.HealthStub(channel)
        await health.Check(health_pb2.HealthCheckRequest())
        assert {line["level"] for line in house.lines()} == {"debug"}


async def test_a_correlation_id_goes_through_two_servers_calls_and_streams(keys: Path, mint: Mint) -> None:
    table = mint("table", "table-0")
    async with running(keys) as inner, connect(inner.address) as to_inner:

        async def answer(context: Context) -> Any:
            await list_rooms(to_inner, table)
            return await no_rooms(context)

        async def stream(context: Context) -> AsyncIterator[Any]:
            await list_rooms(to_inner, table)
            async for message in one_goodbye(context):
                yield message

        async with running(keys, Scripted(answer, stream)) as outer, connect(outer.address) as to_outer:
            await list_rooms(to_outer, mint("player", "anna"), metadata=[(CORRELATION, "deal-7:a.b_c")])
            await list_rooms(to_outer, mint("player", "anna"))
            await watch(to_outer, mint("seat", "anna", table_id="t", seat=0))
            await asyncio.gather(outer.server.idle(), inner.server.idle())
            outside = [line["correlation_id"] for line in outer.lines()]
            inside = [line["correlation_id"] for line in inner.lines()]
    assert outside == inside
    assert outside[0] == "deal-7:a.b_c"
    assert len(set(outside)) == 3


@pytest.mark.parametrize("given", ["", "x" * 65, "a b", 'a"}{'])
async def test_a_malformed_correlation_id_is_replaced(keys: Path, mint: Mint, given: str) -> None:
    async def answer(context: Context) -> Any:
        seen.append(correlation_id())
        return await no_rooms(context)

    seen: list[str] = []
    async with running(keys, Scripted(answer)) as house, bare_channel(house.address) as channel:
        await list_rooms(channel, mint("player", "anna"), metadata=[(CORRELATION, given)])
        await house.server.idle()
        [line] = house.lines()
    assert seen == [line["correlation_id"]]
    assert seen[0] != given
    assert len(seen[0]) == 32
