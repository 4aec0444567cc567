"""What a simulation of 六人血战 has to exercise: the rows of four players that hold here too, and its own."""

from games.kernel import Reason
from games.mahjong.events import Declared, Discarded, Drawn, Ended, Konged, Melded, Opened, Won
from games.mahjong.hand import WinBy
from tests.sim import seen, seen_six
from tests.sim.clauses.bloody import BLOODY4
from tests.sim.clauses.refusals import OF_CARDS
from tests.sim.clauses.rows import Clauses, Row
from tests.sim.houses.bloody import FAN_ROWS
from tests.sim.moments import Probed, Refused

OF_FOUR = {
    ("BB-1", "72 tiles, four of each"),
    ("BB-2", "13 tiles a player, 14 for the dealer"),
    ("BB-3", "at the next player's"),
    ("BB-3", "across"),
    ("BB-3", "before"),
    ("BB-4", "4, 4, 4, 1 and one more to the dealer"),
    ("BB-5", "several first winners: the first in turn order"),
    ("BB-14", "a win beats pung and kong"),
    ("BB-16", "a claim beside a forced win is beaten"),
    ("BB-20", "four sets and a pair"),
    ("BB-20", "seven pairs"),
    ("BB-22", "暗七对"),
    ("BB-23", "no bonus for a self-draw"),
    ("BB-70", "situations of other games"),
}
"""Facets that only four players show; all of BB-17 beside."""

OF_SIX = (
    Row("BB-1", "72 tiles, four of each, for six", Opened, seen.full_set),
    Row("BB-2", "7 tiles a player, 8 for the dealer", Opened, seen.full),
    *(Row("BB-3", f"drawing starts {step} walls on", Opened, seen.breaker(step)) for step in range(1, 6)),
    Row("BB-4", "3, 3, 1 and one more to the dealer", Opened, seen.full),
    Row("BB-5", "several first winners: the discarder deals", Ended, seen_six.owner_deals(WinBy.DISCARD)),
    Row("BB-5", "several first robbers: the kong's owner deals", Ended, seen_six.owner_deals(WinBy.ROB)),
    Row("BB-14", "a win and a pung of one tile", Melded, seen_six.shared),
    Row("BB-14", "a win and a kong of one tile", Konged, seen_six.shared),
    Row("BB-14", "two wins and a meld of one tile", Melded, seen_six.shared_by_several),
    Row("BB-14", "the melder of a shared tile plays on", Discarded, seen_six.plays_on_after_shared),
    Row("BB-15", "a robbed kong stands, its rain is the robber's", Ended, seen_six.robbed_rain(1)),
    Row("BB-15", "several robbers share the rain", Ended, seen_six.robbed_rain(2)),
    Row("BB-15", "robbed rain does not divide equally", Ended, seen_six.robbed_rain_odd),
    Row("BB-16", "a forced win beside a pung of the tile", Melded, seen_six.forced_and_shared),
    Row("BB-18", "who is ready is asked and declares", Declared, seen_six.asked_declares),
    Row("BB-18", "several declare", Declared, lambda m: len(m.event.seats) > 1),
    Row("BB-18", "default no", Declared, seen_six.nobody_declares),
    Row("BB-18", "the dealer declares with his first discard", Declared, seen_six.dealer_declares),
    Row("BB-18", "the dealer declares after a kong", Declared, seen_six.dealer_declares_after_kong),
    Row("BB-18", "the dealer's time runs out after he declared", Discarded, seen_six.declared_times_out),
    Row("BB-18", "a discard that leaves the dealer not ready", Refused, seen_six.discard_not_ready),
    Row("BB-18", "nothing but the discard after the dealer declared", Refused, seen_six.only_discards),
    Row("BB-18", "after an action of the dealer nobody declares", Refused, seen_six.declares_late),
    Row("BB-18", "the server discards for a declared hand", Discarded, seen_six.declared_discards),
    Row("BB-18", "the server wins for a declared hand by itself", Won, seen.locked_wins(WinBy.SELF)),
    Row("BB-18", "the server wins another's discard for it", Won, seen.locked_wins(WinBy.DISCARD)),
    Row("BB-18", "the server robs a kong for it", Won, seen.locked_wins(WinBy.ROB)),
    Row("BB-18", "a declared payer pays one fan more", Won, seen_six.declared_payer),
    Row("BB-18", "both sides declared: two more", Won, seen_six.both_declared),
    Row("BB-18", "a declared hand claims nothing", Refused, seen.refusal("HAND_LOCKED", "BB-18")),
    Row("BB-20", "two sets and a pair", Won, seen.sets),
    Row("BB-20", "four pairs", Won, seen.fan("four_pairs")),
    *(Row("BB-22", zh, Won, seen.fan(fan_id)) for fan_id, (zh, four, six) in FAN_ROWS.items() if six and not four),
    Row("BB-22", "地胡 is three fan", Won, seen.fan("earthly_win", 3)),
    Row("BB-23", "a self-draw pays one base more", Won, seen.by(WinBy.SELF)),
    Row("BB-24", "and the robbed kong's 归 counts", Won, seen_six.gui_of_robbed),
    Row("BB-41", "a declared hand pays a ready one", Ended, seen_six.reverse_check),
    Row("BB-41", "who is not ready pays a declared hand one fan more", Ended, seen_six.unready_pays_declared),
    Row("BB-41", "two declared hands are netted", Ended, seen_six.two_declared_left),
    Row("BB-70", "报叫 with a claimed meld", Probed, seen.probe("declared with a pung")),
    Row("BB-70", "报叫 not with 天胡", Probed, seen.probe("declared and heavenly")),
    Row("BB-70", "杠上开花 not with 报叫", Probed, seen.probe("kong_replacement and declared")),
    Row("BB-70", "抢杠胡 not from a declared hand", Probed, seen.probe("rob and payer_declared")),
    Row("BB-13", "after a shared tile the melder draws or discards", Drawn, seen_six.after_shared_kong),
)

BLOODY6 = Clauses(
    rows=(
        *(row for row in BLOODY4.rows if (row.rule, row.facet) not in OF_FOUR and row.rule != "BB-17"),
        *OF_SIX,
    ),
    not_here={"BB-17": "报叫 takes its place (BB-18)"},
    no_such_event={
        "Locked": "报叫 takes its place (BB-18)",
        "Began": "no flowers (BB-1)",
        "Flowered": "no flowers (BB-1)",
        "Declined": "no flowers (BB-1)",
    },
    no_such_refusal={**OF_CARDS, Reason.HOLDS_DISCARD: "a refusal of 听牌 (BB-17)"},
)
"""What the coverage table of `bloody6` holds."""
