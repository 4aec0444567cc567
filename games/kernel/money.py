"""Money as the rules see it: who asks whom for how much, and what a short payer pays."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from games.kernel.game import Seat

SYSTEM: None = None
"""The payee of penalties."""


@dataclass(frozen=True, slots=True)
class Group:
    """Payments that share a shortfall equally (PF-52): one payer's, to different payees, side by side.

    Attributes:
        number: tells the groups of a settlement apart, 1 or more.
        remainder_to: payee that gets the odd unit first; None for the order given.
    """

    number: int
    remainder_to: Seat | None = None


@dataclass(frozen=True, slots=True)
class Payment:
    """Money asked for.

    Attributes:
        payer: who pays.
        payee: who is paid; None is the system, which only receives penalties (PF-54).
        amount: whole units of the room's asset, above zero.
        cause: "win", "rain", "check", "liability" or "penalty".
        group: with whom it shares a shortfall; None for nobody: then who is first is paid first.
    """

    payer: Seat
    payee: Seat | None
    amount: int
    cause: str
    group: Group | None = None

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
    """Carry out payments in order; each moves at most what its payer has left (PF-51, PF-52).

    Args:
        balances: one a seat, none negative.
        payments: in order; money won by an earlier one may pay a later one. Those of one
            group move together.
    """
    left = list(balances)
    assert all(amount >= 0 for amount in left), left
    system = 0
    lines = []
    for together in _steps(payments):
        payer, group = together[0].payer, together[0].group
        first = None if group is None else group.remainder_to
        order = sorted(range(len(together)), key=lambda place: first is not None and together[place].payee != first)
        amounts = shared([payment.amount for payment in together], left[payer], order)
        for payment, paid in zip(together, amounts, strict=True):
            left[payer] -= paid
            if payment.payee is None:
                system += paid
            else:
                left[payment.payee] += paid
            lines.append(Line(payment, paid))
    return Paid(tuple(lines), tuple(left), system)


def _steps(payments: Sequence[Payment]) -> list[tuple[Payment, ...]]:
    """The payments as they move: a group at a time, others one by one."""
    steps: list[tuple[Payment, ...]] = []
    for group, members in groupby(payments, key=lambda payment: payment.group):
        together = tuple(members)
        if group is None:
            steps += [(payment,) for payment in together]
            continue
        payees = {payment.payee for payment in together}
        assert len({payment.payer for payment in together}) == 1 and len(payees) == len(together), together
        assert group.remainder_to is None or group.remainder_to in payees, together
        steps.append(together)
    numbers = [step[0].group.number for step in steps if step[0].group is not None]
    assert len(set(numbers)) == len(numbers), "a group's payments stand side by side"
    return steps


def shared(asks: Sequence[int], available: int, order: Sequence[int]) -> list[int]:
    """What each of the asks gets of what there is: the same for all, nobody more than he asks (PF-52).

    Args:
        asks: units, 0 or more.
        available: units to share, 0 or more.
        order: places in `asks`, the first to get an odd unit first.
    """
    got = [0] * len(asks)
    open_places = sorted(range(len(asks)), key=lambda place: asks[place])
    for index, place in enumerate(open_places):
        each = available // (len(asks) - index)
        if asks[place] > each:
            break
        got[place] = asks[place]
        available -= asks[place]
    short = [place for place in order if got[place] < asks[place]]
    for rank, place in enumerate(short):
        got[place] = available // len(short) + (rank < available % len(short))
    return got
