"""The wire's numbers for the family's words, and cards that may lie face down."""

from collections.abc import Iterable, Mapping

from cardroom.landlord.v1 import action_pb2, event_pb2, view_pb2

from games.landlord.cards import CARD_COUNT, HIDDEN, RANK_COUNT, Card
from games.landlord.combinations import Kind, Reading
from games.landlord.events import EndCause, Spring
from games.landlord.state import Phase, Word
from games.landlord.table import PLAY_SIZE_MAX
from wire.words import WireError, named

KINDS: Mapping[Kind, action_pb2.PlayKind.ValueType] = {
    Kind.SINGLE: action_pb2.PLAY_KIND_SINGLE,
    Kind.PAIR: action_pb2.PLAY_KIND_PAIR,
    Kind.TRIPLE: action_pb2.PLAY_KIND_TRIPLE,
    Kind.TRIPLE_SINGLE: action_pb2.PLAY_KIND_TRIPLE_SINGLE,
    Kind.TRIPLE_PAIR: action_pb2.PLAY_KIND_TRIPLE_PAIR,
    Kind.STRAIGHT: action_pb2.PLAY_KIND_STRAIGHT,
    Kind.PAIR_STRAIGHT: action_pb2.PLAY_KIND_PAIR_STRAIGHT,
    Kind.TRIPLE_STRAIGHT: action_pb2.PLAY_KIND_TRIPLE_STRAIGHT,
    Kind.PLANE_SINGLE: action_pb2.PLAY_KIND_PLANE_SINGLE,
    Kind.PLANE_PAIR: action_pb2.PLAY_KIND_PLANE_PAIR,
    Kind.FOUR_TWO: action_pb2.PLAY_KIND_FOUR_TWO,
    Kind.FOUR_TWO_PAIRS: action_pb2.PLAY_KIND_FOUR_TWO_PAIRS,
    Kind.BOMB: action_pb2.PLAY_KIND_BOMB,
    Kind.ROCKET: action_pb2.PLAY_KIND_ROCKET,
    Kind.DEEP_BOMB: action_pb2.PLAY_KIND_DEEP_BOMB,
    Kind.DEEP_ROCKET: action_pb2.PLAY_KIND_DEEP_ROCKET,
}
END_CAUSES: Mapping[EndCause, event_pb2.EndCause.ValueType] = {
    EndCause.OUT: event_pb2.END_CAUSE_OUT,
    EndCause.ALL_PASSED: event_pb2.END_CAUSE_ALL_PASSED,
    EndCause.ESCAPED: event_pb2.END_CAUSE_ESCAPED,
}
SPRINGS: Mapping[Spring, event_pb2.Spring.ValueType] = {
    Spring.NONE: event_pb2.SPRING_UNSPECIFIED,
    Spring.SPRING: event_pb2.SPRING_SPRING,
    Spring.ANTI_SPRING: event_pb2.SPRING_ANTI_SPRING,
}
PHASES: Mapping[Phase, view_pb2.Phase.ValueType] = {
    Phase.OPENED: view_pb2.PHASE_OPENED,
    Phase.BIDDING: view_pb2.PHASE_BIDDING,
    Phase.DOUBLING: view_pb2.PHASE_DOUBLING,
    Phase.REDOUBLING: view_pb2.PHASE_REDOUBLING,
    Phase.PLAYING: view_pb2.PHASE_PLAYING,
    Phase.OVER: view_pb2.PHASE_OVER,
}
WORDS: Mapping[Word, view_pb2.Word.ValueType] = {
    Word.PASS: view_pb2.WORD_PASS,
    Word.CALL: view_pb2.WORD_CALL,
    Word.BLIND: view_pb2.WORD_BLIND,
    Word.DOUBLE: view_pb2.WORD_DOUBLE,
    Word.REDOUBLE: view_pb2.WORD_REDOUBLE,
}


def reading_to_proto(reading: Reading) -> action_pb2.Reading:
    """What cards are played as, as a message."""
    return action_pb2.Reading(kind=KINDS[reading.kind], rank=reading.rank, count=reading.count)


def reading_from_proto(message: action_pb2.Reading, field: str) -> Reading:
    """The reading a message stands for; whether there is such a play is for the rules to say.

    Raises:
        WireError: it stands for none.
    """
    if message.rank >= RANK_COUNT:
        raise WireError(f"{field}.rank", f"from 0 to {RANK_COUNT - 1}")
    if not 1 <= message.count <= PLAY_SIZE_MAX:
        raise WireError(f"{field}.count", f"from 1 to {PLAY_SIZE_MAX}")
    return Reading(named(KINDS, f"{field}.kind", message.kind), message.rank, message.count)


def hand_to_proto(cards: Iterable[Card]) -> event_pb2.Hand:
    """Cards as a message; those face down are counted."""
    held = tuple(cards)
    seen = [card for card in held if card != HIDDEN]
    return event_pb2.Hand(cards=seen, hidden_count=len(held) - len(seen))


def hands_to_proto(hands: Iterable[Iterable[Card]]) -> list[event_pb2.Hand]:
    """One message a hand."""
    return [hand_to_proto(hand) for hand in hands]


def hand_from_proto(message: event_pb2.Hand) -> tuple[Card, ...]:
    """The cards of a message, those face down first.

    Raises:
        WireError: more than the pack has.
    """
    return face_down(message.hidden_count, "hidden_count") + tuple(message.cards)


def hands_from_proto(messages: Iterable[event_pb2.Hand]) -> tuple[tuple[Card, ...], ...]:
    """The hands of messages. Raises: WireError: as `hand_from_proto`."""
    return tuple(hand_from_proto(message) for message in messages)


def face_down(number: int, field: str) -> tuple[Card, ...]:
    """So many cards face down. A message may claim any number, and must not fill the memory with them.

    Raises:
        WireError: more than the pack has.
    """
    if number > CARD_COUNT:
        raise WireError(field, f"the pack has {CARD_COUNT} cards")
    return (HIDDEN,) * number
