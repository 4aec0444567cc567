"""Bots that weigh fans: their plans are what the fan tables pay, and weighing wins money."""

from random import Random

import pytest

from games.bots.plans import DAZHONG, FAR, SHANGHAI, Aim, Plan, Sort, aims, distance
from games.bots.weighing import WEIGHTS
from games.catalog import variants_of
from games.mahjong.decomposition import pack
from games.mahjong.distance import distance as distance_to_any
from games.mahjong.hand import WinBy, WinningHand
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.scoring import score_win
from games.mahjong.tiles import HONOURS, WINDS, Tile
from games.mahjong.variant import Variant
from tests.sim.duel import duel

EAST, SOUTH = WINDS[0], WINDS[1]


def whole(plan: Plan) -> tuple[Tile, ...]:
    """Fourteen tiles that carry a plan out."""
    kinds = sorted(plan.kinds)
    if plan.sort is Sort.FIGURE:
        runs = [lowest + step for lowest in plan.runs for step in range(3)]
        return (*runs, *plan.knitted, EAST, EAST, EAST, SOUTH, SOUTH)
    if plan.sort is Sort.PAIRS:
        return tuple(kinds[::4][:7]) * 2
    if plan.sort is Sort.SINGLES:
        return tuple(kinds[:14])
    pungs = kinds[:: max(len(kinds) // 4, 1)][:4]
    pair = next(tile for tile in kinds if tile not in pungs)
    return (*(tile for tile in pungs for _ in range(3)), pair, pair)


def aim_of(plan: Plan) -> Aim:
    (found,) = aims((plan,), (), 4)
    return found


@pytest.mark.fast
@pytest.mark.parametrize(("variant", "plans"), [("dazhong", DAZHONG), ("shanghai", SHANGHAI)])
def test_what_a_plan_says_is_what_the_fan_table_pays(variant: str, plans: tuple[Plan, ...]) -> None:
    """DZ#6..70, SH-12: a hand that carries a plan out wins, and shows its fan."""
    rules = variants_of(Variant)[variant].ruleset({}, 1)
    known = {fan_id for fan_id, _, _ in variants_of(Variant)[variant].fan_names}
    for plan in plans:
        assert plan.name in known | {"any"}
        *concealed, last = whole(plan)
        wind = EAST if rules.winds else None
        hand = WinningHand(tuple(concealed), (), last, WinBy.SELF, seat_wind=wind, round_wind=wind)
        score = score_win(rules, hand)
        assert score is not None, plan
        if plan.sort in (Sort.FIGURE, Sort.PAIRS, Sort.SINGLES):
            assert plan.name in [fan.fan_id for fan in score.fans], plan


@pytest.mark.fast
@pytest.mark.parametrize("plan", [*DAZHONG, *SHANGHAI], ids=lambda plan: f"{plan.name}-{plan.runs or plan.knitted}")
def test_a_plan_carried_out_is_one_tile_beyond_ready(plan: Plan) -> None:
    """Each tile given away is one to exchange more, at most; a figure that lacks too many is no aim at all."""
    aim, tiles = aim_of(plan), list(whole(plan))
    assert distance(aim, pack(tiles)) == -1
    Random(plan.name).shuffle(tiles)
    for given in range(1, 5):
        assert -1 < distance(aim, pack(tiles[given:])) <= given - 1 or distance(aim, pack(tiles[given:])) == FAR


@pytest.mark.fast
def test_the_plan_of_any_shape_is_the_family_s_distance() -> None:
    chance, aim = Random(20), aim_of(DAZHONG[0])
    wall = [tile for tile in range(34) for _ in range(4)]
    for _ in range(300):
        tiles = chance.sample(wall, 13)
        assert distance(aim, pack(tiles)) == distance_to_any(tiles, set_count=4, pairs_win=False)


@pytest.mark.fast
def test_melds_end_the_plans_they_do_not_fit() -> None:
    """Pairs and singles end with the first meld, pungs with a chow, a flush with another suit; a figure's run stays."""
    chow = Meld(MeldKind.CHOW, 0)
    left = {aim.plan for aim in aims(DAZHONG, (chow,), 4)}
    assert not left & {plan for plan in DAZHONG if plan.sort in (Sort.PUNGS, Sort.PAIRS, Sort.SINGLES)}
    assert all({0, 1, 2} <= plan.kinds for plan in left)
    straight = next(aim for aim in aims(DAZHONG, (chow,), 4) if aim.plan.name == "pure_straight")
    assert sorted(straight.needed) == [(tile, 1) for tile in range(3, 9)]
    assert straight.set_count == 1
    dragons = tuple(Meld(MeldKind.PUNG, tile) for tile in HONOURS[:2])
    assert not [aim for aim in aims(DAZHONG, dragons, 4) if aim.plan.sort is Sort.FIGURE]


def test_bots_that_weigh_fans_win_money_from_those_that_go_for_the_nearest_win(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """SH-10: plain hands do not win in 上海麻将; a thousand deals: python -m tests.sim.duel --variant shanghai."""
    result = duel("shanghai", {}, seed=1, deal_count=50)
    with capsys.disabled():
        print(f"\nshanghai: {result}")
    assert result.balance > 0
    assert result.wins > result.others


def test_every_variant_that_is_weighed_is_one_there_is() -> None:
    assert set(WEIGHTS) <= set(variants_of(Variant))
