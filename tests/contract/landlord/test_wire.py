"""The family's messages: there and back unchanged, and nothing odd gets through (see also the simulated deals)."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from cardroom.landlord.v1 import action_pb2, event_pb2, view_pb2
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st

from games.catalog import UnknownVariant
from games.kernel import OptionError
from games.landlord import actions as asked
from games.landlord.combinations import Kind
from games.landlord.events import Ended, Event
from games.landlord.game import GAME
from games.landlord.state import Phase
from tests.sim.landlord.deals import Style, play, random_setup
from tests.sim.landlord.laws import Laws
from wire.landlord import (
    KINDS,
    action_from_proto,
    action_to_proto,
    event_from_proto,
    event_to_proto,
    view_from_proto,
    view_to_proto,
)
from wire.landlord.words import PHASES
from wire.words import WireError

ACTIONS = [
    asked.Call(1),
    asked.CallBlind(1),
    asked.Double(1),
    asked.Redouble(1),
    asked.Pass(1),
    asked.Play(1, (4, 5, 0)),
    *(asked.Play(1, (7,), kind) for kind in Kind),
]


@pytest.mark.parametrize("action", ACTIONS, ids=str)
def test_an_action_survives(action: asked.PlayerAction) -> None:
    message = action_pb2.Action.FromString(action_to_proto(action).SerializeToString())
    assert action_from_proto(message, 1) == action


def test_the_seat_is_the_callers() -> None:
    """PF-40: no message says for whom it is."""
    assert action_from_proto(action_to_proto(asked.Double(0)), 2) == asked.Double(2)


def test_every_kind_and_phase_has_its_number() -> None:
    """TAKING and SETTLING are passed through, CLOSED is before a deal: none of them is ever sent."""
    assert set(KINDS) == set(Kind)
    assert len(set(KINDS.values())) == len(KINDS) == len(action_pb2.PlayKind.values()) - 1
    assert set(Phase) - set(PHASES) == {Phase.CLOSED, Phase.TAKING, Phase.SETTLING}
    assert len(PHASES) == len(view_pb2.Phase.values()) - 1


@pytest.mark.parametrize("style", list(Style))
def test_events_and_views_of_whole_deals_survive(style: Style) -> None:
    """PF-30..32, PF-40: redacted or not, for every viewer; the laws hold over the wire."""
    for number in range(3):
        chance = Random(f"wire {style} {number}")
        setup = random_setup(style, str(number), chance)
        laws = Laws(setup, chance)
        ended = False
        for step in play(setup, chance):
            laws.check(step)
            for viewer in (0, 1, 2, None):
                view = GAME.view(step.after, viewer)
                assert view_from_proto(view_pb2.View.FromString(view_to_proto(view).SerializeToString())) == view
            ended = ended or isinstance(step.events[-1], Ended)
        assert ended


def opened(**changes: Any) -> event_pb2.Event:
    fields: dict[str, Any] = {"variant": "tingyong", "rules_version": 1, "stake": 1, "card_count": 51}
    return event_pb2.Event(opened=event_pb2.Opened(**(fields | changes)))


ODD: list[tuple[str, Callable[[], object], type[Exception]]] = [
    ("no action", lambda: action_from_proto(action_pb2.Action(), 0), WireError),
    (
        "an unknown kind",
        lambda: action_from_proto(action_pb2.Action(play=action_pb2.Play(cards=[1], kind=99)), 0),  # type: ignore[arg-type]
        WireError,
    ),
    ("no event", lambda: event_from_proto(event_pb2.Event()), WireError),
    ("a variant there is not", lambda: event_from_proto(opened(variant="none")), UnknownVariant),
    ("another family's variant", lambda: event_from_proto(opened(variant="bloody4")), WireError),
    ("another version", lambda: event_from_proto(opened(rules_version=2)), WireError),
    ("an absurd stake", lambda: event_from_proto(opened(stake=0)), OptionError),
    ("an endless pack", lambda: event_from_proto(opened(card_count=1 << 31)), WireError),
    (
        "an endless hand",
        lambda: event_from_proto(event_pb2.Event(dealt=event_pb2.Dealt(hands=[event_pb2.Hand(hidden_count=1 << 31)]))),
        WireError,
    ),
    ("no reading", lambda: event_from_proto(event_pb2.Event(played=event_pb2.Played(seat=0, cards=[1]))), WireError),
    ("no cause", lambda: event_from_proto(event_pb2.Event(ended=event_pb2.Ended())), WireError),
    (
        "a payment to oneself",
        lambda: event_from_proto(
            event_pb2.Event(
                ended=event_pb2.Ended(
                    cause=event_pb2.END_CAUSE_OUT,
                    payments=[event_pb2.Payment(payer_seat=1, payee_seat=1, amount=3, cause="win")],
                )
            )
        ),
        WireError,
    ),
    ("no phase", lambda: view_from_proto(view_pb2.View(opened=opened().opened)), WireError),
]


@pytest.mark.parametrize(("read", "fault"), [row[1:] for row in ODD], ids=[row[0] for row in ODD])
def test_what_stands_for_nothing_is_refused(read: Callable[[], object], fault: type[Exception]) -> None:
    with pytest.raises(fault):
        read()


@given(raw=st.binary(max_size=80))
@settings(max_examples=150, deadline=None, derandomize=True, database=None)
def test_no_bytes_do_more_than_be_refused(raw: bytes) -> None:
    readers: tuple[tuple[Any, Callable[[Any], object]], ...] = (
        (event_pb2.Event, event_from_proto),
        (view_pb2.View, view_from_proto),
    )
    for kind, read in readers:
        try:
            message = kind.FromString(raw)
        except DecodeError:
            continue
        try:
            read(message)
        except (WireError, UnknownVariant, OptionError):
            continue


def test_a_redacted_event_says_less() -> None:
    """PF-40: what is hidden is in no byte of the message."""
    chance = Random("bytes")
    setup = random_setup(Style.POLICY, "bytes", chance)
    events: list[Event] = [event for step in play(setup, chance) for event in step.events][:2]
    whole = [event_to_proto(event) for event in events]
    told = [event_to_proto(GAME.redact(event, None)) for event in events]
    assert len(whole[0].opened.pack) == 51
    assert list(told[0].opened.pack) == []
    assert [len(hand.cards) for hand in whole[1].dealt.hands] == [16, 16, 16]
    assert [list(hand.cards) for hand in (*told[1].dealt.hands, told[1].dealt.bottom)] == [[], [], [], []]
