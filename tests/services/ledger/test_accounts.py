"""Accounts and grants: money comes into being once, and is journaled (PF-50)."""

import asyncio
import json
from uuid import uuid4

from refusals import Reason
from services.ledger.app.books import Books
from services.ledger.app.funds import Funds
from services.ledger.ports import Call
from services.ledger.values import UNITS_MAX, Grant
from tests.services.ledger.rig import CALL, Rig, new_asset, refused


async def test_an_account_is_opened_once_with_its_grants_in_every_asset(rig: Rig) -> None:
    assets = {new_asset(): 1000, new_asset(): 10_000}
    books = Books(rig.store, Funds(assets))
    opening = [books.open_account("ann", Call("backend")) for _ in range(20)]
    answers = await asyncio.gather(*opening)
    assert all([balance.units for balance in balances] == [1000, 10_000] for balances, _ in answers)
    for asset, units in assets.items():
        assert await rig.units(asset, "ann", "issuance") == [units, -units]
        assert len(await rig.store.entries(asset, 0, 10)) == 1
    balances, opened = await books.open_account("ann", CALL)
    assert (opened, balances[0].locked_by, balances[0].frozen) == (False, "", False)


async def test_opening_that_stopped_half_way_is_finished_by_the_next(rig: Rig) -> None:
    first, second = new_asset(), new_asset()
    await rig.open("ann", first, 1000)
    balances, opened = await Books(rig.store, Funds({first: 1000, second: 10_000})).open_account("ann", CALL)
    assert ([balance.units for balance in balances], opened) == ([1000, 10_000], True)


async def test_a_grant_is_journaled_with_actor_and_reason(rig: Rig) -> None:
    asset, request_id = new_asset(), str(uuid4())
    books = rig.books(asset)
    await books.open_account("ann", CALL)
    granted = await rig.corrections(asset).grant(
        Grant(request_id.upper(), "ann", asset, 50, "lost in a storm, 风暴"), Call("op-1")
    )
    assert (granted.number, granted.after, granted.duplicate) == (2, 150, False)
    body = json.loads((await rig.store.entries(asset, 1, 1))[0].body)
    assert body == {
        "number": 2, "kind": "grant", "at_ms": rig.clock.now_ms(), "actor": "op-1", "why": "lost in a storm, 风暴",
        "request": request_id, "table": "", "epoch": 0, "seq": 0, "deal": "", "before": {"issuance": 1, "ann": 1},
        "legs": [["issuance", "ann", 50, 50, -150, 150, "grant", 0]],
    }  # fmt: skip


async def test_a_grant_again_grants_nothing_and_a_changed_one_is_refused(rig: Rig) -> None:
    """PF-53, for operators; the same id in another asset is another content."""
    asset, other, request_id = new_asset(), new_asset(), str(uuid4())
    books = Books(rig.store, Funds({asset: 0, other: 0}))
    await books.open_account("ann", CALL)
    await books.open_account("bob", CALL)
    operators = rig.corrections(asset, other)
    grant = Grant(request_id, "ann", asset, 50, "why not")
    answers = await asyncio.gather(*(operators.grant(grant, CALL) for _ in range(50)))
    assert {(answer.number, answer.after) for answer in answers} == {(3, 50)}
    assert sum(not answer.duplicate for answer in answers) == 1
    for changed in (
        Grant(request_id, "bob", asset, 50, "why not"),
        Grant(request_id, "ann", asset, 51, "why not"),
        Grant(request_id, "ann", asset, 50, "because"),
        Grant(request_id, "ann", other, 50, "why not"),
    ):
        assert (await refused(operators.grant(changed, CALL))).reason is Reason.REQUEST_ID_REUSED
    assert await rig.units(asset, "ann", "bob") == [50, 0]
    assert await rig.units(other, "ann") == [0]


async def test_the_supply_stays_exact(rig: Rig) -> None:
    """An asset has at most 2^53 - 1 units; the last of them can be granted, the next cannot."""
    asset = new_asset()
    await rig.open("ann", asset, UNITS_MAX - 2)
    books = rig.books(asset, opening=3)
    assert (await refused(books.open_account("bob", CALL))).reason is Reason.AMOUNT_LIMIT
    assert (await rig.corrections(asset).grant(Grant(str(uuid4()), "ann", asset, 2, "last"), CALL)).after == UNITS_MAX
    beyond = await refused(rig.corrections(asset).grant(Grant(str(uuid4()), "ann", asset, 1, "one more"), CALL))
    assert beyond.reason is Reason.AMOUNT_LIMIT
    assert await rig.units(asset, "ann", "issuance") == [UNITS_MAX, -UNITS_MAX]


async def test_nobody_is_granted_anything_who_has_no_account(rig: Rig) -> None:
    asset = new_asset()
    refusal = await refused(rig.corrections(asset).grant(Grant(str(uuid4()), "ann", asset, 1, "why not"), CALL))
    assert (refusal.reason, dict(refusal.metadata)) == (Reason.ACCOUNT_UNKNOWN, {"account_id": "ann"})


async def test_balances_come_in_the_order_asked_and_unknown_accounts_are_named(rig: Rig) -> None:
    asset = await rig.seated("t1", {"ann": 5, "bob": 6})
    assert await rig.units(asset, "bob", "ann", "penalties") == [6, 5, 0]
    refusal = await refused(rig.books(asset).balances(("ann", "eve"), asset))
    assert (refusal.reason, refusal.field) == (Reason.ACCOUNT_UNKNOWN, "account_ids[1]")
