"""A state that a viewer cannot tell from the true one: all that lies face down for him, dealt anew."""

from dataclasses import replace
from random import Random

from games.kernel import Seat
from games.mahjong.actions import Choice
from games.mahjong.events import Won
from games.mahjong.hand import WinBy
from games.mahjong.state import Draw, Phase, Question, State
from games.mahjong.tiles import Tile

ANSWERS = (None, *Choice)


def shuffled(state: State, viewer: Seat | None, chance: Random) -> State:
    """The state with everything the viewer may not know changed at random.

    Tiles of the wall and of other hands change places; the tile another seat drew or won with
    by itself is some tile of its hand; others' answers and passed wins are anything.
    """
    shown = state.phase is Phase.OVER
    hidden = [seat for seat in range(len(state.hands)) if seat != viewer and not shown]
    pool = [*state.wall, *(tile for seat in hidden for tile in state.hands[seat])]
    chance.shuffle(pool)
    hands = list(state.hands)
    for seat in hidden:
        hands[seat] = tuple(sorted(pool.pop() for _ in state.hands[seat]))
    state = replace(state, hands=tuple(hands), wall=tuple(pool))
    return replace(
        state,
        draw=state.draw if state.draw is None else _draw(state, viewer, chance),
        question=None if state.question is None else _question(state.question, viewer, chance),
        wins=tuple(_win(state, won, viewer, chance) for won in state.wins),
        win_locked=frozenset(
            seat for seat in state.seats if (seat in state.win_locked if seat == viewer else chance.random() < 0.3)
        ),
    )


def _some_tile(state: State, seat: Seat, chance: Random) -> Tile:
    return chance.choice(state.hands[seat])


def _draw(state: State, viewer: Seat | None, chance: Random) -> Draw:
    draw = state.draw
    assert draw is not None
    if draw.tile is None or draw.seat == viewer:
        return draw
    return replace(draw, tile=_some_tile(state, draw.seat, chance))


def _win(state: State, won: Won, viewer: Seat | None, chance: Random) -> Won:
    if won.by is not WinBy.SELF or won.tile is None or won.winners[0].seat == viewer:
        return won
    return replace(won, tile=_some_tile(state, won.winners[0].seat, chance))


def _question(question: Question, viewer: Seat | None, chance: Random) -> Question:
    answers = tuple(
        answer if seat == viewer else chance.choice(ANSWERS) for seat, answer in enumerate(question.answers)
    )
    return replace(question, answers=answers)
