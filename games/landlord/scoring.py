"""Questions about cards without a table: what they can be read as, and what a hand can play (TY-21..24).

Input that cannot be is refused with `CardsError`, never corrected.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from games.landlord.cards import DECK, Card, chosen, counts_of
from games.landlord.combinations import Reading
from games.landlord.hints import ranking
from games.landlord.ruleset import Ruleset
from games.landlord.table import PLAY_SIZE_MAX


class CardsError(ValueError):
    """Cards that cannot be.

    Attributes:
        field: the part that is wrong: "cards", "hand", "last", "hands", "bottom" or "dealer".
        rule: number of the rule it breaks.
        detail: what is wrong, in words.
    """

    def __init__(self, field: str, rule: str, detail: str) -> None:
        super().__init__(f"{field}: {detail} ({rule})")
        self.field = field
        self.rule = rule
        self.detail = detail


@dataclass(frozen=True, slots=True)
class HeldPlay:
    """A play of a hand: of cards that differ in suits alone the first in display order."""

    cards: tuple[Card, ...]
    reading: Reading


def read_cards(rules: Ruleset, cards: Sequence[Card], last: Reading | None = None) -> tuple[Reading, ...]:
    """What the cards can be read as, by kind in the alphabet; each kind once, with its highest rank.

    Args:
        last: a play to beat; then only the readings that do.

    Raises:
        CardsError: cards that are not in the pack, or a last play that cannot be.
    """
    _check_cards("cards", cards)
    _check_last(rules, last)
    readings = rules.plays.readings_of(counts_of(cards))
    return tuple(sorted(filter(lambda one: last is None or one.beats(last), readings), key=lambda one: one.kind))


def list_plays(rules: Ruleset, hand: Sequence[Card], last: Reading | None = None) -> tuple[HeldPlay, ...]:
    """Everything a hand can lead, or beat the last play with; the best hints first.

    Raises:
        CardsError: cards that are not in the pack, or a last play that cannot be.
    """
    work = listing_plays(rules, hand, last)
    while True:
        try:
            next(work)
        except StopIteration as end:
            found: tuple[HeldPlay, ...] = end.value
            return found


def listing_plays(
    rules: Ruleset, hand: Sequence[Card], last: Reading | None = None
) -> Generator[None, None, tuple[HeldPlay, ...]]:
    """The same, which takes some tenths of a second for the worst hand; yields between its steps.

    Raises:
        CardsError: also a hand longer than any.
    """
    _check_cards("hand", hand)
    if len(hand) > PLAY_SIZE_MAX:
        raise CardsError("hand", "TY-1", f"a hand has at most {PLAY_SIZE_MAX} cards")
    _check_last(rules, last)
    counts = counts_of(hand)
    found = rules.plays.plays(counts) if last is None else rules.plays.beating(counts, last)
    ranked = yield from ranking(counts, found)
    return tuple(HeldPlay(chosen(hand, play), reading) for play, reading in ranked)


def _check_cards(field: str, cards: Sequence[Card]) -> None:
    for card in cards:
        if card not in DECK:
            raise CardsError(field, "TY-1", f"{card} is no card")
    if len(set(cards)) < len(cards):
        raise CardsError(field, "TY-1", "a card is named twice")


def _check_last(rules: Ruleset, last: Reading | None) -> None:
    """A last play must be one that there is."""
    if last is None:
        return
    bodies = rules.plays.bodies.get((last.kind, last.count), ())
    if not any(body.reading == last for body in bodies):
        raise CardsError("last", "TY-21", f"there is no {last} of {last.count} cards")
