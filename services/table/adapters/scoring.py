"""The scoring service over gRPC, asked about what the table is about to settle."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

import grpc.aio
from cardroom.scoring.v1 import scoring_pb2, scoring_pb2_grpc
from cardroom.table.v1 import event_pb2

from games.mahjong.events import Won
from games.mahjong.state import State
from refusals import Reason
from services.table.app.table_time import Clock
from services.table.model.play import GameEvent, GameState
from services.table.ports import ServiceAway
from serving.refusing import refusal_of
from wire.landlord import questions as landlord
from wire.mahjong import event_to_proto
from wire.mahjong import questions as mahjong
from wire.mahjong.questions import win_question, worth

Response = TypeVar("Response")
_Ask = Callable[["scoring_pb2_grpc.ScoringServiceAsyncStub"], Awaitable[Response]]

_CONTRADICTS = frozenset({Reason.RECORD_INVALID, Reason.HAND_IMPOSSIBLE, Reason.INVALID_FIELD, Reason.OPTION_INVALID})
"""Refusals by which scoring says that what it was sent cannot be; after all others it just cannot be asked now."""


@dataclass(frozen=True, slots=True)
class _Records:
    """How the records of a family's deals are asked about.

    Attributes:
        field: the question's field that holds the record.
        question: what a record comes to.
        told, found: payments that a record asks for and that scoring finds, in one form.
    """

    field: str
    question: Callable[[Sequence[Any]], scoring_pb2.SettleDealRequest]
    told: Callable[[Sequence[Any]], object]
    found: Callable[[scoring_pb2.SettleDealResponse], object]


_RECORDS: Mapping[str, _Records] = MappingProxyType(
    {
        "mahjong": _Records("events", mahjong.deal_question, mahjong.payments_told, mahjong.payments_found),
        "landlord": _Records(
            "landlord_events", landlord.deal_question, landlord.payments_told, landlord.payments_found
        ),
    }
)
"""By the field in which the table's log holds a family's events."""


class _Contradicted(Exception):
    """Scoring says that what it was sent cannot be."""


class GrpcScoring:
    """`Scoring` over a channel, each call within a bound; after a vain wait it is left alone for a while."""

    def __init__(self, channel: grpc.aio.Channel | None, clock: Clock, *, patience_ms: int, pause_ms: int) -> None:
        """`channel`: None where there is no scoring service at all."""
        self._stub = None if channel is None else scoring_pb2_grpc.ScoringServiceStub(channel)
        self._clock = clock
        self._patience_s = patience_ms / 1000
        self._pause_ms = pause_ms
        self._silent_until_ms = 0

    async def same_win(self, before: GameState, event: GameEvent) -> bool | None:
        """See `Scoring`."""
        if not isinstance(event, Won) or not isinstance(before, State):
            return None
        asked = [
            (win_question(before, winner.seat), told)
            for winner, told in zip(event.winners, event_to_proto(event).won.winners, strict=True)
        ]
        questions = [(question, told) for question, told in asked if question is not None]
        if not questions:
            return None
        try:
            for question, told in questions:
                answer = await self._ask(self._scoring(question))
                if not answer.HasField("win") or worth(answer.win) != worth(told):
                    return False
        except _Contradicted:
            return False
        return True

    def _scoring(self, question: scoring_pb2.ScoreWinRequest) -> "_Ask[scoring_pb2.ScoreWinResponse]":
        return lambda stub: stub.ScoreWin(question, timeout=self._patience_s)

    def question(self, entries: Sequence[bytes]) -> bytes | None:
        """See `Scoring`."""
        events = [event_pb2.TableEvent.FromString(data) for data in entries]
        for family, records in _RECORDS.items():
            if events and all(event.WhichOneof("kind") == family for event in events):
                return records.question([getattr(event, family) for event in events]).SerializeToString()
        return None

    async def same_deal(self, question: bytes) -> bool:
        """See `Scoring`."""
        request = scoring_pb2.SettleDealRequest.FromString(question)
        try:
            answer = await self._ask(lambda stub: stub.SettleDeal(request, timeout=self._patience_s))
        except _Contradicted:
            return False
        records = next(each for each in _RECORDS.values() if getattr(request, each.field))
        return records.found(answer) == records.told(getattr(request, records.field))

    async def _ask(self, call: "_Ask[Response]") -> Response:
        """Raises: ServiceAway, _Contradicted."""
        now_ms = self._clock.monotonic_ms()
        if self._stub is None or now_ms < self._silent_until_ms:
            raise ServiceAway
        try:
            return await call(self._stub)
        except grpc.aio.AioRpcError as error:
            refusal = refusal_of(error)
            if refusal is not None and refusal.reason in _CONTRADICTS:
                raise _Contradicted from error
            self._silent_until_ms = now_ms + self._pause_ms
            raise ServiceAway from error
