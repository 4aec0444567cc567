"""A policy for the mahjong family that goes for the nearest win, from its own view.

It wins whenever it may, declares kongs that do not set the hand back, claims pungs that
bring it nearer to ready, and discards what leaves it nearest, among those what leaves most
useful tiles in the unseen. It never locks: a lock adds no fan and ends pungs and kongs (BB-17).
"""

from collections.abc import Sequence

from games.kernel import Seat
from games.mahjong.actions import Chow, Declare, Discard, Kong, Pass, PlayerAction, Pung, Win
from games.mahjong.decomposition import Packed, add, count, counts_of, pack
from games.mahjong.distance import packed_distance
from games.mahjong.hand import WinBy
from games.mahjong.state import Fate, State
from games.mahjong.tiles import HIDDEN, HONOURS, KIND_COUNT, Tile
from games.mahjong.waits import COPIES

SET_REACH = 2
"""Ranks between two tiles of one set, at most."""


def choose(view: State, seat: Seat, options: tuple[PlayerAction, ...]) -> PlayerAction:
    """What the seat does; the same for the same view and options.

    Args:
        view: what the seat knows; its own hand lies open, the others' face down.
        options: what it may do now, at least one; one of them is returned.
    """
    for option in options:
        if isinstance(option, Win):
            return option
    hand = _Hand(view, seat)
    if any(isinstance(option, Pass) for option in options):
        return _answer(view, hand, options)
    return _move(hand, options)


class _Hand:
    """The seat's concealed tiles, packed, and what is still to be made of them."""

    def __init__(self, view: State, seat: Seat) -> None:
        self.view = view
        self.packed = pack(view.hands[seat])
        self.set_count = view.ruleset.set_count - len(view.melds[seat])
        self.pairs_win = view.ruleset.pairs_win and not view.melds[seat]
        self.kinds = view.ruleset.kinds

    def distance(self, packed: Packed) -> int:
        """Distance to ready of the tiles, no further set on the table."""
        return packed_distance(packed, self.set_count, self.pairs_win)

    def melded_distance(self, packed: Packed) -> int:
        """Distance to ready of what stays in the hand beside one set more."""
        return packed_distance(packed, self.set_count - 1, False)

    def unseen(self) -> list[int]:
        """How many of each kind the seat has not seen."""
        return unseen_by(self.view, self.packed)


def _answer(view: State, hand: _Hand, options: Sequence[PlayerAction]) -> PlayerAction:
    """A ready hand declared; else kong, pung, chow or pass on the tile in question."""
    assert view.question is not None
    tile, now = view.question.tile, hand.distance(hand.packed)
    declare = next((option for option in options if isinstance(option, Declare)), None)
    if declare is not None:
        return declare
    if tile is not None:
        for option in options:
            if isinstance(option, Kong) and hand.melded_distance(less(hand.packed, tile, 3)) <= now:
                return option
        for option in options:
            if isinstance(option, Pung | Chow) and _after_claim(hand, option, tile) < now:
                return option
    return next(option for option in options if isinstance(option, Pass))


def _after_claim(hand: _Hand, option: Pung | Chow, tile: Tile) -> int:
    """Distance after a pung or chow and the best discard."""
    rest = hand.packed
    for own in (tile, tile) if isinstance(option, Pung) else option.tiles:
        rest = less(rest, own, 1)
    return min(hand.melded_distance(less(rest, other, 1)) for other, _ in counts_of(rest))


def _move(hand: _Hand, options: Sequence[PlayerAction]) -> PlayerAction:
    """A kong or a discard; where neither is offered, what is."""
    rests = {option: less(hand.packed, option.tile, 1) for option in options if isinstance(option, Discard)}
    if not rests:
        return options[0]
    distances = {option: hand.distance(rest) for option, rest in rests.items()}
    nearest = min(distances.values())
    for option in options:
        if isinstance(option, Kong) and option.tile is not None and _after_kong(hand, option.tile) <= nearest:
            return option
    unseen = hand.unseen()
    best = [option for option in rests if distances[option] == nearest]
    return max(best, key=lambda option: (useful_count(hand, rests[option], nearest, unseen), -unseen[option.tile]))


def _after_kong(hand: _Hand, tile: Tile) -> int:
    """Distance after a kong of one's own tiles, before its replacement."""
    held = count(hand.packed, tile)
    rest = less(hand.packed, tile, held)
    return hand.melded_distance(rest) if held == COPIES else hand.distance(rest)


def useful_count(hand: _Hand, rest: Packed, now: int, unseen: Sequence[int]) -> int:
    """How many unseen tiles bring the rest of a hand nearer to ready than it is now."""
    return sum(
        unseen[tile]
        for tile in near(rest, hand.kinds)
        if unseen[tile] and packed_distance(add(rest, tile), hand.set_count, hand.pairs_win) < now
    )


def near(packed: Packed, kinds: tuple[Tile, ...]) -> list[Tile]:
    """Kinds that can stand in one set or pair with a tile held; no other is of any use."""
    reach = set()
    for tile, _ in counts_of(packed):
        if tile in HONOURS:
            reach.add(tile)
            continue
        lowest = tile - tile % 9
        reach.update(range(max(lowest, tile - SET_REACH), min(lowest + 8, tile + SET_REACH) + 1))
    return [tile for tile in kinds if tile in reach]


def unseen_by(view: State, own: Packed) -> list[int]:
    """How many of each kind lie face down for the seat."""
    unseen = [COPIES - count(own, tile) for tile in range(KIND_COUNT)]
    for melds in view.melds:
        for meld in melds:
            for tile in meld.tiles:
                unseen[tile] -= 1
    for discard in view.discards:
        if discard.fate is not Fate.MELDED:
            unseen[discard.tile] -= 1
    for won in view.wins:
        if won.tile is not None and won.tile != HIDDEN and won.by is WinBy.ROB:
            unseen[won.tile] -= 1
    return unseen


def less(packed: Packed, tile: Tile, copies: int) -> Packed:
    """The counts with copies of a kind gone; the caller knows that they are there."""
    suit = tile // 9
    fewer = packed[suit] - (copies << (tile % 9 * 3))
    return (*packed[:suit], fewer, *packed[suit + 1 :])  # type: ignore[return-value]
