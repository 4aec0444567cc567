"""A deal paid by the real ledger over gRPC: the books add up, and a dead table process moves nothing twice."""

import uuid

import pytest

from refusals import Reason, Refusal
from services.table.model.events import DealSettled, PaymentsDue, PaymentsMade
from services.table.ports import Account, Reserved
from tests.services.table.logs import stored, table_with_settlements
from tests.services.table.real_ledger import OPENING, Books
from tests.services.table.rig import Pods, Seated, eventually, first_option, gathered


def names() -> list[str]:
    return [f"{name}-{uuid.uuid4().hex[:8]}" for name in ("ann", "ben", "cho", "dan")]


async def played(seated: Seated) -> None:
    players = await gathered(seated)
    for player in players:
        player.play(first_option)
    for player in players:
        await player.ready()
    for player in players:
        await player.ended()
        assert player.goodbyes() == ["ENDED"]


async def test_the_ledger_s_lines_and_balances_are_the_log_s(pods: Pods, books: Books, redis_url: str) -> None:
    pods.ledger = books.ledger  # type: ignore[assignment]
    pod = await pods.start()
    seated = await pod.create(table_with_settlements(pod, 3), players=names())
    await books.opened(seated.names)
    await played(seated)
    log = await stored(redis_url, seated.table_id)
    settled = next(event for event in log if isinstance(event, DealSettled))
    rows = await books.balances(seated.names)
    assert [row.balance for row in rows] == list(settled.balances)
    assert sum(settled.balances) == 4 * OPENING
    assert [row.locked_by_table_id for row in rows] == [""] * 4
    due = [event.settlement_seq for event in log if isinstance(event, PaymentsDue)]
    assert [event.settlement_seq for event in log if isinstance(event, PaymentsMade)] == due
    await books.sound()


async def test_a_table_taken_over_in_mid_deal_settles_under_its_new_epoch(
    pods: Pods, books: Books, redis_url: str
) -> None:
    pods.ledger = books.ledger  # type: ignore[assignment]
    pod = await pods.start("table-0")
    seated = await pod.create(table_with_settlements(pod, 3), players=names())
    await books.opened(seated.names)
    players = await gathered(seated)
    for player in players:
        player.play(first_option)
    for player in players:
        await player.ready()
    await eventually(lambda: "payments_made" in players[0].events())
    await pod.crash()
    again = await pods.start("table-0")
    for player in seated.players(again):
        player.play(first_option)
        player.open()
    await eventually(lambda: seated.table_id in pods.seats.released)
    log = await stored(redis_url, seated.table_id)
    settled = next(event for event in log if isinstance(event, DealSettled))
    assert [row.balance for row in await books.balances(seated.names)] == list(settled.balances)
    assert again.sample("cardroom_table_quarantines_total") == 0
    await books.sound()


async def test_a_table_that_ends_frees_whatever_the_ledger_holds_for_it_pf_55(pods: Pods, books: Books) -> None:
    """A ledger that was set back holds the stake of a deal that is long over; nobody may stay locked for ever."""
    pods.ledger = books.ledger  # type: ignore[assignment]
    pod = await pods.start()
    table_id = table_with_settlements(pod, 1)
    seats = names()
    await books.opened(seats)
    of_before = Account(table_id, 1, "coins", tuple(seats))
    assert isinstance(await books.ledger.reserve(of_before, f"{table_id}.of-before", 0), Reserved)
    seated = await pod.create(table_id, players=seats)
    await played(seated)
    await eventually(lambda: seated.table_id in pods.seats.released)
    assert [row.locked_by_table_id for row in await books.balances(seats)] == [""] * 4
    await books.sound()


async def test_an_account_that_is_not_open_ends_the_table(pods: Pods, books: Books) -> None:
    pods.ledger = books.ledger  # type: ignore[assignment]
    pod = await pods.start()
    seated = await pod.create(table_with_settlements(pod, 1), players=names())
    await books.opened(seated.names[:3])
    await played(seated)
    await eventually(lambda: seated.table_id in pods.seats.released)
    # The same asking once more, as it may have hung on its way until now: it locks nobody for ever.
    late = Account(seated.table_id, 1, "coins", tuple(seated.names[:3]))
    with pytest.raises(Refusal) as caught:
        await books.ledger.reserve(late, f"{seated.table_id}.1", 0)
    assert caught.value.reason is Reason.SETTLEMENT_CONFLICT
    assert [row.locked_by_table_id for row in await books.balances(seated.names[:3])] == [""] * 3
