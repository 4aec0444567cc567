"""A table's state, folded from its log. Asserts what must hold: a log that does not fit is our fault."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from games.kernel import Line, Seat, changed
from services.table.model import events as happened
from services.table.model import play
from services.table.model.events import CloseCause, DealVoided, LeaveWhen, PaymentsDue, PaymentsMade, TableEvent
from services.table.model.play import GameEvent, GameState, Rest
from services.table.model.room import Room


class Stage(StrEnum):
    """Where a table stands (PF-12). A deal's settlement belongs to PLAYING."""

    WAITING = "waiting"
    READYING = "readying"
    DEALING = "dealing"
    PLAYING = "playing"
    BETWEEN_DEALS = "between_deals"
    CLOSED = "closed"


GATHERING = frozenset({Stage.WAITING, Stage.READYING, Stage.BETWEEN_DEALS})
"""Stages in which seats may say that they are ready."""


@dataclass(frozen=True)  # no slots: `changed` copies it at every step
class DealState:
    """The deal that is played, or was last.

    Attributes:
        commitment: SHA-256 of the seed.
        seed: None where it is not known yet: in views.
        game: the deal by the rules.
        opened_seq: number of the event that opened the decision that stands open.
        settled: whether all its money has moved and the stakes are given back.
        made: its settlements so far, in order; what an escape moves back (PF-23).
        reckoned: whether what an escape costs has been asked for.
    """

    deal_id: str
    number: int
    dealer: Seat
    commitment: bytes
    seed: bytes | None
    game: GameState
    opened_seq: int
    settled: bool = False
    made: tuple[PaymentsMade, ...] = ()
    reckoned: bool = False


@dataclass(frozen=True, slots=True)
class ReadySeat:
    """A seat that is ready: its nonce, and the number of the event that said so."""

    nonce: bytes
    seq: int


@dataclass(frozen=True)  # no slots: `changed` copies it at every step
class TableState:
    """A table.

    Attributes:
        seq: number of the last entry folded in.
        arrived: seats that have shown a sign of life.
        ready: one a seat; None where it is not ready for the next deal.
        deal: None before the first.
        next_dealer: dealer of the next deal.
        draws_in_row: exhaustive draws just before the next deal (SH-33).
        balances: of the room's asset, one a seat, when the deal began or after the last settlement; zeros before the
            first deal.
        nets: won or lost of it at this table so far, one a seat.
        points: the same of points, where the room moves them too (PF-60); else none.
        point_nets: won or lost of them.
        dues: settlements asked for and not yet carried out, in order.
        settlement_seqs: number of the last settlement asked for, by asset; from 1.
        last_settlement: the last one in the room's asset; None before the deal's first.
        last_points_settlement: the same in points, where the room moves them too.
        closed: why the table is dissolved; None while it is not.
        bots: for each seat how its bot plays; empty text for a person (PF-10).
        correlation_id: of the call that made the table.
        nets_before: the nets when the deal began.
        point_nets_before: the same of points.
        leaving: seats that leave after the deal (PF-13).
        exited: seats that have left by a forced exit and not come back (PF-23).
        trustees: seats the server plays for as their trustee (PF-22).
        timeouts: turn time-outs in a row, one a seat.
        timed_out: whether the next move is what the rules make of a time-out.
        requeued: seats that go back to the queue, once the table is dissolved.
        voided: how the last deal was declared void, one row an asset; empty if it was not.
    """

    table_id: str
    room: Room
    players: tuple[str, ...]
    match_id: str
    next_dealer: Seat
    seq: int
    stage: Stage
    arrived: frozenset[Seat]
    ready: tuple[ReadySeat | None, ...]
    balances: tuple[int, ...]
    nets: tuple[int, ...]
    deal: DealState | None = None
    draws_in_row: int = 0
    dues: tuple[PaymentsDue, ...] = ()
    settlement_seqs: Mapping[str, int] = field(default_factory=dict)
    last_settlement: PaymentsMade | None = None
    points: tuple[int, ...] = ()
    point_nets: tuple[int, ...] = ()
    last_points_settlement: PaymentsMade | None = None
    closed: CloseCause | None = None
    bots: tuple[str, ...] = ()
    correlation_id: str = ""
    nets_before: tuple[int, ...] = ()
    point_nets_before: tuple[int, ...] = ()
    leaving: frozenset[Seat] = frozenset()
    exited: frozenset[Seat] = frozenset()
    trustees: frozenset[Seat] = frozenset()
    timeouts: tuple[int, ...] = ()
    timed_out: bool = False
    requeued: tuple[Seat, ...] = ()
    voided: tuple[DealVoided, ...] = ()

    @property
    def seats(self) -> range:
        """All seats."""
        return range(len(self.players))

    @property
    def deal_number(self) -> int:
        """Number of the deal that is played or was last; 0 before the first."""
        return 0 if self.deal is None else self.deal.number

    def balances_of(self, asset: str) -> tuple[int, ...]:
        """What every seat has of an asset that the room's deals move."""
        return self.balances if asset == self.room.asset else self.points

    @property
    def all_ready(self) -> bool:
        """Whether every seat is ready for the next deal."""
        return all(self.ready)

    def has_arrived(self, seat: Seat) -> bool:
        """Whether the seat has shown a sign of life."""
        return self.stage is not Stage.WAITING or seat in self.arrived

    @property
    def rest(self) -> Rest | None:
        """Where the running deal rests; None when none runs."""
        if self.deal is None or self.stage not in (Stage.DEALING, Stage.PLAYING):
            return None
        return play.rest_of(self.deal.game)

    @property
    def running(self) -> bool:
        """Whether a deal is played and not over."""
        return self.rest not in (None, Rest.OVER)


def created(table_id: str, event: happened.Created) -> TableState:
    """A table after the first entry of its log."""
    count = len(event.players)
    no_points = (0,) * count if event.room.moves_points else ()
    return TableState(
        table_id=table_id,
        room=event.room,
        players=event.players,
        match_id=event.match_id,
        next_dealer=event.first_dealer,
        seq=1,
        stage=Stage.WAITING,
        arrived=frozenset(),
        ready=(None,) * count,
        balances=(0,) * count,
        nets=(0,) * count,
        bots=event.bots or ("",) * count,
        correlation_id=event.correlation_id,
        points=no_points,
        point_nets=no_points,
        timeouts=(0,) * count,
    )


def evolve(state: TableState, event: TableEvent) -> TableState:
    """The state after one more entry of the log."""
    return _EVOLVERS[type(event)](state, event)


def answered(state: TableState, event: GameEvent) -> TableState:
    """The state after a private event, which takes no place in the log."""
    assert state.deal is not None
    return changed(state, deal=changed(state.deal, game=play.evolve(state.deal.game, event)))


def skipped(state: TableState) -> TableState:
    """The state after an entry of the game that cannot be followed: only its number counts."""
    return changed(state, seq=state.seq + 1)


def _arrived(state: TableState, event: happened.Arrived) -> TableState:
    assert state.stage is Stage.WAITING, event
    assert event.seat not in state.arrived, event
    everybody = state.arrived | {event.seat}
    stage = Stage.READYING if len(everybody) == len(state.players) else Stage.WAITING
    return changed(state, seq=state.seq + 1, arrived=everybody, stage=stage)


def _ready(state: TableState, event: happened.Ready) -> TableState:
    assert state.stage in GATHERING, event
    assert state.ready[event.seat] is None, event
    row = ReadySeat(event.nonce, state.seq + 1)
    ready = (*state.ready[: event.seat], row, *state.ready[event.seat + 1 :])
    return changed(state, seq=state.seq + 1, ready=ready)


def _deal_started(state: TableState, event: happened.DealStarted) -> TableState:
    assert state.stage in (Stage.READYING, Stage.BETWEEN_DEALS), event
    assert event.deal_number == state.deal_number + 1, event
    seq = state.seq + 1
    deal = DealState(
        deal_id=event.deal_id,
        number=event.deal_number,
        dealer=event.dealer,
        commitment=event.commitment,
        seed=event.seed,
        game=play.before_the_wall(
            play.rules_of(state.room),
            event.dealer,
            deal_index=event.deal_number - 1,
            draws_in_row=state.draws_in_row,
        ),
        opened_seq=seq,
    )
    return changed(
        state,
        seq=seq,
        stage=Stage.DEALING,
        deal=deal,
        ready=(None,) * len(state.players),
        balances=event.balances,
        points=event.points,
        last_settlement=None,
        last_points_settlement=None,
        nets_before=state.nets,
        point_nets_before=state.point_nets,
        timeouts=(0,) * len(state.players),
    )


def _moved(state: TableState, event: happened.Move) -> TableState:
    deal = state.deal
    assert deal is not None, event
    assert not deal.settled, event
    seq = state.seq + 1
    game = play.evolve(deal.game, event.event)
    opened = seq if play.opens_decision(event.event) else deal.opened_seq
    stage = Stage.DEALING if play.rest_of(game) is Rest.OPENING else Stage.PLAYING
    next_dealer = play.next_dealer_after(event.event)
    returned = play.returned_by(event.event)
    return changed(
        state,
        seq=seq,
        stage=stage,
        deal=changed(deal, game=game, opened_seq=opened),
        next_dealer=state.next_dealer if next_dealer is None else next_dealer,
        draws_in_row=play.draws_in_row_after(event.event, game, state.draws_in_row),
        exited=state.exited if returned is None else state.exited - {returned},
        timeouts=_timeouts_after(state, event.event),
        timed_out=False,
    )


def _timeouts_after(state: TableState, event: GameEvent) -> tuple[int, ...]:
    """A move that a player makes in his turn ends his row of time-outs (PF-22)."""
    mover = None if state.timed_out else play.mover(event)
    return state.timeouts if mover is None else _at(state.timeouts, mover, 0)


def _at(counts: tuple[int, ...], seat: Seat, count: int) -> tuple[int, ...]:
    return (*counts[:seat], count, *counts[seat + 1 :])


def _payments_due(state: TableState, event: happened.PaymentsDue) -> TableState:
    assert event.settlement_seq == state.settlement_seqs.get(event.asset, 0) + 1, event
    assert state.deal is not None, event
    seqs = {**state.settlement_seqs, event.asset: event.settlement_seq}
    return changed(
        state,
        seq=state.seq + 1,
        dues=(*state.dues, event),
        settlement_seqs=seqs,
        deal=changed(state.deal, reckoned=play.escaped(state.deal.game)),
    )


def _payments_made(state: TableState, event: happened.PaymentsMade) -> TableState:
    assert state.dues, event
    due = state.dues[0]
    assert (due.asset, due.settlement_seq) == (event.asset, event.settlement_seq), event
    assert state.deal is not None, event
    deal = changed(state.deal, made=(*state.deal.made, event))
    state = changed(state, seq=state.seq + 1, dues=state.dues[1:], deal=deal)
    if event.asset == state.room.asset:
        nets = _nets_after(state.nets, event.lines)
        return changed(state, balances=event.balances, nets=nets, last_settlement=event)
    nets = _nets_after(state.point_nets, event.lines)
    return changed(state, points=event.balances, point_nets=nets, last_points_settlement=event)


def _nets_after(nets: tuple[int, ...], lines: tuple[Line, ...]) -> tuple[int, ...]:
    after = list(nets)
    for line in lines:
        after[line.payment.payer] -= line.paid
        if line.payment.payee is not None:
            after[line.payment.payee] += line.paid
    return tuple(after)


def _deal_settled(state: TableState, event: happened.DealSettled) -> TableState:
    deal = state.deal
    assert deal is not None, event
    assert deal.deal_id == event.deal_id, event
    assert not state.dues, event
    return changed(
        state,
        seq=state.seq + 1,
        stage=Stage.BETWEEN_DEALS,
        deal=changed(deal, seed=event.seed, settled=True),
        balances=event.balances,
        points=event.points,
    )


def _deal_voided(state: TableState, event: happened.DealVoided) -> TableState:
    """What the settlements of the deal moved in the log is taken out of the nets; what moved only at the ledger never
    was in them.
    """
    assert state.stage is not Stage.CLOSED, event
    deal = state.deal
    runs = deal is not None and deal.deal_id == event.deal_id
    if event.asset == state.room.asset:
        money = {"balances": event.balances, "nets": state.nets_before if runs else state.nets}
    else:
        money = {"points": event.balances, "point_nets": state.point_nets_before if runs else state.point_nets}
    return changed(
        state,
        **money,
        seq=state.seq + 1,
        dues=(),
        deal=changed(deal, seed=event.seed, settled=False) if deal is not None and runs else deal,
        settlement_seqs={
            **state.settlement_seqs,
            event.asset: max(event.settlement_seq, state.settlement_seqs.get(event.asset, 0)),
        },
        voided=(*state.voided, event),
    )


def _closed(state: TableState, event: happened.Closed) -> TableState:
    assert state.stage is not Stage.CLOSED, event
    return changed(state, seq=state.seq + 1, stage=Stage.CLOSED, closed=event.cause, requeued=event.requeued)


def _left(state: TableState, event: happened.SeatLeft) -> TableState:
    if event.when is LeaveWhen.NOW:
        return changed(state, seq=state.seq + 1, exited=state.exited | {event.seat})
    return changed(state, seq=state.seq + 1, leaving=state.leaving | {event.seat})


def _trustee(state: TableState, event: happened.TrusteeSet) -> TableState:
    trustees = state.trustees | {event.seat} if event.on else state.trustees - {event.seat}
    timeouts = state.timeouts if event.on else _at(state.timeouts, event.seat, 0)
    return changed(state, seq=state.seq + 1, trustees=trustees, timeouts=timeouts)


def _timed_out(state: TableState, event: happened.TurnTimedOut) -> TableState:
    timeouts = _at(state.timeouts, event.seat, state.timeouts[event.seat] + 1)
    return changed(state, seq=state.seq + 1, timeouts=timeouts, timed_out=True)


_EVOLVERS: dict[type, Callable[[TableState, Any], TableState]] = {
    happened.Arrived: _arrived,
    happened.Ready: _ready,
    happened.DealStarted: _deal_started,
    happened.Move: _moved,
    happened.PaymentsDue: _payments_due,
    happened.PaymentsMade: _payments_made,
    happened.DealSettled: _deal_settled,
    happened.DealVoided: _deal_voided,
    happened.SeatLeft: _left,
    happened.TrusteeSet: _trustee,
    happened.TurnTimedOut: _timed_out,
    happened.Closed: _closed,
}
