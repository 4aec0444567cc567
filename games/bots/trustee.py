"""The trustee of a seat in the mahjong family: wins whenever it can, discards sensibly, claims nothing (PF-22)."""

from games.bots import policy
from games.kernel import Seat
from games.mahjong.actions import Decline, Discard, Pass, PlayerAction, Win
from games.mahjong.state import State


def choose(view: State, seat: Seat, options: tuple[PlayerAction, ...]) -> PlayerAction:
    """What the server does for the seat; the same for the same view and options.

    Args:
        view: what the seat knows.
        options: what it may do now; a win, a pass, a refusal of an offer or a discard is among them.
    """
    for wanted in (Win, Pass, Decline):
        for option in options:
            if isinstance(option, wanted):
                return option
    return policy.choose(view, seat, tuple(option for option in options if isinstance(option, Discard)))
