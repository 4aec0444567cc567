"""What may happen at a table next: commands in, events out (PF-12). Nothing here waits, draws or sends.

A `Draft` collects the events of one turn of the table on a copy of its state; nothing counts until they are stored.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from games.kernel import Line, Payment, Seat
from refusals import Reason, Refusal
from services.table.model import play, shuffle
from services.table.model.clocks import Clock, ClockName
from services.table.model.events import (
    Arrived,
    CloseCause,
    Closed,
    DealSettled,
    DealStarted,
    DealVoided,
    Move,
    PaymentsDue,
    PaymentsMade,
    Ready,
    TableEvent,
    TrusteeSet,
    TurnTimedOut,
)
from services.table.model.play import GameAction, GameEvent, PlayerAction, Rest
from services.table.model.room import POINTS, ClaimTiming
from services.table.model.state import GATHERING, Stage, TableState, answered, evolve

RETURN = "return"
"""Cause of payments that move back what moved in a deal, as the ledger knows it."""
_DECISION_ID = re.compile(r"(\d{1,18})-(\d{1,3})").fullmatch


class Draft:
    """Events of one turn, and the state after them.

    Attributes:
        events: for the log, in order.
        private: answers to the shared question that stands open; kept beside the log.
        floor_ms: floor drawn for the question that the draft leaves open; None if the draft opened none.
        lost: seats whose players are not there (PF-24); beside the log, since nobody reads of it there.
    """

    def __init__(
        self,
        state: TableState,
        draw_floor: Callable[[], int],
        *,
        floor_passed: bool = True,
        lost: frozenset[Seat] = frozenset(),
    ) -> None:
        """`floor_passed`: whether the question that stands open, if any, has been open for its floor (PF-20)."""
        self.state = state
        self.lost = lost
        self.events: list[TableEvent] = []
        self.private: list[GameEvent] = []
        self.floor_ms: int | None = None
        self._draw_floor = draw_floor
        self._floor_passed = floor_passed

    def put(self, event: TableEvent) -> None:
        """One more event for the log."""
        self.state = evolve(self.state, event)
        self.events.append(event)

    def move(self, event: GameEvent) -> None:
        """One more event of the game, and the payments it asks for (BB-50, PF-60)."""
        if play.is_private(event):
            self.state = answered(self.state, event)
            self.private.append(event)
            return
        self.put(Move(event))
        deal = self.state.deal
        assert deal is not None
        if play.escaped(deal.game):
            self.reckon_escape()
            return
        self._ask(self.state.room.asset, play.asked_by(event))
        if self.state.room.moves_points:
            self._ask(POINTS, play.scored_by(event, deal.game))

    def _ask(self, asset: str, payments: tuple[Payment, ...]) -> None:
        """A settlement is due, unless nothing is asked."""
        if payments:
            deal = self.state.deal
            assert deal is not None
            seq = self.state.settlement_seqs.get(asset, 0) + 1
            self.put(PaymentsDue(deal.deal_id, seq, asset, payments))

    def reckon_escape(self) -> None:
        """What an escape costs (PF-23): what moved in the deal is moved back, then the penalty.

        Nothing while settlements are under way, since nobody knows yet what they move; and nothing a second time.
        """
        deal = self.state.deal
        assert deal is not None
        if self.state.dues or deal.reckoned or not play.escaped(deal.game):
            return
        for made in reversed(deal.made):
            if back := _moved_back(made.lines):
                self._ask(made.asset, back)
        ended = deal.game.result
        assert ended is not None
        for payment in play.asked_by(ended):
            self._ask(self.state.room.asset, (payment,))
        if self.state.room.moves_points:
            for payment in play.scored_by(ended, deal.game):
                self._ask(POINTS, (payment,))

    def play(self, action: GameAction) -> None:
        """An action of the game and all that follows by itself. Raises: Refusal."""
        assert self.state.deal is not None
        self._decide(action)
        while (follows := self._follows()) is not None:
            self._decide(follows)

    def settle_question(self) -> None:
        """Close the open question if nothing keeps it open any more."""
        while (follows := self._follows()) is not None:
            self._decide(follows)

    def _decide(self, action: GameAction) -> None:
        assert self.state.deal is not None
        before = self.state.deal.opened_seq
        for event in play.decide(self.state.deal.game, action):
            self.move(event)
        if self.state.deal.opened_seq != before:
            self.private.clear()
            is_question = self.state.rest is Rest.QUESTION
            self.floor_ms = self._draw_floor() if is_question else None
            self._floor_passed = not self.floor_ms

    def _follows(self) -> GameAction | None:
        """What happens without anybody's doing: tiles dealt without a pause, questions nobody is asked (PF-20)."""
        room, deal = self.state.room, self.state.deal
        if deal is None:
            return None
        if self.state.rest is Rest.OPENING and not room.dealing_ms:
            return play.dealing(deal.game)
        if self.state.rest is not Rest.QUESTION or room.claim_timing is ClaimTiming.FIXED:
            return None
        if not self._floor_passed or play.awaiting(deal.game):
            return None
        return play.closing(deal.game)


def _moved_back(lines: Sequence[Line]) -> tuple[Payment, ...]:
    """The payments that undo what was paid to players, the last one first."""
    return tuple(
        Payment(line.payment.payee, line.payment.payer, line.paid, RETURN)
        for line in reversed(lines)
        if line.paid and line.payment.payee is not None
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an accepted request is answered: a number and whether it waits for others' answers."""

    seq: int
    queued: bool = False


def decision_id(opened_seq: int, seat: Seat) -> str:
    """The name of a decision: the event that opened it and the seat that is asked."""
    return f"{opened_seq}-{seat}"


def standing_id(deal_number: int, seat: Seat) -> str:
    """The name under which standing actions are offered in a deal (BB-17): none that a decision ever has."""
    return f"0{deal_number}-{seat}"


def arrive(draft: Draft, seat: Seat) -> None:
    """A seat's first sign of life; nothing if it has arrived."""
    if draft.state.stage is Stage.WAITING and seat not in draft.state.arrived:
        draft.put(Arrived(seat))


def ready(draft: Draft, seat: Seat, nonce: bytes) -> Outcome:
    """A seat is ready for the next deal.

    Raises: Refusal: WRONG_TABLE_STATE while a deal runs.
    """
    state = draft.state
    if state.stage not in GATHERING:
        raise Refusal(Reason.WRONG_TABLE_STATE, detail="a deal is running", rule="PF-12")
    row = state.ready[seat]
    if row is not None:
        return Outcome(row.seq)
    arrive(draft, seat)
    draft.put(Ready(seat, nonce))
    return Outcome(draft.state.seq)


def act(draft: Draft, seat: Seat, decision: str, action: PlayerAction) -> Outcome:
    """A move of a player.

    Raises: Refusal: WRONG_TABLE_STATE, DECISION_STALE, INVALID_FIELD, or what the rules refuse it for.
    """
    state = draft.state
    if state.rest is None or state.deal is None:
        raise Refusal(Reason.WRONG_TABLE_STATE, detail="no deal is running", rule="PF-12")
    _check_decision(state, seat, decision, action)
    opened_seq = state.deal.opened_seq
    is_answer = state.rest is Rest.QUESTION and not play.is_standing(action)
    draft.play(action)
    return Outcome(opened_seq, queued=True) if is_answer else Outcome(state.seq + 1)


def _check_decision(state: TableState, seat: Seat, decision: str, action: PlayerAction) -> None:
    assert state.deal is not None
    if decision == decision_id(state.deal.opened_seq, seat):
        return
    standing = play.is_standing(action)
    if standing and decision in ("", standing_id(state.deal_number, seat)):
        return
    if not decision:
        play.decide(state.deal.game, action)  # what the rules say comes first: not his turn, not asked
        raise Refusal(Reason.INVALID_FIELD, field="decision_id", detail="name the decision this answers")
    found = _DECISION_ID(decision)
    if found is None:
        raise Refusal(Reason.INVALID_FIELD, field="decision_id", detail="not the form of a decision id")
    if int(found[2]) != seat:
        raise Refusal(Reason.TOKEN_MISMATCH, field="decision_id", detail="the decision is another seat's")
    raise Refusal(Reason.DECISION_STALE)


def next_deal_id(state: TableState) -> str:
    """The id of the next deal: the same for every owner of the table, so that a reservation can be repeated."""
    return f"{state.table_id}.{state.deal_number + 1}"


def start_deal(draft: Draft, balances: Sequence[int], seed: bytes, points: Sequence[int] = ()) -> None:
    """Stakes are reserved: commit to the shuffle, build the wall, throw the dice.

    Args:
        points: what every seat has of them, where the room moves them too (PF-60).
    """
    state = draft.state
    assert state.all_ready, state.stage
    nonces = tuple(row.nonce for row in state.ready if row is not None)
    deal_id = next_deal_id(state)
    draft.put(
        DealStarted(
            deal_id=deal_id,
            deal_number=state.deal_number + 1,
            dealer=state.next_dealer,
            commitment=shuffle.commitment(seed),
            nonces=nonces,
            balances=tuple(balances),
            seed=seed,
            points=tuple(points),
        )
    )
    assert draft.state.deal is not None
    for event in play.opening(draft.state.deal.game, seed=seed, nonces=nonces, deal_id=deal_id):
        draft.move(event)
    draft.settle_question()


def payments_made(draft: Draft, due: PaymentsDue, lines: Sequence[Line], balances: Sequence[int]) -> None:
    """The ledger has carried out a settlement."""
    draft.put(PaymentsMade(due.deal_id, due.settlement_seq, due.asset, tuple(lines), tuple(balances)))
    draft.reckon_escape()


def settle_deal(draft: Draft) -> None:
    """All money has moved and the stakes are given back: on to the next deal, or the table's end (PF-13)."""
    state = draft.state
    deal = state.deal
    assert deal is not None
    assert deal.seed is not None
    draft.put(DealSettled(deal.deal_id, deal.seed, state.balances, state.points))
    gone = state.leaving | state.exited | (play.away(deal.game) & draft.lost)
    short = frozenset(seat for seat in state.seats if state.balances[seat] < state.room.least_balance)
    if play.escaped(deal.game):
        close(draft, CloseCause.ESCAPED)
    elif state.room.deals_max and deal.number >= state.room.deals_max:
        close(draft, CloseCause.DEALS_PLAYED)
    elif gone or short:
        close(draft, CloseCause.LEFT if gone else CloseCause.BALANCE, out=gone | short)


_REQUEUES = frozenset({CloseCause.LEFT, CloseCause.BALANCE, CloseCause.NOT_READY, CloseCause.STAKE})
"""Ends that are not the doing of those who want to play on."""


def void_deal(draft: Draft, events: Sequence[DealVoided]) -> None:
    """A deal does not count: everybody is told, and the table is dissolved."""
    for event in events:
        draft.put(event)
    close(draft, CloseCause.VOIDED)


def close(draft: Draft, cause: CloseCause, *, out: frozenset[Seat] = frozenset()) -> None:
    """The table is dissolved; nothing if it is already.

    Args:
        out: seats on whose account it is; the others who are there go back to the queue (PF-13).
    """
    state = draft.state
    if state.stage is Stage.CLOSED:
        return
    stay = cause in _REQUEUES and bool(out)
    never_came = {seat for seat in state.seats if not state.has_arrived(seat)}
    gone = out | draft.lost | state.leaving | state.exited | never_came
    draft.put(Closed(cause, tuple(seat for seat in state.seats if stay and seat not in gone)))


def run_out(draft: Draft, clock: Clock) -> None:
    """A clock has run out."""
    _RUN_OUT[clock.name](draft)


def _run_out_gathering(draft: Draft) -> None:
    """Who has not come, or is not ready, has given his seat up (PF-12)."""
    state = draft.state
    if state.stage is Stage.WAITING:
        missing = frozenset(state.seats) - state.arrived
    else:
        missing = frozenset(seat for seat in state.seats if state.ready[seat] is None)
    close(draft, CloseCause.NOT_READY, out=missing)


def _run_out_dealing(draft: Draft) -> None:
    assert draft.state.deal is not None
    draft.play(play.dealing(draft.state.deal.game))


TIMEOUTS_TO_TRUSTEE = 2
"""Turn time-outs in a row after which the server plays for the seat (PF-22)."""


def _run_out_turn(draft: Draft) -> None:
    assert draft.state.deal is not None
    game = draft.state.deal.game
    seat = game.turn
    draft.put(TurnTimedOut(seat))
    draft.play(play.timeout(game))
    if draft.state.timeouts[seat] >= TIMEOUTS_TO_TRUSTEE and seat not in draft.state.trustees:
        draft.put(TrusteeSet(seat, on=True, by_server=True))


def _run_out_claim(draft: Draft) -> None:
    assert draft.state.deal is not None
    draft.play(play.closing(draft.state.deal.game))


_RUN_OUT: dict[ClockName, Callable[[Draft], None]] = {
    ClockName.ARRIVE: _run_out_gathering,
    ClockName.READY: _run_out_gathering,
    ClockName.DEALING: _run_out_dealing,
    ClockName.TURN: _run_out_turn,
    ClockName.CLAIM: _run_out_claim,
    ClockName.FLOOR: Draft.settle_question,
}
