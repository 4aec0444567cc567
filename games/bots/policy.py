"""The policy of the mahjong family's bots: which way of thinking suits which variant."""

from games.bots import nearest, weighing
from games.kernel import Seat
from games.mahjong.actions import PlayerAction
from games.mahjong.state import State


def choose(view: State, seat: Seat, options: tuple[PlayerAction, ...]) -> PlayerAction:
    """What the seat does; the same for the same view and options.

    Where fans decide, what a hand may become is weighed against how soon; elsewhere the nearest win is the best.

    Args:
        view: what the seat knows; its own hand lies open, the others' face down.
        options: what it may do now, at least one; one of them is returned.
    """
    choose_by = weighing.choose if view.ruleset.variant in weighing.WEIGHTS else nearest.choose
    return choose_by(view, seat, options)
