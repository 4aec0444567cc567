"""Messages of ``cardroom.scoring.v1`` to the service's questions, and its answers back."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from cardroom.mahjong.v1 import event_pb2
from cardroom.scoring.v1 import scoring_pb2

from games.catalog import UnknownVariant
from games.kernel import OptionError
from games.landlord.cards import RANK_NAMES
from games.mahjong.events import Event
from games.mahjong.hand import Score, WinBy
from games.mahjong.scoring import WaitWorth
from games.mahjong.tiles import Tile, show
from services.scoring.app.card_questions import ReadCards, ReadingQuery
from services.scoring.app.hands import HandQuery, WinQuery, invalid
from services.scoring.app.questions import Scored, Waits
from services.scoring.app.rulesets import RulesetQuery, check_option_names, option_refusal, unknown_ruleset
from services.scoring.app.settlement import Settled, SettledPayment, bad_record, check_record_length
from wire.mahjong import WIN_BYS, event_from_proto, score_fields
from wire.options import options_from_struct
from wire.words import WireError

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


def hand_query(request: scoring_pb2.ScoreWinRequest | scoring_pb2.ListWaitsRequest) -> HandQuery:
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


def events_of(messages: Iterable[event_pb2.Event], count: int) -> tuple[Event, ...]:
    """The events of a record.

    Args:
        messages: one an event.
        count: how many there are.

    Raises:
        Refusal: RECORD_INVALID: one stands for nothing; RULESET_UNKNOWN: it opens by rules there are not.
    """
    check_record_length(count)
    return tuple(_event(index, message) for index, message in enumerate(messages))


def _event(index: int, message: event_pb2.Event) -> Event:
    try:
        return event_from_proto(message)
    except WireError as error:
        raise bad_record(index, error.detail, part=error.field) from None
    except UnknownVariant:
        raise unknown_ruleset(f"events[{index}].opened.variant", "no variant has this id") from None
    except OptionError as error:
        raise bad_record(index, error.detail, part="opened.options") from None


def score_response(scored: Scored) -> scoring_pb2.ScoreWinResponse:
    """A hand's worth on the wire; `win` is absent if it does not win."""
    return scoring_pb2.ScoreWinResponse(
        variant=scored.rules.variant, version=scored.rules.version, win=_win(scored.score)
    )


def waits_response(waits: Waits) -> scoring_pb2.ListWaitsResponse:
    """A hand's waits on the wire, in tile order."""
    return scoring_pb2.ListWaitsResponse(
        variant=waits.rules.variant,
        version=waits.rules.version,
        waits=[_wait(tile, worth) for tile, worth in waits.worth.items()],
    )


def last_play(request: scoring_pb2.ReadCardsRequest) -> ReadingQuery | None:
    """The play to beat, if one is named."""
    if not request.HasField("last"):
        return None
    return ReadingQuery(request.last.kind, request.last.rank, request.last.count)


def cards_response(read: ReadCards) -> scoring_pb2.ReadCardsResponse:
    """The readings of a set of cards on the wire."""
    return scoring_pb2.ReadCardsResponse(
        variant=read.rules.variant,
        version=read.rules.version,
        readings=[
            scoring_pb2.CardReading(kind=one.kind, rank=RANK_NAMES[one.rank], count=one.count) for one in read.readings
        ],
    )


def settle_response(settled: Settled) -> scoring_pb2.SettleDealResponse:
    """A deal's money on the wire."""
    return scoring_pb2.SettleDealResponse(
        variant=settled.rules.variant,
        version=settled.rules.version,
        payments=map(_payment, settled.payments),
        balances=settled.balances,
        next_dealer=settled.next_dealer,
    )


def _wait(tile: Tile, worth: WaitWorth) -> scoring_pb2.Wait:
    return scoring_pb2.Wait(
        tile=tile, notation=show([tile]), by_discard=_win(worth.by_discard), by_self=_win(worth.by_self)
    )


def _win(score: Score | None) -> scoring_pb2.Win | None:
    return None if score is None else scoring_pb2.Win(**score_fields(score))


def _payment(row: SettledPayment) -> scoring_pb2.SettledPayment:
    return scoring_pb2.SettledPayment(
        payer_seat=row.payment.payer,
        payee_seat=row.payment.payee,
        asked=row.payment.amount,
        paid=row.paid,
        cause=row.payment.cause,
        event_index=row.event_index,
    )
