"""Hands as numbers: counts, sets and readings packed so that they add up.

Counts: three bits a kind, kind 0 lowest, so that a suit is 27 bits and a hand four of them. Sets
come as two numbers. `runs` counts the runs of each lowest tile in base five. `blocks` holds, from
the lowest bit: a bit for each kind that is a pung or kong, the kind of the pair plus one, how many
sets and pairs show a terminal or honour, and how many show a five. Both are sums over the parts of
a hand, so a reading is the sum of its suits and melds.

Tables fill on first use. Each is bounded: a full one starts again.
"""

from games.mahjong.decomposition import suit_readings
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.tiles import HONOURS, KIND_COUNT, Tile

SUIT_WIDTH = 27
SUIT_MASK = (1 << SUIT_WIDTH) - 1
HONOUR_SHIFT = 3 * SUIT_WIDTH
ONES = int("1" * KIND_COUNT, 8)
FOURS = 4 * ONES
TABLE_SIZE_MAX = 1 << 17

COUNT_OF = tuple(1 << (3 * tile) for tile in range(KIND_COUNT))
"""One tile of each kind, as counts."""

RANKS = 9
RUN_RANKS = 7
RUN_BASE = 5
RUN_OF = tuple(
    RUN_BASE ** (tile // RANKS * RUN_RANKS + tile % RANKS) if tile < HONOURS.start and tile % RANKS < RUN_RANKS else 0
    for tile in range(KIND_COUNT)
)
"""One run with each lowest tile, as `runs`; 0 where none starts."""

PUNGS_MASK = (1 << KIND_COUNT) - 1
SUITED_PUNGS_MASK = (1 << HONOURS.start) - 1
PAIR_SHIFT = KIND_COUNT
PAIR_MASK = 63
OUTSIDE_SHIFT = PAIR_SHIFT + 6
FIVES_SHIFT = OUTSIDE_SHIFT + 3
BLOCK_COUNT_MASK = 7
ONE_OUTSIDE = 1 << OUTSIDE_SHIFT
ONE_FIVE = 1 << FIVES_SHIFT

Part = tuple[int, int]
"""Some sets and maybe a pair: `runs` and `blocks`."""

NOTHING: tuple[Part, ...] = ((0, 0),)
"""The one reading of no tiles."""


def counts_of(tiles: tuple[Tile, ...]) -> int:
    """Counts of tiles, at most seven of a kind."""
    counts = 0
    for tile in tiles:
        counts += COUNT_OF[tile]
    return counts


def run_part(lowest: Tile) -> Part:
    """A run."""
    rank = lowest % RANKS
    blocks = (ONE_OUTSIDE if rank in (0, RUN_RANKS - 1) else 0) + (ONE_FIVE if 2 <= rank <= 4 else 0)
    return RUN_OF[lowest], blocks


def pung_part(tile: Tile) -> Part:
    """A pung or a kong."""
    return 0, (1 << tile) + _single_kind(tile)


def pair_part(tile: Tile) -> Part:
    """A pair."""
    return 0, ((tile + 1) << PAIR_SHIFT) + _single_kind(tile)


def _single_kind(tile: Tile) -> int:
    """What a block of one kind shows."""
    if tile in HONOURS or tile % RANKS in (0, RANKS - 1):
        return ONE_OUTSIDE
    return ONE_FIVE if tile % RANKS == RANKS // 2 else 0


# --- the readings of a suit ---------------------------------------------------------------------

_SUIT_PARTS: tuple[dict[int, tuple[Part, ...]], ...] = ({0: NOTHING}, {0: NOTHING}, {0: NOTHING}, {0: NOTHING})
HONOUR_SUIT = 3


def suit_parts(suit: int, value: int) -> tuple[Part, ...]:
    """Every reading of a suit's counts as sets and at most one pair; which of both its size says."""
    table = _SUIT_PARTS[suit]
    found = table.get(value)
    if found is None:
        if len(table) >= TABLE_SIZE_MAX:
            table.clear()
        found = table[value] = _read_suit(suit, value)
    return found


def _read_suit(suit: int, value: int) -> tuple[Part, ...]:
    parts = []
    for reading in suit_readings(value, suit != HONOUR_SUIT):
        first = RANKS * suit
        members = [pung_part(first + rank) for rank in reading.triplets]
        members += [run_part(first + rank) for rank in reading.runs]
        if reading.pair is not None:
            members.append(pair_part(first + reading.pair))
        parts.append((sum(runs for runs, _ in members), sum(blocks for _, blocks in members)))
    return tuple(parts)


def sets_and_pair(counts: int) -> list[Part]:
    """Every reading of tiles as sets and exactly one pair; the caller knows the right number of tiles."""
    found: list[Part] = [(0, 0)]
    pairs = 0
    for suit in range(4):
        value = counts >> (SUIT_WIDTH * suit) & SUIT_MASK
        if not value:
            continue
        parts = suit_parts(suit, value)
        if not parts:
            return []
        if parts[0][1] >> PAIR_SHIFT & PAIR_MASK:
            pairs += 1
        if len(parts) == 1 and len(found) == 1:
            found = [(found[0][0] + parts[0][0], found[0][1] + parts[0][1])]
        else:
            found = [(runs + more[0], blocks + more[1]) for runs, blocks in found for more in parts]
    return found if pairs == 1 else []


# --- melds --------------------------------------------------------------------------------------

ONE_CLAIMED = 1
ONE_CONCEALED_KONG = 1 << 3
ONE_MELDED_KONG = 1 << 6
MELD_COUNT_MASK = 7

_MELD_KINDS = {
    MeldKind.CHOW: ONE_CLAIMED,
    MeldKind.PUNG: ONE_CLAIMED,
    MeldKind.EXPOSED_KONG: ONE_CLAIMED + ONE_MELDED_KONG,
    MeldKind.ADDED_KONG: ONE_CLAIMED + ONE_MELDED_KONG,
    MeldKind.CONCEALED_KONG: ONE_CONCEALED_KONG,
}

MeldPart = tuple[int, int, int, int]
"""A meld: `runs`, `blocks`, its counts, and its kind as one of each number that `ONE_...` names.

The counts hold a kong as one tile: its four are no 四归一, and nobody holds more of them.
"""


def _meld_part(kind: MeldKind, tile: Tile) -> MeldPart:
    runs, blocks = run_part(tile) if kind is MeldKind.CHOW else pung_part(tile)
    if kind is MeldKind.CHOW:
        counts = COUNT_OF[tile] + COUNT_OF[tile + 1] + COUNT_OF[tile + 2]
    else:
        counts = COUNT_OF[tile] * (3 if kind is MeldKind.PUNG else 1)
    return runs, blocks, counts, _MELD_KINDS[kind]


_MELD_PARTS: dict[MeldKind, dict[Tile, MeldPart]] = {
    kind: {tile: _meld_part(kind, tile) for tile in range(KIND_COUNT) if kind is not MeldKind.CHOW or RUN_OF[tile]}
    for kind in MeldKind
}


def melds_part(melds: tuple[Meld, ...]) -> MeldPart:
    """All melds of a hand together."""
    runs = blocks = counts = kinds = 0
    for meld in melds:
        part = _MELD_PARTS[meld.kind][meld.tile]
        runs += part[0]
        blocks += part[1]
        counts += part[2]
        kinds += part[3]
    return runs, blocks, counts, kinds
