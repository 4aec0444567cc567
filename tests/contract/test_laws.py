"""What every variant has to keep, whatever its rules are: the laws on seeded deals, and nothing but IllegalAction."""

from functools import cache
from itertools import islice
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.catalog import variants_of
from games.kernel import IllegalAction, OptionError
from games.mahjong import actions as asked
from games.mahjong.actions import Action
from games.mahjong.events import Ended
from games.mahjong.melds import MeldKind
from games.mahjong.state import Phase, State
from games.mahjong.variant import STAKE_MAX, Variant
from tests.sim import candidates
from tests.sim.deals import Style, play, random_setup
from tests.sim.laws import Laws

VARIANTS = sorted(variants_of(Variant).values(), key=lambda variant: variant.variant_id)
each_variant = pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.variant_id)
QUICK = 72
"""Tiles of the games whose deals are short; what tries many actions takes seconds in the others."""
each_variant_at_length = pytest.mark.parametrize(
    "variant",
    [
        pytest.param(
            variant,
            marks=() if variant.seat_count == 4 and variant.ruleset({}, 1).tile_count == QUICK else pytest.mark.slow,
        )
        for variant in VARIANTS
    ],
    ids=lambda variant: variant.variant_id,
)

SEATS = st.integers(-2, 8)
TILES = st.integers(-2, 60) | st.sampled_from((1 << 31, -(1 << 63)))
ACTIONS: st.SearchStrategy[Action] = st.one_of(
    st.builds(asked.Discard, SEATS, TILES),
    st.builds(asked.Kong, SEATS, TILES | st.none(), st.sampled_from((None, *MeldKind))),
    *(st.builds(kind, SEATS) for kind in (asked.Pung, asked.Win, asked.Pass, asked.Lock)),
    *(st.builds(kind, SEATS) for kind in (asked.Timeout, asked.Leave, asked.Return)),
    st.builds(asked.Deal),
    st.builds(asked.CloseQuestion),
)


@cache
def resting_states(variant_id: str) -> tuple[State, ...]:
    """Moments of some deals, the first and the last of each among them."""
    found = []
    for number in range(6):
        chance = Random(f"states {number}")
        setup = random_setup(variants_of(Variant)[variant_id], list(Style)[number % 2], str(number), chance)
        found += [step.after for step in play(setup, chance)]
    return tuple(found)


@each_variant
@pytest.mark.parametrize("style", list(Style))
def test_the_laws_hold_on_seeded_deals(variant: Variant, style: Style) -> None:
    """PF-40, PF-51: views, redaction, conservation, replay, the wire."""
    for number in range(2):
        chance = Random(f"{style} {number}")
        setup = random_setup(variant, style, f"{style} {number}", chance)
        laws = Laws(setup, Random(number))
        ended = False
        for step in play(setup, chance):
            laws.check(step)
            ended = isinstance(step.events[-1], Ended) if step.events else ended
        assert ended


@each_variant_at_length
def test_legal_is_what_decide_accepts(variant: Variant) -> None:
    for state in islice(resting_states(variant.variant_id), 0, None, 47):
        candidates.check_options(state)
        assert candidates.check(state, candidates.candidates(variant.seat_count))


@each_variant_at_length
@given(data=st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_decide_refuses_with_illegal_action_and_nothing_else(variant: Variant, data: st.DataObject) -> None:
    state = data.draw(st.sampled_from(resting_states(variant.variant_id)))
    action = data.draw(ACTIONS)
    try:
        events = variant.game.decide(state, action)
    except IllegalAction:
        events = ()
    for event in events:
        state = variant.game.evolve(state, event)
    assert state.phase is not Phase.MOVING


@each_variant
def test_options_are_checked(variant: Variant) -> None:
    """PF-2: a deal is played by named options; unknown ones and absurd values are refused."""
    wrong: list[tuple[dict[str, object], int]] = [
        ({"no_such_option": 1}, 1),
        ({}, 0),
        ({}, -1),
        ({}, STAKE_MAX + 1),
        ({}, True),
        *(({name: object()}, 1) for name in variant.options),
    ]
    for options, stake in wrong:
        with pytest.raises(OptionError):
            variant.ruleset(options, stake)
    for name, allowed in variant.options.items():
        for value in allowed:
            assert variant.ruleset({name: value}, 1).option(name) == value


@each_variant
def test_a_variant_names_its_fans(variant: Variant) -> None:
    """BB-53."""
    ids = [fan_id for fan_id, _, _ in variant.fan_names]
    assert len(set(ids)) == len(ids)
    assert all(zh and en for _, zh, en in variant.fan_names)
