"""Golden playthroughs of the landlord family: text that a person can read beside the rules."""

import pytest

from games.catalog import variants_of
from games.landlord.events import Ended
from games.landlord.variant import LandlordVariant
from tests.contract.landlord.playthrough import Playthrough, golden_files, played, read

PLAYTHROUGHS = [read(path) for path in golden_files()]


@pytest.mark.parametrize("golden", PLAYTHROUGHS, ids=lambda golden: golden.name)
def test_a_golden_playthrough_plays_as_it_is_written(golden: Playthrough) -> None:
    lines, events = played(golden)
    assert lines == golden.text.splitlines(), f"{golden.name}: {golden.rules}"
    assert isinstance(events[-1], Ended), "a playthrough goes to the deal's end"
    assert golden.rules


def test_every_variant_has_playthroughs() -> None:
    assert {golden.variant for golden in PLAYTHROUGHS} == set(variants_of(LandlordVariant))


def test_a_changed_line_of_a_playthrough_is_noticed() -> None:
    golden = next(golden for golden in PLAYTHROUGHS if golden.name == "blind_call_and_spring")
    spoilt = golden.text.replace("春天; x8", "春天; x4", 1)
    assert spoilt != golden.text
    assert played(golden)[0] != spoilt.splitlines()
