"""上海麻将 as data (SH-1..7)."""

from games.kernel import Reason
from games.mahjong.hand import Situation
from games.mahjong.ruleset import Judgement, ReplacementFrom, Ruleset, WallBreak
from games.mahjong.tiles import FLOWERS, KIND_COUNT
from games.mahjong.waits import waits_by_shape
from games.variants.shanghai.explain import explain
from games.variants.shanghai.fans import SITUATIONS, check_hand, flower_score, score
from games.variants.shanghai.settle import earthly, end, no_transfer, win_payments

VERSION = 1

OPTIONS: dict[str, tuple[object, ...]] = {
    "rob_pays": (1, 3),
    "bonus_legalises_plain": (True, False),
    "draw_doubling": ("once", "stack"),
}
"""Named options and their values, the default first (SH-7, SH-10, SH-33)."""

CLAUSES = (
    (Reason.TILE_UNKNOWN, "SH-1"),
    (Reason.NOT_DEALT, "SH-2"),
    (Reason.WALL_EMPTY, "SH-3"),
    (Reason.DEAL_OVER, "SH-3"),
    (Reason.HAS_WON, "SH-3"),
    (Reason.TILE_NOT_HELD, "SH-5"),
    (Reason.MELD_NOT_POSSIBLE, "SH-5"),
    (Reason.NO_DRAW, "SH-5"),
    (Reason.NOT_ASKED, "SH-5"),
    (Reason.NO_QUESTION, "SH-5"),
    (Reason.ALREADY_ANSWERED, "SH-5"),
    (Reason.NOT_YOUR_TURN, "SH-5"),
    (Reason.NOT_A_WIN, "SH-10"),
    (Reason.QUESTION_OPEN, "PF-20"),
)
"""The rule behind each refusal of the table."""

HAND_CLAUSES = (("opening", "SH-2"), ("tiles", "SH-1"), ("size", "SH-2"), ("situation", "SH-50"))
"""The rule behind each refusal of a hand, and of a record's opening."""

JUDGEMENT = Judgement(
    check_hand=check_hand,
    score=score,
    waits=waits_by_shape,
    flower_score=flower_score,
    win_payments=win_payments,
    transferred=no_transfer,
    earthly=earthly,
    end=end,
    explain=explain,
    liability=True,
    draws_raise_pay=True,
)


def shanghai(options: tuple[tuple[str, object], ...], stake: int, escape_penalty: int) -> Ruleset:
    """上海麻将: four players, 144 tiles, flowers, one winning tile ends the deal."""
    return Ruleset(
        variant="shanghai",
        version=VERSION,
        options=options,
        stake=stake,
        seat_count=4,
        kinds=tuple(range(KIND_COUNT)),
        hand_size=13,
        set_count=4,
        deal_portions=(4, 4, 4, 1),
        wall_stacks=18,
        wall_break=WallBreak.OWN_WALL,
        flowers=tuple(FLOWERS),
        flower_offer_count=len(FLOWERS),
        live_tiles=144,
        replacement_from=ReplacementFrom.TAIL,
        chow_from="before",
        honours_win=True,
        win_ends_deal=True,
        several_winners=True,
        last_discard_melds=False,
        leaving_ends_deal=True,
        escape_penalty=escape_penalty,
        pairs_win=False,
        must_win_tiles=0,
        locks=False,
        declares=False,
        shares_tiles=False,
        robbed_kong_stands=False,
        rain_bases=(),
        winds=False,
        hand_situations=SITUATIONS,
        wait_situations=frozenset({Situation.LAST_TILE}),
        clauses=CLAUSES,
        hand_clauses=HAND_CLAUSES,
        judgement=JUDGEMENT,
    )
