"""The table as values: what may happen to it, without a store, a clock or a socket."""

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from games.kernel import Line, Payment
from games.mahjong.actions import Choice, CloseQuestion, Discard
from games.mahjong.events import Answered, Discarded
from games.mahjong.state import State
from refusals import Reason, Refusal
from services.table.edge.codec import ProtobufCodec
from services.table.edge.events import room_from_proto
from services.table.model import clocks as clocking
from services.table.model import flow, play
from services.table.model import state as folding
from services.table.model.clocks import Clock, ClockName
from services.table.model.events import (
    Arrived,
    CloseCause,
    Closed,
    Created,
    DealSettled,
    DealStarted,
    DealVoided,
    LeaveWhen,
    Move,
    PaymentsDue,
    PaymentsMade,
    Ready,
    SeatLeft,
    TableEvent,
    TrusteeSet,
    TurnTimedOut,
    VoidCause,
)
from services.table.model.flow import Draft
from services.table.model.play import Rest
from services.table.model.redaction import redact
from services.table.model.state import Stage, TableState
from services.table.ports import UnreadableEntry
from tests.services.table.rig import room

PLAYERS = ("ann", "ben", "cho", "dan")
CODEC = ProtobufCodec()


def created(table_id: str = "t-1", **changes: Any) -> TableState:
    return folding.created(table_id, Created(room_from_proto(room(**changes)), PLAYERS, "m-1", 0))


def started(table_id: str = "t-1", *, floor_ms: int = 0, **changes: Any) -> Draft:
    """A draft in which the tiles are dealt and the dealer is to discard."""
    draft = Draft(created(table_id, **changes), lambda: floor_ms)
    for seat in range(4):
        flow.ready(draft, seat, b"")
    flow.start_deal(draft, (100, 100, 100, 100), bytes(32))
    return draft


def game(held: Draft) -> State:
    assert held.state.deal is not None
    assert isinstance(held.state.deal.game, State)
    return held.state.deal.game


def on_question(least: int) -> tuple[str, int]:
    """A table and a discard of its dealer's that so many seats are asked about."""
    for number in itertools.count():
        draft = started(f"t-{number}", floor_ms=500, claim_floor_max_ms=500)
        for tile in sorted(set(game(draft).hands[0])):
            state = _after_discard(draft, tile)
            if play.rest_of(state) is Rest.QUESTION and len(play.awaiting(state)) >= least:
                return f"t-{number}", tile
    raise AssertionError


def answered_in(
    order: tuple[int, ...], table_id: str, tile: int, choices: Mapping[int, play.PlayerAction]
) -> list[TableEvent]:
    """Public events from a discard on, with its claims made in an order."""
    draft = started(table_id, floor_ms=500, claim_floor_max_ms=500)
    begin = len(draft.events)
    decide(draft, 0, Discard(0, tile))
    for seat in order:
        decide(draft, seat, choices[seat])
    closing = Draft(draft.state, lambda: 500)
    flow.run_out(closing, Clock(ClockName.FLOOR, 0, 0, 0))
    return [*draft.events[begin:], *closing.events]


def decide(draft: Draft, seat: int, action: play.PlayerAction) -> None:
    assert draft.state.deal is not None
    flow.act(draft, seat, flow.decision_id(draft.state.deal.opened_seq, seat), action)


def test_all_orders_of_the_same_answers_give_one_result_row_16() -> None:
    table_id, tile = on_question(2)
    draft = started(table_id, floor_ms=500, claim_floor_max_ms=500)
    decide(draft, 0, Discard(0, tile))
    asked = sorted(play.awaiting(game(draft)))
    options = [play.legal(game(draft), seat) for seat in asked]
    for chosen in itertools.product(*([row[0], row[-1]] for row in options)):
        choices = dict(zip(asked, chosen, strict=True))
        outcomes = [answered_in(order, table_id, tile, choices) for order in itertools.permutations(asked)]
        assert all(outcome == outcomes[0] for outcome in outcomes)
        assert len(outcomes[0]) >= 2


def test_answers_leave_no_public_trace_until_the_question_closes() -> None:
    table_id, tile = on_question(2)
    draft = started(table_id, floor_ms=500, claim_floor_max_ms=500)
    decide(draft, 0, Discard(0, tile))
    seq, asked = draft.state.seq, sorted(play.awaiting(game(draft)))
    for seat in asked:
        decide(draft, seat, play.legal(game(draft), seat)[0])
    assert draft.state.seq == seq
    assert [event.seat for event in draft.private if isinstance(event, Answered)] == asked


def test_a_question_nobody_keeps_open_closes_in_the_same_turn() -> None:
    draft = started()
    before = draft.state.seq
    for tile in sorted(set(game(draft).hands[0])):
        attempt = Draft(draft.state, lambda: 0)
        decide(attempt, 0, Discard(0, tile))
        if attempt.state.rest is Rest.TURN:
            kinds = [type(event.event).__name__ for event in attempt.events if isinstance(event, Move)]
            assert kinds[:2] == ["Discarded", "Drawn"]
            assert attempt.private == []
            break
    assert draft.state.seq == before, "a draft works on a copy"


def test_a_refused_move_leaves_the_draft_as_it_was() -> None:
    draft = started()
    before, count = draft.state, len(draft.events)
    for action in (Discard(0, 33), Discard(1, 9), Discard(0, 3)):
        with pytest.raises(Refusal):
            decide(draft, action.seat, action)
    assert draft.state == before
    assert len(draft.events) == count


def test_a_claim_clock_closes_what_a_floor_leaves_open() -> None:
    table_id, tile = on_question(1)
    draft = started(table_id, floor_ms=500, claim_floor_max_ms=500)
    decide(draft, 0, Discard(0, tile))
    floor = Draft(draft.state, lambda: 500)
    flow.run_out(floor, Clock(ClockName.FLOOR, 0, 0, 0))
    assert floor.events == []
    claim = Draft(draft.state, lambda: 500)
    flow.run_out(claim, Clock(ClockName.CLAIM, 0, 0, 0))
    assert claim.state.seq > draft.state.seq


ONE_PAYMENT = (Payment(0, 1, 8, "win"), Payment(2, None, 3, "penalty"))
EVENTS: tuple[TableEvent, ...] = (
    Created(room_from_proto(room(claim_timing=2)), PLAYERS, "m-1", 2),
    Arrived(3),
    Ready(1, b"\x00\xffnonce"),
    DealStarted("t-1.1", 1, 2, b"c" * 32, (b"", b"n", b"", b""), (1, 2, 3, 4), b"s" * 32),
    DealStarted("t-1.1", 1, 2, b"c" * 32, (b"", b"n", b"", b""), (1, 2, 3, 4), None),
    Move(Discarded(2, 17)),
    PaymentsDue("t-1.1", 3, "coins", ONE_PAYMENT),
    PaymentsMade("t-1.1", 3, "coins", tuple(Line(row, 2) for row in ONE_PAYMENT), (1, 2, 3, 4)),
    DealSettled("t-1.1", b"s" * 32, (1, 2, 3, 4)),
    Created(
        room_from_proto(room(bots_allowed=True, bot_wait_ms=5, bot_policy="uniform")),
        PLAYERS,
        "m-1",
        2,
        bots=("", "sensible", "", "uniform"),
        correlation_id="c-1",
    ),
    DealVoided(
        "t-1.1",
        VoidCause.LOST_TAIL,
        4,
        "coins",
        tuple(Line(row, 2) for row in ONE_PAYMENT),
        (1, 2, 3, 4),
        b"s" * 32,
    ),
    *(SeatLeft(3, when) for when in LeaveWhen),
    TrusteeSet(2, on=True, by_server=True),
    TrusteeSet(2, on=False, by_server=False),
    TurnTimedOut(1),
    *(Closed(cause) for cause in CloseCause),
    Closed(CloseCause.LEFT, (0, 2, 3)),
)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_entry_survives_the_way_to_the_log_and_back(event: TableEvent) -> None:
    assert CODEC.decode(CODEC.encode(event)) == event


def test_every_kind_of_entry_has_its_message() -> None:
    assert {type(event) for event in EVENTS} == set(TableEvent.__args__)


@pytest.mark.parametrize("choice", list(Choice))
def test_a_private_answer_survives_the_way_to_the_store_and_back(choice: Choice) -> None:
    assert CODEC.decode_private(CODEC.encode_private(Answered(3, choice))) == Answered(3, choice)


@pytest.mark.parametrize("data", [b"", b"\xff", b"\xfa\x07\x00", b"J\x02\x08\x63"])
def test_an_entry_of_another_version_is_unreadable_not_wrong(data: bytes) -> None:
    with pytest.raises(UnreadableEntry):
        CODEC.decode(data)


def test_seed_and_nonces_are_shown_when_their_time_has_come_pf_41() -> None:
    shown = {type(event): redact(event, 1) for event in EVENTS}
    assert shown[DealStarted] == next(
        event for event in EVENTS if isinstance(event, DealStarted) and event.seed is None
    )
    assert shown[Ready] == Ready(1, b"")
    assert shown[DealSettled] is not None
    for event in EVENTS:
        if isinstance(event, Created):
            assert redact(event, 1) == replace(event, correlation_id="")
        elif not isinstance(event, Ready | DealStarted):
            assert redact(event, 1) is event


def test_clocks_survive_the_side_record_less_the_time_they_ran() -> None:
    clocks = (Clock(ClockName.CLAIM, 17, 10_000, 13_000), Clock(ClockName.FLOOR, 17, 700, 3_500))
    text = clocking.written(clocks, 3_000)
    assert clocking.read(text, now_ms=50_000, ran_ms=0) == (
        Clock(ClockName.CLAIM, 17, 10_000, 60_000),
        Clock(ClockName.FLOOR, 17, 700, 50_500),
    )
    late = clocking.read(text, now_ms=50_000, ran_ms=2_000)
    assert [clock.ends_ms for clock in late] == [58_000, 50_000]
    assert clocking.read("", now_ms=1, ran_ms=0) == ()


def test_a_clock_runs_on_until_what_it_was_started_for_is_over_pf_20() -> None:
    draft = started(turn_limit_ms=9_000)
    first = clocking.following(draft.state, (), 1_000, None)
    assert [(clock.name, clock.ends_ms) for clock in first] == [(ClockName.TURN, 10_000)]
    assert clocking.following(draft.state, first, 5_000, None) == first
    tile = next(tile for tile in game(draft).hands[0] if not play.awaiting(_after_discard(draft, tile)))
    decide(draft, 0, Discard(0, tile))
    second = clocking.following(draft.state, first, 6_000, None)
    assert [(clock.name, clock.ends_ms) for clock in second] == [(ClockName.TURN, 15_000)]


def _after_discard(draft: Draft, tile: int) -> play.GameState:
    state: play.GameState = game(draft)
    for event in play.decide(state, Discard(0, tile)):
        state = play.evolve(state, event)
    return state


def test_stages_follow_one_another_pf_12() -> None:
    draft = Draft(created(dealing_ms=10), lambda: 0)
    stages = [draft.state.stage]
    for seat in range(4):
        flow.arrive(draft, seat)
        stages.append(draft.state.stage)
    for seat in range(4):
        flow.ready(draft, seat, b"")
    flow.start_deal(draft, (1, 1, 1, 1), bytes(32))
    stages.append(draft.state.stage)
    flow.run_out(draft, Clock(ClockName.DEALING, 0, 0, 0))
    stages.append(draft.state.stage)
    assert stages == [*[Stage.WAITING] * 4, Stage.READYING, Stage.DEALING, Stage.PLAYING]


def test_ready_says_that_one_has_arrived_pf_12() -> None:
    draft = Draft(created(), lambda: 0)
    flow.ready(draft, 2, b"n")
    assert draft.events == [Arrived(2), Ready(2, b"n")]
    with pytest.raises(Refusal) as caught:
        flow.act(draft, 2, "1-2", Discard(2, 9))
    assert caught.value.reason is Reason.WRONG_TABLE_STATE


def test_the_rules_refuse_what_is_not_a_question() -> None:
    with pytest.raises(Refusal) as caught:
        play.decide(game(started()), CloseQuestion())
    assert caught.value.reason is Reason.NO_QUESTION


def test_an_exhaustive_draw_counts_for_the_next_deal_sh_33() -> None:
    """Nobody wins a deal played by the clocks alone; the next one says how many such went just before it."""
    draft = started(variant="shanghai", deals_max=0, least_balance=0)
    for expected in (1, 2):
        while draft.state.rest is not Rest.OVER:
            is_question = draft.state.rest is Rest.QUESTION
            flow.run_out(draft, Clock(ClockName.CLAIM if is_question else ClockName.TURN, 0, 0, 0))
        won = bool(game(draft).wins)
        flow.settle_deal(draft)
        for seat in range(4):
            flow.ready(draft, seat, b"")
        flow.start_deal(draft, (100, 100, 100, 100), bytes([expected] * 32))
        assert not won
        assert game(draft).draws_in_row == expected
        assert game(draft).deal_index == expected
