"""Looks for a fault in a variant's rules: golden texts, then deals with every law and the referee looking on."""

from collections.abc import Iterator
from random import Random

from games.catalog import variants_of
from games.mahjong.variant import Variant
from tests.contract.golden_hands import answer, golden_hands
from tests.contract.playthrough import played
from tests.sim.arranged import arranged_setup, golden_playthroughs, goldens
from tests.sim.deals import Setup, Style, random_setup
from tests.sim.watch import Zeal, watch

RANDOM_DEALS = 6
ZEAL = Zeal(options=0.2, claims=0.3, everything=0.02)


def by_golden_texts(variant_id: str) -> str:
    """The first golden line that the rules no longer keep; "" if they keep all."""
    for hand in golden_hands():
        if hand.variant != variant_id:
            continue
        try:
            said = answer(hand)
        except Exception as error:
            said = repr(error)
        if said != hand.expected:
            return f"hand {hand.question}"
    for golden in golden_playthroughs(variant_id):
        try:
            lines = played(golden)[0]
        except Exception as error:
            return f"{golden.name}: {error!r}"
        if lines != golden.text.splitlines():
            return golden.name
    return ""


def by_watching(variant_id: str, first: str = "", arranged: int | None = None) -> str:
    """What is found in arranged and in shuffled deals; "" if nothing is.

    Args:
        variant_id: whose deals are played.
        first: the golden playthrough to begin with.
        arranged: how many arranged deals at most.
    """
    for setup, chance in _deals(variant_id, first, arranged):
        try:
            watch(setup, chance, ZEAL)
        except Exception as error:
            return f"{error}" or repr(error)
    return ""


def _deals(variant_id: str, first: str, arranged: int | None) -> Iterator[tuple[Setup, Random]]:
    for golden in sorted(goldens(variant_id), key=lambda golden: golden.name != first)[:arranged]:
        chance = Random(golden.name)
        yield arranged_setup(golden, Style.POLICY, f"{golden.name}-0", chance, as_written=True), chance
    for number in range(RANDOM_DEALS):
        chance = Random(number)
        style = list(Style)[number % 2]
        yield random_setup(variants_of(Variant)[variant_id], style, f"hunt-{number}", chance), chance
