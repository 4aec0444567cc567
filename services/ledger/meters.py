"""What the ledger counts; alerts hang on these (docs/operating-the-ledger.md)."""

from prometheus_client import Gauge

from services.ledger.app.fold import BooksState
from services.ledger.values import FUNDS, ISSUANCE, Totals
from serving.metrics import Metrics

_BATCH_SIZES = (1, 2, 4, 8, 16, 32, 64)
_ASSET = ("asset",)


class LedgerMeters:
    """The ledger's metrics. Labels are assets and funds, which are few."""

    def __init__(self, metrics: Metrics) -> None:
        def gauge(name: str, text: str, labels: tuple[str, ...] = _ASSET) -> Gauge:
            return metrics.gauge(f"cardroom_ledger_{name}", text, labels)

        self._batches = metrics.histogram(
            "cardroom_ledger_batch_calls", "Calls sent to the store together.", (), _BATCH_SIZES
        )
        self.store_durable = gauge("store_durable", "Whether the store keeps every write.", ())
        self.books_open = gauge("books_open", "Whether the books take changes; 0: entries are lost.")
        self.books_right = gauge("books_right", "Whether the last check found the books right.")
        self.checked_at = gauge("books_checked_timestamp_seconds", "When the books were checked last.")
        self.journal_number = gauge("journal_number", "Number of the journal's last entry.")
        self.archived_number = gauge("archived_number", "Number of the last entry in the archive.")
        self.archive_right = gauge("archive_right", "Whether the last copy to the archive went well.")
        self.supply = gauge("supply_units", "Units brought into being.")
        self.fund = gauge("fund_units", "What is left of a fund.", ("fund", "asset"))
        self.store_durable.set(1)

    def batch(self, size: int) -> None:
        """A batch was sent."""
        self._batches.observe(size)

    def begin(self, asset: str, now_ms: int) -> None:
        """An asset nothing is wrong with so far; the first check of its books is waited for from now on."""
        self.checked_at.labels(asset).set(now_ms / 1000)
        for each in (self.books_open, self.books_right, self.archive_right):
            each.labels(asset).set(1)

    def checked(self, asset: str, state: BooksState, now_ms: int) -> None:
        """The books were checked."""
        self.books_right.labels(asset).set(int(not state.faults))
        self.checked_at.labels(asset).set(now_ms / 1000)

    def totals(self, asset: str, totals: Totals) -> None:
        """What an asset comes to now."""
        self.journal_number.labels(asset).set(totals.head.number)
        self.supply.labels(asset).set(-totals.system[ISSUANCE])
        for fund in FUNDS:
            self.fund.labels(fund, asset).set(totals.system[fund])
        if totals.wrong:
            self.books_right.labels(asset).set(0)
