"""Why an action is refused by the rules."""

from enum import StrEnum


class Reason(StrEnum):
    """One refusal of the rules. Services publish the same names to their callers."""

    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    TILE_NOT_HELD = "TILE_NOT_HELD"
    TILE_UNKNOWN = "TILE_UNKNOWN"
    NOT_A_WIN = "NOT_A_WIN"
    NOT_ASKED = "NOT_ASKED"
    MELD_NOT_POSSIBLE = "MELD_NOT_POSSIBLE"
    WALL_EMPTY = "WALL_EMPTY"
    NO_DRAW = "NO_DRAW"
    NOT_READY = "NOT_READY"
    HAND_LOCKED = "HAND_LOCKED"
    HAS_WON = "HAS_WON"
    SEAT_AWAY = "SEAT_AWAY"
    DEAL_OVER = "DEAL_OVER"
    NOT_DEALT = "NOT_DEALT"
    PASSED_WIN = "PASSED_WIN"
    HOLDS_DISCARD = "HOLDS_DISCARD"
    QUESTION_OPEN = "QUESTION_OPEN"
    NO_QUESTION = "NO_QUESTION"
    ALREADY_ANSWERED = "ALREADY_ANSWERED"
    NOT_IN_THIS_GAME = "NOT_IN_THIS_GAME"
    CARD_UNKNOWN = "CARD_UNKNOWN"
    CARD_NOT_HELD = "CARD_NOT_HELD"
    NOT_A_PLAY = "NOT_A_PLAY"
    PLAY_AMBIGUOUS = "PLAY_AMBIGUOUS"
    PLAY_TOO_LOW = "PLAY_TOO_LOW"
    LEADER_MUST_PLAY = "LEADER_MUST_PLAY"
    MUST_CALL = "MUST_CALL"
    BLIND_NOT_OFFERED = "BLIND_NOT_OFFERED"
    WRONG_STAGE = "WRONG_STAGE"


class IllegalAction(Exception):
    """The rules refuse an action; the state is untouched.

    Attributes:
        reason: which refusal.
        rule: number of the rule that refuses, such as "BB-10"; may be empty.
        field: the part of the action that is wrong, such as "tile"; may be empty.
        detail: what its player may be told beside, in words, such as the readings of a play;
            may be empty.
    """

    def __init__(self, reason: Reason, rule: str = "", field: str = "", detail: str = "") -> None:
        super().__init__(f"{reason} {rule}".strip() + (f": {detail}" if detail else ""))
        self.reason = reason
        self.rule = rule
        self.field = field
        self.detail = detail
