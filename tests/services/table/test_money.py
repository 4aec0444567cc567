"""Stakes and settlements: asked once for each, until the answer is definite (PF-50..55; reliability 36)."""

import pytest

from refusals import Reason, Refusal
from services.table.model.events import CloseCause, Closed, DealSettled, PaymentsDue, PaymentsMade
from services.table.ports import Account, ServiceAway
from tests.services.table.fakes import OPENING
from tests.services.table.logs import folded, stored, table_with_settlements
from tests.services.table.rig import (
    Player,
    Pods,
    RunningPod,
    Seated,
    eventually,
    first_option,
    gathered,
)


async def played(seated: Seated) -> list[Player]:
    players = await gathered(seated)
    for player in players:
        player.play(first_option)
    for player in players:
        await player.ready()
    return players


async def ended(players: list[Player]) -> None:
    for player in players:
        await player.ended()
        assert player.goodbyes() == ["ENDED"]


async def test_every_settlement_due_is_made_once_and_the_log_tells_what_moved(pod: RunningPod, redis_url: str) -> None:
    seated = await pod.create(table_with_settlements(pod, 2))
    await ended(await played(seated))
    log = await stored(redis_url, seated.table_id)
    due = [event for event in log if isinstance(event, PaymentsDue)]
    made = [event for event in log if isinstance(event, PaymentsMade)]
    assert [event.settlement_seq for event in due] == list(range(1, len(due) + 1))
    assert [event.settlement_seq for event in made] == [event.settlement_seq for event in due]
    assert [tuple(line.payment for line in event.lines) for event in made] == [event.payments for event in due]
    assert pod.ledger.applied_count == len(due) > 0
    settled = next(event for event in log if isinstance(event, DealSettled))
    assert settled.balances == tuple(pod.ledger.balances[name] for name in seated.names)
    state = folded(seated.table_id, log)
    assert [OPENING + net for net in state.nets] == list(settled.balances)
    assert pod.ledger.locked == {}
    assert pod.sample("cardroom_table_settle_seconds_count") == len(due)


async def test_a_lost_answer_moves_no_money_twice(pod: RunningPod, redis_url: str) -> None:
    pod.ledger.forgetful = True
    seated = await pod.create(table_with_settlements(pod, 2))
    await ended(await played(seated))
    log = await stored(redis_url, seated.table_id)
    assert pod.ledger.applied_count == sum(isinstance(event, PaymentsDue) for event in log)
    assert sum(pod.ledger.balances.values()) == 4 * OPENING
    assert pod.ledger.lost_count >= 4


async def test_play_goes_on_while_the_ledger_is_away_and_the_next_deal_waits_row_36(pod: RunningPod) -> None:
    seated = await pod.create(table_with_settlements(pod, 2), deals_max=2)
    players = await gathered(seated)
    for player in players:
        await player.ready()
    for player in players:
        await player.until("event", "dealt")
    pod.ledger.away = True
    for player in players:
        player.play(first_option)
        if player.prompt is not None and player.prompt.options and not player.prompt.standing:
            await player.act(player.prompt.options[0].mahjong, player.prompt.decision_id)
    for player in players:
        await player.until("event", "ended")
    assert "payments_made" not in players[0].events()
    assert "deal_settled" not in players[0].events()
    pod.ledger.away = False
    for player in players:
        await player.until("event", "deal_settled")
        await player.ready()
    for player in players:
        await player.ended()
    assert players[0].events().count("deal_settled") == 2
    assert sum(pod.ledger.balances.values()) == 4 * OPENING


async def test_no_deal_begins_before_all_stakes_are_locked_pf_55(pod: RunningPod, redis_url: str) -> None:
    pod.ledger.away = True
    seated = await pod.create(table_with_settlements(pod, 2))
    players = await played(seated)
    await eventually(lambda: pod.ledger.calls.count("claim") >= 2)
    assert "deal_started" not in players[0].events()
    pod.ledger.away = False
    await ended(players)
    assert pod.ledger.calls.index("reserve") < pod.ledger.calls.index("settle")


async def test_who_cannot_pay_the_least_ends_the_table_pf_13(pod: RunningPod, redis_url: str) -> None:
    seated = await pod.create(table_with_settlements(pod, 2), least_balance=50)
    pod.ledger.balances[seated.names[2]] = 49
    await ended(await played(seated))
    assert (await stored(redis_url, seated.table_id))[-1] == Closed(CloseCause.BALANCE, (0, 1, 3))
    await eventually(lambda: seated.table_id in pod.seats.requeued)
    assert pod.seats.released[seated.table_id] == (seated.names[2],)
    assert pod.seats.requeued[seated.table_id] == tuple(seated.names[seat] for seat in (0, 1, 3))


async def test_who_plays_elsewhere_ends_the_table_pf_55(pod: RunningPod, redis_url: str) -> None:
    seated = await pod.create(table_with_settlements(pod, 2))
    pod.ledger.locked[seated.names[1]] = "elsewhere.1"
    await ended(await played(seated))
    assert (await stored(redis_url, seated.table_id))[-1] == Closed(CloseCause.STAKE, (0, 2, 3))
    assert pod.ledger.locked == {seated.names[1]: "elsewhere.1"}


async def test_below_the_least_after_a_deal_the_table_ends_pf_13(pod: RunningPod, redis_url: str) -> None:
    seated = await pod.create(table_with_settlements(pod, 2), deals_max=0, least_balance=OPENING)
    await ended(await played(seated))
    log = await stored(redis_url, seated.table_id)
    settled = next(event for event in log if isinstance(event, DealSettled))
    stay = tuple(seat for seat, balance in enumerate(settled.balances) if balance >= OPENING)
    assert log[-1] == Closed(CloseCause.BALANCE, stay)


async def test_players_are_let_go_when_the_matchmaker_is_back(pod: RunningPod) -> None:
    pod.seats.away = True
    seated = await pod.create(table_with_settlements(pod, 2))
    await ended(await played(seated))
    assert seated.table_id in pod.component.pod.tables
    pod.seats.away = False
    await eventually(lambda: pod.seats.released.get(seated.table_id) == tuple(seated.names))
    await eventually(lambda: seated.table_id not in pod.component.pod.tables)


@pytest.mark.parametrize("fault", [ServiceAway(), Refusal(Reason.INTERNAL)], ids=["away", "refused"])
async def test_what_only_the_ledger_may_still_hold_keeps_nobody_from_his_seat_pf_55(
    pod: RunningPod, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    is_down = True

    async def release(account: Account, deal_id: str) -> None:
        if deal_id == "" and is_down:
            asked.append(account.table_id)
            raise fault
        await free(account, deal_id)

    asked: list[str] = []
    free = pod.ledger.release
    monkeypatch.setattr(pod.ledger, "release", release)
    seated = await pod.create(table_with_settlements(pod, 2))
    await ended(await played(seated))
    await eventually(lambda: pod.seats.released.get(seated.table_id) == tuple(seated.names))
    await eventually(lambda: seated.table_id in asked)
    if isinstance(fault, ServiceAway):
        assert seated.table_id in pod.component.pod.tables, "it asks again"
        is_down = False
    await eventually(lambda: seated.table_id not in pod.component.pod.tables)
    assert pod.ledger.locked == {}
    assert pod.sample("cardroom_table_quarantines_total") == 0


async def test_a_settlement_due_survives_the_process_and_is_made_once(pods: Pods, redis_url: str) -> None:
    """The outbox is the log: the next owner claims the table at the ledger and sends the same number again."""
    pod = await pods.start("table-0")
    seated = await pod.create(table_with_settlements(pod, 2))
    players = await gathered(seated)
    for player in players:
        await player.ready()
    for player in players:
        await player.until("event", "dealt")
    pods.ledger.away = True
    for player in players:
        player.play(first_option)
        if player.prompt is not None and player.prompt.options and not player.prompt.standing:
            await player.act(player.prompt.options[0].mahjong, player.prompt.decision_id)
    await players[0].until("event", "ended")
    await pod.crash()
    pods.ledger.away = False
    again = await pods.start("table-0")
    await eventually(lambda: pods.seats.released.get(seated.table_id) == tuple(seated.names))
    log = await stored(redis_url, seated.table_id)
    assert log[-1] == Closed(CloseCause.DEALS_PLAYED)
    assert pods.ledger.applied_count == sum(isinstance(event, PaymentsDue) for event in log)
    assert pods.ledger.epochs[seated.table_id, "coins"] == 2
    assert again.sample("cardroom_table_quarantines_total") == 0


async def test_a_settlement_that_is_refused_stops_the_table_alone(pod: RunningPod, redis_url: str) -> None:
    pod.ledger.refuses = Reason.SETTLEMENT_CONFLICT
    seated = await pod.create(table_with_settlements(pod, 2))
    await ended(await played(seated))
    assert (await stored(redis_url, seated.table_id))[-1] == Closed(CloseCause.FAULT)
    await eventually(lambda: seated.table_id in pod.seats.released)
    assert pod.ledger.locked == {}
    assert pod.sample("cardroom_table_quarantines_total") == 1
