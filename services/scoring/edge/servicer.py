"""ScoringService on the wire."""

from typing import Any

import grpc.aio
from cardroom.scoring.v1 import scoring_pb2, scoring_pb2_grpc

from services.scoring.app.card_questions import cards_read
from services.scoring.app.questions import list_waits, score_win
from services.scoring.app.settlement import settle_deal
from services.scoring.edge import mapping

_Context = grpc.aio.ServicerContext[Any, Any]


class ScoringServicer(scoring_pb2_grpc.ScoringServiceServicer):
    """Answers from the rules alone; it keeps nothing."""

    async def ScoreWin(self, request: scoring_pb2.ScoreWinRequest, context: _Context) -> scoring_pb2.ScoreWinResponse:
        """See the proto."""
        rules = mapping.ruleset_query(request.ruleset)
        return mapping.score_response(score_win(rules, mapping.win_query(request)))

    async def ListWaits(
        self, request: scoring_pb2.ListWaitsRequest, context: _Context
    ) -> scoring_pb2.ListWaitsResponse:
        """See the proto."""
        rules = mapping.ruleset_query(request.ruleset)
        return mapping.waits_response(list_waits(rules, mapping.hand_query(request)))

    async def ReadCards(
        self, request: scoring_pb2.ReadCardsRequest, context: _Context
    ) -> scoring_pb2.ReadCardsResponse:
        """See the proto."""
        rules = mapping.ruleset_query(request.ruleset)
        return mapping.cards_response(cards_read(rules, request.cards, mapping.last_play(request)))

    async def SettleDeal(
        self, request: scoring_pb2.SettleDealRequest, context: _Context
    ) -> scoring_pb2.SettleDealResponse:
        """See the proto."""
        rules = mapping.ruleset_query(request.ruleset) if request.HasField("ruleset") else None
        events = mapping.events_of(request.events, len(request.events))
        return mapping.settle_response(settle_deal(rules, events, tuple(request.balances)))
