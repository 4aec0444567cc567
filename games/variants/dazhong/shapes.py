"""What a 大众 hand lacks for the shapes that stand beside four sets with a pair and seven pairs (DZ-20)."""

from games.mahjong.decomposition import pack
from games.mahjong.goals import NEVER, Lack, allowed_copies, counts, nearest, sets_lack, singles_lack
from games.mahjong.melds import Meld
from games.mahjong.tiles import HONOURS, Tile
from games.mahjong.waits import COPIES
from games.variants.dazhong.sets import RANKS
from games.variants.dazhong.waiting import KNITTED, kind_bits, kinds_of

_ASSIGNMENTS = tuple(kinds_of(kind_bits(low, high)) for low, high in KNITTED)
_ORPHANS = (*(RANKS * suit + rank for suit in range(3) for rank in (0, RANKS - 1)), *HONOURS)
_SINGLES = 14


def more_lacks(concealed: tuple[Tile, ...], melds: tuple[Meld, ...]) -> tuple[Lack, ...]:
    """Thirteen orphans, honours and knitted tiles, knitted straights."""
    held = counts(concealed)
    found = []
    if not melds:
        found.append(singles_lack(held, _ORPHANS, len(_ORPHANS), paired=True))
        found += [singles_lack(held, (*knitted, *HONOURS), _SINGLES) for knitted in _ASSIGNMENTS]
    if len(melds) <= 1:
        found.append(nearest(_straight_lack(held, concealed, melds, knitted) for knitted in _ASSIGNMENTS))
    return tuple(found)


def _straight_lack(
    held: list[int], concealed: tuple[Tile, ...], melds: tuple[Meld, ...], knitted: tuple[Tile, ...]
) -> Lack:
    """The nine knitted tiles, and a set with a pair of the rest; a meld is the set."""
    rest = list(concealed)
    absent = 0
    missing = 0
    for tile in knitted:
        if held[tile]:
            rest.remove(tile)
        else:
            absent |= 1 << tile
            missing += 1
    allowed = allowed_copies(melds, pack(knitted))
    if any(not _has_room(melds, tile) for tile in knitted):
        return NEVER
    more, kinds = sets_lack(pack(rest), allowed, 1 - len(melds))
    return missing + more, absent | kinds


def _has_room(melds: tuple[Meld, ...], tile: Tile) -> bool:
    """Whether melds leave a copy of the tile."""
    return sum(meld.tiles.count(tile) for meld in melds) < COPIES
