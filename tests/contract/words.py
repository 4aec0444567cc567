"""What happened, in words a person can follow beside the rules."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from games.kernel import Line, Payment, Seat
from games.mahjong import events as happened
from games.mahjong.events import DrawSource, Event, KongOutcome
from games.mahjong.hand import WinBy
from games.mahjong.melds import MeldKind
from games.mahjong.tiles import show

KONGS = {
    MeldKind.EXPOSED_KONG: "an exposed kong",
    MeldKind.ADDED_KONG: "an added kong",
    MeldKind.CONCEALED_KONG: "a concealed kong",
}
CAUSES = {
    "wall_empty": "the wall is empty",
    "one_left": "one player is left",
    "won": "it is won",
    "escaped": "a player has left",
}
REPLACING = {DrawSource.REPLACEMENT: " for the kong", DrawSource.FLOWER: " for the flower"}


def lines_of(event: Event, lines: Sequence[Line] = (), *, rain: bool) -> Iterator[str]:
    """The event in words, one line or more.

    Args:
        lines: what became of its payments, where it has any.
        rain: whether kongs are paid for in this game (BB-30).
    """
    yield from _WORDS[type(event)](event)
    if rain and type(event) in _RAIN_WORDS:
        yield from _RAIN_WORDS[type(event)](event)
    yield from (f"  {_line(line)}" for line in lines)


def _line(line: Line) -> str:
    payment: Payment = line.payment
    short = "" if line.paid == payment.amount else f", has {line.paid}"
    payee = "the system" if payment.payee is None else payment.payee
    return f"{payment.cause}: {payment.payer} pays {payee} {payment.amount}{short}"


def _seats(seats: Sequence[Seat]) -> str:
    return ", ".join(map(str, seats))


def _opened(event: happened.Opened) -> Iterator[str]:
    yield f"{event.dealer} deals from a wall of {len(event.wall)}"


def _dealt(event: happened.Dealt) -> Iterator[str]:
    yield "the tiles are dealt"


def _drawn(event: happened.Drawn) -> Iterator[str]:
    thrown = "" if event.die is None else f", the die shows {event.die}"
    yield f"{event.seat} draws {show([event.tile])}{REPLACING.get(event.source, '')}{thrown}"


def _discarded(event: happened.Discarded) -> Iterator[str]:
    yield f"{event.seat} discards {show([event.tile])}"


def _answered(event: happened.Answered) -> Iterator[str]:
    yield f"({event.seat} answers: {event.choice})"


def _melded(event: happened.Melded) -> Iterator[str]:
    meld = "a pung" if event.lowest is None else f"the chow {show(range(event.lowest, event.lowest + 3))}"
    shared = ", which is won as well" if event.shared else ""
    yield f"{event.seat} makes {meld} of {show([event.tile])} from {event.from_seat}{shared}"


def _konged(event: happened.Konged) -> Iterator[str]:
    yield f"{event.seat} makes {KONGS[event.kind]} of {show([event.tile])}"


def _owed(event: happened.Konged) -> Iterator[str]:
    yield f"  owing for it: {_seats(event.owing)}"


def _won(event: happened.Won) -> Iterator[str]:
    for winner in event.winners:
        fans = " ".join(f"{fan.name_zh} {fan.value}" for fan in winner.fans) or "推倒胡"
        yield f"{winner.seat} wins {_how(event)}: {fans} = {winner.fan_total} fan, {winner.amount} (rank {winner.rank})"
    if event.transferred:
        yield f"the rain of kong {_seats(event.transferred)} is transferred"


def _how(event: happened.Won) -> str:
    if event.tile is None:
        return "without a winning tile"
    tile = show([event.tile])
    if event.by is WinBy.SELF:
        return f"on {tile} drawn"
    return f"on {tile} {'robbed' if event.by is WinBy.ROB else 'discarded'} from {event.from_seat}"


def _locked(event: happened.Locked) -> Iterator[str]:
    yield f"{event.seat} locks"


def _declared(event: happened.Declared) -> Iterator[str]:
    yield f"declared ready: {_seats(event.seats) or 'nobody'}"


def _flowered(event: happened.Flowered) -> Iterator[str]:
    yield f"{event.seat} exposes {show([event.tile])}"


def _declined(event: happened.Declined) -> Iterator[str]:
    yield f"{event.seat} declines to win on the flowers"


def _began(event: happened.Began) -> Iterator[str]:
    yield "nobody holds a flower: play begins"


def _went_away(event: happened.WentAway) -> Iterator[str]:
    yield f"{event.seat} is away"


def _came_back(event: happened.CameBack) -> Iterator[str]:
    yield f"{event.seat} is back"


def _ended(event: happened.Ended) -> Iterator[str]:
    yield f"the deal ends: {CAUSES[event.cause]}"
    if event.checks:
        yield "ready check: " + ", ".join(
            f"{row.seat} {row.amount if row.ready else 'not ready'}" for row in event.checks
        )


def _kongs_ended(event: happened.Ended) -> Iterator[str]:
    for index, outcome in enumerate(event.kong_outcomes):
        yield f"kong {index}: {'open' if outcome is KongOutcome.OPEN else outcome}"


_WORDS: Mapping[type, Callable[[Any], Iterator[str]]] = {
    happened.Opened: _opened,
    happened.Dealt: _dealt,
    happened.Drawn: _drawn,
    happened.Discarded: _discarded,
    happened.Answered: _answered,
    happened.Melded: _melded,
    happened.Konged: _konged,
    happened.Won: _won,
    happened.Locked: _locked,
    happened.Declared: _declared,
    happened.Flowered: _flowered,
    happened.Declined: _declined,
    happened.Began: _began,
    happened.WentAway: _went_away,
    happened.CameBack: _came_back,
    happened.Ended: _ended,
}
_RAIN_WORDS: Mapping[type, Callable[[Any], Iterator[str]]] = {happened.Konged: _owed, happened.Ended: _kongs_ended}
