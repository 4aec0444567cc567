"""Cards, their notation, and hands counted by rank.

A card is an int in the order of the singles, the lowest first: 0 the wild card `*`, then
S H D C of each rank from 4 to 2 (1-48), 49 the black and 50 the red joker. That order is
also the display order and the one a shuffle starts from (TY-1, TY-2).
"""

from collections.abc import Iterable

Card = int
Rank = int

HIDDEN: Card = -1
"""A card lying face down."""

CARD_COUNT = 51
DECK: tuple[Card, ...] = tuple(range(CARD_COUNT))
WILD: Card = 0
BLACK_JOKER: Card = 49
RED_JOKER: Card = 50

SUIT_LETTERS = "SHDC"
SUIT_COUNT = 4
RANK_NAMES = ("3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A", "2", "BJ", "RJ")
"""Names of the ranks; the wild card alone is a 3 (TY-3)."""
RANK_COUNT = len(RANK_NAMES)
WILD_RANK: Rank = 0
SUITED: range = range(1, 13)
"""Ranks that come in four suits, 4 to 2: those the wild card may stand for."""
IN_RUNS: range = range(1, 12)
"""Ranks a straight may hold, 4 to A."""
TWO: Rank = 12
BLACK_JOKER_RANK: Rank = 13
RED_JOKER_RANK: Rank = 14

_NAMES = (
    "*",
    *(suit + RANK_NAMES[rank] for rank in SUITED for suit in SUIT_LETTERS),
    RANK_NAMES[BLACK_JOKER_RANK],
    RANK_NAMES[RED_JOKER_RANK],
)
_CARD_OF_NAME = {name: card for card, name in enumerate(_NAMES)}
_RANKS = (WILD_RANK, *(rank for rank in SUITED for _ in SUIT_LETTERS), BLACK_JOKER_RANK, RED_JOKER_RANK)


class NotationError(ValueError):
    """A text is not the notation of cards; `word` is the part at fault."""

    def __init__(self, word: str, detail: str) -> None:
        super().__init__(f"{word!r}: {detail}")
        self.word = word
        self.detail = detail


def parse(text: str) -> tuple[Card, ...]:
    """Cards of a notation such as "S4 HT BJ *", in the order written.

    Raises:
        NotationError: a card that does not exist, or one named twice.
    """
    cards: list[Card] = []
    for word in text.split():
        card = _CARD_OF_NAME.get(word)
        if card is None:
            raise NotationError(word, "no such card")
        if card in cards:
            raise NotationError(word, "named twice")
        cards.append(card)
    return tuple(cards)


def show(cards: Iterable[Card]) -> str:
    """The notation of cards, in the order given; "?" for one that lies face down."""
    return " ".join("?" if card == HIDDEN else _NAMES[card] for card in cards)


def rank_of(card: Card) -> Rank:
    """Index of the card's rank in `RANK_NAMES`."""
    return _RANKS[card]


def cards_of(rank: Rank) -> range:
    """All cards of a rank, lowest first."""
    if rank in SUITED:
        first = 1 + (rank - 1) * SUIT_COUNT
        return range(first, first + SUIT_COUNT)
    card = _RANKS.index(rank)
    return range(card, card + 1)


# --- counted by rank ------------------------------------------------------------------------

Counts = int
"""How many cards of each rank, the suits left out: four bits a rank, the wild card's first.

As one number it is a key, adds up with others, and `contains` compares all ranks at once.
"""

BITS = 4
GUARD: Counts = sum(8 << BITS * rank for rank in range(RANK_COUNT))
"""A bit a rank that no count reaches: it takes what a comparison borrows."""
NOTHING: Counts = 0
_ONE: tuple[Counts, ...] = tuple(1 << BITS * rank for rank in _RANKS)
"""Each card counted alone."""


def counts_of(cards: Iterable[Card]) -> Counts:
    """The cards counted by rank. A plain loop: a third of what `sum` and `map` take."""
    counts = NOTHING
    for card in cards:
        counts += _ONE[card]
    return counts


def of(rank: Rank, number: int = 1) -> Counts:
    """So many of one rank."""
    return number << BITS * rank


def count(counts: Counts, rank: Rank) -> int:
    """How many of a rank there are."""
    return counts >> BITS * rank & 15


def size(counts: Counts) -> int:
    """How many cards there are in all."""
    return sum(counts >> BITS * rank & 15 for rank in range(RANK_COUNT))


def contains(whole: Counts, part: Counts) -> bool:
    """Whether there are at least as many of every rank."""
    return (whole | GUARD) - part & GUARD == GUARD


def in_deck(counts: Counts) -> bool:
    """Whether the pack has as many of every rank."""
    return contains(ALL_COUNTS, counts)


ALL_COUNTS: Counts = counts_of(DECK)


def chosen(hand: Iterable[Card], counts: Counts) -> tuple[Card, ...]:
    """Cards of a hand for the counts, of each rank the first in display order.

    Args:
        hand: holds at least the counts.
    """
    cards = []
    for card in sorted(hand):
        if counts >> BITS * _RANKS[card] & 15:
            counts -= _ONE[card]
            cards.append(card)
    assert counts == NOTHING, counts
    return tuple(cards)
