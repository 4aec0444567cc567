"""The ledger through real sockets: roles, codes, facts, repeats."""

import asyncio
import json
from collections.abc import Awaitable
from uuid import uuid4

import grpc
import pytest
from cardroom.ledger.v1 import admin_pb2, audit_pb2, ledger_pb2

from refusals import Reason
from services.ledger.values import UNITS_MAX
from tests.services.ledger.wire import Wire, refused

Code = grpc.StatusCode


async def test_a_deal_from_opening_to_released_stakes_adds_up(wire: Wire) -> None:
    """PF-50..55, as a table lives it."""
    opened = await wire.ledger("login").OpenAccount(ledger_pb2.OpenAccountRequest(account_id="ann"))
    assert opened.opened
    assert {row.asset: row.balance for row in opened.balances} == {wire.points: 1_000, wire.coins: 10_000}
    await wire.seat("ann", "bob")
    table = wire.ledger()
    claimed = await table.Claim(ledger_pb2.ClaimRequest(table_id="t1", asset=wire.coins, epoch=2))
    assert (claimed.last_seq, claimed.HasField("last_result")) == (0, False)

    request = wire.settlement()
    request.epoch = 2
    penalty = ledger_pb2.LedgerPayment(payer="bob", payee="system", amount=20_000, reason="penalty")
    request.payments.append(penalty)
    first = await table.Settle(request)
    assert [(line.asked, line.paid) for line in first.lines] == [(5, 5), (20_000, 10_005)]
    assert (first.lines[1].payer_balance_after, first.lines[1].payee_balance_after) == (0, 10_005)
    again = await table.Settle(request)
    assert again.duplicate
    again.duplicate = False
    assert again == first
    claimed = await table.Claim(ledger_pb2.ClaimRequest(table_id="t1", asset=wire.coins, epoch=3))
    assert (claimed.last_seq, list(claimed.last_result.lines)) == (1, list(first.lines))

    release = ledger_pb2.ReleaseStakeRequest(table_id="t1", epoch=3, deal_id="d1", asset=wire.coins)
    assert list((await table.ReleaseStake(release)).account_ids) == ["ann", "bob"]
    assert list((await table.ReleaseStake(release)).account_ids) == []
    books = await wire.audit().VerifyBooks(audit_pb2.VerifyBooksRequest(asset=wire.coins))
    assert (books.ok, books.supply, books.players_total, books.penalties_total, books.sum_total) == (
        True,
        20_000,
        9_995,
        10_005,
        0,
    )


async def test_an_operator_frees_the_stake_of_a_table_that_is_no_more_and_says_why(wire: Wire) -> None:
    """PF-55; and no other role but the table's."""
    await wire.seat("ann", "bob")
    request = ledger_pb2.ReleaseStakeRequest(table_id="t1", epoch=1, asset=wire.coins)
    _, refusal = await refused(wire.ledger("operator").ReleaseStake(request))
    assert (refusal.reason, refusal.field) == (Reason.INVALID_FIELD, "reason")
    _, refusal = await refused(wire.ledger("login").ReleaseStake(request))
    assert refusal.reason is Reason.ROLE_NOT_ALLOWED
    request.reason = "its log is lost with its store"
    assert list((await wire.ledger("operator").ReleaseStake(request)).account_ids) == ["ann", "bob"]
    export = audit_pb2.ExportJournalRequest(asset=wire.coins)
    last = json.loads([row.body async for message in wire.audit().ExportJournal(export) for row in message.entries][-1])
    assert (last["kind"], last["why"], last["actor"]) == ("release", request.reason, "table-0")


async def test_balances_show_who_has_locked_them(wire: Wire) -> None:
    await wire.seat("ann", "bob")
    request = ledger_pb2.GetBalancesRequest(account_ids=["bob", "ann"], asset=wire.coins)
    rows = (await wire.ledger("matchmaker").GetBalances(request)).balances
    assert [(row.account_id, row.balance, row.locked_by_table_id) for row in rows] == [
        ("bob", 10_000, "t1"),
        ("ann", 10_000, "t1"),
    ]


async def test_a_refused_reservation_names_each_seat(wire: Wire) -> None:
    await wire.seat("ann")
    rows = await wire.ledger().ReserveStake(
        ledger_pb2.ReserveStakeRequest(
            table_id="t2", epoch=1, deal_id="d1", asset=wire.coins, account_ids=["ann", "eve"], least_balance=1
        )
    )
    assert not rows.reserved
    assert [row.refusal for row in rows.rows] == [
        ledger_pb2.STAKE_REFUSAL_LOCKED_ELSEWHERE,
        ledger_pb2.STAKE_REFUSAL_ACCOUNT_UNKNOWN,
    ]


@pytest.mark.parametrize("role", ["player", "seat", "login", "matchmaker", "operator", "scoring-caller", None])
async def test_only_tables_settle(wire: Wire, role: str | None) -> None:
    await wire.seat("ann", "bob")
    if role == "seat":
        token = wire.mint("seat", "ann", table_id="t1", seat=0)
        call = wire.ledger(None).Settle(wire.settlement(), metadata=(("authorization", f"Bearer {token}"),))
    else:
        call = wire.ledger(role).Settle(wire.settlement())
    code, refusal = await refused(call)
    expected = (Code.UNAUTHENTICATED, Reason.TOKEN_MISSING)
    assert (code, refusal.reason) == (expected if role is None else (Code.PERMISSION_DENIED, Reason.ROLE_NOT_ALLOWED))
    request = ledger_pb2.GetBalancesRequest(account_ids=["ann", "bob"], asset=wire.coins)
    assert [row.balance for row in (await wire.ledger().GetBalances(request)).balances] == [10_000, 10_000]


async def test_only_operators_grant_and_look_at_the_books(wire: Wire) -> None:
    grant = admin_pb2.GrantRequest(
        request_id=str(uuid4()), account_id="ann", asset=wire.coins, amount=5, reason="a prize"
    )
    for role in ("player", "table", "login"):
        assert (await refused(wire.admin(role).Grant(grant)))[1].reason is Reason.ROLE_NOT_ALLOWED
        verify = audit_pb2.VerifyBooksRequest(asset=wire.coins)
        assert (await refused(wire.audit(role).VerifyBooks(verify)))[1].reason is Reason.ROLE_NOT_ALLOWED
    await wire.seat("ann")
    granted = await wire.admin().Grant(grant)
    assert (granted.balance_after, granted.duplicate) == (10_005, False)
    assert (await wire.admin().Grant(grant)).duplicate


async def test_each_refusal_has_its_code_and_facts(wire: Wire) -> None:
    await wire.seat("ann", "bob")
    table = wire.ledger()
    await table.Settle(wire.settlement(1))
    fenced = ledger_pb2.ClaimRequest(table_id="t9", asset=wire.coins, epoch=4)
    await table.Claim(fenced)
    fenced.epoch = 3
    stranger = wire.settlement(2)
    stranger.payments[0].payee = "eve"
    expected: list[tuple[Awaitable[object], grpc.StatusCode, Reason, dict[str, str]]] = [
        (table.Settle(wire.settlement(1, 6)), Code.ALREADY_EXISTS, Reason.SETTLEMENT_CONFLICT, {"last_seq": "1"}),
        (table.Settle(wire.settlement(3)), Code.FAILED_PRECONDITION, Reason.SETTLEMENT_GAP, {"last_seq": "1"}),
        (table.Claim(fenced), Code.ABORTED, Reason.FENCED, {"epoch": "4"}),
        (table.Settle(stranger), Code.NOT_FOUND, Reason.ACCOUNT_UNKNOWN, {"account_id": "eve"}),
        (table.Settle(wire.settlement(1, table="t2")), Code.FAILED_PRECONDITION, Reason.STAKE_MISSING,
         {"account_id": "ann"}),
        (table.Settle(wire.settlement(2, UNITS_MAX + 1)), Code.OUT_OF_RANGE, Reason.AMOUNT_LIMIT, {}),
    ]  # fmt: skip
    for call, code, reason, facts in expected:
        got, refusal = await refused(call)
        assert (got, refusal.reason, dict(refusal.metadata)) == (code, reason, facts)


async def test_a_malformed_request_names_its_field(wire: Wire) -> None:
    request = wire.settlement()
    request.payments.append(ledger_pb2.LedgerPayment(payer="ann", payee="bob", amount=-1, reason="win"))
    code, refusal = await refused(wire.ledger().Settle(request))
    assert (code, refusal.reason, refusal.field) == (
        Code.INVALID_ARGUMENT,
        Reason.INVALID_FIELD,
        "payments[1].amount",
    )


async def test_a_thousand_callers_of_one_settlement_get_one_answer(wire: Wire) -> None:
    """Reliability 32, through the socket."""
    await wire.seat("ann", "bob")
    table = wire.ledger()

    async def settled() -> ledger_pb2.SettleResponse:
        while True:
            try:
                return await table.Settle(wire.settlement())
            except grpc.aio.AioRpcError as error:  # a starved machine: not known whether it happened, so once more
                if error.code() not in (Code.DEADLINE_EXCEEDED, Code.UNAVAILABLE, Code.RESOURCE_EXHAUSTED):
                    raise
            await asyncio.sleep(0.1)

    async with asyncio.timeout(120):
        answers = await asyncio.gather(*(settled() for _ in range(1000)))
    assert sum(not answer.duplicate for answer in answers) <= 1
    for answer in answers:
        answer.duplicate = False
    assert {answer.SerializeToString(deterministic=True) for answer in answers} == {
        answers[0].SerializeToString(deterministic=True)
    }
    request = ledger_pb2.GetBalancesRequest(account_ids=["ann", "bob"], asset=wire.coins)
    assert [row.balance for row in (await table.GetBalances(request)).balances] == [9_995, 10_005], "more than once"
