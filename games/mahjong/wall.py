"""The wall: built, broken by dice, dealt from (BB-2..4)."""

from collections.abc import Sequence
from itertools import chain

from games.kernel import Seat
from games.mahjong.ruleset import ReplacementFrom, Ruleset, WallBreak
from games.mahjong.tiles import Tile

DICE_COUNT = {WallBreak.THROWN_BACK: 4, WallBreak.OWN_WALL: 2}
"""Dice an opening takes."""
DIE_FACES = 6
DIE = range(1, DIE_FACES + 1)
HIDDEN_DIE = 0
"""A die that nobody has seen yet."""
KONG_DICE_COUNT = 16
"""Dice thrown for kongs at most: nobody makes more than four (DZ-5)."""


def tiles_in_order(ruleset: Ruleset) -> tuple[Tile, ...]:
    """All tiles of the game in the order of the specification: what is shuffled (PF-41)."""
    return (*(tile for tile in ruleset.kinds for _ in range(4)), *ruleset.flowers)


def dice_counts(ruleset: Ruleset) -> tuple[int, int]:
    """Dice thrown at the opening, and dice thrown for kongs at most."""
    for_kongs = KONG_DICE_COUNT if ruleset.replacement_from is ReplacementFrom.DIE else 0
    return DICE_COUNT[ruleset.wall_break], for_kongs


def wall_start(ruleset: Ruleset, dealer: Seat, dice: Sequence[int], wall_length: int) -> int:
    """Index in the wall where drawing starts (BB-3, DZ-3).

    Args:
        dice: the dealer's two, then any thrown back, each 1..6.
        wall_length: tiles in the wall; an arranged one may be shorter.
    """
    assert len(dice) == DICE_COUNT[ruleset.wall_break], dice
    assert all(die in DIE for die in dice), dice
    seat, stack = _BREAKS[ruleset.wall_break](ruleset, dealer, dice)
    return 2 * (seat * ruleset.wall_stacks + stack - 1) % wall_length


def _thrown_back(ruleset: Ruleset, dealer: Seat, dice: Sequence[int]) -> tuple[Seat, int]:
    """The seat the dealer's dice point at, and the stack of the smallest die (BB-3)."""
    return (dealer + dice[0] + dice[1] - 1) % ruleset.seat_count, min(dice)


def _own_wall(ruleset: Ruleset, dealer: Seat, dice: Sequence[int]) -> tuple[Seat, int]:
    """The dealer's own wall, at the stack one below the sum (DZ-3)."""
    return dealer, sum(dice) - 1


_BREAKS = {WallBreak.THROWN_BACK: _thrown_back, WallBreak.OWN_WALL: _own_wall}


def deal_order(ruleset: Ruleset, dealer: Seat) -> tuple[Seat, ...]:
    """The seat each dealt tile goes to, first tile first (BB-4)."""
    seats = [(dealer + step) % ruleset.seat_count for step in range(ruleset.seat_count)]
    portions = chain.from_iterable([seat] * portion for portion in ruleset.deal_portions for seat in seats)
    return (*portions, dealer)


def arrange(
    ruleset: Ruleset,
    dealer: Seat,
    hands: Sequence[Sequence[Tile]],
    draws: Sequence[Tile],
    dice: Sequence[int],
    replacements: Sequence[Tile] = (),
) -> tuple[Tile, ...]:
    """A wall that deals these hands and then these draws under these dice; it may be short.

    Args:
        hands: one a seat; the dealer's has one tile more.
        dice: as the game's `open` takes them.
        replacements: tiles for kongs and flowers, first to be taken first; they are the
            `tail_count` last ones of the wall.
    """
    sources = [list(hand) for hand in hands]
    drawn = [sources[seat].pop(0) for seat in deal_order(ruleset, dealer)]
    assert not any(sources), sources
    drawn += [*draws, *reversed(replacements)]
    opening, _ = dice_counts(ruleset)
    start = wall_start(ruleset, dealer, dice[:opening], len(drawn))
    return tuple(drawn[(position - start) % len(drawn)] for position in range(len(drawn)))
