"""The independent evaluator in a process of its own: it ends a process that asks it what cannot be (DZ-32).

As a program: a JSON line in, a JSON line out. In: the arguments of its calculator. Out: a list of
[value, times, name], or null where the hand does not win.
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from types import TracebackType
from typing import Any

from deploy.build.reference import environment
from games.mahjong.hand import Situation, WinBy, WinningHand
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.tiles import HONOURS, WINDS, Tile

Fan = tuple[int, int, str]
"""Value of one occurrence, occurrences, name."""

CHUNK = 500
SUIT_LETTERS = "WBT"
MELD_WORDS = {MeldKind.CHOW: "CHI", MeldKind.PUNG: "PENG"}
OTHER_NAMES = {"独听・边张": "边张", "独听・嵌张": "坎张", "独听・单钓": "单钓将"}
"""Its names for rows of the table that are called otherwise here."""
CONCEALED, GIVEN = 0, 1


def tile_code(tile: Tile) -> str:
    """The evaluator's name of a tile."""
    if tile in HONOURS:
        return f"F{tile - WINDS.start + 1}" if tile in WINDS else f"J{tile - WINDS.stop + 1}"
    return f"{SUIT_LETTERS[tile // 9]}{tile % 9 + 1}"


def _meld(meld: Meld) -> tuple[str, str, int]:
    word = MELD_WORDS.get(meld.kind, "GANG")
    tile = meld.tile + 1 if meld.kind is MeldKind.CHOW else meld.tile
    return word, tile_code(tile), CONCEALED if meld.kind is MeldKind.CONCEALED_KONG else GIVEN


def arguments(hand: WinningHand) -> list[Any]:
    """What the evaluator is asked about a hand; it is told that the other three lie open where they do."""
    assert hand.seat_wind is not None and hand.round_wind is not None
    own = sum(meld.tiles.count(hand.tile) for meld in hand.melds if meld.kind is not MeldKind.CONCEALED_KONG)
    return [
        [_meld(meld) for meld in hand.melds],
        [tile_code(tile) for tile in hand.concealed],
        tile_code(hand.tile),
        len(hand.flowers),
        hand.by is WinBy.SELF,
        Situation.LAST_OF_KIND in hand.situations or own == 3,
        Situation.KONG_REPLACEMENT in hand.situations or hand.by is WinBy.ROB,
        Situation.LAST_TILE in hand.situations,
        hand.seat_wind - WINDS.start,
        hand.round_wind - WINDS.start,
    ]


class Reference:
    """The evaluator, asked through pipes; a context manager."""

    def __enter__(self) -> "Reference":
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def answers(self, asked: Iterable[WinningHand]) -> Iterator[tuple[WinningHand, list[Fan] | None]]:
        """Each hand with its fans, or None where it does not win.

        Raises:
            RuntimeError: the evaluator is gone; the hand it choked on is named.
        """
        remaining = iter(asked)
        while chunk := list(islice(remaining, CHUNK)):
            yield from self._answers(chunk)

    def _answers(self, chunk: Sequence[WinningHand]) -> Iterator[tuple[WinningHand, list[Fan] | None]]:
        assert self._process.stdin is not None and self._process.stdout is not None
        lines = "".join(json.dumps(arguments(hand)) + "\n" for hand in chunk)
        self._process.stdin.write(lines)
        self._process.stdin.flush()
        for hand in chunk:
            line = self._process.stdout.readline()
            if not line:
                raise RuntimeError(f"the reference evaluator ended at {hand}")
            answer = json.loads(line)
            yield (
                hand,
                None
                if answer is None
                else [(value, times, OTHER_NAMES.get(name, name)) for value, times, name in answer],
            )


def main() -> None:
    """Answer line by line."""
    from MahjongGB import MahjongFanCalculator

    for line in sys.stdin:
        melds, hand, *rest = json.loads(line)
        try:
            fans = MahjongFanCalculator(tuple(map(tuple, melds)), tuple(hand), *rest, True)
            answer = [(value, times, name) for value, times, name, _ in fans]
        except TypeError:
            answer = None
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
