"""Questions about cards on the wire, and the answers."""

from collections.abc import Sequence

from cardroom.landlord.v1 import event_pb2
from cardroom.scoring.v1 import scoring_pb2

from games.catalog import UnknownVariant
from games.kernel import OptionError, RecordError
from games.landlord.cards import RANK_NAMES, show
from games.landlord.combinations import Reading
from games.landlord.events import Event
from games.landlord.scoring import HeldPlay
from refusals import Reason, Refusal
from services.scoring.app.card_questions import CardsQuery, ListedPlays, ReadCards, ReadingQuery
from services.scoring.app.card_settlement import (
    RECORD,
    CardsReplayed,
    CardsSettled,
    bad_card_record,
    check_card_record_length,
)
from services.scoring.app.rulesets import unknown_ruleset
from services.scoring.app.settlement import SettledPayment
from wire.landlord import event_from_proto
from wire.words import WireError


def cards_query(request: scoring_pb2.ReadCardsRequest | scoring_pb2.ListPlaysRequest) -> CardsQuery:
    """The cards of a request."""
    return CardsQuery(request.card_ids, request.cards)


def last_play(request: scoring_pb2.ReadCardsRequest | scoring_pb2.ListPlaysRequest) -> ReadingQuery | None:
    """The play to beat, if one is named."""
    if not request.HasField("last"):
        return None
    return ReadingQuery(request.last.kind, request.last.rank, request.last.count)


def cards_response(read: ReadCards) -> scoring_pb2.ReadCardsResponse:
    """The readings of a set of cards on the wire."""
    return scoring_pb2.ReadCardsResponse(
        variant=read.rules.variant, version=read.rules.version, readings=map(_reading, read.readings)
    )


def plays_response(listed: ListedPlays) -> scoring_pb2.ListPlaysResponse:
    """The plays of a hand on the wire."""
    return scoring_pb2.ListPlaysResponse(
        variant=listed.rules.variant,
        version=listed.rules.version,
        plays=map(_held_play, listed.plays),
        play_count=listed.count,
    )


def _reading(reading: Reading) -> scoring_pb2.CardReading:
    return scoring_pb2.CardReading(kind=reading.kind, rank=RANK_NAMES[reading.rank], count=reading.count)


def _held_play(play: HeldPlay) -> scoring_pb2.HeldPlay:
    return scoring_pb2.HeldPlay(card_ids=play.cards, cards=show(play.cards), reading=_reading(play.reading))


def card_events_of(messages: Sequence[event_pb2.Event]) -> tuple[Event, ...]:
    """The events of a record, one a message.

    Raises:
        Refusal: RECORD_INVALID: one stands for nothing; RULESET_UNKNOWN: it opens by rules there are not.
    """
    check_card_record_length(len(messages))
    return tuple(_event(index, message) for index, message in enumerate(messages))


def readable_card_events_of(messages: Sequence[event_pb2.Event]) -> tuple[tuple[Event, ...], RecordError | None]:
    """The events before the first that stands for nothing, and what is wrong with that one.

    Raises:
        Refusal: RECORD_INVALID: longer than any deal; RULESET_UNKNOWN: it opens by rules there are not.
    """
    check_card_record_length(len(messages))
    events: list[Event] = []
    for index, message in enumerate(messages):
        try:
            events.append(_event(index, message))
        except Refusal as refusal:
            if refusal.reason is not Reason.RECORD_INVALID:
                raise
            return tuple(events), RecordError(index, refusal.detail, refusal.rule or "")
    return tuple(events), None


def _event(index: int, message: event_pb2.Event) -> Event:
    try:
        return event_from_proto(message)
    except WireError as error:
        raise bad_card_record(index, error.detail, part=error.field) from None
    except UnknownVariant:
        raise unknown_ruleset(f"{RECORD}[{index}].opened.variant", "no variant has this id") from None
    except OptionError as error:
        raise bad_card_record(index, error.detail, part="opened.options") from None


def settle_cards_response(settled: CardsSettled) -> scoring_pb2.SettleDealResponse:
    """A deal's money on the wire."""
    return scoring_pb2.SettleDealResponse(
        variant=settled.rules.variant,
        version=settled.rules.version,
        payments=map(_payment, settled.payments),
        balances=settled.balances,
        next_dealer=settled.next_dealer,
        point_payments=map(_payment, settled.point_payments),
        points=settled.points,
    )


def replay_cards_response(
    messages: Sequence[event_pb2.Event], replayed: CardsReplayed
) -> scoring_pb2.ReplayDealResponse:
    """Whether a record is what the rules say, on the wire."""
    response = scoring_pb2.ReplayDealResponse(matched_count=replayed.matched_count)
    if replayed.rules is not None:
        response.variant, response.version = replayed.rules.variant, replayed.rules.version
    fault = replayed.fault
    if fault is not None:
        response.difference.event_index = fault.index
        response.difference.detail = fault.detail
        response.difference.rule = fault.rule
        if fault.index < len(messages):
            response.difference.event = messages[fault.index].WhichOneof("kind") or ""
    return response


def _payment(row: SettledPayment) -> scoring_pb2.SettledPayment:
    group = row.payment.group
    return scoring_pb2.SettledPayment(
        payer_seat=row.payment.payer,
        payee_seat=row.payment.payee,
        asked=row.payment.amount,
        paid=row.paid,
        cause=row.payment.cause,
        event_index=row.event_index,
        group_id=0 if group is None else group.number,
        remainder_to_seat=None if group is None else group.remainder_to,
    )
