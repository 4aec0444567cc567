"""Questions about cards on the wire, and the answers."""

from collections.abc import Sequence

from cardroom.landlord.v1 import event_pb2
from cardroom.scoring.v1 import scoring_pb2

from games.landlord.cards import RANK_NAMES, show
from games.landlord.combinations import Reading
from games.landlord.events import Event
from games.landlord.replay import MAX_EVENTS
from games.landlord.scoring import HeldPlay
from services.scoring.app.card_questions import CardsQuery, ListedPlays, ReadCards, ReadingQuery
from services.scoring.app.card_settlement import (
    RECORD,
    CardsReplayed,
    CardsSettled,
)
from services.scoring.app.settlement import SettledPayment
from services.scoring.edge.records import Records
from wire.landlord import event_from_proto


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


CARD_RECORDS: Records[event_pb2.Event, Event] = Records(RECORD, MAX_EVENTS, event_from_proto)
"""Records of card deals."""


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
