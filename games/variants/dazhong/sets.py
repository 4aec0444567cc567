"""Hands as numbers: counts, sets and readings packed so that they add up.

Counts: three bits a kind in two numbers, so that a suit is 27 bits. `low` holds characters and dots,
`high` bamboo and honours, each from its lowest kind up.

Sets come as two numbers. `runs` counts the runs of each lowest tile in base five. `blocks` holds, from
the lowest bit: a bit for each kind that is a pung or kong, the kind of the pair plus one, how many sets
and pairs show a terminal or honour, how many show a five, and the number of pungs and kongs. Both are
sums over the parts of a hand, so a reading is the sum of its suits and melds.

Numbers stay below 2^62, where compiled code is fastest. Tables fill on first use, and a full one starts
again.
"""

from typing import Final

from games.mahjong.decomposition import HONOUR_SUIT, suit_readings
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.tiles import HONOURS, KIND_COUNT, Tile

SUIT_WIDTH: Final = 27
SUIT_MASK: Final = (1 << SUIT_WIDTH) - 1
LOW_KINDS: Final = 18
ONES: Final = 0o111_111_111_111_111_111
FOURS: Final = 4 * ONES
TABLE_SIZE_MAX: Final = 1 << 17

ONE_OF: Final = tuple(1 << 3 * (tile % LOW_KINDS) for tile in range(KIND_COUNT))
"""One tile of each kind, in its half of the counts."""

Counts = tuple[int, int]
"""`low` and `high`."""

RANKS: Final = 9
RUN_RANKS: Final = 7
RUN_BASE: Final = 5
RUN_OF: Final = tuple(
    RUN_BASE ** (tile // RANKS * RUN_RANKS + tile % RANKS) if tile < HONOURS.start and tile % RANKS < RUN_RANKS else 0
    for tile in range(KIND_COUNT)
)
"""One run with each lowest tile, as `runs`; 0 where none starts."""

PUNGS_MASK: Final = (1 << KIND_COUNT) - 1
SUITED_PUNGS_MASK: Final = (1 << HONOURS.start) - 1
PAIR_SHIFT: Final = KIND_COUNT
PAIR_MASK: Final = 63
OUTSIDE_SHIFT: Final = PAIR_SHIFT + 6
FIVES_SHIFT: Final = OUTSIDE_SHIFT + 3
PUNG_COUNT_SHIFT: Final = FIVES_SHIFT + 3
BLOCK_COUNT_MASK: Final = 7
ONE_OUTSIDE: Final = 1 << OUTSIDE_SHIFT
ONE_FIVE: Final = 1 << FIVES_SHIFT
ONE_PUNG: Final = 1 << PUNG_COUNT_SHIFT

Part = tuple[int, int]
"""Some sets and maybe a pair: `runs` and `blocks`."""


def counts_of(tiles: tuple[Tile, ...]) -> Counts:
    """Counts of tiles, at most seven of a kind."""
    low = high = 0
    for tile in tiles:
        if tile < LOW_KINDS:
            low += ONE_OF[tile]
        else:
            high += ONE_OF[tile]
    return low, high


def copies(low: int, high: int, tile: Tile) -> int:
    """How many of a kind."""
    half = low if tile < LOW_KINDS else high
    return half >> 3 * (tile % LOW_KINDS) & 7


def kinds_in(half: int) -> int:
    """One tile of each kind held, in either half of the counts."""
    return (half | half >> 1 | half >> 2) & ONES


def run_part(lowest: Tile) -> Part:
    """A run."""
    rank = lowest % RANKS
    blocks = (ONE_OUTSIDE if rank in (0, RUN_RANKS - 1) else 0) + (ONE_FIVE if 2 <= rank <= 4 else 0)
    return RUN_OF[lowest], blocks


def pung_part(tile: Tile) -> Part:
    """A pung or a kong."""
    return 0, (1 << tile) + ONE_PUNG + _single_kind(tile)


def pair_part(tile: Tile) -> Part:
    """A pair."""
    return 0, ((tile + 1) << PAIR_SHIFT) + _single_kind(tile)


def _single_kind(tile: Tile) -> int:
    """What a block of one kind shows."""
    if tile in HONOURS or tile % RANKS in (0, RANKS - 1):
        return ONE_OUTSIDE
    return ONE_FIVE if tile % RANKS == RANKS // 2 else 0


# --- readings of concealed tiles ----------------------------------------------------------------

_SUIT_PARTS: Final[list[dict[int, list[Part]]]] = [{}, {}, {}, {}]


def suit_parts(suit: int, value: int) -> list[Part]:
    """Every reading of a suit's counts as sets and at most one pair; which of both its size says."""
    table = _SUIT_PARTS[suit]
    found = table.get(value)
    if found is None:
        if len(table) >= TABLE_SIZE_MAX:
            table.clear()
        found = table[value] = _read_suit(suit, value)
    return found


def _read_suit(suit: int, value: int) -> list[Part]:
    parts = []
    first = RANKS * suit
    for reading in suit_readings(value, suit != HONOUR_SUIT):
        members = [pung_part(first + rank) for rank in reading.triplets]
        members += [run_part(first + rank) for rank in reading.runs]
        if reading.pair is not None:
            members.append(pair_part(first + reading.pair))
        parts.append((sum(runs for runs, _ in members), sum(blocks for _, blocks in members)))
    return parts


def sets_and_pair(low: int, high: int) -> list[Part]:
    """Every reading of tiles as sets and exactly one pair; the caller knows the right number of tiles."""
    runs = blocks = pairs = 0
    several: list[list[Part]] = []
    for suit in range(4):
        half = low if suit < 2 else high
        value = half >> SUIT_WIDTH if suit & 1 else half & SUIT_MASK
        if not value:
            continue
        parts = suit_parts(suit, value)
        if not parts:
            return []
        more_runs, more_blocks = parts[0]
        if more_blocks >> PAIR_SHIFT & PAIR_MASK:
            pairs += 1
        if len(parts) == 1:
            runs += more_runs
            blocks += more_blocks
        else:
            several.append(parts)
    if pairs != 1:
        return []
    found = [(runs, blocks)]
    for parts in several:
        found = [(runs + more_runs, blocks + more_blocks) for runs, blocks in found for more_runs, more_blocks in parts]
    return found


# --- melds --------------------------------------------------------------------------------------

ONE_CLAIMED: Final = 1
ONE_CONCEALED_KONG: Final = 1 << 3
ONE_MELDED_KONG: Final = 1 << 6
MELD_COUNT_MASK: Final = 7

MeldsPart = tuple[int, int, int, int, int]
"""Melds: `runs`, `blocks`, `low`, `high`, and how many of them are what `ONE_...` names.

The counts hold a kong as one tile: its four are no 四归一, and nobody else has any of them.
"""

NO_MELDS: Final[MeldsPart] = (0, 0, 0, 0, 0)


def _meld_part(part: Part, tiles: tuple[Tile, ...], what: int) -> MeldsPart:
    low, high = counts_of(tiles)
    return part[0], part[1], low, high, what


_CHOWS: Final = [
    _meld_part(run_part(tile), (tile, tile + 1, tile + 2), ONE_CLAIMED) if RUN_OF[tile] else NO_MELDS
    for tile in range(KIND_COUNT)
]
_PUNGS: Final = [_meld_part(pung_part(tile), (tile,) * 3, ONE_CLAIMED) for tile in range(KIND_COUNT)]
_MELDED_KONGS: Final = [
    _meld_part(pung_part(tile), (tile,), ONE_CLAIMED + ONE_MELDED_KONG) for tile in range(KIND_COUNT)
]
_CONCEALED_KONGS: Final = [_meld_part(pung_part(tile), (tile,), ONE_CONCEALED_KONG) for tile in range(KIND_COUNT)]

_CHOW: Final = MeldKind.CHOW
_PUNG: Final = MeldKind.PUNG
_CONCEALED_KONG: Final = MeldKind.CONCEALED_KONG


def melds_part(melds: tuple[Meld, ...]) -> MeldsPart:
    """All melds of a hand together."""
    runs = blocks = low = high = what = 0
    for meld in melds:
        kind = meld.kind
        if kind is _CHOW:
            part = _CHOWS[meld.tile]
        elif kind is _PUNG:
            part = _PUNGS[meld.tile]
        elif kind is _CONCEALED_KONG:
            part = _CONCEALED_KONGS[meld.tile]
        else:
            part = _MELDED_KONGS[meld.tile]
        runs += part[0]
        blocks += part[1]
        low += part[2]
        high += part[3]
        what += part[4]
    return runs, blocks, low, high, what
