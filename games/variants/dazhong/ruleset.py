"""大众麻将 as data (DZ-1..15)."""

from games.kernel import Reason
from games.mahjong.hand import Situation
from games.mahjong.ruleset import Judgement, ReplacementFrom, Ruleset, WallBreak
from games.mahjong.tiles import FLOWERS, KIND_COUNT
from games.variants.dazhong.explain import explain
from games.variants.dazhong.scoring import SITUATIONS, check_hand, score, waits
from games.variants.dazhong.settle import end, no_earthly, no_flower_win, no_transfer, win_payments
from games.variants.dazhong.shapes import more_lacks

VERSION = 1

CLAUSES = (
    (Reason.TILE_UNKNOWN, "DZ-1"),
    (Reason.NOT_DEALT, "DZ-3"),
    (Reason.WALL_EMPTY, "DZ-6"),
    (Reason.NOT_YOUR_TURN, "DZ-7"),
    (Reason.TILE_NOT_HELD, "DZ-8"),
    (Reason.NO_DRAW, "DZ-8"),
    (Reason.MELD_NOT_POSSIBLE, "DZ-9"),
    (Reason.NOT_ASKED, "DZ-9"),
    (Reason.NO_QUESTION, "DZ-9"),
    (Reason.ALREADY_ANSWERED, "DZ-9"),
    (Reason.DEAL_OVER, "DZ-12"),
    (Reason.HAS_WON, "DZ-12"),
    (Reason.NOT_A_WIN, "DZ-20"),
    (Reason.QUESTION_OPEN, "PF-20"),
)
"""The rule behind each refusal of the table."""

HAND_CLAUSES = (("opening", "DZ-3"), ("tiles", "DZ-1"), ("size", "DZ-3"), ("situation", "DZ-44"))
"""The rule behind each refusal of a hand, and of a record's opening."""

JUDGEMENT = Judgement(
    check_hand=check_hand,
    score=score,
    waits=waits,
    flower_score=no_flower_win,
    win_payments=win_payments,
    transferred=no_transfer,
    earthly=no_earthly,
    end=end,
    explain=explain,
    more_lacks=more_lacks,
)


def dazhong(options: tuple[tuple[str, object], ...], stake: int, escape_penalty: int) -> Ruleset:
    """大众麻将: four players, 144 tiles, 81 fans, one winner ends the deal."""
    chosen = dict(options)
    chow_from, live_tiles = chosen["chow_from"], chosen["live_tiles"]
    assert isinstance(chow_from, str) and isinstance(live_tiles, int), options
    return Ruleset(
        variant="dazhong",
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
        flower_offer_count=0,
        live_tiles=live_tiles,
        replacement_from=ReplacementFrom.DIE,
        chow_from=chow_from,
        honours_win=False,
        win_ends_deal=True,
        several_winners=False,
        last_discard_melds=False,
        leaving_ends_deal=True,
        escape_penalty=escape_penalty,
        pairs_win=True,
        must_win_tiles=0,
        locks=False,
        declares=False,
        shares_tiles=False,
        robbed_kong_stands=False,
        rain_bases=(),
        winds=True,
        hand_situations=SITUATIONS,
        wait_situations=frozenset({Situation.LAST_TILE}),
        clauses=CLAUSES,
        hand_clauses=HAND_CLAUSES,
        judgement=JUDGEMENT,
    )
