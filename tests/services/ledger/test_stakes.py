"""Stakes: all seats or none, once a deal, released once (PF-55)."""

import asyncio

import pytest

from refusals import Reason
from services.ledger.adapters.keys import Keys
from services.ledger.app.entries import record_of
from services.ledger.values import RING, Leg, Stake, StakeRefusal, StakeRow
from tests.services.ledger.rig import CALL, Rig, new_asset, refused


async def opened(rig: Rig, **balances: int) -> str:
    asset = new_asset()
    for account, units in balances.items():
        await rig.open(account, asset, units)
    return asset


async def locks(rig: Rig, asset: str, *accounts: str) -> list[str]:
    return [balance.locked_by for balance in await rig.books(asset).balances(accounts, asset)]


def stake(asset: str, *accounts: str, table: str = "t1", deal: str = "d1", epoch: int = 1, least: int = 0) -> Stake:
    return Stake(table, epoch, deal, asset, accounts, least)


async def test_every_seat_that_stops_a_reservation_says_why_and_nobody_is_locked(rig: Rig) -> None:
    asset = await opened(rig, ann=50, bob=9, cyd=50, dan=50)
    await rig.reserve(asset, "t2", ["cyd"])
    await rig.client.sadd(Keys.of(asset).frozen, "dan")
    reservation = await rig.store.reserve(stake(asset, "ann", "bob", "cyd", "dan", "eve", least=10), CALL)
    assert not reservation.reserved
    assert reservation.rows == (
        StakeRow("ann", 50, StakeRefusal.NONE),
        StakeRow("bob", 9, StakeRefusal.BELOW_MINIMUM),
        StakeRow("cyd", 50, StakeRefusal.LOCKED_ELSEWHERE),
        StakeRow("dan", 50, StakeRefusal.FROZEN),
        StakeRow("eve", 0, StakeRefusal.ACCOUNT_UNKNOWN),
    )
    assert await locks(rig, asset, "ann", "bob", "cyd", "dan") == ["", "", "t2", ""]


async def test_a_reservation_again_is_reserved_whatever_was_won_since(rig: Rig) -> None:
    asset = await opened(rig, ann=50, bob=50)
    first = stake(asset, "ann", "bob", least=40)
    assert (await rig.store.reserve(first, CALL)).reserved
    await rig.settle(asset, 1, [Leg("ann", "bob", 50, "win")])
    assert (await rig.store.reserve(first, CALL)).rows == (
        StakeRow("ann", 0, StakeRefusal.NONE),
        StakeRow("bob", 100, StakeRefusal.NONE),
    )


async def test_a_table_that_is_over_releases_whichever_deal_it_holds(rig: Rig) -> None:
    asset = await opened(rig, ann=50, bob=50)
    await rig.reserve(asset, "t1", ["ann", "bob"])
    assert (await refused(rig.store.release("t1", 0, "", asset, CALL))).reason is Reason.INVALID_FIELD
    assert sorted(await rig.store.release("t1", 2, "", asset, CALL, why="the table is gone")) == ["ann", "bob"]
    entry = record_of((await rig.store.next_entries(asset, 0, 10))[-1])
    assert (entry.kind, entry.deal, entry.why) == ("release", "d1", "the table is gone")
    head = await rig.store.head(asset)
    assert await rig.store.release("t1", 2, "", asset, CALL) == ()
    assert await rig.store.release("t9", 2, "", asset, CALL) == ()
    assert await rig.store.head(asset) == head, "nothing was held, and nothing is journaled"
    assert await locks(rig, asset, "ann", "bob") == ["", ""]
    assert (await refused(rig.store.release("t1", 1, "", asset, CALL))).reason is Reason.FENCED
    again = await refused(rig.store.reserve(stake(asset, "ann", "bob", epoch=2), CALL))
    assert again.reason is Reason.SETTLEMENT_CONFLICT, "it is known as released"
    assert not (await rig.verify(asset)).faults


async def test_a_table_holds_one_deal_and_reserves_each_once(rig: Rig) -> None:
    """A request that arrives after its deal was released must not lock anybody for ever."""
    asset = await opened(rig, ann=50, bob=50)
    await rig.reserve(asset, "t1", ["ann"])
    for other in (stake(asset, "ann", "bob"), stake(asset, "ann", deal="d2")):
        assert (await refused(rig.store.reserve(other, CALL))).reason is Reason.SETTLEMENT_CONFLICT
    assert await rig.store.release("t1", 1, "d1", asset, CALL) == ("ann",)
    late = await refused(rig.store.reserve(stake(asset, "ann"), CALL))
    assert (late.reason, dict(late.metadata)) == (Reason.SETTLEMENT_CONFLICT, {"deal_id": "d1"})
    assert (await rig.store.reserve(stake(asset, "ann", "bob", deal="d2"), CALL)).reserved


async def test_release_frees_once_and_only_its_own_deal(rig: Rig) -> None:
    asset = await opened(rig, ann=50, bob=50)
    await rig.reserve(asset, "t1", ["ann", "bob"], deal="d2")
    assert await rig.store.release("t1", 1, "d1", asset, CALL) == ()
    assert await locks(rig, asset, "ann", "bob") == ["t1", "t1"]
    assert await rig.store.release("t1", 1, "d2", asset, CALL) == ("ann", "bob")
    assert await rig.store.release("t1", 1, "d2", asset, CALL) == ()
    assert await locks(rig, asset, "ann", "bob") == ["", ""]


async def test_a_release_opens_no_lock_of_another_table(rig: Rig) -> None:
    """However it came about."""
    asset = await opened(rig, ann=50, bob=50)
    await rig.reserve(asset, "t1", ["ann", "bob"])
    await rig.client.hset(Keys.of(asset).lock, "bob", "t2")
    assert await rig.store.release("t1", 1, "d1", asset, CALL) == ("ann",)
    assert await locks(rig, asset, "ann", "bob") == ["", "t2"]


async def test_a_release_that_overtakes_its_reservation_wins(rig: Rig) -> None:
    asset = await opened(rig, ann=50)
    assert await rig.store.release("t1", 1, "d1", asset, CALL) == ()
    assert (await refused(rig.store.reserve(stake(asset, "ann"), CALL))).reason is Reason.SETTLEMENT_CONFLICT
    assert await locks(rig, asset, "ann") == [""]


@pytest.mark.parametrize("held", [False, True], ids=["while nothing is held", "while another deal is held"])
async def test_a_released_deal_is_not_reserved_again_whatever_came_after(rig: Rig, *, held: bool) -> None:
    """PF-55: a request that was delayed by up to sixteen releases locks nobody for ever."""
    asset = await opened(rig, ann=50)
    if held:
        await rig.reserve(asset, "t1", ["ann"], deal="other")
    assert await rig.store.release("t1", 1, "d1", asset, CALL) == ()
    if held:
        assert await locks(rig, asset, "ann") == ["t1"]
        assert await rig.store.release("t1", 1, "other", asset, CALL) == ("ann",)
    for number in range(RING - 2 if held else RING - 1):
        await rig.reserve(asset, "t1", ["ann"], deal=f"e{number}")
        assert await rig.store.release("t1", 1, f"e{number}", asset, CALL) == ("ann",)
    for deal in ("d1", "e0"):
        late = await refused(rig.store.reserve(stake(asset, "ann", deal=deal), CALL))
        assert (late.reason, dict(late.metadata)) == (Reason.SETTLEMENT_CONFLICT, {"deal_id": deal})
        assert await rig.store.release("t1", 1, deal, asset, CALL) == ()
    assert await locks(rig, asset, "ann") == [""]


async def test_a_stale_owner_neither_reserves_nor_releases(rig: Rig) -> None:
    asset = await opened(rig, ann=50)
    await rig.reserve(asset, "t1", ["ann"], epoch=3)
    assert (await refused(rig.store.release("t1", 2, "d1", asset, CALL))).reason is Reason.FENCED
    assert (await refused(rig.store.reserve(stake(asset, "ann", epoch=2), CALL))).reason is Reason.FENCED
    assert await locks(rig, asset, "ann") == ["t1"]


async def test_of_many_tables_that_want_one_player_exactly_one_gets_him(rig: Rig) -> None:
    """PF-55, under a race; and no half reservation is left by those that lost."""
    asset = await opened(rig, ann=50, **{f"p{number}": 50 for number in range(20)})
    wanted = [stake(asset, f"p{number}", "ann", table=f"t{number}") for number in range(20)]
    reservations = await asyncio.gather(*(rig.store.reserve(one, CALL) for one in wanted))
    assert sum(reservation.reserved for reservation in reservations) == 1
    winner = next(one.table for one, got in zip(wanted, reservations, strict=True) if got.reserved)
    held = await locks(rig, asset, "ann", *(f"p{number}" for number in range(20)))
    assert sorted(filter(None, held)) == [winner, winner]


async def test_settle_after_release_is_refused_but_a_repeat_is_answered(rig: Rig) -> None:
    """PF-53, PF-55: the answer was lost, the deal is over, the table asks again."""
    asset = await opened(rig, ann=50, bob=50)
    await rig.reserve(asset, "t1", ["ann", "bob"])
    legs = [Leg("ann", "bob", 5, "win")]
    await rig.settle(asset, 1, legs)
    await rig.store.release("t1", 1, "d1", asset, CALL)
    assert (await rig.settle(asset, 1, legs)).duplicate
    assert (await refused(rig.settle(asset, 2, legs))).reason is Reason.STAKE_MISSING


async def test_the_record_of_a_table_is_kept_for_good_only_while_it_holds_a_stake(rig: Rig) -> None:
    """Reliability 21: tables come and go, the store's memory comes back."""
    asset = await opened(rig, ann=50)
    key = Keys.of(asset).table("t1")
    day_ms = 86_400_000
    await rig.store.claim("t1", 1, asset, CALL)
    assert 29 * day_ms < await rig.client.pttl(key) <= 30 * day_ms
    await rig.reserve(asset, "t1", ["ann"])
    assert await rig.client.pttl(key) == -1
    await rig.store.claim("t1", 2, asset, CALL)
    assert await rig.client.pttl(key) == -1
    await rig.store.release("t1", 2, "d1", asset, CALL)
    assert 29 * day_ms < await rig.client.pttl(key) <= 30 * day_ms


async def test_claim_of_a_new_table_finds_nothing(rig: Rig) -> None:
    claimed = await rig.store.claim("t1", 1, await opened(rig), CALL)
    assert (claimed.last_seq, claimed.last_result) == (0, None)
