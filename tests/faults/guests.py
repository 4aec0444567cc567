"""Guests at a table over the client library: what each device is told, and no move that the test does not let it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Self

from cardroom.mahjong.v1 import action_pb2
from cardroom.table.v1 import table_pb2

from cardroom_client import Player, TableSession, TooLate
from clients.load.families import PLAYS
from tests.faults.machine import Machine, PodProcess
from tests.faults.witnesses import nonce_of

LIMIT_SECONDS = 60.0
"""Far above any clock that a test waits for; far below those that must not run out."""
JITTER_MS = 250
"""By how much times that a busy server reads from its two clocks, one after the other, may disagree."""
EARLY = 0.25
"""Part of a clock that is seen at the least: it starts when its first entry is decided, which is seen once stored."""
SHOWN_WITHIN_MS = 10_000
"""The same of long clocks, in ms."""
LATE = 20
"""Times of a clock within which its end must have been told, on a machine that has much else to do."""

POD_LEAVES_SECONDS = 20.0
"""For a pod to say good-bye, so that no table of another test is sent there."""

Message = table_pb2.WatchResponse


def kind_of(message: Message) -> str:
    """The event's own kind, for a move that of the game; of other messages their kind."""
    if not message.HasField("event"):
        return message.WhichOneof("kind") or ""
    kind = message.event.WhichOneof("kind") or ""
    return getattr(message.event, kind).WhichOneof("kind") if kind in PLAYS else kind


def sent_ms(message: Message) -> int:
    """When the server sent it, on its clock."""
    return message.server_time.ToMilliseconds()


def lasted_ms(first: Message, last: Message) -> int:
    """From one message to another, on the server's clock."""
    return sent_ms(last) - sent_ms(first)


def assert_ran(limit_ms: int, lasted: int) -> None:
    """A clock of so many milliseconds has run out: not before, and not long after."""
    assert EARLY * limit_ms <= lasted <= LATE * limit_ms, f"a clock of {limit_ms} ms took {lasted} ms"


def assert_told(prompt: table_pb2.Prompt, message: Message, limit_ms: int) -> None:
    """A prompt in a message says when the server decides: a clock's length after the question (PF-20)."""
    assert not prompt.standing
    assert prompt.HasField("deadline")
    assert max(EARLY * limit_ms, limit_ms - SHOWN_WITHIN_MS) <= prompt.remaining_ms <= limit_ms
    assert abs(prompt.deadline.ToMilliseconds() - sent_ms(message) - prompt.remaining_ms) <= JITTER_MS


def assert_kept(told: table_pb2.Prompt | table_pb2.Snapshot, end: Message) -> None:
    """What ended a clock did not come before the deadline that was told."""
    assert told.HasField("deadline")
    assert sent_ms(end) >= told.deadline.ToMilliseconds() - JITTER_MS


class Guest:
    """One device of a player.

    Attributes:
        messages: all that it was sent, in order, without the server's heartbeats.
        prompt: what it is asked now, and `asked_by` the message that asked; None if nothing.
        view: what it knows of the deal, folded from its events by the rules; None before a deal.
        plays: whether it may answer what it is asked now, by the sensible policy; at first it may not.
    """

    def __init__(self, table: TableSession) -> None:
        self.table = table
        self.messages: list[Message] = []
        self.prompt: table_pb2.Prompt | None = None
        self.asked_by: Message | None = None
        self.view: Any = None
        self.plays: Callable[[Guest], bool] = lambda _: False
        self._news = asyncio.Condition()
        self._watching = asyncio.create_task(self._watch())

    async def __aenter__(self) -> Self:
        await self.until(lambda: bool(self.messages))
        return self

    async def __aexit__(self, *_: object) -> None:
        self._watching.cancel()
        await asyncio.gather(self._watching, return_exceptions=True)
        await self.table.close()

    @property
    def seat(self) -> int:
        """His seat."""
        return self.table.seat.seat

    @property
    def seq(self) -> int:
        """Number of the last entry."""
        return self.messages[-1].seq

    @property
    def asked(self) -> bool:
        """Whether he has a decision to make."""
        return self.prompt is not None and bool(self.prompt.options) and not self.prompt.standing

    def prompt_now(self) -> table_pb2.Prompt:
        """What he is asked; he is asked something."""
        assert self.prompt is not None
        return self.prompt

    def told(self, *kinds: str) -> list[Message]:
        """The events of these kinds, in order."""
        return [message for message in self.messages if message.HasField("event") and kind_of(message) in kinds]

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until it holds; it is looked at after each message. Fails if the stream ends before."""
        async with asyncio.timeout(LIMIT_SECONDS), self._news:
            await self._news.wait_for(lambda: holds() or self._watching.done())
        if not holds():
            self._watching.result()
            raise AssertionError(f"the stream of seat {self.seat} has ended with {kind_of(self.messages[-1])}")

    async def event(self, kind: str, *, after: int = 0) -> Message:
        """The first event of a kind after a number, once it has come."""
        await self.until(lambda: any(message.seq > after for message in self.told(kind)))
        return next(message for message in self.told(kind) if message.seq > after)

    async def until_asked(self, *, after: int = 0) -> Message:
        """The message that asked him, once he is asked what an entry after a number has opened."""
        await self.until(lambda: self.asked and self.seq > after)
        assert self.asked_by is not None
        return self.asked_by

    async def ended(self) -> None:
        """Wait for the stream's last word."""
        async with asyncio.timeout(LIMIT_SECONDS):
            await asyncio.shield(self._watching)

    async def act(self, action: action_pb2.Action | table_pb2.Option) -> table_pb2.ActResponse:
        """Answer what he is asked."""
        return await self.table.act(action, self.prompt_now().decision_id)

    async def go_on(self, plays: "Callable[[Guest], bool]") -> None:
        """Let him answer, also what he is asked already."""
        async with self._news:
            self.plays = plays
            await self._answer()

    async def snapshot(self) -> table_pb2.Snapshot:
        """What a fresh look shows him."""
        return (await self.table.snapshot()).snapshot

    async def _watch(self) -> None:
        try:
            async for message in self.table.watch():
                async with self._news:
                    if not message.HasField("heartbeat"):
                        self._take(message)
                        await self._answer()
                    self._news.notify_all()
        finally:
            async with self._news:
                self._news.notify_all()

    def _take(self, message: Message) -> None:
        self.messages.append(message)
        kind = message.WhichOneof("kind")
        if kind == "prompt":
            self._ask(message.prompt, message)
        elif kind == "snapshot":
            self._ask(message.snapshot.prompt if message.snapshot.HasField("prompt") else None, message)
            self.view = self._view_of(message.snapshot)
        elif kind == "event":
            family = message.event.WhichOneof("kind") or ""
            if family in PLAYS:
                self._fold(family, getattr(message.event, family))
            if self.prompt is not None and not self.prompt.standing and family in PLAYS:
                self._ask(None, message)

    def _ask(self, prompt: table_pb2.Prompt | None, message: Message) -> None:
        self.prompt, self.asked_by = prompt, message

    def _view_of(self, snapshot: table_pb2.Snapshot) -> Any:
        return next(
            (
                row.view_from_proto(getattr(snapshot, family), self.seat)
                for family, row in PLAYS.items()
                if snapshot.HasField(family)  # type: ignore[arg-type]  # a family is a field
            ),
            None,
        )

    def _fold(self, family: str, move: Any) -> None:
        row = PLAYS[family]
        event = row.event_from_proto(move)
        before = row.game.initial(event.ruleset, event.dealer) if move.HasField("opened") else self.view
        self.view = row.game.evolve(before, event)

    async def _answer(self) -> None:
        if not self.asked or not self.plays(self):
            return
        prompt = self.prompt_now()
        self.prompt = None
        family = prompt.options[0].WhichOneof("action") or ""
        row = PLAYS[family]
        offered = tuple(row.action_from_proto(getattr(option, family), self.seat) for option in prompt.options)
        options = row.options(self.view, self.seat, offered)
        try:
            await self.table.act(row.action_to_proto(row.choose(self.view, self.seat, options)), prompt.decision_id)
        except TooLate:
            return  # a question that others have closed


# --- tables -------------------------------------------------------------------------------


def player_of(machine: Machine, player_id: str) -> Player:
    """A player's login on a device."""
    return Player(machine.token("player", "player", player_id), machine.address("matchmaker"))


@asynccontextmanager
async def at_table(
    machine: Machine, pod: PodProcess, table_id: str, *, seats: int = 4, coming: int | None = None, **changes: Any
) -> AsyncIterator[list[Guest]]:
    """Guests at a table of an id of the test's own, in seat order; those of the first `coming` seats have come."""
    names = [f"{table_id}.{seat}" for seat in range(seats)]
    await machine.open_accounts(names)
    await machine.create_table(pod, table_id, names, **changes)
    async with AsyncExitStack() as stack:
        sessions = [TableSession(machine.seat(pod, table_id, seat, name)) for seat, name in enumerate(names)]
        yield [await stack.enter_async_context(Guest(session)) for session in sessions[:coming]]


async def all_ready(guests: Sequence[Guest]) -> None:
    """Everybody says ready, with the nonce that his seat always has; returns when the tiles are dealt."""
    seq = guests[0].seq
    for guest in guests:
        await guest.table.set_ready(nonce_of(guest.seat))
    for guest in guests:
        await guest.event("dealt", after=seq)


async def one_asked(guests: Sequence[Guest], *, after: int = 0) -> Guest:
    """The guest who is asked what an entry after a number has opened, once all have seen what he has."""
    waiting = {asyncio.create_task(guest.until_asked(after=after)): guest for guest in guests}
    done, pending = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    await asyncio.gather(*pending, return_exceptions=True)
    guest = waiting[next(iter(done))]
    await next(iter(done))
    for other in guests:
        await other.until(lambda other=other: other.seq >= guest.seq)  # type: ignore[misc]
    return guest
