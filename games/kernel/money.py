"""Money as the rules see it: who asks whom for how much, and what a short payer pays."""

from collections.abc import Sequence
from dataclasses import dataclass

from games.kernel.game import Seat

SYSTEM: None = None
"""The payee of penalties."""


@dataclass(frozen=True, slots=True)
class Payment:
    """Money asked for.

    Attributes:
        payer: who pays.
        payee: who is paid; None is the system, which only receives penalties (PF-54).
        amount: whole units of the room's asset, above zero.
        cause: "win", "rain", "check", "liability" or "penalty".
    """

    payer: Seat
    payee: Seat | None
    amount: int
    cause: str

    def __post_init__(self) -> None:
        assert self.amount > 0, self
        assert self.payer != self.payee, self


@dataclass(frozen=True, slots=True)
class Line:
    """What became of one payment: `paid` is at most what was asked (PF-51)."""

    payment: Payment
    paid: int


@dataclass(frozen=True, slots=True)
class Paid:
    """An ordered settlement carried out.

    Attributes:
        lines: one a payment, in order.
        balances: one a seat, after all of them.
        system: what the system received.
    """

    lines: tuple[Line, ...]
    balances: tuple[int, ...]
    system: int


def pay(balances: Sequence[int], payments: Sequence[Payment]) -> Paid:
    """Carry out payments in order; each moves at most what its payer has left (PF-51).

    Args:
        balances: one a seat, none negative.
        payments: in order; money won by an earlier one may pay a later one.
    """
    left = list(balances)
    assert all(amount >= 0 for amount in left), left
    system = 0
    lines = []
    for payment in payments:
        paid = min(payment.amount, left[payment.payer])
        left[payment.payer] -= paid
        if payment.payee is None:
            system += paid
        else:
            left[payment.payee] += paid
        lines.append(Line(payment, paid))
    return Paid(tuple(lines), tuple(left), system)
