"""A record is what the rules make of it, or it is refused at the first event that differs."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from games.kernel import Payment, RecordError
from games.landlord import events as happened
from games.landlord.combinations import Kind
from games.landlord.events import EndCause, Event, Spring
from games.landlord.replay import MAX_EVENTS, replay
from games.landlord.state import State
from tests.contract.landlord.deals import rules_of
from tests.sim.landlord.deals import Style, play, random_setup

SEEDS = range(12)


def deal(seed: int) -> tuple[list[Event], State]:
    chance = Random(f"replay {seed}")
    setup = random_setup(list(Style)[seed % 2], str(seed), chance)
    steps = list(play(setup, chance))
    return [event for step in steps for event in step.events], steps[-1].after


@pytest.fixture(scope="module")
def deals() -> list[tuple[list[Event], State]]:
    return [deal(seed) for seed in SEEDS]


def test_what_was_played_is_what_is_replayed(deals: list[tuple[list[Event], State]]) -> None:
    """PF-34: the record alone makes the state after the deal."""
    for record, state in deals:
        assert replay(record) == state
    seen = {type(event) for record, _ in deals for event in record}
    assert seen == set(happened.Event.__args__)


Change = Callable[[Any], Event]
DERIVED: list[tuple[type, str, Change]] = [
    (happened.Opened, "dealer", lambda event: replace(event, dealer=3)),
    (happened.Opened, "wall", lambda event: replace(event, wall=event.wall[1:] + event.wall[-1:])),
    (happened.Opened, "short wall", lambda event: replace(event, wall=event.wall[:-1])),
    (happened.Dealt, "hands", lambda event: replace(event, hands=event.hands[::-1])),
    (happened.Dealt, "bottom", lambda event: replace(event, bottom=event.bottom[:2])),
    (happened.Called, "seat", lambda event: replace(event, seat=(event.seat + 1) % 3)),
    (happened.Called, "bottom", lambda event: replace(event, bottom=(*event.bottom, 0))),
    (happened.Doubled, "seat", lambda event: replace(event, seat=99)),
    (happened.Redoubled, "seat", lambda event: replace(event, seat=(event.seat + 1) % 3)),
    (happened.Passed, "seat", lambda event: replace(event, seat=(event.seat + 1) % 3)),
    (happened.BottomTaken, "cards", lambda event: replace(event, cards=event.cards[:2])),
    (happened.Played, "cards", lambda event: replace(event, cards=event.cards[1:])),
    (happened.Played, "kind", lambda event: replace(event, reading=replace(event.reading, kind=Kind.PLANE_PAIR))),
    (happened.Played, "rank", lambda event: replace(event, reading=replace(event.reading, rank=99))),
    (happened.Ended, "cause", lambda event: replace(event, cause=_other(EndCause, event.cause))),
    (happened.Ended, "winners", lambda event: replace(event, winners=(*event.winners, 0))),
    (happened.Ended, "spring", lambda event: replace(event, spring=_other(Spring, event.spring))),
    (happened.Ended, "multiplier", lambda event: replace(event, multiplier=event.multiplier * 2)),
    (happened.Ended, "scores", lambda event: replace(event, scores=(99, *event.scores[1:]))),
    (happened.Ended, "payments", lambda event: replace(event, payments=(*event.payments, Payment(0, 1, 1, "win")))),
    (happened.Ended, "point_payments", lambda event: replace(event, point_payments=(Payment(0, 1, 99, "win"),))),
    (happened.Ended, "next_dealer", lambda event: replace(event, next_dealer=(event.next_dealer + 1) % 3)),
    (happened.Ended, "hands", lambda event: replace(event, hands=event.hands[:2])),
]
"""Changes that show at the event itself."""


def _other(words: Any, word: Any) -> Any:
    return next(other for other in words if other is not word)


@pytest.mark.parametrize(("kind", "part", "change"), DERIVED, ids=[f"{row[0].__name__}.{row[1]}" for row in DERIVED])
def test_a_change_is_found_where_it_is(
    deals: list[tuple[list[Event], State]], kind: type, part: str, change: Change
) -> None:
    tried = 0
    for record, _ in deals:
        places = [index for index, event in enumerate(record) if isinstance(event, kind)]
        if not places:
            continue
        tried += 1
        with pytest.raises(RecordError) as refused:
            replay((*record[: places[-1]], change(record[places[-1]]), *record[places[-1] + 1 :]))
        assert refused.value.index == places[-1], refused.value
    assert tried


def test_an_event_left_out_or_said_twice_is_found(deals: list[tuple[list[Event], State]]) -> None:
    for record, _ in deals[:4]:
        for place, event in enumerate(record):
            with pytest.raises(RecordError) as missing:
                replay((*record[:place], *record[place + 1 :]))
            assert missing.value.index >= place
            with pytest.raises(RecordError) as twice:
                replay((*record[: place + 1], event, *record[place + 1 :]))
            assert twice.value.index >= place


def test_a_record_has_a_beginning_and_an_end(deals: list[tuple[list[Event], State]]) -> None:
    record, _ = deals[0]
    for part in ([], record[1:], record[:-1], record[:1]):
        with pytest.raises(RecordError):
            replay(part)
    with pytest.raises(RecordError) as long:
        replay([happened.Passed(0)] * (MAX_EVENTS + 1))
    assert long.value.index == MAX_EVENTS


def test_other_rules_make_another_deal(deals: list[tuple[list[Event], State]]) -> None:
    """PF-2: the money of a deal is that of the rules it names."""
    record = next(record for record, state in deals if state.result is not None and state.result.winners)
    opened = record[0]
    assert isinstance(opened, happened.Opened)
    other = replace(opened, ruleset=rules_of({"coins_per_score": 777}))
    with pytest.raises(RecordError) as refused:
        replay((other, *record[1:]))
    assert refused.value.index == len(record) - 1
    assert "payments" in refused.value.detail
