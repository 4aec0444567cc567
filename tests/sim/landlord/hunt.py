"""Looks for a fault: golden texts first, then deals with every law and the books looking on."""

from random import Random

from tests.contract.landlord.playthrough import played
from tests.sim.landlord.arranged import arranged_setup, goldens
from tests.sim.landlord.deals import Setup, Style, random_setup
from tests.sim.landlord.watch import watch

RANDOM_DEALS = 6
PROBE_SHARE = 1.0


def by_golden_texts() -> str:
    """The first golden text that the rules no longer keep; "" if they keep all."""
    for golden in goldens():
        try:
            lines = played(golden)[0]
        except Exception as error:
            return f"{golden.name}: {error!r}"
        if lines != golden.text.splitlines():
            return golden.name
    return ""


def by_watching() -> str:
    """What is found in arranged and in shuffled deals; "" if nothing is."""
    for setup, chance in _deals():
        try:
            watch(setup, chance, PROBE_SHARE)
        except Exception as error:
            return f"{error}" or repr(error)
    return ""


def _deals() -> list[tuple[Setup, Random]]:
    deals = []
    for golden in goldens():
        chance = Random(golden.name)
        deals.append((arranged_setup(golden, None, chance), chance))
    for number in range(RANDOM_DEALS):
        chance = Random(number)
        deals.append((random_setup(list(Style)[number % 2], f"hunt-{number}", chance), chance))
    return deals
