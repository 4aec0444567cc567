"""Every win of a table, asked again at the scoring service: it must be worth the same there."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from cardroom.mahjong.v1 import event_pb2
from cardroom.scoring.v1 import scoring_pb2

from games.kernel import Seat
from games.mahjong.claims import winning_hand
from games.mahjong.state import Phase, State
from games.mahjong.tiles import Tile, show
from wire.mahjong import WIN_BYS
from wire.options import options_to_struct

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
        if view is None or view.phase is Phase.OFFER:
            return
        for told in won.winners:
            if told.seat == seat:
                self._wins.append(_Win(_request(view, seat), told))

    async def ask(self, score_win: ScoreWin) -> Sequence[str]:
        """Ask about every win. Returns: what differs, in words; empty if nothing does."""
        faults = []
        for win in self._wins:
            answer = (await score_win(win.request)).win
            if _worth(answer) != _worth(win.told):
                faults.append(f"seat {win.told.seat}: {_worth(win.told)} at the table, {_worth(answer)} at scoring")
        return faults


def _request(view: State, seat: Seat) -> scoring_pb2.ScoreWinRequest:
    rules, hand = view.ruleset, winning_hand(view, seat)
    return scoring_pb2.ScoreWinRequest(
        ruleset=scoring_pb2.Ruleset(
            variant=rules.variant,
            version=rules.version,
            options=options_to_struct(dict(rules.options)),
            stake=rules.stake,
        ),
        hand=scoring_pb2.Hand(
            tiles=hand.concealed,
            melds=[f"{meld.kind} {show(meld.tiles)}" for meld in hand.melds],
            flowers=show(hand.flowers),
        ),
        win_tile=hand.tile,
        by=WIN_BYS[hand.by],
        situations=sorted(hand.situations),
        seat_wind=_letter(hand.seat_wind),
        round_wind=_letter(hand.round_wind),
    )


def _letter(wind: Tile | None) -> str:
    """A wind as a request names it; empty where the game has none."""
    return "" if wind is None else show([wind])


def _worth(win: scoring_pb2.Win | event_pb2.WinnerResult) -> str:
    fans = ", ".join(f"{fan.fan_id} {fan.value}" for fan in win.fans) or "plain"
    base = f", base sum {win.base_sum}" if win.HasField("base_sum") else ""
    return f"{fans}; {win.fan_total}{base}, {win.amount} a payer"
