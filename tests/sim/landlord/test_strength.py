"""Over 1,000 seeded deals the policy does better than first-legal players, as landlord and as his opponents."""

import pytest

from games.bots import landlord as policy
from tests.sim.landlord.strength import PAIRINGS, first_legal, outcome

DEALS = 1_000
MARGIN = 0.2
"""Share of the deals that it must win beyond what first-legal players win in its place."""


def test_the_policy_wins_more_than_first_legal_players_in_a_few_deals() -> None:
    nobody, as_landlord = (outcome(25, landlord, first_legal) for landlord in (first_legal, policy.choose))
    assert as_landlord.landlord_wins > nobody.landlord_wins


def test_the_policy_beats_first_legal_players_in_either_role(capsys: pytest.CaptureFixture[str]) -> None:
    names = [name for name in PAIRINGS if name != "the policy against the policy"]
    found = {name: outcome(DEALS, *PAIRINGS[name]) for name in names}
    with capsys.disabled():
        print(f"\n{DEALS} deals, the same for all:")
        for name, one in found.items():
            print(f"  {name}: {one}")
    nobody, as_landlord, as_others = (found[name] for name in names)
    assert as_landlord.landlord_wins > nobody.landlord_wins + MARGIN
    assert as_landlord.landlord_score > nobody.landlord_score
    assert as_others.landlord_wins < nobody.landlord_wins - MARGIN
    assert as_others.landlord_score < nobody.landlord_score
