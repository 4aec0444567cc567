"""Counting: one registry a service, rate, errors and duration of every call."""

from collections.abc import Sequence
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

_UNBOUNDED = frozenset(
    {"player", "player_id", "subject", "table", "table_id", "ticket", "ticket_id", "deal", "deal_id"}
)
_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_CALL = ("service", "method")


class CallMeter:
    """The metrics of one method, bound once so that a call does not look labels up."""

    __slots__ = ("_by_code", "_handled", "_in_flight", "_method", "_seconds", "_service")

    def __init__(self, handled: Counter, seconds: Histogram, in_flight: Gauge, service: str, method: str) -> None:
        self._handled = handled
        self._service = service
        self._method = method
        self._seconds = seconds.labels(service, method)
        self._in_flight = in_flight.labels(service, method)
        self._by_code: dict[str, Counter] = {}

    def begin(self) -> None:
        """A call comes in."""
        self._in_flight.inc()

    def end(self, code: str, seconds: float) -> None:
        """A call ends with a canonical code's name after this many seconds."""
        self._in_flight.dec()
        self._seconds.observe(seconds)
        counter = self._by_code.get(code)
        if counter is None:
            counter = self._by_code[code] = self._handled.labels(self._service, self._method, code)
        counter.inc()


class BoundChildren(dict[str, Any]):
    """The children of a metric with one label, by its value; each is bound once, when it is first used."""

    def __init__(self, metric: Counter | Gauge) -> None:
        super().__init__()
        self._metric = metric

    def __missing__(self, value: str) -> Any:
        child = self[value] = self._metric.labels(value)
        return child


class Metrics:
    """A service's metrics. ``registry`` is what GET /metrics shows.

    Names begin with ``cardroom_``. A label never holds a player, table, ticket or deal: series must not grow with them.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._handled = self.counter("cardroom_rpc_handled_total", "Calls that ended.", (*_CALL, "code"))
        self._seconds = self.histogram("cardroom_rpc_seconds", "Duration of calls.", _CALL)
        self._in_flight = self.gauge("cardroom_rpc_in_flight", "Calls that run.", _CALL)
        self._refusals = BoundChildren(self.counter("cardroom_refusals_total", "Calls that were refused.", ("reason",)))

    def call_meter(self, service: str, method: str) -> CallMeter:
        """The bound metrics of one method; ask once a method, not once a call."""
        return CallMeter(self._handled, self._seconds, self._in_flight, service, method)

    def refused(self, reason: str) -> None:
        """Count a refusal by its reason."""
        self._refusals[reason].inc()

    def counter(self, name: str, text: str, labels: Sequence[str] = ()) -> Counter:
        """A new counter in this registry. Raises: ValueError: a name or label that is not allowed."""
        return Counter(_named(name), text, _bounded(labels), registry=self.registry)

    def gauge(self, name: str, text: str, labels: Sequence[str] = ()) -> Gauge:
        """A new gauge in this registry. Raises: ValueError: a name or label that is not allowed."""
        return Gauge(_named(name), text, _bounded(labels), registry=self.registry)

    def histogram(
        self, name: str, text: str, labels: Sequence[str] = (), buckets: Sequence[float] = _SECONDS
    ) -> Histogram:
        """A new histogram in this registry. Raises: ValueError: a name or label that is not allowed."""
        return Histogram(_named(name), text, _bounded(labels), registry=self.registry, buckets=buckets)


def _named(name: str) -> str:
    if not name.startswith("cardroom_"):
        raise ValueError(f"metric {name!r} does not begin with cardroom_")
    return name


def _bounded(labels: Sequence[str]) -> Sequence[str]:
    unbounded = _UNBOUNDED.intersection(labels)
    if unbounded:
        raise ValueError(f"labels without bound: {sorted(unbounded)}")
    return labels
