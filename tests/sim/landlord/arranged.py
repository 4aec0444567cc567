"""Arranged deals: the golden playthroughs again, with seats turned round, other money and other ends.

Some things are too rare to wait for (spring, a deep rocket, an odd coin for the second).
"""

from dataclasses import replace
from random import Random
from typing import Any

from games.landlord import actions as asked
from games.landlord.actions import Action
from games.landlord.script import Arranged, arrange
from tests.contract.landlord.deals import rules_of
from tests.contract.landlord.playthrough import Playthrough, action_of, golden_files, read
from tests.sim.landlord.deals import Setup, Style, random_balances


def goldens() -> list[Playthrough]:
    """All golden playthroughs of the family."""
    return [read(path) for path in golden_files()]


def arranged_setup(golden: Playthrough, style: Style | None, chance: Random) -> Setup:
    """A golden deal by other seats.

    Args:
        style: who plays on from a point at random, with other balances; None: as it is written.
    """
    rules, seats = rules_of(golden.options), range(3)
    turn = chance.randrange(len(seats))
    actions = golden.actions if style is None else golden.actions[: chance.randint(1, len(golden.actions))]
    turned = Arranged(
        (golden.dealer + turn) % len(seats),
        tuple(golden.hands[(seat - turn) % len(seats)] for seat in seats),
        golden.bottom,
    )
    written = tuple(golden.balances[(seat - turn) % len(seats)] for seat in seats)
    return Setup(
        name=f"{golden.name}/{style}",
        style=style or Style.POLICY,
        ruleset=rules,
        dealer=turned.dealer,
        wall=arrange(rules, turned),
        balances=written if style is None else random_balances(rules, chance),
        wishes=(asked.Deal(), *(_by_another(line, turn) for line in actions)),
    )


def _by_another(line: str, turn: int) -> Action:
    """The action of a line, by the seat that many places further."""
    written: Any = action_of(line)
    action: Action = replace(written, seat=(written.seat + turn) % 3)
    return action
