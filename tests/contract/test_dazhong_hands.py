"""大众 hands: laws that a score keeps whatever the hand is, waits asked the slow way, and the table itself."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, combinations_with_replacement, permutations
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.catalog import variant_of
from games.mahjong.hand import Situation, WinBy, WinningHand
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.scoring import list_waits, score_win
from games.mahjong.tiles import FLOWERS, HONOURS, KIND_COUNT, Tile, parse
from games.variants.dazhong.combinations import dearest
from games.variants.dazhong.fan_table import FAN_BY_ID, FANS, bits
from games.variants.dazhong.fans import PUNG_FIGURES, RUN_FIGURES, Figure, figure
from games.variants.dazhong.scoring import judged, waits
from games.variants.dazhong.worth import paid
from tests.contract.golden_hands import answer, golden_hands
from tests.sim.dazhong.hands import any_hand

pytestmark = pytest.mark.fast

RULES = variant_of("dazhong").ruleset({}, 1)
BY_FACE = bits("all_green reversible_tiles")
"""Fans that look at what is drawn on the tiles."""
HANDS = st.integers(0, 2**32).map(lambda seed: any_hand(Random(seed)))
SEEDS = st.integers(0, 2**32)
quick = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def total(hand: WinningHand) -> int:
    score = score_win(RULES, hand)
    assert score is not None, hand
    assert score.fan_total == sum(fan.value for fan in score.fans)
    return score.fan_total


def mapped(hand: WinningHand, of: Callable[[Tile], Tile]) -> WinningHand:
    """The hand with its tiles replaced; runs stay runs."""
    melds = tuple(
        Meld(meld.kind, min(of(tile) for tile in meld.tiles) if meld.kind is MeldKind.CHOW else of(meld.tile))
        for meld in hand.melds
    )
    return replace(hand, concealed=tuple(map(of, hand.concealed)), melds=melds, tile=of(hand.tile))


def shows_faces(hand: WinningHand) -> bool:
    """Whether fans that look at the faces of the tiles have a part in it."""
    return bool(judged(hand)[1] & BY_FACE)


# --- laws -------------------------------------------------------------------------------------------


@quick
@given(HANDS, SEEDS)
def test_the_order_of_tiles_and_melds_says_nothing(hand: WinningHand, seed: int) -> None:
    """DZ-30."""
    chance = Random(seed)
    concealed = tuple(chance.sample(hand.concealed, len(hand.concealed)))
    melds = tuple(chance.sample(hand.melds, len(hand.melds)))
    assert score_win(RULES, replace(hand, concealed=concealed, melds=melds)) == score_win(RULES, hand)


@quick
@given(HANDS, st.sampled_from(list(permutations(range(3)))))
def test_suits_are_equal(hand: WinningHand, suits: Sequence[int]) -> None:
    """DZ-30; all green and reversible tiles apart, DZ#3, DZ#40."""
    other = mapped(hand, lambda tile: tile if tile in HONOURS else suits[tile // 9] * 9 + tile % 9)
    if not shows_faces(hand) and not shows_faces(other):
        assert total(other) == total(hand)


@quick
@given(HANDS)
def test_ranks_may_be_turned_round(hand: WinningHand) -> None:
    """DZ-30; all green and reversible tiles apart."""
    other = mapped(hand, lambda tile: tile if tile in HONOURS else tile // 9 * 9 + 8 - tile % 9)
    if not shows_faces(hand) and not shows_faces(other):
        assert total(other) == total(hand)


@quick
@given(HANDS)
def test_a_flower_adds_one(hand: WinningHand) -> None:
    """DZ#81."""
    others = [flower for flower in FLOWERS if flower not in hand.flowers]
    for flower in others[:1]:
        assert total(replace(hand, flowers=(*hand.flowers, flower))) == total(hand) + 1


@quick
@given(HANDS)
def test_a_self_draw_never_lowers_a_total(hand: WinningHand) -> None:
    """DZ#80: but where a fan needs another's tile, the chicken hand and the melded hand."""
    if hand.by is WinBy.DISCARD and not judged(hand)[0] & bits("chicken_hand melded_hand"):
        assert total(replace(hand, by=WinBy.SELF)) >= total(hand)


@quick
@given(HANDS)
def test_a_reading_pays_no_two_fans_that_exclude_each_other(hand: WinningHand) -> None:
    """DZ-31."""
    told, shown = judged(hand)
    assert paid(shown)[0] == told
    for fan in FANS:
        if told >> fan.number & 1:
            assert not told & bits(" ".join(fan.unpaid)), fan


@quick
@given(HANDS)
def test_no_winning_tile_is_the_best_of_all_that_could_be_it(hand: WinningHand) -> None:
    """DZ-43: but for the fans of a wait, which then nobody has."""
    if hand.melds:
        return
    tiles = (*hand.concealed, hand.tile)
    dealt = replace(
        hand,
        by=WinBy.SELF,
        situations=frozenset({Situation.HEAVENLY}),
        seat_wind=HONOURS.start,
        round_wind=HONOURS.start,
    )
    best = total(dealt)
    waiting = bits("edge_wait closed_wait single_wait")
    for tile in set(tiles):
        rest = list(tiles)
        rest.remove(tile)
        drawn = replace(dealt, concealed=tuple(rest), tile=tile, situations=frozenset())
        if total(drawn) > best:
            assert judged(drawn)[0] & waiting, drawn
            assert total(drawn) == best + 1


# --- waits ------------------------------------------------------------------------------------------


@quick
@given(HANDS)
def test_waits_are_the_tiles_that_win(hand: WinningHand) -> None:
    """DZ-20, DZ-33: every tile is tried; those of which all four are held are no wait."""
    found = waits(RULES, hand.concealed, hand.melds)
    held = Counter((*hand.concealed, *(tile for meld in hand.melds for tile in meld.tiles)))
    plain = replace(hand, situations=frozenset(), by=WinBy.DISCARD)
    winning = [
        tile for tile in range(KIND_COUNT) if held[tile] < 4 and score_win(RULES, replace(plain, tile=tile)) is not None
    ]
    assert list(found) == winning
    assert hand.tile in found


@quick
@given(HANDS)
def test_listed_waits_are_worth_what_their_wins_are(hand: WinningHand) -> None:
    """DZ-39."""
    plain = replace(hand, situations=frozenset())
    for tile, worth in list_waits(RULES, plain).items():
        assert worth.by_discard == score_win(RULES, replace(plain, tile=tile, by=WinBy.DISCARD))
        assert worth.by_self == score_win(RULES, replace(plain, tile=tile, by=WinBy.SELF))


def test_too_few_fan_are_no_win_and_flowers_do_not_count() -> None:
    """DZ-21."""
    rules = variant_of("dazhong").ruleset({"minimum_fan": 8}, 1)
    melds = (Meld(MeldKind.PUNG, 1), Meld(MeldKind.PUNG, 15), Meld(MeldKind.PUNG, 27))
    hand = WinningHand(parse("55m88s"), melds, parse("8s")[0], WinBy.DISCARD, frozenset(), parse("1f2f3f"), 28, 29)
    assert score_win(rules, hand) is None
    assert total(hand) == 7 + 3


# --- the table --------------------------------------------------------------------------------------


def test_every_row_has_a_golden_hand_and_a_near_miss() -> None:
    """DZ-31: under each row's number one hand that has it and one that has it not."""
    for fan in FANS:
        cited = [golden for golden in golden_hands() if f"DZ#{fan.number}" in golden.rules]
        with_it = ["花牌" not in fan.name_zh and fan.name_zh in answer(golden).split() for golden in cited]
        if fan.fan_id != "flower":
            assert sorted(with_it) == [False, True], fan


def test_the_dearest_combination_is_what_the_rule_says() -> None:
    """DZ-31: 400 choices of runs and of pungs, against the rule taken word by word."""
    chance = Random(31)
    runs = [9 * suit + rank for suit in range(3) for rank in range(7)]
    for figures, kinds in ((RUN_FIGURES, runs), (PUNG_FIGURES, list(range(27)))):
        possible = [sets for size in (3, 4) for sets in combinations_with_replacement(kinds, size)]
        for sets in chance.sample(possible, 400):
            fans = dearest(sets, lambda some, figures=figures: figures.get(figure(some), ""))  # type: ignore[misc]
            assert _value(fans) == max(map(_value, _by_the_rule(sets, figures))), sets


def _value(fans: Sequence[str]) -> int:
    return sum(FAN_BY_ID[fan].value for fan in fans)


def _by_the_rule(sets: Sequence[Tile], figures: Mapping[Figure, str]) -> Iterator[tuple[str, ...]]:
    """What may be paid: four sets alone; three, and one fan of the fourth with one of them; two, without a cycle."""
    places = range(len(sets))
    fans = {
        some: fan
        for size in (2, 3, 4)
        for some in combinations(places, size)
        if (fan := figures.get(figure([sets[place] for place in some]), ""))
    }
    yield ()
    for some, fan in fans.items():
        yield (fan,)
        if len(some) == 3:
            yield from ((fan, fans[pair]) for pair in fans if len(pair) == 2 and len(set(pair) & set(some)) == 1)
    pairs = [some for some in fans if len(some) == 2]
    for size in (2, 3):
        for chosen in combinations(pairs, size):
            # Three pairs of three sets are a cycle; of four sets, a cycle leaves one set out, and two cannot be one.
            cycle = size == 3 and len({place for pair in chosen for place in pair}) == 3
            times = Counter((place, fans[pair]) for pair in chosen for place in pair)
            if not cycle and max(times.values()) == 1:
                yield tuple(fans[pair] for pair in chosen)
