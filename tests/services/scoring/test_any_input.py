"""Whatever is asked is answered or refused with a reason of scoring's own: never a fault, never a long wait."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from cardroom.mahjong.v1 import event_pb2
from cardroom.scoring.v1 import columns_pb2, scoring_pb2
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.mahjong.hand import Situation
from games.mahjong.melds import MeldKind
from games.mahjong.tiles import show
from refusals import Reason, Refusal
from services.scoring.edge.servicer import ScoringServicer
from serving.refusing import details_of
from tests.services.scoring.rig import played_deals

SERVICER: Any = ScoringServicer()
RECORDS = [[event.SerializeToString() for event in deal.record] for deal in played_deals()]
"""Events as bytes, so that what one example spoils is whole again for the next."""

REASONS = {
    Reason.INVALID_FIELD,
    Reason.HAND_IMPOSSIBLE,
    Reason.OPTION_INVALID,
    Reason.RECORD_INVALID,
    Reason.RULESET_UNKNOWN,
}
TRAILER_BYTES_MAX = 4_096
"""What a refusal may carry: gRPC's own limit for metadata is twice this."""

relaxed = settings(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


def outcome(call: Coroutine[Any, Any, Message]) -> Message | Refusal:
    """The answer or the refusal; anything else raised fails the test."""
    try:
        return asyncio.run(call)
    except Refusal as refused:
        refusal = refused
    assert refusal.reason in REASONS, refusal
    assert len(details_of(refusal)[0][1]) < TRAILER_BYTES_MAX
    return refusal


# --- questions about hands -------------------------------------------------------------------------

KINDS = range(9, 27)
tile_letters = st.text(alphabet="123456789mpsfESWNCFP ?0", max_size=70)
any_text = st.text(alphabet='a1p \x00\n"\\%é九😀', max_size=80)
words = tile_letters | any_text
fitting_melds = st.builds(
    lambda kind, tile: f"{kind} {show([tile] * (3 if kind is MeldKind.PUNG else 4))}",
    st.sampled_from([kind for kind in MeldKind if kind is not MeldKind.CHOW]),
    st.sampled_from(KINDS),
)
melds = st.lists(fitting_melds, max_size=5) | st.lists(
    st.builds(lambda kind, tiles: f"{kind} {tiles}", st.sampled_from(MeldKind), tile_letters) | any_text, max_size=10
)
option_values = st.none() | st.booleans() | st.floats() | any_text | st.lists(st.booleans(), max_size=2)
option_names = st.sampled_from(["kong_transfer", "pass_locks_win", "stake"]) | any_text
rulesets: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict,
    variant=st.sampled_from(["bloody4"] * 9 + ["bloody6", ""]) | any_text,
    version=st.sampled_from([0] * 5 + [1, 2, 2**32 - 1]),
    stake=st.sampled_from([0, 1, 5, -1, 10**9, 10**9 + 1, 2**63 - 1, -(2**63)]),
    options=st.just({}) | st.dictionaries(option_names, option_values, max_size=3),
)
plain_rules: st.SearchStrategy[dict[str, Any]] = st.just({"variant": "bloody4"})
ids = st.lists(st.sampled_from(KINDS), min_size=13, max_size=13) | st.lists(st.integers(0, 2**32 - 1), max_size=40)
situations = st.lists(st.sampled_from(Situation), max_size=3) | st.lists(any_text, max_size=3)


@st.composite
def hands(draw: st.DrawFn) -> scoring_pb2.Hand:
    """Hands that often fit their melds, and often nothing."""
    sets = draw(melds)
    tiles = draw(ids)
    if draw(st.booleans()):
        tiles = tiles[: max(13 - 3 * len(sets), 0)]
    as_text = draw(st.booleans())
    return scoring_pb2.Hand(
        tiles=() if as_text else tiles,
        notation=draw(words) if as_text else "",
        melds=sets,
        flowers=draw(st.just("") | words),
    )


@relaxed
@given(rulesets | plain_rules, hands(), st.integers(0, 4), st.integers(0, 50) | words, situations, st.just("") | words)
def test_any_hand_is_scored_or_refused(
    ruleset: dict[str, Any], hand: scoring_pb2.Hand, by: int, win: int | str, holds: list[str], wind: str
) -> None:
    """BB-20..24, BB-70."""
    request = scoring_pb2.ScoreWinRequest(hand=hand, by=by, situations=holds, seat_wind=wind)  # type: ignore[arg-type]
    fill_rules(request.ruleset, ruleset)
    if isinstance(win, int):
        request.win_tile = win
    else:
        request.win_notation = win
    answer = outcome(SERVICER.ScoreWin(request, None))
    if isinstance(answer, scoring_pb2.ScoreWinResponse) and answer.HasField("win"):
        assert answer.win.amount == (request.ruleset.stake or 1) << answer.win.fan_total
        assert answer.win.fan_total == sum(fan.value for fan in answer.win.fans)


@relaxed
@given(rulesets | plain_rules, hands(), situations)
def test_any_hand_has_its_waits_listed_or_is_refused(
    ruleset: dict[str, Any], hand: scoring_pb2.Hand, holds: list[str]
) -> None:
    """BB-42: every wait is a win, and no more than three of it are one's own."""
    request = scoring_pb2.ListWaitsRequest(hand=hand, situations=holds)
    fill_rules(request.ruleset, ruleset)
    answer = outcome(SERVICER.ListWaits(request, None))
    if isinstance(answer, scoring_pb2.ListWaitsResponse):
        for wait in answer.waits:
            assert wait.HasField("by_self")
            assert wait.tile in KINDS


@relaxed
@given(rulesets | plain_rules, hands(), situations, st.lists(st.integers(0, 50), max_size=20))
def test_any_hand_is_advised_or_refused(
    ruleset: dict[str, Any], hand: scoring_pb2.Hand, holds: list[str], visible: list[int]
) -> None:
    """BB-42: what is left is never more than four, nor less than none."""
    if hand.tiles:
        hand.tiles.append(hand.tiles[0])
    request = scoring_pb2.AdviseDiscardRequest(hand=hand, situations=holds, visible=visible)
    fill_rules(request.ruleset, ruleset)
    answer = outcome(SERVICER.AdviseDiscard(request, None))
    if isinstance(answer, scoring_pb2.AdviseDiscardResponse):
        for one in answer.discards:
            assert one.useful_left == sum(each.left for each in one.useful)
            assert all(each.left <= 4 for each in one.useful)


COLUMNS = list(columns_pb2.HandColumns.DESCRIPTOR.fields)
column_values = st.lists(st.integers(0, 40) | st.sampled_from([2**31, 2**32 - 1]), max_size=30)


@relaxed
@given(rulesets | plain_rules, st.dictionaries(st.sampled_from(COLUMNS), column_values))
def test_any_columns_are_scored_or_refused(ruleset: dict[str, Any], given_: dict[Any, list[int]]) -> None:
    """An outcome a hand, an error for each that cannot be."""
    request = scoring_pb2.BatchScoreWinsRequest()
    fill_rules(request.ruleset, ruleset)
    for field, values in given_.items():
        enum = field.enum_type is not None
        getattr(request.hands, field.name).extend([value % 9 if enum else value for value in values])
    answer = outcome(SERVICER.BatchScoreWins(request, None))
    if isinstance(answer, scoring_pb2.BatchScoreWinsResponse):
        wins = answer.wins
        assert len(wins.outcomes) == len(request.hands.tile_counts)
        assert len(wins.errors) == list(wins.outcomes).count(columns_pb2.HAND_OUTCOME_ERROR)


def fill_rules(message: scoring_pb2.Ruleset, fields: dict[str, Any]) -> None:
    message.CopyFrom(scoring_pb2.Ruleset(**{name: value for name, value in fields.items() if name != "options"}))
    message.options.update(fields.get("options", {}))


# --- records of deals ---------------------------------------------------------------------------------

_VALUES: dict[int, st.SearchStrategy[Any]] = {
    FieldDescriptor.CPPTYPE_UINT32: st.integers(0, 45) | st.sampled_from([2**31, 2**32 - 1]),
    FieldDescriptor.CPPTYPE_INT64: st.integers(-5, 100) | st.sampled_from([2**63 - 1, -(2**63)]),
    FieldDescriptor.CPPTYPE_ENUM: st.integers(0, 9) | st.just(2**31 - 1),
    FieldDescriptor.CPPTYPE_BOOL: st.booleans(),
    FieldDescriptor.CPPTYPE_STRING: st.sampled_from(["", "win", "bloody4", "bloody6", "gui"]),
}


def spoil(message: Message, draw: st.DrawFn) -> None:
    """Change one thing somewhere in a message, whatever the message is."""
    field: Any = draw(st.sampled_from(list(message.DESCRIPTOR.fields)))
    if field.message_type is not None and field.message_type.full_name == "google.protobuf.Struct":
        getattr(message, field.name).update(draw(st.dictionaries(option_names, option_values, max_size=2)))
    elif field.is_repeated:
        _spoil_list(getattr(message, field.name), field, draw)
    elif field.message_type is not None:
        if message.HasField(field.name) or draw(st.booleans()):
            child = getattr(message, field.name)
            child.SetInParent()
            if field.message_type.fields:
                spoil(child, draw)
    elif draw(st.integers(0, 4)):
        setattr(message, field.name, draw(_VALUES[field.cpp_type]))
    else:
        message.ClearField(field.name)


def _spoil_list(items: Any, field: Any, draw: st.DrawFn) -> None:
    place = draw(st.integers(0, len(items) - 1)) if items else None
    if place is not None and draw(st.booleans()):
        if field.message_type is None:
            items[place] = draw(_VALUES[field.cpp_type])
        else:
            spoil(items[place], draw)
    elif place is not None and draw(st.booleans()):
        del items[place]
    elif field.message_type is None:
        items.append(draw(_VALUES[field.cpp_type]))
    else:
        spoil(items.add(), draw)


@st.composite
def records(draw: st.DrawFn) -> list[event_pb2.Event]:
    """Records of real deals with some things in them changed."""
    record = [event_pb2.Event.FromString(packed) for packed in draw(st.sampled_from(RECORDS))]
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(record) - 1))
        change = draw(st.integers(0, 5))
        if change == 0 and len(record) > 1:
            del record[place]
        elif change == 1:
            record.insert(place, event_pb2.Event.FromString(draw(st.sampled_from(draw(st.sampled_from(RECORDS))))))
        elif change == 2:
            other = draw(st.integers(0, len(record) - 1))
            record[place], record[other] = record[other], record[place]
        else:
            spoil(record[place], draw)
    return record


@settings(relaxed, max_examples=150)
@given(records())
def test_any_record_is_replayed_or_refused(record: list[event_pb2.Event]) -> None:
    """A replay finds a difference exactly where a settlement is refused, at the same event."""
    replayed = outcome(SERVICER.ReplayDeal(scoring_pb2.ReplayDealRequest(events=record), None))
    settled = outcome(SERVICER.SettleDeal(scoring_pb2.SettleDealRequest(events=record), None))
    if isinstance(replayed, scoring_pb2.ReplayDealResponse):
        differs = replayed.HasField("difference")
        assert differs == isinstance(settled, Refusal)
        if differs and isinstance(settled, Refusal):
            assert replayed.difference.event_index <= int(settled.metadata["event_index"])
    else:
        assert isinstance(settled, Refusal)


@settings(relaxed, max_examples=300)
@given(records(), st.just([]) | st.lists(st.integers(-1, 50) | st.just(2**63 - 1), max_size=5))
def test_any_record_is_settled_or_refused(record: list[event_pb2.Event], balances: list[int]) -> None:
    """PF-51: what is settled balances, whatever was asked."""
    request = scoring_pb2.SettleDealRequest(events=record, balances=balances)
    answer = outcome(SERVICER.SettleDeal(request, None))
    if isinstance(answer, scoring_pb2.SettleDealResponse) and balances:
        assert sum(answer.balances) == sum(balances)
        assert min(answer.balances) >= 0


@relaxed
@given(st.binary(max_size=200))
def test_any_bytes_that_are_a_request_are_answered_or_refused(packed: bytes) -> None:
    calls = (
        (scoring_pb2.ScoreWinRequest, SERVICER.ScoreWin),
        (scoring_pb2.ListWaitsRequest, SERVICER.ListWaits),
        (scoring_pb2.SettleDealRequest, SERVICER.SettleDeal),
    )
    for kind, call in calls:
        try:
            request = kind.FromString(packed)
        except DecodeError:
            continue
        outcome(call(request, None))
