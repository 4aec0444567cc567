"""What a seat may know (PF-40).

`view` turns the same state face down and `redact` the same events, so that a new field is
hidden until somebody shows it. Two laws hold: folding the redacted log gives the view of
the folded log, and shuffling what a seat cannot see never changes its view.
"""

from dataclasses import replace

from games.kernel import Seat, changed
from games.mahjong.events import Answered, Dealt, Drawn, Event, Opened, Won
from games.mahjong.hand import WinBy
from games.mahjong.state import Draw, Phase, Question, State
from games.mahjong.tiles import HIDDEN, Tile
from games.mahjong.wall import HIDDEN_DIE


def face_down(tiles: tuple[Tile, ...]) -> tuple[Tile, ...]:
    """As many tiles, none of them known."""
    return (HIDDEN,) * len(tiles)


def hidden_dice(dice: tuple[int, ...]) -> tuple[int, ...]:
    """As many dice, none of them thrown yet."""
    return (HIDDEN_DIE,) * len(dice)


def redact(event: Event, seat: Seat | None) -> Event | None:
    """The event as a seat (None: a spectator) may know it; None if nothing of it."""
    if isinstance(event, Opened):
        return replace(event, wall=face_down(event.wall), kong_dice=hidden_dice(event.kong_dice))
    if isinstance(event, Dealt):
        hands = tuple(hand if owner == seat else face_down(hand) for owner, hand in enumerate(event.hands))
        return replace(event, hands=hands)
    if isinstance(event, Drawn):
        return event if event.seat == seat else Drawn(event.seat, HIDDEN, event.source, event.die)
    if isinstance(event, Answered):
        return event if event.seat == seat else None
    if isinstance(event, Won):
        return _redacted_win(event, seat)
    return event


def _redacted_win(event: Won, seat: Seat | None) -> Won:
    """A self-drawn tile stays with its owner until the hands are shown."""
    if event.by is not WinBy.SELF or event.tile is None or event.winners[0].seat == seat:
        return event
    return replace(event, tile=HIDDEN)


def view(state: State, seat: Seat | None) -> State:
    """The state as a seat (None: a spectator) may know it."""
    shown = state.phase is Phase.OVER
    return changed(
        state,
        wall=face_down(state.wall),
        tail=face_down(state.tail),
        kong_dice=hidden_dice(state.kong_dice),
        hands=tuple(hand if shown or owner == seat else face_down(hand) for owner, hand in enumerate(state.hands)),
        draw=_seen_draw(state, seat),
        question=None if state.question is None else _own_answer(state.question, seat),
        wins=tuple(_redacted_win(won, seat) for won in state.wins),
        win_locked=state.win_locked & ({seat} if seat is not None else set()),
    )


def _seen_draw(state: State, seat: Seat | None) -> Draw | None:
    draw = state.draw
    if draw is None or draw.tile is None or draw.seat == seat:
        return draw
    return Draw(draw.seat, HIDDEN, draw.source)


def _own_answer(question: Question, seat: Seat | None) -> Question:
    answers = tuple(answer if owner == seat else None for owner, answer in enumerate(question.answers))
    return Question(question.seat, question.tile, answers)
