"""Where a table's process is killed: a place in its work, at a moment of its table's life, at the n-th time."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from services.table.model import play
from services.table.model.play import Rest
from services.table.model.state import GATHERING, Stage, TableState


class Moment(StrEnum):
    """Where the table stands when the place is reached.

    At "received" and "stored" that is before the turn, at "shown", "answered" and "recorded" after it.
    """

    ANY = "any"
    WAITING = "waiting"
    READYING = "readying"
    READYING_AGAIN = "readying again"
    """After a deal."""
    RESERVING = "reserving"
    RESERVING_AGAIN = "reserving again"
    DEALING = "dealing"
    TURN = "turn"
    QUESTION = "question"
    ANSWERED = "answered"
    """A question stands open, and the side record holds answers to it."""
    ENDING = "ending"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Point:
    """A place to be killed at.

    Attributes:
        place: a name of the port `Checkpoints`.
        count: at its n-th reach in that moment, from 1.
        delay_us: so many microseconds later, so that the kill falls into what the place begins.
    """

    place: str
    moment: Moment
    count: int
    delay_us: int = 0

    def __str__(self) -> str:
        later = f" +{self.delay_us} us" if self.delay_us else ""
        return f"{self.place} ({self.moment}) #{self.count}{later}"

    def words(self) -> list[str]:
        """The point as arguments of a process."""
        return [self.place, self.moment, str(self.count), str(self.delay_us)]

    @classmethod
    def of(cls, words: Sequence[str]) -> Self:
        """The point that arguments stand for."""
        place, moment, count, delay_us = words
        return cls(place, Moment(moment), int(count), int(delay_us))


@dataclass(frozen=True, slots=True)
class Aim:
    """A kind of points.

    Attributes:
        count_max: bound of the count, which the seed draws.
        delay_us_max: bound of the delay, which the seed draws.
        floor_ms: how long a question stays open at least (PF-20); what is answered meanwhile lies in the side record.
        again: where the process that comes after the kill is killed, too.
        deals: deals that are played at the table.
    """

    place: str
    moment: Moment
    count_max: int = 1
    delay_us_max: int = 0
    floor_ms: int = 0
    again: "Aim | None" = None
    deals: int = 1

    def points(self, seed: int, name: str) -> list[Point]:
        """The points that a seed stands for, one a process."""
        return [self._point(seed, name), *(self.again.points(seed, f"{name} again") if self.again else ())]

    def _point(self, seed: int, name: str) -> Point:
        chance = random.Random(f"{seed}:{name}")
        count = chance.randint(1, self.count_max)
        return Point(self.place, self.moment, count, chance.randint(1, self.delay_us_max) if self.delay_us_max else 0)


_TURNS = 20
_QUESTIONS = 4
_FLOOR_MS = 40

PLAYING: Mapping[str, Aim] = {
    "a turn, received and not stored": Aim("received", Moment.TURN, _TURNS),
    "a turn, on its way to the store": Aim("received", Moment.TURN, _TURNS, delay_us_max=600),
    "a turn, stored and not shown": Aim("stored", Moment.TURN, _TURNS),
    "a turn, shown and not answered": Aim("shown", Moment.TURN, _TURNS),
    "a turn, answered": Aim("answered", Moment.TURN, _TURNS),
    "a claim, received and not stored": Aim("received", Moment.QUESTION, _QUESTIONS, floor_ms=_FLOOR_MS),
    "a claim, stored and not shown": Aim("stored", Moment.QUESTION, _QUESTIONS, floor_ms=_FLOOR_MS),
    "a claim, aside and not answered": Aim("shown", Moment.ANSWERED, _QUESTIONS, floor_ms=_FLOOR_MS),
    "a question, closed and not shown": Aim("stored", Moment.ANSWERED, _QUESTIONS, floor_ms=_FLOOR_MS),
    "a question, open": Aim("answered", Moment.QUESTION, _QUESTIONS, again=Aim("received", Moment.QUESTION)),
}
"""Points in the midst of play."""

SETTLING: Mapping[str, Aim] = {
    "an arrival, stored and not shown": Aim("stored", Moment.WAITING, 4),
    "ready, shown and not answered": Aim("shown", Moment.READYING, 3),
    "stakes reserved and not known": Aim("received", Moment.RESERVING, 2),
    "a deal, begun and not shown": Aim("stored", Moment.RESERVING),
    "tiles, dealt and not shown": Aim("stored", Moment.DEALING),
    "a settlement, not asked yet": Aim("settle_asked", Moment.ANY),
    "a settlement, asked and not answered": Aim("settle_asked", Moment.ANY, delay_us_max=3_000),
    "a settlement, answered and not recorded": Aim("settle_answered", Moment.ANY, 2),
    "a settlement, answered twice and not recorded": Aim(
        "settle_answered", Moment.ANY, again=Aim("settle_answered", Moment.ANY)
    ),
    "a settlement, recorded": Aim("recorded", Moment.ANY, 2),
    "the last settlement, answered and not recorded": Aim("settle_answered", Moment.ENDING),
    "the last settlement, stored and not shown": Aim("stored", Moment.ENDING),
    "between deals, ready and not answered": Aim("shown", Moment.READYING_AGAIN, 4, deals=2),
    "between deals, the next one begun and not shown": Aim("stored", Moment.RESERVING_AGAIN, deals=2),
    "a table's end, shown": Aim("shown", Moment.CLOSED),
}
"""Points before play, and where money moves."""


def moment_of(state: TableState) -> frozenset[Moment]:
    """The moments a state is."""
    return frozenset((Moment.ANY, *_moments(state)))


def _moments(state: TableState) -> tuple[Moment, ...]:
    if state.stage is Stage.CLOSED:
        return (Moment.CLOSED,)
    if state.stage is Stage.WAITING:
        return (Moment.WAITING,)
    if state.stage in GATHERING:
        return (_GATHERING[state.deal_number > 0, state.all_ready],)
    if state.rest is Rest.QUESTION:
        return (Moment.QUESTION, *((Moment.ANSWERED,) if _answers(state) else ()))
    return (_OF_REST[state.rest],) if state.rest in _OF_REST else ()


def _answers(state: TableState) -> bool:
    return state.deal is not None and any(play.has_answered(state.deal.game, seat) for seat in state.seats)


_GATHERING: Mapping[tuple[bool, bool], Moment] = {
    (False, False): Moment.READYING,
    (False, True): Moment.RESERVING,
    (True, False): Moment.READYING_AGAIN,
    (True, True): Moment.RESERVING_AGAIN,
}
"""By whether a deal was played, and whether everybody is ready."""

_OF_REST: Mapping[Rest | None, Moment] = {
    Rest.OPENING: Moment.DEALING,
    Rest.TURN: Moment.TURN,
    Rest.OVER: Moment.ENDING,
}
