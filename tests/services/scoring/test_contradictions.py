"""What a question may not say of melds, flowers, seats and open tiles, and how the refusal calls it."""

from typing import Any

import pytest
from cardroom.scoring.v1 import scoring_pb2

from cardroom_client.scoring import Hand, columns
from refusals import Reason
from tests.services.scoring.rig import refused
from tests.services.scoring.test_hands import HAND, IMPOSSIBLE, changed

FLOWERY: dict[str, Any] = {"ruleset": {"variant": "dazhong"}, "seat_wind": "E", "round_wind": "S"}


@pytest.mark.parametrize("brackets", ["{}", "[{}]"])
async def test_melds_are_read_as_the_notation_writes_them_and_as_refusals_show_them(
    scoring: Any, brackets: str
) -> None:
    melds = [brackets.format(text) for text in ("pung 222s", "concealed 5555p")]
    hand = {"notation": "123p46s99s", "melds": melds}
    response = await scoring.ScoreWin(changed(hand=hand, win_notation="5s"))
    assert [part.kind for part in response.win.explanation.parts][:2] == ["pung", "concealed"]


def test_the_client_library_reads_melds_in_brackets_too() -> None:
    plain, bracketed = (
        columns([Hand("123p46s99s", win="5s", melds=[text])]) for text in ("concealed 5555p", "[concealed 5555p]")
    )
    assert plain == bracketed


@pytest.mark.parametrize("text", ["[pung 222s", "pung 222s]", "[]", "[", "[[pung 222s]]"])
async def test_half_a_bracket_is_no_meld(scoring: Any, text: str) -> None:
    refusal = await refused(scoring.ScoreWin(changed(hand={"notation": HAND, "melds": [text]})))
    assert (refusal.reason, refusal.field) == (IMPOSSIBLE, "hand.melds[0]")


@pytest.mark.parametrize(
    ("parts", "field", "said"),
    [
        ({"hand": {"notation": "123456m789p23s9s1f"}}, "hand.notation", "1f is a flower"),
        ({"hand": {"notation": "123456m789p23s99s"}, "win_notation": "1f"}, "win_notation", "1f is a flower"),
        ({"hand": {"notation": "123456m789p23s99s", "flowers": "2f1f1f"}}, "hand.flowers[2]", "1f is there once"),
    ],
    ids=["in the hand", "as the winning tile", "twice"],
)
async def test_a_flower_where_none_can_be_is_called_a_flower(scoring: Any, parts: Any, field: str, said: str) -> None:
    """DZ-1, DZ-44."""
    refusal = await refused(scoring.ScoreWin(changed(**FLOWERY, **parts)))
    assert (refusal.reason, refusal.field, refusal.rule) == (IMPOSSIBLE, field, "DZ-1")
    assert refusal.detail.startswith(said)


def waits_of(**parts: Any) -> scoring_pb2.ListWaitsRequest:
    """The waits of a hand with two flowers."""
    hand = scoring_pb2.Hand(notation="123456m789p23s99s", flowers="1f2f")
    return scoring_pb2.ListWaitsRequest(**FLOWERY, hand=hand, **parts)


async def test_flowers_that_lie_open_elsewhere_change_no_wait(scoring: Any) -> None:
    """DZ-4: others' flowers lie open like their melds."""
    seen = await scoring.ListWaits(waits_of(visible_notation="3f44s8f"))
    assert seen == await scoring.ListWaits(waits_of(visible_notation="44s"))


@pytest.mark.parametrize("notation", ["3f3f", "1f"], ids=["twice", "one's own"])
async def test_a_flower_lies_open_once(scoring: Any, notation: str) -> None:
    """DZ-1."""
    refusal = await refused(scoring.ListWaits(waits_of(visible_notation=notation)))
    assert (refusal.reason, refusal.field, refusal.rule) == (IMPOSSIBLE, "visible_notation", "DZ-1")


SIX = ("bloody6", "123456p9s", "9s")
FOUR = ("bloody4", HAND, "5s")
SEATS: dict[str, tuple[tuple[str, str, str], dict[str, Any], dict[str, Any], str]] = {
    "nobody is left to pay": (SIX, {"by": "WIN_BY_SELF"}, {"out_seats": [1, 2, 3, 4, 5]}, "seats.out_seats"),
    "a win before the first tiles": (
        FOUR,
        {"by": "WIN_BY_SELF", "situations": ["heavenly"]},
        {"out_seats": [1]},
        "seats.out_seats",
    ),
    "a win before the first discard": (
        FOUR,
        {"by": "WIN_BY_DISCARD", "situations": ["earthly"]},
        {"giver_seat": 2, "out_seats": [1]},
        "seats.out_seats",
    ),
    "draws before a deal that pays no more for them": (
        FOUR,
        {"by": "WIN_BY_SELF"},
        {"draws_in_row": 1},
        "seats.draws_in_row",
    ),
    "a declared hand's added kong": (
        ("bloody6", "12p45699s", "3p"),
        {"by": "WIN_BY_ROB"},
        {"giver_seat": 2, "declared_seats": [2]},
        "seats.declared_seats",
    ),
}


@pytest.mark.parametrize("name", SEATS)
async def test_seats_may_not_say_what_situations_may_not(scoring: Any, name: str) -> None:
    """BB-11, BB-22, BB-70, SH-33: the same hand is paid with seats that fit, and refused with these."""
    (variant, notation, win), parts, seats, field = SEATS[name]
    giver = {"giver_seat": seats["giver_seat"]} if "giver_seat" in seats else {}
    request = changed(ruleset={"variant": variant}, hand={"notation": notation}, win_notation=win, seats=giver, **parts)
    assert (await scoring.ScoreWin(request)).win.payments
    request.seats.MergeFrom(scoring_pb2.Seats(**seats))
    refusal = await refused(scoring.ScoreWin(request))
    assert (refusal.reason, refusal.field) == (Reason.HAND_IMPOSSIBLE, field)
