"""What a simulation of 大众麻将 has to exercise.

Each row of the fan table is met in the comparison with the independent evaluator (`compare_dazhong.py`);
here stand the rules of the table and those facets of scoring that a played deal shows.
"""

from games.mahjong.actions import Choice
from games.mahjong.events import (
    Began,
    Dealt,
    Discarded,
    Drawn,
    DrawSource,
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
from games.variants.dazhong.fan_table import FANS
from tests.sim import seen
from tests.sim import seen_flowers as table
from tests.sim.clauses.rows import Clauses, Row
from tests.sim.clauses.shanghai import SHANGHAI
from tests.sim.moments import Moment, Probed, Refused

NUMBER = {fan.name_zh: fan.number for fan in FANS}


def _fan(name: str) -> seen.Seen:
    return table.numbered(NUMBER[name])


def _both(name: str, *others: str) -> seen.Seen:
    return table.beside(NUMBER[name], {NUMBER[other] for other in others})


def _either(*names: str) -> seen.Seen:
    tests = [_fan(name) for name in names]
    return lambda m: any(test(m) for test in tests)


def _self_by_flower(m: Moment) -> bool:
    return m.event.by is WinBy.SELF and m.books.source is DrawSource.FLOWER


COURSE = (
    Row("DZ-1", "144 tiles", Opened, seen.full_set),
    Row("DZ-2", "72 stacks, 18 a seat", Opened, seen.full),
    Row("DZ-3", "two dice open the dealer's wall", Opened, seen.breaker(0)),
    Row("DZ-3", "dealer 14 tiles, others 13", Dealt, seen.always),
    Row("DZ-4", "the dealer's flowers in the opening", Flowered, table.dealers_in_opening),
    Row("DZ-4", "the others' flowers in the opening", Flowered, table.others_in_opening),
    Row("DZ-4", "play begins without flowers in hands", Began, seen.always),
    Row("DZ-4", "a flower drawn later", Flowered, table.drawn_later),
    Row("DZ-4", "its replacement is the last tile", Drawn, table.flower_replaced),
    Row("DZ-5", "a kong's die shows 1 to 3", Drawn, table.die(1, 2, 3)),
    Row("DZ-5", "a kong's die shows 4 to 6", Drawn, table.die(4, 5, 6)),
    Row("DZ-5", "a second kong's die", Drawn, table.stack_gone),
    Row("DZ-6", "the wall is empty", Ended, table.next_dealer_after(EndCause.WALL_EMPTY)),
    Row("DZ-6", "live_tiles = 120", Ended, table.option("live_tiles", 120)),
    Row("DZ-6", "live_tiles = 144", Ended, table.option("live_tiles", 144)),
    Row("DZ-6", "no kong with nothing left to draw", Refused, seen.refusal("WALL_EMPTY", "DZ-6")),
    Row("DZ-6", "on the last discard no meld", Refused, table.last_discard_no_meld),
    Row("DZ-6", "a flower as the last tile", Flowered, table.last_tile_is_flower),
    Row("DZ-6", "then a discard without a replacement", Discarded, table.discards_without_replacement),
    Row("DZ-7", "the next player draws", Drawn, table.turn_passes),
    Row("DZ-7", "out of turn", Refused, seen.refusal("NOT_YOUR_TURN", "DZ-7")),
    Row("DZ-8", "a concealed kong", Konged, seen.kong(MeldKind.CONCEALED_KONG)),
    Row("DZ-8", "an added kong", Konged, seen.kong(MeldKind.ADDED_KONG)),
    Row("DZ-8", "after a chow only a discard", Discarded, table.discard_after(MeldKind.CHOW)),
    Row("DZ-8", "after a pung only a discard", Discarded, table.discard_after(MeldKind.PUNG)),
    Row("DZ-8", "no win after a claim", Refused, table.win_after_claim),
    Row("DZ-9", "a chow, the tile lowest", Melded, table.chow(Choice.CHOW_LOW)),
    Row("DZ-9", "in the middle", Melded, table.chow(Choice.CHOW_MIDDLE)),
    Row("DZ-9", "highest", Melded, table.chow(Choice.CHOW_HIGH)),
    Row("DZ-9", "chow_from = any", Melded, table.chow_from_any),
    Row("DZ-9", "an exposed kong", Konged, seen.kong(MeldKind.EXPOSED_KONG)),
    Row("DZ-9", "a pung beats a chow", Melded, table.pung_beats_chow),
    Row("DZ-9", "a win beats melds", Won, table.win_beats_claims),
    Row("DZ-9", "several claim the win: the first has it", Won, table.only_first_wins),
    Row("DZ-10", "an added kong is robbed", Won, seen.by(WinBy.ROB)),
    Row("DZ-11", "no kong after a claim", Refused, table.kong_after_claim),
    Row("DZ-12", "the winner deals next", Ended, table.next_dealer_after(EndCause.WON)),
    Row("DZ-12", "after an exhaustive draw the next player", Ended, table.next_dealer_after(EndCause.WALL_EMPTY)),
    Row("DZ-12", "after an escape nobody", Ended, table.next_dealer_after(EndCause.ESCAPED)),
    *(Row("DZ-13", f"round wind {wind}", Won, table.round_wind(index)) for index, wind in enumerate("ESWN")),
    Row("DZ-14", "a passed win costs nothing", Won, table.passed_and_wins),
    Row("DZ-15", "a concealed kong is shown face up", Konged, seen.kong(MeldKind.CONCEALED_KONG)),
)

WORTH = (
    Row("DZ-20", "four sets and a pair", Won, seen.sets),
    Row("DZ-20", "seven pairs", Won, _fan("七对")),
    Row("DZ-20", "thirteen orphans", Won, _fan("十三幺")),
    Row("DZ-20", "honours and knitted tiles", Won, _either("全不靠", "七星不靠")),
    Row("DZ-20", "knitted straight", Won, _fan("组合龙")),
    Row("DZ-21", "minimum_fan 0: any shape wins", Won, table.option("minimum_fan", 0)),
    Row("DZ-21", "a hand below minimum_fan does not win", Refused, table.minimum_fan_refuses),
    Row("DZ-30", "the dearest reading", Won, seen.always),
    Row("DZ-31", "a row that another excludes", Won, _either("清一色", "碰碰和", "七对", "五门齐")),
    Row("DZ-32", "暗杠 beside 明杠", Won, _both("暗杠", "明杠")),
    Row("DZ-33", "边张", Won, _fan("边张")),
    Row("DZ-33", "坎张", Won, _fan("坎张")),
    Row("DZ-33", "单钓将", Won, _fan("单钓将")),
    Row("DZ-34", "a flower's replacement is a plain self-draw", Won, _self_by_flower),
    Row("DZ-35", "天和 pays nothing extra", Won, lambda m: m.event.by is WinBy.SELF and m.event.tile is None),
    Row("DZ-36", "concealed pungs", Won, _either("双暗刻", "三暗刻", "四暗刻")),
    Row("DZ-37", "杠上开花", Won, _fan("杠上开花")),
    Row("DZ-37", "妙手回春", Won, _fan("妙手回春")),
    Row("DZ-37", "双暗杠 or 四暗刻", Won, _either("双暗杠", "四暗刻", "三杠")),
    Row(
        "DZ-38", "rows that look only at tiles, on seven pairs", Won, _both("七对", "断幺", "缺一门", "无字", "清一色")
    ),
    Row("DZ-39", "和绝张", Won, _fan("和绝张")),
    Row("DZ-40", "self-draw: three pay", Won, seen.by(WinBy.SELF)),
    Row("DZ-40", "discard: all pay, the discarder more", Won, seen.by(WinBy.DISCARD)),
    Row("DZ-40", "base_points other than 8", Won, lambda m: m.books.ruleset.option("base_points") != 8),
    Row("DZ-41", "a payer runs short", Won, seen.short),
    Row("DZ-42", "payers in order", Won, seen.several_payers),
    Row(
        "DZ-43", "the dealer wins on the tiles dealt", Won, lambda m: m.event.by is WinBy.SELF and m.event.tile is None
    ),
    Row("DZ-44", "天和 not on a discard", Probed, seen.probe("heavenly by discard")),
    Row("DZ-44", "天和 not by a non-dealer", Probed, seen.probe("heavenly by a non-dealer")),
    Row("DZ-44", "天和 not with melds", Probed, seen.probe("heavenly with melds")),
    Row("DZ-44", "杠上开花 not on a discard", Probed, seen.probe("kong_replacement by discard")),
    Row("DZ-44", "杠上开花 not without a kong", Probed, seen.probe("kong_replacement without kong")),
    Row("DZ-44", "a flower's replacement without a flower", Probed, seen.probe("flower_replacement without flower")),
    Row("DZ-44", "both replacements", Probed, seen.probe("both replacements")),
    Row("DZ-44", "和绝张 with a copy in hand", Probed, seen.probe("last_of_kind of a tile held")),
    Row("DZ-44", "抢杠 of a tile held", Probed, seen.probe("rob of a tile held")),
    Row("DZ-44", "抢杠 not on the last tile", Probed, seen.probe("rob and last_tile")),
    Row("DZ-50", "a player who leaves pays the penalty", Ended, table.penalty),
    Row("DZ-50", "all others get nothing", Ended, table.next_dealer_after(EndCause.ESCAPED)),
    Row("PF-12", "a pause before the tiles are dealt", Refused, seen.refusal("NOT_DEALT", "DZ-3")),
    Row("PF-21", "a turn runs out: the tile drawn", Discarded, seen.timeout(True)),
    Row("PF-21", "nothing drawn: the last in display order", Discarded, seen.timeout(False)),
)


DAZHONG = Clauses(
    rows=(*COURSE, *WORTH),
    not_here={},
    no_such_event={**SHANGHAI.no_such_event, "Declined": "no win is offered for flowers"},
    no_such_refusal={**SHANGHAI.no_such_refusal},
)
"""What the coverage table of `dazhong` holds."""
