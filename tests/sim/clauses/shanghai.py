"""What a simulation of 上海麻将 has to exercise."""

from games.kernel import Reason
from games.mahjong.actions import Choice
from games.mahjong.events import (
    Began,
    Dealt,
    Declined,
    Discarded,
    Drawn,
    EndCause,
    Ended,
    Flowered,
    Konged,
    Melded,
    Opened,
    Won,
)
from games.mahjong.hand import WinBy
from games.mahjong.melds import MeldKind
from tests.sim import seen
from tests.sim import seen_flowers as table
from tests.sim.clauses.refusals import OF_CARDS
from tests.sim.clauses.rows import Clauses, Row
from tests.sim.houses.shanghai import NAMES
from tests.sim.moments import Probed, Refused

COURSE = (
    Row("SH-1", "144 tiles", Opened, seen.full_set),
    Row("SH-1", "the winner deals next", Ended, table.next_dealer_after(EndCause.WON)),
    Row("SH-1", "several winners: the first in turn order", Ended, table.next_dealer_after(EndCause.WON, True)),
    Row("SH-1", "after an exhaustive draw the dealer stays", Ended, table.next_dealer_after(EndCause.WALL_EMPTY)),
    Row("SH-2", "dealer 14 tiles, others 13", Dealt, seen.always),
    Row("SH-2", "two dice open the dealer's wall", Opened, seen.breaker(0)),
    Row("SH-2", "a kong's replacement is the last tile", Drawn, table.replaced_from_tail),
    Row("SH-2", "a flower's replacement is the last tile", Drawn, table.flower_replaced),
    Row("SH-3", "the dealer's flowers in the opening", Flowered, table.dealers_in_opening),
    Row("SH-3", "the others' flowers in the opening", Flowered, table.others_in_opening),
    Row("SH-3", "play begins without flowers in hands", Began, seen.always),
    Row("SH-3", "a flower drawn later", Flowered, table.drawn_later),
    Row("SH-3", "no kong with nothing left to draw", Refused, seen.refusal("WALL_EMPTY", "SH-3")),
    Row("SH-3", "on the last discard no meld", Refused, table.last_discard_no_meld),
    Row("SH-3", "the last discard is won", Won, lambda m: m.books.last_tile() and m.event.by is WinBy.DISCARD),
    Row("SH-3", "a flower as the last tile", Flowered, table.last_tile_is_flower),
    Row("SH-3", "then a discard without a replacement", Discarded, table.discards_without_replacement),
    Row("SH-3", "nothing after the end", Refused, seen.refusal("DEAL_OVER", "SH-3")),
    Row("SH-5", "a chow, the tile lowest", Melded, table.chow(Choice.CHOW_LOW)),
    Row("SH-5", "in the middle", Melded, table.chow(Choice.CHOW_MIDDLE)),
    Row("SH-5", "highest", Melded, table.chow(Choice.CHOW_HIGH)),
    Row("SH-5", "a pung", Melded, table.pung),
    Row("SH-5", "an exposed kong", Konged, seen.kong(MeldKind.EXPOSED_KONG)),
    Row("SH-5", "an added kong", Konged, seen.kong(MeldKind.ADDED_KONG)),
    Row("SH-5", "a concealed kong", Konged, seen.kong(MeldKind.CONCEALED_KONG)),
    Row("SH-5", "a pung beats a chow", Melded, table.pung_beats_chow),
    Row("SH-5", "a win beats melds", Won, table.win_beats_claims),
    Row("SH-5", "after a chow only a discard", Discarded, table.discard_after(MeldKind.CHOW)),
    Row("SH-5", "after a pung only a discard", Discarded, table.discard_after(MeldKind.PUNG)),
    Row("SH-5", "no win after a claim", Refused, table.win_after_claim),
    Row("SH-5", "no kong after a claim", Refused, table.kong_after_claim),
    Row("SH-5", "a passed win costs nothing", Won, table.passed_and_wins),
    Row("SH-5", "nobody claims: the server draws", Drawn, table.turn_passes),
    Row("SH-6", "two winners on one discard", Won, seen.several(2)),
    Row("SH-6", "three", Won, seen.several(3)),
    Row("SH-7", "an added kong is robbed", Won, table.rob_pays(1)),
    Row("SH-7", "rob_pays = 3", Won, table.rob_pays(3)),
    Row("SH-7", "by several", Won, lambda m: m.event.by is WinBy.ROB and len(m.event.winners) > 1),
    Row("SH-7", "a liable konger", Won, lambda m: m.event.by is WinBy.ROB and table.liable(table.liable_discards)(m)),
    Row(
        "SH-7",
        "a liable partner beside",
        Won,
        lambda m: m.event.by is WinBy.ROB and table.liable(table.third_discards)(m),
    ),
)

WORTH = (
    Row("SH-10", "a plain hand does not win", Refused, table.plain_refused),
    Row("SH-10", "杠开 or 大吊车 makes a plain hand win", Won, table.plain_legalised),
    Row("SH-11", "eight flowers are offered the win", Flowered, table.offered),
    Row("SH-11", "it is taken", Won, table.offer_taken),
    Row("SH-11", "declined", Declined, table.offer_declined),
    Row("SH-11", "a time-out declines", Declined, table.offer_timed_out),
    Row("SH-11", "offered in the opening", Declined, table.in_opening),
    Row("SH-11", "only win or decline while it stands", Refused, table.only_offer),
    Row("SH-11", "declined, the flowers score", Won, table.scores_after_declining),
    *(Row("SH-12", zh, Won, table.numbered(number)) for number, (_, zh, _) in NAMES.items()),
    Row("SH-13", "杠开 doubles", Won, table.beside(9, {4, 5, 6, 7, 8})),
    Row("SH-13", "大吊车 doubles", Won, table.beside(10, {4, 5, 6, 7, 8})),
    Row(
        "SH-13",
        "both without a kind of 4 to 8 are one lezi",
        Won,
        lambda m: table.beside(9, {10})(m) and table.lezi(1)(m),
    ),
    Row("SH-14", "地和 alone", Won, table.numbered(2)),
    Row("SH-15", "混 with honours", Won, table.numbered(8)),
    Row("SH-15", "清 without", Won, table.numbered(7)),
    Row("SH-16", "without a flower point only by oneself", Won, table.no_flower_self_drawn),
    Row("SH-16", "a lezi hand by discard all the same", Won, table.no_flower_lezi),
    Row("SH-16", "the winning tile is the flower point", Won, table.flower_by_winning_tile),
    Row("SH-20", "a base sum", Won, table.basic),
    Row("SH-30", "a basic win", Won, table.basic),
    Row("SH-30", "cut to a lezi", Won, table.capped),
    *(Row("SH-31", f"{multiple} lezi", Won, table.lezi(multiple)) for multiple in (1, 2, 4, 8)),
    Row("SH-32", "self-draw: three pay", Won, seen.by(WinBy.SELF)),
    Row("SH-32", "discard: one pays", Won, seen.by(WinBy.DISCARD)),
    Row("SH-33", "doubled after an exhaustive draw", Won, table.doubled(False)),
    Row("SH-33", "several in a row: once", Won, table.once_only),
    Row("SH-33", "draw_doubling = stack", Won, table.doubled(True)),
)

MONEY = (
    Row("SH-40", "three melds claimed from one", Melded, table.bound_now),
    Row("SH-41", "self-draw: the partner pays three", Won, table.liable(table.liable_self)),
    Row("SH-40", "both ways: the feeder wins", Won, table.liable(table.feeder_wins)),
    Row("SH-42", "the partner discards: two", Won, table.liable(table.liable_discards)),
    Row("SH-43", "a third discards: he and the partner", Won, table.liable(table.third_discards)),
    Row("SH-44", "two partners", Won, table.liable(table.two_partners)),
    Row("SH-44", "several winners, one in liability", Won, table.liable(table.several_and_liable)),
    Row("SH-45", "a payer runs short", Won, seen.short),
    Row("SH-45", "a partner runs short", Won, table.liable_short),
    Row("SH-46", "八花, 天和 or 地和 follow liability", Won, table.liable_outside_kinds),
    Row("SH-47", "payers in turn order", Won, seen.several_payers),
    Row("SH-50", "天和 not on a discard", Probed, seen.probe("heavenly by discard")),
    Row("SH-50", "杠开 of a kong not on a discard", Probed, seen.probe("kong_replacement by discard")),
    Row("SH-50", "杠开 of a kong without a kong", Probed, seen.probe("kong_replacement without kong")),
    Row("SH-50", "杠开 of a flower without a flower", Probed, seen.probe("flower_replacement without flower")),
    Row("SH-50", "both replacements", Probed, seen.probe("both replacements")),
    Row("SH-50", "天和 with 地和", Probed, seen.probe("heavenly and earthly")),
    Row("SH-50", "天和 with melds", Probed, seen.probe("heavenly with melds")),
    Row("SH-50", "抢杠 of a tile held", Probed, seen.probe("rob of a tile held")),
    Row("SH-50", "situations of other games", Probed, seen.probe("after_kong")),
    Row("PF-12", "a pause before the tiles are dealt", Refused, seen.refusal("NOT_DEALT", "SH-2")),
    Row("PF-20", "out of turn", Refused, seen.refusal("NOT_YOUR_TURN", "SH-5")),
    Row("PF-21", "a turn runs out: the tile drawn", Discarded, seen.timeout(True)),
    Row("PF-21", "nothing drawn: the last in display order", Discarded, seen.timeout(False)),
    Row("PF-23", "a player who leaves ends the deal", Ended, table.next_dealer_after(EndCause.ESCAPED)),
    Row("PF-23", "and pays the penalty", Ended, table.penalty),
)

NOT_WITH_ONE_WIN = "a win ends the deal, so does who leaves"
SHANGHAI = Clauses(
    rows=(*COURSE, *WORTH, *MONEY),
    not_here={},
    no_such_event={
        "Locked": "听牌 is 血战's (BB-17)",
        "Declared": "报叫 is 血战's (BB-18)",
        "WentAway": "who leaves ends the deal (PF-23)",
        "CameBack": "who leaves ends the deal (PF-23)",
    },
    no_such_refusal={
        **OF_CARDS,
        Reason.NOT_READY: "a refusal of 听牌 and 报叫",
        Reason.HAND_LOCKED: "a refusal of 听牌 and 报叫",
        Reason.HOLDS_DISCARD: "a refusal of 听牌",
        Reason.PASSED_WIN: "a refusal of pass_locks_win",
        Reason.HAS_WON: NOT_WITH_ONE_WIN,
        Reason.SEAT_AWAY: NOT_WITH_ONE_WIN,
    },
)
"""What the coverage table of `shanghai` holds."""
