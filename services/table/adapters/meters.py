"""What a pod's tables do, as metrics. No label holds a player, table or deal."""

from services.table.app.checking import Outcome
from services.table.model.clocks import ClockName
from services.table.model.state import Stage
from serving.metrics import Metrics


class TableMeters:
    """`Meters` in a service's registry."""

    def __init__(self, metrics: Metrics, slots: int) -> None:
        """`slots`: tables at most; scale on used / total."""
        self._moves = metrics.counter("cardroom_table_moves_total", "Moves stored and shown.")
        self._append_seconds = metrics.histogram("cardroom_table_append_seconds", "Appends to tables' logs.")
        self._settle_seconds = metrics.histogram("cardroom_table_settle_seconds", "Settlements at the ledger.")
        timeouts = metrics.counter("cardroom_table_timeouts_total", "Clocks that ran out.", ("clock",))
        self._timeouts = {name: timeouts.labels(name) for name in ClockName}
        self._quarantines = metrics.counter("cardroom_table_quarantines_total", "Tables stopped by a fault.")
        checks = metrics.counter(
            "cardroom_table_checks_total", "Wins and deals compared with scoring, or left unchecked.", ("outcome",)
        )
        self._checks = {outcome: checks.labels(outcome) for outcome in Outcome}
        self._archived = metrics.counter("cardroom_table_archived_total", "Logs archived and out of the store.")
        self._viewers = metrics.gauge("cardroom_table_viewers", "Streams of viewers.")
        tables = metrics.gauge("cardroom_table_tables", "Tables on this pod.", ("state",))
        self._tables = {stage: tables.labels(stage) for stage in Stage}
        self._slots_used = metrics.gauge("cardroom_table_slots_used", "Tables on this pod.")
        metrics.gauge("cardroom_table_slots_total", "Tables this pod takes at most.").set(slots)

    def moved(self) -> None:
        """See `Meters`."""
        self._moves.inc()

    def appended(self, seconds: float) -> None:
        """The store has answered an append."""
        self._append_seconds.observe(seconds)

    def settled(self, seconds: float) -> None:
        """See `Meters`."""
        self._settle_seconds.observe(seconds)

    def compared(self, outcome: str) -> None:
        """See `Meters`."""
        self._checks[Outcome(outcome)].inc()

    def ran_out(self, clock: str) -> None:
        """See `Meters`."""
        self._timeouts[ClockName(clock)].inc()

    def quarantined(self) -> None:
        """See `Meters`."""
        self._quarantines.inc()

    def archived(self) -> None:
        """See `Meters`."""
        self._archived.inc()

    def staged(self, before: str | None, after: str | None) -> None:
        """See `Meters`."""
        if before is not None:
            self._tables[Stage(before)].dec()
        if after is not None:
            self._tables[Stage(after)].inc()
        self._slots_used.inc((after is not None) - (before is not None))

    def watched(self, change: int) -> None:
        """See `Meters`."""
        self._viewers.inc(change)
