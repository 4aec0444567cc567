"""Tiles and their notation.

A tile is an int in the order of the specification: 0-8 characters 1-9, 9-17 dots,
18-26 bamboo, 27-30 winds E S W N, 31-33 dragons C F P, 34-41 flowers. That order is also
the display order (PF-21).
"""

from collections.abc import Iterable

Tile = int

HIDDEN: Tile = -1
"""A tile lying face down."""

KIND_COUNT = 34
FLOWERS = range(34, 42)
CHARACTERS = range(0, 9)
DOTS = range(9, 18)
BAMBOO = range(18, 27)
HONOURS = range(27, 34)
WINDS = range(27, 31)

SUIT_LETTERS = "mps"
HONOUR_LETTERS = "ESWNCFP"
FLOWER_LETTER = "f"


class NotationError(ValueError):
    """A text is not the notation of tiles; `position` is the offending index."""

    def __init__(self, text: str, position: int, detail: str) -> None:
        super().__init__(f"{detail} at position {position} of {text!r}")
        self.text = text
        self.position = position
        self.detail = detail


def parse(text: str) -> tuple[Tile, ...]:
    """Tiles of a notation such as "123p99sE", in the order written.

    Raises:
        NotationError: a letter, digit or flower that does not exist, or digits without a suit.
    """
    tiles: list[Tile] = []
    digits: list[int] = []
    for position, letter in enumerate(text):
        if letter == " ":
            continue
        if letter in "123456789":
            digits.append(int(letter))
        elif letter in SUIT_LETTERS:
            if not digits:
                raise NotationError(text, position, "a suit letter without digits")
            tiles += [SUIT_LETTERS.index(letter) * 9 + digit - 1 for digit in digits]
            digits = []
        elif letter == FLOWER_LETTER:
            if not digits or max(digits) > len(FLOWERS):
                raise NotationError(text, position, "no such flower")
            tiles += [FLOWERS.start + digit - 1 for digit in digits]
            digits = []
        elif letter in HONOUR_LETTERS and not digits:
            tiles.append(HONOURS.start + HONOUR_LETTERS.index(letter))
        else:
            raise NotationError(text, position, f"unexpected {letter!r}")
    if digits:
        raise NotationError(text, len(text), "digits without a suit letter")
    return tuple(tiles)


def show(tiles: Iterable[Tile]) -> str:
    """The notation of tiles, sorted, runs sharing their suit letter; face down as "?"."""
    text = ""
    open_suit = ""
    for tile in sorted(tiles):
        suit, face = _face(tile)
        if open_suit and suit != open_suit:
            text += open_suit
        text += face
        open_suit = suit
    return text + open_suit


def _face(tile: Tile) -> tuple[str, str]:
    if tile == HIDDEN:
        return "", "?"
    if tile in HONOURS:
        return "", HONOUR_LETTERS[tile - HONOURS.start]
    if tile in FLOWERS:
        return FLOWER_LETTER, str(tile - FLOWERS.start + 1)
    return SUIT_LETTERS[tile // 9], str(tile % 9 + 1)
