"""The log in the store: one writer, every batch once, in its place (system: a table's log)."""

import asyncio
import uuid
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from redis.asyncio import Redis

from services.table.adapters.connection import Connection, StoreFault
from services.table.adapters.redis_log import EPOCHS_REMEMBERED, RedisLog, scripts
from services.table.model.events import CloseCause
from services.table.ports import Appended, Batch, RequestRow, StoreAway

PATIENCE_MS = 5_000
"""Longer than a busy machine keeps the store from answering."""


class Heard:
    """What a connection said about the store."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def away(self) -> None:
        self.words.append("away")

    def back(self) -> None:
        self.words.append("back")


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest_asyncio.fixture
async def connection(redis_url: str, heard: Heard) -> AsyncIterator[Connection]:
    made = Connection(redis_url, patience_ms=PATIENCE_MS, on_away=heard.away, on_back=heard.back, scripts=scripts())
    await made.open()
    yield made
    await made.close()


@pytest.fixture
def log(connection: Connection) -> RedisLog:
    return RedisLog(connection, lambda seconds: None)


@pytest.fixture
def table_id() -> str:
    return f"log-{uuid.uuid4()}"


async def created(log: RedisLog, table_id: str) -> None:
    assert await log.create(table_id, pod="a", authority="a:1", entry=b"first", clocks="arrive:1:5:5")


def batch(table_id: str, *, token: str = "1", seq: int = 1, epoch: int = 1, entries: int = 2) -> Batch:
    return Batch(table_id, epoch, token, seq, tuple(b"entry" for _ in range(entries)))


async def test_a_table_is_created_once(log: RedisLog, table_id: str) -> None:
    await created(log, table_id)
    assert not await log.create(table_id, pod="b", authority="b:1", entry=b"other", clocks="")
    owner = await log.owner(table_id)
    assert owner is not None
    assert (owner.epoch, owner.pod, owner.authority, owner.seq, owner.finished) == (1, "a", "a:1", 1, None)
    assert [row[:2] for row in await log.entries(table_id, 0, 10)] == [(1, b"first")]
    assert await log.owner("nobody") is None


async def test_the_same_batch_again_writes_nothing(log: RedisLog, table_id: str) -> None:
    await created(log, table_id)
    for _ in range(3):
        assert await log.append(batch(table_id)) is Appended.STORED
    assert [row.seq for row in await log.entries(table_id, 0, 10)] == [1, 2, 3]
    assert [row.seq for row in await log.entries(table_id, 1, 1)] == [2]


async def test_another_place_another_owner_and_a_finished_table_are_refused(log: RedisLog, table_id: str) -> None:
    await created(log, table_id)
    assert await log.append(batch(table_id, seq=0)) is Appended.BEHIND
    assert await log.append(batch(table_id, seq=2)) is Appended.BEHIND
    assert await log.append(batch(table_id, epoch=2)) is Appended.FENCED
    assert await log.append(batch("nobody")) is Appended.FENCED
    await log.finish(table_id, epoch=1, cause=CloseCause.STAKE, deal_number=0, keep_ms=60_000)
    assert await log.append(batch(table_id)) is Appended.FENCED
    assert await log.claim(table_id, known_epoch=1, pod="b", authority="b:1") is None
    owner = await log.owner(table_id)
    assert owner is not None
    assert owner.finished is CloseCause.STAKE
    assert [row.seq for row in await log.entries(table_id, 0, 10)] == [1]


async def test_a_request_is_accepted_once_per_deal_and_seat(log: RedisLog, table_id: str) -> None:
    await created(log, table_id)
    rows = [RequestRow(1, seat, f"r{number}", f"print{number}", "d2") for seat in (0, 1) for number in (1, 2)]
    for number, row in enumerate(rows, 1):
        made = Batch(table_id, 1, str(number), number, (b"e",), request=row)
        assert await log.append(made) is Appended.STORED
    again = Batch(table_id, 1, "9", 5, (b"e",), request=rows[0])
    assert await log.append(again) is Appended.KNOWN
    known = await log.requests(table_id, 1)
    assert sorted(known, key=lambda row: (row.seat, row.request_id)) == rows
    assert {row.request_id for row in known[-2:]} == {"r2"}, "the last of each seat comes last"
    forgets = Batch(table_id, 1, "10", 5, (b"e",), forgets_deal=1)
    assert await log.append(forgets) is Appended.STORED
    assert await log.requests(table_id, 1) == []


async def test_answers_lie_aside_until_their_question_closes(log: RedisLog, table_id: str) -> None:
    await created(log, table_id)
    for token, answer in (("1", b"x"), ("2", b"y")):
        await log.append(Batch(table_id, 1, token, 1, (), private=(answer,)))
    assert [row.seq for row in await log.entries(table_id, 0, 10)] == [1], "they take no number"
    claimed = await log.claim(table_id, known_epoch=1, pod="b", authority="b:1")
    assert claimed is not None
    assert claimed.answers == (b"x", b"y")
    await log.append(Batch(table_id, 2, "1", 1, (b"e",), clears_answers=True))
    claimed = await log.claim(table_id, known_epoch=2, pod="c", authority="c:1")
    assert claimed is not None
    assert claimed.answers == ()


async def test_of_many_claims_one_wins_and_the_old_owner_is_fenced(log: RedisLog, table_id: str) -> None:
    await created(log, table_id)
    claims = [log.claim(table_id, known_epoch=1, pod=str(n), authority=str(n)) for n in range(20)]
    won = [claimed for claimed in await asyncio.gather(*claims) if claimed is not None]
    assert [(claimed.epoch, claimed.seq, claimed.clocks) for claimed in won] == [(2, 1, "arrive:1:5:5")]
    assert await log.append(batch(table_id)) is Appended.FENCED
    assert await log.append(batch(table_id, epoch=2)) is Appended.STORED


async def test_the_beginnings_of_the_last_epochs_are_remembered(log: RedisLog, table_id: str) -> None:
    await created(log, table_id)
    claimed = None
    for epoch in range(1, 2 * EPOCHS_REMEMBERED):
        claimed = await log.claim(table_id, known_epoch=epoch, pod="a", authority="a:1")
        assert claimed is not None
        await log.append(batch(table_id, epoch=epoch + 1, seq=epoch, entries=1))
    assert claimed is not None
    assert claimed.epoch_starts == {epoch: epoch - 1 for epoch in range(EPOCHS_REMEMBERED + 1, claimed.epoch + 1)}


async def test_nothing_of_a_finished_table_stays_for_ever_row_21(log: RedisLog, table_id: str, redis_url: str) -> None:
    await log.enlist("pod-x", table_id)
    await created(log, table_id)
    row = RequestRow(1, 0, "r", "p", "d2")
    await log.append(Batch(table_id, 1, "1", 1, (b"e",), private=(b"x",), request=row))
    await log.finish(table_id, epoch=1, cause=CloseCause.DEALS_PLAYED, deal_number=1, keep_ms=60_000)
    await log.strike("pod-x", table_id)
    redis = Redis.from_url(redis_url)
    left = [key async for key in redis.scan_iter(match=f"{{{table_id}}}:*")]
    assert sorted(left) == [f"{{{table_id}}}:{name}".encode() for name in ("log", "meta")]
    assert all([0 < await redis.pttl(key) <= 60_000 for key in left])
    await redis.aclose()
    assert await log.listed("pod-x") == []
    assert "pod-x" not in await log.listed_pods()


async def test_calls_of_many_are_answered_in_order_over_one_connection(connection: Connection) -> None:
    texts = [str(number) for number in range(500)]
    answers = await asyncio.gather(*(connection.call("ECHO", text) for text in texts))
    assert answers == [text.encode() for text in texts]


async def test_a_caller_that_gives_up_gets_nobody_elses_answer(connection: Connection) -> None:
    first = asyncio.create_task(connection.call("ECHO", "first"))
    await asyncio.sleep(0)
    first.cancel()
    assert await connection.call("ECHO", "second") == b"second"


async def test_a_connection_that_is_cut_comes_back_and_says_so(
    connection: Connection, heard: Heard, redis_url: str
) -> None:
    number = await connection.call("CLIENT", "ID")
    redis = Redis.from_url(redis_url)
    await redis.client_kill_filter(_id=str(number))
    await redis.aclose()
    async with asyncio.timeout(60):
        while heard.words != ["away", "back"]:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert await connection.call("PING") == b"PONG"


async def test_a_wrong_call_is_a_fault_of_ours_and_harms_nobody(connection: Connection) -> None:
    with pytest.raises(StoreFault):
        await connection.call("NONSENSE")
    assert await connection.call("PING") == b"PONG"


async def test_a_store_that_is_not_there_is_away() -> None:
    heard = Heard()
    nobody = Connection(
        "redis://127.0.0.1:1", patience_ms=100, on_away=heard.away, on_back=heard.back, scripts=scripts()
    )
    with pytest.raises(StoreAway):
        await nobody.open()
    with pytest.raises(StoreAway):
        await nobody.call("PING")
    await nobody.close()
