"""A deal of cards as `make run` tells it, and asked again at scoring (TY-10..43)."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from cardroom.landlord.v1 import event_pb2
from cardroom.scoring.v1 import scoring_pb2
from cardroom.table.v1 import event_pb2 as table_pb2
from cardroom.table.v1 import room_pb2
from cardroom.table.v1 import table_pb2 as watch_pb2

from deploy.local.card_check import CardCheck
from deploy.local.chorus import merged
from deploy.local.landlord_tale import END_WORDS, KIND_WORDS, MULTIPLYING, SPRING_WORDS
from deploy.local.money_check import MoneyCheck
from deploy.local.narrator import Narrator
from games.bots import landlord as policy
from games.catalog import variant_of
from games.kernel import Payment, pay
from games.landlord import actions as asked
from games.landlord.cards import parse
from games.landlord.events import Event
from games.landlord.game import GAME
from games.landlord.state import Phase
from services.scoring.edge.servicer import ScoringServicer
from wire.landlord import KINDS, event_to_proto

pytestmark = pytest.mark.fast

RULES = variant_of("tingyong").ruleset({"room": "2000"}, 200)
BALANCES, POINTS = (2_000, 10_000, 300), (50, 9, 1_000)
Log = list[table_pb2.TableEvent]


def played(seed: int) -> list[Event]:
    """A deal between bots; the first bidder calls."""
    wall = list(range(51))
    random.Random(seed).shuffle(wall)
    state = GAME.initial(RULES, 0)
    events: list[Event] = []
    made: tuple[Event, ...] = GAME.open(state, tuple(wall))
    while True:
        for event in made:
            state = GAME.evolve(state, event)
            events.append(event)
        if state.phase is Phase.OVER:
            return events
        action: Any = asked.Deal()
        if state.phase is Phase.BIDDING:
            action = asked.Call(state.turn)
        elif state.phase is not Phase.OPENED:
            view = GAME.view(state, state.turn)
            action = policy.choose(view, state.turn, GAME.legal(state, state.turn))
        made = GAME.decide(state, action)


def log_of(events: list[Event]) -> Log:
    """The table's log of a deal as its seats together know it: no pack in it."""
    rows = [
        [table_pb2.SeatBalance(seat=seat, balance=balance) for seat, balance in enumerate(balances)]
        for balances in (BALANCES, POINTS)
    ]
    log = [table_pb2.TableEvent(deal_started=table_pb2.DealStarted(balances=rows[0], points=rows[1]))]
    for event in events:
        seen = {seat: table_pb2.TableEvent(landlord=event_to_proto(GAME.redact(event, seat))) for seat in range(3)}
        log.append(merged(seen))
    ended: Any = events[-1]
    for asset, balances, payments in (
        ("coins", BALANCES, ended.payments),
        ("points", POINTS, ended.point_payments),
    ):
        log += settlement(asset, balances, payments)
    after = [pay(BALANCES, ended.payments).balances, pay(POINTS, ended.point_payments).balances]
    rows = [[table_pb2.SeatBalance(seat=seat, balance=units) for seat, units in enumerate(row)] for row in after]
    log.append(table_pb2.TableEvent(deal_settled=table_pb2.DealSettled(balances=rows[0], points=rows[1])))
    return log


def settlement(asset: str, balances: tuple[int, ...], payments: tuple[Payment, ...]) -> Log:
    result = pay(balances, payments)
    rows = [
        table_pb2.TablePayment(
            payer_seat=line.payment.payer,
            payee_seat=line.payment.payee,
            asked=line.payment.amount,
            paid=line.paid,
            cause=line.payment.cause,
            group_id=line.payment.group.number if line.payment.group else 0,
            remainder_to_seat=line.payment.group.remainder_to if line.payment.group else None,
        )
        for line in result.lines
    ]
    after = [table_pb2.SeatBalance(seat=seat, balance=units) for seat, units in enumerate(result.balances)]
    due = table_pb2.PaymentsDue(settlement_seq=1, asset=asset, payments=rows)
    made = table_pb2.PaymentsMade(settlement_seq=1, asset=asset, payments=rows, balances=after)
    return [table_pb2.TableEvent(payments_due=due), table_pb2.TableEvent(payments_made=made)]


def told(log: Log) -> list[str]:
    lines: list[str] = []
    narrator = Narrator(lines.append)
    for event in log:
        narrator.tell(event)
    narrator.close()
    return lines


SEEDS = range(8)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_deal_of_cards_is_told_from_the_bids_to_the_payments(seed: int) -> None:
    events = played(seed)
    lines = told(log_of(events))
    text = "\n".join(lines)
    assert "seat 0 bids first" in text
    assert "takes the bottom cards" in text
    assert f"multiplier x{events[-1].multiplier}" in text  # type: ignore[union-attr]
    assert "settlement 1 in coins" in text
    assert "settlement 1 in points" in text
    assert all(len(line) <= 160 for line in lines)
    moves = sum(type(event).__name__ in ("Played", "Passed") for event in events)
    assert text.count(":") >= moves


def test_bombs_and_doubles_stand_on_lines_of_their_own_with_the_multiplier_ty_30() -> None:
    card = event_pb2.Event(opened=event_pb2.Opened(card_count=51, first_bidder=1))
    bomb = event_pb2.Played(seat=2, cards=parse("S7 H7 D7 C7"))
    bomb.reading.kind, bomb.reading.rank, bomb.reading.count = KINDS[next(k for k in KINDS if k == "bomb")], 4, 4
    single = event_pb2.Played(seat=0, cards=parse("RJ"))
    single.reading.kind, single.reading.rank, single.reading.count = KINDS[next(iter(KINDS))], 14, 1
    lines = told(
        [
            table_pb2.TableEvent(landlord=event)
            for event in (
                card,
                event_pb2.Event(passed=event_pb2.Passed(seat=1)),
                event_pb2.Event(called=event_pb2.Called(seat=2, blind=True)),
                event_pb2.Event(doubled=event_pb2.Doubled(seat=0)),
                event_pb2.Event(redoubled=event_pb2.Redoubled(seat=2)),
                event_pb2.Event(played=single),
                event_pb2.Event(played=bomb),
            )
        ]
    )
    assert lines[1:] == [
        "  1:-",
        "  x2 seat 2: 闷 calls blind",
        "  x4 seat 0: 倒 doubles",
        "  x8 seat 2: 拉 redoubles",
        "  0:RJ",
        "  x16 seat 2: 炸弹 bomb S7 H7 D7 C7",
    ]


def test_a_card_table_is_introduced_and_a_deal_resumed() -> None:
    lines: list[str] = []
    narrator = Narrator(lines.append)
    snapshot = watch_pb2.Snapshot(
        deal_number=2,
        room=room_pb2.Room(room_id="r", name="演示", variant="tingyong", asset="coins", moves_points=True),
    )
    snapshot.landlord.multiplier = 4
    snapshot.landlord.hands.add(hidden_count=17)
    narrator.introduce(snapshot)
    narrator.resume(snapshot)
    assert lines[0].endswith("points by the score beside")
    assert lines[-1] == (
        "deal 2 goes on where it was left: no landlord yet, multiplier x4, 17 cards in hand, 0 moves made"
    )


def test_every_kind_of_event_and_whatever_the_wire_may_say_has_words() -> None:
    for field in event_pb2.Event.DESCRIPTOR.fields:
        event = event_pb2.Event()
        getattr(event, field.name).SetInParent()
        if field.name == "dealt":
            event.dealt.hands.add(hidden_count=16)
        if field.name == "ended":
            event.ended.cause = event_pb2.END_CAUSE_OUT
        if field.name == "played":
            event.played.reading.kind = KINDS[next(iter(KINDS))]
        assert told([table_pb2.TableEvent(landlord=event)]), field.name
    assert set(END_WORDS) == set(event_pb2.EndCause.values()) - {0}
    assert set(SPRING_WORDS) == set(event_pb2.Spring.values())
    assert set(KIND_WORDS) == set(KINDS.values()) > MULTIPLYING


# --- money and scoring ------------------------------------------------------------------------------


def faults_of(log: Log) -> list[str]:
    checks = [MoneyCheck("coins"), MoneyCheck("points", stake_of_score=200)]
    for event in log:
        for check in checks:
            check.take(event)
    return [fault for check in checks for fault in check.faults]


async def asked_again(log: Log) -> tuple[int, list[str]]:
    check, servicer, context = CardCheck(), ScoringServicer(), None
    for event in log:
        check.take(event)

    async def read_cards(request: scoring_pb2.ReadCardsRequest) -> scoring_pb2.ReadCardsResponse:
        return await servicer.ReadCards(request, context)  # type: ignore[arg-type]

    async def settle_deal(request: scoring_pb2.SettleDealRequest) -> scoring_pb2.SettleDealResponse:
        return await servicer.SettleDeal(request, context)  # type: ignore[arg-type]

    return check.play_count, list(await check.ask(read_cards, settle_deal))


@pytest.mark.parametrize("seed", SEEDS)
async def test_both_assets_of_a_deal_are_checked_and_asked_again(seed: int) -> None:
    events = played(seed)
    assert faults_of(log_of(events)) == []
    plays, differing = await asked_again(log_of(events))
    assert plays == sum(type(event).__name__ == "Played" for event in events) > 0
    assert differing == []


def made_of(log: Log, asset: str) -> table_pb2.PaymentsMade:
    return next(event.payments_made for event in log if event.payments_made.asset == asset)


def pays_less(log: Log) -> None:
    made_of(log, "coins").payments[0].paid -= 1


def scores_more(log: Log) -> None:
    made_of(log, "points").payments[-1].asked += 1


def leaves_points_out(log: Log) -> None:
    del log[next(place for place, event in enumerate(log) if event.payments_made.asset == "points")]


@pytest.mark.parametrize("spoil", [pays_less, scores_more, leaves_points_out])
async def test_money_of_cards_that_goes_another_way_is_told(spoil: Callable[[Log], None]) -> None:
    log = log_of(played(1))
    spoil(log)
    assert faults_of(log)
    assert (await asked_again(log))[1]


async def test_a_play_that_reads_otherwise_at_scoring_is_told() -> None:
    log = log_of(played(1))
    play = next(event.landlord.played for event in log if event.landlord.HasField("played"))
    play.reading.rank += 1
    assert len((await asked_again(log))[1]) == 1
