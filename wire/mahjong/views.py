"""A seat's view as a message, both ways."""

from cardroom.mahjong.v1 import event_pb2, view_pb2

from games.kernel import Seat
from games.mahjong import events as happened
from games.mahjong.actions import Choice
from games.mahjong.events import DrawSource
from games.mahjong.melds import Meld
from games.mahjong.state import Draw, KongRecord, Question, State, TableDiscard
from games.mahjong.tiles import HIDDEN
from games.mahjong.wall import HIDDEN_DIE, KONG_DICE_COUNT
from wire.mahjong.actions import action_from_proto, action_of_answer, action_to_proto, answer_of_action
from wire.mahjong.events import (
    ended_from_proto,
    ended_to_proto,
    hands_from_proto,
    hands_to_proto,
    opened_to_proto,
    ruleset_from_opened,
    seen,
    won_from_proto,
    won_to_proto,
)
from wire.mahjong.words import DRAW_SOURCES, FATES, KONG_KINDS, KONG_OUTCOMES, MELD_KINDS, PHASES, face_down
from wire.words import WireError, named


def view_to_proto(state: State, seat: Seat | None) -> view_pb2.View:
    """A seat's view, as `games` made it, as a message."""
    draw = state.draw
    tile = None if draw is None else draw.tile
    return view_pb2.View(
        opened=opened_to_proto(_opening_of(state)),
        phase=PHASES[state.phase],
        wall_left=len(state.wall),
        tail_left=len(state.tail),
        kong_dice_left=len(state.kong_dice),
        end_stacks=state.end_stacks,
        round_wind=state.round_wind(),
        seat_winds=[wind for seat in state.seats if (wind := state.seat_wind(seat)) is not None],
        flowers=hands_to_proto(state.flowers),
        began=state.began,
        draw_count=state.draw_count,
        hands=hands_to_proto(state.hands),
        melds=[view_pb2.MeldList(melds=[_meld_to_proto(meld) for meld in melds]) for melds in state.melds],
        discards=[
            view_pb2.TableDiscard(seat=discard.seat, tile=discard.tile, fate=FATES[discard.fate])
            for discard in state.discards
        ],
        turn_seat=state.turn,
        draw_source=event_pb2.DRAW_SOURCE_UNSPECIFIED if draw is None else DRAW_SOURCES[draw.source],
        drawn_tile=seen(tile),
        has_drawn_tile=tile is not None,
        question=None if state.question is None else _question_to_proto(state.question, seat),
        kongs=[_kong_to_proto(kong) for kong in state.kongs],
        turn_kongs=state.turn_kongs,
        wins=[won_to_proto(won) for won in state.wins],
        locked_seats=sorted(state.locked),
        declared_seats=sorted(state.declared),
        away_seats=sorted(state.away),
        own_win_locked=bool(state.win_locked),
        ended=None if state.result is None else ended_to_proto(state.result),
    )


def view_from_proto(message: view_pb2.View, seat: Seat | None) -> State:
    """The view a message stands for, to be folded further by `evolve`.

    Raises:
        WireError, UnknownVariant, OptionError: it stands for none.
    """
    rules = ruleset_from_opened(message.opened)
    return State(
        ruleset=rules,
        dealer=message.opened.dealer,
        phase=named(PHASES, "phase", message.phase),
        dice=tuple(message.opened.dice),
        wall_start=message.opened.wall_start,
        wall_length=message.opened.wall_count,
        wall=face_down(message.wall_left, "wall_left"),
        tail=face_down(message.tail_left, "tail_left"),
        undrawn_count=message.opened.undrawn_count,
        kong_dice=_dice_left(message.kong_dice_left),
        end_stacks=tuple(message.end_stacks),
        deal_index=message.opened.deal_index,
        draws_in_row=message.opened.draws_in_row,
        flowers=hands_from_proto(message.flowers),
        began=message.began,
        draw_count=message.draw_count,
        hands=hands_from_proto(message.hands),
        melds=tuple(tuple(_meld_from_proto(meld) for meld in melds.melds) for melds in message.melds),
        discards=tuple(
            TableDiscard(discard.seat, discard.tile, named(FATES, "fate", discard.fate)) for discard in message.discards
        ),
        turn=message.turn_seat,
        draw=_draw_from_proto(message),
        question=_question_from_proto(message, seat, rules.seat_count),
        kongs=tuple(_kong_from_proto(kong) for kong in message.kongs),
        turn_kongs=tuple(message.turn_kongs),
        wins=tuple(won_from_proto(won) for won in message.wins),
        locked=frozenset(message.locked_seats),
        declared=frozenset(message.declared_seats),
        away=frozenset(message.away_seats),
        win_locked=frozenset({seat}) if message.own_win_locked and seat is not None else frozenset(),
        result=ended_from_proto(message.ended) if message.HasField("ended") else None,
    )


def _meld_to_proto(meld: Meld) -> view_pb2.Meld:
    return view_pb2.Meld(kind=MELD_KINDS[meld.kind], tile=meld.tile, from_seat=meld.from_seat, shared=meld.shared)


def _meld_from_proto(message: view_pb2.Meld) -> Meld:
    from_seat = message.from_seat if message.HasField("from_seat") else None
    return Meld(named(MELD_KINDS, "melds", message.kind), message.tile, from_seat, message.shared)


def _kong_to_proto(kong: KongRecord) -> view_pb2.KongRecord:
    return view_pb2.KongRecord(
        seat=kong.seat,
        kind=KONG_KINDS[kong.kind],
        tile=kong.tile,
        owing_seats=kong.owing,
        amount=kong.amount,
        outcome=KONG_OUTCOMES[kong.outcome],
        receiving_seats=kong.receivers,
    )


def _kong_from_proto(message: view_pb2.KongRecord) -> KongRecord:
    return KongRecord(
        seat=message.seat,
        kind=named(KONG_KINDS, "kind", message.kind),
        tile=message.tile,
        owing=tuple(message.owing_seats),
        amount=message.amount,
        outcome=named(KONG_OUTCOMES, "outcome", message.outcome),
        receivers=tuple(message.receiving_seats),
    )


def _question_to_proto(question: Question, seat: Seat | None) -> view_pb2.Question:
    answer = None if seat is None else question.answers[seat]
    own = None if answer is None or seat is None else action_to_proto(action_of_answer(answer, seat, question.tile))
    return view_pb2.Question(tile=question.tile, seat=question.seat, own_answer=own)


def _question_from_proto(message: view_pb2.View, seat: Seat | None, seat_count: int) -> Question | None:
    if not message.HasField("question"):
        return None
    tile = message.question.tile if message.question.HasField("tile") else None
    answers: list[Choice | None] = [None] * seat_count
    if message.question.HasField("own_answer") and seat is not None:
        action = action_from_proto(message.question.own_answer, seat)
        answers[seat] = answer_of_action(action, tile)
    return Question(message.question.seat, tile, tuple(answers))


def _draw_from_proto(message: view_pb2.View) -> Draw | None:
    if message.draw_source == event_pb2.DRAW_SOURCE_UNSPECIFIED:
        return None
    hidden = HIDDEN if message.has_drawn_tile else None
    tile = message.drawn_tile if message.HasField("drawn_tile") else hidden
    source = named(DRAW_SOURCES, "draw_source", message.draw_source)
    # While another is asked about his flowers in the opening, what the deal gave is the dealer's to play (SH-11).
    seat = message.opened.dealer if source is DrawSource.DEAL else message.turn_seat
    return Draw(seat, tile, source)


def _opening_of(state: State) -> happened.Opened:
    """What opened a deal, as a view still knows it: without the wall."""
    return happened.Opened(
        ruleset=state.ruleset,
        dealer=state.dealer,
        dice=state.dice,
        wall=(HIDDEN,) * state.wall_length,
        wall_start=state.wall_start,
        deal_index=state.deal_index,
        draws_in_row=state.draws_in_row,
        undrawn_count=state.undrawn_count,
    )


def _dice_left(number: int) -> tuple[int, ...]:
    """So many dice that nobody has seen yet.

    Raises:
        WireError: more than any deal throws.
    """
    if number > KONG_DICE_COUNT:
        raise WireError("kong_dice_left", f"no deal throws more than {KONG_DICE_COUNT} dice for kongs")
    return (HIDDEN_DIE,) * number
