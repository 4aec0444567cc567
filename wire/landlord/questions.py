"""What scoring is asked about a deal of cards: its record, from the opening to the end."""

from collections.abc import Iterable, Sequence

from cardroom.landlord.v1 import event_pb2
from cardroom.scoring.v1 import scoring_pb2

PaymentRow = tuple[str, int, int | None, int, str, int, int | None]
"""What is moved ("asset", "points"), payer, payee (None: the system), units, why, group, who gets its odd unit."""


def deal_question(events: Sequence[event_pb2.Event]) -> scoring_pb2.SettleDealRequest:
    """What a deal's record comes to."""
    return scoring_pb2.SettleDealRequest(landlord_events=events)


def payments_told(events: Iterable[event_pb2.Event]) -> list[PaymentRow]:
    """The payments that a record's events ask for themselves, in order (TY-40..43)."""
    ends = [event.ended for event in events if event.HasField("ended")]
    return [
        (
            *(what, row.payer_seat, row.payee_seat if row.HasField("payee_seat") else None, row.amount, row.cause),
            *(row.group, row.remainder_to_seat if row.HasField("remainder_to_seat") else None),
        )
        for ended in ends
        for what, payments in (("asset", ended.payments), ("points", ended.point_payments))
        for row in payments
    ]


def payments_found(response: scoring_pb2.SettleDealResponse) -> list[PaymentRow]:
    """The payments that scoring finds, in the same form."""
    return [
        (
            *(what, row.payer_seat, row.payee_seat if row.HasField("payee_seat") else None, row.asked, row.cause),
            *(row.group_id, row.remainder_to_seat if row.HasField("remainder_to_seat") else None),
        )
        for what, payments in (("asset", response.payments), ("points", response.point_payments))
        for row in payments
    ]
