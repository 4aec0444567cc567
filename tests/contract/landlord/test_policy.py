"""What the policy of games/bots does in plain situations: few turns left, bombs kept, partners helped."""

from random import Random

import pytest

from games.bots import landlord as policy
from games.landlord import actions as asked
from games.landlord.cards import counts_of, parse, show
from games.landlord.game import GAME
from games.landlord.state import Phase, State
from tests.contract.landlord.deals import act, after, called, rules_of

HANDS = (
    "S4 H4 S5 H5 S6 H6 D6 S7 H7 S8 H8 D8 S9 H9 D9 *",
    "C4 C5 D7 C7 HT DT SJ HJ DJ CJ SA HA DA S2 H2 BJ",
    "C6 C8 C9 CT SQ HQ DQ CQ SK HK DK CK CA D2 C2 RJ",
)
BOTTOM = "D4 D5 ST"
LEADS = ["0 call", "1 pass", "2 pass"]


def chosen(state: State) -> asked.PlayerAction:
    """What the policy does for the seat whose turn it is, from its own view."""
    seat = state.turn
    view = GAME.view(state, seat)
    return policy.choose(view, seat, GAME.legal(view, seat))


def played(state: State) -> str:
    move = chosen(state)
    return show(move.cards) if isinstance(move, asked.Play) else type(move).__name__


def at(actions: list[str]) -> State:
    return after(actions, hands=HANDS, bottom=BOTTOM)


@pytest.mark.parametrize("seed", range(6))
def test_it_moves_only_as_it_may_and_always_the_same(seed: int) -> None:
    """PF-22, PF-40: from the view alone, one of the options."""
    state = called(rules_of({}), seed % 3, Random(f"policy {seed}"))
    while state.phase is not Phase.OVER:
        move = chosen(state)
        assert move in GAME.legal(state, state.turn)
        assert chosen(state) == move
        state = act(state, move)[0]


def test_it_keeps_its_bomb_from_a_low_single() -> None:
    """TY-22: seat 1 holds four jacks and takes a 4 with a card that stands alone."""
    move = played(at([*LEADS, "0 play S4"]))
    assert move in {"C5", "BJ"}


def test_it_lets_its_partners_play_stand() -> None:
    """TY-25: seat 2 does not take seat 1's ace from him."""
    assert played(at([*LEADS, "0 play S4", "1 play SA"])) == "Pass"


def test_it_goes_out_when_it_can() -> None:
    """TY-25."""
    actions = [*LEADS, "0 play S4 H4 D4 S5 H5 D5 S6 H6 D6 S7 H7 * as triple_straight", "1 pass", "2 pass"]
    state = at([*actions, "0 play S8 H8 D8 S9 H9 D9 as triple_straight", "1 pass", "2 pass"])
    assert played(state) == "ST"


def test_strong_hands_call_and_weak_ones_pass() -> None:
    """TY-10."""
    strong = counts_of(parse("S4 H4 D4 C4 S2 H2 D2 BJ RJ * SA HA DA SK HK DK"))
    weak = counts_of(parse("S4 H5 S6 H7 S8 HT S9 HJ SQ HK D4 D6 D7 D9 CQ CK"))
    assert policy.strength(strong) > policy.DOUBLE_FROM > policy.CALL_FROM > policy.strength(weak)


def test_who_must_call_does() -> None:
    """TY-11: though the hand is weak."""
    hands = (
        "S4 H5 S6 H7 S8 HT S9 HJ SQ HK D4 D6 D7 D9 BJ RJ",
        "H4 C4 S5 D5 C5 H6 C6 S7 C7 H8 D8 C8 H9 C9 ST DT",
        "CT SJ DJ CJ HQ DQ CQ SK DK CK SA HA DA CA S2 *",
    )
    assert chosen(after([], hands=hands, bottom="H2 D2 C2")) == asked.Call(0)
