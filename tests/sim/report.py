"""The table of a simulation: how often each kind of event, each refusal and each facet of a rule came to pass."""

from collections.abc import Iterator
from typing import get_args

from games.kernel import Reason
from games.mahjong.events import Event
from tests.sim.clauses.of import CLAUSES
from tests.sim.watch import Tally


def event_kinds(variant_id: str) -> list[str]:
    """Kinds of events that happen in this game."""
    absent = CLAUSES[variant_id].no_such_event
    return [kind.__name__ for kind in get_args(Event) if kind.__name__ not in absent]


def reasons(variant_id: str) -> list[Reason]:
    """Refusals that an action can meet in this game."""
    return [reason for reason in Reason if reason not in CLAUSES[variant_id].no_such_refusal]


def report(variant_id: str, tally: Tally) -> Iterator[str]:
    """The table, line by line."""
    clauses = CLAUSES[variant_id]
    yield ""
    yield "events"
    yield from (f"{tally.events[kind]:>9}  {kind}" for kind in event_kinds(variant_id))
    yield from (f"        -  {kind}: {why}" for kind, why in clauses.no_such_event.items())
    yield ""
    yield "refusals"
    yield from (f"{tally.refusals[reason]:>9}  {reason}" for reason in reasons(variant_id))
    yield from (f"        -  {reason}: {why}" for reason, why in clauses.no_such_refusal.items())
    yield ""
    yield "rules"
    yield from (f"{tally.rows[place]:>9}  {row.rule:<6} {row.facet}" for place, row in enumerate(clauses.rows))
    yield from (f"        -  {rule:<6} {why}" for rule, why in clauses.not_here.items())
    yield ""


def zeros(variant_id: str, tally: Tally) -> list[str]:
    """What never came to pass."""
    rows = enumerate(CLAUSES[variant_id].rows)
    return [
        *(f"event {kind}" for kind in event_kinds(variant_id) if not tally.events[kind]),
        *(f"refusal {reason}" for reason in reasons(variant_id) if not tally.refusals[reason]),
        *(f"{row.rule} {row.facet}" for place, row in rows if not tally.rows[place]),
    ]
