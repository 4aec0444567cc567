"""A player that plays by itself over the public API, and checks that what it was told hangs together."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import uuid4

from cardroom.table.v1 import event_pb2, table_pb2

from cardroom_client import CallRefused, Player, Seat, TableSession, TooLate
from games.bots import policy
from games.kernel import Seat as SeatNumber
from games.mahjong.actions import PlayerAction
from games.mahjong.events import Opened
from games.mahjong.evolve import evolve
from games.mahjong.game import GAME
from games.mahjong.state import State
from wire.mahjong import action_from_proto, event_from_proto, view_from_proto

Choose = Callable[[State, SeatNumber, tuple[PlayerAction, ...]], PlayerAction]
"""A policy: what a seat knows, which seat it is, what it may do -> what it does."""

Seen = Callable[[table_pb2.WatchResponse], None]

WAITS_FOR_READY = frozenset(
    {event_pb2.TABLE_STATE_WAITING, event_pb2.TABLE_STATE_READYING, event_pb2.TABLE_STATE_BETWEEN_DEALS}
)


GONE = frozenset({"TABLE_CLOSED", "TABLE_UNKNOWN", "TABLE_QUARANTINED"})
"""Refusals of a table that is over."""

RELEASE_PAUSE_SECONDS = 0.2


@dataclass
class Played:
    """What a bot saw and did at a table.

    Attributes:
        seat: its place.
        entries: every message of the log and every snapshot, in the order received.
        view: what it knows of the deal, folded from them; None before a deal.
        move_count: moves it made.
        overtaken_count: moves that came too late.
        deal_count: deals settled while it watched.
        faults: what did not hang together, in words; empty if all is well.
    """

    seat: SeatNumber
    entries: list[table_pb2.WatchResponse] = field(default_factory=list)
    view: State | None = None
    move_count: int = 0
    overtaken_count: int = 0
    deal_count: int = 0
    faults: list[str] = field(default_factory=list)


async def take_seat(player: Player, room_id: str) -> Seat:
    """A seat in the room: the one the player has from before, that of the ticket he has, or one by a new ticket."""
    while True:
        former = await _former_seat(player)
        if former is None:
            break
        if not await _is_over(player, former):
            return former
        await asyncio.sleep(RELEASE_PAUSE_SECONDS)  # the table is over and about to let him go
    try:
        return await player.join(room_id)
    except CallRefused as refusal:
        if refusal.reason == "ALREADY_SEATED":
            return await player.my_seat()
        if refusal.reason != "ALREADY_QUEUED":
            raise
        ticket_id = refusal.metadata["ticket_id"]
    return await player.follow(ticket_id)


async def _former_seat(player: Player) -> Seat | None:
    try:
        return await player.my_seat()
    except CallRefused as refusal:
        if refusal.reason != "NO_SEAT":
            raise
        return None


async def _is_over(player: Player, seat: Seat) -> bool:
    async with player.sit(seat) as table:
        try:
            return (await table.snapshot()).snapshot.state == event_pb2.TABLE_STATE_CLOSED
        except CallRefused as refusal:
            if refusal.reason not in GONE:
                raise
            return True


class BotPlayer:
    """One seat played by a policy from its own view.

    It folds every event it receives by the rules and compares the result with a snapshot when a deal ends: law 1 of the
    views (PF-40), over the wire.
    """

    def __init__(self, table: TableSession, *, choose: Choose = policy.choose, deal_count_max: int = 1) -> None:
        """`deal_count_max` deals are played; then it says ready no more."""
        self._table = table
        self._choose = choose
        self._deal_count_max = deal_count_max
        self._ready_for = -1
        self._answered = ""
        self.played = Played(table.seat.seat)

    async def play(self, seen: Seen | None = None) -> Played:
        """Play until the table is dissolved; a player who has enough deals waits for that.

        Args:
            seen: told every message before the bot reacts to it.
        Raises: CallRefused: a move was refused that its own view says is legal, or the table is out of reach.
        """
        async for message in self._table.watch():
            if seen is not None:
                seen(message)
            await self._take(message)
            if message.HasField("event") and message.event.HasField("closed"):
                break
        return self.played

    async def _take(self, message: table_pb2.WatchResponse) -> None:
        kind = message.WhichOneof("kind")
        if kind != "prompt":
            self.played.entries.append(message)
        if kind == "snapshot":
            await self._take_snapshot(message.snapshot)
        elif kind == "event":
            await self._take_event(message.event)
        elif kind == "prompt":
            await self._answer(message.prompt)

    async def _take_snapshot(self, snapshot: table_pb2.Snapshot) -> None:
        self.played.view = view_from_proto(snapshot.mahjong, self.played.seat) if snapshot.HasField("mahjong") else None
        if snapshot.rewound:
            self._answered = ""  # what was answered is lost with the log's tail
        if snapshot.state in WAITS_FOR_READY and not snapshot.seats[self.played.seat].ready:
            await self._say_ready()
        if snapshot.HasField("prompt"):
            await self._answer(snapshot.prompt)

    async def _take_event(self, event: event_pb2.TableEvent) -> None:
        kind = event.WhichOneof("kind")
        if kind == "arrived":
            await self._say_ready()
        elif kind == "deal_settled":
            self.played.deal_count += 1
            await self._say_ready()
        elif kind == "mahjong":
            self._fold(event)
            if event.mahjong.HasField("ended"):
                await self._compare()

    def _fold(self, event: event_pb2.TableEvent) -> None:
        happened = event_from_proto(event.mahjong)
        state = self.played.view
        if isinstance(happened, Opened):
            state = GAME.initial(happened.ruleset, happened.dealer)
        assert state is not None, "a move before any deal"
        self.played.view = evolve(state, happened)

    async def _compare(self) -> None:
        """The folded view of an ended deal against a fresh snapshot."""
        answer = await self._table.snapshot()
        shown = view_from_proto(answer.snapshot.mahjong, self.played.seat)
        if shown != self.played.view:
            self.played.faults.append(f"seat {self.played.seat}: what it folded is not what a snapshot shows")

    async def _say_ready(self) -> None:
        """Say ready once a deal, as soon as the table takes it (PF-12)."""
        deal = self.played.deal_count
        if deal >= self._deal_count_max or self._ready_for == deal:
            return
        try:
            await self._table.set_ready(uuid4().bytes)
            self._ready_for = deal
        except CallRefused as refusal:
            if refusal.reason != "WRONG_TABLE_STATE":  # not everybody is here yet; the next arrival is the next try
                raise

    async def _answer(self, prompt: table_pb2.Prompt) -> None:
        if prompt.standing or prompt.answered or prompt.decision_id == self._answered or not prompt.options:
            return
        assert self.played.view is not None, "a decision before any deal"
        seat = self.played.seat
        options = tuple(action_from_proto(option.mahjong, seat) for option in prompt.options)
        chosen = options.index(self._choose(self.played.view, seat, options))
        try:
            await self._table.act(prompt.options[chosen], prompt.decision_id)
            self.played.move_count += 1
        except TooLate as late:
            self.played.overtaken_count += 1
            if late.reason == "SEAT_AWAY":
                return  # asked again when the seat is back
        self._answered = prompt.decision_id
