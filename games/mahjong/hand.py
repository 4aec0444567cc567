"""A hand that may win, and what it is worth: the question every scorer answers."""

from dataclasses import dataclass
from enum import StrEnum

from games.mahjong.decomposition import Packed, add, pack
from games.mahjong.melds import Meld
from games.mahjong.tiles import Tile


class WinBy(StrEnum):
    """How the winning tile came."""

    SELF = "self"
    DISCARD = "discard"
    ROB = "rob"


class Situation(StrEnum):
    """What else holds when a hand wins, by the names of the cases."""

    LAST_TILE = "last_tile"
    KONG_REPLACEMENT = "kong_replacement"
    FLOWER_REPLACEMENT = "flower_replacement"
    LAST_OF_KIND = "last_of_kind"
    HEAVENLY = "heavenly"
    EARTHLY = "earthly"
    AFTER_KONG = "after_kong"
    DECLARED = "declared"
    PAYER_DECLARED = "payer_declared"


class HandError(ValueError):
    """A hand that cannot be.

    Attributes:
        field: the part that is wrong: "hand", "melds", "win", "by", "flowers" or "situation".
        rule: number of the rule it breaks.
        detail: what is wrong, in words.
        index: place within the part, such as that of a tile in the hand; None where there is none.
    """

    def __init__(self, field: str, rule: str, detail: str, index: int | None = None) -> None:
        super().__init__(f"{field}: {detail} ({rule})")
        self.field = field
        self.rule = rule
        self.detail = detail
        self.index = index


@dataclass(frozen=True, slots=True)
class WinningHand:
    """A hand and the tile it may win on.

    Attributes:
        concealed: tiles in the hand, without the winning one.
        melds: sets on the table.
        tile: the winning tile.
        by: how it came.
        situations: what else holds.
        flowers: flower tiles exposed.
        seat_wind: the winner's wind, in games that have them (DZ-13).
        round_wind: the round's.
    """

    concealed: tuple[Tile, ...]
    melds: tuple[Meld, ...]
    tile: Tile
    by: WinBy
    situations: frozenset[Situation] = frozenset()
    flowers: tuple[Tile, ...] = ()
    seat_wind: Tile | None = None
    round_wind: Tile | None = None

    def packed(self) -> Packed:
        """Counts of the concealed tiles, the winning one included."""
        return add(pack(self.concealed), self.tile)


@dataclass(frozen=True, slots=True)
class FanScore:
    """One row of the fan table in a hand.

    Attributes:
        value: what it adds, all its occurrences together.
        number: the row's number, where the variant's page numbers them (SH-12, DZ); else 0.
        times: how many they are, in games that count them (DZ); else 1.
    """

    fan_id: str
    name_zh: str
    value: int
    number: int = 0
    times: int = 1


@dataclass(frozen=True, slots=True)
class Score:
    """What a winning hand is worth.

    Attributes:
        fans: what counts, in the order of the fan table.
        fan_total: their sum.
        amount: what one payer is asked for, in units of the stake's asset.
        base_sum: the base sum, where the game has one (SH-20).
    """

    fans: tuple[FanScore, ...]
    fan_total: int
    amount: int
    base_sum: int | None = None
