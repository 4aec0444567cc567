"""A deal as somebody keeps it who knows the rules by heart and sees only its events.

Nothing of the family's state or table is used: hands from the pack, readings by brute force,
money by hand. `Books.take` checks every event against the rules and then follows it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from games.kernel import Seat
from games.landlord import actions as asked
from games.landlord import events as happened
from games.landlord.actions import Action
from games.landlord.cards import Card, rank_of
from games.landlord.combinations import Kind, Reading
from games.landlord.events import EndCause, Event, Spring
from tests.contract.landlord import brute
from tests.sim.landlord.deals import Setup
from tests.sim.landlord.laws import hold

SEATS = 3
SPEAKING = ("bidding", "doubling", "redoubling", "play")
STRENGTH = {Kind.BOMB: 1, Kind.ROCKET: 2, Kind.DEEP_BOMB: 3, Kind.DEEP_ROCKET: 4}


@dataclass
class Books:
    """What is known of a deal before its next event.

    Attributes:
        setup: how it began.
        hands: cards of each seat.
        bottom: the three that are left.
        turn: whose turn it is.
        stage: "closed", "opened", "bidding", "doubling", "redoubling", "taking", "play", "settling" or "over".
        passes: passes since the last play, or words of passing in the bidding.
        last: the play to beat, and whose it is.
        played: how many times each seat has played cards.
        doubled: seats that doubled.
        passed_bidding: seats that passed it.
        passed_trick: seats that have passed in the trick.
    """

    setup: Setup
    hands: list[set[Card]] = field(default_factory=list)
    bottom: set[Card] = field(default_factory=set)
    turn: Seat = 0
    stage: str = "closed"
    landlord: Seat | None = None
    blind: bool = False
    multiplier: int = 1
    passes: int = 0
    last: Reading | None = None
    last_seat: Seat | None = None
    played: list[int] = field(default_factory=lambda: [0] * SEATS)
    doubled: list[Seat] = field(default_factory=list)
    passed_bidding: list[Seat] = field(default_factory=list)
    passed_trick: set[Seat] = field(default_factory=set)
    redoubled: bool = False

    def take(self, event: Event, action: Action | None) -> None:
        """Check an event and follow it. Raises: Broken."""
        _TAKE[type(event)](self, event, action)

    def others(self) -> list[Seat]:
        """The landlord's opponents in turn order."""
        assert self.landlord is not None
        return [(self.landlord + step) % SEATS for step in (1, 2)]

    def obliged(self, seat: Seat) -> bool:
        """TY-11."""
        ranks = [rank_of(card) for card in self.hands[seat]]
        return {brute.BLACK, brute.RED} <= set(ranks) or ranks.count(brute.TWO) + ranks.count(brute.WILD) >= 4

    def permits(self, action: asked.PlayerAction) -> bool:
        """Whether the rules allow a move now."""
        if self.turn != action.seat:
            return False
        if isinstance(action, asked.Play):
            return self.stage == "play" and self._permits_play(action)
        if isinstance(action, asked.Pass):
            leads = self.stage == "play" and self.last is None
            must_call = self.stage == "bidding" and self.obliged(action.seat)
            return self.stage in SPEAKING and not leads and not must_call
        if isinstance(action, asked.CallBlind):
            return self.stage == "bidding" and self.passes == SEATS - 1
        stages = {asked.Call: "bidding", asked.Double: "doubling", asked.Redouble: "redoubling"}
        return self.stage == stages[type(action)]

    def _permits_play(self, action: asked.Play) -> bool:
        """TY-20..24."""
        if not set(action.cards) <= self.hands[action.seat] or len(set(action.cards)) < len(action.cards):
            return False
        possible = readings(action.cards)
        if action.kind is not None:
            possible = {kind: one for kind, one in possible.items() if kind is action.kind}
        elif self.last is None and len(possible) > 1:
            return False
        elif self.last is not None:
            like = possible.get(self.last.kind)
            if like is not None and like.count == self.last.count:
                return beats(like, self.last)
        return any(self.last is None or beats(one, self.last) for one in possible.values())

    def next_turn(self) -> None:
        """The turn goes round."""
        self.turn = (self.turn + 1) % SEATS


def readings(cards: tuple[Card, ...]) -> dict[Kind, Reading]:
    """What cards can be, by brute force."""
    return brute.readings([rank_of(card) for card in cards])


def beats(one: Reading, other: Reading) -> bool:
    """TY-22, in other words than the rules have."""
    mine, its = STRENGTH.get(one.kind, 0), STRENGTH.get(other.kind, 0)
    alike = one.kind is other.kind and one.count == other.count
    return mine > its or (alike and one.rank > other.rank)


# --- events -----------------------------------------------------------------------------------


def _opened(books: Books, event: happened.Opened, action: Action | None) -> None:
    hold(books.stage == "closed" and event.wall == books.setup.wall, "a deal opens with its pack", event)
    hold(event.dealer == books.setup.dealer, "TY-10: the first bidder is given", event)
    books.stage, books.turn = "opened", event.dealer


def _dealt(books: Books, event: happened.Dealt, action: Action | None) -> None:
    dealer, wall = books.setup.dealer, books.setup.wall
    books.hands = [set(wall[(seat - dealer) % SEATS : 48 : SEATS]) for seat in range(SEATS)]
    books.bottom = set(wall[48:])
    hold(books.stage == "opened", "cards are dealt once", event)
    hold([set(hand) for hand in event.hands] == books.hands, "TY-1: sixteen cards each", event)
    hold(set(event.bottom) == books.bottom, "TY-1: three bottom cards", event)
    books.stage = "bidding"


def _called(books: Books, event: happened.Called, action: Action | None) -> None:
    hold((books.stage, books.turn) == ("bidding", event.seat), "TY-12: who speaks may call", event)
    hold(not event.blind or books.passes == SEATS - 1, "TY-12: blind is for the last", event)
    hold(set(event.bottom) == ({-1} if event.blind else books.bottom), "TY-13: he sees the bottom, or not", event)
    books.landlord, books.blind, books.stage = event.seat, event.blind, "doubling"
    books.multiplier *= 2 if event.blind else 1
    books.passes = 0
    books.next_turn()


def _doubled(books: Books, event: happened.Doubled, action: Action | None) -> None:
    hold((books.stage, books.turn) == ("doubling", event.seat), "TY-14: the others double in turn", event)
    books.multiplier *= 2
    books.doubled.append(event.seat)
    _doubling_goes_on(books)


def _doubling_goes_on(books: Books) -> None:
    books.next_turn()
    if books.turn == books.landlord:
        books.stage = "redoubling" if books.doubled else "taking"


def _redoubled(books: Books, event: happened.Redoubled, action: Action | None) -> None:
    hold((books.stage, books.turn) == ("redoubling", event.seat), "TY-14: the landlord redoubles", event)
    books.multiplier *= 2
    books.redoubled = True
    books.stage = "taking"


def _passed(books: Books, event: happened.Passed, action: Action | None) -> None:
    hold(books.turn == event.seat, "who passes was asked", event)
    if books.stage == "bidding":
        hold(not books.obliged(event.seat), "TY-11: who must call does not pass", event)
        books.passed_bidding.append(event.seat)
        books.passes += 1
        books.next_turn()
        books.stage = "settling" if books.passes == SEATS else "bidding"
    elif books.stage == "doubling":
        _doubling_goes_on(books)
    elif books.stage == "redoubling":
        books.stage = "taking"
    else:
        hold(books.stage == "play" and books.last is not None, "TY-20: the leader does not pass", event)
        books.passed_trick.add(event.seat)
        books.passes += 1
        books.next_turn()
        if books.passes == SEATS - 1:
            hold(books.turn == books.last_seat, "TY-20: the last to play leads", event)
            books.last, books.last_seat, books.passes = None, None, 0
            books.passed_trick = set()


def _bottom_taken(books: Books, event: happened.BottomTaken, action: Action | None) -> None:
    hold(books.stage == "taking" and event.seat == books.landlord, "TY-13: he takes them when all have spoken", event)
    hold(set(event.cards) == books.bottom, "TY-13: everybody sees them", event)
    books.hands[event.seat] |= books.bottom
    books.stage, books.turn, books.passes = "play", event.seat, 0


def _played(books: Books, event: happened.Played, action: Action | None) -> None:
    hold((books.stage, books.turn) == ("play", event.seat), "TY-20: who plays is asked", event)
    cards, reading = set(event.cards), event.reading
    hold(len(cards) == len(event.cards) and cards <= books.hands[event.seat], "TY-20: from one's hand", event)
    possible = readings(event.cards)
    hold(possible.get(reading.kind) == reading, "TY-21: it is what it is called", (event, possible))
    hold(books.last is None or beats(reading, books.last), "TY-22: it beats the last", (event, books.last))
    _check_meaning(books, reading, possible, action)
    books.hands[event.seat] -= cards
    books.played[event.seat] += 1
    books.multiplier *= 2 if reading.kind in STRENGTH else 1
    books.last, books.last_seat, books.passes = reading, event.seat, 0
    books.next_turn()
    if not books.hands[event.seat]:
        books.stage = "settling"


def _check_meaning(books: Books, reading: Reading, possible: dict[Kind, Reading], action: Action | None) -> None:
    """TY-24, and PF-21 for a time-out."""
    if isinstance(action, asked.Timeout):
        lowest = min(rank_of(card) for card in books.hands[action.seat])
        hold(books.last is None and reading == Reading(Kind.SINGLE, lowest, 1), "PF-21: the lowest single", reading)
    elif isinstance(action, asked.Play) and action.kind is not None:
        hold(reading.kind is action.kind, "TY-24: what is named is played", reading)
    elif books.last is None:
        hold(len(possible) == 1, "TY-24: a lead is not ambiguous", possible)
    elif reading.kind is not books.last.kind:
        like = possible.get(books.last.kind)
        hold(like is None or like.count != books.last.count, "TY-24: the last play's kind comes first", possible)
        hold(reading.kind in STRENGTH, "TY-24: then bombs and rockets", reading)


def _ended(books: Books, event: happened.Ended, action: Action | None) -> None:
    hold(event.next_dealer == (books.setup.dealer + 1) % SEATS, "TY-26: the next bids first", event)
    hold([set(hand) for hand in event.hands] == (books.hands or [set()] * SEATS), "all cards are shown", event)
    hold(set(event.bottom) == books.bottom, "the bottom cards are shown", event)
    _ENDS[event.cause](books, event, action)
    books.stage = "over"


def _all_passed(books: Books, event: happened.Ended, action: Action | None) -> None:
    hold(books.stage == "settling" and books.landlord is None, "TY-12: all have passed", event)
    hold(not event.payments and not event.point_payments and event.scores == (0, 0, 0), "TY-12: nothing is paid", event)
    hold(event.winners == () and event.escaper is None, "TY-12: nobody wins", event)


def _escaped(books: Books, event: happened.Ended, action: Action | None) -> None:
    rules = books.setup.ruleset
    hold(isinstance(action, asked.Leave) and action.seat == event.escaper, "TY-33: who leaves escapes", event)
    score = 3 if books.landlord is None else rules.call_score * books.multiplier * 3
    coins = score * rules.coins_per_score
    if rules.escape_cap is not None:
        coins = min(coins, rules.escape_cap)
    _check_payments(event.payments, [(event.escaper, None, coins, "penalty")], "TY-33: within the cap")
    _check_payments(event.point_payments, [(event.escaper, None, score, "penalty")], "TY-33: in points")
    hold(event.multiplier == books.multiplier and event.winners == (), "TY-33: of that moment", event)


def _out(books: Books, event: happened.Ended, action: Action | None) -> None:
    assert books.landlord is not None
    rules, landlord, others = books.setup.ruleset, books.landlord, books.others()
    hold(books.stage == "settling", "TY-25: somebody is out", event)
    out = next(seat for seat in range(SEATS) if not books.hands[seat])
    won = out == landlord
    silent = not any(books.played[seat] for seat in others) if won else books.played[landlord] == 1
    spring = (Spring.SPRING if won else Spring.ANTI_SPRING) if silent else Spring.NONE
    multiplier = books.multiplier * (4 if silent else 1)
    score = rules.call_score * multiplier
    total = 2 * score * rules.coins_per_score
    if rules.landlord_cap is not None:
        total = min(total, rules.landlord_cap)
    hold((event.spring, event.multiplier) == (spring, multiplier), "TY-32: spring and anti-spring", event)
    hold(event.winners == ((landlord,) if won else tuple(others)), "TY-25: who wins", event)
    signed = score if won else -score
    wanted = tuple(2 * signed if seat == landlord else -signed for seat in range(SEATS))
    hold(event.scores == wanted, "TY-31: scores", (event.scores, wanted))
    for payments, amount in ((event.payments, total // 2), (event.point_payments, score)):
        rows = [(seat, landlord) if won else (landlord, seat) for seat in others]
        lines = [(payer, payee, amount, "win") for payer, payee in rows if amount]
        _check_payments(payments, lines, "TY-41, TY-43: coins")
        for payment in payments:
            grouped = payment.group is not None and payment.group.remainder_to == out
            hold(grouped != won, "TY-42: a short landlord pays equally", payment)


def _check_payments(payments: tuple[Any, ...], lines: list[tuple[Any, ...]], law: str) -> None:
    rows = [(payment.payer, payment.payee, payment.amount, payment.cause) for payment in payments]
    hold(rows == lines, law, (rows, lines))


_ENDS: Mapping[EndCause, Callable[[Books, happened.Ended, Action | None], None]] = {
    EndCause.ALL_PASSED: _all_passed,
    EndCause.ESCAPED: _escaped,
    EndCause.OUT: _out,
}
_TAKE: Mapping[type, Callable[[Books, Any, Action | None], None]] = {
    happened.Opened: _opened,
    happened.Dealt: _dealt,
    happened.Called: _called,
    happened.Doubled: _doubled,
    happened.Redoubled: _redoubled,
    happened.Passed: _passed,
    happened.BottomTaken: _bottom_taken,
    happened.Played: _played,
    happened.Ended: _ended,
}
