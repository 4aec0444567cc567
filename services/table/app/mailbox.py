"""What waits at a table, and how it is answered."""

import asyncio
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from games.kernel import Seat
from refusals import Reason, Refusal
from services.table.app.duties import Result
from services.table.app.requests import fingerprint
from services.table.model.events import LeaveWhen
from services.table.model.flow import Outcome
from services.table.model.play import PlayerAction


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request is answered; `duplicate`: its first answer, again."""

    outcome: Outcome
    duplicate: bool = False


@dataclass(frozen=True, slots=True)
class Act:
    """A player's move."""

    seat: Seat
    request_id: str
    decision_id: str
    action: PlayerAction


@dataclass(frozen=True, slots=True)
class SetReady:
    """A player is ready for the next deal."""

    seat: Seat
    request_id: str
    nonce: bytes


@dataclass(frozen=True, slots=True)
class SetTrustee:
    """A player switches his trustee (PF-22)."""

    seat: Seat
    request_id: str
    on: bool


@dataclass(frozen=True, slots=True)
class Leave:
    """A player gives his seat up (PF-13)."""

    seat: Seat
    request_id: str
    when: LeaveWhen


@dataclass(frozen=True, slots=True)
class Tick:
    """A clock may have run out, a player may have come or be lost, a trustee may be to move."""


Request = Act | SetReady | SetTrustee | Leave
Content = Request | Tick | Result


class Letter:
    """Something for a table, and a place for its answer.

    A request's `fingerprint` names its content; `trace` is the correlation id it came under, empty for the table's own.
    """

    __slots__ = ("content", "fingerprint", "reply", "trace")

    def __init__(self, content: Content, reply: "asyncio.Future[Answer | None] | None" = None, trace: str = "") -> None:
        self.content = content
        self.trace = trace
        self.reply = reply
        self.fingerprint = fingerprint(content) if isinstance(content, Request) else ""

    @property
    def is_request(self) -> bool:
        """Whether a player waits for the answer."""
        return isinstance(self.content, Request)

    @property
    def given_up(self) -> bool:
        """Whether nobody waits for the answer any more."""
        return self.reply is not None and self.reply.done()

    def answer(self, answer: Answer | None) -> None:
        """Answer it, if somebody waits."""
        if self.reply is not None and not self.reply.done():
            self.reply.set_result(answer)

    def refuse(self, refusal: Refusal) -> None:
        """Refuse it, if somebody waits."""
        if self.reply is not None and not self.reply.done():
            self.reply.set_exception(refusal)


class Mailbox:
    """Letters in the order they came, at most so many requests; for one reader."""

    def __init__(self, count_max: int) -> None:
        self._letters: deque[Letter] = deque()
        self._count_max = count_max
        self._waiter: asyncio.Future[None] | None = None

    def put(self, letter: Letter) -> None:
        """One more letter. The table's own are always taken: there are only ever a few.

        Raises: Refusal: OVERLOADED: too many requests wait.
        """
        if letter.is_request and len(self._letters) >= self._count_max:
            raise Refusal(Reason.OVERLOADED, retry_after_ms=1_000)
        self._letters.append(letter)
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def get(self) -> Letter:
        """The next letter, when there is one."""
        while not self._letters:
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        return self._letters.popleft()

    def __iter__(self) -> Iterator[Letter]:
        return iter(tuple(self._letters))

    def __len__(self) -> int:
        return len(self._letters)
