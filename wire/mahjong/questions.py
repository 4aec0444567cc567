"""What scoring is asked about a deal: a win as its hand stood just before it, a record from its opening to its end."""

from collections.abc import Iterable, Sequence

from cardroom.mahjong.v1 import event_pb2
from cardroom.scoring.v1 import scoring_pb2

from games.kernel import Seat
from games.mahjong.claims import winning_hand
from games.mahjong.state import Phase, State
from games.mahjong.tiles import Tile, show
from wire.mahjong.words import WIN_BYS
from wire.options import options_to_struct

PaymentRow = tuple[int, int, int | None, int, str]
"""Place of the event that asks, payer, payee (None: the system), units, why."""


def win_question(before: State, seat: Seat) -> scoring_pb2.ScoreWinRequest | None:
    """What a seat's hand is worth on the tile in question or drawn.

    Args:
        before: the deal just before the win; the seat's own view will do.
    Returns: None where there is no hand to ask about: for flowers alone (SH-11).
    """
    if before.phase is Phase.OFFER:
        return None
    rules, hand = before.ruleset, winning_hand(before, seat)
    return scoring_pb2.ScoreWinRequest(
        ruleset=scoring_pb2.Ruleset(
            variant=rules.variant,
            version=rules.version,
            options=options_to_struct(dict(rules.options)),
            stake=rules.stake,
        ),
        hand=scoring_pb2.Hand(
            tiles=hand.concealed,
            melds=[f"{meld.kind} {show(meld.tiles)}" for meld in hand.melds],
            flowers=show(hand.flowers),
        ),
        win_tile=hand.tile,
        by=WIN_BYS[hand.by],
        situations=sorted(hand.situations),
        seat_wind=_letter(hand.seat_wind),
        round_wind=_letter(hand.round_wind),
    )


def _letter(wind: Tile | None) -> str:
    """A wind as a request names it; empty where the game has none."""
    return "" if wind is None else show([wind])


def worth(win: scoring_pb2.Win | event_pb2.WinnerResult) -> str:
    """What a win is worth, in words that are equal where the worth is. They name no tile."""
    fans = ", ".join(f"{fan.fan_id} {fan.value}" for fan in win.fans) or "plain"
    base = f", base sum {win.base_sum}" if win.HasField("base_sum") else ""
    return f"{fans}; {win.fan_total}{base}, {win.amount} a payer"


def deal_question(events: Sequence[event_pb2.Event]) -> scoring_pb2.SettleDealRequest:
    """What a deal's record comes to."""
    return scoring_pb2.SettleDealRequest(events=events)


def payments_told(events: Iterable[event_pb2.Event]) -> list[PaymentRow]:
    """The payments that a record's events ask for themselves, in order."""
    rows: list[PaymentRow] = []
    for index, event in enumerate(events):
        asked = [row for winner in event.won.winners for row in winner.payments] if event.HasField("won") else ()
        for payment in asked or event.ended.payments:
            payee = payment.payee_seat if payment.HasField("payee_seat") else None
            rows.append((index, payment.payer_seat, payee, payment.amount, payment.cause))
    return rows


def payments_found(response: scoring_pb2.SettleDealResponse) -> list[PaymentRow]:
    """The payments that scoring finds, in the same form."""
    return [
        (
            row.event_index,
            row.payer_seat,
            row.payee_seat if row.HasField("payee_seat") else None,
            row.asked,
            row.cause,
        )
        for row in response.payments
    ]
