"""Tables of 听用斗地主 on sockets: a deal to money in two assets, who sees what, a crash (rules TY, PF-50..60)."""

import uuid
from pathlib import Path
from typing import Any

import pytest
from cardroom.landlord.v1 import action_pb2, view_pb2
from cardroom.table.v1 import table_pb2

from games.landlord import views
from games.landlord.cards import counts_of
from games.landlord.events import Called, Ended, Event
from games.landlord.game import LandlordGame
from games.landlord.state import State
from refusals import Reason
from services.scoring.edge.servicer import ScoringServicer
from services.table.model import play
from services.table.model.events import CloseCause, Closed, DealSettled, Move, PaymentsDue, PaymentsMade, TableEvent
from tests.services.scoring.rig import serving_scoring
from tests.services.table.landlord_deals import ROOM, dealt, game, landlord_lost, played, table_where
from tests.services.table.logs import folded, received, seen_of, stored
from tests.services.table.real_ledger import OPENING, OPENING_POINTS, Books
from tests.services.table.rig import (
    Player,
    Pods,
    RunningPod,
    Seated,
    action_of,
    eventually,
    first_option,
    gathered,
    new_table_id,
    playing,
    refusal_for,
    to_act,
)
from wire.landlord import view_from_proto

ASSETS = ("coins", "points")


def names() -> list[str]:
    return [f"{name}-{uuid.uuid4().hex[:8]}" for name in ("ann", "ben", "cho")]


async def played_on(players: list[Player]) -> None:
    """All choose first options until the table is over."""
    for player in players:
        player.play(first_option)
    for player in players:
        await player.ready()
    for player in players:
        await player.ended()
        assert player.goodbyes() == ["ENDED"]


async def of_kind(redis_url: str, seated: Seated, kind: type) -> list[Any]:
    return [event for event in await stored(redis_url, seated.table_id) if isinstance(event, kind)]


def end_of(log: list[TableEvent]) -> Ended:
    return next(event.event for event in log if isinstance(event, Move) and isinstance(event.event, Ended))


async def test_a_deal_moves_coins_and_points_ty_40_pf_60(pods: Pods, books: Books, redis_url: str) -> None:
    pods.ledger = books.ledger  # type: ignore[assignment]
    pod = await pods.start()
    seated = await pod.create(table_where(pod, landlord_lost), players=names(), **ROOM)
    await books.opened(seated.names)
    players = await gathered(seated)
    await played_on(players)
    log = await stored(redis_url, seated.table_id)
    ended = end_of(log)
    made = {event.asset: event for event in log if isinstance(event, PaymentsMade)}
    assert list(made) == list(ASSETS), "coins first"
    assert tuple(line.payment for line in made["coins"].lines) == ended.payments
    assert tuple(line.payment for line in made["points"].lines) == ended.point_payments
    assert ended.scores == tuple(after - OPENING_POINTS for after in made["points"].balances)
    settled = next(event for event in log if isinstance(event, DealSettled))
    for asset, balances, opening in zip(
        ASSETS, (settled.balances, settled.points), (OPENING, OPENING_POINTS), strict=True
    ):
        rows = await books.balances(seated.names, asset)
        assert [row.balance for row in rows] == list(balances) == list(made[asset].balances)
        assert sum(balances) == 3 * opening
        assert [row.locked_by_table_id for row in rows] == [""] * 3
    await books.sound(*ASSETS)


async def test_stakes_of_both_assets_are_locked_while_a_deal_runs_pf_55(pods: Pods, books: Books) -> None:
    pods.ledger = books.ledger  # type: ignore[assignment]
    pod = await pods.start()
    seated = await pod.create(new_table_id(), players=names(), **ROOM)
    await books.opened(seated.names)
    players = await playing(seated)
    for asset in ASSETS:
        rows = await books.balances(seated.names, asset)
        assert [row.locked_by_table_id for row in rows] == [seated.table_id] * 3
    snapshot = (await players[1].snapshot()).snapshot
    assert [(seat.balance, seat.points) for seat in snapshot.seats] == [(OPENING, OPENING_POINTS)] * 3


@pytest.mark.parametrize("wrong_in", ["", "payments", "point_payments"])
async def test_scoring_is_asked_before_either_asset_moves(
    pods: Pods, books: Books, keys: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch, wrong_in: str
) -> None:
    """It finds what the table settles; where it finds other coins or other points nothing is settled."""
    right = ScoringServicer.SettleDeal

    async def settle(self: ScoringServicer, request: Any, context: Any) -> Any:
        answer = await right(self, request, context)
        if wrong_in:
            getattr(answer, wrong_in)[0].asked += 1
        return answer

    monkeypatch.setattr(ScoringServicer, "SettleDeal", settle)
    pods.ledger = books.ledger  # type: ignore[assignment]
    async with serving_scoring(keys) as scoring:
        pod = await pods.start(scoring_address=scoring.address, scoring_patience_ms=20_000)
        seated = await pod.create(table_where(pod, landlord_lost), players=names(), **ROOM)
        await books.opened(seated.names)
        await played_on(await gathered(seated))
    log = await stored(redis_url, seated.table_id)
    assert (log[-1] == Closed(CloseCause.SCORING)) is bool(wrong_in)
    assert [event.asset for event in log if isinstance(event, PaymentsMade)] == ([] if wrong_in else list(ASSETS))
    outcomes = {name: pod.sample("cardroom_table_checks_total", outcome=name) for name in ("same", "differs")}
    assert outcomes == {"same": 0 if wrong_in else 1, "differs": 1 if wrong_in else 0}


async def test_a_short_landlord_shares_what_he_has_ty_42(pods: Pods, books: Books, redis_url: str) -> None:
    """An odd coin goes to the one who went out; points are clamped by themselves."""
    pods.ledger = books.ledger  # type: ignore[assignment]
    pod = await pods.start()
    dear = {**ROOM, "options": {"coins_per_score": 100_000}}
    table_id = table_where(pod, landlord_lost, **dear)
    expected = played(pod, table_id, **dear)
    (landlord,) = {payment.payer for payment in expected.payments}
    seated = await pod.create(table_id, players=names(), **dear)
    await books.opened(seated.names)
    await books.grant(seated.names[landlord], 1)
    await played_on(await gathered(seated))
    coins, points = await of_kind(redis_url, seated, PaymentsMade)
    group = expected.payments[0].group
    assert group is not None
    out = group.remainder_to
    paid = {line.payment.payee: line.paid for line in coins.lines}
    assert paid == {seat: OPENING // 2 + (seat == out) for seat in range(3) if seat != landlord}
    assert coins.balances[landlord] == 0
    assert tuple(line.paid for line in points.lines) == tuple(payment.amount for payment in expected.point_payments)
    await books.sound(*ASSETS)


async def test_points_locked_elsewhere_end_the_table_and_free_the_coins(pod: RunningPod, redis_url: str) -> None:
    seated = await pod.create(new_table_id(), **ROOM)
    pod.ledger.books["points"].locked[seated.names[2]] = "elsewhere.1"
    players = await gathered(seated)
    for player in players:
        await player.ready()
    for player in players:
        await player.ended()
    assert (await stored(redis_url, seated.table_id))[-1] == Closed(CloseCause.STAKE, (0, 1))
    await eventually(lambda: pod.ledger.locked == {})
    assert pod.ledger.books["points"].locked == {seated.names[2]: "elsewhere.1"}


async def test_each_viewer_sees_his_own_cards_alone_ty_13(pod: RunningPod, redis_url: str) -> None:
    """What came over the socket is the log as that seat may know it, entry by entry; so is every snapshot."""
    seated = await pod.create(new_table_id(), **ROOM)
    players = await playing(seated)
    for _ in range(6):
        asked = await to_act(players)
        assert asked.prompt is not None
        await asked.act(action_of(asked.prompt.options[0]), asked.prompt.decision_id)
    asked = await to_act(players)
    log = await stored(redis_url, seated.table_id)
    state = folded(seated.table_id, log)
    assert state.deal is not None
    hands = state.deal.game.hands
    for player in players:
        snapshot = (await player.snapshot()).snapshot
        assert view_from_proto(snapshot.landlord) == play.view(state.deal.game, player.seat)
        shown = [set(hand.cards) for hand in snapshot.landlord.hands]
        assert shown == [set(hands[seat]) if seat == player.seat else set() for seat in range(3)]
    for player in players:
        player.play(first_option)
    assert asked.prompt is not None
    await asked.act(action_of(asked.prompt.options[0]), asked.prompt.decision_id)
    for player in players:
        await player.ended()
    log = await stored(redis_url, seated.table_id)
    for player in players:
        shown_entries = received(player)
        truth = seen_of(log, player.seat)
        assert shown_entries == {seq: truth[seq] for seq in shown_entries}
        assert max(shown_entries) == len(log)


async def test_an_ambiguous_lead_comes_back_with_its_readings_ty_24(pod: RunningPod) -> None:
    """Over the socket the violation names the field and lists the readings."""
    table_id, cards = _ambiguous(pod)
    seated = await pod.create(table_id, **ROOM)
    players = await playing(seated)
    for choice in (action_pb2.Action(call=action_pb2.Call()), PASS, PASS):
        asked = await to_act(players)
        assert asked.prompt is not None
        await asked.act(choice, asked.prompt.decision_id)
    leader = await to_act(players)
    assert leader.prompt is not None
    lead = action_pb2.Action(play=action_pb2.Play(cards=cards))
    refusal = await refusal_for(leader.act(lead, leader.prompt.decision_id))
    assert (refusal.reason, refusal.rule) == (Reason.PLAY_AMBIGUOUS, "TY-24")
    (violation,) = refusal.violations
    assert violation.field == "action.kind"
    assert violation.description.startswith("it can be ")
    readings = violation.description.removeprefix("it can be ").split(", ")
    assert len(readings) > 1
    name = f"PLAY_KIND_{readings[0].split()[0].upper()}"
    lead.play.kind = action_pb2.PlayKind.Value(name)
    await leader.act(lead, leader.prompt.decision_id)


PASS = action_pb2.Action(pass_turn=action_pb2.Pass())


def _ambiguous(pod: RunningPod) -> tuple[str, tuple[int, ...]]:
    """A table whose first bidder can lead what has several readings."""
    for _ in range(500):
        table_id = new_table_id()
        state = game(dealt(pod, table_id))
        hand = state.hands[0]
        if 0 in hand:
            found = next((cards for cards in _sixes(hand) if _readings(state, cards) > 1), None)
            if found is not None:
                return table_id, found
    raise AssertionError("no such deal among 500")


def _sixes(hand: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Three of a rank, two of another and the wild card."""
    ranks = {rank: [card for card in hand if card and (card + 3) // 4 == rank] for rank in range(1, 13)}
    return [
        (*cards[:3], *others[:2], 0)
        for rank, cards in ranks.items()
        for other, others in ranks.items()
        if other != rank and len(cards) >= 3 and len(others) >= 2
    ]


def _readings(state: Any, cards: tuple[int, ...]) -> int:
    return len(state.ruleset.plays.readings_of(counts_of(cards)))


async def test_a_pod_that_dies_in_mid_deal_pays_once_in_both_assets(pods: Pods, books: Books, redis_url: str) -> None:
    pods.ledger = books.ledger  # type: ignore[assignment]
    pod = await pods.start("table-0")
    seated = await pod.create(new_table_id(), players=names(), **ROOM)
    await books.opened(seated.names)
    players = await gathered(seated)
    for player in players:
        player.play(first_option)
    for player in players:
        await player.ready()
    await eventually(lambda: players[0].events().count("played") >= 4)
    await pod.crash()
    again = await pods.start("table-0")
    for player in seated.players(again):
        player.play(first_option)
        player.open()
    await eventually(lambda: seated.table_id in pods.seats.released)
    log = await stored(redis_url, seated.table_id)
    assert [event.asset for event in log if isinstance(event, PaymentsDue)] == list(ASSETS)
    settled = next(event for event in log if isinstance(event, DealSettled))
    for asset, balances in zip(ASSETS, (settled.balances, settled.points), strict=True):
        assert [row.balance for row in await books.balances(seated.names, asset)] == list(balances)
    assert again.sample("cardroom_table_quarantines_total") == 0
    await books.sound(*ASSETS)


def shown_too_early(player: Player) -> list[str]:
    """Cards a player was sent before the rules show them (TY-13), found without our own redaction."""
    found: list[str] = []
    seat, taken = player.seat, False
    for message in player.messages:
        if message.WhichOneof("kind") == "snapshot" and message.snapshot.HasField("landlord"):
            view = message.snapshot.landlord
            hands = [len(hand.cards) for owner, hand in enumerate(view.hands) if owner != seat]
            if view.phase != view_pb2.PHASE_OVER and any(hands):
                found.append("a hand in a snapshot")
            continue
        event = message.event.landlord
        kind = event.WhichOneof("kind")
        if kind == "opened" and event.opened.pack:
            found.append("the pack")
        elif kind == "dealt":
            others = [hand for owner, hand in enumerate(event.dealt.hands) if owner != seat]
            if any(hand.cards for hand in (*others, event.dealt.bottom)):
                found.append("a hand, or the bottom cards")
        elif kind == "called" and event.called.bottom.cards and (event.called.seat != seat or event.called.blind):
            found.append("the bottom cards of a call")
        elif kind == "bottom_taken":
            taken = True
        elif kind == "ended":
            break
    assert taken, "the deal was not played"
    return found


async def seen_of_a_deal(pod: RunningPod) -> list[str]:
    """What three players and their snapshots in mid play were shown too early."""
    seated = await pod.create(new_table_id(), **ROOM)
    players = await playing(seated)
    for _ in range(7):
        asked = await to_act(players)
        assert asked.prompt is not None
        await asked.act(action_of(asked.prompt.options[0]), asked.prompt.decision_id)
    for player in players:
        response = await player.snapshot()
        player.messages.append(table_pb2.WatchResponse(seq=response.seq, snapshot=response.snapshot))
    return [row for player in players for row in shown_too_early(player)]


async def test_no_card_is_sent_before_the_rules_show_it_ty_13(pod: RunningPod) -> None:
    assert await seen_of_a_deal(pod) == []


def tells_all(self: LandlordGame, event: Event, seat: int | None) -> Event:
    return event


def tells_the_bottom(self: LandlordGame, event: Event, seat: int | None) -> Event:
    return event if isinstance(event, Called) else views.redact(event, seat)


def shows_all(self: LandlordGame, state: State, seat: int | None) -> State:
    return state


@pytest.mark.parametrize(
    ("method", "fault"), [("redact", tells_all), ("redact", tells_the_bottom), ("view", shows_all)]
)
async def test_a_planted_leak_is_seen_on_the_socket(
    pod: RunningPod, monkeypatch: pytest.MonkeyPatch, method: str, fault: Any
) -> None:
    monkeypatch.setattr(LandlordGame, method, fault)
    assert await seen_of_a_deal(pod)
