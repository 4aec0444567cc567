"""Simulate deals and check every law and rule at every step: python -m tests.sim.run [--variant V] [--seed N].

Half of the deals are played by the policy bot, half uniformly among what is legal, with time-outs, silence,
absence and locks; then every golden playthrough is played some times more in other clothes. What happened is
printed as a table; a row that never came to pass makes the run fail, as does the first broken law. The same
seed plays the same deals, whatever the number of processes; `--deal NAME` shows one of them move by move.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from random import Random

from games.catalog import variants_of
from games.mahjong.state import Phase
from games.mahjong.variant import Variant
from tests.contract.words import lines_of
from tests.sim.arranged import arranged_setup, goldens
from tests.sim.clauses.of import CLAUSES
from tests.sim.deals import Setup, Style, play, random_setup
from tests.sim.report import report, zeros
from tests.sim.watch import LONG, USUAL, Tally, Zeal, watch

ARRANGED_EVERY = 250
"""Each golden playthrough is played once for every so many shuffled deals, at least once."""
CHUNK = 10

LONG_TILES = 144
CLOSELY = Zeal(claims=1.0, views=0.5, wire=0.2)
"""Arranged deals are few, and what they show is rare: every claim is tried at every moment."""

Deal = tuple[str, str, str, Style]
"""Variant, name, golden playthrough it is arranged by or "", who moves."""


def deals_of(variant_id: str, deal_count: int, *, arranged: bool = True) -> list[Deal]:
    """The deals of a run: the shuffled ones, then the arranged ones."""
    styles = (Style.POLICY, Style.UNIFORM)
    shuffled = [(variant_id, str(index), "", styles[index % 2]) for index in range(deal_count)]
    times = max(1, deal_count // ARRANGED_EVERY) if arranged else 0
    return shuffled + [
        (variant_id, f"{golden.name}-{turn}", golden.name, styles[turn % 2])
        for golden in goldens(variant_id)
        for turn in range(times)
    ]


def setup_of(seed: int, deal: Deal) -> tuple[Setup, Random]:
    """A deal and the chance it is played by."""
    variant_id, name, golden_name, style = deal
    chance = Random(f"{seed}/{name}")
    if not golden_name:
        return random_setup(variants_of(Variant)[variant_id], style, name, chance), chance
    golden = next(golden for golden in goldens(variant_id) if golden.name == golden_name)
    return arranged_setup(golden, style, name, chance, as_written=name.endswith("-0")), chance


def simulate(seed: int, deals: Sequence[Deal]) -> Tally:
    """Play the deals and check everything.

    Raises:
        Broken: a law or a rule does not hold.
    """
    tally = Tally()
    for deal in deals:
        setup, chance = setup_of(seed, deal)
        usual = LONG if setup.ruleset.tile_count == LONG_TILES else USUAL
        tally.add(watch(setup, chance, CLOSELY if deal[2] else usual))
    return tally


def run(seed: int, deals: Sequence[Deal], jobs: int) -> Tally:
    """All deals of a run, in some processes."""
    if jobs <= 1:
        return simulate(seed, deals)
    chunks = [deals[start : start + CHUNK] for start in range(0, len(deals), CHUNK)]
    tally = Tally()
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for part in pool.map(simulate, [seed] * len(chunks), chunks):
            tally.add(part)
    return tally


def show(seed: int, variant_id: str, name: str, deal_count: int) -> Iterator[str]:
    """One deal of a run in words, move by move."""
    deal = next(deal for deal in deals_of(variant_id, deal_count) if deal[1] == name)
    setup, chance = setup_of(seed, deal)
    yield f"{setup}"
    for step in play(setup, chance):
        yield f"> {step.action}"
        rain = bool(step.after.ruleset.rain_bases)
        for event in step.events:
            yield from (f"    {line}" for line in lines_of(event, rain=rain))
        if step.after.phase is Phase.OVER:
            yield f"    balances before: {setup.balances}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print the tables; 0 if every law held and every row came to pass."""
    parser = argparse.ArgumentParser(prog="python -m tests.sim.run", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--variant", choices=sorted(CLAUSES), help="default: each of them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--deals", type=int, default=2000, help="shuffled deals of each variant (default 2000)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--shuffled-only", action="store_true", help="without the arranged deals")
    parser.add_argument("--deal", metavar="NAME", help="show one deal of the run in words")
    chosen = parser.parse_args(arguments)
    variant_ids = [chosen.variant] if chosen.variant else list(CLAUSES)
    if chosen.deal:
        print("\n".join(show(chosen.seed, variant_ids[0], chosen.deal, chosen.deals)))
        return 0
    missing = [
        (variant_id, row)
        for variant_id in variant_ids
        for row in _run_and_print(chosen.seed, variant_id, chosen.deals, chosen.jobs, not chosen.shuffled_only)
    ]
    for variant_id, row in missing:
        print(f"never came to pass in {variant_id}: {row}", file=sys.stderr)
    return 1 if missing else 0


def _run_and_print(seed: int, variant_id: str, deal_count: int, jobs: int, arranged: bool) -> list[str]:
    """One variant's run and table; what never came to pass."""
    started = time.monotonic()
    deals = deals_of(variant_id, deal_count, arranged=arranged)
    tally = run(seed, deals, jobs)
    print(
        f"{variant_id}, seed {seed}: {deal_count} shuffled deals, {len(deals) - deal_count} arranged "
        "(golden playthroughs and deals of the cases in other clothes)"
    )
    print("\n".join(report(variant_id, tally)))
    print(
        f"{variant_id}: every law and rule held: {tally.deals} deals, {tally.steps} actions, {tally.tried} refusals, "
        f"{time.monotonic() - started:.0f} s"
    )
    return zeros(variant_id, tally)


if __name__ == "__main__":
    sys.exit(main())
