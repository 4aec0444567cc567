"""Simulate deals of 听用斗地主 and check every law and rule: python -m tests.sim.landlord.run --seed N [--deals 2000].

Half of the deals are played by the policy bot, half uniformly among what is legal, with
time-outs and escapes; a quarter of the packs is hardly mixed. Every golden playthrough is
played too, as it is written and with another end. What came to pass is printed as a table; a
row that never did makes the run fail, as does the first broken law. The same seed plays the
same deals, whatever the number of processes.
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from random import Random

from tests.sim.landlord.arranged import arranged_setup, goldens
from tests.sim.landlord.deals import Setup, Style, random_setup
from tests.sim.landlord.laws import Broken
from tests.sim.landlord.watch import Tally, watch

CHUNK = 25


def simulate(seed: int, style: Style, numbers: Sequence[int]) -> Tally:
    """Play some deals and check everything. Raises: Broken, which names the deal."""
    tally = Tally()
    for number in numbers:
        name = f"{seed}/{style}/{number}"
        chance = Random(name)
        tally.add(_watched(random_setup(style, name, chance), chance))
    return tally


def simulate_arranged(seed: int) -> Tally:
    """Play every golden playthrough as it is written, then with another end by each style. Raises: Broken."""
    tally = Tally()
    for golden in goldens():
        for style in (None, *Style):
            chance = Random(f"{seed}/{golden.name}/{style}")
            tally.add(_watched(arranged_setup(golden, style, chance), chance))
    return tally


def _watched(setup: Setup, chance: Random) -> Tally:
    try:
        return watch(setup, chance)
    except Broken as broken:
        raise Broken(broken.law, f"deal {setup.name}: {broken}") from None


def run(seed: int, deals_of_each: int, jobs: int, *, arranged: bool = True) -> Tally:
    """As many deals of each style, in some processes, and the arranged ones."""
    chunks = [range(start, min(start + CHUNK, deals_of_each)) for start in range(0, deals_of_each, CHUNK)]
    work = [(style, chunk) for style in Style for chunk in chunks]
    tally = simulate_arranged(seed) if arranged else Tally()
    if jobs == 1:
        for style, chunk in work:
            tally.add(simulate(seed, style, chunk))
        return tally
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for part in pool.map(simulate, [seed] * len(work), [row[0] for row in work], [row[1] for row in work]):
            tally.add(part)
    return tally


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print the table; 0 if every law held and every row came to pass."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.sim.landlord.run", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--deals", type=int, default=2000, help="deals, half of each style (default 2000)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--shuffled-only", action="store_true", help="no golden playthroughs")
    chosen = parser.parse_args(arguments)
    started = time.monotonic()
    tally = run(chosen.seed, chosen.deals // 2, chosen.jobs, arranged=not chosen.shuffled_only)
    print("\n".join(tally.report()))
    seconds = time.monotonic() - started
    refused = tally.refusals.total()
    print(f"every law and rule held: {tally.deals} deals, {tally.actions} actions, {refused} refusals, {seconds:.0f} s")
    missing = tally.zeros() + [f"unlisted refusal {row}" for row in tally.unlisted()]
    for row in missing:
        print(f"never came to pass: {row}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
