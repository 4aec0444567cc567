"""Advice agrees with brute force: every discard's distance, its useful tiles, and how many are left."""

import random
from collections import Counter

import pytest

from games.catalog import variant_of
from games.mahjong.advice import advise_discard, seen_waits
from games.mahjong.goals import kinds_of
from games.mahjong.hand import HandError, Situation, WinBy, WinningHand
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.ruleset import Ruleset
from games.mahjong.tiles import parse
from tests.contract.goal_hands import Shapes, brute_advice

PLANS = {
    # variant: hands at random, hands near ready
    "bloody6": (1_100, 0),
    "bloody4": (40, 460),
    "shanghai": (10, 190),
    "dazhong": (10, 190),
}
assert sum(one + other for one, other in PLANS.values()) == 2_000


def rules_of(name: str) -> Ruleset:
    rules = variant_of(name).ruleset({}, 1)
    assert isinstance(rules, Ruleset)
    return rules


def shapes_of(name: str, rules: Ruleset) -> Shapes:
    pairs = (rules.hand_size + 1) // 2 if name != "shanghai" else 0
    return Shapes(rules.kinds, rules.set_count, pairs, knitted=name == "dazhong", honours=name == "shanghai")


def random_melds(rules: Ruleset, chance: random.Random) -> tuple[Meld, ...]:
    count = chance.choice((0, 0, 0, 1, 2, rules.set_count))
    melds: list[Meld] = []
    for tile in chance.sample(rules.kinds, count):
        run = tile < 27 and tile % 9 <= 6 and rules.chow_from != "none" and chance.random() < 0.4
        kind = MeldKind.CHOW if run else chance.choice((MeldKind.PUNG, MeldKind.ADDED_KONG))
        melds.append(Meld(kind, tile))
    held = Counter(tile for meld in melds for tile in meld.tiles)
    return tuple(melds) if not held or max(held.values()) <= 4 else ()


def random_hand(rules: Ruleset, chance: random.Random, *, near: bool) -> WinningHand:
    """A hand that has to discard, of tiles that the wall has; near ones are a winning hand with some exchanged."""
    melds = random_melds(rules, chance)
    wall = [tile for tile in rules.kinds for _ in range(4)]
    for meld in melds:
        for tile in meld.tiles:
            wall.remove(tile)
    size = rules.hand_size + 1 - 3 * len(melds)
    tiles = _near(rules, chance, wall, size) if near else chance.sample(wall, size)
    wind = parse("E")[0] if rules.winds else None
    return WinningHand(tuple(tiles), melds, 0, WinBy.DISCARD, seat_wind=wind, round_wind=wind)


def _near(rules: Ruleset, chance: random.Random, wall: list[int], size: int) -> list[int]:
    wall = list(wall)
    kept: list[int] = []
    while len(kept) + 3 <= size - 2:
        tile = chance.choice(wall)
        run = [tile, tile + 1, tile + 2] if tile < 27 and tile % 9 <= 6 else [tile] * 3
        chosen = run if chance.random() < 0.7 else [tile] * 3
        if all(chosen.count(one) <= wall.count(one) for one in chosen):
            kept += chosen
            for one in chosen:
                wall.remove(one)
    for _ in range(chance.choice((0, 1, 2))):
        wall.append(kept.pop(chance.randrange(len(kept)))) if kept else None
    return kept + chance.sample(wall, size - len(kept))


@pytest.mark.parametrize("share", [20, pytest.param(1, marks=pytest.mark.slow)], ids=["one_in_twenty", "all_of_them"])
@pytest.mark.parametrize("name", sorted(PLANS))
def test_advice_agrees_with_brute_force(name: str, share: int) -> None:
    """BB-20, SH-10, DZ-20, BB-42: over all shapes; no fifth copy; what lies open is taken from what is left."""
    rules, chance = rules_of(name), random.Random(2_000)
    shapes = shapes_of(name, rules)
    far, near = (-(-count // share) for count in PLANS[name])
    distances: Counter[int] = Counter()
    for place in range(far + near):
        hand = random_hand(rules, chance, near=place >= far)
        own = Counter((*hand.concealed, *(tile for meld in hand.melds for tile in meld.tiles)))
        rest = [tile for tile in rules.kinds for _ in range(4 - own[tile])]
        visible = chance.sample(rest, chance.choice((0, 10, 20)))
        advice = advise_discard(rules, hand, visible)
        expected = brute_advice(shapes, hand.concealed, [meld.tiles for meld in hand.melds])
        got = {one.tile: one for one in advice.discards}
        assert set(got) == set(expected) == set(hand.concealed)
        for tile, found in expected.items():
            one = got[tile]
            assert (one.distance, frozenset(each.tile for each in one.useful)) == (found.distance, found.useful), (
                hand,
                tile,
            )
            for each in one.useful:
                assert each.count == 4 - own[each.tile] - visible.count(each.tile), (hand, tile, each)
            assert one.left == sum(each.count for each in one.useful)
            assert bool(one.waits) == (one.distance == 0), (hand, tile)
            assert not one.waits or {wait.tile for wait in one.waits} == found.useful, (hand, tile)
            distances[one.distance] += 1
        ranks = [(one.distance, -one.left) for one in advice.discards]
        assert ranks == sorted(ranks)
    assert {0, 1, 2} <= set(distances)


def test_a_fifth_copy_is_never_useful_and_a_dead_wait_is_marked() -> None:
    """BB-42: four of one's own are no wait; what lies open is counted."""
    rules = rules_of("bloody4")
    hand = WinningHand(parse("1111p234567p789s9s"), (), 0, WinBy.DISCARD)
    advice = advise_discard(rules, hand)
    for one in advice.discards:
        assert all(0 <= each.count <= 4 for each in one.useful)
        assert one.tile == 9 or 9 not in {each.tile for each in one.useful}
    waiting = WinningHand(parse("123456p123s789s5s"), (), 0, WinBy.DISCARD)
    (alone,) = seen_waits(rules, waiting, parse("555s"))
    assert (alone.tile, alone.left) == (parse("5s")[0], 0)
    (alive,) = seen_waits(rules, waiting, parse("55s"))
    assert alive.left == 1


def test_what_lies_open_makes_a_wait_the_last_of_its_kind() -> None:
    """DZ#58: three open copies, and none in the hand."""
    rules = rules_of("dazhong")
    wind = parse("E")[0]
    hand = WinningHand(parse("123m456m789p23p99s"), (), 0, WinBy.DISCARD, seat_wind=wind, round_wind=wind)
    plain = {one.tile: one for one in seen_waits(rules, hand)}
    open_ = {one.tile: one for one in seen_waits(rules, hand, parse("444p"))}
    last = parse("4p")[0]
    before, after = plain[last].by_discard, open_[last].by_discard
    assert before is not None and after is not None
    assert after.fan_total == before.fan_total + 4
    assert Situation.LAST_OF_KIND in open_[last].hand.situations
    assert open_[parse("1p")[0]].by_discard == plain[parse("1p")[0]].by_discard


def test_open_tiles_that_cannot_be_are_refused_with_their_place() -> None:
    rules = rules_of("bloody4")
    hand = WinningHand(parse("123456p123s789s5s"), (), 0, WinBy.DISCARD)
    with pytest.raises(HandError) as refused:
        seen_waits(rules, hand, parse("1p5s5s5s5s"))
    assert (refused.value.field, refused.value.index, refused.value.rule) == ("visible", 4, "BB-1")
    with pytest.raises(HandError) as refused:
        seen_waits(rules, hand, parse("1pE"))
    assert (refused.value.field, refused.value.index) == ("visible", 1)


def test_a_complete_hand_is_told_as_such() -> None:
    """Distance -1; each discard then leaves it ready or farther."""
    advice = advise_discard(rules_of("bloody4"), WinningHand(parse("123456p234s678s55s"), (), 0, WinBy.SELF))
    assert advice.distance == -1
    assert advice.discards[0].distance == 0
    assert advice.discards[0].best is not None


def test_kinds_of_a_set_are_told_in_tile_order() -> None:
    assert kinds_of(0b1011) == (0, 1, 3)
