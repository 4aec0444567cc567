"""What a player sees of his account: every movement, page by page, and his title (PF-56, PF-60)."""

from itertools import pairwise
from pathlib import Path
from uuid import uuid4

import pytest

from refusals import Reason
from services.ledger.app.funds import Funds
from services.ledger.app.journal import Journal
from services.ledger.app.statements import PAGE_MAX, Movement, Statements
from services.ledger.app.titles import TITLES, title_of
from services.ledger.values import Grant, Group, Leg, Reversal
from tests.services.ledger.rig import CALL, Rig, new_asset, refused
from tests.services.ledger.vault import Vault, played_vault


def statements(rig: Rig, *assets: str) -> Statements:
    return Statements(rig.store, Journal(rig.store), assets)


async def pages(read: Statements, account: str, asset: str, size: int) -> list[Movement]:
    """All lines, by pages of this size."""
    lines, token = await read.page(account, asset, size, "")
    while token:
        assert len(lines) % size == 0
        more, token = await read.page(account, asset, size, token)
        assert more
        lines += more
    return lines


async def test_every_movement_has_time_deal_reason_counterparty_and_the_balance_after_it(rig: Rig) -> None:
    """PF-56."""
    asset = await rig.seated("t1", {"ann": 9, "bob": 0, "cyd": 5})
    rig.clock.advance(seconds=60)
    legs = [
        Leg("ann", "bob", 8, "rain", 1),
        Leg("ann", "cyd", 8, "rain", 1),
        Leg("cyd", "ann", 2, "win"),
        Leg("ann", "system", 7, "penalty"),
    ]
    settled = await rig.settle(asset, 1, legs, [Group(1)])
    lines, token = await statements(rig, asset).page("ann", asset, 0, "")
    assert token == ""
    assert [
        (line.leg.reason, line.counterparty, line.leg.asked, line.change, line.after, line.leg_index) for line in lines
    ] == [
        ("penalty", "system", 7, -2, 0, 3),
        ("win", "cyd", 2, 2, 2, 2),
        ("rain", "cyd", 8, -4, 0, 1),
        ("rain", "bob", 8, -5, 4, 0),
        ("opening", "issuance", 9, 9, 9, 0),
    ]
    record = lines[0].record
    assert (record.number, record.table, record.deal, record.kind) == (settled.number, "t1", "d1", "settle")
    assert lines[0].record.at_ms - lines[-1].record.at_ms == 60_000


async def test_movements_of_nothing_are_shown_too(rig: Rig) -> None:
    """PF-56: he asks why he got nothing."""
    asset = await rig.seated("t1", {"ann": 0, "bob": 0})
    await rig.settle(asset, 1, [Leg("ann", "bob", 7, "win")])
    lines, _ = await statements(rig, asset).page("bob", asset, 1, "")
    assert [(line.leg.asked, line.change, line.after) for line in lines] == [(7, 0, 0)]


async def test_a_correction_names_the_entry_it_corrects(rig: Rig) -> None:
    asset = new_asset()
    await rig.open("ann", asset, 5)
    operators = rig.corrections(asset)
    granted = await operators.grant(Grant(str(uuid4()), "ann", asset, 3, "a prize"), CALL)
    await operators.reverse(Reversal(str(uuid4()), asset, granted.number, "not his"), CALL)
    lines, _ = await statements(rig, asset).page("ann", asset, 0, "")
    assert [(line.record.kind, line.change, line.after, line.record.reverses) for line in lines] == [
        ("reverse", -3, 5, granted.number), ("grant", 3, 8, 0), ("open", 5, 5, 0),
    ]  # fmt: skip


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 200])
async def test_pages_join_without_a_gap_or_a_line_twice(rig: Rig, tmp_path: Path, size: int) -> None:
    """An entry with several lines may lie on two pages; older entries come from the archive."""
    vault = await played_vault(rig, tmp_path, 30)
    whole = await pages(vault.statements, "ann", vault.asset, 200)
    await vault.archiver.copy(vault.asset)
    assert len(await vault.stored()) < 10
    lines = await pages(vault.statements, "ann", vault.asset, size)
    assert lines == whole
    assert len(lines) == 61
    places = [(line.record.number, line.leg_index) for line in lines]
    assert places == sorted(set(places), reverse=True)
    for newer, older in pairwise(lines):
        assert newer.after - newer.change == older.after
    assert lines[-1].after == lines[-1].change == 500


async def test_a_statement_holds_every_line_of_the_journal_and_no_other(rig: Rig) -> None:
    vault_asset = await rig.seated("t1", dict.fromkeys(("ann", "bob", "cyd", "dan"), 50))
    names = ("ann", "bob", "cyd", "dan")
    for seq in range(1, 41):
        payer, payee = names[seq % 4], names[(seq * seq + 1) % 4]
        if payer != payee:
            await rig.settle(vault_asset, await _next(rig, vault_asset), [Leg(payer, payee, seq, "win")])
    read = statements(rig, vault_asset)
    for name in names:
        lines = await pages(read, name, vault_asset, 3)
        assert lines[0].after == (await rig.units(vault_asset, name))[0]
        assert sum(line.change for line in lines) == lines[0].after


async def _next(rig: Rig, asset: str) -> int:
    return (await rig.store.claim("t1", 1, asset, CALL)).last_seq + 1


async def test_operators_see_the_systems_accounts(rig: Rig) -> None:
    asset = await rig.seated("t1", {"ann": 5, "bob": 0})
    await rig.settle(asset, 1, [Leg("ann", "system", 2, "penalty")])
    read = statements(rig, asset)
    assert [(line.change, line.after) for line in (await read.page("penalties", asset, 0, ""))[0]] == [(2, 2)]
    assert [line.change for line in (await read.page("issuance", asset, 0, ""))[0]] == [0, -5]


@pytest.mark.parametrize("token", ["x", "0:0", "1:", "1:0:0", "-1:0", "5:9", "2:0", "99:0"])
async def test_a_token_of_another_statement_is_refused(rig: Rig, tmp_path: Path, token: str) -> None:
    vault: Vault = await played_vault(rig, tmp_path, 3)
    await vault.archiver.copy(vault.asset)
    refusal = await refused(vault.statements.page("ann", vault.asset, 5, token))
    assert (refusal.reason, refusal.field) == (Reason.INVALID_FIELD, "page_token")


async def test_pages_have_a_stated_maximum(rig: Rig) -> None:
    asset = await rig.seated("t1", {"ann": 500, "bob": 500})
    legs = [Leg("ann", "bob", 1, "win"), Leg("bob", "ann", 1, "rain")] * 60
    for seq in (1, 2):
        await rig.settle(asset, seq, legs)
    lines, token = await statements(rig, asset).page("ann", asset, 5_000, "")
    assert (len(lines), bool(token)) == (PAGE_MAX, True)


async def test_accounts_that_are_not_there_have_no_statement(rig: Rig) -> None:
    asset = new_asset()
    read = statements(rig, asset)
    assert (await refused(read.page("eve", asset, 0, ""))).reason is Reason.ACCOUNT_UNKNOWN
    assert (await refused(read.account("eve"))).reason is Reason.ACCOUNT_UNKNOWN
    assert (await refused(read.page("eve", "gold", 0, ""))).reason is Reason.INVALID_FIELD


async def test_an_account_shows_its_balances_in_every_asset(rig: Rig) -> None:
    assets = Funds({new_asset(): 0, new_asset(): 0}).assets
    await rig.open("ann", assets[0], 150)
    await rig.open("ann", assets[1], 7)
    state = await statements(rig, *assets).account("ann")
    assert [(balance.asset, balance.units) for balance in state.balances] == [(assets[0], 150), (assets[1], 7)]
    assert (state.title, state.next_title) == (None, TITLES[0])


@pytest.mark.fast
@pytest.mark.parametrize(
    ("points", "name", "next_name"),
    [
        (0, None, "小混混"), (29, None, "小混混"), (30, "小混混", "赌鬼"), (99, "小混混", "赌鬼"),
        (100, "赌鬼", "赌徒"),
        (1_599, "赌棍", "赌狂"), (1_600, "赌狂", "赌豪"), (20_000, "赌侠", "圣·赌鬼"), (400_000, "神·赌豪", "神·赌霸"),
        (999_999, "神·赌侠", "仙·赌圣"), (1_499_999, "仙·赌圣", "仙·赌神"), (1_500_000, "仙·赌神", None),
        (9_000_000, "仙·赌神", None),
    ],
)  # fmt: skip
def test_a_title_is_the_highest_threshold_reached(points: int, name: str | None, next_name: str | None) -> None:
    """PF-60."""
    title, next_title = title_of(points)
    assert (title and title.name, next_title and next_title.name) == (name, next_name)


@pytest.mark.fast
def test_there_are_the_titles_of_the_rules() -> None:
    """PF-60."""
    assert len(TITLES) == 21
    assert len({title.name for title in TITLES}) == 21
    assert sum(title.points for title in TITLES) == 5_591_430
