"""Messages of ``cardroom.scoring.v1`` to the service's questions, and its answers back."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from cardroom.mahjong.v1 import event_pb2
from cardroom.scoring.v1 import scoring_pb2

from games.kernel import OptionError
from games.mahjong.asking import Seats
from games.mahjong.events import Event
from games.mahjong.hand import WinBy
from games.mahjong.replay import MAX_EVENTS
from services.scoring.app.hands import HandQuery, VisibleQuery, WinQuery, invalid
from services.scoring.app.questions import Advised, Scored, Waits
from services.scoring.app.rulesets import RulesetQuery, check_option_names, option_refusal
from services.scoring.app.settlement import RECORD, Replayed, Settled, SettledPayment
from services.scoring.edge.explaining import discard_to_proto, wait_to_proto, win_to_proto
from services.scoring.edge.records import Records
from wire.mahjong import WIN_BYS, event_from_proto, payment_to_proto
from wire.options import options_from_struct

_WIN_BY_OF: Mapping[int, WinBy] = MappingProxyType({number: by for by, number in WIN_BYS.items()})


def ruleset_query(message: scoring_pb2.Ruleset) -> RulesetQuery:
    """Rules as they are asked for.

    Raises:
        Refusal: OPTION_INVALID: an option's value is of no kind that options have.
    """
    check_option_names(tuple(message.options))
    try:
        options = options_from_struct(message.options)
    except OptionError as error:
        raise option_refusal(error) from None
    return RulesetQuery(message.variant, message.version, options, message.stake)


Waiting = scoring_pb2.ScoreWinRequest | scoring_pb2.ListWaitsRequest | scoring_pb2.AdviseDiscardRequest


def hand_query(request: Waiting) -> HandQuery:
    """The hand of a request, with what holds beside it."""
    return HandQuery(
        tiles=request.hand.tiles,
        notation=request.hand.notation,
        melds=request.hand.melds,
        flowers=request.hand.flowers,
        situations=request.situations,
        seat_wind=request.seat_wind,
        round_wind=request.round_wind,
    )


def visible_query(request: scoring_pb2.ListWaitsRequest | scoring_pb2.AdviseDiscardRequest) -> VisibleQuery:
    """Tiles that lie open elsewhere."""
    return VisibleQuery(request.visible, request.visible_notation)


SEATS_NAMED_MAX = 16
"""Seats that a list may name; no table has so many."""


def seats_of(request: scoring_pb2.ScoreWinRequest) -> Seats | None:
    """Who sits where; None if the request does not say.

    Raises:
        Refusal: INVALID_FIELD: more seats than any table has.
    """
    if not request.HasField("seats"):
        return None
    seats = request.seats
    for name in ("out_seats", "declared_seats", "liable_seats"):
        if len(getattr(seats, name)) > SEATS_NAMED_MAX:
            raise invalid(f"seats.{name}", f"at most {SEATS_NAMED_MAX}")
    return Seats(
        winner=seats.winner_seat,
        giver=seats.giver_seat if seats.HasField("giver_seat") else None,
        out=frozenset(seats.out_seats),
        declared=frozenset(seats.declared_seats),
        liable=frozenset(seats.liable_seats),
        draws_in_row=seats.draws_in_row,
    )


def win_query(request: scoring_pb2.ScoreWinRequest) -> WinQuery:
    """The hand and its winning tile.

    Raises:
        Refusal: INVALID_FIELD: a way to win that this release does not know.
    """
    if request.by and request.by not in _WIN_BY_OF:
        raise invalid("by", "no such way to win")
    return WinQuery(
        hand=hand_query(request),
        by=_WIN_BY_OF.get(request.by),
        tile=request.win_tile if request.HasField("win_tile") else None,
        notation=request.win_notation if request.HasField("win_notation") else None,
    )


RECORDS: Records[event_pb2.Event, Event] = Records(RECORD, MAX_EVENTS, event_from_proto)
"""Records of mahjong deals."""


def score_response(scored: Scored) -> scoring_pb2.ScoreWinResponse:
    """A hand's worth on the wire; `win` is absent if it does not win."""
    win = win_to_proto(scored.rules, scored.score, scored.explanation)
    if win is not None:
        win.payments.extend(map(payment_to_proto, scored.payments))
    return scoring_pb2.ScoreWinResponse(variant=scored.rules.variant, version=scored.rules.version, win=win)


def waits_response(waits: Waits) -> scoring_pb2.ListWaitsResponse:
    """A hand's waits on the wire, in tile order."""
    return scoring_pb2.ListWaitsResponse(
        variant=waits.rules.variant,
        version=waits.rules.version,
        waits=[wait_to_proto(waits.rules, one) for one in waits.waits],
    )


def advice_response(advised: Advised) -> scoring_pb2.AdviseDiscardResponse:
    """What each discard leaves, on the wire, best first."""
    return scoring_pb2.AdviseDiscardResponse(
        variant=advised.rules.variant,
        version=advised.rules.version,
        distance=advised.advice.distance,
        discards=map(discard_to_proto(advised.rules), advised.advice.discards),
    )


def replay_response(messages: Sequence[event_pb2.Event], replayed: Replayed) -> scoring_pb2.ReplayDealResponse:
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


def settle_response(settled: Settled) -> scoring_pb2.SettleDealResponse:
    """A deal's money on the wire."""
    return scoring_pb2.SettleDealResponse(
        variant=settled.rules.variant,
        version=settled.rules.version,
        payments=map(_payment, settled.payments),
        balances=settled.balances,
        next_dealer=settled.next_dealer,
    )


def _payment(row: SettledPayment) -> scoring_pb2.SettledPayment:
    return scoring_pb2.SettledPayment(
        payer_seat=row.payment.payer,
        payee_seat=row.payment.payee,
        asked=row.payment.amount,
        paid=row.paid,
        cause=row.payment.cause,
        event_index=row.event_index,
    )
