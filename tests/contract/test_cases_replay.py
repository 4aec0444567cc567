"""A record is what the rules make of it, or it is refused: `games.mahjong.replay` against deals of every kind."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from games.catalog import variant_of
from games.kernel import Payment, RecordError
from games.mahjong import actions as asked
from games.mahjong import events as happened
from games.mahjong.events import DrawSource, Event, KongOutcome
from games.mahjong.game import GAME
from games.mahjong.hand import WinBy
from games.mahjong.replay import replay
from games.mahjong.script import Arranged, Played, play
from games.mahjong.state import QUESTIONS, Phase
from games.mahjong.tiles import parse
from tests.contract.ready_deals import RandomDeal, random_deal

pytestmark = pytest.mark.fast

SEEDS = range(50)
TRIES = 12
OF_OTHER_GAMES = (happened.Declared, happened.Flowered, happened.Declined, happened.Began)
"""Events that four-player 血战 has not."""


@pytest.fixture(scope="module")
def deals() -> list[RandomDeal]:
    return [random_deal(seed) for seed in SEEDS]


def test_what_was_played_is_what_is_replayed(deals: list[RandomDeal]) -> None:
    """The state after a replay is the state after the deal, though a record lacks actions and private answers."""
    for deal in deals:
        assert replay(deal.record) == deal.state


def test_the_deals_show_every_kind_of_event(deals: list[RandomDeal]) -> None:
    """Otherwise the test above proves little."""
    seen = Counter(type(event) for deal in deals for event in deal.record)
    wins = Counter(event.by for deal in deals for event in deal.record if isinstance(event, happened.Won))
    shared = sum(len(event.winners) > 1 for deal in deals for event in deal.record if isinstance(event, happened.Won))
    assert set(seen) == set(happened.Event.__args__) - {*happened.PRIVATE_EVENTS, *OF_OTHER_GAMES}
    assert wins[WinBy.SELF]
    assert wins[WinBy.DISCARD]
    assert shared


def _other_payment(payment: Payment) -> Payment:
    return replace(payment, amount=payment.amount + 1)


def _other_winner(event: happened.Won) -> happened.Won:
    first = event.winners[0]
    return replace(event, winners=(replace(first, rank=first.rank + 1), *event.winners[1:]))


def _other_outcome(event: happened.Ended) -> happened.Ended | None:
    if not event.kong_outcomes:
        return None
    changed = KongOutcome.VOID if event.kong_outcomes[0] is not KongOutcome.VOID else KongOutcome.PAID
    return replace(event, kong_outcomes=(changed, *event.kong_outcomes[1:]))


def _other_check(event: happened.Ended) -> happened.Ended | None:
    if not event.checks:
        return None
    return replace(event, checks=(replace(event.checks[0], amount=event.checks[0].amount + 1), *event.checks[1:]))


Change = Callable[[Any], Event | None]
DERIVED: list[tuple[type, str, Change]] = [
    (happened.Opened, "wall_start", lambda event: replace(event, wall_start=event.wall_start + 1)),
    (happened.Dealt, "hands", lambda event: replace(event, hands=event.hands[::-1])),
    (happened.Drawn, "tile", lambda event: replace(event, tile=(event.tile - 8) % 18 + 9)),
    (happened.Drawn, "seat", lambda event: replace(event, seat=(event.seat + 1) % 4)),
    (happened.Drawn, "source", lambda event: replace(event, source=DrawSource.CLAIM)),
    (happened.Melded, "from_seat", lambda event: replace(event, from_seat=event.seat)),
    (happened.Melded, "tile", lambda event: replace(event, tile=0)),
    (happened.Konged, "owing", lambda event: replace(event, owing=event.owing[1:])),
    (happened.Konged, "tile", lambda event: replace(event, tile=0)),
    (happened.Won, "winners", _other_winner),
    (happened.Won, "from_seat", lambda event: replace(event, from_seat=7)),
    (happened.Won, "transferred", lambda event: replace(event, transferred=(*event.transferred, 9))),
    (happened.Locked, "seat", lambda event: replace(event, seat=99)),
    (happened.WentAway, "seat", lambda event: replace(event, seat=99)),
    (happened.CameBack, "seat", lambda event: replace(event, seat=99)),
    (happened.Discarded, "seat", lambda event: replace(event, seat=(event.seat + 1) % 4)),
    (happened.Ended, "next_dealer", lambda event: replace(event, next_dealer=(event.next_dealer + 1) % 4)),
    (happened.Ended, "kong_outcomes", _other_outcome),
    (happened.Ended, "checks", _other_check),
    (happened.Ended, "hands", lambda event: replace(event, hands=event.hands[::-1])),
    (happened.Ended, "payments", lambda event: replace(event, payments=(*event.payments, Payment(0, 1, 1, "rain")))),
]
"""Changes that show at the event itself: what no player has a say in."""


@pytest.mark.parametrize(("kind", "part", "change"), DERIVED, ids=[f"{row[0].__name__}.{row[1]}" for row in DERIVED])
def test_a_change_is_found_where_it_is(deals: list[RandomDeal], kind: type, part: str, change: Change) -> None:
    tried = 0
    for deal in deals:
        places = [index for index, event in enumerate(deal.record) if isinstance(event, kind)]
        spoiled = change(deal.record[places[-1]]) if places else None
        if spoiled is None:
            continue
        if tried == TRIES:
            break
        tried += 1
        with pytest.raises(RecordError) as refusal:
            replay((*deal.record[: places[-1]], spoiled, *deal.record[places[-1] + 1 :]))
        assert refusal.value.index == places[-1], refusal.value
    assert tried


def test_another_discard_is_another_deal(deals: list[RandomDeal]) -> None:
    """A player was free to discard otherwise; then the rest of the record does not follow."""
    for deal in deals[:20]:
        place = next(index for index, event in enumerate(deal.record) if isinstance(event, happened.Discarded))
        event = deal.record[place]
        assert isinstance(event, happened.Discarded)
        dealt = next(event for event in deal.record if isinstance(event, happened.Dealt))
        other = next(tile for tile in dealt.hands[event.seat] if tile != event.tile)
        with pytest.raises(RecordError) as refusal:
            replay((*deal.record[:place], replace(event, tile=other), *deal.record[place + 1 :]))
        assert refusal.value.index >= place


def test_an_event_left_out_or_said_twice_is_found(deals: list[RandomDeal]) -> None:
    kinds = (happened.Opened, happened.Dealt, happened.Drawn, happened.Discarded, happened.Won, happened.Ended)
    for deal in deals[:6]:
        for place, event in enumerate(deal.record):
            if isinstance(event, kinds):
                with pytest.raises(RecordError) as missing:
                    replay((*deal.record[:place], *deal.record[place + 1 :]))
                assert missing.value.index >= place
                with pytest.raises(RecordError) as twice:
                    replay((*deal.record[: place + 1], event, *deal.record[place + 1 :]))
                assert twice.value.index == place + 1


# --- answers that a public log does not hold -----------------------------------------------------------

HANDS = ("1236889p2233345s", "133446p2445788s", "123456789p2399s", "12556p11467899s")
"""Seat 2 waits for 1s and 4s; seat 3 may pung 1s, so that the question stays open."""


@pytest.mark.parametrize(
    ("actions", "winners"),
    [
        (["2 lock"], [2]),
        (["2 pass", "2 lock"], []),
        (["3 pung", "2 lock"], [2]),
        (["2 win", "2 escape"], [2]),
        (["2 escape", "2 return", "2 win"], [2]),
        (["2 escape"], []),
        (["2 pass", "3 pung", "3 escape"], []),
    ],
    ids=lambda value: ", ".join(value) if value and isinstance(value[0], str) else "",
)
def test_answers_are_read_from_what_follows(actions: list[str], winners: list[int]) -> None:
    """BB-17: a lock wins the tile in question, unless the win was passed before; BB-60: a claim given stands."""
    rules = variant_of("bloody4").ruleset({}, 1)
    arranged = Arranged(0, tuple(parse(hand) for hand in HANDS), parse("1s9p6s6s7s5s7p7p9p"))
    begun = play(rules, arranged, ["0 discard 5s", "1 discard 1s", *actions])
    record = [event for event in _to_its_end(begun) if not isinstance(event, happened.PRIVATE_EVENTS)]
    state = replay(record)
    assert [winner.seat for winner in state.winners()] == winners


def _to_its_end(begun: Played) -> list[Event]:
    """The events of a deal in which everybody discards what he draws from here on, and claims nothing."""
    assert begun.refusal is None, begun.refusal
    state, events = begun.state, list(begun.events)
    while state.phase is not Phase.OVER:
        action = asked.CloseQuestion() if state.phase in QUESTIONS else asked.Timeout(state.turn)
        for event in GAME.decide(state, action):
            state = GAME.evolve(state, event)
            events.append(event)
    return events
