"""Money at one table, recomputed from its log: what the rules ask, what was paid, what everybody has."""

from collections.abc import Iterable, Sequence

from cardroom.mahjong.v1 import event_pb2 as mahjong_pb2
from cardroom.table.v1 import event_pb2

from games.kernel import Payment, pay

Asked = tuple[int, int | None, int, str]
"""Payer, payee (None: the system), units, cause."""


class MoneyCheck:
    """Takes the entries of a table's log in order; `faults` says in words where money went another way (PF-51).

    Attributes:
        balances: one a seat, after everything seen; None before a deal.
        faults: empty if all is right.
    """

    def __init__(self) -> None:
        self.balances: tuple[int, ...] | None = None
        self.faults: list[str] = []
        self._total = 0
        self._asked: list[Asked] = []
        self._complete = False

    def resume(self, balances: Sequence[int]) -> None:
        """Begin in the middle of a deal, with what every seat has now."""
        self.balances = tuple(balances)
        self._total = sum(balances)
        self._complete = False  # what the rules asked before is not known here

    def take(self, event: event_pb2.TableEvent) -> None:
        """Take one entry."""
        kind = event.WhichOneof("kind")
        if kind == "deal_started":
            self.resume(_in_seat_order(event.deal_started.balances))
            self._complete = True
        elif kind == "mahjong":
            self._asked += asked_by(event.mahjong)
        elif kind == "payments_due":
            self._due(event.payments_due)
        elif kind == "payments_made":
            self._made(event.payments_made)
        elif kind == "deal_settled":
            self._settled(event.deal_settled)

    def _due(self, due: event_pb2.PaymentsDue) -> None:
        wanted = [_row(payment) for payment in due.payments]
        expected, self._asked = self._asked[: len(wanted)], self._asked[len(wanted) :]
        if self._complete and wanted != expected:
            self.faults.append(f"settlement {due.settlement_seq} asks {wanted}, the rules {expected}")

    def _made(self, made: event_pb2.PaymentsMade) -> None:
        if self.balances is None:
            self.faults.append(f"settlement {made.settlement_seq} before any deal")
            return
        payments = [Payment(*_row(payment)) for payment in made.payments]
        result = pay(self.balances, payments)
        if [line.paid for line in result.lines] != [payment.paid for payment in made.payments]:
            self.faults.append(f"settlement {made.settlement_seq} paid other amounts than the kernel's pay")
        if result.balances != _in_seat_order(made.balances):
            self.faults.append(f"settlement {made.settlement_seq} left other balances than its payments")
        self.balances = _in_seat_order(made.balances)

    def _settled(self, settled: event_pb2.DealSettled) -> None:
        balances = _in_seat_order(settled.balances)
        if self._complete and self._asked:
            self.faults.append(f"never settled: {self._asked}")
        if balances != self.balances:
            self.faults.append(f"the deal's last balances are {balances}, its settlements lead to {self.balances}")
        if sum(balances) != self._total:
            self.faults.append(f"{self._total} units came to the table, {sum(balances)} left it")


def asked_by(event: mahjong_pb2.Event) -> list[Asked]:
    """What one event of the game asks, in order."""
    if event.HasField("won"):
        return [_asked(payment) for winner in event.won.winners for payment in winner.payments]
    if event.HasField("ended"):
        return [_asked(payment) for payment in event.ended.payments]
    return []


def _asked(payment: mahjong_pb2.Payment) -> Asked:
    return (payment.payer_seat, payment.payee_seat, payment.amount, payment.cause)


def _row(payment: event_pb2.TablePayment) -> Asked:
    payee = payment.payee_seat if payment.HasField("payee_seat") else None
    return (payment.payer_seat, payee, payment.asked, payment.cause)


def _in_seat_order(rows: Iterable[event_pb2.SeatBalance]) -> tuple[int, ...]:
    return tuple(row.balance for row in sorted(rows, key=lambda row: row.seat))
