"""When a store that is connected and silent counts as away (reliability 7, 9). Numbers only: it waits for nothing."""

from enum import Enum, auto

LOOK_EACH_S = 0.05
"""How often to look."""
GIVE_UP_S = 2.0
"""Without any answer for so long, or twice the patience if that is longer, the connection is made anew."""
_LATE = 3
"""How many times later than asked a look may come."""
_SLOWNESS = 3
"""How many times longer than is usual an answer may take."""


class Verdict(Enum):
    """What a look says."""

    NOTHING = auto()
    AWAY = auto()
    BACK = auto()
    """Whatever was asked is answered."""
    GIVE_UP = auto()
    """The connection is of no use."""


class Patience:
    """How long a store may be silent: `patience_s`, or longer where answers usually take long.

    Two looks in a row tell: one may be late.
    """

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._give_up_s = max(GIVE_UP_S, 2 * patience_s)
        self._looks = 0

    def look(self, *, silent_s: float, usual_s: float, slept_s: float) -> Verdict:
        """One look at a connection.

        `silent_s`: how long an answer has been waited for without hearing anything, 0 if none is; `usual_s`: how long
        answers have taken lately; `slept_s`: how long after the look before this one comes. A process that was not
        let run itself has not waited for the store: such a look counts for nothing.
        """
        if slept_s > _LATE * LOOK_EACH_S:
            self._looks = 0
            return Verdict.NOTHING
        if silent_s > self._give_up_s:
            self._looks = 0
            return Verdict.GIVE_UP
        if silent_s > max(self._patience_s, _SLOWNESS * usual_s):
            self._looks += 1
            return Verdict.AWAY if self._looks > 1 else Verdict.NOTHING
        self._looks = 0
        return Verdict.BACK if silent_s == 0.0 else Verdict.NOTHING
