"""The demonstration's own sums: each way money can go astray at a table is noticed (PF-50, PF-51)."""

from collections.abc import Callable, Sequence

import pytest
from cardroom.mahjong.v1 import event_pb2 as mahjong_pb2
from cardroom.table.v1 import event_pb2

from deploy.local.money_check import MoneyCheck

pytestmark = pytest.mark.fast

Log = list[event_pb2.TableEvent]


def rows(balances: Sequence[int]) -> list[event_pb2.SeatBalance]:
    return [event_pb2.SeatBalance(seat=seat, balance=amount) for seat, amount in enumerate(balances)]


def deal() -> Log:
    """Seat 0 wins 8 from seat 1, who has 5, and 8 from seat 2."""
    winner = mahjong_pb2.WinnerResult(
        seat=0,
        payments=[mahjong_pb2.Payment(payer_seat=payer, payee_seat=0, amount=8, cause="win") for payer in (1, 2)],
    )
    payments = [
        event_pb2.TablePayment(payer_seat=1, payee_seat=0, asked=8, paid=5, cause="win"),
        event_pb2.TablePayment(payer_seat=2, payee_seat=0, asked=8, paid=8, cause="win"),
    ]
    return [
        event_pb2.TableEvent(deal_started=event_pb2.DealStarted(balances=rows((10, 5, 20)))),
        event_pb2.TableEvent(mahjong=mahjong_pb2.Event(won=mahjong_pb2.Won(winners=[winner]))),
        event_pb2.TableEvent(payments_due=event_pb2.PaymentsDue(settlement_seq=1, payments=payments)),
        event_pb2.TableEvent(
            payments_made=event_pb2.PaymentsMade(settlement_seq=1, payments=payments, balances=rows((23, 0, 12)))
        ),
        event_pb2.TableEvent(deal_settled=event_pb2.DealSettled(balances=rows((23, 0, 12)))),
    ]


def faults_of(log: Log) -> list[str]:
    check = MoneyCheck()
    for event in log:
        check.take(event)
    return check.faults


def test_a_right_deal_has_no_fault() -> None:
    assert faults_of(deal()) == []


def without_due(log: Log) -> None:
    del log[2:4]
    log[-1].deal_settled.balances[0].balance = 10


def asks_more(log: Log) -> None:
    log[2].payments_due.payments[0].asked = 9


def pays_more(log: Log) -> None:
    log[3].payments_made.payments[0].paid = 8


def keeps_a_unit(log: Log) -> None:
    log[3].payments_made.balances[0].balance = 22


def loses_a_unit_at_the_end(log: Log) -> None:
    log[4].deal_settled.balances[2].balance = 11


@pytest.mark.parametrize("spoil", [without_due, asks_more, pays_more, keeps_a_unit, loses_a_unit_at_the_end])
def test_money_that_goes_another_way_is_a_fault(spoil: Callable[[Log], None]) -> None:
    log = deal()
    spoil(log)
    assert faults_of(log)


def test_a_deal_resumed_in_the_middle_is_checked_from_there() -> None:
    check = MoneyCheck()
    check.resume((10, 5, 20))
    for event in deal()[2:]:
        check.take(event)
    assert check.faults == []
    assert check.balances == (23, 0, 12)
