"""血战 as data (BB-1..5, BB-16, BB-17, BB-20)."""

from games.kernel import Reason
from games.mahjong.hand import Situation
from games.mahjong.melds import MeldKind
from games.mahjong.ruleset import Judgement, ReplacementFrom, Ruleset, WallBreak
from games.mahjong.tiles import BAMBOO, DOTS
from games.mahjong.waits import waits_by_shape
from games.variants.bloody.explain import explain
from games.variants.bloody.fans import check_hand, score
from games.variants.bloody.settle import earthly, end, no_flowers, transferred, win_payments

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


CLAUSES = (
    (Reason.TILE_UNKNOWN, "BB-1"),
    (Reason.NOT_DEALT, "BB-4"),
    (Reason.WALL_EMPTY, "BB-6"),
    (Reason.TILE_NOT_HELD, "BB-10"),
    (Reason.MELD_NOT_POSSIBLE, "BB-10"),
    (Reason.NO_DRAW, "BB-10"),
    (Reason.NOT_ASKED, "BB-10"),
    (Reason.NO_QUESTION, "BB-10"),
    (Reason.HAS_WON, "BB-11"),
    (Reason.DEAL_OVER, "BB-11"),
    (Reason.NOT_YOUR_TURN, "BB-13"),
    (Reason.ALREADY_ANSWERED, "BB-14"),
    (Reason.HAND_LOCKED, "BB-17"),
    (Reason.NOT_READY, "BB-17"),
    (Reason.HOLDS_DISCARD, "BB-17"),
    (Reason.PASSED_WIN, "BB-19"),
    (Reason.NOT_A_WIN, "BB-20"),
    (Reason.SEAT_AWAY, "BB-60"),
    (Reason.QUESTION_OPEN, "PF-20"),
)
"""The rule behind each refusal of the table."""

OF_DECLARING = {Reason.HAND_LOCKED: "BB-18", Reason.NOT_READY: "BB-18"}
SIX_PLAYER_CLAUSES = tuple((reason, OF_DECLARING.get(reason, clause)) for reason, clause in CLAUSES)
"""For six players 报叫 takes the place of 听牌 (BB-17)."""

HAND_CLAUSES = (("opening", "BB-3"), ("tiles", "BB-1"), ("size", "BB-2"), ("situation", "BB-70"))
"""The rule behind each refusal of a hand, and of a record's opening."""

JUDGEMENT = Judgement(
    check_hand=check_hand,
    score=score,
    waits=waits_by_shape,
    flower_score=no_flowers,
    win_payments=win_payments,
    transferred=transferred,
    earthly=earthly,
    end=end,
    explain=explain,
)


def bloody4(options: tuple[tuple[str, object], ...], stake: int, escape_penalty: int) -> Ruleset:
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
        wall_break=WallBreak.THROWN_BACK,
        flowers=(),
        flower_offer_count=0,
        live_tiles=72,
        replacement_from=ReplacementFrom.NEXT,
        chow_from="none",
        honours_win=False,
        win_ends_deal=False,
        several_winners=True,
        last_discard_melds=True,
        leaving_ends_deal=False,
        escape_penalty=escape_penalty,
        pairs_win=True,
        must_win_tiles=4,
        locks=True,
        declares=False,
        shares_tiles=False,
        robbed_kong_stands=False,
        rain_bases=RAIN_BASES,
        winds=False,
        hand_situations=FOUR_PLAYER_SITUATIONS,
        wait_situations=frozenset({Situation.LAST_TILE}),
        clauses=CLAUSES,
        hand_clauses=HAND_CLAUSES,
        judgement=JUDGEMENT,
    )


def bloody6(options: tuple[tuple[str, object], ...], stake: int, escape_penalty: int) -> Ruleset:
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
        wall_break=WallBreak.THROWN_BACK,
        flowers=(),
        flower_offer_count=0,
        live_tiles=72,
        replacement_from=ReplacementFrom.NEXT,
        chow_from="none",
        honours_win=False,
        win_ends_deal=False,
        several_winners=True,
        last_discard_melds=True,
        leaving_ends_deal=False,
        escape_penalty=escape_penalty,
        pairs_win=True,
        must_win_tiles=4,
        locks=False,
        declares=True,
        shares_tiles=True,
        robbed_kong_stands=True,
        rain_bases=RAIN_BASES,
        winds=False,
        hand_situations=SIX_PLAYER_SITUATIONS,
        wait_situations=frozenset({Situation.LAST_TILE, Situation.DECLARED, Situation.PAYER_DECLARED}),
        clauses=SIX_PLAYER_CLAUSES,
        hand_clauses=HAND_CLAUSES,
        judgement=JUDGEMENT,
    )
