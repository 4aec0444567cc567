"""The clock that tests hold behaves like the machine's, only when told."""

import asyncio

import pytest

from serving.runtime import SystemClock
from tests.fakes.clock import FakeClock, settle

pytestmark = pytest.mark.fast


async def test_sleepers_wake_in_order_of_time_and_those_cancelled_do_not(fake_clock: FakeClock) -> None:
    woken: list[tuple[str, int]] = []

    async def sleeper(name: str, ms: int, again_ms: int = 0) -> None:
        await fake_clock.sleep_ms(ms)
        woken.append((name, fake_clock.monotonic_ms() - start))
        if again_ms:
            await sleeper(name, again_ms)

    start = fake_clock.monotonic_ms()
    tasks = [asyncio.create_task(sleeper(*row)) for row in (("b", 200), ("a", 100, 50), ("c", 120), ("late", 900))]
    await settle()
    tasks[2].cancel()
    await fake_clock.run(ms=500)
    assert woken == [("a", 100), ("a", 150), ("b", 200)]
    assert fake_clock.sleeper_count == 1
    fake_clock.advance(seconds=0.4)
    await tasks[3]
    assert woken[-1] == ("late", 900)


async def test_a_jump_of_the_wall_clock_leaves_deadlines_alone(fake_clock: FakeClock) -> None:
    sleeper = asyncio.create_task(fake_clock.sleep_ms(10))
    wall, monotonic = fake_clock.now_ms(), fake_clock.monotonic_ms()
    fake_clock.jump(seconds=3600)
    await settle()
    assert (fake_clock.now_ms() - wall, fake_clock.monotonic_ms() - monotonic) == (3_600_000, 0)
    assert not sleeper.done()
    fake_clock.advance(ms=10)
    await sleeper


async def test_the_machines_clock_goes_on_by_itself() -> None:
    clock = SystemClock()
    before = clock.monotonic_ms()
    await clock.sleep_ms(5)
    await clock.sleep_ms(-5)
    assert clock.monotonic_ms() - before >= 4
    assert clock.now_ms() > 1_700_000_000_000
