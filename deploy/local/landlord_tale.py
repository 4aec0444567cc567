"""A deal of cards in words, for the narrator: bids and plays a few a line, what multiplies on lines of its own."""

from collections.abc import Callable, Mapping
from typing import Any

from cardroom.landlord.v1 import event_pb2, view_pb2

from games.landlord.cards import RANK_NAMES, show
from games.landlord.combinations import NAMES_ZH, POWER
from wire.landlord import KINDS

KIND_WORDS = {number: f"{NAMES_ZH[kind]} {kind.value}" for kind, number in KINDS.items()}
MULTIPLYING = frozenset(KINDS[kind] for kind in POWER)
"""Kinds of plays that double the multiplier (TY-30)."""
END_WORDS = {
    event_pb2.END_CAUSE_OUT: "somebody is out",
    event_pb2.END_CAUSE_ALL_PASSED: "nobody called; the next player bids first",
    event_pb2.END_CAUSE_ESCAPED: "a player has left",
}
SPRING_WORDS = {
    event_pb2.SPRING_UNSPECIFIED: "",
    event_pb2.SPRING_SPRING: ", 春天 spring x4",
    event_pb2.SPRING_ANTI_SPRING: ", 反春 anti-spring x4",
}
LEGEND = "moves: 1:SJ HJ = seat 1 plays two jacks, 2:- = seat 2 passes; suits S H D C, jokers BJ RJ, * is wild"
PLAIN_COUNT_MAX = 2
"""Plays of so few cards need no name of their kind."""

Say = Callable[[str], None]


class LandlordTale:
    """Tells the events of one deal, in order.

    Args:
        line: takes what stands on a line of its own.
        move: takes what may share a line.
    """

    def __init__(self, line: Say, move: Say) -> None:
        self._line = line
        self._move = move
        self._multiplier = 1

    def resume(self, view: view_pb2.View) -> str:
        """Where a deal stands that was left in an earlier run."""
        self._multiplier = view.multiplier
        hands = " ".join(str(len(hand.cards) + hand.hidden_count) for hand in view.hands)
        landlord = f"landlord seat {view.landlord_seat}" if view.HasField("landlord_seat") else "no landlord yet"
        return f"{landlord}, multiplier x{view.multiplier}, {hands} cards in hand, {len(view.plays)} moves made"

    def tell(self, event: event_pb2.Event) -> None:
        """Tell one event."""
        kind = event.WhichOneof("kind")
        if kind is not None and kind in _TELLERS:
            _TELLERS[kind](self, getattr(event, kind))

    def _opened(self, opened: event_pb2.Opened) -> None:
        self._multiplier = 1
        self._line(f"  {opened.card_count} cards; seat {opened.first_bidder} bids first")

    def _dealt(self, dealt: event_pb2.Dealt) -> None:
        for seat, hand in enumerate(dealt.hands):
            self._line(f"  seat {seat} {hand_text(hand)}")

    def _called(self, called: event_pb2.Called) -> None:
        if called.blind:
            self._doubled_to("闷 calls blind", called.seat)
        else:
            self._line(f"  CALL seat {called.seat}: 抓 calls, and is the landlord")

    def _bottom_taken(self, taken: event_pb2.BottomTaken) -> None:
        self._line(f"  seat {taken.seat} takes the bottom cards {show(taken.cards)}")

    def _passed(self, passed: event_pb2.Passed) -> None:
        self._move(f"{passed.seat}:-")

    def _played(self, played: event_pb2.Played) -> None:
        cards = show(played.cards)
        kind = played.reading.kind
        if kind in MULTIPLYING:
            self._doubled_to(f"{KIND_WORDS[kind]} {cards}", played.seat)
        elif len(played.cards) <= PLAIN_COUNT_MAX:
            self._move(f"{played.seat}:{cards}")
        else:
            self._move(f"{played.seat}:{cards} ({KIND_WORDS[kind]} {RANK_NAMES[played.reading.rank]})")

    def _doubled_to(self, what: str, seat: int) -> None:
        self._multiplier *= 2
        self._line(f"  x{self._multiplier} seat {seat}: {what}")

    def _ended(self, ended: event_pb2.Ended) -> None:
        who = " and ".join(f"seat {seat}" for seat in ended.winners)
        if ended.HasField("escaper_seat"):
            who = f"seat {ended.escaper_seat} escaped"
        scores = " ".join(f"{score:+d}" if score else "0" for score in ended.scores)
        won = f" {who} won{SPRING_WORDS[ended.spring]};" if ended.winners else f" {who};" if who else ""
        self._line(
            f"  END {END_WORDS[ended.cause]}:{won} multiplier x{ended.multiplier}, scores {scores}; "
            f"next first bidder: seat {ended.next_first_bidder}"
        )
        left = [f"seat {seat} {hand_text(hand)}" for seat, hand in enumerate(ended.hands) if hand.cards]
        if left:
            self._line(f"  left: {'; '.join(left)}")


_TELLERS: Mapping[str, Callable[[LandlordTale, Any], None]] = {
    "opened": LandlordTale._opened,
    "dealt": LandlordTale._dealt,
    "called": LandlordTale._called,
    "doubled": lambda tale, event: tale._doubled_to("倒 doubles", event.seat),
    "redoubled": lambda tale, event: tale._doubled_to("拉 redoubles", event.seat),
    "passed": LandlordTale._passed,
    "bottom_taken": LandlordTale._bottom_taken,
    "played": LandlordTale._played,
    "ended": LandlordTale._ended,
}


def hand_text(hand: event_pb2.Hand) -> str:
    """A hand in notation; cards face down as question marks."""
    return " ".join(filter(None, (show(hand.cards), "?" * hand.hidden_count)))
