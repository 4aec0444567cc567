"""Which tile leaves the wall next, and what the wall is then (BB-6, SH-2, DZ-4..6)."""

from dataclasses import dataclass

from games.mahjong.events import DrawSource
from games.mahjong.ruleset import ReplacementFrom
from games.mahjong.state import State
from games.mahjong.tiles import Tile

STACK = 2
"""Tiles of a whole stack: the upper one comes first in the drawing order."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A tile drawn, and the wall without it, by the names of the state's fields."""

    tile: Tile
    wall: tuple[Tile, ...]
    tail: tuple[Tile, ...]
    end_stacks: tuple[int, ...]


def die_thrown(state: State, source: DrawSource) -> bool:
    """Whether a die is thrown for a draw of this source (DZ-5)."""
    return source is DrawSource.REPLACEMENT and state.ruleset.replacement_from is ReplacementFrom.DIE


def nothing_left(state: State, source: DrawSource) -> bool:
    """Whether a draw of this source finds no tile.

    An arranged wall's tail serves replacements only; once play has begun it is no use when the wall is empty.
    """
    return state.left <= 0 and not (state.tail and source is DrawSource.FLOWER and not state.began)


def take(state: State, source: DrawSource, die: int | None) -> Taken:
    """The next draw of this source; there is a tile left for it.

    Args:
        die: thrown for a kong's replacement; None where none is.
    """
    rules, wall = state.ruleset, state.wall
    if source is DrawSource.WALL or rules.replacement_from is ReplacementFrom.NEXT:
        return Taken(wall[0], wall[1:], state.tail, state.end_stacks)
    if state.tail:
        return Taken(state.tail[0], wall, state.tail[1:], state.end_stacks)
    if rules.replacement_from is ReplacementFrom.TAIL:
        return Taken(wall[-1], wall[:-1], state.tail, state.end_stacks)
    stacks = stacks_at_end(len(wall), state.end_stacks)
    chosen = chosen_stack(stacks, die)
    # Of a whole stack a kong takes the upper tile, which comes first; a flower takes the very last tile.
    behind = sum(stacks[:chosen]) + (stacks[chosen] if die is not None else 1)
    place = len(wall) - behind
    stacks[chosen] -= 1
    return Taken(wall[place], wall[:place] + wall[place + 1 :], state.tail, _touched(stacks))


def stacks_at_end(wall_length: int, end_stacks: tuple[int, ...]) -> list[int]:
    """Tiles in each stack, the last one first, up to where drawing has come from the front."""
    stacks: list[int] = []
    while wall_length > 0:
        whole = end_stacks[len(stacks)] if len(stacks) < len(end_stacks) else STACK
        stacks.append(min(whole, wall_length))
        wall_length -= stacks[-1]
    return stacks


def chosen_stack(stacks: list[int], die: int | None) -> int:
    """Place of the stack a replacement comes from (DZ-5).

    The one the die counts from the end; where it is gone the nearest remaining towards the end, then
    towards the front. Without a die, the last one.
    """
    wanted = 0 if die is None else die - 1
    places: list[int] = [*range(min(wanted, len(stacks) - 1), -1, -1), *range(wanted + 1, len(stacks))]
    return next(place for place in places if stacks[place])


def _touched(stacks: list[int]) -> tuple[int, ...]:
    """The stacks up to the farthest that is not whole."""
    count = max((place + 1 for place, size in enumerate(stacks) if size < STACK), default=0)
    return tuple(stacks[:count])
