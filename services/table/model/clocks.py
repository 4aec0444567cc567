"""The clocks of a table: which run in a state, and how they are written down (PF-12, PF-20).

A clock belongs to what it was started for: a stage, or the decision that an event opened. Its end is kept on the
table's own time; in the log's side record stand granted and remaining milliseconds, so that a new owner can start it
again with what was left.
"""

from dataclasses import dataclass
from enum import StrEnum

from games.kernel import Seat
from services.table.model import play
from services.table.model.play import Rest, family_of
from services.table.model.room import ClaimTiming
from services.table.model.state import Stage, TableState


class ClockName(StrEnum):
    """Kinds of clocks."""

    ARRIVE = "arrive"
    READY = "ready"
    DEALING = "dealing"
    TURN = "turn"
    CLAIM = "claim"
    FLOOR = "floor"
    GRACE = "grace"


OF_DECISIONS = frozenset(ClockName) - {ClockName.FLOOR, ClockName.GRACE}
"""Clocks that end the stage or decision that stands open."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock that runs.

    Attributes:
        opened: what it was started for: the number of an event or, for READY, of a deal; for GRACE the seat.
        granted_ms: what it was started with.
        ends_ms: when it runs out, on the table's own time.
    """

    name: ClockName
    opened: int
    granted_ms: int
    ends_ms: int


Clocks = tuple[Clock, ...]


def following(
    state: TableState,
    running: Clocks,
    now_ms: int,
    floor_ms: int | None,
    lost: frozenset[Seat] = frozenset(),
) -> Clocks:
    """The clocks that run in a state: those that belong to it go on, the others start now.

    Args:
        floor_ms: floor drawn for a question that opened just now (PF-20); None or 0 if there is none to start.
        lost: seats whose players are not there; their grace runs where going is an escape (PF-23).
    """
    known = {(clock.name, clock.opened): clock for clock in running}
    clocks = []
    for name, opened, limit_ms in (*_wanted(state, floor_ms), *_graces(state, lost)):
        clock = known.get((name, opened))
        if clock is None and limit_ms is not None:
            clock = Clock(name, opened, limit_ms, now_ms + limit_ms)
        if clock is not None:
            clocks.append(clock)
    return tuple(clocks)


def _wanted(state: TableState, floor_ms: int | None) -> tuple[tuple[ClockName, int, int | None], ...]:
    """Name, what it belongs to and milliseconds of each clock a state asks for; None: not to be started now."""
    room, deal = state.room, state.deal
    if state.stage is Stage.WAITING:
        return ((ClockName.ARRIVE, 1, room.arrive_limit_ms),)
    if state.stage in (Stage.READYING, Stage.BETWEEN_DEALS):
        return () if state.all_ready else ((ClockName.READY, state.deal_number + 1, room.ready_limit_ms),)
    if state.stage is Stage.CLOSED or deal is None:
        return ()
    match state.rest:
        case Rest.OPENING:
            return ((ClockName.DEALING, deal.number, room.dealing_ms),)
        case Rest.TURN:
            return ((ClockName.TURN, deal.opened_seq, room.turn_limit_ms),)
        case Rest.QUESTION:
            declaring = family_of(deal.game).is_declaring(deal.game)
            limit_ms = room.declare_limit_ms if declaring else room.claim_limit_ms
            claim = (ClockName.CLAIM, deal.opened_seq, limit_ms)
            if room.claim_timing is ClaimTiming.FIXED:
                return (claim,)
            return (claim, (ClockName.FLOOR, deal.opened_seq, floor_ms or None))
        case _:
            return ()


def _graces(state: TableState, lost: frozenset[Seat]) -> tuple[tuple[ClockName, int, int | None], ...]:
    if not lost or state.deal is None or not state.running or not play.leaving_ends_deal(state.deal.game):
        return ()
    return tuple((ClockName.GRACE, seat, state.room.reconnect_grace_ms) for seat in sorted(lost))


def graces(clocks: Clocks) -> dict[Seat, Clock]:
    """The clocks of players who are lost, by seat (PF-23)."""
    return {clock.opened: clock for clock in clocks if clock.name is ClockName.GRACE}


def find(clocks: Clocks, name: ClockName) -> Clock | None:
    """The clock of this name, if it runs."""
    return next((clock for clock in clocks if clock.name is name), None)


def without(clocks: Clocks, name: ClockName) -> Clocks:
    """The clocks but for the one of this name."""
    return tuple(clock for clock in clocks if clock.name is not name)


def decision_clock(clocks: Clocks) -> Clock | None:
    """The clock that ends the stage or decision that stands open: what players are shown."""
    return next((clock for clock in clocks if clock.name in OF_DECISIONS), None)


def next_end_ms(clocks: Clocks) -> int | None:
    """When the next one runs out; None if none runs."""
    return min((clock.ends_ms for clock in clocks), default=None)


def written(clocks: Clocks, now_ms: int) -> str:
    """The side record of the clocks: `name:opened:granted:remaining`, joined by `;`."""
    return ";".join(f"{clock.name}:{clock.opened}:{clock.granted_ms}:{clock.ends_ms - now_ms}" for clock in clocks)


def read(text: str, *, now_ms: int, ran_ms: int) -> Clocks:
    """Clocks out of a side record.

    Args:
        now_ms: the table's own time.
        ran_ms: how long they ran after the record was made, until the owner was last known to be alive.
    """
    clocks = []
    for row in filter(None, text.split(";")):
        name, opened, granted, remaining = row.split(":")
        left_ms = max(0, int(remaining) - max(0, ran_ms))
        clocks.append(Clock(ClockName(name), int(opened), int(granted), now_ms + left_ms))
    return tuple(clocks)
