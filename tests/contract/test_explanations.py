"""What is explained is what is paid: sums, sets that the rules leave apart, and fans that would have counted."""

from collections import Counter
from itertools import combinations

import pytest

from games.catalog import variant_of, variants_of
from games.mahjong.explanation import Basis, Explanation, Part, PartKind, Principle, Shape
from games.mahjong.hand import Situation, WinBy, WinningHand
from games.mahjong.ruleset import Ruleset
from games.mahjong.scoring import score_win
from games.mahjong.variant import Variant
from games.variants.dazhong.fan_table import FAN_BY_ID
from tests.contract.fan_meanings import MEANINGS, Named
from tests.contract.winning_hands import winning_hands

HAND_COUNTS = {"dazhong": 4_000, "shanghai": 800, "bloody4": 800, "bloody6": 400}
QUICK = 1_000
JOINED = {
    fan_id for fan_id in MEANINGS if "chow" in fan_id and fan_id != "all_chows" and "terminal_chows" not in fan_id
} | {"two_terminal_chows", "short_straight", "pure_straight", "mixed_straight"}
JOINED |= {"double_pung", "triple_pung", "pure_shifted_pungs", "mixed_shifted_pungs", "four_pure_shifted_pungs"}
"""Fans that join two, three or four sets (DZ-31)."""


def rules_of(name: str) -> Ruleset:
    """A variant's rules with its defaults."""
    rules = variant_of(name).ruleset({}, 1)
    assert isinstance(rules, Ruleset)
    return rules


def explained(rules: Ruleset, hand: WinningHand) -> Explanation:
    """Why the hand wins."""
    why = rules.judgement.explain(rules, hand)
    assert why is not None, hand
    return why


def tiles_of(hand: WinningHand) -> Counter[int]:
    """Every tile of a hand."""
    return Counter((*hand.concealed, hand.tile, *(tile for meld in hand.melds for tile in meld.tiles)))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if HAND_COUNTS.get(name, 0) > QUICK else ())
        for name in sorted(variants_of(Variant))
    ],
)
def test_grounds_add_up_to_the_fans_paid_and_parts_to_the_hand(name: str) -> None:
    """DZ-30, BB-21, SH-14: each fan as often as it is paid; every tile in exactly one part."""
    rules = rules_of(name)
    for hand in winning_hands(rules, HAND_COUNTS.get(name, 300), seed=6):
        score, why = score_win(rules, hand), explained(rules, hand)
        assert score is not None
        values: Counter[str] = Counter()
        for ground in why.grounds:
            values[ground.fan_id] += ground.value
        assert dict(values) == {fan.fan_id: fan.value for fan in score.fans}, hand
        assert why.qualifying + why.flowers == score.fan_total, hand
        assert Counter(tile for part in why.parts for tile in part.tiles) == tiles_of(hand), hand
        assert sum(part.wins for part in why.parts) == (Situation.HEAVENLY not in hand.situations), hand
        assert all(hand.tile in part.tiles and not part.melded for part in why.parts if part.wins), hand
        named_parts = [*(one.parts for one in why.grounds), *(one.parts for one in why.unpaid)]
        assert all(place < len(why.parts) for places in named_parts for place in places), hand


@pytest.mark.slow
def test_every_fan_of_dazhong_is_what_the_sets_named_show_and_what_is_unpaid_would_have_counted() -> None:
    """DZ#1..81, DZ-31: said a second time over the parts; what suppresses is itself paid, and says so in the table."""
    rules = rules_of("dazhong")
    paid_seen, unpaid_seen, principles = set(), set(), set()
    for hand in winning_hands(rules, HAND_COUNTS["dazhong"], seed=31):
        why = explained(rules, hand)
        paid = {ground.fan_id for ground in why.grounds}
        held = [(one.fan_id, one.parts) for one in why.grounds] + [(one.fan_id, one.parts) for one in why.unpaid]
        for fan_id, places in held:
            assert MEANINGS[fan_id](named(hand, why, places)), (fan_id, places, why, hand)
        for fan in why.unpaid:
            assert fan.by and set(fan.by) <= paid, (fan, hand)
            assert fan.value == FAN_BY_ID[fan.fan_id].value
            if fan.principle is Principle.EXCLUDED:
                assert fan.fan_id in FAN_BY_ID[fan.by[0]].excludes.split()
                assert fan.rule == f"DZ#{FAN_BY_ID[fan.by[0]].number}"
            unpaid_seen.add(fan.fan_id)
            principles.add(fan.principle)
        paid_seen |= paid
    assert principles == set(Principle) - {Principle.HIGHEST_ALONE}
    assert len(paid_seen) > 70
    assert len(unpaid_seen) > 30


def named(hand: WinningHand, why: Explanation, places: tuple[int, ...]) -> Named:
    """The parts a fan names, with what its meaning asks beside."""
    shown = sum(meld.tiles.count(hand.tile) for meld in hand.melds)
    return Named(
        parts=tuple(why.parts[place] for place in places),
        whole=why.parts,
        by_self=hand.by is WinBy.SELF,
        robbed=hand.by is WinBy.ROB,
        last_tile=Situation.LAST_TILE in hand.situations,
        kong_replacement=Situation.KONG_REPLACEMENT in hand.situations,
        last_of_kind=Situation.LAST_OF_KIND in hand.situations or shown == 3,
        tile=None if Situation.HEAVENLY in hand.situations else hand.tile,
        seat_wind=hand.seat_wind or 0,
        round_wind=hand.round_wind or 0,
    )


@pytest.mark.slow
def test_sets_are_joined_once_and_serve_a_fan_once() -> None:
    """DZ-31: what joins sets makes no circle; no set serves the same fan twice; a fan not joined would have."""
    rules = rules_of("dazhong")
    for hand in winning_hands(rules, HAND_COUNTS["dazhong"], seed=64):
        why = explained(rules, hand)
        joints = [(ground.fan_id, set(ground.parts)) for ground in why.grounds if ground.fan_id in JOINED]
        assert is_forest([places for _, places in joints]), (joints, hand)
        assert not any(one[0] == other[0] and one[1] & other[1] for one, other in combinations(joints, 2)), hand
        for fan in why.unpaid:
            if fan.principle is Principle.ACCOUNT_ONCE:
                assert not is_forest([set(fan.parts), *(places for _, places in joints)]), (fan, hand)
            if fan.principle is Principle.NON_IDENTICAL:
                assert any(one == fan.fan_id and places & set(fan.parts) for one, places in joints), (fan, hand)


def is_forest(joints: list[set[int]]) -> bool:
    """Whether joining sets so never joins two that hang together already."""
    leader: dict[int, int] = {}

    def find(place: int) -> int:
        while leader.setdefault(place, place) != place:
            place = leader[place]
        return place

    for places in joints:
        first, *others = sorted(places)
        for other in others:
            if find(other) == find(first):
                return False
            leader[find(other)] = find(first)
    return True


def test_flowers_stand_apart_and_are_no_part_of_what_qualifies() -> None:
    """DZ#81, DZ-21."""
    rules = rules_of("dazhong")
    hands = [hand for hand in winning_hands(rules, 200, seed=81) if hand.flowers]
    assert hands
    for hand in hands:
        why = explained(rules, hand)
        assert why.flowers == len(hand.flowers)
        assert why.qualifying == sum(ground.value for ground in why.grounds if ground.basis is not Basis.FLOWERS)


def test_the_base_sum_is_told_line_by_line_and_kinds_that_do_not_count_are_named() -> None:
    """SH-13, SH-14, SH-20, SH-30."""
    rules = rules_of("shanghai")
    capped, unpaid = 0, Counter[str]()
    for hand in winning_hands(rules, HAND_COUNTS["shanghai"], seed=20):
        score, why = score_win(rules, hand), explained(rules, hand)
        assert score is not None
        assert sum(line.points for line in why.sums) == score.base_sum, hand
        for line in why.sums:
            assert line.part is None or why.parts[line.part].kind.value == line.what, hand
        paid = {fan.fan_id for fan in score.fans}
        for kind in why.unpaid:
            assert kind.fan_id not in paid and set(kind.by) == paid, hand
            by_bonus = paid <= {"win_on_replacement", "single_wait_melded"}
            assert kind.rule == ("SH-13" if by_bonus else "SH-14"), hand
            unpaid[kind.rule] += 1
        capped += why.capped
        assert not why.capped or score.amount == 30 * rules.stake
    assert capped and len(unpaid) == 2


def test_every_gui_names_the_parts_that_hold_its_four_tiles() -> None:
    """BB-22."""
    rules = rules_of("bloody4")
    seen = 0
    for hand in winning_hands(rules, HAND_COUNTS["bloody4"], seed=22):
        why = explained(rules, hand)
        for ground in why.grounds:
            if ground.fan_id == "gui":
                held = Counter(tile for place in ground.parts for tile in why.parts[place].tiles)
                assert 4 in held.values(), hand
                seen += 1
    assert seen


def test_a_hand_of_seven_pairs_with_four_alike_is_seven_parts() -> None:
    """BB-20, DZ-20."""
    rules = rules_of("bloody4")
    hand = WinningHand((9, 9, 9, 9, 11, 11, 13, 13, 20, 20, 22, 22, 24), (), 24, WinBy.SELF)
    why = explained(rules, hand)
    assert why.shape is Shape.ALL_PAIRS
    assert [part.kind for part in why.parts] == [PartKind.PAIR] * 7
    assert why.parts[-1] == Part(PartKind.PAIR, (24, 24), wins=True)
