"""A table of 听用斗地主 as values: bidding, plays and the end of a deal, without a store, a clock or a socket."""

from typing import Any

import pytest
from cardroom.landlord.v1 import action_pb2
from cardroom.table.v1 import table_pb2

from games.bots import landlord as policy
from games.kernel import Group, Line, Payment
from games.landlord.actions import Call, CallBlind, Pass, Play, PlayerAction
from games.landlord.cards import BLACK_JOKER, HIDDEN, RED_JOKER, TWO, WILD, cards_of, rank_of
from games.landlord.combinations import POWER
from games.landlord.events import BottomTaken, Called, Dealt, EndCause, Ended, Played
from games.landlord.state import Phase, State
from games.mahjong.actions import Discard
from refusals import Reason, Refusal
from services.table.edge import requests
from services.table.edge.codec import ProtobufCodec
from services.table.edge.events import event_from_message, event_to_message, room_from_proto
from services.table.model import flow, play
from services.table.model import state as folding
from services.table.model.clocks import Clock, ClockName
from services.table.model.events import Created, Move, PaymentsDue, PaymentsMade
from services.table.model.flow import Draft
from services.table.model.play.landlord import HINT_COUNT_MAX
from services.table.model.redaction import redact
from services.table.model.state import TableState
from tests.services.table.landlord_deals import arranged, decide, game
from tests.services.table.rig import new_request_id, room

PLAYERS = ("ann", "ben", "cho")
NOBODY_MUST_CALL = ((BLACK_JOKER, *cards_of(TWO)[:1]), (RED_JOKER, *cards_of(TWO)[1:2]), tuple(cards_of(TWO)[2:]))
CODEC = ProtobufCodec()


def created(table_id: str = "t-1", **changes: Any) -> TableState:
    fields = {"variant": "tingyong", **changes}
    return folding.created(table_id, Created(room_from_proto(room(**fields)), PLAYERS, "m-1", 0))


def started(table_id: str = "t-1", *, seed: int = 0, **changes: Any) -> Draft:
    """A draft in which the cards are dealt and the first bidder is to speak."""
    draft = Draft(created(table_id, **changes), lambda: 0)
    for seat in range(3):
        flow.ready(draft, seat, b"")
    flow.start_deal(draft, (100, 100, 100), bytes([seed] * 32))
    return draft


def chosen(state: State) -> PlayerAction:
    """What a bot does that sees its own view."""
    view = play.view(state, state.turn)
    assert isinstance(view, State)
    return policy.choose(view, state.turn, play.family_of(state).game.legal(state, state.turn))


def played_out(draft: Draft) -> Draft:
    """The deal played to its end by bots; the landlord is whoever calls, or the first bidder."""
    decide(draft, Call(game(draft).turn))
    while game(draft).phase is not Phase.OVER:
        decide(draft, chosen(game(draft)))
    return draft


@pytest.mark.parametrize("seed", range(5))
def test_a_deal_is_played_to_money_asked_of_the_losers_ty_25(seed: int) -> None:
    draft = played_out(started(seed=seed))
    ended = next(event.event for event in draft.events if isinstance(event, Move) and isinstance(event.event, Ended))
    assert ended.cause is EndCause.OUT
    (due,) = draft.state.dues
    assert due.payments == ended.payments
    assert draft.state.next_dealer == 1, "the next player bids first (TY-26)"


def test_every_entry_of_a_deal_survives_the_way_to_the_log_and_back() -> None:
    for event in played_out(started()).events:
        assert CODEC.decode(CODEC.encode(event)) == event
        for seat in (None, 0, 1, 2):
            seen = redact(event, seat)
            assert seen is not None
            assert event_from_message(event_to_message(seen)) == seen


def test_payments_keep_their_group_on_the_way_to_the_log_and_back_pf_52() -> None:
    for group in (Group(1), Group(2, remainder_to=0), Group(3, remainder_to=2)):
        payments = (Payment(1, 0, 7, "win", group), Payment(1, 2, 7, "win", group), Payment(0, None, 1, "penalty"))
        due = PaymentsDue("t-1.1", 1, "coins", payments)
        made = PaymentsMade("t-1.1", 1, "coins", tuple(Line(row, 3) for row in payments), (1, 2, 3))
        assert CODEC.decode(CODEC.encode(due)) == due
        assert CODEC.decode(CODEC.encode(made)) == made


@pytest.mark.parametrize("viewer", [None, 0, 1, 2])
def test_a_viewer_folds_what_he_is_shown_to_what_he_may_see_ty_13(viewer: int | None) -> None:
    draft = played_out(started(seed=3))
    truth = created()
    shown = created()
    for event in draft.events:
        truth = folding.evolve(truth, event)
        seen = redact(event, viewer)
        assert seen is not None
        shown = folding.evolve(shown, seen)
        if truth.deal is not None and shown.deal is not None:
            assert shown.deal.game == play.view(truth.deal.game, viewer)


def test_hands_and_bottom_cards_are_face_down_until_the_rules_show_them_ty_13() -> None:
    draft = started()
    dealt = next(event for event in draft.events if isinstance(event, Move) and isinstance(event.event, Dealt))
    seen = redact(dealt, 1)
    assert isinstance(seen, Move)
    assert isinstance(seen.event, Dealt)
    assert [HIDDEN in hand for hand in seen.event.hands] == [True, False, True]
    assert set(seen.event.bottom) == {HIDDEN}
    decide(draft, Call(0))
    called = next(event for event in draft.events if isinstance(event, Move) and isinstance(event.event, Called))
    bottoms = [_bottom(redact(called, seat)) for seat in (None, 0, 1, 2)]
    assert [HIDDEN in bottom for bottom in bottoms] == [True, False, True, True]
    decide(draft, Pass(1))
    decide(draft, Pass(2))
    taken = next(event for event in draft.events if isinstance(event, Move) and isinstance(event.event, BottomTaken))
    assert all(redact(taken, seat) is taken for seat in (None, 0, 1, 2))


def test_nobody_sees_the_bottom_cards_of_a_blind_call_ty_13() -> None:
    draft = arranged(*NOBODY_MUST_CALL)
    for action in (Pass(0), Pass(1), CallBlind(2)):
        decide(draft, action)
    called = draft.events[-1]
    assert all(set(_bottom(redact(called, seat))) == {HIDDEN} for seat in (None, 0, 1, 2))


def _bottom(event: object) -> tuple[int, ...]:
    assert isinstance(event, Move)
    assert isinstance(event.event, Called)
    return event.event.bottom


def test_a_prompt_offers_hints_and_takes_any_play_ty_20() -> None:
    draft = started(seed=2)
    for action in (Call(0), Pass(1), Pass(2)):
        decide(draft, action)
    offered = play.offered(game(draft), 0)
    legal = play.legal(game(draft), 0)
    plain = [action for action in offered if isinstance(action, Play) and action.kind not in POWER]
    assert 1 < len(plain) <= HINT_COUNT_MAX < len(legal)
    assert {action for action in legal if isinstance(action, Play) and action.kind in POWER} <= set(offered)
    assert set(offered) < set(legal)
    assert not any(isinstance(action, Pass) for action in offered), "the leader may not pass"
    decide(draft, next(action for action in reversed(legal) if action not in offered))
    following = play.offered(game(draft), 1)
    assert following[-1] == Pass(1)
    assert set(following) <= set(play.legal(game(draft), 1))


def test_before_the_play_everything_is_offered_ty_12() -> None:
    draft = started()
    assert set(play.offered(game(draft), 0)) == set(play.legal(game(draft), 0))
    assert Call(0) in play.offered(game(draft), 0)
    assert play.offered(game(draft), 1) == ()


def test_an_ambiguous_lead_is_refused_with_its_readings_ty_24() -> None:
    sixes, sevens = tuple(cards_of(3))[:3], tuple(cards_of(4))[:3]
    draft = arranged((WILD, *sixes, *sevens), (), ())
    for action in (Call(0), Pass(1), Pass(2)):
        decide(draft, action)
    cards = (*sixes, sevens[0], sevens[1], WILD)
    assert [rank_of(card) for card in cards] == [3, 3, 3, 4, 4, 0]
    before = draft.state
    with pytest.raises(Refusal) as caught:
        decide(draft, Play(0, cards))
    refusal = caught.value
    assert (refusal.reason, refusal.field, refusal.rule) == (Reason.PLAY_AMBIGUOUS, "action.kind", "TY-24")
    assert refusal.detail == "it can be triple_straight 7, four_two 6"
    assert draft.state is before
    named = next(action for action in play.legal(game(draft), 0) if isinstance(action, Play) and len(action.cards) == 6)
    assert named.kind is not None


def test_clocks_bid_lead_and_follow_pf_21() -> None:
    draft = arranged((BLACK_JOKER, RED_JOKER), (), ())
    flow.run_out(draft, Clock(ClockName.TURN, 0, 0, 0))
    assert game(draft).landlord == 0, "both jokers oblige to call (TY-11)"
    flow.run_out(draft, Clock(ClockName.TURN, 0, 0, 0))
    flow.run_out(draft, Clock(ClockName.TURN, 0, 0, 0))
    assert game(draft).phase is Phase.PLAYING
    lowest = game(draft).hands[0][0]
    flow.run_out(draft, Clock(ClockName.TURN, 0, 0, 0))
    played = next(event for event in reversed(draft.events) if isinstance(event, Move))
    assert isinstance(played.event, Played)
    assert played.event.cards == (lowest,)
    flow.run_out(draft, Clock(ClockName.TURN, 0, 0, 0))
    assert game(draft).plays[-1].cards == ()


def test_nobody_calls_and_the_next_player_bids_first_ty_12() -> None:
    draft = arranged(*NOBODY_MUST_CALL)
    for _ in range(3):
        flow.run_out(draft, Clock(ClockName.TURN, 0, 0, 0))
    assert game(draft).phase is Phase.OVER
    assert draft.state.dues == ()
    flow.settle_deal(draft)
    assert draft.state.next_dealer == 1


def test_a_move_of_another_game_is_refused_and_nothing_changes() -> None:
    draft = started()
    before = draft.state
    with pytest.raises(Refusal) as caught:
        decide(draft, Discard(0, 3))
    assert (caught.value.reason, caught.value.field) == (Reason.WRONG_GAME, "action")
    assert draft.state is before


def test_a_request_names_its_family() -> None:
    request = table_pb2.ActRequest(
        table_id="t-1",
        request_id=new_request_id(),
        decision_id="9-0",
        landlord=action_pb2.Action(play=action_pb2.Play(cards=[1, 2])),
    )
    assert requests.act(request, 0).action == Play(0, (1, 2))
    with pytest.raises(Refusal) as caught:
        requests.act(table_pb2.ActRequest(table_id="t-1", request_id=new_request_id()), 0)
    assert caught.value.field == "action"
