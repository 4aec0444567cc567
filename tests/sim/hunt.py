"""Looks for a fault: golden texts first, then deals with every law and the referee looking on."""

from collections.abc import Iterator
from random import Random

from games.catalog import variants_of
from games.mahjong.variant import Variant
from tests.contract.golden_hands import answer, golden_hands
from tests.contract.playthrough import played
from tests.sim.arranged import arranged_setup, goldens
from tests.sim.deals import Setup, Style, random_setup
from tests.sim.watch import Zeal, watch

VARIANT = "bloody4"
RANDOM_DEALS = 6
ZEAL = Zeal(options=0.2, claims=0.3, everything=0.02)


def by_golden_texts() -> str:
    """The first golden line that the rules no longer keep; "" if they keep all."""
    for hand in golden_hands():
        try:
            said = answer(hand)
        except Exception as error:
            said = repr(error)
        if said != hand.expected:
            return f"hand {hand.question}"
    for golden in goldens(VARIANT):
        try:
            lines = played(golden)[0]
        except Exception as error:
            return f"{golden.name}: {error!r}"
        if lines != golden.text.splitlines():
            return golden.name
    return ""


def by_watching(first: str = "") -> str:
    """What is found in arranged and in shuffled deals; "" if nothing is.

    Args:
        first: the golden playthrough to begin with.
    """
    for setup, chance in _deals(first):
        try:
            watch(setup, chance, ZEAL)
        except Exception as error:
            return f"{error}" or repr(error)
    return ""


def _deals(first: str) -> Iterator[tuple[Setup, Random]]:
    for golden in sorted(goldens(VARIANT), key=lambda golden: golden.name != first):
        chance = Random(golden.name)
        yield arranged_setup(golden, Style.POLICY, f"{golden.name}-0", chance, as_written=True), chance
    for number in range(RANDOM_DEALS):
        chance = Random(number)
        style = list(Style)[number % 2]
        yield random_setup(variants_of(Variant)[VARIANT], style, f"hunt-{number}", chance), chance
