"""Actions, events and views of the mahjong family as protobuf messages, both ways.

Tiles are ids on both sides. A tile that lies face down is left out of a message, and comes
back as HIDDEN: a redacted event survives the way there and back unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cardroom.mahjong.v1 import action_pb2, event_pb2, view_pb2

from games.catalog import variant_of
from games.kernel import Payment, Seat
from games.mahjong import actions as asked
from games.mahjong import events as happened
from games.mahjong.actions import Choice, PlayerAction
from games.mahjong.events import DrawSource, EndCause, Event, KongOutcome
from games.mahjong.hand import FanScore, Score, WinBy
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.ruleset import Ruleset
from games.mahjong.state import Draw, Fate, KongRecord, Phase, Question, State, TableDiscard
from games.mahjong.tiles import HIDDEN, Tile
from games.mahjong.variant import Variant
from wire.options import options_from_struct, options_to_struct
from wire.words import WireError

TILE_COUNT_MAX = 144
"""Tiles of the largest game."""


DRAW_SOURCES: Mapping[DrawSource, event_pb2.DrawSource.ValueType] = {
    DrawSource.DEAL: event_pb2.DRAW_SOURCE_DEAL,
    DrawSource.WALL: event_pb2.DRAW_SOURCE_WALL,
    DrawSource.REPLACEMENT: event_pb2.DRAW_SOURCE_REPLACEMENT,
    DrawSource.CLAIM: event_pb2.DRAW_SOURCE_CLAIM,
}
KONG_KINDS: Mapping[MeldKind, event_pb2.KongKind.ValueType] = {
    MeldKind.EXPOSED_KONG: event_pb2.KONG_KIND_EXPOSED,
    MeldKind.ADDED_KONG: event_pb2.KONG_KIND_ADDED,
    MeldKind.CONCEALED_KONG: event_pb2.KONG_KIND_CONCEALED,
}
WIN_BYS: Mapping[WinBy, event_pb2.WinBy.ValueType] = {
    WinBy.SELF: event_pb2.WIN_BY_SELF,
    WinBy.DISCARD: event_pb2.WIN_BY_DISCARD,
    WinBy.ROB: event_pb2.WIN_BY_ROB,
}
END_CAUSES: Mapping[EndCause, event_pb2.EndCause.ValueType] = {
    EndCause.WALL_EMPTY: event_pb2.END_CAUSE_WALL_EMPTY,
    EndCause.ONE_LEFT: event_pb2.END_CAUSE_ONE_LEFT,
}
KONG_OUTCOMES: Mapping[KongOutcome, event_pb2.KongOutcome.ValueType] = {
    KongOutcome.OPEN: event_pb2.KONG_OUTCOME_UNSPECIFIED,
    KongOutcome.PAID: event_pb2.KONG_OUTCOME_PAID,
    KongOutcome.TRANSFERRED: event_pb2.KONG_OUTCOME_TRANSFERRED,
    KongOutcome.VOID: event_pb2.KONG_OUTCOME_VOID,
}
PHASES: Mapping[Phase, view_pb2.Phase.ValueType] = {
    Phase.OPENED: view_pb2.PHASE_OPENED,
    Phase.TURN: view_pb2.PHASE_TURN,
    Phase.CLAIMS: view_pb2.PHASE_CLAIMS,
    Phase.ROBBERY: view_pb2.PHASE_ROBBERY,
    Phase.OVER: view_pb2.PHASE_OVER,
}
MELD_KINDS: Mapping[MeldKind, view_pb2.MeldKind.ValueType] = {
    MeldKind.CHOW: view_pb2.MELD_KIND_CHOW,
    MeldKind.PUNG: view_pb2.MELD_KIND_PUNG,
    MeldKind.EXPOSED_KONG: view_pb2.MELD_KIND_EXPOSED_KONG,
    MeldKind.ADDED_KONG: view_pb2.MELD_KIND_ADDED_KONG,
    MeldKind.CONCEALED_KONG: view_pb2.MELD_KIND_CONCEALED_KONG,
}
FATES: Mapping[Fate, view_pb2.DiscardFate.ValueType] = {
    Fate.TABLE: view_pb2.DISCARD_FATE_UNSPECIFIED,
    Fate.MELDED: view_pb2.DISCARD_FATE_MELDED,
    Fate.WON: view_pb2.DISCARD_FATE_WON,
}


def _named(table: Mapping[Any, Any], field: str, number: int) -> Any:
    """The value a wire number stands for.

    Raises:
        WireError: none.
    """
    for value, wire in table.items():
        if wire == number:
            return value
    raise WireError(field, f"no such value {number}")


# --- actions --------------------------------------------------------------------------------


def action_from_proto(message: action_pb2.Action, seat: Seat) -> PlayerAction:
    """The move a message asks for; the seat comes from the caller's token.

    Raises:
        WireError: the message holds no action.
    """
    kind = message.WhichOneof("kind")
    if kind is None:
        raise WireError("action", "no action is set")
    return _ACTION_READERS[kind](message, seat)


_ACTION_READERS: Mapping[str, Callable[[action_pb2.Action, Seat], PlayerAction]] = {
    "discard": lambda message, seat: asked.Discard(seat, message.discard.tile),
    "pung": lambda message, seat: asked.Pung(seat),
    "kong": lambda message, seat: asked.Kong(seat, message.kong.tile if message.kong.HasField("tile") else None),
    "win": lambda message, seat: asked.Win(seat),
    "pass_claim": lambda message, seat: asked.Pass(seat),
    "lock": lambda message, seat: asked.Lock(seat),
}


def action_to_proto(action: PlayerAction) -> action_pb2.Action:
    """A move as a message; the seat is left out."""
    return _ACTION_WRITERS[type(action)](action)


def _kong_action(action: asked.Kong) -> action_pb2.Action:
    return action_pb2.Action(kong=action_pb2.Kong(tile=action.tile))


_ACTION_WRITERS: Mapping[type, Callable[[Any], action_pb2.Action]] = {
    asked.Discard: lambda action: action_pb2.Action(discard=action_pb2.Discard(tile=action.tile)),
    asked.Pung: lambda action: action_pb2.Action(pung=action_pb2.Pung()),
    asked.Kong: _kong_action,
    asked.Win: lambda action: action_pb2.Action(win=action_pb2.Win()),
    asked.Pass: lambda action: action_pb2.Action(pass_claim=action_pb2.Pass()),
    asked.Lock: lambda action: action_pb2.Action(lock=action_pb2.Lock()),
}

_ACTION_OF_CHOICE: Mapping[Choice, Callable[[Seat], PlayerAction]] = {
    Choice.WIN: asked.Win,
    Choice.KONG: asked.Kong,
    Choice.PUNG: asked.Pung,
    Choice.PASS: asked.Pass,
}


# --- events ---------------------------------------------------------------------------------


def event_to_proto(event: Event) -> event_pb2.Event:
    """A public event as a message, redacted or not; private ones have no message."""
    field, write = _EVENT_WRITERS[type(event)]
    return event_pb2.Event(**{field: write(event)})


def event_from_proto(message: event_pb2.Event) -> Event:
    """The event a message stands for.

    Raises:
        WireError: it stands for none.
        UnknownVariant, OptionError: it opens a deal by rules there are not.
    """
    kind = message.WhichOneof("kind")
    if kind is None:
        raise WireError("event", "no event is set")
    return _EVENT_READERS[kind](getattr(message, kind))


def _seen(tile: Tile | None) -> Tile | None:
    """A tile as a field: left out where it lies face down or there is none."""
    return None if tile == HIDDEN else tile


def _hand_to_proto(hand: Iterable[Tile]) -> event_pb2.Hand:
    tiles = tuple(hand)
    seen = [tile for tile in tiles if tile != HIDDEN]
    return event_pb2.Hand(tiles=seen, hidden_count=len(tiles) - len(seen))


def _hand_from_proto(message: event_pb2.Hand) -> tuple[Tile, ...]:
    return _face_down(message.hidden_count, "hidden_count") + tuple(message.tiles)


def _face_down(number: int, field: str) -> tuple[Tile, ...]:
    """So many tiles face down. A message may claim any number, and must not fill the memory with them.

    Raises:
        WireError: more than any game has.
    """
    if number > TILE_COUNT_MAX:
        raise WireError(field, f"no game has more than {TILE_COUNT_MAX} tiles")
    return (HIDDEN,) * number


def _hands_to_proto(hands: Iterable[Iterable[Tile]]) -> list[event_pb2.Hand]:
    return [_hand_to_proto(hand) for hand in hands]


def _hands_from_proto(messages: Iterable[event_pb2.Hand]) -> tuple[tuple[Tile, ...], ...]:
    return tuple(_hand_from_proto(message) for message in messages)


def _opened_to_proto(event: happened.Opened) -> event_pb2.Opened:
    hidden = HIDDEN in event.wall
    return _opening(event.ruleset, event.dealer, event.dice, event.wall_start, len(event.wall), event.wall, hidden)


def _opening(
    rules: Ruleset,
    dealer: Seat,
    dice: Iterable[int],
    start: int,
    length: int,
    wall: Iterable[Tile] = (),
    hidden: bool = True,
) -> event_pb2.Opened:
    return event_pb2.Opened(
        variant=rules.variant,
        rules_version=rules.version,
        options=options_to_struct(dict(rules.options)),
        stake=rules.stake,
        dealer=dealer,
        dice=dice,
        wall_start=start,
        wall_count=length,
        wall=() if hidden else wall,
    )


def _opened_from_proto(message: event_pb2.Opened) -> happened.Opened:
    wall = tuple(message.wall) or _face_down(message.wall_count, "wall_count")
    rules = ruleset_from_opened(message)
    return happened.Opened(rules, message.dealer, tuple(message.dice), wall, message.wall_start)


def ruleset_from_opened(message: event_pb2.Opened) -> Ruleset:
    """The rules a deal is played by.

    Raises:
        UnknownVariant, OptionError: there are no such rules.
        WireError: this version of them is not known here.
    """
    variant = variant_of(message.variant)
    if not isinstance(variant, Variant):
        raise WireError("variant", f"{message.variant} is no game of the mahjong family")
    if message.rules_version != variant.version:
        raise WireError("rules_version", f"{message.variant} {message.rules_version} is not known here")
    return variant.ruleset(options_from_struct(message.options), message.stake)


def _drawn_to_proto(event: happened.Drawn) -> event_pb2.Drawn:
    return event_pb2.Drawn(seat=event.seat, tile=_seen(event.tile), source=DRAW_SOURCES[event.source])


def _drawn_from_proto(message: event_pb2.Drawn) -> happened.Drawn:
    tile = message.tile if message.HasField("tile") else HIDDEN
    return happened.Drawn(message.seat, tile, _named(DRAW_SOURCES, "source", message.source))


def _konged_to_proto(event: happened.Konged) -> event_pb2.Konged:
    return event_pb2.Konged(
        seat=event.seat,
        kind=KONG_KINDS[event.kind],
        tile=event.tile,
        from_seat=event.from_seat,
        owing_seats=event.owing,
    )


def _konged_from_proto(message: event_pb2.Konged) -> happened.Konged:
    return happened.Konged(
        seat=message.seat,
        kind=_named(KONG_KINDS, "kind", message.kind),
        tile=message.tile,
        from_seat=message.from_seat if message.HasField("from_seat") else None,
        owing=tuple(message.owing_seats),
    )


def payment_to_proto(payment: Payment) -> event_pb2.Payment:
    """A payment between seats as a message."""
    assert payment.payee is not None, payment
    return event_pb2.Payment(
        payer_seat=payment.payer, payee_seat=payment.payee, amount=payment.amount, cause=payment.cause
    )


def _payment_from_proto(message: event_pb2.Payment) -> Payment:
    if message.amount <= 0 or message.payer_seat == message.payee_seat:
        raise WireError("payments", "a payment is above zero and between two seats")
    return Payment(message.payer_seat, message.payee_seat, message.amount, message.cause)


def fans_to_proto(fans: Iterable[FanScore]) -> list[event_pb2.FanCount]:
    """Fans of a hand as messages."""
    return [event_pb2.FanCount(fan_id=fan.fan_id, value=fan.value, name_zh=fan.name_zh) for fan in fans]


def _winner_to_proto(winner: happened.WinnerResult) -> event_pb2.WinnerResult:
    return event_pb2.WinnerResult(
        seat=winner.seat,
        rank=winner.rank,
        fans=fans_to_proto(winner.fans),
        fan_total=winner.fan_total,
        amount=winner.amount,
        payments=[payment_to_proto(payment) for payment in winner.payments],
    )


def _winner_from_proto(message: event_pb2.WinnerResult) -> happened.WinnerResult:
    return happened.WinnerResult(
        seat=message.seat,
        rank=message.rank,
        fans=tuple(FanScore(fan.fan_id, fan.name_zh, fan.value) for fan in message.fans),
        fan_total=message.fan_total,
        amount=message.amount,
        payments=tuple(_payment_from_proto(payment) for payment in message.payments),
    )


def _won_to_proto(event: happened.Won) -> event_pb2.Won:
    return event_pb2.Won(
        by=WIN_BYS[event.by],
        tile=_seen(event.tile),
        heavenly=event.tile is None,
        from_seat=event.from_seat,
        winners=[_winner_to_proto(winner) for winner in event.winners],
        transferred_kongs=event.transferred,
    )


def _won_from_proto(message: event_pb2.Won) -> happened.Won:
    hidden = None if message.heavenly else HIDDEN
    return happened.Won(
        by=_named(WIN_BYS, "by", message.by),
        tile=message.tile if message.HasField("tile") else hidden,
        from_seat=message.from_seat if message.HasField("from_seat") else None,
        winners=tuple(_winner_from_proto(winner) for winner in message.winners),
        transferred=tuple(message.transferred_kongs),
    )


def _ended_to_proto(event: happened.Ended) -> event_pb2.Ended:
    return event_pb2.Ended(
        cause=END_CAUSES[event.cause],
        payments=[payment_to_proto(payment) for payment in event.payments],
        checks=[
            event_pb2.ReadyCheck(seat=check.seat, ready=check.ready, amount=check.amount) for check in event.checks
        ],
        kong_outcomes=[KONG_OUTCOMES[outcome] for outcome in event.kong_outcomes],
        next_dealer=event.next_dealer,
        hands=_hands_to_proto(event.hands),
    )


def _ended_from_proto(message: event_pb2.Ended) -> happened.Ended:
    return happened.Ended(
        cause=_named(END_CAUSES, "cause", message.cause),
        payments=tuple(_payment_from_proto(payment) for payment in message.payments),
        checks=tuple(happened.ReadyCheck(check.seat, check.ready, check.amount) for check in message.checks),
        kong_outcomes=tuple(_named(KONG_OUTCOMES, "kong_outcomes", outcome) for outcome in message.kong_outcomes),
        next_dealer=message.next_dealer,
        hands=_hands_from_proto(message.hands),
    )


_EVENT_WRITERS: Mapping[type, tuple[str, Callable[[Any], Any]]] = {
    happened.Opened: ("opened", _opened_to_proto),
    happened.Dealt: ("dealt", lambda event: event_pb2.Dealt(hands=_hands_to_proto(event.hands))),
    happened.Drawn: ("drawn", _drawn_to_proto),
    happened.Discarded: ("discarded", lambda event: event_pb2.Discarded(seat=event.seat, tile=event.tile)),
    happened.Melded: (
        "melded",
        lambda event: event_pb2.Melded(seat=event.seat, tile=event.tile, from_seat=event.from_seat),
    ),
    happened.Konged: ("konged", _konged_to_proto),
    happened.Won: ("won", _won_to_proto),
    happened.Locked: ("locked", lambda event: event_pb2.Locked(seat=event.seat)),
    happened.WentAway: ("went_away", lambda event: event_pb2.WentAway(seat=event.seat)),
    happened.CameBack: ("came_back", lambda event: event_pb2.CameBack(seat=event.seat)),
    happened.Ended: ("ended", _ended_to_proto),
}
_EVENT_READERS: Mapping[str, Callable[[Any], Event]] = {
    "opened": _opened_from_proto,
    "dealt": lambda message: happened.Dealt(_hands_from_proto(message.hands)),
    "drawn": _drawn_from_proto,
    "discarded": lambda message: happened.Discarded(message.seat, message.tile),
    "melded": lambda message: happened.Melded(message.seat, message.tile, message.from_seat),
    "konged": _konged_from_proto,
    "won": _won_from_proto,
    "locked": lambda message: happened.Locked(message.seat),
    "went_away": lambda message: happened.WentAway(message.seat),
    "came_back": lambda message: happened.CameBack(message.seat),
    "ended": _ended_from_proto,
}


# --- views ----------------------------------------------------------------------------------


def view_to_proto(state: State, seat: Seat | None) -> view_pb2.View:
    """A seat's view, as `games` made it, as a message."""
    draw = state.draw
    tile = None if draw is None else draw.tile
    return view_pb2.View(
        opened=_opening(state.ruleset, state.dealer, state.dice, state.wall_start, state.wall_length),
        phase=PHASES[state.phase],
        wall_left=len(state.wall),
        draw_count=state.draw_count,
        hands=_hands_to_proto(state.hands),
        melds=[view_pb2.MeldList(melds=[_meld_to_proto(meld) for meld in melds]) for melds in state.melds],
        discards=[
            view_pb2.TableDiscard(seat=discard.seat, tile=discard.tile, fate=FATES[discard.fate])
            for discard in state.discards
        ],
        turn_seat=state.turn,
        draw_source=event_pb2.DRAW_SOURCE_UNSPECIFIED if draw is None else DRAW_SOURCES[draw.source],
        drawn_tile=_seen(tile),
        has_drawn_tile=tile is not None,
        question=None if state.question is None else _question_to_proto(state.question, seat),
        kongs=[_kong_to_proto(kong) for kong in state.kongs],
        turn_kongs=state.turn_kongs,
        wins=[_won_to_proto(won) for won in state.wins],
        locked_seats=sorted(state.locked),
        away_seats=sorted(state.away),
        own_win_locked=bool(state.win_locked),
        ended=None if state.result is None else _ended_to_proto(state.result),
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
        phase=_named(PHASES, "phase", message.phase),
        dice=tuple(message.opened.dice),
        wall_start=message.opened.wall_start,
        wall_length=message.opened.wall_count,
        wall=_face_down(message.wall_left, "wall_left"),
        draw_count=message.draw_count,
        hands=_hands_from_proto(message.hands),
        melds=tuple(tuple(_meld_from_proto(meld) for meld in melds.melds) for melds in message.melds),
        discards=tuple(
            TableDiscard(discard.seat, discard.tile, _named(FATES, "fate", discard.fate))
            for discard in message.discards
        ),
        turn=message.turn_seat,
        draw=_draw_from_proto(message),
        question=_question_from_proto(message, seat, rules.seat_count),
        kongs=tuple(_kong_from_proto(kong) for kong in message.kongs),
        turn_kongs=tuple(message.turn_kongs),
        wins=tuple(_won_from_proto(won) for won in message.wins),
        locked=frozenset(message.locked_seats),
        away=frozenset(message.away_seats),
        win_locked=frozenset({seat}) if message.own_win_locked and seat is not None else frozenset(),
        result=_ended_from_proto(message.ended) if message.HasField("ended") else None,
    )


def _meld_to_proto(meld: Meld) -> view_pb2.Meld:
    return view_pb2.Meld(kind=MELD_KINDS[meld.kind], tile=meld.tile, from_seat=meld.from_seat)


def _meld_from_proto(message: view_pb2.Meld) -> Meld:
    from_seat = message.from_seat if message.HasField("from_seat") else None
    return Meld(_named(MELD_KINDS, "melds", message.kind), message.tile, from_seat)


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
        kind=_named(KONG_KINDS, "kind", message.kind),
        tile=message.tile,
        owing=tuple(message.owing_seats),
        amount=message.amount,
        outcome=_named(KONG_OUTCOMES, "outcome", message.outcome),
        receivers=tuple(message.receiving_seats),
    )


def _question_to_proto(question: Question, seat: Seat | None) -> view_pb2.Question:
    answer = None if seat is None else question.answers[seat]
    own = None if answer is None or seat is None else action_to_proto(_ACTION_OF_CHOICE[answer](seat))
    return view_pb2.Question(tile=question.tile, seat=question.seat, own_answer=own)


def _question_from_proto(message: view_pb2.View, seat: Seat | None, seat_count: int) -> Question | None:
    if not message.HasField("question"):
        return None
    answers: list[Choice | None] = [None] * seat_count
    if message.question.HasField("own_answer") and seat is not None:
        action = action_from_proto(message.question.own_answer, seat)
        answers[seat] = asked.CHOICE_OF[type(action)]
    return Question(message.question.seat, message.question.tile, tuple(answers))


def _draw_from_proto(message: view_pb2.View) -> Draw | None:
    if message.draw_source == event_pb2.DRAW_SOURCE_UNSPECIFIED:
        return None
    hidden = HIDDEN if message.has_drawn_tile else None
    tile = message.drawn_tile if message.HasField("drawn_tile") else hidden
    return Draw(message.turn_seat, tile, _named(DRAW_SOURCES, "draw_source", message.draw_source))


# --- scores ---------------------------------------------------------------------------------


def score_fields(score: Score) -> dict[str, Any]:
    """Fans, total and amount of a score as fields of a message."""
    return {"fans": fans_to_proto(score.fans), "fan_total": score.fan_total, "amount": score.amount}
