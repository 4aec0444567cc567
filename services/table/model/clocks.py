"""The clocks of a table: which run in a state, and how they are written down (PF-12, PF-20).

A clock belongs to what it was started for: a stage, or the decision that an event opened. Its end is kept on the
table's own time; in the log's side record stand granted and remaining milliseconds, so that a new owner can start it
again with what was left.
"""

from dataclasses import dataclass
from enum import StrEnum

from services.table.model.play import Rest
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


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock that runs.

    Attributes:
        opened: what it was started for: the number of an event or, for READY, of a deal.
        granted_ms: what it was started with.
        ends_ms: when it runs out, on the table's own time.
    """

    name: ClockName
    opened: int
    granted_ms: int
    ends_ms: int


Clocks = tuple[Clock, ...]


def following(state: TableState, running: Clocks, now_ms: int, floor_ms: int | None) -> Clocks:
    """The clocks that run in a state: those that belong to it go on, the others start now.

    Args:
        floor_ms: floor drawn for a question that opened just now (PF-20); None or 0 if there is none to start.
    """
    known = {(clock.name, clock.opened): clock for clock in running}
    clocks = []
    for name, opened, limit_ms in _wanted(state, floor_ms):
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
            claim = (ClockName.CLAIM, deal.opened_seq, room.claim_limit_ms)
            if room.claim_timing is ClaimTiming.FIXED:
                return (claim,)
            return (claim, (ClockName.FLOOR, deal.opened_seq, floor_ms or None))
        case _:
            return ()


def find(clocks: Clocks, name: ClockName) -> Clock | None:
    """The clock of this name, if it runs."""
    return next((clock for clock in clocks if clock.name is name), None)


def without(clocks: Clocks, name: ClockName) -> Clocks:
    """The clocks but for the one of this name."""
    return tuple(clock for clock in clocks if clock.name is not name)


def decision_clock(clocks: Clocks) -> Clock | None:
    """The clock that ends the stage or decision that stands open: what players are shown."""
    return next((clock for clock in clocks if clock.name is not ClockName.FLOOR), None)


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
