"""What operators do: relief out of a budget, robots, frozen accounts, corrections. Each with actor and reason."""

import asyncio
import json
from dataclasses import replace
from uuid import uuid4

import pytest

from refusals import Reason
from services.ledger.adapters.keys import Keys
from services.ledger.app.books import Books
from services.ledger.app.corrections import Corrections
from services.ledger.app.fold import FAULTS_MAX
from services.ledger.app.funds import Funds
from services.ledger.ports import Call
from services.ledger.values import (
    PENALTIES,
    RELIEF_FUND,
    ROBOTS_FUND,
    EntryKind,
    Freeze,
    Grant,
    Group,
    Leg,
    Line,
    Resumption,
    Reversal,
    Stake,
    StakeRefusal,
)
from tests.services.ledger.rig import CALL, Rig, new_asset, refused

OPERATOR = Call("op-1")


def grant(asset: str, account: str, amount: int, request_id: str = "") -> Grant:
    return Grant(request_id or str(uuid4()), account, asset, amount, "because")


def freeze(account: str, verb: EntryKind = EntryKind.FREEZE) -> Freeze:
    return Freeze(str(uuid4()), account, verb, "a complaint")


def reversal(asset: str, number: int) -> Reversal:
    return Reversal(str(uuid4()), asset, number, "paid by mistake")


async def kinds(rig: Rig, asset: str) -> list[str]:
    return [json.loads(entry.body)["kind"] for entry in await rig.store.next_entries(asset, 0, 100)]


# Relief and robots


async def test_relief_comes_out_of_a_fund_that_begins_with_its_budget_and_ends(rig: Rig) -> None:
    """PF-50: the supply grows by the budget, once; what the fund has not is not given."""
    asset = new_asset()
    funds = Funds({asset: 0}, {RELIEF_FUND: {asset: 100}})
    books, operators = Books(rig.store, funds), Corrections(rig.store, funds)
    await books.open_account("ann", CALL)
    first = await operators.relieve(grant(asset, "ann", 60), OPERATOR)
    assert (first.after, await rig.units(asset, "issuance", RELIEF_FUND, "ann")) == (60, [-100, 40, 60])
    short = await refused(operators.relieve(grant(asset, "ann", 41), OPERATOR))
    assert (short.reason, dict(short.metadata)) == (Reason.BUDGET_EXHAUSTED, {"account_id": RELIEF_FUND})
    await operators.relieve(grant(asset, "ann", 40), OPERATOR)
    assert (await refused(operators.relieve(grant(asset, "ann", 1), OPERATOR))).reason is Reason.BUDGET_EXHAUSTED
    await operators.grant(grant(asset, RELIEF_FUND, 5), OPERATOR)
    await operators.relieve(grant(asset, "ann", 5), OPERATOR)
    assert await rig.units(asset, "issuance", RELIEF_FUND, "ann") == [-105, 0, 105]
    assert await kinds(rig, asset) == ["open", "relief", "relief", "grant", "relief"]
    state = await rig.verify(asset)
    assert (state.faults, state.supply, state.funds_total, state.players_total) == ((), 105, 0, 105)


async def test_relief_again_gives_nothing_and_is_no_grant(rig: Rig) -> None:
    """PF-53, for operators."""
    asset = new_asset()
    operators = Corrections(rig.store, Funds({asset: 0}, {RELIEF_FUND: {asset: 100}}))
    await rig.open("ann", asset, 0)
    asked = grant(asset, "ann", 7)
    answers = await asyncio.gather(*(operators.relieve(asked, OPERATOR) for _ in range(30)))
    assert {(answer.number, answer.after) for answer in answers} == {(2, 7)}
    assert sum(not answer.duplicate for answer in answers) == 1
    assert (await refused(operators.grant(asked, OPERATOR))).reason is Reason.REQUEST_ID_REUSED
    assert (await refused(operators.relieve(replace(asked, amount=8), OPERATOR))).reason is Reason.REQUEST_ID_REUSED


async def test_a_fund_that_is_granted_something_first_has_its_budget_too(rig: Rig) -> None:
    asset = new_asset()
    operators = Corrections(rig.store, Funds({asset: 0}, {RELIEF_FUND: {asset: 100}}))
    assert (await operators.grant(grant(asset, RELIEF_FUND, 5), OPERATOR)).after == 105
    assert (await operators.grant(grant(asset, RELIEF_FUND, 5), OPERATOR)).after == 110


async def test_robots_begin_with_money_of_their_fund_while_it_lasts(rig: Rig) -> None:
    asset = new_asset()
    funds = Funds({asset: 40}, {ROBOTS_FUND: {asset: 100}})
    books, operators = Books(rig.store, funds), Corrections(rig.store, funds)
    for robot in ("robot:1", "robot:2", "robot:1"):
        await books.open_account(robot, CALL)
    assert await rig.units(asset, "issuance", ROBOTS_FUND, "robot:1", "robot:2") == [-100, 20, 40, 40]
    assert (await refused(books.open_account("robot:3", CALL))).reason is Reason.BUDGET_EXHAUSTED
    await operators.relieve(grant(asset, "robot:2", 20), OPERATOR)
    assert await rig.units(asset, ROBOTS_FUND, "robot:2") == [0, 60]
    await books.open_account("ann", CALL)
    assert await rig.units(asset, "issuance", "ann") == [-140, 40]
    assert not (await rig.verify(asset)).faults


@pytest.mark.parametrize("account", [RELIEF_FUND, ROBOTS_FUND, "fund:other", "sys:op"])
async def test_no_player_has_an_account_of_the_system(rig: Rig, account: str) -> None:
    asset = new_asset()
    books, operators = rig.books(asset), rig.corrections(asset)
    await rig.open("ann", asset, 50)
    for call in (
        books.open_account(account, CALL),
        books.reserve(Stake("t1", 1, "d1", asset, (account,), 0), CALL),
        operators.relieve(grant(asset, account, 1), OPERATOR),
        operators.freeze(freeze(account), OPERATOR),
        rig.settle(asset, 1, [Leg("ann", account, 1, "win")]),
        rig.settle(asset, 1, [Leg(account, "ann", 1, "win")]),
    ):
        assert (await refused(call)).reason is Reason.INVALID_FIELD


async def test_a_request_id_belongs_to_one_content_whichever_asset_comes_first(rig: Rig) -> None:
    """PF-53: of calls that race with one id in several assets, all but those of one content are refused."""
    assets = [new_asset() for _ in range(8)]
    operators = rig.corrections(*assets)
    for asset in assets:
        await rig.open("ann", asset, 0)
    for _ in range(10):
        request_id = str(uuid4())
        calls = [operators.grant(grant(asset, "ann", 1, request_id), OPERATOR) for asset in assets]
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        assert sum(not isinstance(outcome, Exception) for outcome in outcomes) == 1
    assert sum([(await rig.units(asset, "ann"))[0] for asset in assets]) == 10


async def test_books_that_are_wrong_grant_nothing_until_a_check_finds_them_right(rig: Rig) -> None:
    asset = new_asset()
    operators = Corrections(rig.store, Funds({asset: 0}, {RELIEF_FUND: {asset: 100}}))
    await rig.open("ann", asset, 5)
    await rig.open("bob", asset, 5)
    await rig.reserve(asset, "t1", ["ann", "bob"])
    asked = grant(asset, "ann", 1)
    await operators.grant(asked, OPERATOR)
    await rig.client.hincrby(Keys.of(asset).balance, "ann", 1)
    assert (await rig.verify(asset)).faults
    assert (await rig.store.totals(asset)).wrong
    for call in (
        operators.grant(grant(asset, "ann", 1), OPERATOR),
        operators.relieve(grant(asset, "ann", 1), OPERATOR),
    ):
        assert (await refused(call)).reason is Reason.BOOKS_WRONG
    assert (await operators.grant(asked, OPERATOR)).duplicate
    await rig.client.hincrby(Keys.of(asset).balance, "ann", -1)
    assert not (await rig.verify(asset)).faults
    await operators.grant(grant(asset, "ann", 1), OPERATOR)


async def test_wrong_figures_in_entries_are_accepted_by_an_operator_and_stay_in_sight(rig: Rig) -> None:
    """A balance is altered, play goes on with it, and it is set right by hand: no correction mends the entries."""
    asset = await rig.seated("t1", {"ann": 5, "bob": 5})
    operators = rig.corrections(asset)
    await rig.client.hincrby(Keys.of(asset).balance, "ann", 1)
    settled = await rig.settle(asset, 1, [Leg("ann", "bob", 2, "win")])
    await rig.client.hincrby(Keys.of(asset).balance, "ann", -1)
    state = await rig.verify(asset)
    assert [(fault.kind, fault.account, fault.number) for fault in state.faults] == [("balance", "ann", settled.number)]

    too_early = Resumption(str(uuid4()), asset, settled.number - 1, "looked at it")
    await operators.resume(too_early, OPERATOR)
    assert (await rig.verify(asset)).faults == state.faults
    await rig.settle(asset, 2, [Leg("ann", "bob", 1, "win")])
    ahead = await refused(operators.resume(replace(too_early, request_id=str(uuid4()), number=99), OPERATOR))
    assert ahead.reason is Reason.INVALID_FIELD
    number, lost_count = await operators.resume(
        Resumption(str(uuid4()), asset, settled.number, "the intern; set right by hand"), OPERATOR
    )
    assert (number, lost_count) == (settled.number + 3, 0)
    accepted = await rig.verify(asset)
    assert (accepted.faults, accepted.accepted) == ((), state.faults)
    await operators.grant(grant(asset, "ann", 1), OPERATOR)
    over = await refused(operators.resume(replace(too_early, request_id=str(uuid4())), OPERATOR))
    assert (over.reason, over.field) == (Reason.INVALID_FIELD, "asset")


async def test_a_broken_chain_cannot_be_accepted(rig: Rig) -> None:
    asset = await rig.seated("t1", {"ann": 5, "bob": 5})
    await rig.client.xdel(Keys.of(asset).journal, "2-0")
    assert (await rig.verify(asset)).faults
    await rig.corrections(asset).resume(Resumption(str(uuid4()), asset, 3, "looked at it"), OPERATOR)
    assert {fault.kind for fault in (await rig.verify(asset)).faults} >= {"gap", "chain"}


@pytest.mark.parametrize("broken", [False, True])
async def test_more_wrong_figures_than_are_noted_are_accepted_and_nothing_behind_them(
    rig: Rig, *, broken: bool
) -> None:
    """One altered balance makes every later entry of its account wrong; a broken chain stays one."""
    asset = await rig.seated("t1", {"ann": 500, "bob": 500})
    await rig.client.hincrby(Keys.of(asset).balance, "ann", 1)
    for seq in range(1, FAULTS_MAX + 20):
        await rig.settle(asset, seq, [Leg("ann", "bob", 1, "win")])
    await rig.client.hincrby(Keys.of(asset).balance, "ann", -1)
    number = (await rig.store.head(asset)).number
    if broken:
        await rig.client.xdel(Keys.of(asset).journal, f"{number - 1}-0")
    state = await rig.verify(asset)
    assert sum(fault.is_figure for fault in state.faults) == FAULTS_MAX
    corrections = rig.corrections(asset)
    await corrections.resume(Resumption(str(uuid4()), asset, number - 5, "looked at it"), OPERATOR)
    assert (await rig.verify(asset)).faults, "the last five are not accepted"
    await corrections.resume(Resumption(str(uuid4()), asset, number, "looked at it"), OPERATOR)
    kinds = {fault.kind for fault in (await rig.verify(asset)).faults}
    assert kinds >= {"gap", "chain"} if broken else not kinds


# Frozen accounts


async def test_freezing_a_player_at_a_table_takes_effect_when_his_stake_is_released(rig: Rig) -> None:
    """No deal stops half way: he pays, wins and is penalized to its end, and is not reserved again."""
    asset = await rig.seated("t1", {"ann": 50, "bob": 50})
    operators, books = rig.corrections(asset), rig.books(asset)
    balances, duplicate = await operators.freeze(freeze("ann"), OPERATOR)
    assert (balances[0].frozen, balances[0].locked_by, duplicate) == (True, "t1", False)
    stake = Stake("t1", 1, "d1", asset, ("ann", "bob"), 0)
    assert (await rig.store.reserve(stake, CALL)).reserved
    await rig.settle(asset, 1, [Leg("ann", "bob", 5, "win"), Leg("bob", "ann", 3, "win")])
    await rig.settle(asset, 2, [Leg("ann", "system", 4, "penalty")])
    assert await rig.units(asset, "ann", "bob", PENALTIES) == [44, 52, 4]
    await rig.store.release("t1", 1, "d1", asset, CALL)
    rows = (await rig.store.reserve(replace(stake, deal="d2"), CALL)).rows
    assert [row.refusal for row in rows] == [StakeRefusal.FROZEN, StakeRefusal.NONE]
    await operators.grant(grant(asset, "ann", 6), OPERATOR)
    await rig.reserve(asset, "t2", ["bob"])
    await rig.settle(asset, 1, [Leg("bob", "ann", 2, "rain")], table="t2")
    assert await rig.units(asset, "ann") == [52]
    await operators.freeze(freeze("ann", EntryKind.UNFREEZE), OPERATOR)
    await books.release("t2", 1, "d1", asset, CALL)
    assert (await rig.store.reserve(replace(stake, deal="d3"), CALL)).reserved


async def test_freezing_is_journaled_in_every_asset_and_done_once_a_request(rig: Rig) -> None:
    assets = [new_asset(), new_asset()]
    for asset in assets:
        await rig.open("ann", asset, 5)
    operators = rig.corrections(*assets)
    asked = freeze("ann")
    assert not (await operators.freeze(asked, OPERATOR))[1]
    balances, duplicate = await operators.freeze(asked, OPERATOR)
    assert (duplicate, [balance.frozen for balance in balances]) == (True, [True, True])
    reused = await refused(operators.freeze(replace(asked, verb=EntryKind.UNFREEZE), OPERATOR))
    assert reused.reason is Reason.REQUEST_ID_REUSED
    assert (await refused(operators.freeze(freeze("eve"), OPERATOR))).reason is Reason.ACCOUNT_UNKNOWN
    for asset in assets:
        assert await kinds(rig, asset) == ["open", "freeze"]
        body = json.loads((await rig.store.entries(asset, 1, 1))[0].body)
        assert (body["actor"], body["why"], body["accounts"]) == ("op-1", "a complaint", ["ann"])


async def test_an_account_frozen_or_freed_behind_the_ledgers_back_is_named(rig: Rig) -> None:
    asset = new_asset()
    for account in ("ann", "bob", "cyd"):
        await rig.open(account, asset, 5)
    for account in ("ann", "bob"):
        await rig.corrections(asset).freeze(freeze(account), OPERATOR)
    await rig.corrections(asset).freeze(freeze("bob", EntryKind.UNFREEZE), OPERATOR)
    assert not (await rig.verify(asset)).faults
    await rig.client.srem(Keys.of(asset).frozen, "ann")
    await rig.client.sadd(Keys.of(asset).frozen, "cyd")
    assert {(fault.kind, fault.account) for fault in (await rig.verify(asset)).faults} == {
        ("frozen", "ann"), ("frozen", "cyd"),
    }  # fmt: skip


# Reversals


async def released(rig: Rig, balances: dict[str, int], legs: list[Leg], groups: list[Group]) -> tuple[str, int]:
    """An asset, and the number of a settlement whose stakes are free again."""
    asset = await rig.seated("t1", balances)
    settled = await rig.settle(asset, 1, legs, groups)
    await rig.store.release("t1", 1, "d1", asset, CALL)
    return asset, settled.number


async def test_a_settlement_is_moved_back_leg_by_leg_from_the_last(rig: Rig) -> None:
    legs = [
        Leg("ann", "bob", 5, "win"),
        Leg("bob", "cyd", 20, "rain", 1),
        Leg("bob", "dan", 20, "rain", 1),
        Leg("cyd", "system", 3, "penalty"),
    ]
    asset, number = await released(rig, {"ann": 9, "bob": 2, "cyd": 0, "dan": 0}, legs, [Group(1)])
    assert await rig.units(asset, "ann", "bob", "cyd", "dan", PENALTIES) == [4, 0, 1, 3, 3]
    moved = await rig.corrections(asset).reverse(reversal(asset, number), OPERATOR)
    assert moved.lines == (
        Line("system", "cyd", 3, 3, 0, 4, "reversal"),
        Line("dan", "bob", 3, 3, 0, 3, "reversal"),
        Line("cyd", "bob", 4, 4, 0, 7, "reversal"),
        Line("bob", "ann", 5, 5, 2, 9, "reversal"),
    )
    assert await rig.units(asset, "ann", "bob", "cyd", "dan", PENALTIES) == [9, 2, 0, 0, 0]
    body = json.loads((await rig.store.entries(asset, moved.number - 1, 1))[0].body)
    assert (body["kind"], body["actor"], body["why"], body["reverses"]) == (
        "reverse", "op-1", "paid by mistake", number,
    )  # fmt: skip
    assert (body["table"], body["deal"]) == ("t1", "d1")
    assert not (await rig.verify(asset)).faults


async def test_a_reversal_takes_at_most_what_is_left(rig: Rig) -> None:
    """PF-51, for corrections."""
    asset, number = await released(rig, {"ann": 9, "bob": 0, "cyd": 0}, [Leg("ann", "bob", 9, "win")], [])
    await rig.reserve(asset, "t2", ["bob"], deal="d2")
    await rig.settle(asset, 1, [Leg("bob", "cyd", 7, "win")], table="t2", deal="d2")
    await rig.store.release("t2", 1, "d2", asset, CALL)
    moved = await rig.corrections(asset).reverse(reversal(asset, number), OPERATOR)
    assert moved.lines == (Line("bob", "ann", 9, 2, 0, 2, "reversal"),)
    assert await rig.units(asset, "ann", "bob", "cyd") == [2, 0, 7]


async def test_a_grant_goes_back_to_where_it_came_from(rig: Rig) -> None:
    asset = new_asset()
    operators = Corrections(rig.store, Funds({asset: 0}, {RELIEF_FUND: {asset: 100}}))
    await rig.open("ann", asset, 5)
    granted = await operators.grant(grant(asset, "ann", 50), OPERATOR)
    await operators.reverse(reversal(asset, granted.number), OPERATOR)
    assert await rig.units(asset, "issuance", "ann") == [-5, 5]
    relief = await operators.relieve(grant(asset, "ann", 30), OPERATOR)
    await operators.reverse(reversal(asset, relief.number), OPERATOR)
    assert await rig.units(asset, "issuance", RELIEF_FUND, "ann") == [-105, 100, 5]
    assert not (await rig.verify(asset)).faults


async def test_an_entry_is_reversed_once_and_a_reversal_can_be_taken_back(rig: Rig) -> None:
    asset, number = await released(rig, {"ann": 9, "bob": 0}, [Leg("ann", "bob", 4, "win")], [])
    operators, asked = rig.corrections(asset), reversal(asset, number)
    answers = await asyncio.gather(*(operators.reverse(asked, OPERATOR) for _ in range(20)))
    assert len({(answer.number, answer.lines) for answer in answers}) == 1
    assert sum(not answer.duplicate for answer in answers) == 1
    again = await refused(operators.reverse(reversal(asset, number), OPERATOR))
    assert (again.reason, dict(again.metadata)) == (
        Reason.ENTRY_REVERSED, {"journal_number": str(answers[0].number)},
    )  # fmt: skip
    changed = await refused(operators.reverse(replace(asked, why="another reason"), OPERATOR))
    assert changed.reason is Reason.REQUEST_ID_REUSED
    assert await rig.units(asset, "ann", "bob") == [9, 0]
    await operators.reverse(reversal(asset, answers[0].number), OPERATOR)
    assert await rig.units(asset, "ann", "bob") == [5, 4]


async def test_wrong_books_grant_nothing_by_taking_the_reversal_of_a_grant_back(rig: Rig) -> None:
    """PF-50: money comes into being only while the books are right; whatever else was mistaken is moved back."""
    asset = new_asset()
    operators = rig.corrections(asset)
    await rig.open("ann", asset, 5)
    granted = await operators.grant(grant(asset, "ann", 50), OPERATOR)
    await rig.store.mark(asset, wrong=True)
    moved = await operators.reverse(reversal(asset, granted.number), OPERATOR)
    again = await refused(operators.reverse(reversal(asset, moved.number), OPERATOR))
    assert again.reason is Reason.BOOKS_WRONG
    await rig.store.mark(asset, wrong=False)
    await operators.reverse(reversal(asset, moved.number), OPERATOR)
    assert await rig.units(asset, "ann", "issuance") == [55, -55]


async def test_who_sits_at_a_table_is_not_debited_by_a_reversal(rig: Rig) -> None:
    """PF-55; who gets something back may sit anywhere."""
    asset, number = await released(rig, {"ann": 9, "bob": 0}, [Leg("ann", "bob", 4, "win")], [])
    await rig.reserve(asset, "t2", ["bob"], deal="d2")
    asked = reversal(asset, number)
    locked = await refused(rig.corrections(asset).reverse(asked, OPERATOR))
    assert (locked.reason, dict(locked.metadata)) == (Reason.LOCKED_ELSEWHERE, {"account_id": "bob"})
    await rig.store.release("t2", 1, "d2", asset, CALL)
    await rig.reserve(asset, "t3", ["ann"], deal="d3")
    await rig.corrections(asset).reverse(asked, OPERATOR)
    assert await rig.units(asset, "ann", "bob") == [9, 0]


@pytest.mark.parametrize("number", [1, 3, 5, 99])
async def test_only_entries_that_moved_money_are_reversed(rig: Rig, number: int) -> None:
    """Not an opening, a reservation, a release, or what is not there."""
    asset, _ = await released(rig, {"ann": 9, "bob": 0}, [Leg("ann", "bob", 4, "win")], [])
    refusal = await refused(rig.corrections(asset).reverse(reversal(asset, number), OPERATOR))
    assert (refusal.reason, refusal.field) == (Reason.ENTRY_UNKNOWN, "journal_number")
    assert (await rig.store.head(asset)).number == 5


@pytest.mark.parametrize("why", ["", "  ", "x" * 201, "two\nlines"])
async def test_every_call_gives_a_reason(rig: Rig, why: str) -> None:
    asset = new_asset()
    operators = rig.corrections(asset)
    for call in (
        operators.grant(replace(grant(asset, "ann", 1), why=why), OPERATOR),
        operators.relieve(replace(grant(asset, "ann", 1), why=why), OPERATOR),
        operators.freeze(replace(freeze("ann"), why=why), OPERATOR),
        operators.reverse(replace(reversal(asset, 1), why=why), OPERATOR),
    ):
        refusal = await refused(call)
        assert (refusal.reason, refusal.field) == (Reason.INVALID_FIELD, "reason")
