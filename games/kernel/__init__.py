"""What a game is: pure functions over values, whatever the family.

A family implements `Game`: state changes only by events, chance and time come in as
arguments, and a player who is wrong gets `IllegalAction` while a log that is wrong fails
an assertion.
"""

from games.kernel.game import Game, OptionError, Seat, fold, turn_order
from games.kernel.money import SYSTEM, Line, Paid, Payment, pay
from games.kernel.reasons import IllegalAction, Reason
from games.kernel.values import changed

__all__ = [
    "SYSTEM",
    "Game",
    "IllegalAction",
    "Line",
    "OptionError",
    "Paid",
    "Payment",
    "Reason",
    "Seat",
    "changed",
    "fold",
    "pay",
    "turn_order",
]
