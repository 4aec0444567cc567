"""Tables come and go, and leave nothing behind but their logs for a while (reliability 21)."""

import asyncio

from redis.asyncio import Redis

from services.table.app.table_time import Alarms, TableTime
from tests.fakes.clock import FakeClock
from tests.services.table.rig import Pods, eventually, gathered, new_table_id

COUNT = 200


async def test_tables_that_end_leave_memory_and_store_as_they_were_row_21(
    pods: Pods, fake_clock: FakeClock, redis_url: str
) -> None:
    pod = await pods.start(clock=fake_clock, slot_count=COUNT, pod_lease_ms=3_600_000)
    control = pod.control("matchmaker")
    redis = Redis.from_url(redis_url)
    watched = await gathered(await pod.create(new_table_id()))
    for player in watched:
        await player.close()
    tables = pod.component.pod
    baseline = len(asyncio.all_tasks())
    names = [new_table_id() for _ in range(COUNT - 1)]
    await asyncio.gather(
        *(control.CreateTable(pod.create_request(name, [f"{name}{seat}"[-60:] for seat in range(4)])) for name in names)
    )
    assert len(tables.tables) == COUNT
    assert pod.sample("cardroom_table_slots_used") == COUNT
    fake_clock.advance(seconds=31)  # nobody comes: all of them end
    await eventually(lambda: not tables.tables)
    assert set(pods.seats.released) >= set(names)
    await eventually(lambda: len(asyncio.all_tasks()) <= baseline)
    assert pod.sample("cardroom_table_slots_used") == 0
    assert pod.sample("cardroom_table_viewers") == 0
    assert await redis.smembers(f"{{tables}}:of:{pod.name}") == set()
    left = {key.rpartition(b":")[2] async for key in redis.scan_iter(match="{t-*")}
    assert left == {b"log", b"meta"}
    fates = [await redis.pttl(f"{{{name}}}:{part}") for name in names[:20] for part in ("log", "meta")]
    assert all(0 < fate <= pod.settings.keep_log_ms for fate in fates)
    await redis.aclose()


def test_alarms_of_viewers_that_left_do_not_pile_up_row_21(fake_clock: FakeClock) -> None:
    alarms = Alarms(TableTime(fake_clock), fake_clock)
    kept = [alarms.set(at_ms, lambda: None) for at_ms in range(100)]
    most = 0
    for _ in range(50 * COUNT):
        alarms.set(3_600_000, lambda: None).cancel()
        most = max(most, len(alarms))
    assert most < 10 * COUNT
    assert all(alarm.waits for alarm in kept)
    assert len(alarms) >= len(kept)
