"""Players who play by the policy over the client library, and remember what they were told and promised."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from cardroom.mahjong.v1 import action_pb2
from cardroom.table.v1 import table_pb2

from cardroom_client import Move, Seat, TableSession
from clients.load.bot_player import BotPlayer, Played, Seen


@dataclass(frozen=True, slots=True)
class Promise:
    """A move that the server has said it has.

    Attributes:
        seq: number of its first event; of the event that opened the question, where it is queued.
        duplicate: whether the first answer got lost and this is the second.
    """

    seat: int
    action: action_pb2.Action
    seq: int
    queued: bool
    duplicate: bool


@dataclass
class Witness:
    """A player after a deal.

    Attributes:
        ready: numbers of the events that say he is ready.
    """

    played: Played
    promises: list[Promise] = field(default_factory=list)
    ready: list[int] = field(default_factory=list)


class WitnessSession(TableSession):
    """A session that keeps the answers it gets; the nonce is the seat's own, so that a deal can be repeated."""

    def __init__(self, seat: Seat, renew: Callable[[], Awaitable[Seat]] | None) -> None:
        super().__init__(seat, renew=renew)
        self.promises: list[Promise] = []
        self.ready: list[int] = []

    async def act(self, move: Move, decision_id: str, *, request_id: str | None = None) -> table_pb2.ActResponse:
        """See `TableSession`."""
        answer = await super().act(move, decision_id, request_id=request_id)
        action = move.mahjong if isinstance(move, table_pb2.Option) else move
        assert isinstance(action, action_pb2.Action), "these players play mahjong"
        queued = answer.outcome == table_pb2.ACT_OUTCOME_QUEUED
        self.promises.append(Promise(self.seat.seat, action, answer.seq, queued, answer.duplicate))
        return answer

    async def set_ready(self, nonce: bytes = b"") -> table_pb2.SetReadyResponse:
        """See `TableSession`."""
        answer = await super().set_ready(nonce_of(self.seat.seat))
        self.ready.append(answer.seq)
        return answer


def nonce_of(seat: int) -> bytes:
    """A seat's part of the shuffle."""
    return hashlib.sha256(f"seat {seat}".encode()).digest()


async def play(
    seats: Sequence[Seat],
    *,
    deal_count: int = 1,
    renew: Callable[[int], Callable[[], Awaitable[Seat]]] | None = None,
    seen: Seen | None = None,
) -> list[Witness]:
    """Play a table until it is dissolved; one witness a seat.

    Args:
        deal_count: deals for which they say ready.
        renew: for a place among the seats, how that player asks where his table is now.
        seen: told every message of every player.
    """

    async def one(place: int, seat: Seat) -> Witness:
        async with WitnessSession(seat, renew and renew(place)) as session:
            played = await BotPlayer(session, deal_count_max=deal_count).play(seen)
            return Witness(played, session.promises, session.ready)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(place, seat)) for place, seat in enumerate(seats)]
    return [task.result() for task in tasks]
