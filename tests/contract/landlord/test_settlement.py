"""What a deal pays: multiplier, scores, coins by room with caps, escapes (TY-30..43)."""

import pytest

from games.kernel import SYSTEM, Group, OptionError, Payment, pay
from games.landlord.events import EndCause, Ended, Spring
from games.landlord.script import parse_action
from games.landlord.variant import STAKE_MAX
from games.variants.tingyong.ruleset import ROOMS
from tests.contract.landlord.deals import act, after, rules_of

LEADS = ["0 call", "1 pass", "2 pass"]
TWO_PLAYS = ["0 play S4 H4 S5 H5 S6 H6 S7 H7 S8 H8 S9 H9 ST HT SJ HJ SQ HQ", "1 pass", "2 pass", "0 play D4"]
"""Seat 0 goes out and nobody else has played: spring."""
NOT_SPRING = [
    "0 play SQ",
    "1 play SK",
    "2 pass",
    "0 pass",
    "1 play D5",
    "2 pass",
    "0 play HQ",
    "1 pass",
    "2 pass",
    "0 play S4 H4 S5 H5 S6 H6 S7 H7 S8 H8 S9 H9 ST HT SJ HJ",
    "1 pass",
    "2 pass",
    "0 play D4",
]
"""Seat 0 goes out after another has played."""

SHORT_HANDS = (
    "C4 C5 D7 D8 D9 ST HT SJ HJ SQ HQ SK HK SA H2 RJ",
    "S4 H4 D4 S5 H5 D5 S6 H6 D6 S7 H7 S8 H8 S9 H9 S2",
    "C8 C9 CT DJ CJ DQ CQ DK CK HA DA CA D2 C2 BJ *",
)
LOSES = [
    *LEADS,
    "0 play C4",
    "1 play S2",
    "2 pass",
    "0 pass",
    "1 play S4 H4 D4 S5 H5 D5 S6 H6 D6 S7 H7 S8 H8 S9 H9",
]
"""Seat 0 is the landlord, plays once, and seat 1 goes out: anti-spring."""


def ended(actions: list[str], **arranged: object) -> Ended:
    result = after(actions, **arranged).result  # type: ignore[arg-type]
    assert result is not None
    return result


def lost(**options: object) -> Ended:
    return ended(LOSES, hands=SHORT_HANDS, bottom="C6 C7 DT", options=options)


# --- scores -----------------------------------------------------------------------------------


def test_the_landlord_wins_twice_the_score() -> None:
    """TY-31."""
    result = ended([*LEADS, *NOT_SPRING])
    assert (result.cause, result.winners, result.spring) == (EndCause.OUT, (0,), Spring.NONE)
    assert (result.multiplier, result.scores) == (1, (2, -1, -1))


def test_spring_is_four_times() -> None:
    """TY-32."""
    result = ended([*LEADS, *TWO_PLAYS])
    assert (result.spring, result.multiplier, result.scores) == (Spring.SPRING, 4, (8, -4, -4))


def test_anti_spring_is_four_times() -> None:
    """TY-32, TY-25: the winners stand in turn order from the landlord."""
    result = lost()
    assert (result.spring, result.multiplier, result.scores) == (Spring.ANTI_SPRING, 4, (-8, 4, 4))
    assert result.winners == (1, 2)


def test_the_base_score_is_the_option() -> None:
    """TY-15."""
    assert lost(call_score=3).scores == (-24, 12, 12)


# --- coins ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("room", "part"), [("2000", 1_000), ("5000", 1_600), ("10000", 4_000), ("30000", 8_000)])
def test_a_room_caps_the_landlords_total(room: str, part: int) -> None:
    """TY-40, TY-41: a score of 8 each, and half the cap where it is more."""
    result = ended(["0 call", "1 double", "2 pass", "0 pass", *TWO_PLAYS], options={"room": room})
    assert result.scores == (16, -8, -8)
    assert result.payments == (Payment(1, 0, part, "win"), Payment(2, 0, part, "win"))


def test_the_rooms_are_those_of_the_rule() -> None:
    """TY-40."""
    rows = [(name, room.coins_per_score, room.landlord_cap, room.escape_cap) for name, room in ROOMS.items()]
    assert rows == [
        ("2000", 200, 2_000, 4_000),
        ("5000", 200, 5_000, 10_000),
        ("10000", 500, 10_000, 20_000),
        ("30000", 1_000, 30_000, 60_000),
    ]


def test_points_move_by_the_score_whatever_the_coins() -> None:
    """PF-60, TY-31: the same payments in points, uncapped."""
    result = lost(room="2000")
    group = Group(1, remainder_to=1)
    assert result.payments == (Payment(0, 1, 800, "win", group), Payment(0, 2, 800, "win", group))
    assert result.point_payments == (Payment(0, 1, 4, "win", group), Payment(0, 2, 4, "win", group))


def test_half_of_an_odd_cap_is_rounded_down() -> None:
    """TY-41: both parts together never exceed it."""
    assert [payment.amount for payment in lost(landlord_cap=5).payments] == [2, 2]
    assert lost(landlord_cap=1).payments == ()


def test_without_a_room_the_stake_is_a_scores_worth_and_nothing_is_capped() -> None:
    """PF-1."""
    result = ended([*LEADS, *NOT_SPRING])
    assert [payment.amount for payment in result.payments] == [1, 1]
    assert rules_of({}, 7).coins_per_score == 7
    assert (rules_of({}).landlord_cap, rules_of({}).escape_cap) == (None, None)


@pytest.mark.parametrize(
    ("coins", "paid"), [(901, [451, 450]), (1, [1, 0]), (0, [0, 0]), (1_600, [800, 800]), (1_599, [800, 799])]
)
def test_a_short_landlord_pays_his_opponents_equally(coins: int, paid: list[int]) -> None:
    """TY-42, PF-52: the odd coin to the one who went out."""
    settled = pay((coins, 0, 0), lost(room="2000").payments)
    assert [line.paid for line in settled.lines] == paid


def test_the_odd_coin_goes_to_who_went_out_even_when_he_is_second() -> None:
    """TY-42: the order of the moves stays TY-43."""
    actions = [*LEADS, "0 play C4", "1 pass", "2 play S2", "0 pass", "1 pass", *[LOSES[-1].replace("1 play", "2 play")]]
    hands = (SHORT_HANDS[0], SHORT_HANDS[2], SHORT_HANDS[1])
    result = ended(actions, hands=hands, bottom="C6 C7 DT", options={"room": "2000"})
    settled = pay((901, 0, 0), result.payments)
    assert [(line.payment.payee, line.paid) for line in settled.lines] == [(1, 450), (2, 451)]


# --- escapes ----------------------------------------------------------------------------------


STAGES: list[tuple[list[str], int]] = [
    ([], 3),
    (["0 pass"], 3),
    (["0 pass", "1 pass"], 3),
    (["0 call"], 3),
    (["0 call", "1 double"], 6),
    (["0 call", "1 double", "2 double"], 12),
    (["0 call", "1 double", "2 double", "0 redouble"], 24),
    (["0 pass", "1 pass", "2 blind"], 6),
    ([*LEADS, "0 play S4"], 3),
    (["0 call", "1 double", "2 pass", "0 pass", "0 play S4"], 6),
]
"""What was said, and what an escape costs then, with base 1."""


@pytest.mark.parametrize("seat", range(3))
@pytest.mark.parametrize(
    ("said", "score"), STAGES, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_an_escape_costs_the_escaper_alone(said: list[str], score: int, seat: int) -> None:
    """TY-33, PF-54: any seat, at any stage, to the system."""
    result = ended([*said, f"{seat} escape"], options={"room": "30000"}, dealer=0)
    assert (result.cause, result.escaper, result.winners) == (EndCause.ESCAPED, seat, ())
    assert result.payments == (Payment(seat, SYSTEM, score * 1_000, "penalty"),)
    assert result.point_payments == (Payment(seat, SYSTEM, score, "penalty"),)
    assert result.scores == tuple(-score if one == seat else 0 for one in range(3))
    assert result.next_dealer == 1


def test_before_a_call_an_escape_costs_three_whatever_the_base() -> None:
    """TY-33, TY-15."""
    assert ended(["0 escape"], options={"call_score": 2}).scores == (-3, 0, 0)
    assert ended(["0 call", "0 escape"], options={"call_score": 2}).scores == (-6, 0, 0)


def test_an_escape_is_capped_by_the_room() -> None:
    """TY-33, TY-40."""
    said = ["0 call", "1 double", "2 double", "0 redouble", "0 escape"]
    assert ended(said, options={"room": "2000"}).payments[0].amount == 4_000


def test_bombs_count_when_they_are_played() -> None:
    """TY-30, TY-33: held ones do not; a four with two is none."""
    hands = (
        "S4 H4 D4 C4 S5 H5 D5 C5 S6 H6 S7 H7 S8 H8 S9 H9",
        "D6 D7 D8 D9 DT SJ HJ SQ HQ SK HK SA HA S2 H2 BJ",
        "C6 C7 C8 C9 CT DJ CJ DQ CQ DK CK DA CA C2 RJ *",
    )
    state = after([*LEADS, "0 play S4 H4 D4 C4 S6 H6", "1 pass", "2 pass"], hands=hands, bottom="ST HT D2")
    assert state.multiplier == 1
    state, _ = act(state, parse_action(0, "0 play S5 H5 D5 C5"))
    assert state.multiplier == 2


# --- options ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "stake", "field"),
    [
        ({"room": "3000"}, 1, "room"),
        ({"room": 2000}, 1, "room"),
        ({"call_score": 0}, 1, "call_score"),
        ({"call_score": 4}, 1, "call_score"),
        ({"call_score": True}, 1, "call_score"),
        ({"coins_per_score": 0}, 1, "coins_per_score"),
        ({"landlord_cap": -1}, 1, "landlord_cap"),
        ({"escape_cap": "4000"}, 1, "escape_cap"),
        ({"room": "2000", "escape_cap": 4_000}, 1, "escape_cap"),
        ({"pass_locks_win": True}, 1, "pass_locks_win"),
        ({"room": "2000"}, 5, "stake"),
        ({"coins_per_score": 200}, 5, "stake"),
        ({}, 0, "stake"),
        ({}, True, "stake"),
        ({}, STAKE_MAX + 1, "stake"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, object], stake: int, field: str) -> None:
    """TY-15, TY-40, PF-1."""
    with pytest.raises(OptionError) as refused:
        rules_of(options, stake)
    assert refused.value.field == field


def test_rules_are_made_again_from_what_they_name() -> None:
    """PF-2: a log names options and stake, and that is enough."""
    for options, stake in (({}, 3), ({"room": "5000", "call_score": 2}, 200), ({"coins_per_score": 9}, 1)):
        rules = rules_of(options, stake)
        assert rules_of(dict(rules.options), rules.stake) == rules
