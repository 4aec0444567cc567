"""The demonstration's bots notice when what they were told does not hang together (PF-40, law 1 over the wire)."""

from datetime import UTC, datetime
from typing import Any

import grpc
import pytest
from cardroom.mahjong.v1 import view_pb2
from cardroom.table.v1 import event_pb2, table_pb2

from cardroom_client import CallRefused, Seat, TableSession
from clients.load.bot_player import BotPlayer, Played
from games.bots import landlord as landlord_policy
from games.bots import policy
from games.catalog import variant_of
from games.landlord import actions as cards
from games.mahjong.actions import CloseQuestion, Deal
from games.mahjong.events import Answered, Event
from games.mahjong.game import GAME
from games.mahjong.state import Phase, State
from tests.services.sdk.scripted_table import Fail, ScriptedTable, served_table
from wire import landlord
from wire.mahjong import action_to_proto, event_to_proto, view_to_proto

pytestmark = pytest.mark.fast

SEAT = 1
READY = table_pb2.SetReadyResponse(seq=0)


def played_deal() -> tuple[list[Event], State]:
    """A whole deal by the policy, every seat from its own view. Returns: its public events and its end."""
    rules = variant_of("bloody4").ruleset({}, 1)
    state = GAME.initial(rules, 0)
    wall = tuple(sorted(rules.kinds * 4, key=lambda tile: (tile * 7 + 3) % 19))
    events = list(GAME.open(state, wall, (1, 2, 3, 4)))
    state = GAME.evolve(state, events[0])
    while state.phase is not Phase.OVER:
        awaited = GAME.awaiting(state)
        if state.phase is Phase.OPENED:
            happened = GAME.decide(state, Deal())
        elif awaited:
            seat = min(awaited)
            happened = GAME.decide(state, policy.choose(GAME.view(state, seat), seat, GAME.legal(state, seat)))
        else:
            happened = GAME.decide(state, CloseQuestion())
        for event in happened:
            state = GAME.evolve(state, event)
        events += [event for event in happened if not isinstance(event, Answered)]
    return events, state


def stream(events: list[Event]) -> list[table_pb2.WatchResponse]:
    """What one seat is sent: a snapshot before the deal, every event as it may see it, the end of the table."""
    seats = [table_pb2.SeatState(seat=seat, arrived=True) for seat in range(4)]
    first = table_pb2.Snapshot(state=event_pb2.TABLE_STATE_READYING, seats=seats)
    sent = [table_pb2.WatchResponse(epoch=1, seq=0, snapshot=first)]
    for seq, event in enumerate(events, start=1):
        seen = GAME.redact(event, SEAT)
        assert seen is not None
        entry = event_pb2.TableEvent(mahjong=event_to_proto(seen))
        sent.append(table_pb2.WatchResponse(epoch=1, seq=seq, event=entry))
    for entry in (
        event_pb2.TableEvent(deal_settled=event_pb2.DealSettled()),
        event_pb2.TableEvent(closed=event_pb2.TableClosed()),
    ):
        sent.append(table_pb2.WatchResponse(epoch=1, seq=len(sent), event=entry))
    return sent


def shown(view: view_pb2.View) -> table_pb2.GetSnapshotResponse:
    return table_pb2.GetSnapshotResponse(snapshot=table_pb2.Snapshot(mahjong=view))


async def bot_at(table: ScriptedTable) -> Played:
    async with served_table(table) as at:
        seat = Seat("t", SEAT, "r", at.authority, "p", "token", datetime.now(UTC))
        async with TableSession(seat) as session:
            return await BotPlayer(session).play()


async def test_a_view_that_equals_the_snapshot_is_no_fault() -> None:
    events, end = played_deal()
    view = view_to_proto(GAME.view(end, SEAT), SEAT)
    played = await bot_at(ScriptedTable(streams=[stream(events)], answers=[READY, shown(view)]))
    assert played.faults == []
    assert played.deal_count == 1
    assert [entry.seq for entry in played.entries] == list(range(len(events) + 3))


def loses_a_tile(view: view_pb2.View) -> None:
    del view.hands[SEAT].tiles[0]


def counts_a_draw_more(view: view_pb2.View) -> None:
    view.draw_count += 1


def forgets_a_discard(view: view_pb2.View) -> None:
    del view.discards[0]


@pytest.mark.parametrize("spoil", [loses_a_tile, counts_a_draw_more, forgets_a_discard])
async def test_a_view_that_differs_from_the_snapshot_is_a_fault(spoil: Any) -> None:
    events, end = played_deal()
    view = view_to_proto(GAME.view(end, SEAT), SEAT)
    spoil(view)
    played = await bot_at(ScriptedTable(streams=[stream(events)], answers=[READY, shown(view)]))
    assert len(played.faults) == 1


def asked() -> list[table_pb2.WatchResponse]:
    """The deal up to the bot's first decision, that decision, and the end."""
    events, _ = played_deal()
    state = GAME.initial(variant_of("bloody4").ruleset({}, 1), 0)
    count = 0
    while SEAT not in GAME.awaiting(state):
        state = GAME.evolve(state, events[count])
        count += 1
    options = [table_pb2.Option(mahjong=action_to_proto(action)) for action in GAME.legal(state, SEAT)]
    prompt = table_pb2.WatchResponse(
        epoch=1, seq=count, prompt=table_pb2.Prompt(decision_id=f"{count}-{SEAT}", options=options)
    )
    closed = event_pb2.TableEvent(closed=event_pb2.TableClosed())
    return [
        *stream(events[:count])[:-2],
        prompt,
        prompt,
        table_pb2.WatchResponse(epoch=1, seq=count + 1, event=closed),
    ]


async def test_a_decision_is_answered_once_with_one_of_its_options() -> None:
    sent = asked()
    table = ScriptedTable(streams=[sent], answers=[READY, table_pb2.ActResponse(seq=9)])
    played = await bot_at(table)
    assert (played.move_count, played.overtaken_count) == (1, 0)
    moves = [request for request in table.asked if isinstance(request, table_pb2.ActRequest)]
    assert len(moves) == 1
    assert moves[0].mahjong in [option.mahjong for option in sent[-2].prompt.options]
    assert moves[0].decision_id == sent[-2].prompt.decision_id


async def test_a_move_that_comes_too_late_is_counted_and_an_illegal_one_is_raised() -> None:
    stale = Fail(grpc.StatusCode.FAILED_PRECONDITION, "DECISION_STALE")
    played = await bot_at(ScriptedTable(streams=[asked()], answers=[READY, stale]))
    assert (played.move_count, played.overtaken_count) == (0, 1)
    illegal = Fail(grpc.StatusCode.INVALID_ARGUMENT, "TILE_NOT_HELD")
    with pytest.raises(CallRefused, match="TILE_NOT_HELD"):
        await bot_at(ScriptedTable(streams=[asked()], answers=[READY, illegal]))


async def test_a_bot_plays_cards_by_the_policy_of_their_family() -> None:
    """A snapshot of a deal of 听用斗地主 with a prompt: the bot weighs every play of its hand, not the hints alone."""
    game = variant_of("tingyong").game
    state = game.initial(variant_of("tingyong").ruleset({}, 1), SEAT)
    for event in game.open(state, tuple(range(51))):
        state = game.evolve(state, event)
    for action in (cards.Deal(), cards.Call(SEAT), cards.Pass(2), cards.Pass(0)):
        for event in game.decide(state, action):
            state = game.evolve(state, event)
    view = game.view(state, SEAT)
    hints = game.hints(state, SEAT)[:1]
    prompt = table_pb2.Prompt(
        decision_id="9-1", options=[table_pb2.Option(landlord=landlord.action_to_proto(hint)) for hint in hints]
    )
    snapshot = table_pb2.Snapshot(
        state=event_pb2.TABLE_STATE_PLAYING, landlord=landlord.view_to_proto(view), prompt=prompt
    )
    stream = [
        table_pb2.WatchResponse(epoch=1, seq=9, snapshot=snapshot),
        table_pb2.WatchResponse(epoch=1, seq=10, event=event_pb2.TableEvent(closed=event_pb2.TableClosed())),
    ]
    table = ScriptedTable(streams=[stream], answers=[table_pb2.ActResponse(seq=10)])
    played = await bot_at(table)
    assert (played.faults, played.move_count) == ([], 1)
    assert played.view == view
    (request,) = [request for request in table.asked if isinstance(request, table_pb2.ActRequest)]
    sent = landlord.action_from_proto(request.landlord, SEAT)
    assert sent == landlord_policy.choose(view, SEAT, game.legal(view, SEAT))
