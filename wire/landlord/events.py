"""Events as messages, both ways, redacted or not."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cardroom.landlord.v1 import event_pb2

from games.kernel import Group, Payment, Seat
from games.landlord import events as happened
from games.landlord.cards import HIDDEN, Card
from games.landlord.events import Event
from games.landlord.ruleset import Ruleset
from games.landlord.variant import LandlordVariant
from wire.landlord.words import (
    END_CAUSES,
    SPRINGS,
    face_down,
    hand_from_proto,
    hand_to_proto,
    hands_from_proto,
    hands_to_proto,
    reading_from_proto,
    reading_to_proto,
)
from wire.options import options_from_struct, options_to_struct
from wire.words import WireError, edition, named


def event_to_proto(event: Event) -> event_pb2.Event:
    """An event as a message."""
    field, write = _WRITERS[type(event)]
    return event_pb2.Event(**{field: write(event)})


def event_from_proto(message: event_pb2.Event) -> Event:
    """The event a message stands for.

    Raises:
        WireError: it stands for none.
        UnknownVariant, OptionError: it opens a deal by rules there are not.
    """
    kind = message.WhichOneof("kind")
    if kind is None:
        raise WireError("event", "no event is set")
    return _READERS[kind](getattr(message, kind))


# --- the opening ----------------------------------------------------------------------------


def _opened_to_proto(event: happened.Opened) -> event_pb2.Opened:
    pack = () if HIDDEN in event.wall else event.wall
    return opening_to_proto(event.ruleset, event.dealer, len(event.wall), pack)


def opening_to_proto(rules: Ruleset, dealer: Seat, card_count: int, pack: Iterable[Card] = ()) -> event_pb2.Opened:
    """What opens a deal as a message; without the pack where it lies face down."""
    return event_pb2.Opened(
        variant=rules.variant,
        rules_version=rules.version,
        options=options_to_struct(dict(rules.options)),
        stake=rules.stake,
        first_bidder=dealer,
        card_count=card_count,
        pack=pack,
    )


def _opened_from_proto(message: event_pb2.Opened) -> happened.Opened:
    rules = ruleset_from_opened(message)
    return happened.Opened(
        rules, message.first_bidder, tuple(message.pack) or face_down(message.card_count, "card_count")
    )


def ruleset_from_opened(message: event_pb2.Opened) -> Ruleset:
    """The rules a deal is played by.

    Raises:
        UnknownVariant, OptionError: there are no such rules.
        WireError: they are another family's, or this version of them is not known here.
    """
    variant = edition(message.variant, message.rules_version)
    if not isinstance(variant, LandlordVariant):
        raise WireError("variant", f"{message.variant} is no game of the landlord family")
    return variant.ruleset(options_from_struct(message.options), message.stake)


# --- money and the end ----------------------------------------------------------------------


def payment_to_proto(payment: Payment) -> event_pb2.Payment:
    """A payment as a message."""
    return event_pb2.Payment(
        payer_seat=payment.payer,
        payee_seat=payment.payee,
        amount=payment.amount,
        cause=payment.cause,
        group=0 if payment.group is None else payment.group.number,
        remainder_to_seat=None if payment.group is None else payment.group.remainder_to,
    )


def payment_from_proto(message: event_pb2.Payment) -> Payment:
    """The payment a message stands for.

    Raises:
        WireError: it stands for none.
    """
    payee = message.payee_seat if message.HasField("payee_seat") else None
    if message.amount <= 0 or message.payer_seat == payee:
        raise WireError("payments", "a payment is above zero and not to oneself")
    group = None
    if message.group:
        group = Group(message.group, message.remainder_to_seat if message.HasField("remainder_to_seat") else None)
    return Payment(message.payer_seat, payee, message.amount, message.cause, group)


def ended_to_proto(event: happened.Ended) -> event_pb2.Ended:
    """The end of a deal as a message."""
    return event_pb2.Ended(
        cause=END_CAUSES[event.cause],
        winners=event.winners,
        escaper_seat=event.escaper,
        spring=SPRINGS[event.spring],
        multiplier=event.multiplier,
        scores=event.scores,
        payments=map(payment_to_proto, event.payments),
        point_payments=map(payment_to_proto, event.point_payments),
        next_first_bidder=event.next_dealer,
        hands=hands_to_proto(event.hands),
        bottom=hand_to_proto(event.bottom),
    )


def ended_from_proto(message: event_pb2.Ended) -> happened.Ended:
    """The end a message stands for.

    Raises:
        WireError: it stands for none.
    """
    return happened.Ended(
        cause=named(END_CAUSES, "cause", message.cause),
        winners=tuple(message.winners),
        escaper=message.escaper_seat if message.HasField("escaper_seat") else None,
        spring=named(SPRINGS, "spring", message.spring),
        multiplier=message.multiplier,
        scores=tuple(message.scores),
        payments=tuple(map(payment_from_proto, message.payments)),
        point_payments=tuple(map(payment_from_proto, message.point_payments)),
        next_dealer=message.next_first_bidder,
        hands=hands_from_proto(message.hands),
        bottom=hand_from_proto(message.bottom),
    )


# --- the tables -----------------------------------------------------------------------------


def _called_to_proto(event: happened.Called) -> event_pb2.Called:
    return event_pb2.Called(seat=event.seat, blind=event.blind, bottom=hand_to_proto(event.bottom))


def _played_to_proto(event: happened.Played) -> event_pb2.Played:
    return event_pb2.Played(seat=event.seat, cards=event.cards, reading=reading_to_proto(event.reading))


def _played_from_proto(message: event_pb2.Played) -> happened.Played:
    return happened.Played(message.seat, tuple(message.cards), reading_from_proto(message.reading, "reading"))


_WRITERS: Mapping[type, tuple[str, Callable[[Any], Any]]] = {
    happened.Opened: ("opened", _opened_to_proto),
    happened.Dealt: (
        "dealt",
        lambda event: event_pb2.Dealt(hands=hands_to_proto(event.hands), bottom=hand_to_proto(event.bottom)),
    ),
    happened.Called: ("called", _called_to_proto),
    happened.Doubled: ("doubled", lambda event: event_pb2.Doubled(seat=event.seat)),
    happened.Redoubled: ("redoubled", lambda event: event_pb2.Redoubled(seat=event.seat)),
    happened.Passed: ("passed", lambda event: event_pb2.Passed(seat=event.seat)),
    happened.BottomTaken: (
        "bottom_taken",
        lambda event: event_pb2.BottomTaken(seat=event.seat, cards=event.cards),
    ),
    happened.Played: ("played", _played_to_proto),
    happened.Ended: ("ended", ended_to_proto),
}
_READERS: Mapping[str, Callable[[Any], Event]] = {
    "opened": _opened_from_proto,
    "dealt": lambda message: happened.Dealt(hands_from_proto(message.hands), hand_from_proto(message.bottom)),
    "called": lambda message: happened.Called(message.seat, message.blind, hand_from_proto(message.bottom)),
    "doubled": lambda message: happened.Doubled(message.seat),
    "redoubled": lambda message: happened.Redoubled(message.seat),
    "passed": lambda message: happened.Passed(message.seat),
    "bottom_taken": lambda message: happened.BottomTaken(message.seat, tuple(message.cards)),
    "played": _played_from_proto,
    "ended": ended_from_proto,
}
