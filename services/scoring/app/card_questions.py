"""What a set of cards can be played as, and what a hand can play."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from games.landlord.cards import CARD_COUNT, RANK_NAMES, Card, NotationError, parse
from games.landlord.combinations import Kind, Reading
from games.landlord.ruleset import Ruleset
from games.landlord.scoring import CardsError, HeldPlay, listing_plays, read_cards
from refusals import Refusal
from services.scoring.app.hands import impossible, invalid
from services.scoring.app.rulesets import RulesetQuery, landlord_ruleset_of

NOTATION_LENGTH_MAX = 256
"""Far more than the whole pack takes."""


@dataclass(frozen=True, slots=True)
class CardsQuery:
    """Cards as they are asked about, either as ids or in notation."""

    ids: Sequence[int]
    notation: str


@dataclass(frozen=True, slots=True)
class ReadingQuery:
    """A play as its reading names it."""

    kind: str
    rank: str
    count: int


@dataclass(frozen=True, slots=True)
class ReadCards:
    """The readings of a set of cards, by kind."""

    rules: Ruleset
    readings: tuple[Reading, ...]


@dataclass(frozen=True, slots=True)
class ListedPlays:
    """The plays of a hand, the best hint first; `count` tells how many there are in all."""

    rules: Ruleset
    plays: tuple[HeldPlay, ...]
    count: int


def cards_read(query: RulesetQuery, cards: CardsQuery, last: ReadingQuery | None) -> ReadCards:
    """What the cards can be read as; with a last play, only what beats it.

    Raises:
        Refusal: RULESET_UNKNOWN, OPTION_INVALID; INVALID_FIELD: too long to be read, or given twice; HAND_IMPOSSIBLE:
            no such cards, a card twice (the field names its place), or no such last play.
    """
    rules = landlord_ruleset_of(query)
    held = _cards(cards)
    try:
        return ReadCards(rules, read_cards(rules, held, _last(last)))
    except CardsError as error:
        raise impossible(error.field, error.detail, error.rule) from None


def list_plays(
    query: RulesetQuery, hand: CardsQuery, last: ReadingQuery | None, count_max: int
) -> Generator[None, None, ListedPlays]:
    """All a hand can lead, or beat the last play with, the best hints first; yields between its steps.

    Args:
        count_max: most plays to return; 0 for all.

    Raises:
        Refusal: as `cards_read`; also HAND_IMPOSSIBLE for a hand longer than any, INVALID_FIELD for an empty one.
    """
    rules = landlord_ruleset_of(query)
    held = _cards(hand)
    if not held:
        raise invalid("cards", "name the hand")
    try:
        plays = yield from listing_plays(rules, held, _last(last))
    except CardsError as error:
        raise impossible(_field(hand) if error.field == "hand" else error.field, error.detail, error.rule) from None
    return ListedPlays(rules, plays[:count_max] if count_max else plays, len(plays))


def _field(cards: CardsQuery) -> str:
    return "card_ids" if cards.ids else "cards"


def _cards(query: CardsQuery) -> tuple[Card, ...]:
    """The cards of a query, each there once."""
    if query.ids and query.notation:
        raise invalid("card_ids", "give ids or the notation, not both")
    if len(query.notation) > NOTATION_LENGTH_MAX:
        raise invalid("cards", f"at most {NOTATION_LENGTH_MAX} characters")
    if len(query.ids) > CARD_COUNT:
        raise invalid("card_ids", f"at most {CARD_COUNT}")
    found: list[Card] = []
    words: Sequence[int | str] = query.ids or query.notation.split()
    for index, named in enumerate(words):
        card = _card(query, index, named)
        if card in found:
            raise _no_card(query, index, "named twice")
        found.append(card)
    return tuple(found)


def _card(query: CardsQuery, index: int, named: int | str) -> Card:
    if isinstance(named, int):
        if not 0 <= named < CARD_COUNT:
            raise _no_card(query, index, f"{named}: from 0 to {CARD_COUNT - 1}")
        return named
    try:
        (card,) = parse(named)
    except NotationError as error:
        raise _no_card(query, index, str(error)) from None
    return card


def _no_card(query: CardsQuery, index: int, detail: str) -> Refusal:
    return impossible(f"{_field(query)}[{index}]", detail, "TY-1")


def _last(query: ReadingQuery | None) -> Reading | None:
    if query is None:
        return None
    if query.kind not in set(Kind):
        raise impossible("last.kind", "one of " + ", ".join(Kind), "TY-21")
    if query.rank not in RANK_NAMES:
        raise impossible("last.rank", "one of " + ", ".join(RANK_NAMES), "TY-2")
    return Reading(Kind(query.kind), RANK_NAMES.index(query.rank), query.count)
