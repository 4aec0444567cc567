"""Rooms and entries of a log as messages, and back."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from cardroom.table.v1 import event_pb2, room_pb2

from games.kernel import Group, Line, Payment
from services.table.edge.families import WIRES, field_of
from services.table.model import events as happened
from services.table.model.events import CloseCause, LeaveWhen, TableEvent, VoidCause
from services.table.model.room import DECLARE_LIMIT_MS, RECONNECT_GRACE_MS, ClaimTiming, Room
from wire.options import options_from_struct, options_to_struct

TIMINGS: Mapping[ClaimTiming, room_pb2.ClaimTiming.ValueType] = {
    ClaimTiming.NATURAL: room_pb2.CLAIM_TIMING_NATURAL,
    ClaimTiming.FIXED: room_pb2.CLAIM_TIMING_FIXED,
}
CAUSES: Mapping[CloseCause, event_pb2.TableCloseCause.ValueType] = {
    CloseCause.NOT_READY: event_pb2.TABLE_CLOSE_CAUSE_NOT_READY,
    CloseCause.BALANCE: event_pb2.TABLE_CLOSE_CAUSE_BALANCE,
    CloseCause.DEALS_PLAYED: event_pb2.TABLE_CLOSE_CAUSE_DEALS_PLAYED,
    CloseCause.FAULT: event_pb2.TABLE_CLOSE_CAUSE_FAULT,
    CloseCause.STAKE: event_pb2.TABLE_CLOSE_CAUSE_STAKE,
    CloseCause.SCORING: event_pb2.TABLE_CLOSE_CAUSE_SCORING,
    CloseCause.VOIDED: event_pb2.TABLE_CLOSE_CAUSE_VOIDED,
    CloseCause.LEFT: event_pb2.TABLE_CLOSE_CAUSE_LEFT,
    CloseCause.ESCAPED: event_pb2.TABLE_CLOSE_CAUSE_ESCAPED,
}
VOID_CAUSES: Mapping[VoidCause, event_pb2.DealVoidCause.ValueType] = {
    VoidCause.LOST_TAIL: event_pb2.DEAL_VOID_CAUSE_LOST_TAIL,
}
WHENS: Mapping[LeaveWhen, event_pb2.LeaveWhen.ValueType] = {
    LeaveWhen.NOW: event_pb2.LEAVE_WHEN_NOW,
    LeaveWhen.AFTER_DEAL: event_pb2.LEAVE_WHEN_AFTER_DEAL,
}


def room_to_proto(room: Room) -> room_pb2.Room:
    """A room as a message."""
    return room_pb2.Room(
        room_id=room.room_id,
        name=room.name,
        variant=room.variant,
        options=options_to_struct(room.options),
        asset=room.asset,
        stake=room.stake,
        least_balance=room.least_balance,
        turn_limit_ms=room.turn_limit_ms,
        claim_limit_ms=room.claim_limit_ms,
        claim_timing=TIMINGS[room.claim_timing],
        claim_floor_min_ms=room.claim_floor_min_ms,
        claim_floor_max_ms=room.claim_floor_max_ms,
        ready_limit_ms=room.ready_limit_ms,
        dealing_ms=room.dealing_ms,
        arrive_limit_ms=room.arrive_limit_ms,
        bots_allowed=room.bots_allowed,
        deals_max=room.deals_max,
        etag=room.etag,
        bot_wait_ms=room.bot_wait_ms,
        bot_policy=room.bot_policy,
        closed=room.closed,
        spectators_allowed=room.spectators_allowed,
        spectator_delay_ms=room.spectator_delay_ms,
        moves_points=room.moves_points,
        declare_limit_ms=room.declare_limit_ms,
        reconnect_grace_ms=room.reconnect_grace_ms,
        escape_penalty=room.escape_penalty,
    )


def room_from_proto(message: room_pb2.Room) -> Room:
    """The room a message describes; an unspecified timing is natural. Raises: OptionError."""
    fixed = message.claim_timing == room_pb2.CLAIM_TIMING_FIXED
    return Room(
        room_id=message.room_id,
        name=message.name,
        variant=message.variant,
        options=options_from_struct(message.options),
        asset=message.asset,
        stake=message.stake,
        least_balance=message.least_balance,
        turn_limit_ms=message.turn_limit_ms,
        claim_limit_ms=message.claim_limit_ms,
        claim_timing=ClaimTiming.FIXED if fixed else ClaimTiming.NATURAL,
        claim_floor_min_ms=message.claim_floor_min_ms,
        claim_floor_max_ms=message.claim_floor_max_ms,
        ready_limit_ms=message.ready_limit_ms,
        dealing_ms=message.dealing_ms,
        arrive_limit_ms=message.arrive_limit_ms,
        bots_allowed=message.bots_allowed,
        deals_max=message.deals_max,
        etag=message.etag,
        bot_wait_ms=message.bot_wait_ms,
        bot_policy=message.bot_policy,
        closed=message.closed,
        spectators_allowed=message.spectators_allowed,
        spectator_delay_ms=message.spectator_delay_ms,
        moves_points=message.moves_points,
        declare_limit_ms=message.declare_limit_ms or DECLARE_LIMIT_MS,
        reconnect_grace_ms=message.reconnect_grace_ms or RECONNECT_GRACE_MS,
        escape_penalty=message.escape_penalty,
    )


def players_to_proto(players: Sequence[str], bots: Sequence[str] = ()) -> list[event_pb2.SeatTaken]:
    """Players in seat order as rows; `bots` as in `Created`."""
    policies = bots or ("",) * len(players)
    return [
        event_pb2.SeatTaken(seat=seat, player_id=player, bot_policy=policy)
        for seat, (player, policy) in enumerate(zip(players, policies, strict=True))
    ]


def players_from_proto(rows: Sequence[event_pb2.SeatTaken]) -> tuple[str, ...]:
    """Players in seat order; the rows are in that order."""
    return tuple(row.player_id for row in rows)


def bots_from_proto(rows: Sequence[event_pb2.SeatTaken]) -> tuple[str, ...]:
    """How the bot of each seat plays, as in `Created`: nothing where no seat is a bot's."""
    policies = tuple(row.bot_policy for row in rows)
    return policies if any(policies) else ()


def event_to_message(event: TableEvent) -> event_pb2.TableEvent:
    """An entry as a message, whole or redacted."""
    return _WRITERS[type(event)](event)


def event_from_message(message: event_pb2.TableEvent) -> TableEvent:
    """The entry a message holds.

    Raises: ValueError, KeyError: it holds none that is known here.
    """
    kind = message.WhichOneof("kind")
    if kind is None:
        raise ValueError("no entry is set")
    return _READERS[kind](getattr(message, kind))


def payments_made_to_proto(event: happened.PaymentsMade) -> event_pb2.PaymentsMade:
    """A settlement carried out as a message."""
    return event_pb2.PaymentsMade(
        deal_id=event.deal_id,
        settlement_seq=event.settlement_seq,
        asset=event.asset,
        payments=[_payment(line.payment, line.paid) for line in event.lines],
        balances=_balances(event.balances),
    )


def _payment(payment: Payment, paid: int) -> event_pb2.TablePayment:
    return event_pb2.TablePayment(
        payer_seat=payment.payer,
        payee_seat=payment.payee,
        asked=payment.amount,
        paid=paid,
        cause=payment.cause,
        group_id=0 if payment.group is None else payment.group.number,
        remainder_to_seat=None if payment.group is None else payment.group.remainder_to,
    )


def _payment_from(message: event_pb2.TablePayment) -> Payment:
    payee = message.payee_seat if message.HasField("payee_seat") else None
    group = None
    if message.group_id:
        group = Group(message.group_id, message.remainder_to_seat if message.HasField("remainder_to_seat") else None)
    return Payment(message.payer_seat, payee, message.asked, message.cause, group)


def _balances(balances: Iterable[int]) -> list[event_pb2.SeatBalance]:
    return [event_pb2.SeatBalance(seat=seat, balance=balance) for seat, balance in enumerate(balances)]


def _balances_from(rows: Iterable[event_pb2.SeatBalance]) -> tuple[int, ...]:
    return tuple(row.balance for row in rows)


def _created(event: happened.Created) -> event_pb2.TableEvent:
    created = event_pb2.TableCreated(
        room=room_to_proto(event.room),
        seats=players_to_proto(event.players, event.bots),
        match_id=event.match_id,
        first_dealer=event.first_dealer,
        correlation_id=event.correlation_id,
    )
    return event_pb2.TableEvent(created=created)


def _created_from(message: event_pb2.TableCreated) -> happened.Created:
    return happened.Created(
        room_from_proto(message.room),
        players_from_proto(message.seats),
        message.match_id,
        message.first_dealer,
        bots=bots_from_proto(message.seats),
        correlation_id=message.correlation_id,
    )


def _deal_started(event: happened.DealStarted) -> event_pb2.TableEvent:
    started = event_pb2.DealStarted(
        deal_id=event.deal_id,
        deal_number=event.deal_number,
        dealer=event.dealer,
        seed_commitment=event.commitment.hex(),
        nonces=[nonce.hex() for nonce in event.nonces],
        balances=_balances(event.balances),
        seed="" if event.seed is None else event.seed.hex(),
        points=_balances(event.points),
    )
    return event_pb2.TableEvent(deal_started=started)


def _deal_started_from(message: event_pb2.DealStarted) -> happened.DealStarted:
    return happened.DealStarted(
        deal_id=message.deal_id,
        deal_number=message.deal_number,
        dealer=message.dealer,
        commitment=bytes.fromhex(message.seed_commitment),
        nonces=tuple(bytes.fromhex(nonce) for nonce in message.nonces),
        balances=_balances_from(message.balances),
        seed=bytes.fromhex(message.seed) if message.seed else None,
        points=_balances_from(message.points),
    )


def _move(event: happened.Move) -> event_pb2.TableEvent:
    field, wire = field_of(event.event)
    message = event_pb2.TableEvent()
    getattr(message, field).CopyFrom(wire.event_to_proto(event.event))
    return message


def _move_reader(read: Callable[[Any], Any]) -> Callable[[Any], TableEvent]:
    return lambda message: happened.Move(read(message))


def _payments_due(event: happened.PaymentsDue) -> event_pb2.TableEvent:
    due = event_pb2.PaymentsDue(
        deal_id=event.deal_id,
        settlement_seq=event.settlement_seq,
        asset=event.asset,
        payments=[_payment(payment, 0) for payment in event.payments],
    )
    return event_pb2.TableEvent(payments_due=due)


def _payments_due_from(message: event_pb2.PaymentsDue) -> happened.PaymentsDue:
    payments = tuple(_payment_from(row) for row in message.payments)
    return happened.PaymentsDue(message.deal_id, message.settlement_seq, message.asset, payments)


def _payments_made_from(message: event_pb2.PaymentsMade) -> happened.PaymentsMade:
    return happened.PaymentsMade(
        deal_id=message.deal_id,
        settlement_seq=message.settlement_seq,
        asset=message.asset,
        lines=tuple(Line(_payment_from(row), row.paid) for row in message.payments),
        balances=_balances_from(message.balances),
    )


def _deal_settled(event: happened.DealSettled) -> event_pb2.TableEvent:
    settled = event_pb2.DealSettled(
        deal_id=event.deal_id,
        seed=event.seed.hex(),
        balances=_balances(event.balances),
        points=_balances(event.points),
    )
    return event_pb2.TableEvent(deal_settled=settled)


def _deal_settled_from(message: event_pb2.DealSettled) -> happened.DealSettled:
    return happened.DealSettled(
        message.deal_id,
        bytes.fromhex(message.seed),
        _balances_from(message.balances),
        _balances_from(message.points),
    )


def deal_voided_to_proto(event: happened.DealVoided) -> event_pb2.DealVoided:
    """A deal that does not count as a message."""
    return event_pb2.DealVoided(
        deal_id=event.deal_id,
        cause=VOID_CAUSES[event.cause],
        settlement_seq=event.settlement_seq,
        asset=event.asset,
        payments=[_payment(line.payment, line.paid) for line in event.lines],
        balances=_balances(event.balances),
        seed="" if event.seed is None else event.seed.hex(),
    )


def _deal_voided_from(message: event_pb2.DealVoided) -> happened.DealVoided:
    return happened.DealVoided(
        deal_id=message.deal_id,
        cause=next(cause for cause, number in VOID_CAUSES.items() if number == message.cause),
        settlement_seq=message.settlement_seq,
        asset=message.asset,
        lines=tuple(Line(_payment_from(row), row.paid) for row in message.payments),
        balances=_balances_from(message.balances),
        seed=bytes.fromhex(message.seed) if message.seed else None,
    )


def _closed(event: happened.Closed) -> event_pb2.TableEvent:
    closed = event_pb2.TableClosed(cause=CAUSES[event.cause], requeued_seats=event.requeued)
    return event_pb2.TableEvent(closed=closed)


def _closed_from(message: event_pb2.TableClosed) -> happened.Closed:
    cause = next(cause for cause, number in CAUSES.items() if number == message.cause)
    return happened.Closed(cause, tuple(message.requeued_seats))


def when_from_proto(number: event_pb2.LeaveWhen.ValueType) -> LeaveWhen:
    """When a player leaves. Raises: StopIteration: the number says nothing."""
    return next(when for when, known in WHENS.items() if known == number)


def _left(event: happened.SeatLeft) -> event_pb2.TableEvent:
    return event_pb2.TableEvent(left=event_pb2.SeatLeft(seat=event.seat, when=WHENS[event.when]))


def _trustee(event: happened.TrusteeSet) -> event_pb2.TableEvent:
    return event_pb2.TableEvent(trustee=event_pb2.TrusteeSet(seat=event.seat, on=event.on, by_server=event.by_server))


_WRITERS: dict[type, Callable[[Any], event_pb2.TableEvent]] = {
    happened.Created: _created,
    happened.Arrived: lambda event: event_pb2.TableEvent(arrived=event_pb2.SeatArrived(seat=event.seat)),
    happened.Ready: lambda event: event_pb2.TableEvent(
        ready=event_pb2.SeatReady(seat=event.seat, nonce=event.nonce.hex())
    ),
    happened.DealStarted: _deal_started,
    happened.Move: _move,
    happened.PaymentsDue: _payments_due,
    happened.PaymentsMade: lambda event: event_pb2.TableEvent(payments_made=payments_made_to_proto(event)),
    happened.DealSettled: _deal_settled,
    happened.DealVoided: lambda event: event_pb2.TableEvent(deal_voided=deal_voided_to_proto(event)),
    happened.SeatLeft: _left,
    happened.TrusteeSet: _trustee,
    happened.TurnTimedOut: lambda event: event_pb2.TableEvent(timed_out=event_pb2.TurnTimedOut(seat=event.seat)),
    happened.Closed: _closed,
}
_READERS: dict[str, Callable[[Any], TableEvent]] = {
    "created": _created_from,
    "arrived": lambda message: happened.Arrived(message.seat),
    "ready": lambda message: happened.Ready(message.seat, bytes.fromhex(message.nonce)),
    "deal_started": _deal_started_from,
    **{family: _move_reader(wire.event_from_proto) for family, wire in WIRES.items()},
    "payments_due": _payments_due_from,
    "payments_made": _payments_made_from,
    "deal_settled": _deal_settled_from,
    "deal_voided": _deal_voided_from,
    "left": lambda message: happened.SeatLeft(message.seat, when_from_proto(message.when)),
    "trustee": lambda message: happened.TrusteeSet(message.seat, message.on, message.by_server),
    "timed_out": lambda message: happened.TurnTimedOut(message.seat),
    "closed": _closed_from,
}
