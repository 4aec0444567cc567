"""A state that a viewer cannot tell from the true one: all that lies face down for him, dealt anew."""

from dataclasses import replace
from random import Random

from games.kernel import Seat
from games.mahjong.actions import Choice
from games.mahjong.events import Won
from games.mahjong.hand import WinBy
from games.mahjong.state import Draw, Phase, Question, State
from games.mahjong.tiles import Tile
from games.mahjong.wall import DIE

ANSWERS = (None, *Choice)


def shuffled(state: State, viewer: Seat | None, chance: Random) -> State:
    """The state with everything the viewer may not know changed at random.

    Tiles of the wall and of other hands change places; the tile another seat drew or won with
    by itself is some tile of its hand; others' answers and passed wins are anything.
    """
    shown = state.phase is Phase.OVER
    hidden = [seat for seat in range(len(state.hands)) if seat != viewer and not shown]
    pool = [*state.wall, *state.tail, *(tile for seat in hidden for tile in state.hands[seat])]
    _mix(pool, chance)
    hands = list(state.hands)
    for seat in hidden:
        size = len(pool) - len(state.hands[seat])
        hands[seat] = tuple(sorted(pool[size:]))
        del pool[size:]
    return replace(
        state,
        hands=tuple(hands),
        wall=tuple(pool[: len(state.wall)]),
        tail=tuple(pool[len(state.wall) :]),
        kong_dice=tuple(chance.choice(DIE) for _ in state.kong_dice),
        draw=None if state.draw is None else _draw(state.draw, hands, viewer, chance),
        question=None if state.question is None else _question(state.question, viewer, chance),
        wins=tuple(_win(won, hands, viewer, chance) for won in state.wins),
        win_locked=frozenset(
            seat for seat in state.seats if (seat in state.win_locked if seat == viewer else chance.random() < 0.3)
        ),
    )


def _mix(pool: list[Tile], chance: Random) -> None:
    """Cut and turn over: each tile goes to another place, at a tenth of the cost of a shuffle."""
    if len(pool) > 1:
        cut = chance.randrange(1, len(pool))
        pool[:] = pool[cut:] + pool[:cut]
        if chance.random() < 0.5:
            pool.reverse()


Hands = list[tuple[Tile, ...]]


def _draw(draw: Draw, hands: Hands, viewer: Seat | None, chance: Random) -> Draw:
    if draw.tile is None or draw.seat == viewer:
        return draw
    return replace(draw, tile=chance.choice(hands[draw.seat]))


def _win(won: Won, hands: Hands, viewer: Seat | None, chance: Random) -> Won:
    seat = won.winners[0].seat
    if won.by is not WinBy.SELF or won.tile is None or seat == viewer:
        return won
    return replace(won, tile=chance.choice(hands[seat]))


def _question(question: Question, viewer: Seat | None, chance: Random) -> Question:
    answers = tuple(
        answer if seat == viewer else chance.choice(ANSWERS) for seat, answer in enumerate(question.answers)
    )
    return replace(question, answers=answers)
