"""The wall: built, broken by dice, dealt from (BB-2..4)."""

from collections.abc import Sequence
from itertools import chain

from games.kernel import Seat
from games.mahjong.ruleset import Ruleset
from games.mahjong.tiles import Tile

DICE_COUNT = 4
DIE_FACES = 6


def tiles_in_order(ruleset: Ruleset) -> tuple[Tile, ...]:
    """All tiles of the game in the order of the specification: what is shuffled (PF-41)."""
    return tuple(tile for tile in ruleset.kinds for _ in range(4))


def wall_start(ruleset: Ruleset, dealer: Seat, dice: Sequence[int], wall_length: int) -> int:
    """Index in the wall where drawing starts (BB-3).

    Args:
        dice: the dealer's two, then the two thrown back, each 1..6.
        wall_length: tiles in the wall; an arranged one may be shorter.
    """
    assert len(dice) == DICE_COUNT, dice
    assert all(1 <= die <= DIE_FACES for die in dice), dice
    breaker = (dealer + dice[0] + dice[1] - 1) % ruleset.seat_count
    stack = breaker * ruleset.wall_stacks + min(dice) - 1
    return 2 * stack % wall_length


def deal_order(ruleset: Ruleset, dealer: Seat) -> tuple[Seat, ...]:
    """The seat each dealt tile goes to, first tile first (BB-4)."""
    seats = [(dealer + step) % ruleset.seat_count for step in range(ruleset.seat_count)]
    portions = chain.from_iterable([seat] * portion for portion in ruleset.deal_portions for seat in seats)
    return (*portions, dealer)


def arrange(
    ruleset: Ruleset, dealer: Seat, hands: Sequence[Sequence[Tile]], draws: Sequence[Tile], dice: Sequence[int]
) -> tuple[Tile, ...]:
    """A wall that deals these hands and then these draws under these dice; it may be short.

    Args:
        hands: one a seat; the dealer's has one tile more.
    """
    sources = [list(hand) for hand in hands]
    drawn = [sources[seat].pop(0) for seat in deal_order(ruleset, dealer)]
    assert not any(sources), sources
    drawn += draws
    start = wall_start(ruleset, dealer, dice, len(drawn))
    return tuple(drawn[(position - start) % len(drawn)] for position in range(len(drawn)))
