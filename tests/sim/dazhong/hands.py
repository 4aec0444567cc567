"""Winning hands of every kind, by chance: each recipe aims at some rows of the fan table."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from games.mahjong.hand import Situation, WinBy, WinningHand
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.tiles import BAMBOO, CHARACTERS, DOTS, FLOWERS, HONOURS, KIND_COUNT, WINDS, Tile, parse
from games.variants.dazhong.fans import ONLY_OF, PUNG_FIGURES, RUN_FIGURES, Figure

SUITS = (CHARACTERS, DOTS, BAMBOO)
DRAGONS = range(WINDS.stop, HONOURS.stop)
COPIES = 4
SETS = 4
TRIES = 200
KONG_KINDS = (MeldKind.EXPOSED_KONG, MeldKind.ADDED_KONG, MeldKind.CONCEALED_KONG)

Tiles = tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """Tiles of a hand before they lie anywhere.

    Attributes:
        sets: three tiles each; they may be melded.
        rest: tiles that stay concealed.
        meld_counts: numbers of melds to choose from.
        kong_share: share of melded pungs that are kongs.
        win: the winning tile; None for any concealed one.
    """

    sets: tuple[Tiles, ...]
    rest: Tiles
    meld_counts: Sequence[int] = (0, 0, 0, 1, 2, 3, 4)
    kong_share: float = 0.3
    win: Tile | None = None


Recipe = Callable[[Random], Shape]


def run(lowest: Tile) -> Tiles:
    """Three in a row."""
    return lowest, lowest + 1, lowest + 2


def any_set(rng: Random, allowed: Sequence[Tile]) -> Tiles:
    """A run or a pung of allowed kinds; runs are commoner."""
    possible = set(allowed)
    starts = [tile for tile in allowed if tile not in HONOURS and tile % 9 <= 6 and {tile + 1, tile + 2} <= possible]
    if starts and rng.random() < 0.6:
        return run(rng.choice(starts))
    return (rng.choice(allowed),) * 3


ALL = tuple(range(KIND_COUNT))


def sets_of(rng: Random, allowed: Sequence[Tile], some: Sequence[Tiles] = ()) -> Shape:
    """Some sets, filled up to four with any of allowed kinds, and a pair of those."""
    sets = (*some, *(any_set(rng, allowed) for _ in range(SETS - len(some))))
    return Shape(sets, (rng.choice(allowed),) * 2)


def _only(tiles: str) -> Recipe:
    allowed = parse(tiles)
    return lambda rng: sets_of(rng, allowed)


def _one_suit(rng: Random) -> Shape:
    return sets_of(rng, rng.choice(SUITS))


def _few_ranks(rng: Random) -> Shape:
    """One suit, close together: many readings."""
    suit = rng.choice(SUITS)
    start = rng.randrange(5)
    return sets_of(rng, suit[start : start + 5])


def _half_flush(rng: Random) -> Shape:
    return sets_of(rng, (*rng.choice(SUITS), *HONOURS))


def _two_suits(rng: Random) -> Shape:
    one, other = rng.sample(SUITS, 2)
    return sets_of(rng, (*one, *other))


def _any(rng: Random) -> Shape:
    return sets_of(rng, ALL)


def _all_types(rng: Random) -> Shape:
    sets = [any_set(rng, suit) for suit in SUITS]
    wind, dragon = rng.choice(WINDS), rng.choice(DRAGONS)
    pung, pair = rng.sample((wind, dragon), 2)
    return Shape((*sets, (pung,) * 3), (pair,) * 2)


def _figure(shape: Figure, *, pungs: bool) -> Recipe:
    suit_count, steps = shape

    def make(rng: Random) -> Shape:
        suits = [rng.choice(SUITS)] * (len(steps) + 1) if suit_count == 1 else rng.sample(SUITS, suit_count)
        top = 9 if pungs else 7
        rank = rng.randrange(top - sum(steps))
        some = []
        for suit, step in zip(suits, (*steps, 0), strict=True):
            some.append((suit[rank],) * 3 if pungs else run(suit[rank]))
            rank += step
        if rng.random() < 0.4:
            return sets_of(rng, ALL, some)
        kinds = sorted({tile // 9 for tiles in some for tile in tiles})
        return sets_of(rng, [tile for suit in kinds for tile in SUITS[suit]], some)

    return make


def _related_runs(rng: Random) -> Shape:
    """Four runs in two suits at few ranks: many fans of two."""
    suits = rng.sample(SUITS, 2)
    ranks = rng.sample((0, 1, 3, 4, 6), 2)
    sets = tuple(run(rng.choice(suits)[rng.choice(ranks)]) for _ in range(SETS))
    return Shape(sets, (rng.choice((*suits[0], *HONOURS)),) * 2)


def _related_pungs(rng: Random) -> Shape:
    """Four pungs at few ranks."""
    ranks = rng.sample(range(9), 3)
    sets = tuple((rng.choice(SUITS)[rng.choice(ranks)],) * 3 for _ in range(SETS))
    return Shape(sets, (rng.choice(ALL),) * 2)


def _pungs(rng: Random) -> Shape:
    return Shape(tuple((tile,) * 3 for tile in rng.sample(ALL, SETS)), (rng.choice(ALL),) * 2, kong_share=0.4)


def _concealed_pungs(rng: Random) -> Shape:
    shape = _pungs(rng)
    sets = shape.sets
    if rng.random() < 0.5:
        sets = (*sets[:3], any_set(rng, ALL))
    return Shape(sets, shape.rest, meld_counts=(0, 0, 1))


def _kongs(rng: Random) -> Shape:
    shape = _pungs(rng)
    sets = shape.sets
    if rng.random() < 0.5:
        sets = (*sets[:3], any_set(rng, ALL))
    return Shape(sets, shape.rest, meld_counts=(2, 3, 4), kong_share=0.9)


def _concealed_kongs(rng: Random) -> Shape:
    """Two kongs beside two runs."""
    pungs = [(tile,) * 3 for tile in rng.sample(ALL, 2)]
    runs = [run(rng.choice(SUITS)[rng.randrange(7)]) for _ in range(2)]
    return Shape((*pungs, *runs), (rng.choice(ALL),) * 2, (2, 3, 4), kong_share=1.0)


def _melded(rng: Random) -> Shape:
    shape = rng.choice((_any, _two_suits, _pungs))(rng)
    return Shape(shape.sets, shape.rest, meld_counts=(4,))


def _plain(rng: Random) -> Shape:
    """Unrelated runs of three suits and a pair of winds or dragons, partly melded: often nothing counts."""
    runs = [run(rng.choice(SUITS[1:])[1 + rng.randrange(5)]) for _ in range(2)]
    pung = (SUITS[0][1 + rng.randrange(7)],) * 3
    return Shape((*runs, run(SUITS[0][rng.randrange(7)]), pung), (rng.choice(HONOURS),) * 2, (1, 2, 3), kong_share=0.0)


def _honours(rng: Random) -> Shape:
    """Pungs of winds and dragons, and a pair that may be one."""
    kinds = rng.choice((WINDS, DRAGONS, HONOURS))
    count = rng.randint(1, min(SETS, len(kinds)))
    chosen = rng.sample(kinds, count)
    some = [(tile,) * 3 for tile in chosen]
    others = [tile for tile in HONOURS if tile not in chosen]
    rest = [any_set(rng, ALL[: HONOURS.start]) for _ in range(SETS - count)]
    pair = rng.choice(others) if rng.random() < 0.7 else rng.choice(ALL)
    return Shape((*some, *rest), (pair,) * 2)


def _four_winds(rng: Random) -> Shape:
    return Shape(tuple((tile,) * 3 for tile in WINDS), (rng.choice((*ALL[:27], *DRAGONS)),) * 2)


def _little_four_winds(rng: Random) -> Shape:
    *pungs, pair = rng.sample(WINDS, 4)
    return Shape((*((tile,) * 3 for tile in pungs), any_set(rng, (*ALL[:27], *DRAGONS))), (pair,) * 2)


def _three_dragons(rng: Random) -> Shape:
    return Shape((*((tile,) * 3 for tile in DRAGONS), any_set(rng, ALL[:31])), (rng.choice(ALL[:31]),) * 2)


def _little_three_dragons(rng: Random) -> Shape:
    *pungs, pair = rng.sample(DRAGONS, 3)
    sets = [any_set(rng, ALL[:31]) for _ in range(2)]
    return Shape((*((tile,) * 3 for tile in pungs), *sets), (pair,) * 2)


def _terminal_chows(rng: Random) -> Shape:
    suits = rng.sample(SUITS, 3)
    if rng.random() < 0.5:
        suits = [suits[0]] * 3
    sets = tuple(run(suit[rank]) for suit in suits[:2] for rank in (0, 6))
    fives = suits[2][4] if rng.random() < 0.8 else rng.choice(ALL)
    return Shape(sets, (fives,) * 2)


def _outside(rng: Random) -> Shape:
    ends = [suit[rank] for suit in SUITS for rank in (0, 8)] + list(HONOURS)
    runs = [run(suit[rank]) for suit in SUITS for rank in (0, 6)]
    sets = tuple(rng.choice(runs) if rng.random() < 0.6 else (rng.choice(ends),) * 3 for _ in range(SETS))
    return Shape(sets, (rng.choice(ends),) * 2)


def _fives(rng: Random) -> Shape:
    runs = [run(suit[rank]) for suit in SUITS for rank in (2, 3, 4)]
    fives = [suit[4] for suit in SUITS]
    sets = tuple(rng.choice(runs) if rng.random() < 0.8 else (rng.choice(fives),) * 3 for _ in range(SETS))
    return Shape(sets, (rng.choice(fives),) * 2)


def _nine_gates(rng: Random) -> Shape:
    suit = rng.choice(SUITS)
    win = rng.choice(suit)
    base = [suit[rank] for rank in (0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8)]
    return Shape((), (*base, win), (0,), win=win if rng.random() < 0.8 else None)


# --- seven pairs and other shapes without sets --------------------------------------------------


def _pairs_of(rng: Random, allowed: Sequence[Tile]) -> Shape:
    """Seven pairs of allowed kinds, some of them twice where the kinds are few."""
    twice = [tile for tile in allowed for _ in range(2)]
    chosen = rng.sample(twice if len(allowed) < 7 or rng.random() < 0.4 else list(allowed), 7)
    return Shape((), tuple(tile for tile in chosen for _ in range(2)), (0,))


def _pairs_only(tiles: str) -> Recipe:
    allowed = parse(tiles)
    return lambda rng: _pairs_of(rng, allowed)


def _any_pairs(rng: Random) -> Shape:
    return _pairs_of(rng, rng.choice((ALL, ALL, rng.choice(SUITS), ALL[9:], HONOURS, (*SUITS[0], *HONOURS))))


def _paired_runs(rng: Random) -> Shape:
    """Pairs that can be runs twice as well."""
    suit, other = rng.choice(SUITS), rng.choice(SUITS)
    one, two = suit[rng.randrange(7)], other[rng.randrange(7)]
    return Shape((), (*run(one), *run(one), *run(two), *run(two), *(rng.choice(ALL),) * 2), (0,))


def _shifted_pairs(rng: Random) -> Shape:
    suit, start = rng.choice(SUITS), rng.randrange(3)
    return Shape((), tuple(tile for tile in suit[start : start + 7] for _ in range(2)), (0,))


def _orphans(rng: Random) -> Shape:
    kinds = parse(ONLY_OF["all_terminals_and_honours"])
    return Shape((), (*kinds, rng.choice(kinds)), (0,))


def knitted(rng: Random) -> Tiles:
    """Nine tiles: 147, 258 and 369 of a suit each."""
    starts = rng.sample(range(3), 3)
    return tuple(suit[start + step] for suit, start in zip(SUITS, starts, strict=True) for step in (0, 3, 6))


def _honours_and_knitted(rng: Random) -> Shape:
    honours = rng.choice((5, 6, 7, 7))
    return Shape((), (*rng.sample(HONOURS, honours), *rng.sample(knitted(rng), 14 - honours)), (0,))


def _knitted_straight(rng: Random) -> Shape:
    return Shape((any_set(rng, ALL),), (*knitted(rng), *(rng.choice(ALL),) * 2), (0, 0, 1))


RECIPES: tuple[Recipe, ...] = (
    _any,
    _any,
    _any,
    _one_suit,
    _few_ranks,
    _few_ranks,
    _half_flush,
    _two_suits,
    _all_types,
    *(_only(tiles) for tiles in ONLY_OF.values()),
    _only("2468m2468p2468s"),
    *(_figure(shape, pungs=False) for shape in RUN_FIGURES),
    *(_figure(shape, pungs=True) for shape in PUNG_FIGURES),
    _related_runs,
    _related_runs,
    _related_pungs,
    _pungs,
    _concealed_pungs,
    _concealed_pungs,
    _kongs,
    _kongs,
    _kongs,
    _concealed_kongs,
    _melded,
    _plain,
    _plain,
    _plain,
    _plain,
    _honours,
    _honours,
    _four_winds,
    _little_four_winds,
    _three_dragons,
    _little_three_dragons,
    _terminal_chows,
    _terminal_chows,
    _outside,
    _fives,
    _nine_gates,
    _any_pairs,
    *(_pairs_only(tiles) for tiles in ONLY_OF.values()),
    _paired_runs,
    _shifted_pairs,
    _orphans,
    _honours_and_knitted,
    _honours_and_knitted,
    _knitted_straight,
    _knitted_straight,
)


# --- from a shape to a hand -----------------------------------------------------------------------


def hands(seed: int, count: int) -> Iterator[WinningHand]:
    """So many winning hands, the same for the same seed."""
    rng = Random(seed)
    for _ in range(count):
        yield any_hand(rng)


def any_hand(rng: Random) -> WinningHand:
    """A winning hand of a recipe that chance chooses."""
    recipe = rng.choice(RECIPES)
    for _ in range(TRIES):
        laid = _laid(rng, recipe(rng))
        if laid is not None:
            return laid
    raise AssertionError(f"{recipe} gives no hand that can be")


def _laid(rng: Random, shape: Shape) -> WinningHand | None:
    """A hand of the shape; None if it takes more than four of a kind."""
    meld_count = rng.choice(shape.meld_counts)
    order = rng.sample(shape.sets, len(shape.sets))
    melds = tuple(_meld(rng, tiles, shape.kong_share) for tiles in order[:meld_count])
    concealed = [*shape.rest, *(tile for tiles in order[meld_count:] for tile in tiles)]
    copies = Counter([*concealed, *(tile for meld in melds for tile in meld.tiles)])
    if max(copies.values()) > COPIES:
        return None
    win = rng.choice(concealed) if shape.win is None else shape.win
    concealed.remove(win)
    rng.shuffle(concealed)
    flowers = tuple(rng.sample(FLOWERS, rng.choice((0, 0, 0, 1, 2, 8))))
    by = WinBy.ROB if copies[win] == 1 and rng.random() < 0.1 else rng.choice((WinBy.SELF, WinBy.DISCARD))
    return WinningHand(
        concealed=tuple(concealed),
        melds=melds,
        tile=win,
        by=by,
        situations=_situations(rng, by, melds, win in concealed),
        flowers=flowers,
        seat_wind=rng.choice(WINDS),
        round_wind=rng.choice(WINDS),
    )


def _meld(rng: Random, tiles: Tiles, kong_share: float) -> Meld:
    if tiles[0] != tiles[1]:
        return Meld(MeldKind.CHOW, tiles[0])
    kind = rng.choice(KONG_KINDS) if rng.random() < kong_share else MeldKind.PUNG
    return Meld(kind, tiles[0])


def _situations(rng: Random, by: WinBy, melds: Sequence[Meld], held: bool) -> frozenset[Situation]:
    found = set()
    if by is not WinBy.ROB and rng.random() < 0.12:
        found.add(Situation.LAST_TILE)
    if by is WinBy.SELF and any(meld.is_kong for meld in melds) and rng.random() < 0.3:
        found.add(Situation.KONG_REPLACEMENT)
    if not held and rng.random() < 0.15:
        found.add(Situation.LAST_OF_KIND)
    return frozenset(found)
