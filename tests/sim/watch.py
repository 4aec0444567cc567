"""One deal with every law, the referee and the coverage table looking on."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

from games.kernel import Line, pay
from games.mahjong.actions import Action
from games.mahjong.events import Ended, Event, Won
from games.mahjong.state import State
from tests.sim import candidates, contradictions
from tests.sim.clauses.of import CLAUSES
from tests.sim.deals import Setup, Step, play
from tests.sim.laws import Laws
from tests.sim.moments import Moment, Probed
from tests.sim.referee import Referee


@dataclass(frozen=True, slots=True)
class Zeal:
    """How often the costly checks are made; shares of a deal's moments.

    Attributes:
        options: every option of every seat is tried.
        claims: every action without a tile is tried by every seat.
        everything: every action anybody could send is tried.
        views: views and options are compared with those of a shuffled state (law 2); the last moment always.
        wire: what a view that changed loses on the wire is looked for; the last view always.
    """

    options: float = 0.2
    claims: float = 0.25
    everything: float = 0.005
    views: float = 1.0
    wire: float = 0.5


@dataclass
class Tally:
    """What a number of deals came to.

    Attributes:
        deals: how many.
        steps: actions played.
        events: events by kind, private ones too.
        refusals: refused actions by reason.
        tried: actions tried and refused.
        rows: by place in the table of clauses, how often it was exercised.
    """

    deals: int = 0
    steps: int = 0
    tried: int = 0
    events: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    rows: Counter[int] = field(default_factory=Counter)

    def add(self, other: "Tally") -> None:
        """Count another tally in."""
        self.deals += other.deals
        self.steps += other.steps
        self.tried += other.tried
        self.events += other.events
        self.refusals += other.refusals
        self.rows += other.rows


USUAL = Zeal()
LONG = Zeal(options=0.05, claims=0.06, everything=0.001, views=0.2, wire=0.2)
"""Deals of 144 tiles have eight times the moments of the others."""


def watch(setup: Setup, chance: Random, zeal: Zeal = USUAL) -> Tally:
    """Play a deal and check everything.

    Args:
        chance: how it is played; what is looked at closely comes from a source of its own.

    Raises:
        Broken: a law or a rule does not hold; the name of the deal is in the note.
    """
    try:
        return _Watch(setup, Random(f"{setup.name}/watch"), zeal).deal(play(setup, chance))
    except Exception as error:
        error.add_note(f"deal {setup.name}")
        raise


class _Watch:
    def __init__(self, setup: Setup, chance: Random, zeal: Zeal) -> None:
        self._chance = chance
        self._zeal = zeal
        self._clauses = CLAUSES[setup.ruleset.variant]
        self._laws = Laws(setup, chance, views_share=zeal.views, wire_share=zeal.wire)
        self._referee = Referee(setup)
        self._balances = setup.balances
        self._tally = Tally(deals=1)

    def deal(self, steps: Iterable[Step]) -> Tally:
        for step in steps:
            self._step(step)
        return self._tally

    def _step(self, step: Step) -> None:
        tally = self._tally
        tally.steps += 1
        for place, event in enumerate(step.events):
            action = step.action if place == 0 else None
            self._referee.judge(event, action)
            paid = self._paid(event)
            self._see(Moment(event, action, self._referee.books, paid))
            self._probe(event)
            self._referee.note(event)
            tally.events[type(event).__name__] += 1
        self._laws.check(step)
        self._referee.rest(step)
        self._try_actions(step.after)

    def _paid(self, event: Event) -> tuple[Line, ...]:
        if not isinstance(event, Won | Ended):
            return ()
        paid = pay(self._balances, event.payments)
        self._balances = paid.balances
        return paid.lines

    def _see(self, moment: Moment) -> None:
        self._tally.rows.update(self._clauses.exercised(moment))

    def _probe(self, event: Event) -> None:
        if not isinstance(event, Won) or self._referee.books.offered:
            return
        for winner in event.winners:
            for what in contradictions.probe(self._referee.books, event, winner):
                self._see(Moment(Probed(what), None, self._referee.books))

    def _try_actions(self, state: State) -> None:
        drawn = self._chance.random()
        if drawn < self._zeal.options:
            candidates.check_options(state)
        if drawn < self._zeal.everything:
            self._try(state, candidates.candidates(state.ruleset.seat_count))
        elif drawn < self._zeal.claims:
            self._try(state, candidates.claims(state))

    def _try(self, state: State, actions: Sequence[Action]) -> None:
        met = Counter(candidates.check(state, actions))
        self._tally.tried += met.total()
        for refused, times in met.items():
            self._tally.refusals[refused.reason] += times
            for row in self._clauses.exercised(Moment(refused, None, self._referee.books)):
                self._tally.rows[row] += times
