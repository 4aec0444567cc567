"""The faults that are planted: what must never be shown, and rules that must not be broken."""

from tests.sim.planting import Fault

VIEWS = "games.landlord.views"
CHECKS = "games.landlord.checks"
DECIDE = "games.landlord.decide"
EVOLVE = "games.landlord.evolve"
STATE = "games.landlord.state"
READING = "games.landlord.combinations"
MONEY = "games.kernel.money"
SETTLE = "games.variants.tingyong.settle"
RULES = "games.variants.tingyong.ruleset"
WIRE = "wire.landlord.words"
WIRE_EVENTS = "wire.landlord.events"

LEAKS = (
    Fault("a view shows the pack", VIEWS, "wall=face_down(state.wall)", "wall=state.wall"),
    Fault("the opening shows the pack", VIEWS, "return replace(event, wall=face_down(event.wall))", "return event"),
    Fault(
        "the deal shows the bottom cards to all",
        VIEWS,
        "return replace(event, hands=hands, bottom=face_down(event.bottom))",
        "return replace(event, hands=hands)",
    ),
    Fault(
        "the deal shows another's hand",
        VIEWS,
        "tuple(hand if owner == seat else face_down(hand) for owner, hand in enumerate(event.hands))",
        "tuple(hand if seat is None or owner == seat else face_down(hand) for owner, hand in enumerate(event.hands))",
    ),
    Fault(
        "the call shows the bottom cards to all",
        VIEWS,
        "if isinstance(event, Called) and event.seat != seat:",
        "if isinstance(event, Called) and event.seat < 0:",
    ),
    Fault(
        "a blind call looks at the bottom cards",
        DECIDE,
        "return Called(action.seat, True, (HIDDEN,) * len(state.bottom))",
        "return Called(action.seat, True, state.bottom)",
    ),
    Fault(
        "a view shows the bottom cards to a blind landlord",
        VIEWS,
        "(state.landlord == seat and not state.blind)",
        "state.landlord == seat",
    ),
    Fault(
        "a view shows the bottom cards once somebody has called",
        VIEWS,
        "    return state.phase in BOTTOM_TAKEN or",
        "    return state.phase is not Phase.BIDDING or",
    ),
    Fault(
        "all hands are shown when one is empty",
        VIEWS,
        "shown = state.phase is Phase.OVER",
        "shown = state.phase in (Phase.SETTLING, Phase.OVER)",
    ),
    Fault(
        "the bottom cards stay known in the landlord's hidden hand",
        EVOLVE,
        "(HIDDEN,) * (len(hand) + len(event.cards)) if HIDDEN in hand else",
        "hand + event.cards if HIDDEN in hand else",
    ),
    Fault(
        "a refusal tells how many opponents hold the card",
        CHECKS,
        'return IllegalAction(Reason.CARD_NOT_HELD, "TY-20", "cards")',
        'return IllegalAction(Reason.CARD_NOT_HELD, f"TY-20{[cards[0] in h for h in state.hands]}", "cards")',
    ),
    Fault(
        "who must call follows from another's hand",
        CHECKS,
        "    hand = state.hands[seat]\n    return HIDDEN not in hand and",
        "    hand = state.hands[seat - 1]\n    return HIDDEN not in hand and",
    ),
    Fault(
        "a message holds cards that lie face down",
        WIRE,
        "seen = [card for card in held if card != HIDDEN]",
        "seen = [card for card in held if card != HIDDEN] or [0] * len(held)",
    ),
)

BROKEN_RULES = (
    Fault("TY-11: three 2s oblige", RULES, "MUST_CALL_TWOS = 4", "MUST_CALL_TWOS = 3"),
    Fault(
        "TY-12: a blind call does not double",
        EVOLVE,
        "_multiplied(_spoken(said, event, Word.BLIND))",
        "_spoken(said, event, Word.BLIND)",
    ),
    Fault(
        "TY-12: all pass, and the same player bids first again",
        SETTLE,
        "next_dealer=state.after(state.dealer)",
        "next_dealer=state.dealer",
    ),
    Fault(
        "TY-14: the landlord is asked though nobody doubled",
        EVOLVE,
        "phase=Phase.REDOUBLING if state.doubled() else Phase.TAKING",
        "phase=Phase.REDOUBLING",
    ),
    Fault(
        "TY-20: three passes end a trick",
        STATE,
        "self.plays[: -self.ruleset.seat_count : -1]",
        "self.plays[: -self.ruleset.seat_count - 1 : -1]",
    ),
    Fault(
        "TY-22: equal beats",
        READING,
        "self.count == last.count and self.rank > last.rank",
        "self.count == last.count and self.rank >= last.rank",
    ),
    Fault(
        "TY-22: the rocket beats a deep bomb",
        READING,
        "Kind.ROCKET: 2, Kind.DEEP_BOMB: 3",
        "Kind.ROCKET: 3, Kind.DEEP_BOMB: 2",
    ),
    Fault("TY-24: bombs come first", CHECKS, "return (like_last or bombs)[0]", "return (bombs or like_last)[0]"),
    Fault("TY-24: an ambiguous lead is taken as the first reading", CHECKS, "if len(readings) == 1:", "if readings:"),
    Fault(
        "TY-30: a bomb does not double",
        EVOLVE,
        "return _multiplied(after) if event.reading.power else after",
        "return after",
    ),
    Fault(
        "TY-31: the landlord wins once",
        SETTLE,
        "(len(others) if seat == landlord else -1)",
        "(1 if seat == landlord else -1)",
    ),
    Fault("TY-32: spring doubles", SETTLE, "SPRING_FACTOR = 4", "SPRING_FACTOR = 2"),
    Fault(
        "TY-32: anti-spring though he played twice",
        SETTLE,
        "state.play_count(landlord) == 1",
        "state.play_count(landlord) <= 2",
    ),
    Fault(
        "TY-33: an escape before a call costs by the base",
        SETTLE,
        "        return ESCAPE_BEFORE_CALL",
        "        return ESCAPE_BEFORE_CALL * state.ruleset.call_score",
    ),
    Fault(
        "TY-33: an escape is not capped",
        SETTLE,
        "_within(score * rules.coins_per_score, rules.escape_cap)",
        "score * rules.coins_per_score",
    ),
    Fault(
        "TY-41: the cap is each opponent's",
        SETTLE,
        "_within(amount * opponents, state.ruleset.landlord_cap) // opponents",
        "_within(amount, state.ruleset.landlord_cap)",
    ),
    Fault("TY-42: who is first is paid first", SETTLE, "CAUSE_WIN, together) for other", "CAUSE_WIN) for other"),
    Fault("TY-42: the odd coin to the first in order", SETTLE, "Group(1, remainder_to=out)", "Group(1)"),
    Fault("PF-21: a time-out leads the highest single", DECIDE, "state.hands[seat][:1]", "state.hands[seat][-1:]"),
    Fault(
        "PF-51: more is paid than is there",
        MONEY,
        "amounts = shared([payment.amount for payment in together], left[payer], order)",
        "amounts = [payment.amount for payment in together]",
    ),
)
