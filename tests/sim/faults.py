"""The faults that are planted: what must never be shown, and rules that must not be broken."""

from tests.sim.planting import Fault

VIEWS = "games.mahjong.views"
CHECKS = "games.mahjong.checks"
DECIDE = "games.mahjong.decide"
EVOLVE = "games.mahjong.evolve"
CLAIMS = "games.mahjong.claims"
STATE = "games.mahjong.state"
MONEY = "games.kernel.money"
SETTLE = "games.variants.bloody.settle"
FANS = "games.variants.bloody.fans"

LEAKS = (
    Fault(
        "the event of a draw shows the tile to all",
        VIEWS,
        "if isinstance(event, Drawn):",
        "if isinstance(event, Drawn) and event.seat is None:",
    ),
    Fault("a view shows the wall", VIEWS, "wall=face_down(state.wall)", "wall=state.wall"),
    Fault(
        "a view shows others' answers",
        VIEWS,
        "answer if owner == seat else None for owner, answer",
        "answer for owner, answer",
    ),
    Fault(
        "another's answer is shown as an event that says nothing, but is one",
        VIEWS,
        "    if isinstance(event, Answered):\n",
        "    if isinstance(event, Answered) and event.seat != seat:\n"
        "        from games.mahjong.events import CameBack\n"
        "        return CameBack(event.seat)\n"
        "    if isinstance(event, Answered):\n",
    ),
    Fault(
        "the refusal of a discard names who holds the tile",
        CHECKS,
        'return _refusal(state, Reason.TILE_NOT_HELD, "tile")',
        'return _refusal(state, Reason.TILE_NOT_HELD, f"tile{[tile in hand for hand in state.hands]}")',
    ),
    Fault(
        "who has won sees all hands before the deal is over",
        VIEWS,
        "shown = state.phase is Phase.OVER",
        "shown = state.phase is Phase.OVER or (seat is not None and state.has_won(seat))",
    ),
    Fault(
        "all hands are shown one event before the end",
        VIEWS,
        "shown = state.phase is Phase.OVER",
        "shown = state.phase is Phase.OVER or (state.phase is Phase.MOVING and len(state.playing()) <= 1)",
    ),
    Fault(
        "a self-drawn winning tile is shown to all",
        VIEWS,
        "if event.by is not WinBy.SELF or",
        "if event.by is not None or",
    ),
    Fault(
        "a view shows who has passed a win",
        VIEWS,
        "win_locked=state.win_locked & ({seat} if seat is not None else set())",
        "win_locked=state.win_locked",
    ),
    Fault(
        "a view shows who is asked about a tile",
        VIEWS,
        "answer if owner == seat else None for owner, answer in enumerate(question.answers))",
        "answer if owner == seat or answer is None else 'asked' for owner, answer in enumerate(question.answers))",
    ),
    Fault(
        "a view shows the tile another has just drawn",
        VIEWS,
        "if draw is None or draw.tile is None or draw.seat == seat:",
        "if draw is None or draw.tile is None or draw.seat >= 0:",
    ),
    Fault(
        "the deal shows a neighbour's hand",
        VIEWS,
        "tuple(hand if owner == seat else",
        "tuple(hand if seat is not None and owner in (seat, seat ^ 1) else",
    ),
    Fault(
        "whether a lock is offered depends on the wall",
        CHECKS,
        "if not hand_waits(state, seat):",
        "if not any(tile in state.wall for tile in hand_waits(state, seat)):",
    ),
)

BROKEN_RULES = (
    Fault("必胡 is forgotten (BB-16)", STATE, "self.left < self.ruleset.must_win_tiles", "self.left < 0"),
    Fault(
        "a kong of the last discard (BB-10)", CLAIMS, "if held >= KONG_TILES and state.left:", "if held >= KONG_TILES:"
    ),
    Fault(
        "who has won pays a self-draw (BB-11)",
        SETTLE,
        "tuple(seat for seat in state.others(winner) if not state.has_won(seat))",
        "tuple(state.others(winner))",
    ),
    Fault(
        "a transferred kong is paid twice (BB-33)",
        SETTLE,
        "if outcome is KongOutcome.PAID and kong.seat == payee:",
        "if outcome is not KongOutcome.VOID and kong.seat == payee:",
    ),
    Fault("the player after the first winner draws (BB-13)", EVOLVE, "after=receivers[-1]", "after=receivers[0]"),
    Fault(
        "a payer goes below zero (BB-51)",
        MONEY,
        "amounts = shared([payment.amount for payment in together], left[payer], order)",
        "amounts = [payment.amount for payment in together]",
    ),
    Fault(
        "a robbed kong is paid (BB-15)",
        EVOLVE,
        "kong = replace(kong, outcome=KongOutcome.VOID)",
        "kong = replace(kong, outcome=KongOutcome.OPEN)",
    ),
    Fault(
        "天胡 after a kong (BB-22)",
        CLAIMS,
        "frozenset({Situation.KONG_REPLACEMENT})",
        "frozenset({Situation.KONG_REPLACEMENT, Situation.HEAVENLY})",
    ),
    Fault(
        "a pung beats a win (BB-14)",
        DECIDE,
        "winners = question_winners(state)\n",
        "winners = () if Choice.PUNG in state.question.answers else question_winners(state)\n",
    ),
    Fault(
        "rain for a konger who is not ready (BB-32)",
        SETTLE,
        "return KongOutcome.VOID if kong.seat in unready else KongOutcome.PAID",
        "return KongOutcome.PAID",
    ),
    Fault(
        "who has won owes for a later kong (BB-30)",
        DECIDE,
        "owing = tuple(seat for seat in state.others(action.seat) if not state.has_won(seat))",
        "owing = state.others(action.seat)",
    ),
    Fault(
        "only the last kong of a chain is transferred (BB-33)",
        SETTLE,
        "chosen = state.turn_kongs if chain else state.turn_kongs[-1:]",
        "chosen = state.turn_kongs[-1:]",
    ),
    Fault(
        "the odd unit goes to the later receiver (BB-33)",
        SETTLE,
        "(place < odd)",
        "(place >= len(kong.receivers) - odd)",
    ),
    Fault(
        "a draw does not free who passed a win (BB-19)", EVOLVE, "state.win_locked - {event.seat}", "state.win_locked"
    ),
    Fault(
        "the first tile in display order is thrown (PF-21)",
        DECIDE,
        "else state.hands[state.turn][-1]",
        "else state.hands[state.turn][0]",
    ),
    Fault(
        "a locked hand does not win another's tile (BB-17)",
        CLAIMS,
        "if not state.must_win() and seat not in state.locked:",
        "if not state.must_win():",
    ),
    Fault("the last winner deals next (BB-5)", SETTLE, "first.winners[0].seat", "state.winners()[-1].seat"),
    Fault(
        "seven pairs with melds (BB-20)",
        FANS,
        "if rules.pairs_win and not hand.melds and is_all_pairs(packed):",
        "if rules.pairs_win and is_all_pairs(packed):",
    ),
)
