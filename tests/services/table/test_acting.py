"""Moves repeated, late, stale, illegal or another seat's (reliability 15): each its own reason, state untouched."""

import asyncio

from cardroom.mahjong.v1 import action_pb2
from cardroom.table.v1 import table_pb2

from refusals import Reason
from tests.fakes.clock import FakeClock
from tests.services.table.logs import PASS, PUNG, discard, first_deal, pung_tile, stored, table_where
from tests.services.table.rig import (
    Player,
    Pods,
    RunningPod,
    eventually,
    gathered,
    new_request_id,
    new_table_id,
    playing,
    reason_for,
    refusal_for,
    to_act,
)

FLOOR_MS = 500
ACCEPTED = table_pb2.ACT_OUTCOME_ACCEPTED
QUEUED = table_pb2.ACT_OUTCOME_QUEUED


def choice(player: Player) -> tuple[action_pb2.Action, str]:
    """A discard the player is offered, and the decision's id."""
    assert player.prompt is not None
    option = next(option.mahjong for option in player.prompt.options if option.mahjong.HasField("discard"))
    return option, player.prompt.decision_id


async def test_a_move_is_answered_with_the_number_of_its_first_event(pod: RunningPod) -> None:
    players = await playing(await pod.create(new_table_id()))
    dealer = await to_act(players)
    before = dealer.last_seq
    response = await dealer.act(*choice(dealer))
    assert (response.seq, response.outcome, response.duplicate) == (before + 1, ACCEPTED, False)
    message = await dealer.until("event", "discarded")
    assert message.seq == response.seq


async def test_the_same_request_again_gets_the_first_answer(pod: RunningPod, redis_url: str) -> None:
    seated = await pod.create(new_table_id())
    players = await playing(seated)
    dealer = await to_act(players)
    request_id, (action, decision) = new_request_id(), choice(dealer)
    answers = await asyncio.gather(*(dealer.act(action, decision, request_id=request_id) for _ in range(8)))
    assert sorted(answer.duplicate for answer in answers) == [False] + [True] * 7
    assert len({answer.seq for answer in answers}) == 1
    later = await dealer.act(action, decision, request_id=request_id)
    assert later.duplicate
    discards = [message for message in await stored(redis_url, seated.table_id) if "Discarded" in repr(message)]
    assert len(discards) == 1


async def test_a_request_id_with_other_content_is_refused(pod: RunningPod) -> None:
    players = await playing(await pod.create(new_table_id()))
    dealer = await to_act(players)
    request_id, (action, decision) = new_request_id(), choice(dealer)
    await dealer.act(action, decision, request_id=request_id)
    assert await reason_for(dealer.act(PASS, decision, request_id=request_id)) is Reason.REQUEST_ID_REUSED


async def test_another_seat_may_use_the_same_request_id(pod: RunningPod) -> None:
    """Deduplication is by seat and id: a guessed id of another's tells and blocks nothing."""
    players = await gathered(await pod.create(new_table_id()))
    request_id = new_request_id()
    for player in players:
        assert not (await player.ready(request_id=request_id)).duplicate


async def test_what_was_offered_for_one_deal_is_stale_in_every_other_bb_17(pod: RunningPod) -> None:
    """A lock that the network delivers late (reliability 15) locks no hand of the next deal."""
    players = await playing(await pod.create(new_table_id()))
    dealer = await to_act(players)
    other = players[(dealer.seat + 1) % 4]
    lock = action_pb2.Action(lock=action_pb2.Lock())
    by_rule = await reason_for(other.act(lock, ""))
    assert by_rule is not Reason.DECISION_STALE
    assert await reason_for(other.act(lock, f"01-{other.seat}")) is by_rule
    for deal_number in (0, 2):
        assert await reason_for(other.act(lock, f"0{deal_number}-{other.seat}")) is Reason.DECISION_STALE


async def test_out_of_turn(pod: RunningPod) -> None:
    players = await playing(await pod.create(new_table_id()))
    dealer = await to_act(players)
    other = players[(dealer.seat + 1) % 4]
    tile = discard(0)
    decision = f"{choice(dealer)[1].partition('-')[0]}-{other.seat}"
    assert await reason_for(other.act(tile, decision)) is Reason.NOT_YOUR_TURN
    assert await reason_for(other.act(tile, "")) is Reason.NOT_YOUR_TURN


async def test_a_tile_not_held_is_refused_by_rule_and_field(pod: RunningPod) -> None:
    seated = await pod.create(new_table_id())
    players = await playing(seated)
    dealer = await to_act(players)
    hand = first_deal(pod, seated.table_id).hands[0]
    missing = next(tile for tile in range(9, 27) if tile not in hand)
    refusal = await refusal_for(dealer.act(discard(missing), choice(dealer)[1]))
    assert (refusal.reason, refusal.rule, refusal.field) == (Reason.TILE_NOT_HELD, "BB-10", "action.tile")
    assert (await reason_for(dealer.act(discard(33), choice(dealer)[1]))) is Reason.TILE_UNKNOWN


async def test_stale_and_future_decisions(pod: RunningPod) -> None:
    players = await playing(await pod.create(new_table_id()))
    dealer = await to_act(players)
    action, decision = choice(dealer)
    await dealer.act(action, decision)
    assert await reason_for(dealer.act(action, decision)) is Reason.DECISION_STALE
    assert await reason_for(dealer.act(action, f"999-{dealer.seat}")) is Reason.DECISION_STALE


async def test_a_decision_that_is_missing_malformed_or_anothers(pod: RunningPod) -> None:
    players = await playing(await pod.create(new_table_id()))
    dealer = await to_act(players)
    action, decision = choice(dealer)
    missing = await refusal_for(dealer.act(action, ""))
    assert (missing.reason, missing.field) == (Reason.INVALID_FIELD, "decision_id")
    assert await reason_for(dealer.act(action, "twelve")) is Reason.INVALID_FIELD
    assert await reason_for(dealer.act(action, f"{decision.partition('-')[0]}-3")) is Reason.TOKEN_MISMATCH


async def test_a_request_id_is_a_uuid_and_a_move_is_named(pod: RunningPod) -> None:
    players = await playing(await pod.create(new_table_id()))
    dealer = await to_act(players)
    action, decision = choice(dealer)
    refusal = await refusal_for(dealer.act(action, decision, request_id="1"))
    assert (refusal.reason, refusal.field) == (Reason.INVALID_FIELD, "request_id")
    refusal = await refusal_for(dealer.act(action_pb2.Action(), decision))
    assert (refusal.reason, refusal.field) == (Reason.INVALID_FIELD, "action")


async def test_a_token_is_for_one_seat_of_one_table(pod: RunningPod) -> None:
    first, second = await pod.create(new_table_id()), await pod.create(new_table_id())
    players = await playing(first)
    dealer = await to_act(players)
    action, decision = choice(dealer)
    stranger = second.player(0)
    stranger.table_id = first.table_id
    assert await reason_for(stranger.act(action, decision)) is Reason.TOKEN_MISMATCH
    thief = first.player(0)
    thief.token = pod.mint("seat", "somebody-else", table_id=first.table_id, seat=0)
    assert await reason_for(thief.act(action, decision)) is Reason.TOKEN_MISMATCH
    for seat in (-1, 4):
        thief.token = pod.mint("seat", first.names[0], table_id=first.table_id, seat=seat)
        assert await reason_for(thief.act(action, decision)) is Reason.TOKEN_MISMATCH


async def test_another_pods_name_is_told_the_owner(pod: RunningPod) -> None:
    players = await playing(await pod.create(new_table_id()))
    dealer = await to_act(players)
    refusal = await refusal_for(dealer.act(*choice(dealer), pod="table-9"))
    assert refusal.reason is Reason.NOT_OWNER
    assert refusal.metadata == {"authority": pod.authority, "pod": pod.name, "epoch": "1"}


async def test_a_table_nobody_has(pod: RunningPod) -> None:
    seated = await pod.create(new_table_id())
    stranger = Player(pod, new_table_id(), 0, seated.names[0])
    assert await reason_for(stranger.act(PASS, "")) is Reason.TABLE_UNKNOWN
    assert await reason_for(stranger.snapshot()) is Reason.TABLE_UNKNOWN


async def test_moves_before_a_deal_and_ready_during_one(pod: RunningPod) -> None:
    seated = await pod.create(new_table_id())
    players = await gathered(seated)
    assert await reason_for(players[0].act(PASS, "1-0")) is Reason.WRONG_TABLE_STATE
    request_ids = [new_request_id() for _ in players]
    for player, request_id in zip(players, request_ids, strict=True):
        await player.ready(request_id=request_id)
    for player in players:
        await player.until("event", "dealt")
    assert await reason_for(players[0].ready()) is Reason.WRONG_TABLE_STATE
    again = await players[1].ready(request_id=request_ids[1])
    assert again.duplicate, "said before the deal began: its first answer, again"


async def test_ready_twice_is_ready_once(pod: RunningPod) -> None:
    players = await gathered(await pod.create(new_table_id()))
    first = await players[0].ready(nonce=b"one")
    second = await players[0].ready(nonce=b"two")
    assert (first.duplicate, second.duplicate, second.seq) == (False, True, first.seq)
    refusal = await refusal_for(players[1].ready(nonce=b"x" * 33))
    assert (refusal.reason, refusal.field) == (Reason.INVALID_FIELD, "nonce")


async def test_a_claim_is_queued_and_answered_once(pods: Pods, fake_clock: FakeClock, redis_url: str) -> None:
    pod = await pods.start(clock=fake_clock)
    table_id = table_where(pod, lambda state: pung_tile(state) is not None)
    found = pung_tile(first_deal(pod, table_id))
    assert found is not None
    tile, seat = found
    seated = await pod.create(table_id, claim_floor_min_ms=FLOOR_MS, claim_floor_max_ms=FLOOR_MS)
    players = await playing(seated)
    dealer, claimer = await to_act(players), players[seat]
    await dealer.act(discard(tile), choice(dealer)[1])
    await eventually(lambda: claimer.prompt is not None and not claimer.prompt.standing)
    assert claimer.prompt is not None
    decision, count = claimer.prompt.decision_id, len(await stored(redis_url, table_id))
    others = [player for player in players if player not in (dealer, claimer)]
    assert await reason_for(others[0].act(PASS, f"{decision.partition('-')[0]}-{others[0].seat}")) is Reason.NOT_ASKED
    assert await reason_for(claimer.act(discard(tile), decision)) is Reason.QUESTION_OPEN
    response = await claimer.act(PUNG, decision)
    assert (response.outcome, decision) == (QUEUED, f"{response.seq}-{seat}")
    await eventually(lambda: claimer.prompt is not None and claimer.prompt.answered)
    assert await reason_for(claimer.act(PASS, decision)) is Reason.ALREADY_ANSWERED
    assert len(await stored(redis_url, table_id)) == count, "an answer takes no public number"
    fake_clock.advance(ms=FLOOR_MS + 20)
    for player in players:
        message = await player.until("event", "melded")
        assert message.event.mahjong.melded.seat == seat


async def test_refused_moves_leave_no_trace(pod: RunningPod, redis_url: str) -> None:
    seated = await pod.create(new_table_id())
    players = await playing(seated)
    await to_act(players)
    before = await stored(redis_url, seated.table_id)
    snapshots = [(await player.snapshot()).snapshot for player in players]
    for player in players:
        for action in (PASS, PUNG, discard(0), action_pb2.Action(win=action_pb2.Win())):
            for decision in ("", "5-0", f"{player.last_seq}-{player.seat}"):
                await reason_for(player.act(action, decision))
    assert await stored(redis_url, seated.table_id) == before
    for player, snapshot in zip(players, snapshots, strict=True):
        now = (await player.snapshot()).snapshot
        for message in (now, snapshot):
            message.ClearField("deadline")
            message.prompt.ClearField("deadline")
            message.prompt.ClearField("remaining_ms")
        assert now == snapshot
