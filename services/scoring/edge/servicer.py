"""ScoringService on the wire."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc.aio
from cardroom.scoring.v1 import columns_pb2, scoring_pb2, scoring_pb2_grpc

from games.mahjong.ruleset import Ruleset
from refusals import Reason, Refusal
from services.scoring.app.batches import Batched, HandColumns, check_columns, score_columns
from services.scoring.app.card_questions import cards_read, list_plays
from services.scoring.app.card_settlement import replay_cards, settle_cards
from services.scoring.app.hands import invalid
from services.scoring.app.questions import advise_discard, list_waits, score_win
from services.scoring.app.rulesets import RulesetQuery, is_landlord, known_variant, list_rulesets, ruleset_of
from services.scoring.app.settlement import replay_deal, settle_deal
from services.scoring.app.slices import in_slices
from services.scoring.edge import cards, mapping
from services.scoring.edge.callers import Callers, Cost, batch_cost
from services.scoring.edge.columns import columns_of, wins_to_proto
from services.scoring.edge.describing import ruleset_response, rulesets_response

_Context = grpc.aio.ServicerContext[Any, Any]
STREAM_SECONDS = 3_600.0


class ScoringServicer(scoring_pb2_grpc.ScoringServiceServicer):
    """Answers from the rules alone; it keeps nothing but how much each caller may still ask.

    Whatever may take longer than a slice runs in slices, so that no caller keeps the others waiting.
    """

    def __init__(self, callers: Callers | None = None, stream_seconds: float = STREAM_SECONDS) -> None:
        """`callers` keeps the quotas, without it nobody has one; a stream that is so old is asked to come again."""
        self._callers = callers or Callers.unlimited()
        self._stream_seconds = stream_seconds
        self._draining = asyncio.Event()

    def drain(self) -> None:
        """End the streams, each when the message it is at is answered."""
        self._draining.set()

    async def ScoreWin(self, request: scoring_pb2.ScoreWinRequest, context: _Context) -> scoring_pb2.ScoreWinResponse:
        """See the proto."""
        self._callers.charge(Cost.SCORE_WIN)
        rules = mapping.ruleset_query(request.ruleset)
        return mapping.score_response(score_win(rules, mapping.win_query(request), mapping.seats_of(request)))

    async def BatchScoreWins(
        self, request: scoring_pb2.BatchScoreWinsRequest, context: _Context
    ) -> scoring_pb2.BatchScoreWinsResponse:
        """See the proto."""
        rules = ruleset_of(mapping.ruleset_query(request.ruleset))
        columns, batched = await self._batch(rules, request.hands, explain=request.explain)
        return scoring_pb2.BatchScoreWinsResponse(
            variant=rules.variant, version=rules.version, wins=wins_to_proto(rules, columns, batched)
        )

    async def ScoreWins(
        self, request_iterator: AsyncIterator[scoring_pb2.ScoreWinsRequest], context: _Context
    ) -> AsyncIterator[scoring_pb2.ScoreWinsResponse]:
        """See the proto. The next message is read when the one before is answered: a slow caller slows itself."""
        rules: Ruleset | None = None
        messages = aiter(request_iterator)
        ends = asyncio.get_running_loop().time() + self._stream_seconds
        while (request := await self._next(messages, ends)) is not None:
            if rules is None or request.HasField("ruleset"):
                rules = ruleset_of(mapping.ruleset_query(request.ruleset))
            columns, batched = await self._batch(rules, request.hands, explain=request.explain)
            yield scoring_pb2.ScoreWinsResponse(
                variant=rules.variant, version=rules.version, wins=wins_to_proto(rules, columns, batched)
            )

    async def _next(
        self, messages: AsyncIterator[scoring_pb2.ScoreWinsRequest], ends: float
    ) -> scoring_pb2.ScoreWinsRequest | None:
        """The next message of a stream; None at its end.

        Raises:
            Refusal: SHUTTING_DOWN: the process drains or the stream is old; the caller goes on elsewhere.
        """
        coming = asyncio.ensure_future(anext(messages, None))
        draining = asyncio.ensure_future(self._draining.wait())
        try:
            left = ends - asyncio.get_running_loop().time()
            await asyncio.wait((coming, draining), timeout=max(left, 0.0), return_when=asyncio.FIRST_COMPLETED)
            if coming.done():
                return coming.result()
            raise Refusal(Reason.SHUTTING_DOWN)
        finally:
            coming.cancel()
            draining.cancel()

    async def _batch(
        self, rules: Ruleset, message: columns_pb2.HandColumns, *, explain: bool
    ) -> tuple[HandColumns, Batched]:
        self._callers.charge(batch_cost(message, explain=explain))
        columns = columns_of(message)
        check_columns(columns, explain=explain)
        return columns, await in_slices(score_columns(rules, columns, explain=explain))

    async def ListWaits(
        self, request: scoring_pb2.ListWaitsRequest, context: _Context
    ) -> scoring_pb2.ListWaitsResponse:
        """See the proto."""
        self._callers.charge(Cost.LIST_WAITS)
        rules = mapping.ruleset_query(request.ruleset)
        work = list_waits(rules, mapping.hand_query(request), mapping.visible_query(request))
        return mapping.waits_response(await in_slices(work))

    async def AdviseDiscard(
        self, request: scoring_pb2.AdviseDiscardRequest, context: _Context
    ) -> scoring_pb2.AdviseDiscardResponse:
        """See the proto."""
        self._callers.charge(Cost.ADVISE_DISCARD)
        rules = mapping.ruleset_query(request.ruleset)
        work = advise_discard(rules, mapping.hand_query(request), mapping.visible_query(request))
        return mapping.advice_response(await in_slices(work))

    async def ReadCards(
        self, request: scoring_pb2.ReadCardsRequest, context: _Context
    ) -> scoring_pb2.ReadCardsResponse:
        """See the proto."""
        self._callers.charge(Cost.READ_CARDS)
        rules = mapping.ruleset_query(request.ruleset)
        return cards.cards_response(cards_read(rules, cards.cards_query(request), cards.last_play(request)))

    async def ListPlays(
        self, request: scoring_pb2.ListPlaysRequest, context: _Context
    ) -> scoring_pb2.ListPlaysResponse:
        """See the proto."""
        self._callers.charge(Cost.LIST_PLAYS)
        rules = mapping.ruleset_query(request.ruleset)
        work = list_plays(rules, cards.cards_query(request), cards.last_play(request), request.count_max)
        return cards.plays_response(await in_slices(work))

    async def SettleDeal(
        self, request: scoring_pb2.SettleDealRequest, context: _Context
    ) -> scoring_pb2.SettleDealResponse:
        """See the proto."""
        self._callers.charge(Cost.RECORD)
        rules = mapping.ruleset_query(request.ruleset) if request.HasField("ruleset") else None
        if _is_of_cards(request, rules):
            played = await in_slices(cards.CARD_RECORDS.all(request.landlord_events))
            money = settle_cards(rules, played, tuple(request.balances), tuple(request.points))
            return cards.settle_cards_response(money)
        if request.points:
            raise invalid("points", "only with the record of a game that scores in points beside")
        events = await in_slices(mapping.RECORDS.all(request.events))
        settled = await in_slices(settle_deal(rules, events, tuple(request.balances)))
        return mapping.settle_response(settled)

    async def ReplayDeal(
        self, request: scoring_pb2.ReplayDealRequest, context: _Context
    ) -> scoring_pb2.ReplayDealResponse:
        """See the proto."""
        self._callers.charge(Cost.RECORD)
        rules = mapping.ruleset_query(request.ruleset) if request.HasField("ruleset") else None
        if _is_of_cards(request, rules):
            played, unread = await in_slices(cards.CARD_RECORDS.readable(request.landlord_events))
            return cards.replay_cards_response(request.landlord_events, replay_cards(rules, played, unread))
        events, unread = await in_slices(mapping.RECORDS.readable(request.events))
        replayed = await in_slices(replay_deal(rules, events, unread))
        return mapping.replay_response(request.events, replayed)

    async def ListRulesets(
        self, request: scoring_pb2.ListRulesetsRequest, context: _Context
    ) -> scoring_pb2.ListRulesetsResponse:
        """See the proto."""
        self._callers.charge(Cost.RULESETS)
        return rulesets_response(list_rulesets(request.page_size, request.page_token))

    async def GetRuleset(
        self, request: scoring_pb2.GetRulesetRequest, context: _Context
    ) -> scoring_pb2.GetRulesetResponse:
        """See the proto."""
        self._callers.charge(Cost.RULESETS)
        return ruleset_response(known_variant(request.variant, request.version))


def _is_of_cards(
    request: scoring_pb2.SettleDealRequest | scoring_pb2.ReplayDealRequest, rules: RulesetQuery | None
) -> bool:
    """Whether a record is of the landlord family; an empty one is of the family whose rules are named.

    Raises: Refusal: INVALID_FIELD: there are two records; RULESET_UNKNOWN.
    """
    if request.events and request.landlord_events:
        raise invalid("landlord_events", "give one record")
    if request.events or request.landlord_events or rules is None:
        return bool(request.landlord_events)
    return is_landlord(rules)
