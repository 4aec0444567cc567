"""A plain policy: wins, claims nothing else, discards the tile with the fewest neighbours."""

from games.kernel import Seat
from games.mahjong.actions import Action, Discard, Pass, Win
from games.mahjong.state import State
from games.mahjong.tiles import Tile


def choose(view: State, seat: Seat, options: tuple[Action, ...]) -> Action:
    """What the seat does; one of the options."""
    for kind in (Win, Pass):
        for option in options:
            if isinstance(option, kind):
                return option
    discards = [option for option in options if isinstance(option, Discard)]
    return (
        min(discards, key=lambda discard: neighbour_count(discard.tile, view.hands[seat])) if discards else options[0]
    )


def neighbour_count(tile: Tile, hand: tuple[Tile, ...]) -> int:
    """Tiles of the hand, the tile included, of its kind or up to two ranks from it."""
    return sum(1 for other in hand if other // 9 == tile // 9 and abs(other - tile) <= 2)
