"""One deal watched from beginning to end, and what was counted."""

from collections import Counter
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random

from games.kernel import pay
from games.landlord.events import Ended, Event
from games.landlord.state import Phase
from tests.sim.landlord.books import Books
from tests.sim.landlord.candidates import Refusals, probe
from tests.sim.landlord.clauses import CLAUSES, REFUSALS, Moment
from tests.sim.landlord.deals import Setup, play
from tests.sim.landlord.laws import Laws

EVENT_KINDS = tuple(kind.__name__ for kind in Event.__args__)
PROBE_SHARE = 0.15
"""Share of moments at which illegal moves are tried, the first and the last of a deal beside."""


@dataclass
class Tally:
    """What came to pass.

    Attributes:
        deals: deals watched.
        actions: actions taken.
        events: by kind.
        clauses: by rule and words.
        refusals: by reason and rule.
    """

    deals: int = 0
    actions: int = 0
    events: Counter[str] = field(default_factory=Counter)
    clauses: Counter[tuple[str, str]] = field(default_factory=Counter)
    refusals: Refusals = field(default_factory=Counter)

    def add(self, other: "Tally") -> None:
        """Another's counts beside one's own."""
        self.deals += other.deals
        self.actions += other.actions
        self.events += other.events
        self.clauses += other.clauses
        self.refusals += other.refusals

    def zeros(self) -> list[str]:
        """Rows that never came to pass."""
        return [
            *(f"event {name}" for name in EVENT_KINDS if not self.events[name]),
            *(f"{row.rule} {row.words}" for row in CLAUSES if not self.clauses[row.rule, row.words]),
            *(f"refusal {reason} {rule}" for reason, rule in REFUSALS if not self.refusals[reason, rule]),
        ]

    def unlisted(self) -> list[tuple[str, str]]:
        """Refusals that no row names."""
        return sorted(set(self.refusals) - set(REFUSALS))

    def report(self) -> list[str]:
        """The counts in words."""
        rows = [f"{self.events[name]:7} event {name}" for name in EVENT_KINDS]
        rows += [f"{self.clauses[row.rule, row.words]:7} {row.rule} {row.words}" for row in CLAUSES]
        rows += [
            f"{self.refusals[key]:7} refused {key[0]} {key[1]}: {words}" for key, words in sorted(REFUSALS.items())
        ]
        return rows


def watch(setup: Setup, chance: Random, probe_share: float = PROBE_SHARE) -> Tally:
    """Play a deal and check every law and rule at every step. Raises: Broken."""
    laws, books, tally = Laws(setup, chance), Books(setup), Tally(deals=1)
    for step in play(setup, chance):
        balances = laws.balances
        laws.check(step)
        tally.actions += step.action is not None
        for event in step.events:
            tally.events[type(event).__name__] += 1
            paid = pay(balances, event.payments).lines if isinstance(event, Ended) else ()
            moment = Moment(deepcopy(books), step.action, event, paid)
            books.take(event, step.action)
            for row in CLAUSES:
                if row.at is type(event) and row.seen(moment):
                    tally.clauses[row.rule, row.words] += 1
        resting = step.after.phase in (Phase.OPENED, Phase.OVER)
        if resting or chance.random() < probe_share:
            tally.refusals += probe(step.after, books, chance)
    return tally
