"""What a hand is worth, and what it waits for."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from games.mahjong import scoring
from games.mahjong.hand import HandError, Score
from games.mahjong.ruleset import Ruleset
from games.mahjong.scoring import WaitWorth
from games.mahjong.tiles import Tile
from services.scoring.app.hands import HandQuery, WinQuery, hand_of, hand_refusal, invalid, winning_tile
from services.scoring.app.rulesets import RulesetQuery, ruleset_of


@dataclass(frozen=True, slots=True)
class Scored:
    """The rules that answered, and what the hand is worth; None if it does not win."""

    rules: Ruleset
    score: Score | None


@dataclass(frozen=True, slots=True)
class Waits:
    """The rules that answered, and what completes the hand."""

    rules: Ruleset
    worth: Mapping[Tile, WaitWorth]


def score_win(rules_asked: RulesetQuery, query: WinQuery) -> Scored:
    """Whether a hand wins on a tile, and what it is worth.

    Raises:
        Refusal: RULESET_UNKNOWN, OPTION_INVALID, INVALID_FIELD, HAND_IMPOSSIBLE.
    """
    rules = ruleset_of(rules_asked)
    if query.by is None:
        raise invalid("by", "how it is won: by oneself, on a discard, or by robbing a kong")
    hand = replace(hand_of(query.hand), tile=winning_tile(query), by=query.by)
    try:
        return Scored(rules, scoring.score_win(rules, hand))
    except HandError as error:
        win_field = "win_tile" if query.tile is not None else "win_notation"
        raise hand_refusal(error, query.hand, win_field) from None


def list_waits(rules_asked: RulesetQuery, query: HandQuery) -> Waits:
    """Which tiles complete a hand, and what each is worth either way.

    Raises:
        Refusal: as `score_win`.
    """
    rules = ruleset_of(rules_asked)
    hand = hand_of(query)
    try:
        return Waits(rules, scoring.list_waits(rules, hand))
    except HandError as error:
        raise hand_refusal(error, query) from None
