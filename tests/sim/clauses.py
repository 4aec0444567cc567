"""Which rules a simulation exercised: one row a rule and facet, each with the predicate that sees it.

Every rule of `rules.md` that says something about four players stands here, and the platform's
rules that the core keeps; `NOT_HERE` names the others. Whether a rule is kept is judged elsewhere
(`referee.py`, `laws.py`); a row only says that it came to pass.
"""

from dataclasses import dataclass

from games.mahjong.events import (
    Answered,
    CameBack,
    Dealt,
    Discarded,
    Drawn,
    DrawSource,
    EndCause,
    Ended,
    Konged,
    Locked,
    Melded,
    Opened,
    WentAway,
    Won,
)
from games.mahjong.hand import WinBy
from games.mahjong.melds import MeldKind
from tests.sim import seen
from tests.sim.moments import Moment, Probed, Refused
from tests.sim.reckoning import FAN_ROWS
from tests.sim.seen import Seen


@dataclass(frozen=True, slots=True)
class Row:
    """A facet of a rule, the kind of happening that can exercise it, and the predicate that sees it."""

    rule: str
    facet: str
    kind: type
    seen: Seen


NOT_HERE = {
    "BB-18": "six players only",
    "BB-41": "six players only",
}
"""Rules that say nothing about four players."""

OPENING = (
    Row("BB-1", "72 tiles, four of each", Opened, seen.full_set),
    Row("BB-2", "13 tiles a player, 14 for the dealer", Dealt, seen.always),
    Row("BB-3", "drawing starts at the dealer's wall", Opened, seen.breaker(0)),
    Row("BB-3", "at the next player's", Opened, seen.breaker(1)),
    Row("BB-3", "across", Opened, seen.breaker(2)),
    Row("BB-3", "before", Opened, seen.breaker(3)),
    Row("BB-4", "4, 4, 4, 1 and one more to the dealer", Dealt, seen.always),
    Row("BB-5", "the first winner deals next", Ended, lambda m: len(seen.first_winners(m)) == 1),
    Row("BB-5", "several first winners: the first in turn order", Ended, lambda m: len(seen.first_winners(m)) > 1),
    Row("BB-5", "no winner: the dealer stays", Ended, lambda m: not m.books.wins),
    Row("BB-6", "the replacement is the next tile", Drawn, lambda m: m.event.source is DrawSource.REPLACEMENT),
    Row("BB-6", "a kong draws the last tile", Drawn, seen.last_replacement),
    Row("BB-6", "no kong when the wall is empty", Refused, seen.refusal("WALL_EMPTY", "BB-6")),
)

COURSE = (
    Row("BB-10", "pung", Melded, seen.always),
    Row("BB-10", "exposed kong", Konged, seen.kong(MeldKind.EXPOSED_KONG)),
    Row("BB-10", "added kong", Konged, seen.kong(MeldKind.ADDED_KONG)),
    Row("BB-10", "added kong of a tile drawn earlier", Konged, seen.added_later),
    Row("BB-10", "concealed kong", Konged, seen.kong(MeldKind.CONCEALED_KONG)),
    Row("BB-10", "pung of the last discard", Melded, lambda m: not m.books.wall),
    Row("BB-10", "no kong of one's own after a claim", Refused, seen.refusal("NO_DRAW", "BB-10")),
    Row("BB-11", "ends when one is left", Ended, lambda m: m.event.cause is EndCause.ONE_LEFT),
    Row("BB-11", "ends when the wall is empty", Ended, lambda m: m.event.cause is EndCause.WALL_EMPTY),
    Row("BB-11", "a winner takes no further part", Refused, seen.refusal("HAS_WON", "BB-11")),
    Row("BB-11", "nothing after the end", Refused, seen.refusal("DEAL_OVER", "BB-11")),
    Row("BB-12", "two winners on one tile", Won, seen.several(2)),
    Row("BB-12", "three winners on one tile", Won, seen.several(3)),
    Row("BB-13", "nobody claims: the next player draws", Drawn, lambda m: isinstance(m.books.last, Discarded)),
    Row("BB-13", "who has won is passed over", Drawn, seen.skips_winner),
    Row("BB-13", "after a win the player after the winner draws", Drawn, seen.after_wins),
    Row("BB-13", "after several the player after the last of them", Drawn, seen.after_several),
    Row("BB-13", "and not after the first", Drawn, seen.not_after_the_first),
    Row("BB-14", "a win beats pung and kong", Won, seen.claim_beaten),
    Row("BB-14", "pung when the win is passed", Melded, seen.win_let_go),
    Row("BB-14", "kong when the win is passed", Konged, seen.exposed_let_go),
    Row("BB-15", "an added kong is robbed", Won, seen.by(WinBy.ROB)),
    Row("BB-15", "by several", Won, lambda m: m.event.by is WinBy.ROB and len(m.event.winners) > 1),
    Row("BB-15", "its owner draws the replacement", Drawn, seen.robbed_owner_draws),
    Row("BB-15", "unless he is the only one left", Ended, seen.robbed_owner_left),
    Row("BB-15", "a kong that nobody robs stands", Drawn, seen.not_robbed),
    Row("BB-16", "forced on a draw", Won, seen.forced(WinBy.SELF)),
    Row("BB-16", "forced on a discard", Won, seen.forced(WinBy.DISCARD)),
    Row("BB-16", "forced on an added kong", Won, seen.forced(WinBy.ROB)),
    Row("BB-16", "a claim beside a forced win is beaten", Won, seen.forced_beats),
    Row("BB-16", "not before the first draw", Answered, seen.asked_before_first_draw),
    Row("BB-16", "who is made a winner is not asked", Refused, seen.made_winner_not_asked),
    Row("BB-17", "a ready player locks", Locked, lambda m: m.books.asked is None),
    Row("BB-17", "a lock wins the tile asked about", Locked, seen.lock_wins),
    Row("BB-17", "a lock passes a pung", Locked, seen.lock_passes),
    Row("BB-17", "the server discards what a locked hand drew", Discarded, seen.locked_discards),
    Row("BB-17", "the server wins a locked hand's draw", Won, seen.locked_wins(WinBy.SELF)),
    Row("BB-17", "the server wins another's discard for it", Won, seen.locked_wins(WinBy.DISCARD)),
    Row("BB-17", "the server robs a kong for it", Won, seen.locked_wins(WinBy.ROB)),
    Row("BB-17", "not ready, no lock", Refused, seen.refusal("NOT_READY", "BB-17")),
    Row("BB-17", "no lock with a tile to discard", Refused, seen.refusal("HOLDS_DISCARD", "BB-17")),
    Row("BB-17", "a locked hand claims nothing", Refused, seen.refusal("HAND_LOCKED", "BB-17")),
    Row("BB-19", "a passed win costs nothing", Won, seen.wins_after_pass),
    Row("BB-19", "pass_locks_win: refused until the next draw", Refused, seen.refusal("PASSED_WIN", "BB-19")),
    Row("BB-19", "pass_locks_win: a draw frees", Drawn, seen.locked_until_draw),
    Row("BB-19", "pass_locks_win: a pung passes the win", Melded, seen.passed_by_meld),
    Row("BB-19", "pass_locks_win: self-draw stays free", Won, seen.self_draw_after_pass),
)

WORTH = (
    Row("BB-20", "four sets and a pair", Won, seen.sets),
    Row("BB-20", "seven pairs", Won, seen.fan("seven_pairs")),
    Row("BB-20", "four alike as two pairs", Won, seen.four_as_pairs),
    *(Row("BB-21", f"{number} fan", Won, seen.fan_total(number)) for number in range(5)),
    Row("BB-22", "推倒胡", Won, seen.fan_total(0)),
    *(Row("BB-22", zh, Won, seen.fan(fan_id)) for fan_id, zh, _ in FAN_ROWS),
    Row("BB-22", "归 twice", Won, seen.fan("gui", 2)),
    Row("BB-22", "归 without a kong", Won, seen.gui_without_kong),
    Row("BB-22", "对子胡 and 清一色 add up", Won, seen.adds_up),
    Row("BB-23", "no bonus for a self-draw", Won, seen.by(WinBy.SELF)),
    Row("BB-24", "杠上开花 on the replacement of a robbed kong", Won, seen.replacement_of_robbed),
    Row("BB-25", "everybody pays a self-draw", Won, lambda m: seen.by(WinBy.SELF)(m) and not m.books.winners),
    Row("BB-25", "but who has won", Won, seen.only_not_won_pay),
    Row("BB-25", "the discarder alone pays", Won, seen.by(WinBy.DISCARD)),
    Row("BB-25", "the robbed kong's owner alone pays", Won, seen.by(WinBy.ROB)),
)

MONEY = (
    Row("BB-30", "everybody owes for a concealed kong", Konged, seen.kong(MeldKind.CONCEALED_KONG)),
    Row("BB-30", "everybody owes for an added kong", Konged, seen.kong(MeldKind.ADDED_KONG)),
    Row("BB-30", "but who has won", Konged, seen.some_do_not_owe),
    Row("BB-30", "the discarder owes for an exposed kong", Konged, seen.kong(MeldKind.EXPOSED_KONG)),
    Row("BB-31", "who has won since owes all the same", Ended, seen.owes_though_won_since),
    Row("BB-32", "void: the konger is not ready", Ended, seen.void),
    Row("BB-32", "paid: the konger has won", Ended, seen.kong_of_winner_paid),
    Row("BB-32", "paid: the konger is ready", Ended, seen.kong_of_ready_paid),
    Row("BB-32", "paid: the konger is left without a check", Ended, seen.kong_of_last_paid),
    Row("BB-32", "transferred rain stands", Ended, seen.transferred_of_unready),
    Row("BB-33", "to one winner", Won, seen.transfer(1)),
    Row("BB-33", "to several", Won, seen.transfer(2)),
    Row("BB-33", "the odd unit to the earlier", Won, seen.transfer_odd),
    Row("BB-33", "a winner's own part comes back", Won, seen.own_part_back),
    Row("BB-33", "kong_transfer = chain: every kong of the turn", Won, seen.chain),
    Row("BB-33", "kong_transfer = last: that kong only", Won, seen.last_of_chain),
    Row("BB-33", "a robbed kong stays out", Won, seen.robbed_stays_out),
    Row("BB-40", "who is not ready pays who is", Ended, seen.check_pays),
    Row("BB-40", "none ready", Ended, seen.check_is(False)),
    Row("BB-40", "all ready", Ended, seen.check_is(True)),
    Row("BB-40", "who has won takes no part", Ended, seen.check_without_winner),
    Row("BB-42", "all four one's own: no wait", Ended, seen.own_four),
    Row("BB-50", "win money at once", Won, seen.always),
    Row("BB-50", "rain, then check", Ended, seen.rain_and_check),
    Row("BB-50", "rain by the payee's rank", Ended, seen.rain_by_rank),
    Row("BB-51", "a payer runs short", Won, seen.short),
    Row("BB-51", "a payer has nothing left", Won, seen.nothing_left),
    Row("BB-51", "at the end", Ended, seen.short),
    Row("BB-52", "payers in turn order from the winner", Won, seen.several_payers),
    Row("BB-52", "a pool out of several payers", Ended, seen.pool_in_order),
    Row("BB-53", "a win names its fans to all", Won, seen.has_fans),
)

ABSENCE = (
    Row("BB-60", "a player leaves", WentAway, seen.always),
    Row("BB-60", "the server discards what it drew", Discarded, seen.away_discards),
    Row("BB-60", "or the last tile in display order", Discarded, seen.away_last_in_order),
    Row("BB-60", "it wins where it must", Won, seen.away_wins),
    Row("BB-60", "otherwise it does not", Discarded, seen.away_does_not_win),
    Row("BB-60", "an open question counts as passed", WentAway, seen.leaves_asked),
    Row("BB-60", "a claim given before stands", Won, seen.answer_stands),
    Row("BB-60", "an absent player does not move", Refused, seen.refusal("SEAT_AWAY", "BB-60")),
    Row("BB-61", "a player comes back", CameBack, seen.always),
    Row("BB-61", "and is in control", Discarded, seen.back_in_control),
    Row("BB-70", "天胡 not on a discard", Probed, seen.probe("heavenly by discard")),
    Row("BB-70", "天胡 not with melds", Probed, seen.probe("heavenly with melds")),
    Row("BB-70", "天胡 alone", Probed, seen.probe("heavenly and last_tile")),
    Row("BB-70", "地胡 not by oneself", Probed, seen.probe("earthly by self")),
    Row("BB-70", "地胡 not with melds", Probed, seen.probe("earthly with melds")),
    Row("BB-70", "地胡 not on the last tile", Probed, seen.probe("earthly and last_tile")),
    Row("BB-70", "杠上开花 not on a discard", Probed, seen.probe("kong_replacement by discard")),
    Row("BB-70", "杠上开花 not without a kong", Probed, seen.probe("kong_replacement without kong")),
    Row("BB-70", "杠上炮 not by oneself", Probed, seen.probe("after_kong by self")),
    Row("BB-70", "抢杠胡 not on the last tile", Probed, seen.probe("rob and last_tile")),
    Row("BB-70", "抢杠胡 not of a tile held", Probed, seen.probe("rob of a tile held")),
    Row("BB-70", "situations of other games", Probed, seen.probe("declared")),
    Row("PF-12", "a pause before the tiles are dealt", Refused, seen.refusal("NOT_DEALT", "BB-4")),
    Row("PF-21", "a turn runs out: the tile drawn", Discarded, seen.timeout(True)),
    Row("PF-21", "nothing drawn: the last in display order", Discarded, seen.timeout(False)),
    Row("PF-21", "a claim runs out: a pass", Drawn, seen.silence_passes),
)

ROWS = (*OPENING, *COURSE, *WORTH, *MONEY, *ABSENCE)


def exercised(moment: Moment) -> list[int]:
    """Rows that a moment exercises, by their place."""
    rows = _ROWS_OF_KIND.get(type(moment.event), ())
    return [place for place, row in rows if row.seen(moment)]


_ROWS_OF_KIND: dict[type, list[tuple[int, Row]]] = {}
for _place, _row in enumerate(ROWS):
    _ROWS_OF_KIND.setdefault(_row.kind, []).append((_place, _row))
