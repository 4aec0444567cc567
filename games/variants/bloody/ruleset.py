"""血战 as data (BB-1..5, BB-16, BB-17, BB-20)."""

from games.mahjong.hand import Situation
from games.mahjong.melds import MeldKind
from games.mahjong.ruleset import Judgement, Ruleset
from games.mahjong.tiles import BAMBOO, DOTS
from games.variants.bloody.fans import check_hand, score
from games.variants.bloody.settle import end, transferred, win_payments

VERSION = 1

OPTIONS: dict[str, tuple[object, ...]] = {
    "pass_locks_win": (False, True),
    "kong_transfer": ("last", "chain"),
}
"""Named options and their values, the default first (BB-19, BB-33)."""

FOUR_PLAYER_SITUATIONS = frozenset(
    {
        Situation.LAST_TILE,
        Situation.KONG_REPLACEMENT,
        Situation.HEAVENLY,
        Situation.EARTHLY,
        Situation.AFTER_KONG,
    }
)


SIX_PLAYER_SITUATIONS = FOUR_PLAYER_SITUATIONS | {Situation.DECLARED, Situation.PAYER_DECLARED}

RAIN_BASES = (
    (MeldKind.CONCEALED_KONG, 2),
    (MeldKind.ADDED_KONG, 1),
    (MeldKind.EXPOSED_KONG, 2),
)
"""Bases each owing seat pays for a kong (BB-30)."""


def bloody4(options: tuple[tuple[str, object], ...], stake: int) -> Ruleset:
    """四人血战: four players, thirteen tiles."""
    return Ruleset(
        variant="bloody4",
        version=VERSION,
        options=options,
        stake=stake,
        seat_count=4,
        kinds=(*DOTS, *BAMBOO),
        hand_size=13,
        set_count=4,
        deal_portions=(4, 4, 4, 1),
        wall_stacks=9,
        pairs_win=True,
        must_win_tiles=4,
        locks=True,
        declares=False,
        shares_tiles=False,
        robbed_kong_stands=False,
        rain_bases=RAIN_BASES,
        hand_situations=FOUR_PLAYER_SITUATIONS,
        wait_situations=frozenset({Situation.LAST_TILE}),
        judgement=Judgement(check_hand, score, win_payments, transferred, end),
    )


def bloody6(options: tuple[tuple[str, object], ...], stake: int) -> Ruleset:
    """六人血战: six players, seven tiles; a tile may have several users, hands may be declared."""
    return Ruleset(
        variant="bloody6",
        version=VERSION,
        options=options,
        stake=stake,
        seat_count=6,
        kinds=(*DOTS, *BAMBOO),
        hand_size=7,
        set_count=2,
        deal_portions=(3, 3, 1),
        wall_stacks=6,
        pairs_win=True,
        must_win_tiles=4,
        locks=False,
        declares=True,
        shares_tiles=True,
        robbed_kong_stands=True,
        rain_bases=RAIN_BASES,
        hand_situations=SIX_PLAYER_SITUATIONS,
        wait_situations=frozenset({Situation.LAST_TILE, Situation.DECLARED, Situation.PAYER_DECLARED}),
        judgement=Judgement(check_hand, score, win_payments, transferred, end),
    )
