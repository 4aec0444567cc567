"""Refusals that no action can meet, and why."""

from games.kernel import Reason

OF_CARDS = dict.fromkeys(
    (
        Reason.CARD_UNKNOWN,
        Reason.CARD_NOT_HELD,
        Reason.NOT_A_PLAY,
        Reason.PLAY_AMBIGUOUS,
        Reason.PLAY_TOO_LOW,
        Reason.LEADER_MUST_PLAY,
        Reason.MUST_CALL,
        Reason.BLIND_NOT_OFFERED,
        Reason.WRONG_STAGE,
    ),
    "the landlord family's",
)
