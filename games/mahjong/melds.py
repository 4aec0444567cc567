"""Sets on the table."""

from dataclasses import dataclass
from enum import StrEnum

from games.kernel import Seat
from games.mahjong.tiles import HONOURS, NotationError, Tile, parse, show


class MeldKind(StrEnum):
    """Kinds of melds, by the words of the notation."""

    CHOW = "chow"
    PUNG = "pung"
    EXPOSED_KONG = "kong"
    ADDED_KONG = "added"
    CONCEALED_KONG = "concealed"


KONGS = frozenset({MeldKind.EXPOSED_KONG, MeldKind.ADDED_KONG, MeldKind.CONCEALED_KONG})
SIZE = {kind: 4 if kind in KONGS else 3 for kind in MeldKind}


@dataclass(frozen=True, slots=True)
class Meld:
    """A set on the table.

    Attributes:
        kind: which kind.
        tile: its kind of tile; the lowest of a chow.
        from_seat: who discarded the claimed tile; None for a concealed kong, and where it
            is not known.
        shared: whether the claimed tile was won by another as well (BB-14).
    """

    kind: MeldKind
    tile: Tile
    from_seat: Seat | None = None
    shared: bool = False

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """All its tiles: three, or four of a kong."""
        if self.kind is MeldKind.CHOW:
            return (self.tile, self.tile + 1, self.tile + 2)
        return (self.tile,) * SIZE[self.kind]

    @property
    def is_kong(self) -> bool:
        """Whether it is a kong of any kind."""
        return self.kind in KONGS

    def __str__(self) -> str:
        return f"[{self.kind} {show(self.tiles)}]"


def parse_meld(text: str) -> Meld:
    """The meld of a notation such as "pung EEE" or "[added 5555p]".

    Raises:
        NotationError: an unknown kind, or tiles that are no such set.
    """
    start = 1 if text.startswith("[") and text.endswith("]") else 0
    word, _, rest = text[start : len(text) - start].partition(" ")
    if word not in set(MeldKind):
        raise NotationError(text, start, f"unknown kind of meld {word!r}")
    kind = MeldKind(word)
    tiles = tuple(sorted(parse(rest)))
    if not tiles or tiles != Meld(kind, tiles[0]).tiles:
        raise NotationError(text, start + len(word) + 1, f"no {word}")
    if kind is MeldKind.CHOW and (tiles[0] >= HONOURS.start or tiles[0] % 9 > 6):
        raise NotationError(text, start + len(word) + 1, "no chow")
    return Meld(kind, tiles[0])
