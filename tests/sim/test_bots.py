"""Bots play from a seat's view and from nothing else."""

import ast
from functools import cache
from pathlib import Path
from random import Random

import pytest

from games.bots import nearest, policy, uniform
from games.catalog import variants_of
from games.kernel import Seat
from games.mahjong.actions import Discard, Kong, Lock, PlayerAction, Pung, Win
from games.mahjong.distance import distance
from games.mahjong.game import GAME
from games.mahjong.state import State
from games.mahjong.variant import Variant
from tests.contract.playthrough import golden_files, read
from tests.sim.arranged import arranged_setup
from tests.sim.deals import Setup, Style, play, random_setup
from tests.sim.shuffling import shuffled

pytestmark = pytest.mark.fast

BOTS = Path(policy.__file__).parent
DECIDERS = {"decide", "evolve", "game", "views", "script", "wall", "events"}
"""Modules of the family with which a bot could play the deal on, or look at more than its view."""


@cache
def choices() -> list[tuple[State, Seat, tuple[PlayerAction, ...]]]:
    """Moments of some deals, shuffled and arranged, with a seat that has options."""
    setups: list[Setup] = []
    for number in range(3):
        chance = Random(f"bots {number}")
        setups.append(random_setup(variants_of(Variant)["bloody4"], Style.POLICY, str(number), chance))
    for path in golden_files():
        setups.append(arranged_setup(read(path), Style.POLICY, path.stem, Random(path.stem), as_written=True))
    found = []
    for setup in setups:
        for step in play(setup, Random(setup.name)):
            for seat in sorted(GAME.awaiting(step.after)):
                found.append((step.after, seat, GAME.legal(step.after, seat)))
    return found


@pytest.mark.slow
def test_a_bot_chooses_one_of_its_options_and_the_same_again() -> None:
    for state, seat, options in choices():
        view = GAME.view(state, seat)
        chosen = policy.choose(view, seat, options)
        assert chosen in options
        assert policy.choose(view, seat, options) == chosen


def test_a_bot_does_not_depend_on_what_its_seat_cannot_see() -> None:
    """PF-40: whatever lies face down, the same view and the same choice."""
    chance = Random("hidden")
    for state, seat, options in choices()[::3]:
        other = GAME.view(shuffled(state, seat, chance), seat)
        assert policy.choose(other, seat, options) == policy.choose(GAME.view(state, seat), seat, options)


def test_a_bot_wins_whenever_it_may() -> None:
    offered = [(state, seat, options) for state, seat, options in choices() if Win(seat) in options]
    assert len(offered) > 20
    for state, seat, options in offered:
        assert policy.choose(GAME.view(state, seat), seat, options) == Win(seat)


def test_a_bot_that_goes_for_the_nearest_win_discards_what_leaves_it_nearest() -> None:
    compared = 0
    for state, seat, options in choices():
        chosen = nearest.choose(GAME.view(state, seat), seat, options)
        if not isinstance(chosen, Discard):
            continue
        reached = {option.tile: _after(state, seat, option.tile) for option in options if isinstance(option, Discard)}
        assert reached[chosen.tile] == min(reached.values())
        compared += len(set(reached.values())) > 1
    assert compared > 100


def _after(state: State, seat: Seat, tile: int) -> int:
    rest = list(state.hands[seat])
    rest.remove(tile)
    melds = len(state.melds[seat])
    return distance(rest, set_count=state.ruleset.set_count - melds, pairs_win=not melds)


@pytest.mark.slow
def test_a_bot_claims_melds_and_makes_kongs_but_does_not_lock() -> None:
    chosen = [policy.choose(GAME.view(state, seat), seat, options) for state, seat, options in choices()]
    assert any(isinstance(action, Pung) for action in chosen)
    assert any(isinstance(action, Kong) for action in chosen)
    assert not any(isinstance(action, Lock) for action in chosen)


def test_the_random_bot_takes_chance_from_outside() -> None:
    options = ("a", "b", "c")
    for place, option in enumerate(options):
        drawn = _Drawn(place)
        assert uniform.choose(options, drawn) == option
        assert drawn.counts == [3]


class _Drawn:
    """Chance that comes out as it is told, and notes among how many."""

    def __init__(self, place: int) -> None:
        self.place = place
        self.counts: list[int] = []

    def __call__(self, count: int) -> int:
        self.counts.append(count)
        return self.place


def test_bots_import_nothing_that_knows_a_whole_deal() -> None:
    """They take the type of a view, and neither decide nor evolve, nor make views."""
    for path in BOTS.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {
            node.module.rpartition(".")[2]
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("games.mahjong")
        }
        assert not imported & DECIDERS, path.name
