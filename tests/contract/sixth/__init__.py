"""A small sixth variant: seven tiles, the first win ends the deal, every other seat pays one stake.

`test_drop_in.py` copies this folder beside the other variants, in a place of its own, and plays it.
"""

from games.kernel import Payment, Reason, Seat
from games.mahjong.decomposition import readings
from games.mahjong.events import EndCause, Ended, KongOutcome
from games.mahjong.hand import FanScore, HandError, Score, Situation, WinningHand
from games.mahjong.ruleset import Judgement, ReplacementFrom, Ruleset, WallBreak
from games.mahjong.state import State
from games.mahjong.tiles import BAMBOO, DOTS
from games.mahjong.variant import FanRow, Variant
from games.mahjong.waits import waits_by_shape

VERSION = 1
ALL_PUNGS_WORTH = 2
CLAUSES = tuple((reason, "SX-2") for reason in Reason)
HAND_CLAUSES = (("opening", "SX-1"), ("tiles", "SX-1"), ("size", "SX-1"), ("situation", "SX-4"))


def check_hand(rules: Ruleset, hand: WinningHand) -> None:
    """A last tile is all that may hold beside (SX-4)."""
    if hand.situations - {Situation.LAST_TILE}:
        raise HandError("situation", "SX-4", "only last_tile")


def score(rules: Ruleset, hand: WinningHand) -> Score | None:
    """One stake, or two for pungs alone where the room says so (SX-3)."""
    shapes = tuple(readings(hand.packed()))
    if not shapes:
        return None
    if any(not shape.runs for shape in shapes) and rules.option("pungs_pay") == ALL_PUNGS_WORTH:
        return Score((FanScore("all_pungs", "对子胡", 1),), 1, ALL_PUNGS_WORTH * rules.stake)
    return Score((), 0, rules.stake)


def win_payments(state: State, winner: Seat, worth: Score) -> tuple[Payment, ...]:
    """Every other seat pays, whoever discarded (SX-3)."""
    return tuple(Payment(payer, winner, worth.amount, "win") for payer in state.others(winner))


def end(state: State, cause: EndCause) -> Ended:
    """The winner deals next, else the dealer (SX-2)."""
    following = state.wins[0].winners[0].seat if state.wins else state.dealer
    return Ended(cause, (), (), (KongOutcome.VOID,) * len(state.kongs), following, state.hands)


def no_flowers(rules: Ruleset) -> Score | None:
    """There are none (SX-1)."""
    return None


def no_transfer(state: State) -> tuple[int, ...]:
    """Kongs cost nothing."""
    return ()


def no_earthly(state: State, seat: Seat) -> bool:
    """First moments pay nothing extra (SX-3)."""
    return False


JUDGEMENT = Judgement(
    check_hand=check_hand,
    score=score,
    waits=waits_by_shape,
    flower_score=no_flowers,
    win_payments=win_payments,
    transferred=no_transfer,
    earthly=no_earthly,
    end=end,
)


def sixth(options: tuple[tuple[str, object], ...], stake: int, escape_penalty: int) -> Ruleset:
    """Four players, seven tiles."""
    return Ruleset(
        variant="sixth",
        version=VERSION,
        options=options,
        stake=stake,
        seat_count=4,
        kinds=(*DOTS, *BAMBOO),
        hand_size=7,
        set_count=2,
        deal_portions=(4, 3),
        wall_stacks=9,
        wall_break=WallBreak.OWN_WALL,
        flowers=(),
        flower_offer_count=0,
        live_tiles=72,
        replacement_from=ReplacementFrom.TAIL,
        chow_from="before",
        honours_win=False,
        win_ends_deal=True,
        several_winners=False,
        last_discard_melds=False,
        leaving_ends_deal=False,
        escape_penalty=escape_penalty,
        pairs_win=False,
        must_win_tiles=0,
        locks=False,
        declares=False,
        shares_tiles=False,
        robbed_kong_stands=False,
        rain_bases=(),
        winds=False,
        hand_situations=frozenset({Situation.LAST_TILE}),
        wait_situations=frozenset({Situation.LAST_TILE}),
        clauses=CLAUSES,
        hand_clauses=HAND_CLAUSES,
        judgement=JUDGEMENT,
    )


VARIANTS = (
    Variant(
        variant_id="sixth",
        name_zh="第六种",
        version=VERSION,
        seat_count=4,
        options={"pungs_pay": (1, ALL_PUNGS_WORTH)},
        make_ruleset=sixth,
        fan_table=(FanRow("all_pungs", "对子胡", "All pungs", 1, "SX-3"),),
    ),
)
"""What the catalogue finds here."""
