"""What a hand is worth and why, what it waits for, what to discard."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

from games.kernel import Payment
from games.mahjong import scoring
from games.mahjong.advice import Advice, WaitSeen, advising, seen_waits
from games.mahjong.asking import Seats, payments_of, usual_seats
from games.mahjong.explanation import Explanation
from games.mahjong.hand import HandError, Score, WinBy
from games.mahjong.ruleset import Ruleset
from services.scoring.app.hands import (
    HandQuery,
    VisibleQuery,
    WinQuery,
    hand_of,
    hand_refusal,
    invalid,
    visible_tiles,
    winning_tile,
)
from services.scoring.app.rulesets import RulesetQuery, ruleset_of


@dataclass(frozen=True, slots=True)
class Scored:
    """The rules that answered, what the hand is worth, why, and what is asked; None and empty if it does not win."""

    rules: Ruleset
    score: Score | None
    explanation: Explanation | None
    payments: Sequence[Payment]


@dataclass(frozen=True, slots=True)
class ExplainedWait:
    """A wait with the reasons of its worth each way; None where that is no win."""

    wait: WaitSeen
    by_discard: Explanation | None
    by_self: Explanation | None


@dataclass(frozen=True, slots=True)
class Waits:
    """The rules that answered, and what completes the hand, by tile."""

    rules: Ruleset
    waits: Sequence[ExplainedWait]


@dataclass(frozen=True, slots=True)
class Advised:
    """The rules that answered, and what each discard leaves."""

    rules: Ruleset
    advice: Advice


def score_win(rules_asked: RulesetQuery, query: WinQuery, seats: Seats | None = None) -> Scored:
    """Whether a hand wins on a tile, what it is worth, and what is asked of whom.

    Raises:
        Refusal: RULESET_UNKNOWN, OPTION_INVALID, INVALID_FIELD, HAND_IMPOSSIBLE.
    """
    rules = ruleset_of(rules_asked)
    if query.by is None:
        raise invalid("by", "how it is won: by oneself, on a discard, or by robbing a kong")
    hand = replace(hand_of(query.hand), tile=winning_tile(query), by=query.by)
    try:
        score = scoring.score_win(rules, hand)
        if score is None:
            return Scored(rules, None, None, ())
        asked = payments_of(rules, hand, score, seats or usual_seats(rules, query.by))
        return Scored(rules, score, rules.judgement.explain(rules, hand), asked)
    except HandError as error:
        win_field = "win_tile" if query.tile is not None else "win_notation"
        raise hand_refusal(error, query.hand, win_field) from None


def list_waits(rules_asked: RulesetQuery, query: HandQuery, visible: VisibleQuery) -> Generator[None, None, Waits]:
    """Which tiles complete a hand, and what each is worth either way; yields after each.

    Raises:
        Refusal: as `score_win`.
    """
    rules = ruleset_of(rules_asked)
    hand = hand_of(query)
    try:
        found = seen_waits(rules, hand, visible_tiles(visible))
    except HandError as error:
        raise hand_refusal(error, query, visible=visible) from None
    explained = []
    for wait in found:
        explained.append(
            ExplainedWait(
                wait,
                None if wait.by_discard is None else rules.judgement.explain(rules, wait.hand),
                None if wait.by_self is None else rules.judgement.explain(rules, replace(wait.hand, by=WinBy.SELF)),
            )
        )
        yield
    return Waits(rules, explained)


def advise_discard(
    rules_asked: RulesetQuery, query: HandQuery, visible: VisibleQuery
) -> Generator[None, None, Advised]:
    """What each discard of a hand leaves; yields after each.

    Raises:
        Refusal: as `score_win`.
    """
    rules = ruleset_of(rules_asked)
    hand = hand_of(query)
    try:
        return Advised(rules, (yield from advising(rules, hand, visible_tiles(visible))))
    except HandError as error:
        raise hand_refusal(error, query, visible=visible) from None
