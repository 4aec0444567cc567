"""Decomposition, waits, distance and notation against the slow way, for whatever the catalogue finds."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.catalog import variants
from games.mahjong.decomposition import is_all_pairs, is_sets_and_pair, pack, readings
from games.mahjong.distance import distance, useful_tiles
from games.mahjong.melds import Meld, MeldKind, parse_meld
from games.mahjong.ruleset import Ruleset
from games.mahjong.tiles import BAMBOO, DOTS, FLOWERS, HONOURS, KIND_COUNT, NotationError, parse, show
from games.mahjong.variant import Variant
from games.mahjong.waits import COPIES, waits
from tests.contract import brute

pytestmark = pytest.mark.fast

VARIANTS = sorted(variants().values(), key=lambda variant: variant.variant_id)
KIND_SETS = (tuple(DOTS), (*DOTS, *BAMBOO), tuple(HONOURS), tuple(range(KIND_COUNT)))


def rules_of(variant: Variant) -> Ruleset:
    return variant.ruleset({}, 1)


def random_tiles(kinds: tuple[int, ...], size: int, chance: Random) -> tuple[int, ...]:
    """Tiles of a set with four of each kind, ascending."""
    return tuple(sorted(chance.sample([tile for tile in kinds for _ in range(COPIES)], size)))


def sets_and_pair(kinds: tuple[int, ...], set_count: int, chance: Random) -> tuple[int, ...]:
    """A random winning shape with at most four of a kind."""
    while True:
        tiles = [chance.choice(kinds)] * 2
        for _ in range(set_count):
            tile = chance.choice(kinds)
            run = brute.starts_run(tile) and tile + 2 in kinds and chance.random() < 0.7
            tiles += [tile, tile + 1, tile + 2] if run else [tile] * 3
        if max(map(tiles.count, tiles)) <= COPIES:
            return tuple(sorted(tiles))


def read(tiles: tuple[int, ...]) -> set[brute.Reading]:
    """The readings of the code under test, written as those of brute force."""
    return {
        (
            tuple(sorted([*(("triplet", tile) for tile in one.triplets), *(("run", tile) for tile in one.runs)])),
            one.pair,
        )
        for one in readings(pack(tiles))
        if one.pair is not None
    }


@pytest.mark.parametrize("kinds", KIND_SETS, ids=["one suit", "two suits", "honours", "all"])
def test_readings_are_those_of_brute_force(kinds: tuple[int, ...]) -> None:
    chance = Random(f"readings {kinds}")
    for number in range(150):
        set_count = chance.randint(0, 4)
        winning = number % 2 == 0
        tiles = sets_and_pair(kinds, set_count, chance) if winning else random_tiles(kinds, 3 * set_count + 2, chance)
        expected = set(brute.readings(tiles))
        assert read(tiles) == expected, show(tiles)
        assert is_sets_and_pair(pack(tiles)) == bool(expected), show(tiles)
        assert is_all_pairs(pack(tiles)) == brute.all_pairs(tiles), show(tiles)
        assert expected or not winning


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.variant_id)
def test_waits_are_those_of_brute_force(variant: Variant) -> None:
    """BB-20, BB-42."""
    rules, chance = rules_of(variant), Random(f"waits {variant.variant_id}")
    found = 0
    for _ in range(120):
        meld_count = chance.randint(0, rules.set_count - 1)
        whole = sets_and_pair(rules.kinds, rules.set_count - meld_count, chance)
        tiles = brute.without(whole, [chance.choice(whole)])
        left = [tile for tile in rules.kinds if tile not in tiles]
        melds = tuple(Meld(MeldKind.PUNG, tile) for tile in chance.sample(left, meld_count))
        meld_tiles = tuple(tile for meld in melds for tile in meld.tiles)
        expected = brute.waits(tiles, meld_tiles, kinds=rules.kinds, meld_count=meld_count, pairs_win=rules.pairs_win)
        assert waits(tiles, melds, kinds=rules.kinds, pairs_win=rules.pairs_win) == expected, (show(tiles), melds)
        found += len(expected)
    assert found > 120, "hands that wait for something"


@pytest.mark.parametrize(
    ("kinds", "set_count", "pairs_win", "number"),
    [
        (tuple(DOTS), 1, False, 150),
        (tuple(DOTS), 2, False, 40),
        (tuple(DOTS), 2, True, 40),
        ((8, 9, *BAMBOO[:4], 31, 32), 2, False, 40),
    ],
    ids=["one set", "two sets", "two sets or four pairs", "across suits and honours"],
)
def test_distance_is_that_of_brute_force(kinds: tuple[int, ...], set_count: int, pairs_win: bool, number: int) -> None:
    """The least number of tiles to exchange, out of all winning hands there are."""
    chance = Random(f"distance {set_count} {pairs_win}")
    seen = set()
    for turn in range(number):
        tiles = random_tiles(kinds, 3 * set_count + 1 + turn % 2, chance)
        expected = brute.distance(tiles, kinds=kinds, set_count=set_count, pairs_win=pairs_win)
        assert distance(tiles, set_count=set_count, pairs_win=pairs_win) == expected, show(tiles)
        seen.add(expected)
    assert len(seen) >= 2, "hands near and far"


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.variant_id)
def test_distance_of_a_whole_hand_agrees_with_what_completes_it(variant: Variant) -> None:
    """0 where some tile completes it, were there enough of it; one less where a useful tile comes."""
    rules, chance = rules_of(variant), Random(f"whole {variant.variant_id}")
    size, sets = rules.hand_size, rules.set_count
    for number in range(60):
        whole = sets_and_pair(rules.kinds, sets, chance)
        spoilt = brute.without(whole, chance.sample(whole, 1 + number % 3))
        rest = [tile for tile in rules.kinds for _ in range(COPIES - spoilt.count(tile))]
        tiles = tuple(sorted((*spoilt, *chance.sample(rest, size - len(spoilt)))))
        now = distance(tiles, set_count=sets, pairs_win=rules.pairs_win)
        ready = any(
            brute.completes(tuple(sorted((*tiles, tile))), meld_count=0, pairs_win=rules.pairs_win)
            for tile in rules.kinds
        )
        assert (now == 0) == ready, show(tiles)
        assert now <= number % 3, show(tiles)
        for tile in useful_tiles(tiles, set_count=sets, pairs_win=rules.pairs_win, kinds=rules.kinds):
            assert distance((*tiles, tile), set_count=sets, pairs_win=rules.pairs_win) == now - 1, show(tiles)


@given(st.lists(st.integers(0, FLOWERS.stop - 1), max_size=18))
def test_notation_of_tiles_comes_back(tiles: list[int]) -> None:
    assert parse(show(tiles)) == tuple(sorted(tiles))


@given(st.sampled_from(MeldKind), st.integers(0, KIND_COUNT - 1))
def test_notation_of_melds_comes_back(kind: MeldKind, tile: int) -> None:
    if kind is MeldKind.CHOW and not brute.starts_run(tile):
        return
    meld = Meld(kind, tile)
    assert parse_meld(str(meld).strip("[]")) == meld


@given(st.text(alphabet="123456789mpsfESWNCFP? x", max_size=12))
@settings(max_examples=200)
def test_a_text_is_tiles_or_refused(text: str) -> None:
    try:
        tiles = parse(text)
    except NotationError:
        return
    assert all(0 <= tile < FLOWERS.stop for tile in tiles)
    assert len(tiles) == sum(letter in "123456789ESWNCFP" for letter in text)


@pytest.mark.parametrize(("text", "position"), [("12x", 2), ("m", 0), ("9f", 1), ("12", 2), ("1E", 1)])
def test_a_refused_text_says_where(text: str, position: int) -> None:
    with pytest.raises(NotationError) as refused:
        parse(text)
    assert refused.value.position == position
