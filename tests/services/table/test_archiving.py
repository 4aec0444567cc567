"""Logs of tables that are over: into the archive and out of the store (reliability 19, 21)."""

import asyncio
from pathlib import Path

import pytest
from redis.asyncio import Redis

from refusals import Reason
from services.table.adapters.archive_files import FileArchive
from services.table.archives import ArchiveAway
from services.table.model.events import CloseCause, Closed
from tests.services.table.logs import stored, table_with_settlements
from tests.services.table.rig import Pods, RunningPod, Seated, eventually, new_table_id, reason_for
from tests.services.table.test_replays import entries_of, played, replayed, seat_token

TABLES = 60


async def key_names(redis_url: str) -> set[bytes]:
    """All keys but the registry's, which pods renew."""
    redis = Redis.from_url(redis_url)
    keys = {key async for key in redis.scan_iter(count=1_000) if not key.startswith(b"{pods}")}
    await redis.aclose()
    return keys


async def over(pod: RunningPod, count: int = 1) -> list[Seated]:
    """Tables nobody came to."""
    return [await pod.create(new_table_id(), arrive_limit_ms=30) for _ in range(count)]


async def emptied(redis_url: str, expected: set[bytes]) -> None:
    async with asyncio.timeout(60):
        while await key_names(redis_url) != expected:  # noqa: ASYNC110  the store rings no event
            await asyncio.sleep(0.02)


async def test_tables_come_and_go_and_the_store_is_as_it_was(pods: Pods, redis_url: str, tmp_path: Path) -> None:
    """Reliability 21: after many tables the same keys as before; every log is in the archive, whole."""
    pod = await pods.start(table_archive_dir=tmp_path)
    before = await key_names(redis_url)
    tables = await over(pod, TABLES)
    await emptied(redis_url, before)
    archive = FileArchive(tmp_path, "reader")
    assert archive.table_ids() == sorted(seated.table_id for seated in tables)
    for seated in tables:
        log = await archive.get(seated.table_id)
        assert log is not None
        assert [row.seq for row in log.entries] == list(range(1, len(log.entries) + 1))
        assert log.cause is CloseCause.NOT_READY
    assert pod.sample("cardroom_table_archived_total") == TABLES
    assert not pod.component.pod.tables


async def test_a_replay_is_the_same_out_of_the_archive(pods: Pods, redis_url: str, tmp_path: Path) -> None:
    """PF-41: before and after the log has left the store."""
    pod = await pods.start("table-0", table_archive_dir=tmp_path, linger_ms=600_000)
    seated = await pod.create(table_with_settlements(pod, 1))
    await played(seated)
    token = seat_token(pod, seated)
    log = await stored(redis_url, seated.table_id)
    from_store = await replayed(pod, token, seated.table_id)
    await pod.crash()
    again = await pods.start("table-0", table_archive_dir=tmp_path)
    await eventually(lambda: again.sample("cardroom_table_archived_total") == 1)
    assert await stored(redis_url, seated.table_id) == []
    from_archive = await replayed(again, token, seated.table_id)
    assert from_archive == from_store
    assert list(entries_of(from_archive).values()) == log[min(entries_of(from_archive)) - 1 : -1]
    assert await reason_for(seated.player(0, again).snapshot()) is Reason.TABLE_CLOSED
    request = again.create_request(seated.table_id, seated.names)
    assert await reason_for(again.control("matchmaker").CreateTable(request)) is Reason.TABLE_CONFLICT


async def test_while_the_archive_is_away_logs_stay_and_tables_go(
    pods: Pods, redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk takes no slot and loses nothing."""

    async def away(*_: object) -> None:
        raise ArchiveAway

    put = FileArchive.put
    monkeypatch.setattr(FileArchive, "put", away)
    pod = await pods.start(table_archive_dir=tmp_path)
    before = await key_names(redis_url)
    tables = await over(pod, 3)
    await eventually(lambda: not pod.component.pod.tables)
    for seated in tables:
        assert (await stored(redis_url, seated.table_id))[-1] == Closed(CloseCause.NOT_READY)
    monkeypatch.setattr(FileArchive, "put", put)
    await emptied(redis_url, before)
    assert len(FileArchive(tmp_path, "reader").table_ids()) == 3


async def test_another_pod_archives_what_a_dead_one_has_left(
    pods: Pods, redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise ArchiveAway

    put = FileArchive.put
    monkeypatch.setattr(FileArchive, "put", away)
    dead = await pods.start("dead", table_archive_dir=tmp_path)
    (seated,) = await over(dead)
    await eventually(lambda: not dead.component.pod.tables)
    await dead.crash()
    monkeypatch.setattr(FileArchive, "put", put)
    heirs = [await pods.start(name, table_archive_dir=tmp_path) for name in ("heir-1", "heir-2")]
    await emptied(redis_url, set())
    assert sum(heir.sample("cardroom_table_archived_total") for heir in heirs) == 1
    assert FileArchive(tmp_path, "reader").table_ids() == [seated.table_id]
