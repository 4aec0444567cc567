"""What each fan of 大众麻将 means, said a second time: over the parts that an explanation names, with none of the
scorer's code. Parts are (kind, tiles, melded, wins).
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from games.mahjong.explanation import Part

KONGS = {"kong", "added", "concealed"}
PUNGS = KONGS | {"pung"}
WINDS, DRAGONS = {27, 28, 29, 30}, {31, 32, 33}
ENDS = {9 * suit + rank for suit in range(3) for rank in (0, 8)}
GREEN = {19, 20, 21, 23, 25, 32}
REVERSIBLE = {9, 10, 11, 12, 13, 16, 17, 19, 21, 22, 23, 25, 26, 33}


@dataclass(frozen=True)
class Named:
    """The parts a fan names, and the hand around them."""

    parts: tuple[Part, ...]
    whole: tuple[Part, ...]
    by_self: bool
    robbed: bool
    last_tile: bool
    kong_replacement: bool
    last_of_kind: bool
    tile: int | None
    seat_wind: int
    round_wind: int

    @property
    def tiles(self) -> list[int]:
        return [tile for part in self.parts for tile in part.tiles]

    @property
    def kinds(self) -> set[int]:
        return set(self.tiles)

    @property
    def suits(self) -> set[int]:
        return {tile // 9 for tile in self.kinds if tile < 27}

    def every(self, *kinds: str) -> bool:
        return all(part.kind in kinds for part in self.parts)

    def ranks(self, kind: set[str], step: int | None, count: int, suits: int) -> bool:
        """So many sets of a kind, in so many suits, their ranks apart by a step."""
        lows = sorted(part.tiles[0] % 9 for part in self.parts)
        fits = {part.kind.value for part in self.parts} <= kind and len(lows) == count and len(self.suits) == suits
        return fits and all(part.tiles[0] < 27 for part in self.parts) and _steps(lows) == [step] * (count - 1)

    @property
    def is_whole(self) -> bool:
        return len(self.parts) == len(self.whole)

    def only(self, *ranks: int) -> bool:
        return self.is_whole and all(tile < 27 and tile % 9 + 1 in ranks for tile in self.kinds)


def _steps(lows: list[int]) -> list[int]:
    return [after - before for before, after in pairwise(lows)]


def _chows(step: int, count: int, suits: int) -> Callable[[Named], bool]:
    return lambda it: it.ranks({"chow"}, step, count, suits)


def _pungs(step: int, count: int, suits: int) -> Callable[[Named], bool]:
    return lambda it: it.ranks(PUNGS, step, count, suits)


def _concealed(count: int) -> Callable[[Named], bool]:
    def holds(it: Named) -> bool:
        fits = [p for p in it.parts if p.kind == "concealed" or (p.kind == "pung" and not p.melded)]
        given = [p for p in it.parts if p.wins and not it.by_self and it.tile == p.tiles[0]]
        return len(it.parts) == count == len(fits) and not given

    return holds


def _kongs(kinds: set[str], count: int) -> Callable[[Named], bool]:
    return lambda it: len(it.parts) == count and it.every(*kinds)


def _honour_pungs(kinds: set[int], pair: bool) -> Callable[[Named], bool]:
    def holds(it: Named) -> bool:
        pungs = {p.tiles[0] for p in it.parts if p.kind in PUNGS}
        pairs = {p.tiles[0] for p in it.parts if p.kind == "pair"}
        return pungs | pairs == kinds and len(pairs) == pair and len(it.parts) == len(kinds)

    return holds


def _outside(kinds: set[int]) -> Callable[[Named], bool]:
    return lambda it: it.is_whole and all(set(part.tiles) & kinds for part in it.parts)


def _terminal_chows(suits: int, count: int) -> Callable[[Named], bool]:
    def holds(it: Named) -> bool:
        lows = Counter(p.tiles[0] for p in it.parts if p.kind == "chow")
        pair = next(p.tiles[0] for p in it.parts if p.kind == "pair")
        ends = all(low % 9 in (0, 6) and times == 2 // suits for low, times in lows.items())
        return ends and pair % 9 == 4 and lows.total() == 4 and len(it.suits) == count

    return holds


def _pairs(it: Named) -> bool:
    return len(it.parts) == 7 and it.every("pair")


def _nine_gates(it: Named) -> bool:
    held = Counter(it.tiles)
    if it.tile is not None:
        held[it.tile] -= 1
    wanted = Counter([0, 0, 0, *range(1, 8), 8, 8, 8])
    left = Counter({tile % 9: times for tile, times in held.items() if times})
    return len(it.suits) == 1 and (left == wanted if it.tile is not None else not wanted - left)


def _knitted(it: Named, count: int) -> bool:
    singles = [tile for tile in it.kinds if tile < 27]
    by_suit = {suit: {tile % 9 % 3 for tile in singles if tile // 9 == suit} for suit in it.suits}
    columns = [column for residues in by_suit.values() for column in residues]
    return len(it.tiles) == len(it.kinds) == count and len(columns) == len(set(columns)) == len(by_suit)


def _wait(it: Named) -> Part:
    (part,) = it.parts
    assert part.wins and not part.melded, part
    return part


MEANINGS: Mapping[str, Callable[[Named], bool]] = {
    "big_four_winds": _honour_pungs(WINDS, False),
    "big_three_dragons": _honour_pungs(DRAGONS, False),
    "all_green": lambda it: it.is_whole and it.kinds <= GREEN,
    "nine_gates": _nine_gates,
    "four_kongs": _kongs(KONGS, 4),
    "seven_shifted_pairs": lambda it: _pairs(it) and it.ranks({"pair"}, 1, 7, 1),
    "thirteen_orphans": lambda it: it.kinds == ENDS | WINDS | DRAGONS and len(it.tiles) == 14,
    "all_terminals": lambda it: it.is_whole and it.kinds <= ENDS,
    "little_four_winds": _honour_pungs(WINDS, True),
    "little_three_dragons": _honour_pungs(DRAGONS, True),
    "all_honours": lambda it: it.is_whole and it.kinds <= WINDS | DRAGONS,
    "four_concealed_pungs": _concealed(4),
    "pure_terminal_chows": _terminal_chows(1, 1),
    "quadruple_chow": _chows(0, 4, 1),
    "four_pure_shifted_pungs": _pungs(1, 4, 1),
    "four_pure_shifted_chows": lambda it: _chows(1, 4, 1)(it) or _chows(2, 4, 1)(it),
    "three_kongs": _kongs(KONGS, 3),
    "all_terminals_and_honours": lambda it: it.is_whole and it.kinds <= ENDS | WINDS | DRAGONS,
    "seven_pairs": _pairs,
    "greater_honours_and_knitted": lambda it: _knitted(it, 14) and it.kinds >= WINDS | DRAGONS,
    "all_even_pungs": lambda it: it.only(2, 4, 6, 8) and all(p.kind in PUNGS | {"pair"} for p in it.parts),
    "full_flush": lambda it: it.is_whole and len(it.suits) == 1 and max(it.kinds) < 27,
    "pure_triple_chow": _chows(0, 3, 1),
    "pure_shifted_pungs": _pungs(1, 3, 1),
    "upper_tiles": lambda it: it.only(7, 8, 9),
    "middle_tiles": lambda it: it.only(4, 5, 6),
    "lower_tiles": lambda it: it.only(1, 2, 3),
    "pure_straight": _chows(3, 3, 1),
    "three_suited_terminal_chows": _terminal_chows(2, 3),
    "pure_shifted_chows": lambda it: _chows(1, 3, 1)(it) or _chows(2, 3, 1)(it),
    "all_fives": _outside({4, 13, 22}),
    "triple_pung": _pungs(0, 3, 3),
    "three_concealed_pungs": _concealed(3),
    "lesser_honours_and_knitted": lambda it: _knitted(it, 14),
    "knitted_straight": lambda it: len({t for p in it.parts for t in p.tiles if t < 27}) >= 9,
    "upper_four": lambda it: it.only(6, 7, 8, 9),
    "lower_four": lambda it: it.only(1, 2, 3, 4),
    "big_three_winds": lambda it: len(it.parts) == 3 and it.every(*PUNGS) and it.kinds <= WINDS,
    "mixed_straight": _chows(3, 3, 3),
    "reversible_tiles": lambda it: it.is_whole and it.kinds <= REVERSIBLE,
    "mixed_triple_chow": _chows(0, 3, 3),
    "mixed_shifted_pungs": _pungs(1, 3, 3),
    "chicken_hand": lambda it: not it.parts,
    "last_tile_draw": lambda it: it.last_tile and it.by_self,
    "last_tile_claim": lambda it: it.last_tile and not it.by_self,
    "out_with_replacement_tile": lambda it: it.kong_replacement and it.by_self,
    "robbing_the_kong": lambda it: it.robbed,
    "all_pungs": lambda it: len(it.parts) == 4 and it.every(*PUNGS),
    "half_flush": lambda it: it.is_whole and len(it.suits) == 1 and max(it.kinds) >= 27,
    "mixed_shifted_chows": _chows(1, 3, 3),
    "all_types": lambda it: len(it.suits) == 3 and bool(it.kinds & WINDS) and bool(it.kinds & DRAGONS),
    "melded_hand": lambda it: sum(p.melded and p.kind != "concealed" for p in it.parts) == 4 and not it.by_self,
    "two_concealed_kongs": _kongs({"concealed"}, 2),
    "two_dragon_pungs": lambda it: len(it.parts) == 2 and it.every(*PUNGS) and it.kinds <= DRAGONS,
    "outside_hand": _outside(ENDS | WINDS | DRAGONS),
    "fully_concealed_hand": lambda it: it.by_self and not any(p.melded and p.kind != "concealed" for p in it.whole),
    "two_melded_kongs": _kongs({"kong", "added"}, 2),
    "last_of_kind": lambda it: it.last_of_kind,
    "dragon_pung": lambda it: len(it.parts) == 1 and it.every(*PUNGS) and it.kinds <= DRAGONS,
    "prevalent_wind": lambda it: len(it.parts) == 1 and it.every(*PUNGS) and it.kinds == {it.round_wind},
    "seat_wind": lambda it: len(it.parts) == 1 and it.every(*PUNGS) and it.kinds == {it.seat_wind},
    "concealed_hand": lambda it: not it.by_self and not any(p.melded and p.kind != "concealed" for p in it.whole),
    "all_chows": lambda it: sum(p.kind in ("chow", "knitted") for p in it.parts) == 4 and max(it.kinds) < 27,
    "tile_hog": lambda it: Counter(it.tiles).most_common(1)[0][1] == 4 and not any(p.kind in KONGS for p in it.parts),
    "double_pung": _pungs(0, 2, 2),
    "two_concealed_pungs": _concealed(2),
    "concealed_kong": _kongs({"concealed"}, 1),
    "all_simples": lambda it: it.only(2, 3, 4, 5, 6, 7, 8),
    "pure_double_chow": _chows(0, 2, 1),
    "mixed_double_chow": _chows(0, 2, 2),
    "short_straight": _chows(3, 2, 1),
    "two_terminal_chows": _chows(6, 2, 1),
    "pung_of_terminals_or_honours": lambda it: (
        len(it.parts) == 1 and it.every(*PUNGS) and it.kinds <= ENDS | WINDS | DRAGONS
    ),
    "melded_kong": _kongs({"kong", "added"}, 1),
    "one_voided_suit": lambda it: it.is_whole and len(it.suits) == 2,
    "no_honours": lambda it: it.is_whole and max(it.kinds) < 27,
    "edge_wait": lambda it: (
        _wait(it).kind == "chow" and (_wait(it).tiles.index(it.tile or 0), (it.tile or 0) % 9) in ((2, 2), (0, 6))
    ),
    "closed_wait": lambda it: _wait(it).kind == "chow" and _wait(it).tiles[1] == it.tile,
    "single_wait": lambda it: _wait(it).kind == "pair",
    "self_draw": lambda it: it.by_self,
    "flower": lambda it: not it.parts,
}
