"""The trustee (PF-22): after two time-outs, by the player's will, and what it does."""

from collections.abc import Iterator
from functools import partial

import pytest
from cardroom.mahjong.v1 import action_pb2
from cardroom.table.v1 import event_pb2, table_pb2

from games.kernel import Seat
from games.mahjong.actions import Decline, Discard, Pass, Win
from refusals import Reason
from services.table.edge.events import room_from_proto
from services.table.model import flow, play, trustee
from services.table.model import state as folding
from services.table.model.events import Arrived, Created, Move, Ready, TrusteeSet, TurnTimedOut
from services.table.model.flow import Draft
from services.table.model.play import Rest
from tests.fakes.clock import FakeClock
from tests.services.table.fakes import FixedEntropy
from tests.services.table.logs import folded, received, seen_of, stored
from tests.services.table.rig import (
    Player,
    Pods,
    RunningPod,
    eventually,
    first_option,
    new_request_id,
    new_table_id,
    playing,
    reason_for,
    room,
    to_act,
)

TURN_MS = 20_000


def passing(prompt: table_pb2.Prompt) -> action_pb2.Action | None:
    """Claims nothing, and does nothing in a turn."""
    return next((option.mahjong for option in prompt.options if option.mahjong.HasField("pass_claim")), None)


def _is_asked(idle: Player, players: list[Player]) -> bool:
    """Whether everybody waits for this player's turn: he is asked, and is offered to discard."""
    if len({player.last_seq for player in players}) > 1 or idle.prompt is None:
        return False
    return any(option.mahjong.HasField("discard") for option in idle.prompt.options)


def _beyond(player: Player, seq: int) -> bool:
    return player.last_seq > seq


async def test_after_two_time_outs_in_a_row_the_server_plays_pf_22(
    pods: Pods, fake_clock: FakeClock, redis_url: str
) -> None:
    pod = await pods.start(clock=fake_clock, pod_lease_ms=3_600_000)
    seated = await pod.create(new_table_id(), variant="shanghai", turn_limit_ms=TURN_MS)
    players = await playing(seated)
    idle, others = players[0], players[1:]
    idle.play(passing)
    for player in others:
        player.play(first_option)
    for _ in range(2):
        await eventually(partial(_is_asked, idle, players))
        seq = idle.last_seq
        fake_clock.advance(ms=TURN_MS + 20)
        await eventually(partial(_beyond, idle, seq))
    await others[0].until("event", "trustee")
    log = await stored(redis_url, seated.table_id)
    switched = next(index for index, event in enumerate(log) if isinstance(event, TrusteeSet))
    assert log[switched] == TrusteeSet(0, on=True, by_server=True)
    assert log[:switched].count(TurnTimedOut(0)) == 2
    snapshot = (await others[0].snapshot()).snapshot
    assert [row.trustee for row in snapshot.seats] == [True, False, False, False]
    for player in others:  # it plays on without any clock, to the deal's end
        await player.ended()
    log = await stored(redis_url, seated.table_id)
    assert log[switched:].count(TurnTimedOut(0)) == 0
    for player in players:
        first = player.messages[0].seq
        seen = {seq: event for seq, event in seen_of(log, player.seat).items() if seq > first}
        assert received(player) == {seq: event for seq, event in seen.items() if seq <= player.messages[-1].seq}


async def test_a_player_switches_it_on_and_off_pf_22(pods: Pods, redis_url: str) -> None:
    pod = await pods.start()
    seated = await pod.create(new_table_id(), variant="dazhong")
    players = await playing(seated)
    dealer = await to_act(players)
    request_id = new_request_id()
    answer = await dealer.set_trustee(on=True, request_id=request_id)
    message = await players[1].until("event", "trustee")
    assert message.seq == answer.seq
    assert message.event.trustee == event_pb2.TrusteeSet(seat=dealer.seat, on=True, by_server=False)
    discarded = await players[1].until("event", "discarded")
    assert discarded.event.mahjong.discarded.seat == dealer.seat
    again = await dealer.set_trustee(on=True, request_id=request_id)
    assert again.duplicate
    assert again.seq == answer.seq
    assert (await dealer.set_trustee(on=True)).duplicate
    await dealer.set_trustee(on=False)
    for player in players:
        player.play(first_option)
        if player.prompt is not None and player.prompt.options and not player.prompt.standing:
            await player.act(player.prompt.options[0].mahjong, player.prompt.decision_id)
    for player in players:
        await player.ended()
    log = await stored(redis_url, seated.table_id)
    assert [event for event in log if isinstance(event, TrusteeSet)] == [
        TrusteeSet(dealer.seat, on=True, by_server=False),
        TrusteeSet(dealer.seat, on=False, by_server=False),
    ]


async def test_a_table_of_trustees_plays_its_deal_to_the_end_pf_22(pods: Pods, redis_url: str) -> None:
    pod = await pods.start()
    seated = await pod.create(new_table_id())
    players = await playing(seated)
    for player in players:
        await player.set_trustee(on=True)
    for player in players:
        await player.ended()
    log = await stored(redis_url, seated.table_id)
    state = folded(seated.table_id, log)
    assert state.trustees == {0, 1, 2, 3}
    for player in players:
        first = player.messages[0].seq
        assert received(player) == {seq: event for seq, event in seen_of(log, player.seat).items() if seq > first}


async def test_a_new_owner_goes_on_playing_for_the_seat_pf_22(pods: Pods) -> None:
    pod = await pods.start("table-0")
    seated = await pod.create(new_table_id())
    players = await playing(seated)
    for player in players[1:]:
        await player.set_trustee(on=True)
    await pod.crash()
    again = await pods.start("table-0")
    await again.owns(seated)
    player = seated.player(0, again)
    player.play(first_option)
    player.open()
    await player.ended()
    assert player.goodbyes() == ["ENDED"]


async def test_a_trustee_of_a_closed_table_is_refused(pod: RunningPod) -> None:
    seated = await pod.create(new_table_id(), variant="bloody4")
    players = await playing(seated)
    for player in players:
        await player.set_trustee(on=True)
    for player in players:
        await player.ended()
    assert await reason_for(players[0].set_trustee(on=False)) in (Reason.TABLE_CLOSED, Reason.TABLE_UNKNOWN)


# --- what it does, in every game ---------------------------------------------------------


def deals(variant: str, count: int) -> Iterator[Draft]:
    """Deals of one variant at the start, seat 0 in a trustee's hands."""
    seats = play.rules_of(room_from_proto(room(variant=variant))).seat_count
    for number in range(count):
        created = Created(room_from_proto(room(variant=variant)), tuple("abcdef"[:seats]), "m", 0)
        draft = Draft(folding.created(f"t-{variant}-{number}", created), lambda: 0)
        for seat in range(seats):
            draft.put(Arrived(seat))
        for seat in range(seats):
            draft.put(Ready(seat, b""))
        flow.start_deal(draft, [1_000] * seats, FixedEntropy(f"trustee {number}").seed())
        draft.put(TrusteeSet(0, on=True, by_server=False))
        yield draft


@pytest.mark.parametrize("variant", ["bloody4", "bloody6", "shanghai", "dazhong"])
def test_it_wins_whenever_it_can_discards_and_claims_nothing_pf_22(variant: str) -> None:
    won = offered = 0
    for draft in deals(variant, 12):
        while draft.state.rest is not Rest.OVER:
            deal = draft.state.deal
            assert deal is not None
            if trustee.served(draft.state) == 0:
                options = play.legal(deal.game, 0)
                can_win = any(isinstance(option, Win) for option in options)
                move = play.trustee_move(deal.game, 0)
                assert move in options
                assert isinstance(move, Win if can_win else (Pass, Decline, Discard))
                won += can_win
                offered += 1
                trustee.serve(draft)
            else:
                seat = min(play.awaiting(deal.game))
                flow.act(draft, seat, flow.decision_id(deal.opened_seq, seat), plain(deal.game, seat))
    assert offered > 50
    assert won > 0 or variant == "dazhong", "hands of 8 fans are rare"


def plain(game: play.GameState, seat: Seat) -> play.PlayerAction:
    """A move that lets the deal go on for long: pass, else the last discard."""
    options = play.legal(game, seat)
    passing = next((option for option in options if isinstance(option, Pass | Decline)), None)
    return passing or [option for option in options if isinstance(option, Discard)][-1]


def test_a_row_of_time_outs_ends_with_a_move_of_one_s_own_pf_22() -> None:
    draft = next(deals("shanghai", 1))
    draft.put(TrusteeSet(0, on=False, by_server=False))
    times = 0
    for _ in range(40):
        deal = draft.state.deal
        assert deal is not None
        if draft.state.rest is Rest.OVER:
            break
        seat = min(play.awaiting(deal.game))
        if seat == 0 and draft.state.rest is Rest.TURN and times % 2 == 0:
            draft.put(TurnTimedOut(0))
            draft.play(play.timeout(deal.game))
            assert draft.state.timeouts[0] == 1, "one, and then a move of his own"
            times += 1
        else:
            times += seat == 0 and draft.state.rest is Rest.TURN
            flow.act(draft, seat, flow.decision_id(deal.opened_seq, seat), plain(deal.game, seat))
    assert times >= 4
    assert not any(isinstance(event, TrusteeSet) and event.on for event in draft.events[-20:])
    assert any(isinstance(event, Move) for event in draft.events)


async def test_a_request_that_changed_nothing_changes_nothing_when_it_comes_again(pods: Pods) -> None:
    """The same id again returns the first answer, however late (reliability 15); with other content it is refused."""
    pod = await pods.start()
    seated = await pod.create(new_table_id(), variant="shanghai", turn_limit_ms=600_000)
    players = await playing(seated)
    asked = await to_act(players)
    player = next(player for player in players if player is not asked)
    switch, request_id = player.set_trustee, new_request_id()
    await switch(on=True)
    first = await switch(on=True, request_id=request_id)
    await switch(on=False)
    again = await switch(on=True, request_id=request_id)
    assert (again.seq, again.duplicate) == (first.seq, True)
    assert not (await player.snapshot()).snapshot.seats[player.seat].trustee
    assert await reason_for(switch(on=False, request_id=request_id)) is Reason.REQUEST_ID_REUSED
