"""A settlement the ledger knows and the log does not: the deal is void, its money moved back (reliability 8)."""

import asyncio
from collections.abc import Callable
from typing import Any

from cardroom.table.v1 import event_pb2
from redis.asyncio import Redis

from refusals import Reason
from services.table.model.events import (
    CloseCause,
    Closed,
    DealSettled,
    DealStarted,
    DealVoided,
    PaymentsDue,
    Ready,
    TableEvent,
    VoidCause,
)
from services.table.ports import Account, ServiceAway
from tests.services.table.fakes import OPENING, FakeLedger
from tests.services.table.logs import lose_tail, stored, table_with_settlements
from tests.services.table.real_ledger import Books
from tests.services.table.rig import Player, Pods, Seated, eventually, first_option, gathered, playing, reason_for
from tests.services.table.test_real_ledger import names

POD = "table-0"


async def settled_until(seated: Seated, kind: str, count: int) -> list[Player]:
    """A deal is played until so many entries of a kind have come; then the pod is killed."""
    players = await gathered(seated)
    for player in players:
        player.play(first_option)
    for player in players:
        await player.ready()
    await eventually(lambda: players[0].events().count(kind) >= count)
    await seated.pod.crash()
    return players


def first_of(log: list[TableEvent], holds: Callable[[TableEvent], bool]) -> int:
    """Number of the first entry for which it holds."""
    return next(seq for seq, event in enumerate(log, 1) if holds(event))


async def cut_before(redis_url: str, table_id: str, holds: Callable[[TableEvent], bool]) -> list[TableEvent]:
    """The store loses the first entry for which it holds and all after it. Returns: the log as it was."""
    log = await stored(redis_url, table_id)
    await lose_tail(redis_url, table_id, len(log) - first_of(log, holds) + 1)
    return log


async def cut_before_turn_of(redis_url: str, table_id: str, settlement_seq: int) -> list[TableEvent]:
    """The store loses the turn that asked for a settlement, and all after it: a log is lost by whole turns, whose
    entries have the same time. Returns: the log as it was.
    """
    log = await stored(redis_url, table_id)
    due = first_of(log, lambda event: isinstance(event, PaymentsDue) and event.settlement_seq == settlement_seq)
    redis = Redis.from_url(redis_url)
    rows: Any = await redis.xrange(f"{{{table_id}}}:log")
    await redis.aclose()
    times = [int(fields[b"t"]) for _, fields in rows]
    await lose_tail(redis_url, table_id, sum(at_ms >= times[due - 1] for at_ms in times))
    return log


async def closed(pods: Pods, seated: Seated, redis_url: str) -> list[TableEvent]:
    await eventually(lambda: seated.table_id in pods.seats.released)
    return await stored(redis_url, seated.table_id)


async def test_the_stake_of_a_first_deal_that_the_log_has_lost_is_given_back_pf_55(
    pods: Pods, books: Books, redis_url: str
) -> None:
    """Nothing was settled, so that neither log nor ledger tells of a lost deal; somebody leaves: the table is over."""
    pods.ledger = books.ledger  # type: ignore[assignment]
    pod = await pods.start(POD)
    seated = await pod.create(table_with_settlements(pod, 2), players=names())
    await books.opened(seated.names)
    await playing(seated)
    await pod.crash()
    await cut_before(redis_url, seated.table_id, lambda event: isinstance(event, Ready))
    again = await pods.start(POD)
    await again.owns(seated)
    await seated.players(again)[3].leave(event_pb2.LEAVE_WHEN_NOW)
    await closed(pods, seated, redis_url)
    await eventually(lambda: seated.table_id not in again.component.pod.tables)
    assert [row.locked_by_table_id for row in await books.balances(seated.names)] == [""] * 4
    await books.sound()


async def test_what_the_log_has_lost_is_moved_back_with_all_of_the_deal(pods: Pods, redis_url: str) -> None:
    """Settlement 1 is in the log, 2 and more are only at the ledger: all of them are undone, once, and told."""
    pod = await pods.start(POD)
    seated = await pod.create(table_with_settlements(pod, 3), deals_max=2)
    await settled_until(seated, "payments_made", 3)
    was = await cut_before_turn_of(redis_url, seated.table_id, 2)
    applied = pods.ledger.applied_count
    assert {pods.ledger.balances[name] for name in seated.names} != {OPENING}
    await pods.start(POD)
    log = await closed(pods, seated, redis_url)
    voided, end = log[-2:]
    assert isinstance(voided, DealVoided)
    assert end == Closed(CloseCause.VOIDED)
    assert voided.cause is VoidCause.LOST_TAIL
    assert [pods.ledger.balances[name] for name in seated.names] == [OPENING] * 4 == list(voided.balances)
    assert pods.ledger.applied_count == applied + 1
    assert voided.settlement_seq == applied + 1
    assert {line.payment.cause for line in voided.lines} == {"return"}
    assert all(line.paid == line.payment.amount for line in voided.lines)
    started = next(event for event in was if isinstance(event, DealStarted))
    assert voided.seed == started.seed
    assert pods.ledger.locked == {}


async def test_players_are_told_whenever_they_come_back(pods: Pods, redis_url: str) -> None:
    """A client that comes back with a place in what is lost is rewound and sees what became of the deal."""
    pod = await pods.start(POD)
    seated = await pod.create(table_with_settlements(pod, 2), deals_max=2)
    await settled_until(seated, "payments_made", 2)
    was = await cut_before_turn_of(redis_url, seated.table_id, 2)
    pods.seats.away = True
    again = await pods.start(POD)
    await again.owns(seated)
    early = seated.player(0, again)
    early.open(len(was), 1)
    await early.ended()
    assert early.messages, early.error
    assert early.messages[0].snapshot.rewound
    told = [
        *early.messages[0].snapshot.voided,
        *(m.event.deal_voided for m in early.messages if m.event.HasField("deal_voided")),
    ]
    assert [row.cause for row in told] == [event_pb2.DEAL_VOID_CAUSE_LOST_TAIL]
    assert early.goodbyes() == ["ENDED"]
    late = seated.player(1, again)
    late.open(len(was), 1)
    await late.ended()
    assert late.messages[0].snapshot.rewound
    assert late.messages[0].snapshot.voided == told
    assert await reason_for(seated.player(2, again).ready()) in (
        Reason.TABLE_CLOSED,
        Reason.TABLE_QUARANTINED,
    )
    pods.seats.away = False
    await closed(pods, seated, redis_url)


async def test_a_tail_with_the_deal_s_beginning_is_void_too(pods: Pods, redis_url: str) -> None:
    """The log does not even know that a deal was begun: its stakes are given back and its payments undone."""
    pod = await pods.start(POD)
    seated = await pod.create(table_with_settlements(pod, 2), deals_max=2)
    await settled_until(seated, "payments_made", 2)
    await cut_before(redis_url, seated.table_id, lambda event: isinstance(event, DealStarted))
    await pods.start(POD)
    log = await closed(pods, seated, redis_url)
    voided = log[-2]
    assert isinstance(voided, DealVoided)
    assert (voided.deal_id, voided.seed) == (f"{seated.table_id}.1", None)
    assert [pods.ledger.balances[name] for name in seated.names] == [OPENING] * 4
    assert pods.ledger.locked == {}


async def test_a_deal_whose_stake_was_given_back_is_undone_all_the_same(pods: Pods, redis_url: str) -> None:
    """The whole deal was settled, and the log has lost it: the players are held once more for the return."""
    pod = await pods.start(POD)
    seated = await pod.create(table_with_settlements(pod, 2), deals_max=2)
    await settled_until(seated, "deal_settled", 1)
    assert pods.ledger.locked == {}
    await cut_before_turn_of(redis_url, seated.table_id, 2)
    await pods.start(POD)
    log = await closed(pods, seated, redis_url)
    assert isinstance(log[-2], DealVoided)
    assert [pods.ledger.balances[name] for name in seated.names] == [OPENING] * 4
    assert pods.ledger.locked == {}


async def test_a_process_that_dies_in_the_midst_of_it_moves_nothing_twice(pods: Pods, redis_url: str) -> None:
    """Moved back and not written: the next owner finds that all cancels out, and writes it."""
    pod = await pods.start(POD)
    seated = await pod.create(table_with_settlements(pod, 2), deals_max=2)
    await settled_until(seated, "payments_made", 2)
    await cut_before_turn_of(redis_url, seated.table_id, 2)
    applied = pods.ledger.applied_count
    answers = DyingLedger(pods.ledger)
    pods.ledger = answers  # type: ignore[assignment]
    second = await pods.start(POD)
    await asyncio.wait_for(answers.returned.wait(), 60)
    await second.crash()
    assert not isinstance((await stored(redis_url, seated.table_id))[-1], Closed)
    pods.ledger = answers.inner
    await pods.start(POD)
    log = await closed(pods, seated, redis_url)
    voided = log[-2]
    assert isinstance(voided, DealVoided)
    assert voided.settlement_seq == applied + 1 == pods.ledger.applied_count
    assert voided.lines
    assert [pods.ledger.balances[name] for name in seated.names] == [OPENING] * 4
    assert pods.ledger.locked == {}


class DyingLedger:
    """Carries out a return, and its answer never arrives."""

    def __init__(self, inner: FakeLedger) -> None:
        self.inner = inner
        self.returned = asyncio.Event()

    async def settle(self, account: Account, deal_id: str, seq: int, payments: list[object]) -> object:
        await self.inner.settle(account, deal_id, seq, payments)  # type: ignore[arg-type]
        self.returned.set()
        raise ServiceAway

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)


async def test_a_tail_without_money_is_no_reason_to_void(pods: Pods, redis_url: str) -> None:
    """The deal is played on from what is left; whoever had seen more is rewound."""
    pod = await pods.start(POD)
    seated = await pod.create(table_with_settlements(pod, 2))
    await playing(seated)
    await pod.crash()
    await lose_tail(redis_url, seated.table_id, 1)
    again = await pods.start(POD)
    for player in seated.players(again):
        player.play(first_option)
        player.open()
    log = await closed(pods, seated, redis_url)
    assert isinstance(log[-2], DealSettled)
    assert not any(isinstance(event, DealVoided) for event in log)


async def test_the_real_ledger_s_books_are_as_before_the_deal(pods: Pods, books: Books, redis_url: str) -> None:
    """Over gRPC, with its locks, numbers and memory of results; the books add up."""
    pods.ledger = books.ledger  # type: ignore[assignment]
    pod = await pods.start(POD)
    seated = await pod.create(table_with_settlements(pod, 3), players=names(), deals_max=2)
    await books.opened(seated.names)
    await settled_until(seated, "payments_made", 3)
    await cut_before_turn_of(redis_url, seated.table_id, 2)
    await pods.start(POD)
    log = await closed(pods, seated, redis_url)
    voided = log[-2]
    assert isinstance(voided, DealVoided)
    rows = await books.balances(seated.names)
    assert [row.balance for row in rows] == list(voided.balances) == [OPENING] * 4
    assert [row.locked_by_table_id for row in rows] == [""] * 4
    await books.sound()


async def test_the_real_ledger_undoes_a_deal_whose_stake_it_gave_back(pods: Pods, books: Books, redis_url: str) -> None:
    pods.ledger = books.ledger  # type: ignore[assignment]
    pod = await pods.start(POD)
    seated = await pod.create(table_with_settlements(pod, 2), players=names(), deals_max=2)
    await books.opened(seated.names)
    await settled_until(seated, "deal_settled", 1)
    await cut_before(redis_url, seated.table_id, lambda event: isinstance(event, DealStarted))
    await pods.start(POD)
    await closed(pods, seated, redis_url)
    rows = await books.balances(seated.names)
    assert [row.balance for row in rows] == [OPENING] * 4
    assert [row.locked_by_table_id for row in rows] == [""] * 4
    await books.sound()
