"""Money at one table, recomputed from its log: what the rules ask, what was paid, what everybody has."""

from collections.abc import Iterable, Sequence

from cardroom.landlord.v1 import event_pb2 as landlord_pb2
from cardroom.mahjong.v1 import event_pb2 as mahjong_pb2
from cardroom.table.v1 import event_pb2

from games.kernel import Group, Payment, pay

Asked = tuple[int, int | None, int, str, int, int | None]
"""Payer, payee (None: the system), units, cause, group (0 for none) and who of it gets the odd unit."""


class MoneyCheck:
    """Takes the entries of a table's log in order; `faults` says in words where money went another way (PF-51).

    Attributes:
        balances: one a seat, after everything seen; None before a deal.
        faults: empty if all is right.
    """

    def __init__(self, asset: str = "", *, stake_of_score: int = 0) -> None:
        """The check of one asset.

        Args:
            asset: which settlements are its own; empty for all.
            stake_of_score: where the asset is points beside another (PF-60): the stake that is one point.
        """
        self.asset = asset
        self._stake_of_score = stake_of_score
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
            self.resume(_in_seat_order(self._own(event.deal_started)))
            self._complete = True
        elif kind in ("mahjong", "landlord"):
            self._asked += asked_by(event, self._stake_of_score)
        elif kind == "payments_due" and self.asset in ("", event.payments_due.asset):
            self._due(event.payments_due)
        elif kind == "payments_made" and self.asset in ("", event.payments_made.asset):
            self._made(event.payments_made)
        elif kind == "deal_settled":
            self._settled(event.deal_settled)

    def _own(self, entry: event_pb2.DealStarted | event_pb2.DealSettled) -> Iterable[event_pb2.SeatBalance]:
        return entry.points if self._stake_of_score else entry.balances

    def _due(self, due: event_pb2.PaymentsDue) -> None:
        wanted = [_row(payment) for payment in due.payments]
        expected, self._asked = self._asked[: len(wanted)], self._asked[len(wanted) :]
        if self._complete and wanted != expected:
            self.faults.append(f"settlement {due.settlement_seq} asks {wanted}, the rules {expected}")

    def _made(self, made: event_pb2.PaymentsMade) -> None:
        if self.balances is None:
            self.faults.append(f"settlement {made.settlement_seq} before any deal")
            return
        payments = [_payment(_row(payment)) for payment in made.payments]
        result = pay(self.balances, payments)
        if [line.paid for line in result.lines] != [payment.paid for payment in made.payments]:
            self.faults.append(f"settlement {made.settlement_seq} paid other amounts than the kernel's pay")
        if result.balances != _in_seat_order(made.balances):
            self.faults.append(f"settlement {made.settlement_seq} left other balances than its payments")
        self.balances = _in_seat_order(made.balances)

    def _settled(self, settled: event_pb2.DealSettled) -> None:
        balances = _in_seat_order(self._own(settled))
        if self._complete and self._asked:
            self.faults.append(f"never settled: {self._asked}")
        if balances != self.balances:
            self.faults.append(f"the deal's last balances are {balances}, its settlements lead to {self.balances}")
        if sum(balances) != self._total:
            self.faults.append(f"{self._total} units came to the table, {sum(balances)} left it")


def asked_by(event: event_pb2.TableEvent, stake_of_score: int = 0) -> list[Asked]:
    """What one event of a game asks, in order: of the room's asset, or, with a stake, of points beside it (PF-60)."""
    if event.HasField("landlord"):
        ended = event.landlord.ended
        return [_asked_cards(payment) for payment in (ended.point_payments if stake_of_score else ended.payments)]
    payments = _payments_of(event.mahjong)
    if not stake_of_score:
        return [_asked(payment) for payment in payments]
    return [_asked(payment, stake_of_score) for payment in payments if payment.HasField("payee_seat")]


def _payments_of(event: mahjong_pb2.Event) -> Iterable[mahjong_pb2.Payment]:
    if event.HasField("won"):
        return [payment for winner in event.won.winners for payment in winner.payments]
    return event.ended.payments


def _asked(payment: mahjong_pb2.Payment, stake: int = 1) -> Asked:
    payee = payment.payee_seat if payment.HasField("payee_seat") else None
    return (payment.payer_seat, payee, payment.amount // stake, payment.cause, 0, None)


def _asked_cards(payment: landlord_pb2.Payment) -> Asked:
    payee = payment.payee_seat if payment.HasField("payee_seat") else None
    first = payment.remainder_to_seat if payment.HasField("remainder_to_seat") else None
    return (payment.payer_seat, payee, payment.amount, payment.cause, payment.group, first)


def _row(payment: event_pb2.TablePayment) -> Asked:
    payee = payment.payee_seat if payment.HasField("payee_seat") else None
    first = payment.remainder_to_seat if payment.HasField("remainder_to_seat") else None
    return (payment.payer_seat, payee, payment.asked, payment.cause, payment.group_id, first)


def _payment(row: Asked) -> Payment:
    payer, payee, amount, cause, group, first = row
    return Payment(payer, payee, amount, cause, Group(group, first) if group else None)


def _in_seat_order(rows: Iterable[event_pb2.SeatBalance]) -> tuple[int, ...]:
    return tuple(row.balance for row in sorted(rows, key=lambda row: row.seat))
