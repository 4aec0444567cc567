"""A player that plays by itself over the public API, and checks that what it was told hangs together."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from cardroom.table.v1 import event_pb2, table_pb2

from cardroom_client import CallRefused, Player, Seat, TableSession, TooLate
from clients.load.families import PLAYS, Choose
from games.kernel import Seat as SeatNumber

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
    view: Any = None
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
    return await player.take_seat(room_id)


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

    def __init__(self, table: TableSession, *, choose: Choose | None = None, deal_count_max: int = 1) -> None:
        """A bot.

        Args:
            choose: its policy; None for the sensible one of the family that is played.
            deal_count_max: so many deals are played; then it says ready no more.
        """
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
        if kind not in ("prompt", "presence"):
            self.played.entries.append(message)
        if kind == "snapshot":
            await self._take_snapshot(message.snapshot)
        elif kind == "event":
            await self._take_event(message.event)
        elif kind == "prompt":
            await self._answer(message.prompt)

    async def _take_snapshot(self, snapshot: table_pb2.Snapshot) -> None:
        self.played.view = self._view_of(snapshot)
        if snapshot.rewound:
            self._answered = ""  # what was answered is lost with the log's tail
        if snapshot.state in WAITS_FOR_READY and not snapshot.seats[self.played.seat].ready:
            await self._say_ready()
        await self._take_over(any(row.trustee for row in snapshot.seats if row.seat == self.played.seat))
        if snapshot.HasField("prompt"):
            await self._answer(snapshot.prompt)

    async def _take_event(self, event: event_pb2.TableEvent) -> None:
        kind = event.WhichOneof("kind")
        if kind == "arrived":
            await self._say_ready()
        elif kind == "deal_settled":
            self.played.deal_count += 1
            await self._say_ready()
        elif kind == "trustee":
            await self._take_over(event.trustee.seat == self.played.seat and event.trustee.on)
        elif kind is not None and kind in PLAYS:
            move = getattr(event, kind)
            self._fold(kind, move)
            if move.HasField("ended"):
                await self._compare()

    async def _take_over(self, served: bool) -> None:
        """A bot that was too slow twice is there all the same: it plays for itself again (PF-22)."""
        if served:
            try:
                await self._table.set_trustee(False)
            except CallRefused as refusal:
                if refusal.reason not in GONE:
                    raise

    def _view_of(self, snapshot: table_pb2.Snapshot) -> Any:
        """What the seat knows of the deal, by the snapshot; None before a deal."""
        for family, play in PLAYS.items():
            if snapshot.HasField(family):  # type: ignore[arg-type]  # a family is a field
                return play.view_from_proto(getattr(snapshot, family), self.played.seat)
        return None

    def _fold(self, family: str, move: Any) -> None:
        game = PLAYS[family].game
        happened = PLAYS[family].event_from_proto(move)
        state = self.played.view
        if move.HasField("opened"):
            state = game.initial(happened.ruleset, happened.dealer)
        assert state is not None, "a move before any deal"
        self.played.view = game.evolve(state, happened)

    async def _compare(self) -> None:
        """The folded view of an ended deal against a fresh snapshot."""
        answer = await self._table.snapshot()
        if self._view_of(answer.snapshot) != self.played.view:
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
        try:
            await self._table.act(self._chosen(prompt), prompt.decision_id)
            self.played.move_count += 1
        except TooLate as late:
            self.played.overtaken_count += 1
            if late.reason == "SEAT_AWAY":
                return  # asked again when the seat is back
        self._answered = prompt.decision_id

    def _chosen(self, prompt: table_pb2.Prompt) -> Any:
        """The move of the policy, as a message."""
        seat, view = self.played.seat, self.played.view
        play = PLAYS[prompt.options[0].WhichOneof("action") or ""]
        offered = tuple(
            play.action_from_proto(getattr(option, option.WhichOneof("action") or ""), seat)
            for option in prompt.options
        )
        options = play.options(view, seat, offered)
        if not set(offered) <= set(options):
            self.played.faults.append(f"seat {seat}: offered what its view does not allow")
        return play.action_to_proto((self._choose or play.choose)(view, seat, options))
