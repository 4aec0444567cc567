"""Nothing but IllegalAction, whatever is asked, and nothing happens when it is raised."""

from functools import cache
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.kernel import IllegalAction
from games.landlord import actions as asked
from games.landlord.actions import Action
from games.landlord.combinations import Kind
from games.landlord.game import GAME
from games.landlord.state import Phase, State
from tests.sim.landlord.deals import Style, play, random_setup

SEATS = st.integers(-2, 5)
CARDS = st.lists(st.integers(-2, 60) | st.sampled_from((1 << 31, -(1 << 63))), max_size=8).map(tuple)
ACTIONS: st.SearchStrategy[Action] = st.one_of(
    st.builds(asked.Play, SEATS, CARDS, st.sampled_from((None, *Kind))),
    *(st.builds(kind, SEATS) for kind in (asked.Call, asked.CallBlind, asked.Double, asked.Redouble, asked.Pass)),
    *(st.builds(kind, SEATS) for kind in (asked.Timeout, asked.Leave)),
    st.builds(asked.Deal),
)


@cache
def resting_states() -> tuple[State, ...]:
    """Moments of some deals, the first and the last of each among them."""
    found = []
    for number in range(6):
        chance = Random(f"states {number}")
        setup = random_setup(list(Style)[number % 2], str(number), chance)
        found += [step.after for step in play(setup, chance)]
    return tuple(found)


@given(data=st.data())
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_decide_refuses_with_illegal_action_and_nothing_else(data: st.DataObject) -> None:
    state = data.draw(st.sampled_from(resting_states()))
    action = data.draw(ACTIONS)
    try:
        events = GAME.decide(state, action)
    except IllegalAction:
        events = ()
    for event in events:
        state = GAME.evolve(state, event)
    assert state.phase not in (Phase.TAKING, Phase.SETTLING)


def test_a_deal_not_opened_refuses_everything() -> None:
    """TY-1: also an escape; there is no deal to escape from."""
    state = GAME.initial(resting_states()[0].ruleset, 0)
    for action in (asked.Call(0), asked.Pass(0), asked.Deal(), asked.Timeout(0), asked.Leave(0)):
        with pytest.raises(IllegalAction):
            GAME.decide(state, action)
