"""Events of the family as messages, both ways, and what a hand is worth."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cardroom.mahjong.v1 import event_pb2

from games.kernel import Payment
from games.mahjong import events as happened
from games.mahjong.events import Event
from games.mahjong.hand import FanScore, Score
from games.mahjong.ruleset import Ruleset
from games.mahjong.tiles import HIDDEN, Tile
from games.mahjong.variant import Variant
from games.mahjong.wall import HIDDEN_DIE, dice_counts
from wire.mahjong.words import (
    DRAW_SOURCES,
    END_CAUSES,
    KONG_KINDS,
    KONG_OUTCOMES,
    WIN_BYS,
    face_down,
)
from wire.options import options_from_struct, options_to_struct
from wire.words import WireError, edition, named


def event_to_proto(event: Event) -> event_pb2.Event:
    """A public event as a message, redacted or not; private ones have no message."""
    field, write = _EVENT_WRITERS[type(event)]
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
    return _EVENT_READERS[kind](getattr(message, kind))


def seen(tile: Tile | None) -> Tile | None:
    """A tile as a field: left out where it lies face down or there is none."""
    return None if tile == HIDDEN else tile


def hand_to_proto(hand: Iterable[Tile]) -> event_pb2.Hand:
    """Concealed tiles as a message; those face down are only counted."""
    tiles = tuple(hand)
    seen = [tile for tile in tiles if tile != HIDDEN]
    return event_pb2.Hand(tiles=seen, hidden_count=len(tiles) - len(seen))


def hand_from_proto(message: event_pb2.Hand) -> tuple[Tile, ...]:
    """Concealed tiles of a message, in display order."""
    return face_down(message.hidden_count, "hidden_count") + tuple(message.tiles)


def hands_to_proto(hands: Iterable[Iterable[Tile]]) -> list[event_pb2.Hand]:
    """One hand a seat as messages."""
    return [hand_to_proto(hand) for hand in hands]


def hands_from_proto(messages: Iterable[event_pb2.Hand]) -> tuple[tuple[Tile, ...], ...]:
    """One hand a seat of messages."""
    return tuple(hand_from_proto(message) for message in messages)


def opened_to_proto(event: happened.Opened) -> event_pb2.Opened:
    """The opening of a deal, its wall left out where it lies face down."""
    return event_pb2.Opened(
        variant=event.ruleset.variant,
        rules_version=event.ruleset.version,
        options=options_to_struct(dict(event.ruleset.options)),
        stake=event.ruleset.stake,
        escape_penalty=event.ruleset.escape_penalty,
        dealer=event.dealer,
        dice=event.dice,
        wall_start=event.wall_start,
        wall_count=len(event.wall),
        wall=() if HIDDEN in event.wall else event.wall,
        tail_count=event.tail_count,
        deal_index=event.deal_index,
        draws_in_row=event.draws_in_row,
        undrawn_count=event.undrawn_count,
        kong_dice=() if HIDDEN_DIE in event.kong_dice else event.kong_dice,
    )


def opened_from_proto(message: event_pb2.Opened) -> happened.Opened:
    """The opening a message stands for."""
    rules = ruleset_from_opened(message)
    if message.wall and message.wall_count != len(message.wall):
        raise WireError("wall_count", f"{len(message.wall)} tiles are in the wall")
    _, dice_for_kongs = dice_counts(rules)
    return happened.Opened(
        ruleset=rules,
        dealer=message.dealer,
        dice=tuple(message.dice),
        wall=tuple(message.wall) or face_down(message.wall_count, "wall_count"),
        wall_start=message.wall_start,
        tail_count=message.tail_count,
        deal_index=message.deal_index,
        draws_in_row=message.draws_in_row,
        undrawn_count=message.undrawn_count,
        kong_dice=tuple(message.kong_dice) or (HIDDEN_DIE,) * dice_for_kongs,
    )


def ruleset_from_opened(message: event_pb2.Opened) -> Ruleset:
    """The rules a deal is played by.

    Raises:
        UnknownVariant, OptionError: there are no such rules.
        WireError: this version of them is not known here.
    """
    variant = edition(message.variant, message.rules_version)
    if not isinstance(variant, Variant):
        raise WireError("variant", f"{message.variant} is no game of the mahjong family")
    return variant.ruleset(options_from_struct(message.options), message.stake, message.escape_penalty)


def _drawn_to_proto(event: happened.Drawn) -> event_pb2.Drawn:
    return event_pb2.Drawn(seat=event.seat, tile=seen(event.tile), source=DRAW_SOURCES[event.source], die=event.die)


def _drawn_from_proto(message: event_pb2.Drawn) -> happened.Drawn:
    tile = message.tile if message.HasField("tile") else HIDDEN
    die = message.die if message.HasField("die") else None
    return happened.Drawn(message.seat, tile, named(DRAW_SOURCES, "source", message.source), die)


def _konged_to_proto(event: happened.Konged) -> event_pb2.Konged:
    return event_pb2.Konged(
        seat=event.seat,
        kind=KONG_KINDS[event.kind],
        tile=event.tile,
        from_seat=event.from_seat,
        owing_seats=event.owing,
        shared=event.shared,
    )


def _konged_from_proto(message: event_pb2.Konged) -> happened.Konged:
    return happened.Konged(
        seat=message.seat,
        kind=named(KONG_KINDS, "kind", message.kind),
        tile=message.tile,
        from_seat=message.from_seat if message.HasField("from_seat") else None,
        owing=tuple(message.owing_seats),
        shared=message.shared,
    )


def payment_to_proto(payment: Payment) -> event_pb2.Payment:
    """A payment between seats as a message."""
    return event_pb2.Payment(
        payer_seat=payment.payer, payee_seat=payment.payee, amount=payment.amount, cause=payment.cause
    )


def _payment_from_proto(message: event_pb2.Payment) -> Payment:
    payee = message.payee_seat if message.HasField("payee_seat") else None
    if message.amount <= 0 or message.payer_seat == payee:
        raise WireError("payments", "a payment is above zero and not to oneself")
    return Payment(message.payer_seat, payee, message.amount, message.cause)


def fans_to_proto(fans: Iterable[FanScore]) -> list[event_pb2.FanCount]:
    """Fans of a hand as messages."""
    return [
        event_pb2.FanCount(
            fan_id=fan.fan_id,
            value=fan.value,
            name_zh=fan.name_zh,
            number=fan.number,
            times=fan.times if fan.times > 1 else 0,
        )
        for fan in fans
    ]


def _winner_to_proto(winner: happened.WinnerResult) -> event_pb2.WinnerResult:
    return event_pb2.WinnerResult(
        seat=winner.seat,
        rank=winner.rank,
        fans=fans_to_proto(winner.fans),
        fan_total=winner.fan_total,
        amount=winner.amount,
        payments=[payment_to_proto(payment) for payment in winner.payments],
        base_sum=winner.base_sum,
    )


def _winner_from_proto(message: event_pb2.WinnerResult) -> happened.WinnerResult:
    return happened.WinnerResult(
        seat=message.seat,
        rank=message.rank,
        fans=tuple(FanScore(fan.fan_id, fan.name_zh, fan.value, fan.number, fan.times or 1) for fan in message.fans),
        fan_total=message.fan_total,
        amount=message.amount,
        payments=tuple(_payment_from_proto(payment) for payment in message.payments),
        base_sum=message.base_sum if message.HasField("base_sum") else None,
    )


def won_to_proto(event: happened.Won) -> event_pb2.Won:
    """A win as a message."""
    return event_pb2.Won(
        by=WIN_BYS[event.by],
        tile=seen(event.tile),
        without_tile=event.tile is None,
        from_seat=event.from_seat,
        winners=[_winner_to_proto(winner) for winner in event.winners],
        transferred_kongs=event.transferred,
    )


def won_from_proto(message: event_pb2.Won) -> happened.Won:
    """The win a message stands for."""
    if message.without_tile and message.HasField("tile"):
        raise WireError("without_tile", "there is a winning tile")
    hidden = None if message.without_tile else HIDDEN
    return happened.Won(
        by=named(WIN_BYS, "by", message.by),
        tile=message.tile if message.HasField("tile") else hidden,
        from_seat=message.from_seat if message.HasField("from_seat") else None,
        winners=tuple(_winner_from_proto(winner) for winner in message.winners),
        transferred=tuple(message.transferred_kongs),
    )


def ended_to_proto(event: happened.Ended) -> event_pb2.Ended:
    """A deal's end as a message."""
    return event_pb2.Ended(
        cause=END_CAUSES[event.cause],
        payments=[payment_to_proto(payment) for payment in event.payments],
        checks=[
            event_pb2.ReadyCheck(seat=check.seat, ready=check.ready, amount=check.amount) for check in event.checks
        ],
        kong_outcomes=[KONG_OUTCOMES[outcome] for outcome in event.kong_outcomes],
        next_dealer=event.next_dealer,
        hands=hands_to_proto(event.hands),
    )


def ended_from_proto(message: event_pb2.Ended) -> happened.Ended:
    """The end a message stands for."""
    return happened.Ended(
        cause=named(END_CAUSES, "cause", message.cause),
        payments=tuple(_payment_from_proto(payment) for payment in message.payments),
        checks=tuple(happened.ReadyCheck(check.seat, check.ready, check.amount) for check in message.checks),
        kong_outcomes=tuple(named(KONG_OUTCOMES, "kong_outcomes", outcome) for outcome in message.kong_outcomes),
        next_dealer=message.next_dealer if message.HasField("next_dealer") else None,
        hands=hands_from_proto(message.hands),
    )


_EVENT_WRITERS: Mapping[type, tuple[str, Callable[[Any], Any]]] = {
    happened.Opened: ("opened", opened_to_proto),
    happened.Dealt: ("dealt", lambda event: event_pb2.Dealt(hands=hands_to_proto(event.hands))),
    happened.Drawn: ("drawn", _drawn_to_proto),
    happened.Discarded: ("discarded", lambda event: event_pb2.Discarded(seat=event.seat, tile=event.tile)),
    happened.Melded: (
        "melded",
        lambda event: event_pb2.Melded(
            seat=event.seat, tile=event.tile, from_seat=event.from_seat, lowest=event.lowest, shared=event.shared
        ),
    ),
    happened.Konged: ("konged", _konged_to_proto),
    happened.Won: ("won", won_to_proto),
    happened.Locked: ("locked", lambda event: event_pb2.Locked(seat=event.seat)),
    happened.Declared: ("declared", lambda event: event_pb2.Declared(seats=event.seats)),
    happened.Flowered: ("flowered", lambda event: event_pb2.Flowered(seat=event.seat, tile=event.tile)),
    happened.Declined: ("declined", lambda event: event_pb2.Declined(seat=event.seat)),
    happened.Began: ("began", lambda event: event_pb2.Began()),
    happened.WentAway: ("went_away", lambda event: event_pb2.WentAway(seat=event.seat)),
    happened.CameBack: ("came_back", lambda event: event_pb2.CameBack(seat=event.seat)),
    happened.Ended: ("ended", ended_to_proto),
}
_EVENT_READERS: Mapping[str, Callable[[Any], Event]] = {
    "opened": opened_from_proto,
    "dealt": lambda message: happened.Dealt(hands_from_proto(message.hands)),
    "drawn": _drawn_from_proto,
    "discarded": lambda message: happened.Discarded(message.seat, message.tile),
    "melded": lambda message: happened.Melded(
        message.seat,
        message.tile,
        message.from_seat,
        message.lowest if message.HasField("lowest") else None,
        message.shared,
    ),
    "konged": _konged_from_proto,
    "won": won_from_proto,
    "locked": lambda message: happened.Locked(message.seat),
    "declared": lambda message: happened.Declared(tuple(message.seats)),
    "flowered": lambda message: happened.Flowered(message.seat, message.tile),
    "declined": lambda message: happened.Declined(message.seat),
    "began": lambda message: happened.Began(),
    "went_away": lambda message: happened.WentAway(message.seat),
    "came_back": lambda message: happened.CameBack(message.seat),
    "ended": ended_from_proto,
}


def score_fields(score: Score) -> dict[str, Any]:
    """Fans, total and amount of a score as fields of a message."""
    return {
        "fans": fans_to_proto(score.fans),
        "fan_total": score.fan_total,
        "amount": score.amount,
        "base_sum": score.base_sum,
    }
