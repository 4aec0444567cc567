"""Wins of a table asked again at scoring: equal where both are right, and a planted difference is told."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from cardroom.mahjong.v1 import event_pb2
from cardroom.scoring.v1 import scoring_pb2

from deploy.local.score_check import ScoreCheck
from games.bots import policy
from games.catalog import variants_of
from games.mahjong import actions as asked
from games.mahjong.events import Event, Won
from games.mahjong.game import GAME
from games.mahjong.state import Phase, State
from games.mahjong.variant import Variant
from games.mahjong.wall import tiles_in_order
from services.scoring.edge.servicer import ScoringServicer
from wire.mahjong import event_to_proto

DEALS = 6


async def score_win(request: scoring_pb2.ScoreWinRequest) -> scoring_pb2.ScoreWinResponse:
    context: Any = None
    return await ScoringServicer().ScoreWin(request, context)


def played(variant: str, seed: int) -> Iterator[tuple[State, Event]]:
    """The public events of a deal between bots, each with the state before it."""
    chance, rules = random.Random(seed), variants_of(Variant)[variant].ruleset({}, 1)
    wall = list(tiles_in_order(rules))
    chance.shuffle(wall)
    state = GAME.initial(rules, 0)
    made: tuple[Event, ...] = GAME.open(state, tuple(wall), (1,) * GAME.dice_count(rules))
    while True:
        for event in made:
            yield state, event
            state = GAME.evolve(state, event)
        if state.phase is Phase.OVER:
            return
        made = GAME.decide(state, next_action(state))


def next_action(state: State) -> asked.Action:
    if state.phase is Phase.OPENED:
        return asked.Deal()
    seat = min(GAME.awaiting(state), default=None)
    if seat is None:
        return asked.CloseQuestion()
    return policy.choose(GAME.view(state, seat), seat, GAME.legal(state, seat))


def wins(variant: str) -> list[tuple[State, event_pb2.Won]]:
    return [
        (state, event_to_proto(event).won)
        for seed in range(DEALS)
        for state, event in played(variant, seed)
        if isinstance(event, Won)
    ]


@pytest.mark.parametrize("variant", sorted(variants_of(Variant)))
async def test_a_win_is_worth_the_same_at_scoring_and_a_planted_difference_is_told_bb_70(variant: str) -> None:
    check = ScoreCheck()
    seen = wins(variant)
    for state, won in seen:
        for seat in state.seats:
            check.take(seat, GAME.view(state, seat), won)
    assert check.win_count == sum(len(won.winners) for _, won in seen) > 0
    assert await check.ask(score_win) == []
    for _, won in seen:
        won.winners[0].amount += 1
    assert len(await check.ask(score_win)) == len(seen)


def test_a_win_that_only_flowers_make_or_whose_hand_is_not_known_is_not_asked_about_sh_11() -> None:
    check = ScoreCheck()
    check.take(0, None, event_pb2.Won(winners=[event_pb2.WinnerResult(seat=0)]))
    assert check.win_count == 0
