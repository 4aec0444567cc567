"""Faults that only one of the other variants can show."""

from tests.sim.faults import CHECKS, CLAIMS, DECIDE, EVOLVE, FANS, SETTLE, VIEWS
from tests.sim.planting import Fault

DRAWING = "games.mahjong.drawing"
FAN_TABLE = "games.variants.bloody.fan_table"
SH_SETTLE = "games.variants.shanghai.settle"
SH_FANS = "games.variants.shanghai.fans"
DZ_SETTLE = "games.variants.dazhong.settle"
DZ_RULES = "games.variants.dazhong.ruleset"
DZ_SCORING = "games.variants.dazhong.scoring"


def _six(name: str, module: str, old: str, new: str, first: str = "") -> Fault:
    return Fault(name, module, old, new, "bloody6", first)


def _shanghai(name: str, module: str, old: str, new: str, first: str = "") -> Fault:
    return Fault(name, module, old, new, "shanghai", first)


def _dazhong(name: str, module: str, old: str, new: str, first: str = "") -> Fault:
    return Fault(name, module, old, new, "dazhong", first)


LEAKS = (
    _six(
        "the question who declares shows who has answered",
        VIEWS,
        "    answers = tuple(answer if owner",
        "    if question.tile is None:\n        return question\n    answers = tuple(answer if owner",
        "six_two_declared",
    ),
    _six(
        "a declared hand is shown to all",
        VIEWS,
        "hand if shown or owner == seat else",
        "hand if shown or owner == seat or owner in state.declared else",
        "six_two_declared",
    ),
    _six(
        "whether the dealer may declare depends on the wall",
        CHECKS,
        "return None if declared_discards(state, seat) else _refusal(state, Reason.NOT_READY)",
        "found = declared_discards(state, seat) and state.wall[0] in state.ruleset.kinds\n"
        "    return None if found else _refusal(state, Reason.NOT_READY)",
        "six_declared_earthly",
    ),
    _shanghai(
        "the replacement of a flower is shown to all",
        VIEWS,
        "return event if event.seat == seat else Drawn(",
        "return event if seat in (event.seat, None) or event.source == 'flower' else Drawn(",
        "flower_after_flower",
    ),
    _shanghai("a view shows the tail", VIEWS, "tail=face_down(state.tail)", "tail=state.tail", "flower_after_flower"),
    _shanghai(
        "whether the win is offered depends on the wall",
        CLAIMS,
        "return state.ruleset.judgement.flower_score(state.ruleset)",
        "seen = state.wall and state.wall[-1] in state.ruleset.kinds\n"
        "        return state.ruleset.judgement.flower_score(state.ruleset) if seen else None",
        "eight_flowers_declined",
    ),
    _dazhong(
        "a view shows the dice to come", VIEWS, "kong_dice=hidden_dice(state.kong_dice)", "kong_dice=state.kong_dice"
    ),
    _dazhong(
        "the opening shows the dice to come",
        VIEWS,
        "kong_dice=hidden_dice(event.kong_dice)",
        "kong_dice=event.kong_dice",
    ),
)

OF_SIX = (
    _six(
        "a tile that is won is not melded (BB-14)",
        DECIDE,
        "if winners and not state.ruleset.shares_tiles:",
        "if winners:",
    ),
    _six("a robbed kong falls (BB-15)", EVOLVE, "if state.ruleset.robbed_kong_stands:", "if not state.ruleset.kinds:"),
    _six(
        "the dealer owes nothing for a robbed kong (BB-15)",
        EVOLVE,
        "if seat not in robbers)",
        "if seat not in robbers and seat != state.dealer)",
    ),
    _six("the first robber has all the rain (BB-15)", EVOLVE, "receivers=robbers)", "receivers=robbers[:1])"),
    _six(
        "a declared payer pays no more (BB-18)",
        SETTLE,
        "worth.fan_total + (payer in state.declared)",
        "worth.fan_total",
    ),
    _six(
        "the dealer is locked before his discard (BB-18)",
        EVOLVE,
        "at_once = frozenset(event.seats) - {state.dealer}",
        "at_once = frozenset(event.seats)",
    ),
    _six(
        "a declared dealer whose time runs out throws any tile (BB-18)",
        DECIDE,
        "if state.declares_with_discard(state.turn) and tile not in declared_discards(state, state.turn):",
        "if not state.ruleset.kinds:",
    ),
    _six(
        "a declared hand pays no ready one (BB-41)",
        SETTLE,
        "if payee not in ready or (payer not in unready and payer not in state.declared):",
        "if payee not in ready or payer not in unready:",
    ),
    _six(
        "two declared hands are not netted (BB-41)",
        SETTLE,
        "net = owed(payer, payee) - owed(payee, payer)",
        "net = owed(payer, payee)",
    ),
    _six("the fan of a declaration counts twice (BB-41)", SETTLE, "<< declared", "<< (2 * declared)"),
    _six(
        "the bonus of a self-draw is doubled with the fans (BB-23)",
        FANS,
        "(rules.stake << fan_total) + bonus * rules.stake",
        "(rules.stake + bonus * rules.stake) << fan_total",
    ),
    _six(
        "the first of several winners deals next (BB-5)",
        SETTLE,
        "DISCARDER_DEALS_NEXT = frozenset({6})",
        "DISCARDER_DEALS_NEXT = frozenset({5})",
    ),
    _six(
        "地胡 is worth as much as for four (BB-22)",
        FAN_TABLE,
        '"地胡", "Earthly win", {4: 2, 6: 3}',
        '"地胡", "Earthly win", {4: 2, 6: 2}',
    ),
)

OF_SHANGHAI = (
    _shanghai(
        "replacements come from the wrong end of the tail (SH-2)",
        DRAWING,
        "Taken(state.tail[0], wall, state.tail[1:]",
        "Taken(state.tail[-1], wall, state.tail[:-1]",
    ),
    _shanghai(
        "eight flowers are offered nothing (SH-11)",
        EVOLVE,
        "if len(flowers) == state.ruleset.flower_offer_count:",
        "if not flowers:",
    ),
    _shanghai(
        "a chow beats a pung (SH-5)",
        DECIDE,
        "(frozenset({Choice.KONG, Choice.PUNG}), frozenset(CHOW_OFFSETS))",
        "(frozenset(CHOW_OFFSETS), frozenset({Choice.KONG, Choice.PUNG}))",
    ),
    _shanghai(
        "one of several robbers wins (SH-7)",
        CLAIMS,
        "return winners if state.ruleset.several_winners else winners[:1]",
        "return winners[:1] if state.phase is Phase.ROBBERY else winners",
    ),
    _shanghai(
        "liability binds the claimer alone (SH-40)",
        SH_SETTLE,
        "if _bound(state, seat, other) or _bound(state, other, seat)",
        "if _bound(state, seat, other)",
    ),
    _shanghai("two mouthfuls bind (SH-40)", SH_SETTLE, "MOUTHFULS = 3", "MOUTHFULS = 2"),
    _shanghai("a liable player pays a self-draw twice (SH-41)", SH_SETTLE, "PLAIN = 3, 2, 1", "PLAIN = 2, 2, 1"),
    _shanghai(
        "partners who did not discard pay nothing (SH-43)",
        SH_SETTLE,
        "if partner in liable and partner != owner:",
        "if partner in liable and partner == owner:",
    ),
    _shanghai(
        "a liable konger pays three (SH-7)",
        SH_SETTLE,
        "    if owner in liable:",
        "    if owner in liable and state.phase is not Phase.ROBBERY:",
    ),
    _shanghai("draws in a row double again (SH-33)", SH_SETTLE, "min(draws, 1)", "draws"),
    _shanghai(
        "no cap on a basic win (SH-30)",
        SH_FANS,
        "min(base_sum * BASIC_FACTOR * rules.stake, lezi)",
        "base_sum * BASIC_FACTOR * rules.stake",
    ),
    _shanghai(
        "without a flower a discard is won (SH-16)",
        SH_FANS,
        "return hand.by is WinBy.SELF or base_sum > BASE",
        "return True",
    ),
    _shanghai(
        "the winning tile is no flower point (SH-16)",
        SH_FANS,
        "for tile in triplets]",
        "for tile in triplets if tile != hand.tile]",
    ),
    _shanghai(
        "two bonuses on a plain hand are two lezi (SH-13)",
        SH_FANS,
        "yield Way(bonus, 1, lezi)",
        "yield Way(bonus, len(bonus), len(bonus) * lezi)",
    ),
    _shanghai(
        "the last of several winners deals next (SH-1)",
        SH_SETTLE,
        "return state.wins[0].winners[0].seat",
        "return state.wins[0].winners[-1].seat",
    ),
)

OF_DAZHONG = (
    _dazhong("several win one tile (DZ-9)", DZ_RULES, "several_winners=False", "several_winners=True"),
    _dazhong(
        "the dealer stays after an exhaustive draw (DZ-12)",
        DZ_SETTLE,
        "return state.others(state.dealer)[0]",
        "return state.dealer",
    ),
    _dazhong(
        "who did not discard pays nothing (DZ-40)",
        DZ_SETTLE,
        "for payer in state.others(winner) if payer != giver)",
        "for payer in state.others(winner) if payer == winner)",
    ),
    _dazhong(
        "a kong is replaced from the last stack (DZ-5)",
        DRAWING,
        "wanted = 0 if die is None else die - 1",
        "wanted = 0",
    ),
    _dazhong(
        "minimum_fan is forgotten (DZ-21)", DZ_SCORING, "if total < 0 or total < minimum_fan(rules):", "if total < 0:"
    ),
    _dazhong(
        "chow_from = any is forgotten (DZ-9)",
        CLAIMS,
        'state.ruleset.chow_from == "any" or',
        "not state.ruleset.kinds or",
    ),
    _dazhong(
        "somebody deals next after an escape (DZ-12)",
        DZ_SETTLE,
        "    if cause is EndCause.ESCAPED:\n        return None",
        "    if cause is EndCause.ESCAPED:\n        return state.dealer",
    ),
    _dazhong(
        "a flower that is the last tile is replaced (DZ-6)",
        DRAWING,
        "and not state.began)",
        ")",
    ),
)

BROKEN_RULES = (*OF_SIX, *OF_SHANGHAI, *OF_DAZHONG)
