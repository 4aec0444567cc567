"""What must be true after any fault: the log against what was seen, promised, asked and paid.

The log is read out of the store and judged by the rules and the wire alone; no code of the table's takes part.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from cardroom.table.v1 import event_pb2, table_pb2
from redis.asyncio import Redis

from games.kernel import Line, Payment, Seat, pay
from games.mahjong import actions as asked
from games.mahjong.events import PRIVATE_EVENTS, Ended, Event, Opened, Won
from games.mahjong.game import GAME
from games.mahjong.state import QUESTIONS, Phase, State
from tests.faults.machine import ASSET, Machine
from tests.faults.witnesses import Promise, Witness
from wire.mahjong import action_from_proto, event_from_proto, event_to_proto


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a table's log; `at_ms` by the store's clock."""

    seq: int
    at_ms: int
    event: event_pb2.TableEvent

    @property
    def kind(self) -> str:
        """Which entry it is."""
        return self.event.WhichOneof("kind") or ""


@dataclass(frozen=True, slots=True)
class Log:
    """A table's log, and how often the table has changed hands.

    Attributes:
        epoch: of the last owner; 1 for the first.
        start_seq: number of the last entry when the last owner took over.
    """

    entries: tuple[Entry, ...]
    epoch: int
    start_seq: int

    @property
    def first_by_last_owner(self) -> Entry | None:
        """The first entry that the last owner wrote."""
        return next((entry for entry in self.entries if entry.seq > self.start_seq), None)


async def read_log(redis: Redis, table_id: str) -> Log:
    """A table's log, also of one that is being played. Fails unless its numbers are 1, 2, 3 ..."""
    async with redis.pipeline(transaction=True) as both:
        both.xrange(f"{{{table_id}}}:log")
        both.hgetall(f"{{{table_id}}}:meta")
        raw, found = await both.execute()
    rows = _numbered(raw)
    meta = {name.decode(): value.decode() for name, value in found.items()}
    entries = tuple(
        Entry(seq, int(fields[b"t"]), event_pb2.TableEvent.FromString(fields[b"e"])) for seq, fields in rows
    )
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    assert meta["seq"] == str(len(entries))
    epoch = int(meta["epoch"])
    return Log(entries, epoch, int(meta[f"start:{epoch}"]))


async def rows_of(redis: Redis, stream: str) -> list[tuple[int, dict[bytes, bytes]]]:
    """A stream's rows: number and fields."""
    return _numbered(await redis.xrange(stream))


def _numbered(rows: Any) -> list[tuple[int, dict[bytes, bytes]]]:
    return [(int(name.partition(b"-")[0]), fields) for name, fields in rows]


# --- what was seen ------------------------------------------------------------------------


def redacted(event: event_pb2.TableEvent, seat: Seat | None) -> event_pb2.TableEvent | None:
    """An entry as a seat may see it (PF-40); None: nothing of it."""
    seen = event_pb2.TableEvent()
    seen.CopyFrom(event)
    kind = event.WhichOneof("kind")
    if kind == "mahjong":
        shown = GAME.redact(event_from_proto(event.mahjong), seat)
        if shown is None:
            return None
        seen.mahjong.CopyFrom(event_to_proto(shown))
    elif kind == "deal_started":
        seen.deal_started.seed = ""
    elif kind == "ready":
        seen.ready.nonce = ""
    return seen


def assert_seen(log: Log, seat: Seat, received: Sequence[table_pb2.WatchResponse]) -> None:
    """The seat received one snapshot and then the whole redacted log after it: no gap, nothing twice, nothing more."""
    snapshot, *rest = received
    assert snapshot.HasField("snapshot"), f"seat {seat} began with {snapshot.WhichOneof('kind')}"
    told = [message for message in rest if not message.HasField("goodbye")]
    expected = [entry for entry in log.entries if entry.seq > snapshot.seq]
    assert [message.seq for message in told] == [entry.seq for entry in expected], f"seat {seat}"
    for message, entry in zip(told, expected, strict=True):
        due = redacted(entry.event, seat)
        if due is None:
            assert message.HasField("hidden"), f"seat {seat} was shown entry {entry.seq}"
        else:
            assert message.event == due, f"seat {seat}, entry {entry.seq}: shown {message.event}, due {due}"
    assert all(one.epoch <= other.epoch for one, other in pairwise(told))


# --- what was promised --------------------------------------------------------------------


def assert_kept(log: Log, witnesses: Iterable[Witness]) -> int:
    """Every move that was promised is in the log, and the log is nothing but those moves and what the rules make of
    them: each event is decided anew by the rules. Returns: the number of promises.

    No clock has run out: an outage does not count against anybody.
    """
    promises = [promise for witness in witnesses for promise in witness.promises]
    for witness in witnesses:
        said = [entry.seq for entry in log.entries if entry.kind == "ready"]
        his = [seq for seq in said if log.entries[seq - 1].event.ready.seat == witness.played.seat]
        assert witness.ready == his, f"seat {witness.played.seat}: ready at {his}, promised {witness.ready}"
    moves = {promise.seq: promise for promise in promises if not promise.queued}
    assert len(moves) == len([promise for promise in promises if not promise.queued]), "two moves with one number"
    answers = [promise for promise in promises if promise.queued]
    used = 0
    for seq, actions in _actions(log, moves, answers):
        used += sum(isinstance(action, asked.PlayerAction) for action in actions)
        assert actions, seq
    assert used == len(promises), f"{len(promises)} moves were promised, {used} are in the log"
    return used


def _actions(log: Log, moves: dict[int, Promise], answers: list[Promise]) -> Iterator[tuple[int, list[asked.Action]]]:
    """Replays each deal: for each decision its number and the actions that closed it; fails where the log differs."""
    for happened in _deals(log):
        yield from _actions_of_deal(happened, moves, answers)


def _actions_of_deal(
    happened: list[tuple[int, Event]], moves: dict[int, Promise], answers: list[Promise]
) -> Iterator[tuple[int, list[asked.Action]]]:
    state, opened_seq = _opened(happened)
    while happened:
        seq = happened[0][0]
        actions = _due(state, seq, opened_seq, moves, answers)
        caused: list[Event] = []
        for action in actions:
            for event in GAME.decide(state, action):
                state = GAME.evolve(state, event)
                caused.append(event)
        public = [event for event in caused if not isinstance(event, PRIVATE_EVENTS)]
        found = [happened.pop(0) for _ in range(min(len(public), len(happened)))]
        assert public, f"nothing follows at entry {seq}"
        assert [event for _, event in found] == public, f"entry {seq}: {actions} cause {public}, the log has {found}"
        opened_seq = found[-1][0]
        yield seq, actions
    assert state.phase is Phase.OVER


def _due(
    state: State, seq: int, opened_seq: int, moves: dict[int, Promise], answers: list[Promise]
) -> list[asked.Action]:
    """What must have happened at an entry."""
    if state.phase is Phase.OPENED:
        return [asked.Deal()]
    if state.phase in QUESTIONS:
        given = [promise for promise in answers if promise.seq == opened_seq]
        return [*(action_from_proto(promise.action, promise.seat) for promise in given), asked.CloseQuestion()]
    promise = moves.get(seq)
    assert promise is not None, f"entry {seq} in {state.phase}: nobody was promised a move there"
    return [action_from_proto(promise.action, promise.seat)]


def _game(log: Log) -> list[tuple[int, Event]]:
    return [(entry.seq, event_from_proto(entry.event.mahjong)) for entry in log.entries if entry.kind == "mahjong"]


def _deals(log: Log) -> list[list[tuple[int, Event]]]:
    """The game's entries, deal by deal."""
    deals: list[list[tuple[int, Event]]] = []
    for seq, event in _game(log):
        if isinstance(event, Opened):
            deals.append([])
        deals[-1].append((seq, event))
    return deals


def _opened(happened: list[tuple[int, Event]]) -> tuple[State, int]:
    seq, opening = happened.pop(0)
    assert isinstance(opening, Opened), opening
    state = GAME.initial(opening.ruleset, opening.dealer)
    return GAME.evolve(state, opening), seq


# --- what was paid ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Settlement:
    """A settlement as the log has it: what was asked, and what was paid."""

    seq: int
    payments: tuple[Payment, ...]
    lines: tuple[Line, ...]


def settlements(log: Log) -> list[Settlement]:
    """All of a log, each with its result. Fails unless they are made in the order they are due, every one once."""
    due = [entry.event.payments_due for entry in log.entries if entry.kind == "payments_due"]
    made = [entry.event.payments_made for entry in log.entries if entry.kind == "payments_made"]
    numbers = list(range(1, len(due) + 1))
    assert [row.settlement_seq for row in due] == numbers
    assert [row.settlement_seq for row in made] == numbers
    return [
        Settlement(
            one.settlement_seq,
            tuple(_payment(row) for row in one.payments),
            tuple(Line(_payment(row), row.paid) for row in other.payments),
        )
        for one, other in zip(due, made, strict=True)
    ]


def assert_paid(log: Log) -> tuple[int, ...]:
    """What the rules ask is what is due, and what is paid is what the kernel's `pay` says (PF-51).

    Returns: balances in seat order after all of it.
    """
    rules_ask = [event.payments for _, event in _game(log) if isinstance(event, Won | Ended) and event.payments]
    found = settlements(log)
    assert [row.payments for row in found] == rules_ask
    balances: tuple[int, ...] = ()
    brought = 0
    for entry in log.entries:
        if entry.kind == "deal_started":
            before, balances = balances, _balances(entry.event.deal_started.balances)
            assert before in ((), balances), "what the players had is not what they bring to the next deal"
            brought = sum(balances)
        elif entry.kind == "payments_made":
            row = found.pop(0)
            result = pay(balances, row.payments)
            assert row.lines == result.lines, f"settlement {row.seq}"
            balances = result.balances
            assert _balances(entry.event.payments_made.balances) == balances, f"settlement {row.seq}"
        elif entry.kind == "deal_settled":
            assert _balances(entry.event.deal_settled.balances) == balances
            assert sum(balances) == brought
    return balances


async def assert_booked(machine: Machine, table_id: str, log: Log, players: Sequence[str]) -> None:
    """The ledger has carried out each settlement of the log once, as the log says, and holds nobody's stake."""
    rows = await rows_of(machine.books, f"{{ledger:{ASSET}}}:journal")
    bodies = [json.loads(fields[b"body"]) for _, fields in rows]
    entries = [body for body in bodies if body["kind"] == "settle" and body["table"] == table_id]
    found = settlements(log)
    assert [entry["seq"] for entry in entries] == [row.seq for row in found]
    for entry, row in zip(entries, found, strict=True):
        booked = [(leg[0], leg[1], leg[2], leg[3]) for leg in entry["legs"]]
        assert booked == [_leg(line, players) for line in row.lines], f"settlement {row.seq}"
    accounts = await machine.accounts(players)
    assert tuple(account.balance for account in accounts) == assert_paid(log)
    assert [account.locked_by_table_id for account in accounts] == [""] * len(players)
    books = await machine.verified()
    assert books.ok and not books.faults, books
    assert books.sum_total == 0, books


def _leg(line: Line, players: Sequence[str]) -> tuple[str, str, int, int]:
    payment = line.payment
    payee = "system" if payment.payee is None else players[payment.payee]
    return players[payment.payer], payee, payment.amount, line.paid


def _payment(row: event_pb2.TablePayment) -> Payment:
    payee = row.payee_seat if row.HasField("payee_seat") else None
    return Payment(row.payer_seat, payee, row.asked, row.cause)


def _balances(rows: Iterable[event_pb2.SeatBalance]) -> tuple[int, ...]:
    return tuple(row.balance for row in sorted(rows, key=lambda row: row.seat))
