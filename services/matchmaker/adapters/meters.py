"""What the matchmaker measures."""

from services.matchmaker.ports import MatchStep
from serving.metrics import BoundChildren, Metrics


class PrometheusMeters:
    """The port `Meters`."""

    def __init__(self, metrics: Metrics) -> None:
        self._waiting = BoundChildren(
            metrics.gauge(
                "cardroom_queue_waiting",
                "Tickets that wait; every replica reports the whole queue. Rises where pods have no free slot.",
                ("room",),
            )
        )
        self._matches = BoundChildren(
            metrics.counter("cardroom_matches_total", "Matches that came to their end.", ("outcome",))
        )
        self._fills = BoundChildren(
            metrics.counter("cardroom_bot_fills_total", "Tables that bots were to fill.", ("outcome",))
        )
        self._attempts = BoundChildren(
            metrics.counter("cardroom_create_table_total", "Pods asked for a table.", ("outcome",))
        )

    def queue_waiting(self, room_id: str, count: int) -> None:
        """Tickets that wait in a room now."""
        self._waiting[room_id].set(count)

    def match_ended(self, step: MatchStep) -> None:
        """A match came to its end: SEATED or PUT_BACK."""
        self._matches[step.value].inc()

    def filled(self, outcome: str) -> None:
        """Bots were to fill a table."""
        self._fills[outcome].inc()

    def create_attempt(self, outcome: str) -> None:
        """A pod was asked for a table."""
        self._attempts[outcome].inc()
