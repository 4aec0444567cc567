"""What a set of cards can be played as."""

from dataclasses import dataclass

from games.landlord.cards import RANK_NAMES, NotationError, parse
from games.landlord.combinations import Kind, Reading
from games.landlord.ruleset import Ruleset
from games.landlord.scoring import CardsError, read_cards
from services.scoring.app.hands import impossible, invalid
from services.scoring.app.rulesets import RulesetQuery, landlord_ruleset_of

NOTATION_LENGTH_MAX = 256
"""Far more than the whole pack takes."""


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


def cards_read(query: RulesetQuery, cards: str, last: ReadingQuery | None) -> ReadCards:
    """What the cards can be read as; with a last play, only what beats it.

    Raises:
        Refusal: RULESET_UNKNOWN, OPTION_INVALID; INVALID_FIELD: too long to be read; HAND_IMPOSSIBLE: no such cards,
            a card twice, or no such last play.
    """
    rules = landlord_ruleset_of(query)
    if len(cards) > NOTATION_LENGTH_MAX:
        raise invalid("cards", f"at most {NOTATION_LENGTH_MAX} characters")
    try:
        return ReadCards(rules, read_cards(rules, parse(cards), None if last is None else _last(last)))
    except NotationError as error:
        raise impossible("cards", str(error), "TY-1") from None
    except CardsError as error:
        raise impossible(error.field, error.detail, error.rule) from None


def _last(query: ReadingQuery) -> Reading:
    if query.kind not in set(Kind):
        raise impossible("last.kind", "one of " + ", ".join(Kind), "TY-21")
    if query.rank not in RANK_NAMES:
        raise impossible("last.rank", "one of " + ", ".join(RANK_NAMES), "TY-2")
    return Reading(Kind(query.kind), RANK_NAMES.index(query.rank), query.count)
