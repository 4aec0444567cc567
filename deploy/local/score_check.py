"""Every win of a table, asked again at the scoring service: it must be worth the same there."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from cardroom.mahjong.v1 import event_pb2
from cardroom.scoring.v1 import scoring_pb2

from games.kernel import Seat
from games.mahjong.state import State
from wire.mahjong.questions import win_question, worth

ScoreWin = Callable[[scoring_pb2.ScoreWinRequest], Awaitable[scoring_pb2.ScoreWinResponse]]
"""The call that says what a hand is worth."""


@dataclass(frozen=True, slots=True)
class _Win:
    """A question to scoring, and what the table said."""

    request: scoring_pb2.ScoreWinRequest
    told: event_pb2.WinnerResult


class ScoreCheck:
    """Collects wins as they happen; `ask` asks scoring about each of them."""

    def __init__(self) -> None:
        self._wins: list[_Win] = []

    @property
    def win_count(self) -> int:
        """Wins collected."""
        return len(self._wins)

    def take(self, seat: Seat, view: State | None, won: event_pb2.Won) -> None:
        """Take a win as a seat was told it; only the winner's own counts, who knows his hand.

        Args:
            view: what the seat knew just before. Without it, and for flowers alone (SH-11), there is no hand to ask
                about.
        """
        if view is None:
            return
        for told in won.winners:
            if told.seat == seat and (question := win_question(view, seat)) is not None:
                self._wins.append(_Win(question, told))

    async def ask(self, score_win: ScoreWin) -> Sequence[str]:
        """Ask about every win. Returns: what differs, in words; empty if nothing does."""
        faults = []
        for win in self._wins:
            answer = (await score_win(win.request)).win
            if worth(answer) != worth(win.told):
                faults.append(f"seat {win.told.seat}: {worth(win.told)} at the table, {worth(answer)} at scoring")
        return faults
