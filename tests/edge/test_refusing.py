"""Refusals and faults on the wire: a refusal says why, a fault says nothing."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, cast

import grpc.aio
import pytest
import redis.exceptions
from cardroom.matchmaker.v1 import room_pb2
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from refusals import CATALOGUE, Reason, Refusal, Violation
from serving.channels import connect
from serving.refusing import STATUS, refusal_of
from tests.conftest import Mint
from tests.edge.scripted import LIST_ROOMS, Context, Scripted, list_rooms, no_rooms, one_goodbye, running, watch

pytestmark = pytest.mark.fast

_SECRET = "hunter2"


async def _failure(
    keys: Path, mint: Mint, error: Exception, call: Callable[..., Any] = list_rooms
) -> grpc.aio.AioRpcError:
    """What a client gets when a servicer raises ``error``."""

    async def answer(_: Context) -> Any:
        raise error

    async def stream(context: Context) -> AsyncIterator[Any]:
        async for message in one_goodbye(context):
            yield message
        raise error

    async with running(keys, Scripted(answer, stream)) as house, connect(house.address) as channel:
        token = mint("player", "anna") if call is list_rooms else mint("seat", "anna", table_id="t", seat=0)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call(channel, token)
    return caught.value


def _details(error: grpc.aio.AioRpcError) -> Status:
    return Status.FromString(cast(bytes, error.trailing_metadata()["grpc-status-details-bin"]))


async def test_a_refusal_arrives_as_code_error_info_bad_request_and_retry_info(keys: Path, mint: Mint) -> None:
    refusal = Refusal(
        Reason.HAND_LOCKED,
        field="action.discard.tile",
        detail="5p would change the waits",
        rule="BB-17",
        metadata={"waits": "2p"},
        violations=[Violation("b", "worse")],
        retry_after_ms=1_500,
    )
    error = await _failure(keys, mint, refusal)
    assert (error.code(), error.details()) == (grpc.StatusCode.FAILED_PRECONDITION, "5p would change the waits")
    info, bad, retry = ErrorInfo(), BadRequest(), RetryInfo()
    status = _details(error)
    assert status.code == grpc.StatusCode.FAILED_PRECONDITION.value[0]
    assert [row.Unpack(kind) for row, kind in zip(status.details, (info, bad, retry), strict=True)] == [True] * 3
    assert (info.domain, info.reason) == ("cardroom", "HAND_LOCKED")
    assert dict(info.metadata) == {"rule": "BB-17", "waits": "2p"}
    assert [(row.field, row.description) for row in bad.field_violations] == [
        ("action.discard.tile", "5p would change the waits"),
        ("b", "worse"),
    ]
    assert retry.retry_delay.ToMilliseconds() == 1_500


async def test_a_service_reads_another_ones_refusal_back(keys: Path, mint: Mint) -> None:
    facts = {"authority": "a:1", "pod": "table-1", "epoch": "7"}
    sent = Refusal(Reason.NOT_OWNER, metadata=facts, rule="PF-12", field="table_id", detail="moved", retry_after_ms=20)
    got = refusal_of(await _failure(keys, mint, sent))
    assert got is not None
    assert (got.reason, got.metadata, got.rule, got.field, got.detail, got.retry_after_ms) == (
        sent.reason,
        facts,
        "PF-12",
        "table_id",
        "moved",
        20,
    )


@pytest.mark.parametrize("reason", [Reason.OVERLOADED, Reason.NOT_YOUR_TURN])
async def test_a_time_to_retry_comes_where_a_retry_helps_and_the_catalogues_words_where_there_are_no_others(
    keys: Path, mint: Mint, reason: Reason
) -> None:
    error = await _failure(keys, mint, Refusal(reason))
    assert (error.code(), error.details()) == (STATUS[reason], CATALOGUE[reason].en)
    assert (cast(Refusal, refusal_of(error)).retry_after_ms is not None) is CATALOGUE[reason].retry


@pytest.mark.parametrize("call", [list_rooms, watch])
async def test_an_uncaught_exception_is_internal_and_leaks_nothing(
    keys: Path, mint: Mint, call: Callable[..., Any]
) -> None:
    error = await _failure(keys, mint, ValueError(_SECRET), call)
    assert (error.code(), error.details()) == (grpc.StatusCode.INTERNAL, "")
    assert cast(Refusal, refusal_of(error)).reason is Reason.INTERNAL
    assert _SECRET not in repr(error) + repr(list(error.trailing_metadata())) + repr(list(error.initial_metadata()))


async def test_the_log_has_what_the_caller_is_not_told(keys: Path, mint: Mint) -> None:
    async def answer(_: Context) -> Any:
        raise ValueError(_SECRET)

    async with running(keys, Scripted(answer)) as house, connect(house.address) as channel:
        with pytest.raises(grpc.aio.AioRpcError):
            await list_rooms(channel, mint("player", "anna"), metadata=[("x-correlation-id", "abc")])
        await house.server.idle()  # a refusal is sent before it is written down
        [line], [fault] = house.lines(), house.lines("fault")
    assert (line["level"], line["code"], line["correlation_id"]) == ("error", "INTERNAL", "abc")
    assert line["error"] == "ValueError"
    assert line["where"][-1].startswith("answer:")
    assert _SECRET not in repr(line), "its text may name a hidden tile (PF-40)"
    assert fault["level"] == "debug"
    assert f"ValueError: {_SECRET}" in fault["exception"]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (redis.exceptions.ConnectionError(_SECRET), Reason.STORE_UNAVAILABLE),
        (redis.exceptions.TimeoutError(_SECRET), Reason.STORE_UNAVAILABLE),
        (redis.exceptions.BusyLoadingError(_SECRET), Reason.STORE_UNAVAILABLE),
        (redis.exceptions.OutOfMemoryError(_SECRET), Reason.OVERLOADED),
        (redis.exceptions.ResponseError(_SECRET), Reason.INTERNAL),
        (TimeoutError(_SECRET), Reason.INTERNAL),
    ],
)
async def test_a_store_that_is_away_or_full_is_told_as_such(
    keys: Path, mint: Mint, error: Exception, reason: Reason
) -> None:
    got = await _failure(keys, mint, error)
    assert cast(Refusal, refusal_of(got)).reason is reason
    assert _SECRET not in repr(got)


async def test_a_service_that_is_away_is_told_as_such_and_its_fault_is_ours(keys: Path, mint: Mint) -> None:
    async with running(keys, Scripted(_raising(ValueError(_SECRET)))) as inner:
        faulty = inner.address
        async with connect(faulty) as to_inner:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await list_rooms(to_inner, mint("table", "table-0"))
    async with connect(faulty) as to_nobody:
        with pytest.raises(grpc.aio.AioRpcError) as away:
            await list_rooms(to_nobody, mint("table", "table-0"))
    told = [cast(Refusal, refusal_of(await _failure(keys, mint, error.value))).reason for error in (away, caught)]
    assert told == [Reason.DEPENDENCY_UNAVAILABLE, Reason.INTERNAL]
    assert refusal_of(away.value) is None


def _raising(error: Exception) -> Callable[[Context], Any]:
    async def answer(_: Context) -> Any:
        raise error

    return answer


async def test_bytes_that_are_no_message_are_refused_without_the_parsers_words(keys: Path, mint: Mint) -> None:
    async with running(keys) as house, connect(house.address) as channel:
        call: Any = channel.unary_unary(f"/{LIST_ROOMS}")
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call(b"\xff\xff\xff", metadata=(("authorization", f"Bearer {mint('player', 'anna')}"),))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert cast(Refusal, refusal_of(caught.value)).reason is Reason.INVALID_FIELD
    assert "DecodeError" not in repr(caught.value)


@pytest.mark.parametrize("wrong", [None, _SECRET])
async def test_an_answer_of_the_wrong_type_leaks_nothing(keys: Path, mint: Mint, wrong: object) -> None:
    async def answer(_: Context) -> Any:
        return wrong

    async with running(keys, Scripted(answer)) as house, connect(house.address) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await list_rooms(channel, mint("player", "anna"))
    assert (caught.value.code(), caught.value.details()) == (grpc.StatusCode.INTERNAL, "")


async def test_a_message_over_the_limit_does_not_reach_the_servicer(keys: Path, mint: Mint) -> None:
    reached: list[str] = []

    async def answer(context: Context) -> Any:
        reached.append("")
        return await no_rooms(context)

    async with (
        running(keys, Scripted(answer), message_bytes_max=1_000) as house,
        connect(house.address) as channel,
    ):
        call: Any = channel.unary_unary(f"/{LIST_ROOMS}")
        metadata = (("authorization", f"Bearer {mint('player', 'anna')}"),)
        small, large = (room_pb2.ListRoomsRequest(page_token="x" * count).SerializeToString() for count in (900, 1_100))
        await call(small, metadata=metadata)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call(large, metadata=metadata)
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        await list_rooms(channel, mint("player", "anna"))
    assert len(reached) == 2


async def test_more_calls_than_the_server_takes_are_refused_at_once(keys: Path, mint: Mint) -> None:
    started, release = asyncio.Event(), asyncio.Event()

    async def stream(_: Context) -> AsyncIterator[Any]:
        started.set()
        await release.wait()
        async for message in one_goodbye(_):
            yield message

    async with running(keys, Scripted(stream=stream), call_count_max=1) as house, connect(house.address) as channel:
        watching = asyncio.create_task(watch(channel, mint("seat", "anna", table_id="t", seat=0)))
        await started.wait()
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await list_rooms(channel, mint("player", "anna"))
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        release.set()
        assert len(await watching) == 1


def test_what_is_no_refusal_of_ours_reads_as_none() -> None:
    def error(*metadata: tuple[str, bytes]) -> grpc.aio.AioRpcError:
        return grpc.aio.AioRpcError(
            grpc.StatusCode.ABORTED, grpc.aio.Metadata(), cast(Any, grpc.aio.Metadata(*metadata)), "", ""
        )

    other, newer = Status(), Status()
    other.details.add().Pack(ErrorInfo(domain="casino", reason="INTERNAL"))
    newer.details.add().Pack(ErrorInfo(domain="cardroom", reason="NOT_YET_INVENTED"))
    key = "grpc-status-details-bin"
    assert refusal_of(error()) is None
    assert refusal_of(error((key, b"\xff\xff"))) is None
    assert refusal_of(error((key, other.SerializeToString()))) is None
    assert refusal_of(error((key, newer.SerializeToString()))) is None
    assert refusal_of(grpc.RpcError()) is None
