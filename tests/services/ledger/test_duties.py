"""What the ledger does by itself, and that each alert's figure turns when it should (docs/operating-the-ledger.md)."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from cardroom.ledger.v1 import admin_pb2, audit_pb2, ledger_pb2

from deploy.local.redis_server import RedisServer
from services.ledger.adapters.keys import Keys
from services.ledger.adapters.segments import SegmentArchive
from services.ledger.app.audit import Auditor
from services.ledger.app.fold import BooksState
from services.ledger.values import RELIEF_FUND
from serving.errors import StartError
from serving.store import connect_redis
from tests.conftest import STORE_PATIENCE_MS, Mint
from tests.fakes.clock import FakeClock
from tests.services.ledger.wire import Wire, open_wire

MINUTE_MS = 60_000
COPY_MS = 1_000
SHOWN_MS = 10_000


async def becomes(clock: FakeClock, is_so: Callable[[], bool], ms: int = COPY_MS) -> None:
    """Let time pass in steps until it is so."""
    async with asyncio.timeout(60):
        while not is_so():
            await clock.run(ms=ms)
            await asyncio.sleep(0.01)


async def settle(wire: Wire, count: int, first: int = 1) -> None:
    for seq in range(first, first + count):
        await wire.ledger().Settle(wire.settlement(seq, 1))


def archive_in(folder: Path, **changed: object) -> dict[str, Any]:
    return {"ledger_archive_dir": folder, "archive_segment_entries": 10, "journal_kept_entries": 5, **changed}


async def test_the_journal_is_archived_and_trimmed_while_it_serves(
    ledger_redis_url: str, keys: Path, mint: Mint, tmp_path: Path
) -> None:
    clock = FakeClock()
    async with open_wire(ledger_redis_url, keys, mint, clock=clock, **archive_in(tmp_path)) as wire:
        await wire.seat("ann", "bob")
        await settle(wire, 30)
        await becomes(clock, lambda: wire.metric("archived_number", asset=wire.coins) == 33)
        await becomes(clock, lambda: wire.metric("journal_number", asset=wire.coins) == 33, SHOWN_MS)
        assert wire.metric("archive_right", asset=wire.coins) == 1
        assert wire.metric("supply_units", asset=wire.coins) == 20_000
        client = await connect_redis(ledger_redis_url, timeout_ms=STORE_PATIENCE_MS)
        assert await client.xlen(Keys.of(wire.coins).journal) < 10
        await client.aclose()
        books = await wire.audit().VerifyBooks(audit_pb2.VerifyBooksRequest(asset=wire.coins))
        assert (books.ok, books.entry_count) == (True, 33)
        coins = wire.coins
    # What came after the last copy is archived at the end.
    assert SegmentArchive(tmp_path).head(coins).number == 33


async def test_the_last_entries_are_archived_when_it_ends(
    ledger_redis_url: str, keys: Path, mint: Mint, tmp_path: Path
) -> None:
    async with open_wire(ledger_redis_url, keys, mint, clock=FakeClock(), **archive_in(tmp_path)) as wire:
        await wire.seat("ann", "bob")
        await settle(wire, 3)
        coins = wire.coins
    assert SegmentArchive(tmp_path).head(coins).number == 6


async def test_of_two_processes_one_writes_the_archive_and_the_other_takes_over(
    ledger_redis_url: str, keys: Path, mint: Mint, tmp_path: Path
) -> None:
    """Two releases run side by side for a while."""
    old_clock, new_clock = FakeClock(), FakeClock()
    async with open_wire(ledger_redis_url, keys, mint, clock=old_clock, **archive_in(tmp_path)) as old:
        await old.seat("ann", "bob")
        await becomes(old_clock, lambda: old.metric("archived_number", asset=old.coins) == 3)
        grants = {old.points: 1_000, old.coins: 10_000}
        changed = archive_in(tmp_path, opening_grants=grants)
        async with open_wire(ledger_redis_url, keys, mint, clock=new_clock, **changed) as new:
            new.coins = old.coins
            await settle(new, 2)
            await new_clock.run(ms=5 * COPY_MS)
            assert new.metric("archived_number", asset=new.coins) is None
            assert await old.server.stop()
            await becomes(new_clock, lambda: new.metric("archived_number", asset=new.coins) == 5)


async def test_a_copy_that_fails_turns_its_figure_and_nothing_is_trimmed(
    ledger_redis_url: str, keys: Path, mint: Mint, tmp_path: Path
) -> None:
    clock = FakeClock()
    async with open_wire(ledger_redis_url, keys, mint, clock=clock, **archive_in(tmp_path)) as wire:
        await wire.seat("ann", "bob")
        await becomes(clock, lambda: wire.metric("archived_number", asset=wire.coins) == 3)
        await settle(wire, 3)
        client = await connect_redis(ledger_redis_url, timeout_ms=STORE_PATIENCE_MS)
        key = Keys.of(wire.coins).journal
        await client.xdel(key, "5-0")
        await becomes(clock, lambda: wire.metric("archive_right", asset=wire.coins) == 0)
        assert wire.metric("archive_right", asset=wire.points) == 1
        length = await client.xlen(key)
        await settle(wire, 20, 4)
        await clock.run(ms=3 * COPY_MS)
        assert await client.xlen(key) == length + 20
        await client.aclose()


async def test_an_archive_that_cannot_be_read_is_said_at_the_start(
    ledger_redis_url: str, keys: Path, mint: Mint, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    changed = archive_in(tmp_path / "file" / "archive")
    with pytest.raises(StartError, match="CARDROOM_LEDGER_ARCHIVE_DIR"):
        async with open_wire(ledger_redis_url, keys, mint, **changed):
            pass


async def test_the_books_are_checked_every_hour_and_a_mismatch_turns_its_figure(
    ledger_redis_url: str, keys: Path, mint: Mint
) -> None:
    clock = FakeClock()
    async with open_wire(ledger_redis_url, keys, mint, clock=clock) as wire:
        await wire.seat("ann", "bob")
        await settle(wire, 3)
        assert wire.metric("books_right", asset=wire.coins) == 1
        began = wire.metric("books_checked_timestamp_seconds", asset=wire.coins)
        assert began == clock.now_ms() / 1000, "a check that never ends is missed from the start on"
        await becomes(
            clock, lambda: (wire.metric("books_checked_timestamp_seconds", asset=wire.coins) or 0) > began, MINUTE_MS
        )
        assert wire.metric("books_right", asset=wire.coins) == 1
        client = await connect_redis(ledger_redis_url, timeout_ms=STORE_PATIENCE_MS)
        await client.hincrby(Keys.of(wire.coins).balance, "ann", 5)
        await becomes(clock, lambda: wire.metric("books_right", asset=wire.coins) == 0, MINUTE_MS)
        assert wire.metric("books_right", asset=wire.points) == 1
        await settle(wire, 3, 4)
        await client.hincrby(Keys.of(wire.coins).balance, "ann", -5)
        assert wire.metric("books_right", asset=wire.coins) == 0
        await client.aclose()


async def test_a_look_that_found_nothing_is_gone_on_with(ledger_redis_url: str, keys: Path, mint: Mint) -> None:
    """The second hour's check reads what is new, and finds what is wrong with it all the same."""
    clock = FakeClock()
    async with open_wire(ledger_redis_url, keys, mint, clock=clock) as wire:
        await wire.seat("ann", "bob")
        await settle(wire, 3)

        def checked_at() -> float:
            return wire.metric("books_checked_timestamp_seconds", asset=wire.coins) or 0

        began = checked_at()
        await becomes(clock, lambda: checked_at() > began, MINUTE_MS)
        first = checked_at()
        await settle(wire, 3, 4)
        await becomes(clock, lambda: checked_at() > first, MINUTE_MS)
        assert wire.metric("books_right", asset=wire.coins) == 1
        await settle(wire, 1, 7)
        client = await connect_redis(ledger_redis_url, timeout_ms=STORE_PATIENCE_MS)
        await client.xtrim(Keys.of(wire.coins).journal, maxlen=0)
        second = checked_at()
        await becomes(clock, lambda: checked_at() > second, MINUTE_MS)
        assert wire.metric("books_right", asset=wire.coins) == 0
        await client.aclose()


async def test_a_check_that_fails_shows_books_that_are_not_right_and_goes_on(
    ledger_redis_url: str, keys: Path, mint: Mint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever somebody wrote into one asset's journal, the other is looked at, and it is looked at again."""
    clock, is_damaged = FakeClock(), True
    look_again = Auditor.look_again

    async def looked(self: Auditor, asset: str) -> BooksState:
        if is_damaged and asset == wire.coins:
            raise RecursionError
        return await look_again(self, asset)

    monkeypatch.setattr(Auditor, "look_again", looked)
    async with open_wire(ledger_redis_url, keys, mint, clock=clock) as wire:
        await wire.seat("ann", "bob")
        await becomes(clock, lambda: wire.metric("books_right", asset=wire.coins) == 0, MINUTE_MS)
        await becomes(
            clock, lambda: wire.metric("books_checked_timestamp_seconds", asset=wire.points) is not None, MINUTE_MS
        )
        assert wire.metric("books_right", asset=wire.points) == 1
        is_damaged = False
        await becomes(clock, lambda: wire.metric("books_right", asset=wire.coins) == 1, MINUTE_MS)


async def test_what_is_left_of_a_fund_is_shown(ledger_redis_url: str, keys: Path, mint: Mint) -> None:
    clock = FakeClock()
    async with open_wire(ledger_redis_url, keys, mint, clock=clock) as wire:
        await wire.seat("ann", "bob")
        admin = wire.admin()
        await admin.Grant(
            admin_pb2.GrantRequest(
                request_id=str(uuid4()), account_id=RELIEF_FUND, asset=wire.coins, amount=50, reason="this month's"
            )
        )
        await becomes(clock, lambda: wire.metric("fund_units", fund=RELIEF_FUND, asset=wire.coins) == 50, SHOWN_MS)
        await admin.GrantRelief(
            admin_pb2.GrantReliefRequest(
                request_id=str(uuid4()), account_id="ann", asset=wire.coins, amount=48, reason="broke"
            )
        )
        await becomes(clock, lambda: wire.metric("fund_units", fund=RELIEF_FUND, asset=wire.coins) == 2, SHOWN_MS)


async def test_books_that_lost_entries_under_a_running_ledger_turn_their_figure(
    tmp_path: Path, keys: Path, mint: Mint
) -> None:
    """Reliability 35; and they are open again when an operator says so."""
    server = RedisServer.start(tmp_path / "store")
    try:
        async with open_wire(server.url, keys, mint, clock=FakeClock()) as wire:
            await wire.seat("ann", "bob")
            await settle(wire, 3)
            assert wire.metric("books_open", asset=wire.coins) == 1
            client = await connect_redis(server.url, timeout_ms=STORE_PATIENCE_MS)
            await client.flushall()
            request = ledger_pb2.ClaimRequest(table_id="t1", asset=wire.coins, epoch=2)
            with pytest.raises(Exception, match="before what was acknowledged"):
                await wire.ledger().Claim(request)
            assert wire.metric("books_open", asset=wire.coins) == 0
            assert wire.metric("books_open", asset=wire.points) == 1
            resume = admin_pb2.ResumeBooksRequest(
                request_id=str(uuid4()), asset=wire.coins, journal_number=0, reason="somebody emptied the store"
            )
            await wire.admin().ResumeBooks(resume)
            assert wire.metric("books_open", asset=wire.coins) == 1
            await wire.ledger().Claim(request)
            await client.aclose()
    finally:
        server.stop()


async def test_series_do_not_grow_with_players_or_tables(wire: Wire) -> None:
    """Reliability 38."""
    await wire.seat("ann", "bob")
    await settle(wire, 2)
    before = {sample.name for family in wire.runtime.metrics.registry.collect() for sample in family.samples}
    count = sum(1 for family in wire.runtime.metrics.registry.collect() for _ in family.samples)
    for table in range(5):
        await wire.seat(f"p{table}-a", f"p{table}-b", table=f"t-{table}")
    assert {sample.name for family in wire.runtime.metrics.registry.collect() for sample in family.samples} == before
    assert sum(1 for family in wire.runtime.metrics.registry.collect() for _ in family.samples) == count
