"""Why a hand is worth what it is worth: the reading chosen, the sets behind each fan, and what is not paid beside what.

The values are the same for every variant; each variant fills them from its own rules. A fan that counts several
times has several grounds, so that the values of the grounds add up to the fans paid.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from games.mahjong.decomposition import Reading, readings
from games.mahjong.hand import Score, WinningHand
from games.mahjong.melds import Meld
from games.mahjong.tiles import Tile

if TYPE_CHECKING:
    from games.mahjong.ruleset import Ruleset


class Shape(StrEnum):
    """What a reading sees in a hand."""

    SETS_AND_PAIR = "sets_and_pair"
    ALL_PAIRS = "all_pairs"
    THIRTEEN_ORPHANS = "thirteen_orphans"
    HONOURS_AND_KNITTED = "honours_and_knitted"
    KNITTED_STRAIGHT = "knitted_straight"
    NO_SHAPE = "no_shape"


class PartKind(StrEnum):
    """A part of a reading; the kinds of melds have their own names."""

    CHOW = "chow"
    PUNG = "pung"
    EXPOSED_KONG = "kong"
    ADDED_KONG = "added"
    CONCEALED_KONG = "concealed"
    PAIR = "pair"
    KNITTED = "knitted"
    SINGLES = "singles"


PUNGS = frozenset({PartKind.PUNG, PartKind.EXPOSED_KONG, PartKind.ADDED_KONG, PartKind.CONCEALED_KONG})
KONGS = PUNGS - {PartKind.PUNG}


@dataclass(frozen=True, slots=True)
class Part:
    """A set, a pair, or tiles that stand apart.

    Attributes:
        kind: which.
        tiles: ascending.
        melded: whether it lies on the table.
        wins: whether the winning tile stands here, as this reading sees it.
    """

    kind: PartKind
    tiles: tuple[Tile, ...]
    melded: bool = False
    wins: bool = False

    @property
    def tile(self) -> Tile:
        """The lowest tile."""
        return self.tiles[0]

    @property
    def is_set(self) -> bool:
        """Whether it is a chow, a pung or a kong."""
        return self.kind is PartKind.CHOW or self.kind in PUNGS


class Basis(StrEnum):
    """What a fan looks at."""

    SETS = "sets"
    TILES = "tiles"
    SHAPE = "shape"
    WAIT = "wait"
    MOMENT = "moment"
    FLOWERS = "flowers"
    NOTHING_ELSE = "nothing_else"


class Principle(StrEnum):
    """Why a fan that holds is not paid."""

    EXCLUDED = "excluded"
    """The fan table says so."""
    NON_REPETITION = "non_repetition"
    """Another fan implies it."""
    NON_IDENTICAL = "non_identical"
    """A set serves the same fan once."""
    ACCOUNT_ONCE = "account_once"
    """Its sets are joined by other fans already."""
    HIGHEST_ALONE = "highest_alone"
    """Only the highest counts."""


@dataclass(frozen=True, slots=True)
class Ground:
    """One occurrence of a fan that is paid.

    Attributes:
        fan_id: of the fan.
        value: fan this occurrence adds.
        parts: places of the parts that make it; empty where it looks at the moment or at flowers.
        basis: what it looks at.
    """

    fan_id: str
    value: int
    parts: tuple[int, ...]
    basis: Basis


@dataclass(frozen=True, slots=True)
class Unpaid:
    """One occurrence of a fan that holds and is not paid.

    Attributes:
        fan_id: of the fan.
        value: fan it would have added.
        parts: places of the parts that make it.
        by: ids of the fans beside which it is not paid.
        principle: why.
        rule: number of the rule.
    """

    fan_id: str
    value: int
    parts: tuple[int, ...]
    by: tuple[str, ...]
    principle: Principle
    rule: str


@dataclass(frozen=True, slots=True)
class SumLine:
    """What one thing adds to the base sum (SH-20); `part` is its place, None for the base and the flowers."""

    points: int
    part: int | None
    what: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a hand is worth what it is worth.

    Attributes:
        shape: the shape of the reading chosen.
        parts: the reading chosen: melds first, then concealed sets, then the pair.
        grounds: what is paid, in the order of the fan table.
        unpaid: what holds and is not paid.
        qualifying: fan that counts towards a least fan; flowers apart.
        flowers: fan of flowers.
        reading_count: readings that were compared.
        sums: how the base sum comes about, where the game has one.
        capped: whether the amount stands at the game's cap.
    """

    shape: Shape
    parts: tuple[Part, ...]
    grounds: tuple[Ground, ...]
    unpaid: tuple[Unpaid, ...] = ()
    qualifying: int = 0
    flowers: int = 0
    reading_count: int = 1
    sums: tuple[SumLine, ...] = ()
    capped: bool = False


# --- making one --------------------------------------------------------------------------------

_ORDER = (PartKind.CHOW, PartKind.PAIR, PartKind.PUNG)
"""Where the winning tile is taken to stand, if nothing says more: a run leaves a pung concealed (DZ-36)."""


def meld_part(meld: Meld) -> Part:
    """A meld as a part."""
    return Part(PartKind(meld.kind.value), meld.tiles, melded=True)


def run_of(lowest: Tile) -> Part:
    """A concealed run."""
    return Part(PartKind.CHOW, (lowest, lowest + 1, lowest + 2))


def pung_of(tile: Tile) -> Part:
    """A concealed pung."""
    return Part(PartKind.PUNG, (tile,) * 3)


def pair_of(tile: Tile) -> Part:
    """A pair."""
    return Part(PartKind.PAIR, (tile, tile))


def parts_of_reading(melds: Iterable[Meld], reading: Reading) -> tuple[Part, ...]:
    """Melds, concealed sets and the pair."""
    sets = sorted([*map(run_of, reading.runs), *map(pung_of, reading.triplets)], key=lambda part: part.tiles)
    pair = () if reading.pair is None else (pair_of(reading.pair),)
    return (*map(meld_part, melds), *sets, *pair)


def parts_of_pairs(tiles: Iterable[Tile]) -> tuple[Part, ...]:
    """Tiles two by two; four alike are two pairs."""
    return tuple(map(pair_of, sorted(tiles)[::2]))


def winning_place(parts: Sequence[Part], tile: Tile) -> int | None:
    """Where the winning tile stands; None if no concealed part has it."""
    places = [place for place, part in enumerate(parts) if not part.melded and tile in part.tiles]
    known = {kind: rank for rank, kind in enumerate(_ORDER)}
    return min(places, key=lambda place: (known.get(parts[place].kind, -1), place), default=None)


def with_winner(parts: Sequence[Part], place: int | None) -> tuple[Part, ...]:
    """The parts, the one at this place marked as the winning tile's."""
    return tuple(replace(part, wins=True) if index == place else part for index, part in enumerate(parts))


def holding(parts: Sequence[Part], tile: Tile) -> tuple[int, ...]:
    """Places of the parts that have a tile of this kind."""
    return tuple(place for place, part in enumerate(parts) if tile in part.tiles)


def whole_hand(rules: "Ruleset", hand: WinningHand) -> Explanation | None:
    """What is told of a variant that explains nothing itself: a reading, and every fan over the whole of it."""
    score: Score | None = rules.judgement.score(rules, hand)
    if score is None:
        return None
    found = tuple(readings(hand.packed()))
    if found:
        shape, parts = Shape.SETS_AND_PAIR, parts_of_reading(hand.melds, found[0])
    else:
        tiles = tuple(sorted((*hand.concealed, hand.tile)))
        shape, parts = Shape.NO_SHAPE, (*map(meld_part, hand.melds), Part(PartKind.SINGLES, tiles))
    everything = tuple(range(len(parts)))
    return Explanation(
        shape=shape,
        parts=with_winner(parts, winning_place(parts, hand.tile)),
        grounds=tuple(Ground(fan.fan_id, fan.value, everything, Basis.TILES) for fan in score.fans),
        qualifying=score.fan_total,
        reading_count=max(len(found), 1),
    )
