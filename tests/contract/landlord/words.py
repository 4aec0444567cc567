"""What happened in a deal of the landlord family, in words a person can follow beside the rules."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from games.kernel import Line
from games.landlord import events as happened
from games.landlord.cards import HIDDEN, RANK_NAMES, show
from games.landlord.combinations import NAMES_ZH
from games.landlord.events import EndCause, Event, Spring
from games.landlord.state import Phase, State

PASSED = {
    Phase.BIDDING: "passes the bidding",
    Phase.DOUBLING: "does not double",
    Phase.REDOUBLING: "does not redouble",
    Phase.PLAYING: "passes",
}
CAUSES = {
    EndCause.OUT: "somebody is out",
    EndCause.ALL_PASSED: "nobody has called",
    EndCause.ESCAPED: "somebody has escaped",
}
SPRINGS = {Spring.NONE: "", Spring.SPRING: "; 春天", Spring.ANTI_SPRING: "; 反春"}


def lines_of(before: State, event: Event, lines: Sequence[Line] = ()) -> Iterator[str]:
    """The event in words, one line or more.

    Args:
        before: the state it changes.
        lines: what became of its payments, where it has any.
    """
    yield from _WORDS[type(event)](before, event)
    yield from (f"  {_line(line)}" for line in lines)


def _line(line: Line) -> str:
    payment = line.payment
    payee = "the system" if payment.payee is None else payment.payee
    short = "" if line.paid == payment.amount else f", of which {line.paid} is paid"
    return f"{payment.cause}: {payment.payer} pays {payee} {payment.amount}{short}"


def _opened(before: State, event: happened.Opened) -> Iterator[str]:
    yield f"{event.dealer} bids first"


def _dealt(before: State, event: happened.Dealt) -> Iterator[str]:
    yield "the cards are dealt"


def _called(before: State, event: happened.Called) -> Iterator[str]:
    sees = "looks at nothing" if HIDDEN in event.bottom else f"alone sees {show(event.bottom)}"
    yield f"{event.seat} calls{' blind' if event.blind else ''} and {sees}"


def _doubled(before: State, event: happened.Doubled) -> Iterator[str]:
    yield f"{event.seat} doubles: x{before.multiplier * 2}"


def _redoubled(before: State, event: happened.Redoubled) -> Iterator[str]:
    yield f"{event.seat} redoubles: x{before.multiplier * 2}"


def _passed(before: State, event: happened.Passed) -> Iterator[str]:
    yield f"{event.seat} {PASSED[before.phase]}"


def _bottom_taken(before: State, event: happened.BottomTaken) -> Iterator[str]:
    yield f"{event.seat} takes {show(event.cards)}, shown to all"


def _played(before: State, event: happened.Played) -> Iterator[str]:
    reading, left = event.reading, len(before.hands[event.seat]) - len(event.cards)
    doubles = f", x{before.multiplier * 2}" if reading.power else ""
    name = f"{NAMES_ZH[reading.kind]} {RANK_NAMES[reading.rank]}"
    yield f"{event.seat} plays {show(event.cards)} ({name}){doubles}; {left} left"


def _ended(before: State, event: happened.Ended) -> Iterator[str]:
    who = f", {' and '.join(map(str, event.winners))} win" if event.winners else ""
    yield f"the deal ends: {CAUSES[event.cause]}{who}{SPRINGS[event.spring]}; x{event.multiplier}"
    yield f"scores {' '.join(f'{score:+d}' if score else '0' for score in event.scores)}"


_WORDS: Mapping[type, Callable[[State, Any], Iterator[str]]] = {
    happened.Opened: _opened,
    happened.Dealt: _dealt,
    happened.Called: _called,
    happened.Doubled: _doubled,
    happened.Redoubled: _redoubled,
    happened.Passed: _passed,
    happened.BottomTaken: _bottom_taken,
    happened.Played: _played,
    happened.Ended: _ended,
}
