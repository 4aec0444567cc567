"""血战 as data (BB-1..5, BB-16, BB-17, BB-20)."""

from games.mahjong.hand import Situation
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
        hand_situations=FOUR_PLAYER_SITUATIONS,
        wait_situations=frozenset({Situation.LAST_TILE}),
        judgement=Judgement(check_hand, score, win_payments, transferred, end),
    )
