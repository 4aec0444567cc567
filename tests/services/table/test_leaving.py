"""Players who leave: after the deal, at once, by a forced exit (PF-12, PF-13, PF-23, BB-60, BB-61; reliability 17)."""

from functools import partial
from typing import Any

from cardroom.table.v1 import event_pb2

from refusals import Reason
from services.table.model.events import CloseCause, Closed, LeaveWhen, SeatLeft
from tests.services.table.fakes import OPENING
from tests.services.table.logs import stored
from tests.services.table.rig import (
    Player,
    RunningPod,
    Seated,
    eventually,
    first_option,
    gathered,
    new_request_id,
    new_table_id,
    playing,
    reason_for,
    refusal_for,
    to_act,
)

NOW = event_pb2.LEAVE_WHEN_NOW
AFTER_DEAL = event_pb2.LEAVE_WHEN_AFTER_DEAL
LEFT = event_pb2.TABLE_CLOSE_CAUSE_LEFT


async def go_on(players: list[Player]) -> None:
    """These players take first options from now on."""
    for player in players:
        player.play(first_option)
        if player.prompt is not None and player.prompt.options and not player.prompt.standing:
            await player.act(player.prompt.options[0].mahjong, player.prompt.decision_id)


async def let_go(pod: RunningPod, seated: Seated, out: list[int]) -> None:
    """These seats' players are free, the others in front of their queue."""
    names = seated.names
    await eventually(lambda: seated.table_id in pod.seats.requeued)
    assert pod.seats.released[seated.table_id] == tuple(names[seat] for seat in out)
    assert pod.seats.requeued[seated.table_id] == tuple(name for seat, name in enumerate(names) if seat not in out)


async def test_who_leaves_after_the_deal_plays_it_and_then_the_table_ends_pf_13(pod: RunningPod) -> None:
    seated = await pod.create(new_table_id(), deals_max=0)
    players = await playing(seated)
    await to_act(players)
    request_id = new_request_id()
    answer = await players[1].leave(AFTER_DEAL, request_id)
    message = await players[0].until("event", "left")
    assert message.seq == answer.seq
    assert message.event.left == event_pb2.SeatLeft(seat=1, when=AFTER_DEAL)
    assert (await players[1].leave(AFTER_DEAL, request_id)).duplicate
    assert (await players[1].leave(AFTER_DEAL)).duplicate
    assert [row.leaving for row in (await players[0].snapshot()).snapshot.seats] == [False, True, False, False]
    await go_on(players)
    for player in players:
        closed = await player.until("event", "closed")
        assert closed.event.closed.cause == LEFT
        assert list(closed.event.closed.requeued_seats) == [0, 2, 3]
    await let_go(pod, seated, [1])
    assert pod.ledger.penalties == []


async def test_who_leaves_before_a_deal_gives_his_seat_up_at_once_pf_12(pod: RunningPod, redis_url: str) -> None:
    for when in (LeaveWhen.NOW, LeaveWhen.AFTER_DEAL):
        seated = await pod.create(new_table_id())
        players = await gathered(seated)
        await players[2].leave(NOW if when is LeaveWhen.NOW else AFTER_DEAL)
        for player in players:
            await player.ended()
        assert (await stored(redis_url, seated.table_id))[-2:] == [
            SeatLeft(2, when),
            Closed(CloseCause.LEFT, (0, 1, 3)),
        ]
        await let_go(pod, seated, [2])


async def test_who_never_came_does_not_go_back_to_the_queue_pf_13(pod: RunningPod, redis_url: str) -> None:
    """Those who are there go on; they would wait for him once more."""
    seated = await pod.create(new_table_id())
    *players, _ = seated.players()
    for player in players:
        player.open()
        await player.until("snapshot")
    await eventually(lambda: len(pod.component.pod.tables[seated.table_id].current.state.arrived) == len(players))
    await players[1].leave(NOW)
    for player in players:
        await player.ended()
    assert (await stored(redis_url, seated.table_id))[-1] == Closed(CloseCause.LEFT, (0, 2))
    await let_go(pod, seated, [1, 3])


async def test_who_leaves_when_all_are_ready_leaves_no_stake_behind_pf_55(pod: RunningPod) -> None:
    seated = await pod.create(new_table_id())
    players = await gathered(seated)
    pod.ledger.away = True
    for player in players:
        await player.ready()
    await players[0].leave(NOW)
    pod.ledger.away = False
    for player in players:
        await player.ended()
    await let_go(pod, seated, [0])
    assert pod.ledger.locked == {}


async def test_a_forced_exit_from_a_bloody_game_is_absence_without_penalty_bb_60(pod: RunningPod) -> None:
    seated = await pod.create(new_table_id(), deals_max=0)
    players = await playing(seated)
    leaver = await to_act(players)
    others = [player for player in players if player is not leaver]
    await leaver.leave(NOW)
    await others[0].until("event", "left")
    assert (await others[0].until("event", "went_away")).event.mahjong.went_away.seat == leaver.seat
    assert (await others[0].until("event", "discarded")).event.mahjong.discarded.seat == leaver.seat
    await leaver.ended()
    assert leaver.goodbyes() == ["LEFT"]
    await go_on(others)
    for player in others:
        assert (await player.until("event", "closed")).event.closed.cause == LEFT
    await let_go(pod, seated, [leaver.seat])
    assert pod.ledger.penalties == []
    assert sum(pod.ledger.balances.values()) == 4 * OPENING


async def test_who_left_by_a_forced_exit_comes_back_by_watching_bb_61(pod: RunningPod) -> None:
    """What his devices still send brings nobody back; and he keeps the seat until the deal is settled."""
    seated = await pod.create(new_table_id(), deals_max=0)
    players = await playing(seated)
    await to_act(players)
    leaver = players[3]
    await leaver.leave(NOW)
    await leaver.ended()
    await leaver.heartbeat()
    assert (await players[0].snapshot()).snapshot.seats[3].leaving
    assert not (await players[0].snapshot()).snapshot.seats[3].presence.online
    assert seated.table_id not in pod.seats.released
    device = seated.player(3)
    device.open()
    await players[0].until("event", "came_back")
    seats = (await players[0].snapshot()).snapshot.seats
    assert (seats[3].leaving, seats[3].presence.online) == (False, True)
    players[3] = device
    await go_on(players)
    settled = await players[0].until("event", "deal_settled")
    assert settled.seq
    await eventually(lambda: pod.component.pod.tables[seated.table_id].current.state.stage == "between_deals")


async def test_all_players_leave_and_the_deal_ends_by_its_rules_row_17(pod: RunningPod, redis_url: str) -> None:
    seated = await pod.create(new_table_id(), deals_max=0)
    players = await playing(seated)
    await to_act(players)
    for player in players:
        await player.leave(NOW)
    await eventually(lambda: seated.table_id in pod.seats.released)
    assert (await stored(redis_url, seated.table_id))[-1] == Closed(CloseCause.LEFT)
    assert pod.seats.released[seated.table_id] == tuple(seated.names)
    assert seated.table_id not in pod.seats.requeued
    assert pod.ledger.locked == {}
    assert sum(pod.ledger.balances.values()) == 4 * OPENING


async def test_a_forced_exit_elsewhere_is_an_escape_at_once_pf_23(pod: RunningPod, redis_url: str) -> None:
    for variant in ("shanghai", "dazhong"):
        pod.ledger.penalties.clear()
        seated = await pod.create(new_table_id(), variant=variant, deals_max=0, escape_penalty=70)
        players = await playing(seated)
        await to_act(players)
        await players[2].leave(NOW)
        ended = await players[0].until("event", "ended")
        assert [row.amount for row in ended.event.mahjong.ended.payments] == [70]
        made = (await players[0].until("event", "payments_made")).event.payments_made
        assert [
            (row.payer_seat, row.HasField("payee_seat"), row.asked, row.paid, row.cause) for row in made.payments
        ] == [(2, False, 70, 70, "penalty")]
        closed = await players[0].until("event", "closed")
        assert closed.event.closed.cause == event_pb2.TABLE_CLOSE_CAUSE_ESCAPED
        await eventually(partial(pod.seats.released.__contains__, seated.table_id))
        assert pod.ledger.penalties == [(seated.names[2], 70)]
        balances = [pod.ledger.balances[name] for name in seated.names]
        assert balances == [OPENING, OPENING, OPENING - 70, OPENING]
        assert pod.seats.released[seated.table_id] == tuple(seated.names)


async def test_a_penalty_takes_at_most_what_is_there_pf_54(pod: RunningPod) -> None:
    seated = await pod.create(new_table_id(), variant="shanghai", escape_penalty=70, least_balance=0)
    pod.ledger.balances[seated.names[1]] = 30
    players = await playing(seated)
    await to_act(players)
    await players[1].leave(NOW)
    made = (await players[0].until("event", "payments_made")).event.payments_made
    assert [(row.asked, row.paid) for row in made.payments] == [(70, 30)]
    assert pod.ledger.balances[seated.names[1]] == 0


async def test_a_room_without_penalty_takes_none_pf_23(pod: RunningPod) -> None:
    seated = await pod.create(new_table_id(), variant="dazhong")
    players = await playing(seated)
    await to_act(players)
    await players[1].leave(NOW)
    closed = await players[0].until("event", "closed")
    assert closed.event.closed.cause == event_pb2.TABLE_CLOSE_CAUSE_ESCAPED
    assert pod.ledger.penalties == []


async def test_leaving_is_refused_in_words_that_name_what_is_wrong(pod: RunningPod) -> None:
    seated = await pod.create(new_table_id())
    players = await gathered(seated)
    unsaid: Any = 0
    refusal = await refusal_for(players[0].leave(unsaid))
    assert (refusal.reason, refusal.field, refusal.rule) == (Reason.INVALID_FIELD, "when", "PF-13")
    unknown: Any = 9
    assert (await refusal_for(players[0].leave(unknown))).field == "when"
    assert (await refusal_for(players[0].leave(NOW, "no-uuid"))).field == "request_id"
    request_id = new_request_id()
    await players[0].leave(AFTER_DEAL, request_id)
    assert await reason_for(players[1].leave(AFTER_DEAL)) in (Reason.TABLE_CLOSED, Reason.TABLE_UNKNOWN)


async def test_a_room_whose_game_takes_no_penalty_is_refused_pf_23(pod: RunningPod) -> None:
    request = pod.create_request(new_table_id(), ["a", "b", "c", "d"], escape_penalty=5)
    refusal = await refusal_for(pod.control("matchmaker").CreateTable(request))
    assert (refusal.reason, refusal.field, refusal.rule) == (
        Reason.OPTION_INVALID,
        "room.escape_penalty",
        "PF-23",
    )
    below = pod.create_request(new_table_id(), ["a", "b", "c", "d"], variant="shanghai", escape_penalty=-1)
    assert (await refusal_for(pod.control("matchmaker").CreateTable(below))).field == "room.escape_penalty"
