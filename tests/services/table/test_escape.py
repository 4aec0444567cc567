"""Escape (PF-23, PF-24): the grace, the clocks meanwhile, and the money that moved."""

from dataclasses import replace
from typing import Any

import pytest
from cardroom.table.v1 import event_pb2
from redis.asyncio import Redis

from games.kernel import Payment, pay
from games.mahjong.ruleset import Ruleset
from games.variants.shanghai import settle
from services.table.edge.events import room_from_proto
from services.table.model import absence, flow, play
from services.table.model import state as folding
from services.table.model.events import Arrived, CloseCause, Closed, Created, LeaveWhen, Move, PaymentsDue, Ready
from services.table.model.flow import Draft
from services.table.model.play import Rest
from tests.fakes.clock import FakeClock
from tests.services.table.fakes import OPENING, FixedEntropy
from tests.services.table.logs import stored
from tests.services.table.rig import (
    Player,
    Pods,
    RunningPod,
    Seated,
    eventually,
    first_option,
    new_table_id,
    playing,
    room,
    to_act,
)

LIMIT_MS = 15_000
GRACE_MS = 60_000
PENALTY = 70


async def one_lost(
    pods: Pods, clock: FakeClock, seat: int, **changes: Any
) -> tuple[RunningPod, Seated, list[Player], list[Player]]:
    """A deal in which one player has just been noticed to be lost; all players, and the others."""
    pod = await pods.start("table-0", clock=clock, presence_limit_ms=LIMIT_MS, pod_lease_ms=3_600_000)
    fields = {"variant": "shanghai", "escape_penalty": PENALTY, "turn_limit_ms": 300_000, **changes}
    seated = await pod.create(new_table_id(), **fields)
    players = await playing(seated)
    await to_act(players)
    await players[seat].heartbeat()
    clock.advance(ms=LIMIT_MS)
    others = [player for player in players if player.seat != seat]
    await others[0].until("presence")
    return pod, seated, players, others


async def test_offline_for_longer_than_the_grace_is_an_escape_pf_23(
    pods: Pods, fake_clock: FakeClock, redis_url: str
) -> None:
    pod, seated, _, others = await one_lost(pods, fake_clock, 3)
    fake_clock.advance(ms=GRACE_MS - 100)
    await others[0].snapshot()
    assert "ended" not in others[0].events(), "not before the grace is over"
    fake_clock.advance(ms=200)
    ended = await others[0].until("event", "ended")
    assert [row.amount for row in ended.event.mahjong.ended.payments] == [PENALTY]
    await eventually(lambda: seated.table_id in pod.seats.released)
    assert (await stored(redis_url, seated.table_id))[-1] == Closed(CloseCause.ESCAPED)
    assert pod.ledger.penalties == [(seated.names[3], PENALTY)]
    assert [pod.ledger.balances[name] for name in seated.names] == [OPENING, OPENING, OPENING, OPENING - PENALTY]


async def test_within_the_grace_he_plays_on_as_if_nothing_had_happened_pf_23(pods: Pods, fake_clock: FakeClock) -> None:
    pod, _, players, others = await one_lost(pods, fake_clock, 0)
    fake_clock.advance(ms=GRACE_MS - 100)
    await players[0].heartbeat()
    message = await others[0].until("presence")
    assert all(row.online and not row.HasField("grace_remaining_ms") for row in message.presence.seats)
    fake_clock.advance(ms=2 * LIMIT_MS - 200)
    await players[0].heartbeat()
    for player in players:
        player.play(first_option)
        if player.prompt is not None and player.prompt.options and not player.prompt.standing:
            await player.act(player.prompt.options[0].mahjong, player.prompt.decision_id)
    closed = await others[0].until("event", "closed")
    assert closed.event.closed.cause == event_pb2.TABLE_CLOSE_CAUSE_DEALS_PLAYED
    assert pod.ledger.penalties == []


async def test_a_second_loss_has_a_grace_of_its_own_pf_23(pods: Pods, fake_clock: FakeClock) -> None:
    _, _, players, others = await one_lost(pods, fake_clock, 3)
    fake_clock.advance(ms=GRACE_MS - 100)
    await players[3].heartbeat()
    await others[0].until("presence")
    fake_clock.advance(ms=LIMIT_MS)
    message = await others[0].until("presence")
    assert message.presence.seats[3].grace_remaining_ms == GRACE_MS


async def test_his_clocks_run_while_he_is_lost_pf_24(pods: Pods, fake_clock: FakeClock) -> None:
    _, _, _, others = await one_lost(pods, fake_clock, 0, turn_limit_ms=20_000)
    fake_clock.advance(ms=20_000 - LIMIT_MS + 50)
    timed_out = await others[0].until("event", "timed_out")
    assert timed_out.event.timed_out.seat == 0
    discarded = await others[0].until("event", "discarded")
    assert discarded.event.mahjong.discarded.seat == 0


async def test_a_trustee_does_not_stop_the_grace_pf_22(pods: Pods, fake_clock: FakeClock) -> None:
    pod = await pods.start(clock=fake_clock, presence_limit_ms=LIMIT_MS, pod_lease_ms=3_600_000)
    seated = await pod.create(new_table_id(), variant="dazhong", escape_penalty=PENALTY, turn_limit_ms=300_000)
    players = await playing(seated)
    await to_act(players)
    await players[0].set_trustee(on=True)
    await players[1].until("event", "discarded")
    await players[0].heartbeat()
    await fake_clock.run(ms=LIMIT_MS + 50)
    await players[1].until("presence")
    await fake_clock.run(ms=GRACE_MS + 50)
    closed = await players[1].until("event", "closed")
    assert closed.event.closed.cause == event_pb2.TABLE_CLOSE_CAUSE_ESCAPED


async def test_the_grace_is_the_room_s_pf_1(pods: Pods, fake_clock: FakeClock) -> None:
    _, _, _, others = await one_lost(pods, fake_clock, 2, reconnect_grace_ms=5_000)
    fake_clock.advance(ms=5_050)
    await others[0].until("event", "ended")


async def test_an_outage_of_the_pod_is_credited_to_the_grace_pf_23(
    pods: Pods, fake_clock: FakeClock, redis_url: str
) -> None:
    """40 s of the grace are used when the pod dies; a new owner comes long after, and 20 s are left."""
    pod, seated, _, others = await one_lost(pods, fake_clock, 3)
    fake_clock.advance(ms=40_000)
    await others[0].snapshot()
    await pod.crash()
    redis = Redis.from_url(redis_url)
    now_ms = int((await redis.time())[0]) * 1000
    await redis.hset(f"{{{seated.table_id}}}:meta", "clocks_at", now_ms - 1_000_000)
    await redis.zadd("{pods}:leases", {pod.name: now_ms - 960_000 + 5_000})
    await redis.aclose()
    clock = FakeClock()
    again = await pods.start(pod.name, clock=clock, presence_limit_ms=3_600_000, pod_lease_ms=5_000)
    await again.owns(seated)
    grace = (await seated.player(0, again).snapshot()).snapshot.seats[3].presence.grace_remaining_ms
    assert 18_500 <= grace <= 21_500
    clock.advance(ms=grace + 100)
    await eventually(lambda: seated.table_id in again.seats.released)
    assert again.ledger.penalties == [(seated.names[3], PENALTY)]


# --- money that moved ----------------------------------------------------------------------


@pytest.fixture
def escapable(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game in which money moves in the midst of a deal, and going is an escape: none that ships has both."""
    ordinary = play.rules_of

    def rules(of: Any) -> Any:
        found = ordinary(of)
        assert isinstance(found, Ruleset)
        judgement = replace(found.judgement, end=settle.end)
        return replace(found, leaving_ends_deal=True, escape_penalty=25, judgement=judgement)

    monkeypatch.setattr(play, "rules_of", rules)


def with_wins(count: int) -> Draft:
    """A deal in which so many settlements are asked for, and none is carried out."""
    for number in range(200):
        created = Created(room_from_proto(room()), ("a", "b", "c", "d"), "m", 0)
        draft = Draft(folding.created(f"t-{number}", created), lambda: 0)
        for seat in range(4):
            draft.put(Arrived(seat))
        for seat in range(4):
            draft.put(Ready(seat, b""))
        flow.start_deal(draft, [40] * 4, FixedEntropy().seed())
        while draft.state.running and len(draft.state.dues) < count:
            deal = draft.state.deal
            assert deal is not None
            seat = min(play.awaiting(deal.game))
            flow.act(draft, seat, flow.decision_id(deal.opened_seq, seat), play.legal(deal.game, seat)[0])
        if draft.state.running and len(draft.state.dues) == count:
            return draft
    raise AssertionError("no such deal among 200")


def carry_out(draft: Draft) -> None:
    """What the ledger does with the next settlement."""
    due = draft.state.dues[0]
    paid = pay(draft.state.balances, due.payments)
    flow.payments_made(draft, due, paid.lines, paid.balances)


def asked(draft: Draft, since: int) -> list[tuple[Payment, ...]]:
    return [event.payments for event in draft.events[since:] if isinstance(event, PaymentsDue)]


@pytest.mark.usefixtures("escapable")
@pytest.mark.parametrize("carried_out", [0, 1, 2])
def test_money_that_moved_in_the_deal_is_moved_back_before_the_penalty_pf_23(carried_out: int) -> None:
    """Whatever of it the ledger has carried out when the escape happens; nothing is asked while that is not known."""
    draft = with_wins(2)
    for _ in range(carried_out):
        carry_out(draft)
    since = len(draft.events)
    absence.leave(draft, 1, LeaveWhen.NOW)
    assert draft.state.rest is Rest.OVER
    assert isinstance(draft.events[since + 1], Move)
    while len(draft.state.dues) and not asked(draft, since):
        carry_out(draft)
    backs = asked(draft, since)
    assert [payment.cause for payment in backs[-1]] == ["penalty"]
    assert {payment.cause for back in backs[:-1] for payment in back} == {"return"}
    while draft.state.dues:
        carry_out(draft)
    assert asked(draft, since) == backs, "asked for once"
    assert draft.state.balances == (40, 15, 40, 40)
    assert draft.state.nets == (0, -25, 0, 0)
    flow.settle_deal(draft)
    assert draft.events[-1] == Closed(CloseCause.ESCAPED)
