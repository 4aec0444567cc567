"""The wall as a bystander sees it: stacks of two in drawing order, the end that replacements come from, what stays.

Kept with none of the code under test.
"""

from collections.abc import Sequence

from games.mahjong.events import DrawSource


class Wall:
    """What is left of a wall.

    Args:
        tiles: in drawing order, the arranged tail left out.
        tail: tiles of an arranged wall that only replacements take, first to be taken first.
        undrawn: tiles that stay (DZ-6).
        replacement: "next", "tail" or "die".
    """

    def __init__(
        self, tiles: Sequence[int] = (), tail: Sequence[int] = (), undrawn: int = 0, replacement: str = "next"
    ) -> None:
        odd = len(tiles) % 2
        self._stacks = [list(tiles[:odd])] if odd else []
        self._stacks += [list(tiles[place : place + 2]) for place in range(odd, len(tiles), 2)]
        self.tail = list(tail)
        self._undrawn = undrawn
        self._replacement = replacement

    def __len__(self) -> int:
        """Tiles that may still be drawn."""
        return max(0, sum(map(len, self._stacks)) - self._undrawn)

    def tiles(self) -> list[int]:
        """All that is left, the tail apart, next tile first."""
        return [tile for stack in self._stacks for tile in stack]

    def spent(self, source: DrawSource, *, opening: bool) -> bool:
        """Whether there is no tile for a draw of this source."""
        return not self and not (self.tail and opening and source is DrawSource.FLOWER)

    def next(self, source: DrawSource, die: int | None) -> int:
        """The tile that such a draw takes."""
        if source is DrawSource.WALL or self._replacement == "next":
            return next(stack[0] for stack in self._stacks if stack)
        if self.tail:
            return self.tail[0]
        if die is None:
            return next(stack[-1] for stack in reversed(self._stacks) if stack)
        return self._chosen(die)[0]

    def take(self, source: DrawSource, die: int | None) -> None:
        """The draw is made."""
        if source is DrawSource.WALL or self._replacement == "next":
            next(stack for stack in self._stacks if stack).pop(0)
        elif self.tail:
            self.tail.pop(0)
        elif die is None:
            next(stack for stack in reversed(self._stacks) if stack).pop()
        else:
            self._chosen(die).pop(0)

    def _chosen(self, die: int) -> list[int]:
        """The stack the die counts from the end; if it is gone, the nearest towards the end, then the front (DZ-5)."""
        place = len(self._stacks) - die
        order = [*range(max(place, 0), len(self._stacks)), *range(place - 1, -1, -1)]
        return next(self._stacks[index] for index in order if self._stacks[index])
