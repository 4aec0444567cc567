"""A row of the coverage tables: a facet of a rule, and the predicate that sees it come to pass.

Whether a rule is kept is judged elsewhere (`referee.py`, `laws.py`); a row only says that it came to pass.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from games.kernel import Reason
from tests.sim.moments import Moment
from tests.sim.seen import Seen


@dataclass(frozen=True, slots=True)
class Row:
    """A facet of a rule, the kind of happening that can exercise it, and the predicate that sees it."""

    rule: str
    facet: str
    kind: type
    seen: Seen


@dataclass(frozen=True)
class Clauses:
    """What a variant's simulation has to exercise.

    Attributes:
        rows: one a facet.
        not_here: rules of the page that no deal of this variant can show, and why.
        no_such_event: events of the family that do not happen in this game, and why.
        no_such_refusal: refusals that no action can meet in this game, and why.
    """

    rows: Sequence[Row]
    not_here: Mapping[str, str]
    no_such_event: Mapping[str, str]
    no_such_refusal: Mapping[Reason, str]

    def exercised(self, moment: Moment) -> list[int]:
        """Rows that a moment exercises, by their place."""
        return [place for place, row in self._rows_of_kind.get(type(moment.event), ()) if row.seen(moment)]

    @cached_property
    def _rows_of_kind(self) -> dict[type, list[tuple[int, Row]]]:
        found: dict[type, list[tuple[int, Row]]] = {}
        for place, row in enumerate(self.rows):
            found.setdefault(row.kind, []).append((place, row))
        return found
