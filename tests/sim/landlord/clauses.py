"""What came to pass, by rule: each row names a moment that a run must show, or the rule was never put to the test."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from games.kernel import Line
from games.landlord import actions as asked
from games.landlord import events as happened
from games.landlord.actions import Action
from games.landlord.cards import BLACK_JOKER, RED_JOKER, WILD, rank_of
from games.landlord.combinations import Kind
from games.landlord.events import EndCause, Spring
from tests.contract.landlord import brute
from tests.sim.landlord.books import STRENGTH, Books, readings


@dataclass(frozen=True, slots=True)
class Moment:
    """An event, what was asked, and the books before it.

    Attributes:
        paid: what became of the payments of an ended deal.
    """

    books: Books
    action: Action | None
    event: Any
    paid: tuple[Line, ...] = ()


Seen = Callable[[Moment], bool]


@dataclass(frozen=True, slots=True)
class Clause:
    """A row: the rule, what came to pass, at which kind of event, and when exactly."""

    rule: str
    words: str
    at: type
    seen: Seen


def _always(m: Moment) -> bool:
    return True


def _timeout(m: Moment) -> bool:
    return isinstance(m.action, asked.Timeout)


def _stage(stage: str) -> Seen:
    return lambda m: m.books.stage == stage


def _timeout_in(stage: str) -> Seen:
    return lambda m: _timeout(m) and m.books.stage == stage


def _kind(kind: Kind) -> Seen:
    return lambda m: m.event.reading.kind is kind


def _over(kind: Kind, *below: Kind) -> Seen:
    return lambda m: m.event.reading.kind is kind and m.books.last is not None and m.books.last.kind in below


def _over_plain(m: Moment) -> bool:
    return m.event.reading.kind is Kind.BOMB and m.books.last is not None and m.books.last.kind not in STRENGTH


def _higher(m: Moment) -> bool:
    return m.books.last is not None and m.books.last.kind is m.event.reading.kind and m.event.reading.count > 4


def _wild_in(*kinds: Kind) -> Seen:
    return lambda m: WILD in m.event.cards and m.event.reading.kind in kinds


def _ranks(m: Moment) -> list[int]:
    return [rank_of(card) for card in m.event.cards]


def _wild_alone(m: Moment) -> bool:
    return bool(m.event.cards == (WILD,))


def _over_wild(m: Moment) -> bool:
    return m.books.last is not None and m.books.last.rank == brute.WILD


def _wild_kicker(m: Moment) -> bool:
    """A body that is whole without the wild card."""
    ranks, reading = _ranks(m), m.event.reading
    singles = (Kind.TRIPLE_SINGLE, Kind.PLANE_SINGLE, Kind.FOUR_TWO)
    number = 4 if reading.kind is Kind.FOUR_TWO else 3
    return brute.WILD in ranks and reading.kind in singles and ranks.count(reading.rank) == number


def _wild_pair_kicker(m: Moment) -> bool:
    ranks = _ranks(m)
    return brute.WILD in ranks and m.event.reading.kind is Kind.TRIPLE_PAIR and ranks.count(m.event.reading.rank) == 3


def _equal_kickers(m: Moment) -> bool:
    ranks = _ranks(m)
    return m.event.reading.kind is Kind.FOUR_TWO and sorted(map(ranks.count, set(ranks))) == [2, 4]


def _joker_kickers(m: Moment) -> bool:
    kicked = m.event.reading.kind in (Kind.PLANE_SINGLE, Kind.FOUR_TWO)
    return kicked and {BLACK_JOKER, RED_JOKER} <= set(m.event.cards)


def _unnamed(m: Moment) -> bool:
    return isinstance(m.action, asked.Play) and m.action.kind is None


def _unnamed_lead(m: Moment) -> bool:
    return _unnamed(m) and m.books.last is None and m.event.reading.count > 1


def _named_of_several(m: Moment) -> bool:
    return not _unnamed(m) and len(readings(m.event.cards)) > 1 and m.books.last is None


def _unnamed_like_last(m: Moment) -> bool:
    """Read as the last play's kind though it could be a bomb."""
    return _unnamed(m) and m.event.reading.kind not in STRENGTH and bool(set(readings(m.event.cards)) & set(STRENGTH))


def _unnamed_bomb(m: Moment) -> bool:
    last = m.books.last
    return _unnamed(m) and last is not None and last.kind not in STRENGTH and m.event.reading.kind in STRENGTH


def _back_in_trick(m: Moment) -> bool:
    return m.books.last is not None and m.event.seat in m.books.passed_trick


def _trick_won(m: Moment) -> bool:
    return m.books.stage == "play" and m.books.passes == 1


def _cause(cause: EndCause) -> Seen:
    return lambda m: m.event.cause is cause


def _winners(number: int) -> Seen:
    return lambda m: len(m.event.winners) == number


def _spring(spring: Spring) -> Seen:
    return lambda m: m.event.spring is spring


def _escape_in(stage: str) -> Seen:
    return lambda m: m.event.escaper is not None and m.books.stage == stage


def _escape_capped(m: Moment) -> bool:
    rules = m.books.setup.ruleset
    return m.event.escaper is not None and m.event.payments[0].amount == rules.escape_cap


def _capped(m: Moment) -> bool:
    rules = m.books.setup.ruleset
    uncapped = m.event.point_payments[0].amount * rules.coins_per_score if m.event.winners else 0
    return bool(m.event.winners) and sum(line.amount for line in m.event.payments) < 2 * uncapped


def _twice(sign: int) -> Seen:
    """Whether the landlord has won, or lost, twice what the others did."""
    return lambda m: bool(m.event.winners) and sign * m.event.scores[m.books.landlord] > 0 == m.event.scores.count(0)


def _room(room: str) -> Seen:
    return lambda m: ("room", room) in m.books.setup.ruleset.options and bool(m.event.winners)


def _base(score: int) -> Seen:
    return lambda m: m.books.setup.ruleset.call_score == score and bool(m.event.winners)


def _short_landlord(m: Moment) -> bool:
    return len(m.event.winners) == 2 and 0 < sum(line.paid for line in m.paid) < sum(
        line.payment.amount for line in m.paid
    )


def _odd_coin(m: Moment) -> bool:
    return _short_landlord(m) and len({line.paid for line in m.paid}) == 2


def _odd_coin_to_second(m: Moment) -> bool:
    return _odd_coin(m) and m.paid[1].paid > m.paid[0].paid


def _short_farmer(m: Moment) -> bool:
    return len(m.event.winners) == 1 and any(line.paid < line.payment.amount for line in m.paid)


def _short_escaper(m: Moment) -> bool:
    return m.event.escaper is not None and any(line.paid < line.payment.amount for line in m.paid)


Dealt, Called, Doubled, Redoubled = happened.Dealt, happened.Called, happened.Doubled, happened.Redoubled
Passed, Taken, Played, Ended = happened.Passed, happened.BottomTaken, happened.Played, happened.Ended

CLAUSES: tuple[Clause, ...] = (
    Clause("TY-1", "cards are dealt", Dealt, _always),
    Clause("TY-2", "the wild card alone, a 3", Played, _wild_alone),
    Clause("TY-2", "a single beats the wild card", Played, _over_wild),
    Clause(
        "TY-2",
        "a joker beats a 2",
        Played,
        lambda m: m.books.last is not None and m.books.last.rank == 12 and m.event.reading.kind is Kind.SINGLE,
    ),
    Clause("TY-3", "the wild card in a pair or triple", Played, _wild_in(Kind.PAIR, Kind.TRIPLE)),
    Clause("TY-3", "the wild card in a straight", Played, _wild_in(Kind.STRAIGHT, Kind.PAIR_STRAIGHT)),
    Clause("TY-3", "the wild card as a single kicker", Played, _wild_kicker),
    *(
        Clause("TY-10", f"seat {seat} bids first", Dealt, lambda m, seat=seat: m.books.turn == seat)  # type: ignore[misc]
        for seat in range(3)
    ),
    Clause("TY-11", "one who must call calls", Called, lambda m: m.books.obliged(m.event.seat)),
    Clause("TY-12", "the first calls", Called, lambda m: m.books.passes == 0),
    Clause("TY-12", "the last calls", Called, lambda m: m.books.passes == 2 and not m.event.blind),
    Clause("TY-12", "the last calls blind", Called, lambda m: m.event.blind),
    Clause("TY-12", "all pass", Ended, _cause(EndCause.ALL_PASSED)),
    Clause("TY-13", "bottom cards taken by one who saw them", Taken, lambda m: not m.books.blind),
    Clause("TY-13", "bottom cards taken by one who did not", Taken, lambda m: m.books.blind),
    Clause("TY-14", "one who passed the bidding doubles", Doubled, lambda m: m.event.seat in m.books.passed_bidding),
    Clause("TY-14", "both double", Doubled, lambda m: len(m.books.doubled) == 1),
    Clause("TY-14", "nobody doubles, he leads at once", Taken, lambda m: not m.books.doubled),
    Clause("TY-14", "the landlord redoubles", Redoubled, _always),
    Clause("TY-14", "the landlord does not redouble", Passed, _stage("redoubling")),
    Clause("TY-15", "base score 2", Ended, _base(2)),
    Clause("TY-15", "base score 3", Ended, _base(3)),
    Clause("TY-20", "two passes end a trick", Passed, _trick_won),
    Clause("TY-20", "who passed plays later in the trick", Played, _back_in_trick),
    *(Clause("TY-21", kind.value, Played, _kind(kind)) for kind in Kind),
    Clause("TY-22", "a bomb over no bomb", Played, _over_plain),
    Clause("TY-22", "a bomb over a bomb", Played, _over(Kind.BOMB, Kind.BOMB)),
    Clause("TY-22", "the rocket over a bomb", Played, _over(Kind.ROCKET, Kind.BOMB)),
    Clause("TY-22", "a deep bomb over a bomb or the rocket", Played, _over(Kind.DEEP_BOMB, Kind.BOMB, Kind.ROCKET)),
    Clause(
        "TY-22",
        "the deep rocket over anything",
        Played,
        lambda m: _kind(Kind.DEEP_ROCKET)(m) and m.books.last is not None,
    ),
    Clause("TY-22", "higher of the same kind, five cards and more", Played, _higher),
    Clause("TY-23", "equal single kickers", Played, _equal_kickers),
    Clause("TY-23", "both jokers as kickers", Played, _joker_kickers),
    Clause("TY-23", "the wild card completes a pair of kickers", Played, _wild_pair_kicker),
    Clause("TY-24", "a lead that needs no name", Played, _unnamed_lead),
    Clause("TY-24", "one of several readings is named", Played, _named_of_several),
    Clause("TY-24", "read as the last play's kind, not as a bomb", Played, _unnamed_like_last),
    Clause("TY-24", "read as a bomb or rocket", Played, _unnamed_bomb),
    Clause("TY-25", "the landlord is out", Ended, _winners(1)),
    Clause("TY-25", "another is out", Ended, _winners(2)),
    Clause("TY-26", "the next bids first after a win", Ended, _cause(EndCause.OUT)),
    Clause("TY-26", "the next bids first after an escape", Ended, _cause(EndCause.ESCAPED)),
    Clause("TY-30", "a multiplier of 16 and more", Ended, lambda m: m.books.multiplier >= 16),
    Clause("TY-31", "the landlord wins twice the score", Ended, _twice(1)),
    Clause("TY-31", "the landlord loses twice the score", Ended, _twice(-1)),
    Clause("TY-31", "redoubled after a double: 8 before play", Taken, lambda m: m.books.multiplier >= 8),
    Clause("TY-32", "spring", Ended, _spring(Spring.SPRING)),
    Clause("TY-32", "anti-spring", Ended, _spring(Spring.ANTI_SPRING)),
    *(
        Clause("TY-33", f"an escape: {stage}", Ended, _escape_in(stage))
        for stage in ("opened", "bidding", "doubling", "redoubling", "play")
    ),
    Clause("TY-33", "an escape within its cap", Ended, _escape_capped),
    *(Clause("TY-40", f"room {room}", Ended, _room(room)) for room in ("2000", "5000", "10000", "30000")),
    Clause("TY-41", "the landlord's cap is reached", Ended, _capped),
    Clause("TY-42", "a short landlord", Ended, _short_landlord),
    Clause("TY-42", "an odd coin", Ended, _odd_coin),
    Clause("TY-42", "an odd coin for the second in order", Ended, _odd_coin_to_second),
    Clause("TY-42", "a short opponent", Ended, _short_farmer),
    Clause("TY-43", "two payments in turn order", Ended, lambda m: len(m.event.payments) == 2),
    Clause("PF-21", "a bidding time-out passes", Passed, _timeout_in("bidding")),
    Clause("PF-21", "a bidding time-out calls where it must", Called, _timeout),
    Clause("PF-21", "a doubling time-out passes", Passed, _timeout_in("doubling")),
    Clause("PF-21", "a time-out leads the lowest single", Played, _timeout),
    Clause("PF-21", "a following time-out passes", Passed, _timeout_in("play")),
    Clause("PF-54", "a penalty of one who has less", Ended, _short_escaper),
)
"""Every rule that a deal can show; TY-21 by kind."""

REFUSALS: Mapping[tuple[str, str], str] = {
    ("BLIND_NOT_OFFERED", "TY-12"): "a blind call of one who is not the last",
    ("CARD_NOT_HELD", "TY-20"): "another's card",
    ("CARD_UNKNOWN", "TY-1"): "a card there is not, or twice",
    ("DEAL_OVER", "TY-25"): "after the end",
    ("LEADER_MUST_PLAY", "TY-20"): "the leader passes",
    ("MUST_CALL", "TY-11"): "one who must call passes",
    ("NOT_A_PLAY", "TY-21"): "no combination",
    ("NOT_A_PLAY", "TY-24"): "not of the kind named",
    ("NOT_DEALT", "PF-12"): "dealt twice, or a word of the table too early",
    ("NOT_DEALT", "TY-1"): "a word before the cards are dealt",
    ("NOT_YOUR_TURN", ""): "a seat there is not",
    ("NOT_YOUR_TURN", "TY-10"): "out of turn in the bidding",
    ("NOT_YOUR_TURN", "TY-20"): "out of turn",
    ("PLAY_AMBIGUOUS", "TY-24"): "an ambiguous lead",
    ("PLAY_TOO_LOW", "TY-22"): "not higher, or of another kind",
    ("WRONG_STAGE", "TY-12"): "a call after the bidding",
    ("WRONG_STAGE", "TY-14"): "a double or redouble at another stage",
    ("WRONG_STAGE", "TY-20"): "a play before the play",
}
"""Every reason and rule that `decide` gives."""
