"""A policy for the landlord family that plays from its own view.

It counts the turns its hand still needs and prefers what saves one, the lowest first; keeps
bombs, jokers and the wild card for when they decide; plays what nobody can beat when that
leads out; and as one of two it lets its partner's good plays stand and blocks the landlord.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from games.kernel import Seat
from games.landlord.actions import Call, Double, Pass, Play, PlayerAction, Redouble
from games.landlord.cards import (
    ALL_COUNTS,
    NOTHING,
    RANK_COUNT,
    RED_JOKER_RANK,
    SUITED,
    TWO,
    WILD_RANK,
    Counts,
    Rank,
    count,
    counts_of,
)
from games.landlord.combinations import Kind, Reading
from games.landlord.hints import broken_bombs
from games.landlord.plan import turns
from games.landlord.state import Phase, State, TablePlay

# What cards are worth in the bidding, in turns they are likely to win.
WORTH: dict[Rank, float] = {RED_JOKER_RANK: 4.0, RED_JOKER_RANK - 1: 3.0, TWO: 2.0, TWO - 1: 1.0, WILD_RANK: 3.0}
BOMB_WORTH = 4.0
CALL_FROM = 3.0
DOUBLE_FROM = 6.0
REDOUBLE_FROM = 8.0
"""Strengths from which it calls, doubles and redoubles; measured in play against itself."""

CLOSE_COUNT = 5
"""An opponent with so few cards is about to go out."""
BOMB_TURNS = 2
"""A bomb is spent when so few turns are left after it."""
PARTNER_LOW: Rank = 7
"""A partner's play of at most this rank (T) does not hold: it may be raised."""
RAISE_TO: Rank = 11
"""It is raised to at most this rank (A)."""


def choose(view: State, seat: Seat, options: tuple[PlayerAction, ...]) -> PlayerAction:
    """What the seat does; the same for the same view and options.

    Args:
        view: what the seat knows; its own hand lies open, the others' face down.
        options: what it may do now, at least one; one of them is returned.
    """
    if view.phase is not Phase.PLAYING:
        return _speak(view, seat, options)
    plays = [option for option in options if isinstance(option, Play)]
    passing = next((option for option in options if isinstance(option, Pass)), None)
    if not plays:
        assert passing is not None
        return passing
    table = _Table(view, seat)
    candidates = table.candidates(plays)
    chosen = table.going_out(candidates)
    if chosen is None:
        chosen = table.lead(candidates) if passing is None else table.follow(candidates)
    return passing if chosen is None and passing is not None else (chosen or candidates[0]).action


def _speak(view: State, seat: Seat, options: Sequence[PlayerAction]) -> PlayerAction:
    """Call, double or redouble with a hand that is strong enough; never blind."""
    held = strength(counts_of(view.hands[seat]))
    wanted = {Call: CALL_FROM, Double: DOUBLE_FROM, Redouble: REDOUBLE_FROM}
    for option in options:
        if type(option) in wanted and held >= wanted[type(option)]:
            return option
    return next((option for option in options if isinstance(option, Pass)), options[0])


def strength(hand: Counts) -> float:
    """How good a hand is before the play: what it is likely to win less the turns it needs."""
    worth = sum(value * count(hand, rank) for rank, value in WORTH.items())
    bombs = sum(count(hand, rank) == 4 for rank in SUITED)
    return worth + BOMB_WORTH * bombs - turns(hand)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A play that is thought about: what it is and what it leaves."""

    action: Play
    reading: Reading
    play: Counts
    left: Counts
    turns_left: int
    broken: int


class _Table:
    """What the seat knows, worked out once a decision."""

    def __init__(self, view: State, seat: Seat) -> None:
        assert view.landlord is not None
        self.view = view
        self.seat = seat
        self.hand = counts_of(view.hands[seat])
        self.turns = turns(self.hand)
        self.is_landlord = seat == view.landlord
        others = view.others(seat)
        self.partner = None if self.is_landlord else next(other for other in others if other != view.landlord)
        self.opponents = [other for other in others if other != self.partner]
        self.sizes = [len(hand) for hand in view.hands]
        self.threat = min(self.sizes[other] for other in self.opponents)
        self.last: TablePlay | None = view.last
        seen = counts_of(card for play in view.plays for card in play.cards)
        self.unseen = ALL_COUNTS - seen - self.hand

    def candidates(self, plays: Sequence[Play]) -> list[Candidate]:
        """The plays worth a thought: of those with the same body the one with the cheapest kickers."""
        cheapest: dict[tuple[Kind | None, int, Rank], tuple[int, Play, Counts, Reading]] = {}
        for option in plays:
            counts = counts_of(option.cards)
            reading = self._reading(counts, option.kind)
            key = (reading.kind, reading.count, reading.rank)
            cost = _tearing(self.hand, counts)
            if key not in cheapest or cost < cheapest[key][0]:
                cheapest[key] = (cost, option, counts, reading)
        return [
            Candidate(
                action=option,
                reading=reading,
                play=counts,
                left=self.hand - counts,
                turns_left=turns(self.hand - counts),
                broken=broken_bombs(self.hand, counts, reading),
            )
            for _, option, counts, reading in cheapest.values()
        ]

    def _reading(self, counts: Counts, kind: Kind | None) -> Reading:
        readings = self.view.ruleset.plays.readings_of(counts)
        return next(reading for reading in readings if kind in (None, reading.kind))

    def holds(self, reading: Reading) -> bool:
        """Whether no opponent can beat it, whatever he has of the cards not seen."""
        most = max(self.sizes[other] for other in self.opponents)
        stronger = self.view.ruleset.plays.beating(self.unseen, reading)
        return not any(other.count <= most for _, other in stronger)

    # --- decisions -------------------------------------------------------------------------

    def going_out(self, candidates: Sequence[Candidate]) -> Candidate | None:
        """A play that ends the deal, or one nobody can beat that leaves a single play."""
        for candidate in candidates:
            if candidate.left == NOTHING:
                return candidate
        for candidate in candidates:
            if self._is_one_play(candidate.left) and self.holds(candidate.reading):
                return candidate
        return None

    def _is_one_play(self, counts: Counts) -> bool:
        return bool(self.view.ruleset.plays.readings_of(counts))

    def lead(self, candidates: Sequence[Candidate]) -> Candidate:
        """The lowest play of those that leave the fewest turns, bombs and the wild card last."""
        return min(candidates, key=self._lead_cost)

    def _lead_cost(self, candidate: Candidate) -> tuple[float, ...]:
        reading = candidate.reading
        return (
            self._gives_way(reading),
            reading.power > 0,
            candidate.broken,
            candidate.turns_left + count(candidate.play, WILD_RANK),
            reading.rank - reading.count / 2,
        )

    def _gives_way(self, reading: Reading) -> float:
        """How dangerous a lead is while an opponent is about to go out with a play of its size."""
        partner_next = self.partner is not None and self.sizes[self.partner] == 1
        if partner_next and reading.kind is Kind.SINGLE:
            return -1 + reading.rank / RANK_COUNT
        if reading.power or all(self.sizes[other] != reading.count for other in self.opponents):
            return 0
        return 0 if self.holds(reading) else 1 + (RANK_COUNT - reading.rank) / RANK_COUNT

    def follow(self, candidates: Sequence[Candidate]) -> Candidate | None:
        """A play that beats the last, or None to pass."""
        assert self.last is not None and self.last.reading is not None
        if self.last.seat == self.partner:
            return self._over_partner(candidates, self.last)
        plain = [one for one in candidates if not one.reading.power and not one.broken]
        saving = [one for one in plain if one.turns_left < self.turns]
        if saving:
            return min(saving, key=_follow_cost)
        close = self.threat <= CLOSE_COUNT
        level = [one for one in plain if one.turns_left == self.turns]
        if level and (close or self.last.reading.rank < TWO - 1):
            return min(level, key=_follow_cost)
        bombs = [one for one in candidates if one.reading.power]
        ready = [one for one in bombs if one.turns_left <= BOMB_TURNS]
        if ready or (close and bombs):
            return min(ready or bombs, key=lambda one: (one.turns_left, *_follow_cost(one)))
        if close and candidates:
            return min(candidates, key=lambda one: (one.broken, one.turns_left, *_follow_cost(one)))
        return None

    def _over_partner(self, candidates: Sequence[Candidate], last: TablePlay) -> Candidate | None:
        """Lets the partner's play stand, but raises a low one before the landlord can have it cheaply."""
        assert self.partner is not None and last.reading is not None
        landlord_next = self.view.after(self.seat) == self.view.landlord
        is_low = last.reading.rank <= PARTNER_LOW and last.reading.count <= 2
        if not landlord_next or not is_low or self.sizes[self.partner] <= 2:
            return None
        raising = [
            one
            for one in candidates
            if not one.reading.power
            and not one.broken
            and one.turns_left < self.turns
            and one.reading.rank <= RAISE_TO
            and not count(one.play, WILD_RANK)
        ]
        return min(raising, key=_follow_cost) if raising else None


def _follow_cost(candidate: Candidate) -> tuple[int, int, int]:
    """What a play spends: the wild card, then power, then rank."""
    return (count(candidate.play, WILD_RANK), candidate.reading.power, candidate.reading.rank)


def _tearing(hand: Counts, play: Counts) -> int:
    """What the cards of a play would be missed for elsewhere: torn groups, then high cards."""
    cost = 0
    for rank in range(RANK_COUNT):
        used = count(play, rank)
        if used:
            cost += used * (rank if rank != WILD_RANK else RANK_COUNT)
            cost += 0 if used == count(hand, rank) else 2 * RANK_COUNT
    return cost
