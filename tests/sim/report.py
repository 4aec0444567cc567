"""The table of a simulation: how often each kind of event, each refusal and each facet of a rule came to pass."""

from collections.abc import Iterator
from typing import get_args

from games.kernel import Reason
from games.mahjong.events import Event
from tests.sim.candidates import CANNOT_BE_GIVEN
from tests.sim.clauses import NOT_HERE, ROWS
from tests.sim.watch import Tally

NO_SUCH_EVENT = {
    "Declared": "报叫 is for six players (BB-18)",
    "Began": "no flowers (BB-1)",
    "Flowered": "no flowers (BB-1)",
    "Declined": "no flowers (BB-1)",
}
"""Events of the family that do not happen in this game, and why."""

EVENT_KINDS = tuple(kind.__name__ for kind in get_args(Event) if kind.__name__ not in NO_SUCH_EVENT)
REASONS = tuple(reason for reason in Reason if reason not in CANNOT_BE_GIVEN)


def report(tally: Tally) -> Iterator[str]:
    """The table, line by line."""
    yield ""
    yield "events"
    yield from (f"{tally.events[kind]:>9}  {kind}" for kind in EVENT_KINDS)
    yield from (f"        -  {kind}: {why}" for kind, why in NO_SUCH_EVENT.items())
    yield ""
    yield "refusals"
    yield from (f"{tally.refusals[reason]:>9}  {reason}" for reason in REASONS)
    yield from (f"        -  {reason}: {why}" for reason, why in CANNOT_BE_GIVEN.items())
    yield ""
    yield "rules"
    yield from (f"{tally.rows[place]:>9}  {row.rule:<6} {row.facet}" for place, row in enumerate(ROWS))
    yield from (f"        -  {rule:<6} {why}" for rule, why in NOT_HERE.items())
    yield ""


def zeros(tally: Tally) -> list[str]:
    """What never came to pass."""
    return [
        *(f"event {kind}" for kind in EVENT_KINDS if not tally.events[kind]),
        *(f"refusal {reason}" for reason in REASONS if not tally.refusals[reason]),
        *(f"{row.rule} {row.facet}" for place, row in enumerate(ROWS) if not tally.rows[place]),
    ]
