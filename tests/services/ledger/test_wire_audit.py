"""What operators and players are shown, through real sockets: totals, journal, deals as they happen, statements."""

import asyncio
from collections.abc import Awaitable
from pathlib import Path
from typing import Any
from uuid import uuid4

import grpc
import pytest
from cardroom.ledger.v1 import account_pb2, admin_pb2, audit_pb2, ledger_pb2

from refusals import Reason, Refusal
from services.ledger.adapters.keys import Keys
from services.ledger.app.deals import HEARTBEAT_MS, POLL_MS
from services.ledger.app.entries import chain_hash
from services.ledger.app.titles import POINTS
from serving.refusing import refusal_of
from serving.store import connect_redis
from tests.conftest import STORE_PATIENCE_MS, Mint
from tests.fakes.clock import FakeClock
from tests.services.ledger.wire import Wire, open_wire, refused

Code = grpc.StatusCode


async def play(wire: Wire, deal: str, first_seq: int, *, penalty: int = 0) -> None:
    """A deal at table t1: Ann and Bob pay each other, perhaps a penalty, stakes are released."""
    table = wire.ledger()
    stake = ledger_pb2.ReserveStakeRequest(
        table_id="t1", epoch=1, deal_id=deal, asset=wire.coins, account_ids=["ann", "bob"], least_balance=1
    )
    assert (await table.ReserveStake(stake)).reserved
    for seq, (payer, payee) in enumerate([("ann", "bob"), ("bob", "ann")], first_seq):
        payment = ledger_pb2.LedgerPayment(payer=payer, payee=payee, amount=seq * 10, reason="win")
        await table.Settle(
            ledger_pb2.SettleRequest(
                table_id="t1", epoch=1, seq=seq, deal_id=deal, asset=wire.coins, payments=[payment]
            )
        )
    if penalty:
        await table.Penalize(
            ledger_pb2.PenalizeRequest(
                table_id="t1", epoch=1, seq=first_seq + 2, deal_id=deal, asset=wire.coins, account_id="ann",
                amount=penalty,
            )
        )  # fmt: skip
    await table.ReleaseStake(ledger_pb2.ReleaseStakeRequest(table_id="t1", epoch=1, deal_id=deal, asset=wire.coins))


async def open_accounts(wire: Wire, *accounts: str) -> None:
    for account in accounts:
        await wire.ledger("login").OpenAccount(ledger_pb2.OpenAccountRequest(account_id=account))


async def watched(wire: Wire, after: int, count: int) -> list[audit_pb2.WatchDealsResponse]:
    """The next messages of a stream that begins after a cursor."""
    stream = wire.audit().WatchDeals(audit_pb2.WatchDealsRequest(asset=wire.coins, after_number=after))
    seen = []
    async with asyncio.timeout(60):
        async for message in stream:
            seen.append(message)
            if len(seen) == count:
                break
    stream.cancel()
    return seen


async def test_deals_are_watched_from_a_cursor_and_finished_ones_are_added_up(wire: Wire) -> None:
    """PF-56, for risk and data teams: settlements in order, penalties, and what each deal brought whom."""
    await open_accounts(wire, "ann", "bob")
    await play(wire, "d1", 1, penalty=7)
    await play(wire, "d2", 4)
    seen = await watched(wire, 0, 7)
    assert [(row.WhichOneof("kind"), row.deal_id) for row in seen] == [
        ("settlement", "d1"), ("settlement", "d1"), ("settlement", "d1"), ("finished", "d1"),
        ("settlement", "d2"), ("settlement", "d2"), ("finished", "d2"),
    ]  # fmt: skip
    line = seen[2].settlement.lines[0]
    assert (line.payer, line.payee, line.asked, line.paid, line.reason) == ("ann", "system", 7, 7, "penalty")
    finished = seen[3].finished
    assert finished.settlement_count == 3
    assert {row.account_id: row.change for row in finished.results} == {"ann": 3, "bob": -10, "system": 7}
    assert {row.account_id: row.change for row in seen[6].finished.results} == {"ann": 10, "bob": -10}
    assert sum(row.change for row in finished.results) == 0
    for place in range(7):
        rest = await watched(wire, seen[place].cursor, 6 - place) if place < 6 else []
        assert rest == seen[place + 1 :]


async def test_a_watcher_sees_what_happens_while_it_watches(wire: Wire) -> None:
    await open_accounts(wire, "ann", "bob")
    watching = asyncio.create_task(watched(wire, 2, 5))
    await asyncio.sleep(0.1)
    await play(wire, "d1", 1)
    void = ledger_pb2.VoidRequest(
        table_id="t1", epoch=1, seq=3, deal_id="d1", asset=wire.coins, reason="a fault of the table"
    )
    await wire.ledger().Void(void)
    settled = (await wire.audit().GetTotals(audit_pb2.GetTotalsRequest(asset=wire.coins))).journal_number - 2
    reverse = admin_pb2.ReverseRequest(
        request_id=str(uuid4()), asset=wire.coins, journal_number=settled, reason="both were mistaken"
    )
    await wire.admin().Reverse(reverse)
    seen = await watching
    assert [row.WhichOneof("kind") for row in seen] == ["settlement", "settlement", "finished", "voided", "reversal"]
    assert (seen[3].voided.seq, seen[3].voided.reason) == (3, "a fault of the table")
    reversal = seen[4].reversal
    assert (reversal.reverses, reversal.actor, reversal.reason) == (settled, "op-1", "both were mistaken")
    assert [(line.payer, line.payee, line.paid) for line in reversal.lines] == [("ann", "bob", 20)]


async def test_a_watch_beats_when_nothing_happens_and_ends_with_a_goodbye(
    ledger_redis_url: str, keys: Path, mint: Mint
) -> None:
    clock = FakeClock()
    async with open_wire(ledger_redis_url, keys, mint, clock=clock, stream_max_age_ms=12 * HEARTBEAT_MS) as wire:
        await open_accounts(wire, "ann")
        stream = wire.audit().WatchDeals(audit_pb2.WatchDealsRequest(asset=wire.coins))

        async def messages() -> list[audit_pb2.WatchDealsResponse]:
            return [message async for message in stream]

        reading = asyncio.create_task(messages())
        async with asyncio.timeout(30):
            while not reading.done():
                await clock.run(ms=POLL_MS)
                await asyncio.sleep(0.002)
        kinds = [message.WhichOneof("kind") for message in reading.result()]
        assert kinds[-1] == "goodbye"
        assert kinds.count("heartbeat") >= 2
        assert {message.cursor for message in reading.result()} == {1}


async def test_a_watch_is_told_when_the_service_goes_down(ledger_redis_url: str, keys: Path, mint: Mint) -> None:
    async with open_wire(ledger_redis_url, keys, mint) as wire:
        stream = wire.audit().WatchDeals(audit_pb2.WatchDealsRequest(asset=wire.coins))

        async def messages() -> list[audit_pb2.WatchDealsResponse]:
            return [message async for message in stream]

        reading = asyncio.create_task(messages())
        async with asyncio.timeout(60):
            while not wire.server.in_flight:  # noqa: ASYNC110  the server rings no event
                await asyncio.sleep(0.01)
        assert await wire.server.stop()
        assert (await reading)[-1].WhichOneof("kind") == "goodbye"


async def test_the_exported_journal_can_be_checked_by_anybody(wire: Wire) -> None:
    await open_accounts(wire, "ann", "bob")
    for deal in range(1, 70):
        await play(wire, f"d{deal}", 2 * deal - 1)
    export = audit_pb2.ExportJournalRequest(asset=wire.coins)
    entries = [row async for message in wire.audit().ExportJournal(export) for row in message.entries]
    assert [row.number for row in entries] == list(range(1, 2 + 69 * 4 + 1))
    digest = ""
    for row in entries:
        digest = chain_hash(digest, row.body)
        assert row.hash == digest
    rest = audit_pb2.ExportJournalRequest(asset=wire.coins, after_number=270)
    assert [row async for message in wire.audit().ExportJournal(rest) for row in message.entries] == entries[270:]
    beyond = audit_pb2.ExportJournalRequest(asset=wire.coins, after_number=10_000)
    assert [message async for message in wire.audit().ExportJournal(beyond)] == []


async def test_totals_are_what_the_books_come_to(ledger_redis_url: str, keys: Path, mint: Mint, tmp_path: Path) -> None:
    async with open_wire(ledger_redis_url, keys, mint, ledger_archive_dir=tmp_path, archive_every_ms=10) as wire:
        await open_accounts(wire, "ann", "bob")
        await play(wire, "d1", 1, penalty=7)
        await wire.seat("cyd", table="t2")
        request = audit_pb2.GetTotalsRequest(asset=wire.coins)
        async with asyncio.timeout(60):
            while (totals := await wire.audit().GetTotals(request)).archived_number < 9:
                pass
        books = await wire.audit().VerifyBooks(audit_pb2.VerifyBooksRequest(asset=wire.coins))
        assert (totals.supply, totals.players_total, totals.penalties_total) == (30_000, 29_993, 7)
        assert (books.supply, books.players_total, books.penalties_total) == (30_000, 29_993, 7)
        assert (totals.account_count, totals.locked_count, totals.frozen_count) == (3, 1, 0)
        assert (totals.journal_number, totals.archived_number) == (9, 9)
        assert len(totals.journal_hash) == 40
        assert (totals.stopped, totals.wrong) == ("", False)


async def test_a_player_sees_his_own_account_and_no_other(wire: Wire) -> None:
    await open_accounts(wire, "ann", "bob")
    await play(wire, "d1", 1)
    mine = wire.account("player", "ann")
    state = await mine.GetAccount(account_pb2.GetAccountRequest())
    assert (state.account_id, [row.balance for row in state.balances]) == ("ann", [1_000, 10_010])
    request = account_pb2.ListStatementRequest(asset=wire.coins, page_size=2)
    page = await mine.ListStatement(request)
    assert [(row.change, row.balance_after, row.counterparty, row.deal_id) for row in page.lines] == [
        (20, 10_010, "bob", "d1"), (-10, 9_990, "bob", "d1"),
    ]  # fmt: skip
    assert page.lines[0].time.seconds > 1_700_000_000
    request.page_token = page.next_page_token
    last = await mine.ListStatement(request)
    assert [(row.kind, row.reason, row.change) for row in last.lines] == [("open", "opening", 10_000)]
    assert last.next_page_token == ""
    for other in (
        mine.GetAccount(account_pb2.GetAccountRequest(account_id="bob")),
        mine.ListStatement(account_pb2.ListStatementRequest(account_id="bob", asset=wire.coins)),
    ):
        code, refusal = await refused(other)
        assert (code, refusal.reason) == (Code.PERMISSION_DENIED, Reason.ROLE_NOT_ALLOWED)
    support = wire.account("operator", "op-1")
    seen = await support.ListStatement(account_pb2.ListStatementRequest(account_id="bob", asset=wire.coins))
    assert [row.change for row in seen.lines] == [-20, 10, 10_000]


async def test_an_account_has_the_title_of_its_points(ledger_redis_url: str, keys: Path, mint: Mint) -> None:
    """PF-60. The asset's name is fixed, so that its books are shared by all runs of this test on one store."""
    async with open_wire(ledger_redis_url, keys, mint, opening_grants={POINTS: 150}, robot_budget={}) as wire:
        player = f"p-{uuid4().hex}"
        await open_accounts(wire, player)
        state = await wire.account("player", player).GetAccount(account_pb2.GetAccountRequest())
        assert (state.title.name, state.title.points) == ("赌鬼", 100)
        assert (state.next_title.name, state.next_title.points) == ("赌徒", 200)
        code, _ = await refused(wire.account("player", "nobody").GetAccount(account_pb2.GetAccountRequest()))
        assert code is Code.NOT_FOUND


async def test_only_tables_void_and_penalize_and_only_operators_correct(wire: Wire) -> None:
    await wire.seat("ann", "bob")
    void = ledger_pb2.VoidRequest(table_id="t1", epoch=1, seq=1, deal_id="d1", asset=wire.coins, reason="x")
    penalty = ledger_pb2.PenalizeRequest(
        table_id="t1", epoch=1, seq=1, deal_id="d1", asset=wire.coins, account_id="ann", amount=1
    )
    request_id = str(uuid4())
    relief = admin_pb2.GrantReliefRequest(
        request_id=request_id, account_id="ann", asset=wire.coins, amount=1, reason="x"
    )
    freeze = admin_pb2.FreezeAccountRequest(request_id=request_id, account_id="ann", reason="x")
    unfreeze = admin_pb2.UnfreezeAccountRequest(request_id=request_id, account_id="ann", reason="x")
    reverse = admin_pb2.ReverseRequest(request_id=request_id, asset=wire.coins, journal_number=1, reason="x")
    resume = admin_pb2.ResumeBooksRequest(request_id=request_id, asset=wire.coins, journal_number=1, reason="x")
    for role in ("player", "login", "operator"):
        for call in (wire.ledger(role).Void(void), wire.ledger(role).Penalize(penalty)):
            assert (await refused(call))[0] is Code.PERMISSION_DENIED
    for role in ("player", "login", "table", "matchmaker"):
        admin, audit = wire.admin(role), wire.audit(role)
        corrections: tuple[Awaitable[object], ...] = (
            admin.GrantRelief(relief), admin.FreezeAccount(freeze), admin.UnfreezeAccount(unfreeze),
            admin.Reverse(reverse), admin.ResumeBooks(resume),
            audit.GetTotals(audit_pb2.GetTotalsRequest(asset=wire.coins)),
            audit.ExportJournal(audit_pb2.ExportJournalRequest(asset=wire.coins)).read(),
            audit.WatchDeals(audit_pb2.WatchDealsRequest(asset=wire.coins)).read(),
        )  # fmt: skip
        for correction in corrections:
            assert (await refused(correction))[0] is Code.PERMISSION_DENIED
    for role in ("table", "matchmaker", "login"):
        assert (await refused(wire.account(role).GetAccount(account_pb2.GetAccountRequest())))[
            0
        ] is Code.PERMISSION_DENIED
    request = ledger_pb2.GetBalancesRequest(account_ids=["ann"], asset=wire.coins)
    assert (await wire.ledger().GetBalances(request)).balances[0].balance == 10_000


async def test_every_refusal_of_an_operators_call_has_its_code(wire: Wire) -> None:
    await wire.seat("ann", "bob")
    settled = await wire.ledger().Settle(wire.settlement())
    admin = wire.admin()

    def reverse(number: int) -> Any:
        return admin.Reverse(
            admin_pb2.ReverseRequest(request_id=str(uuid4()), asset=wire.coins, journal_number=number, reason="x")
        )

    def relief(amount: int) -> Any:
        return admin.GrantRelief(
            admin_pb2.GrantReliefRequest(
                request_id=str(uuid4()), account_id="ann", asset=wire.coins, amount=amount, reason="x"
            )
        )

    resume = admin_pb2.ResumeBooksRequest(
        request_id=str(uuid4()), asset=wire.coins, journal_number=settled.journal_number, reason="x"
    )
    expected: list[tuple[Any, grpc.StatusCode, Reason]] = [
        (reverse(settled.journal_number), Code.FAILED_PRECONDITION, Reason.LOCKED_ELSEWHERE),
        (reverse(999), Code.NOT_FOUND, Reason.ENTRY_UNKNOWN),
        (relief(1), Code.FAILED_PRECONDITION, Reason.BUDGET_EXHAUSTED),
        (admin.ResumeBooks(resume), Code.INVALID_ARGUMENT, Reason.INVALID_FIELD),
    ]
    for call, code, reason in expected:
        got, refusal = await refused(call)
        assert (got, refusal.reason) == (code, reason)
    release = ledger_pb2.ReleaseStakeRequest(table_id="t1", epoch=1, deal_id="d1", asset=wire.coins)
    await wire.ledger().ReleaseStake(release)
    moved = await reverse(settled.journal_number)
    assert [(line.payer, line.paid, line.payer_balance_after) for line in moved.lines] == [("bob", 5, 10_000)]
    code, refusal = await refused(reverse(settled.journal_number))
    assert (code, refusal.reason) == (Code.ALREADY_EXISTS, Reason.ENTRY_REVERSED)
    assert dict(refusal.metadata) == {"journal_number": str(moved.journal_number)}


@pytest.mark.parametrize("stream", ["export", "watch"])
async def test_streams_of_an_asset_there_is_not_are_refused(wire: Wire, stream: str) -> None:
    audit = wire.audit()
    if stream == "export":
        call: Any = audit.ExportJournal(audit_pb2.ExportJournalRequest(asset="gold"))
    else:
        call = audit.WatchDeals(audit_pb2.WatchDealsRequest(asset="gold"))
    code, refusal = await refused(call.read())
    assert (code, refusal.field) == (Code.INVALID_ARGUMENT, "asset")


async def followed(wire: Wire, last_deal: str) -> list[str]:
    """The entries at which WatchDeals ends until a deal's release is seen, for a watcher who goes on behind each."""
    damaged: list[str] = []
    async with asyncio.timeout(60):
        while True:
            after = int(damaged[-1]) if damaged else 0
            stream = wire.audit().WatchDeals(audit_pb2.WatchDealsRequest(asset=wire.coins, after_number=after))
            try:
                async for message in stream:
                    if message.HasField("finished") and message.deal_id == last_deal:
                        return damaged
            except grpc.aio.AioRpcError as error:
                refusal = refusal_of(error)
                assert refusal is not None
                damaged.append(refusal.metadata["journal_number"])


async def streamed(stream: Any) -> tuple[list[Any], Refusal]:
    """What came before a stream was refused, and the refusal."""
    seen: list[Any] = []

    async def read() -> None:
        async for message in stream:
            seen.append(message)

    async with asyncio.timeout(60):
        code, refusal = await refused(read())
    assert code is Code.DATA_LOSS
    return seen, refusal


@pytest.mark.parametrize("damage", ["gone", "deep", "no text"])
async def test_a_stream_ends_at_an_entry_that_is_missing_and_names_it(
    wire: Wire, ledger_redis_url: str, damage: str
) -> None:
    """In order, without gaps: nobody who copies the journal takes a part of it for the whole."""
    await open_accounts(wire, "ann", "bob")
    await play(wire, "d1", 1)
    await play(wire, "d2", 3)
    key = Keys.of(wire.coins).journal
    client = await connect_redis(ledger_redis_url, timeout_ms=STORE_PATIENCE_MS)
    rows: Any = await client.xrange(key)
    await client.delete(key)
    for entry, fields in rows:
        if entry == b"5-0" and damage == "gone":
            continue
        if entry == b"5-0":
            fields[b"body"] = b"[" * 100_000 if damage == "deep" else b"\xff"
        await client.xadd(key, fields, id=entry)
    await client.aclose()
    deals = wire.audit().WatchDeals(audit_pb2.WatchDealsRequest(asset=wire.coins))
    seen, refusal = await streamed(deals)
    assert [row.cursor for row in seen] == [4]
    assert (refusal.reason, dict(refusal.metadata)) == (Reason.JOURNAL_DAMAGED, {"journal_number": "5"})
    assert await followed(wire, "d2") == ["5", "6"], "the entry, and the release of the deal that it was of"
    export = audit_pb2.ExportJournalRequest(asset=wire.coins)
    if damage == "deep":  # text is exported as it is stored
        messages = [message async for message in wire.audit().ExportJournal(export)]
        assert [row.number for message in messages for row in message.entries] == list(range(1, 11))
        return
    seen, refusal = await streamed(wire.audit().ExportJournal(export))
    assert [row.number for message in seen for row in message.entries] == [1, 2, 3, 4]
    assert (refusal.reason, dict(refusal.metadata)) == (Reason.JOURNAL_DAMAGED, {"journal_number": "5"})
    export.after_number = 5
    messages = [message async for message in wire.audit().ExportJournal(export)]
    assert [row.number for message in messages for row in message.entries] == [6, 7, 8, 9, 10]


@pytest.mark.parametrize("damage", ["gone", "renamed", "edited"])
async def test_what_needs_an_entry_that_the_archive_has_lost_is_refused_with_its_number(
    ledger_redis_url: str, keys: Path, mint: Mint, tmp_path: Path, damage: str
) -> None:
    """PF-53, PF-56."""
    changed: dict[str, Any] = {"archive_every_ms": 10, "archive_segment_entries": 5, "journal_kept_entries": 3}
    async with open_wire(ledger_redis_url, keys, mint, ledger_archive_dir=tmp_path, **changed) as wire:
        await wire.seat("ann", "bob")
        for seq in range(1, 31):
            await wire.ledger().Settle(wire.settlement(seq, 1))
        totals = audit_pb2.GetTotalsRequest(asset=wire.coins)
        async with asyncio.timeout(60):
            while (await wire.audit().GetTotals(totals)).archived_number < 33:
                pass
        path = tmp_path / wire.coins / "0000000000000006.seg"
        if damage == "gone":
            path.unlink()
        elif damage == "renamed":
            path.rename(path.with_name("0000000000000007.seg"))
        else:
            path.chmod(0o644)
            path.write_bytes(path.read_bytes().replace(b'"legs":[[', b'"legs":' + b"[" * 100_000))
        old = wire.ledger().Settle(wire.settlement(3, 1))
        lines = wire.account("operator").ListStatement(
            account_pb2.ListStatementRequest(account_id="ann", asset=wire.coins, page_size=200)
        )
        reverse = wire.admin().Reverse(
            admin_pb2.ReverseRequest(request_id=str(uuid4()), asset=wire.coins, journal_number=6, reason="x")
        )
        for call, number in ((old, "10"), (lines, "10"), (reverse, "6")):
            code, refusal = await refused(call)
            assert (code, refusal.reason) == (Code.DATA_LOSS, Reason.JOURNAL_DAMAGED)
            assert dict(refusal.metadata) == {"journal_number": number}
        export = audit_pb2.ExportJournalRequest(asset=wire.coins)
        if damage != "edited":
            seen, refusal = await streamed(wire.audit().ExportJournal(export))
            assert [row.number for message in seen for row in message.entries] == [1, 2, 3, 4, 5]
            assert refusal.metadata["journal_number"] == "6"
