"""Golden hands and playthroughs: text that a person can read beside the rules."""

import pytest

from games.catalog import variants_of
from games.mahjong.events import Ended, Opened
from games.mahjong.game import GAME
from games.mahjong.state import Phase
from games.mahjong.variant import Variant
from tests.contract.golden_hands import GoldenHand, answer, golden_hands
from tests.contract.playthrough import Playthrough, golden_files, played, read
from tests.sim.laws import view_over_the_wire

pytestmark = pytest.mark.fast

PLAYTHROUGHS = [read(path) for path in golden_files()]


@pytest.mark.parametrize("golden", list(golden_hands()), ids=lambda golden: golden.question)
def test_a_golden_hand_is_worth_what_its_line_says(golden: GoldenHand) -> None:
    assert answer(golden) == golden.expected, golden.rules


@pytest.mark.parametrize("golden", PLAYTHROUGHS, ids=lambda golden: golden.name)
def test_a_golden_playthrough_plays_as_it_is_written(golden: Playthrough) -> None:
    lines, events = played(golden)
    assert lines == golden.text.splitlines(), f"{golden.name}: {golden.rules}"
    assert isinstance(events[-1], Ended), "a playthrough goes to the deal's end"


@pytest.mark.slow
@pytest.mark.parametrize("golden", PLAYTHROUGHS, ids=lambda golden: golden.name)
def test_every_view_of_a_playthrough_survives_the_wire_pf_40(golden: Playthrough) -> None:
    _, events = played(golden)
    opened = events[0]
    assert isinstance(opened, Opened)
    state = GAME.initial(opened.ruleset, opened.dealer)
    for event in events:
        state = GAME.evolve(state, event)
        if state.phase is Phase.MOVING:
            continue  # a table shows states where somebody decides
        for viewer in (None, *range(opened.ruleset.seat_count)):
            view = GAME.view(state, viewer)
            assert view_over_the_wire(view, viewer) == view, (event, viewer)


def test_every_variant_has_golden_hands_and_playthroughs() -> None:
    found = set(variants_of(Variant))
    assert {golden.variant for golden in PLAYTHROUGHS} == found
    assert {golden.variant for golden in golden_hands()} == found


def test_a_changed_line_of_a_playthrough_is_noticed() -> None:
    golden = next(golden for golden in PLAYTHROUGHS if golden.name == "three_winners")
    spoilt = golden.text.replace("rank 1", "rank 2", 1)
    assert spoilt != golden.text
    assert played(golden)[0] != spoilt.splitlines()
