"""Rules by number that no case of a whole deal shows: who is asked what, what silence does, who sees what."""

import pytest

from games.kernel import IllegalAction, Reason
from games.landlord import actions as asked
from games.landlord.actions import Action
from games.landlord.cards import HIDDEN, parse, show
from games.landlord.combinations import Kind
from games.landlord.events import BottomTaken, Called, Dealt, EndCause, Passed, Played
from games.landlord.game import GAME
from games.landlord.state import Phase
from tests.contract.landlord.deals import HIGH, LOW, MIDDLE, act, after, rules_of, run

BOTH_JOKERS = "S5 H5 S6 H6 S7 H7 S8 H8 S9 H9 ST HT SJ HJ BJ RJ"
FOUR_TWOS = "C5 C6 C7 C8 C9 CT CJ CQ DK CK DA CA S2 H2 D2 C2"
THE_REST = "S4 H4 D4 C4 D5 D6 D7 D8 D9 DT DJ DQ HK SA HA *"
OBLIGED = {"hands": (BOTH_JOKERS, FOUR_TWOS, THE_REST), "bottom": "SQ HQ SK"}

LEADS = ["0 call", "1 pass", "2 pass"]
"""Seat 0 with LOW and the bottom cards leads."""


def refusal(actions: list[str | Action], **arranged: object) -> IllegalAction:
    with pytest.raises(IllegalAction) as refused:
        after(actions, **arranged)  # type: ignore[arg-type]
    return refused.value


# --- dealing ----------------------------------------------------------------------------------


def test_everybody_gets_sixteen_cards_and_three_stay() -> None:
    """TY-1."""
    state = after([])
    assert [len(hand) for hand in state.hands] == [16, 16, 16]
    assert len(state.bottom) == 3
    assert sorted(card for hand in (*state.hands, state.bottom) for card in hand) == list(range(51))


def test_nothing_is_said_before_the_cards_are_dealt() -> None:
    """TY-1."""
    rules = rules_of({})
    state = GAME.initial(rules, 1)
    for event in GAME.open(state, tuple(range(51))):
        state = GAME.evolve(state, event)
    assert state.phase is Phase.OPENED
    assert GAME.awaiting(state) == frozenset()
    with pytest.raises(IllegalAction) as refused:
        GAME.decide(state, asked.Call(1))
    assert refused.value.reason is Reason.NOT_DEALT


# --- bidding ----------------------------------------------------------------------------------


def test_the_first_call_ends_the_bidding() -> None:
    """TY-12."""
    state = after(["0 pass", "1 call"])
    assert (state.phase, state.landlord, state.turn) == (Phase.DOUBLING, 1, 2)


@pytest.mark.parametrize("said", [[], ["0 pass"]])
def test_only_the_last_may_call_blind(said: list[str]) -> None:
    """TY-12."""
    refused = refusal([*said, f"{len(said)} blind"])
    assert (refused.reason, refused.rule) == (Reason.BLIND_NOT_OFFERED, "TY-12")


def test_the_last_may_call_either_way_or_pass() -> None:
    """TY-12."""
    state = after(["0 pass", "1 pass"])
    assert GAME.legal(state, 2) == (asked.Call(2), asked.CallBlind(2), asked.Pass(2))


@pytest.mark.parametrize(("dealer", "seat"), [(0, 0), (1, 1)])
def test_who_must_call_may_not_pass(dealer: int, seat: int) -> None:
    """TY-11: both jokers; four 2s."""
    refused = refusal([f"{seat} pass"], dealer=dealer, **OBLIGED)
    assert (refused.reason, refused.rule) == (Reason.MUST_CALL, "TY-11")
    assert GAME.legal(after([], dealer=dealer, **OBLIGED), seat) == (asked.Call(seat),)  # type: ignore[arg-type]


def test_a_blind_call_satisfies_who_must_call() -> None:
    """TY-12: the last with both jokers may call blind."""
    hands = (LOW, MIDDLE.replace("BJ", "C4"), HIGH.replace("C4", "BJ"))
    state = after(["0 pass", "1 pass"], hands=hands)
    assert GAME.legal(state, 2) == (asked.Call(2), asked.CallBlind(2))


def test_all_pass_is_a_new_deal_that_the_next_player_begins() -> None:
    """TY-12, TY-26: nothing is paid."""
    result = after(["1 pass", "2 pass", "0 pass"], dealer=1).result
    assert result is not None
    assert (result.cause, result.payments, result.point_payments) == (EndCause.ALL_PASSED, (), ())
    assert (result.winners, result.scores, result.next_dealer) == ((), (0, 0, 0), 2)


# --- doubling ---------------------------------------------------------------------------------


def test_the_others_are_asked_in_turn_order_also_one_who_passed() -> None:
    """TY-14."""
    state = after(["0 pass", "1 call"])
    assert GAME.awaiting(state) == {2}
    state, _ = act(state, asked.Double(2))
    assert GAME.awaiting(state) == {0}
    assert GAME.legal(state, 0) == (asked.Double(0), asked.Pass(0))


def test_the_landlord_is_asked_only_if_somebody_doubled() -> None:
    """TY-14."""
    assert after(["0 call", "1 pass", "2 double"]).phase is Phase.REDOUBLING
    state = after(LEADS)
    assert (state.phase, state.turn) == (Phase.PLAYING, 0)


@pytest.mark.parametrize(
    ("said", "multiplier"),
    [
        (["0 call", "1 pass", "2 pass"], 1),
        (["0 call", "1 double", "2 pass", "0 pass"], 2),
        (["0 call", "1 double", "2 double", "0 redouble"], 8),
        (["0 pass", "1 pass", "2 blind", "0 double", "1 double", "2 redouble"], 16),
    ],
)
def test_each_word_doubles(said: list[str], multiplier: int) -> None:
    """TY-30, TY-31: before play at most 16."""
    assert after(said).multiplier == multiplier


@pytest.mark.parametrize(
    ("actions", "reason"),
    [
        (["0 call", "1 call"], Reason.WRONG_STAGE),
        (["0 call", "1 redouble"], Reason.WRONG_STAGE),
        (["0 call", "1 play D5"], Reason.WRONG_STAGE),
        (["0 double"], Reason.WRONG_STAGE),
        ([*LEADS, "0 redouble"], Reason.WRONG_STAGE),
        (["1 call"], Reason.NOT_YOUR_TURN),
        (["0 call", "2 double"], Reason.NOT_YOUR_TURN),
        ([asked.Call(3)], Reason.NOT_YOUR_TURN),
        ([asked.Deal()], Reason.NOT_DEALT),
    ],
)
def test_words_out_of_place_are_refused(actions: list[str | Action], reason: Reason) -> None:
    """TY-10..14."""
    assert refusal(actions).reason is reason


# --- bottom cards -----------------------------------------------------------------------------


def shown(cards: tuple[int, ...]) -> bool:
    return HIDDEN not in cards


def seen_bottom(said: list[str]) -> list[bool]:
    """Whether each seat, then a spectator, sees the bottom cards."""
    state = after(said)
    return [shown(GAME.view(state, viewer).bottom) for viewer in (0, 1, 2, None)]


@pytest.mark.parametrize(
    ("said", "seen"),
    [
        ([], [False, False, False, False]),
        (["0 pass", "1 pass"], [False, False, False, False]),
        (["0 call"], [True, False, False, False]),
        (["0 call", "1 double", "2 pass"], [True, False, False, False]),
        (["0 pass", "1 pass", "2 blind"], [False, False, False, False]),
        (["0 pass", "1 pass", "2 blind", "0 double", "1 pass"], [False, False, False, False]),
        (LEADS, [True, True, True, True]),
        (["0 pass", "1 pass", "2 blind", "0 pass", "1 pass"], [True, True, True, True]),
    ],
)
def test_who_sees_the_bottom_cards(said: list[str], seen: list[bool]) -> None:
    """TY-13."""
    assert seen_bottom(said) == seen


def test_the_call_shows_them_to_the_landlord_alone() -> None:
    """TY-13, PF-40: in the log too."""
    _, events = run(["0 call"])
    (call,) = [event for event in events if isinstance(event, Called)]
    told = [GAME.redact(call, viewer) for viewer in (0, 1, 2, None)]
    assert [isinstance(one, Called) and shown(one.bottom) for one in told] == [True, False, False, False]


def test_a_blind_call_shows_them_to_nobody() -> None:
    """TY-13: not even in the log's own event."""
    _, events = run(["0 pass", "1 pass", "2 blind"])
    (call,) = [event for event in events if isinstance(event, Called)]
    assert not shown(call.bottom)


def test_the_landlord_takes_them_when_the_doubling_is_over() -> None:
    """TY-13."""
    state, events = run(LEADS)
    assert events[-1] == BottomTaken(0, tuple(sorted(parse("SQ HQ D4"))))
    assert show(state.hands[0]).startswith("S4 H4 D4 S5")
    assert [len(hand) for hand in state.hands] == [19, 16, 16]


def test_dealt_cards_are_shown_to_their_owner_alone() -> None:
    """PF-40."""
    _, events = run([])
    (deal,) = [event for event in events if isinstance(event, Dealt)]
    for viewer in (0, 1, 2, None):
        told = GAME.redact(deal, viewer)
        assert isinstance(told, Dealt)
        assert [shown(hand) for hand in told.hands] == [seat == viewer for seat in range(3)]
        assert not shown(told.bottom)


# --- play -------------------------------------------------------------------------------------


def test_after_two_passes_the_last_to_play_leads_anything() -> None:
    """TY-20."""
    state = after([*LEADS, "0 play SQ HQ", "1 pass", "2 pass"])
    assert (state.turn, state.last) == (0, None)
    assert refusal([*LEADS, "0 play SQ HQ", "1 pass", "2 pass", "0 pass"]).reason is Reason.LEADER_MUST_PLAY
    assert act(state, asked.Play(0, parse("S4")))[0].turn == 1


def test_who_passed_may_play_later_in_the_same_trick() -> None:
    """TY-20."""
    state = after([*LEADS, "0 play S4", "1 pass", "2 play C5", "0 play S6", "1 play D7"])
    assert (state.turn, len(state.hands[1])) == (2, 15)


@pytest.mark.parametrize(
    ("play", "reason", "rule"),
    [
        ("0 play D5", Reason.CARD_NOT_HELD, "TY-20"),
        ("0 play S3", Reason.CARD_UNKNOWN, "TY-1"),
        ("0 play S4 S4", Reason.CARD_UNKNOWN, "TY-1"),
        (asked.Play(0, (99,)), Reason.CARD_UNKNOWN, "TY-1"),
        (asked.Play(0, (HIDDEN,)), Reason.CARD_UNKNOWN, "TY-1"),
        (asked.Play(0, ()), Reason.NOT_A_PLAY, "TY-21"),
        ("0 play S4 S5", Reason.NOT_A_PLAY, "TY-21"),
        ("0 play S4 as bomb", Reason.NOT_A_PLAY, "TY-24"),
        ("1 play D5", Reason.NOT_YOUR_TURN, "TY-20"),
        ("0 discard 5m", Reason.NOT_IN_THIS_GAME, ""),
    ],
)
def test_what_cannot_be_played_is_refused(play: str | Action, reason: Reason, rule: str) -> None:
    refused = refusal([*LEADS, play])
    assert (refused.reason, refused.rule) == (reason, rule)


def test_a_play_must_be_higher_of_the_same_kind_and_number() -> None:
    """TY-22: equal does not beat; the detail says what it was read as."""
    for play in ("1 play D5", "1 play SK HK", "1 play D5 D6 D7 D8 D9"):
        refused = refusal([*LEADS, "0 play S5", play])
        assert (refused.reason, refused.rule) == (Reason.PLAY_TOO_LOW, "TY-22")
        assert "single 5" in refused.detail


WILD = {
    "hands": (
        "S4 H4 S5 H5 S6 H6 D6 S7 H7 S8 H8 D8 S9 H9 D9 *",
        "C4 C5 D7 C7 HT DT SJ HJ DJ CJ SA HA DA S2 H2 BJ",
        "C6 C8 C9 CT SQ HQ DQ CQ SK HK DK CK CA D2 C2 RJ",
    ),
    "bottom": "D4 D5 ST",
}


def test_an_ambiguous_lead_is_refused_with_its_readings() -> None:
    """TY-24."""
    refused = refusal([*LEADS, "0 play S6 H6 D6 S7 H7 *"], **WILD)
    assert (refused.reason, refused.field) == (Reason.PLAY_AMBIGUOUS, "kind")
    assert refused.detail == "it can be triple_straight 7, four_two 6"


@pytest.mark.parametrize(("kind", "rank"), [("four_two", "6"), ("triple_straight", "7")])
def test_a_named_kind_is_what_is_played(kind: str, rank: str) -> None:
    """TY-24."""
    state = after([*LEADS, f"0 play S6 H6 D6 S7 H7 * as {kind}"], **WILD)  # type: ignore[arg-type]
    assert state.last is not None
    assert str(state.last.reading) == f"{kind} {rank}"


def test_legal_moves_name_their_kind_and_pass_comes_last() -> None:
    """TY-24: nothing legal is ambiguous."""
    state = after([*LEADS, "0 play S4"], **WILD)  # type: ignore[arg-type]
    options = GAME.legal(state, 1)
    assert options[-1] == asked.Pass(1)
    assert all(isinstance(option, asked.Play) and option.kind is not None for option in options[:-1])
    assert asked.Play(1, parse("SJ HJ DJ CJ"), Kind.BOMB) in options


def test_hints_are_the_legal_plays_best_first() -> None:
    """TY-22: bombs last; none out of turn, or of a hand that lies face down."""
    state = after([*LEADS, "0 play S4"], **WILD)  # type: ignore[arg-type]
    hints = GAME.hints(state, 1)
    assert set(hints) == set(GAME.legal(state, 1)) - {asked.Pass(1)}
    assert [hint.kind for hint in hints[:2]] == [Kind.SINGLE, Kind.SINGLE]
    assert hints[-1].kind is Kind.BOMB
    assert (GAME.hints(state, 2), GAME.hints(GAME.view(state, None), 1)) == ((), ())


def test_nothing_is_legal_out_of_turn_or_after_the_end() -> None:
    """TY-20, TY-25."""
    state = after(LEADS)
    assert GAME.legal(state, 1) == ()
    over = after(["0 escape"])
    assert all(GAME.legal(over, seat) == () for seat in range(3))
    assert refusal(["0 escape", "1 escape"]).reason is Reason.DEAL_OVER


# --- time -------------------------------------------------------------------------------------


def test_a_bidding_time_out_passes_and_calls_where_it_must() -> None:
    """PF-21, TY-11."""
    assert act(after([]), asked.Timeout(0))[1] == (Passed(0),)
    state, events = act(after([], **OBLIGED), asked.Timeout(0))  # type: ignore[arg-type]
    assert isinstance(events[0], Called)
    assert (state.landlord, events[0].blind) == (0, False)


def test_a_doubling_time_out_passes() -> None:
    """PF-21."""
    state = after(["0 call"])
    assert act(state, asked.Timeout(1))[1] == (Passed(1),)
    state = after(["0 call", "1 double", "2 pass"])
    assert act(state, asked.Timeout(0))[1] == (Passed(0), BottomTaken(0, state.bottom))


def test_a_time_out_leads_the_lowest_single_and_passes_when_following() -> None:
    """PF-21, TY-2: the wild card alone is the lowest."""
    (played,) = act(after(LEADS), asked.Timeout(0))[1]
    assert isinstance(played, Played)
    assert (show(played.cards), str(played.reading)) == ("S4", "single 4")
    (wild,) = act(after(LEADS, **WILD), asked.Timeout(0))[1]  # type: ignore[arg-type]
    assert isinstance(wild, Played)
    assert (show(wild.cards), str(wild.reading)) == ("*", "single 3")
    assert act(after([*LEADS, "0 play S4"]), asked.Timeout(1))[1] == (Passed(1),)


def test_a_time_out_is_only_of_whose_turn_it_is() -> None:
    """PF-21."""
    assert refusal([asked.Timeout(1)]).reason is Reason.NOT_YOUR_TURN
