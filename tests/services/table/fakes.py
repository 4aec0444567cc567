"""A ledger, a matchmaker and chance that a test can look into, and that can be away."""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from games.kernel import Payment, pay
from refusals import Reason, Refusal
from services.table.ports import Account, Booked, BookedLine, Books, Reserved, ServiceAway, Settled, StakeRefused

Value = TypeVar("Value")

OPENING = 10_000


@dataclass
class Book:
    """The books of one asset."""

    balances: dict[str, int] = field(default_factory=dict)
    locked: dict[str, str] = field(default_factory=dict)
    settled: dict[tuple[str, int], Settled] = field(default_factory=dict)
    lines: dict[tuple[str, int], tuple[BookedLine, ...]] = field(default_factory=dict)

    def units(self, player: str) -> int:
        return self.balances.setdefault(player, OPENING)


@dataclass
class FakeLedger:
    """Books in memory with the ledger's rules: fenced, in order, once, clamped.

    Attributes:
        books: by asset.
        away: every call fails, and nothing is known of it.
        forgetful: every call is carried out, and its first answer gets lost.
        refuses: a definite no for every settlement.
    """

    books: dict[str, Book] = field(default_factory=lambda: {"coins": Book(), "points": Book()})
    epochs: dict[tuple[str, str], int] = field(default_factory=dict)
    away: bool = False
    forgetful: bool = False
    lost_count: int = 0
    refuses: Reason | None = None
    calls: list[str] = field(default_factory=list)
    applied_count: int = 0
    penalties: list[tuple[str, int]] = field(default_factory=list)

    @property
    def balances(self) -> dict[str, int]:
        return self.books["coins"].balances

    @property
    def locked(self) -> dict[str, str]:
        return self.books["coins"].locked

    @property
    def settled(self) -> dict[tuple[str, int], Settled]:
        return self.books["coins"].settled

    async def claim(self, account: Account, known_seq: int) -> Books:
        await self._enter("claim", account)
        self.epochs[account.table_id, account.asset] = account.epoch
        book = self.books[account.asset]
        seqs = sorted(seq for table_id, seq in book.settled if table_id == account.table_id)
        missed = tuple(Booked(seq, book.lines.get((account.table_id, seq), ())) for seq in seqs if seq > known_seq)
        return self._leave(Books(seqs[-1] if seqs else 0, missed))

    async def reserve(self, account: Account, deal_id: str, least_balance: int) -> Reserved | StakeRefused:
        await self._enter("reserve", account)
        book = self.books[account.asset]
        short = frozenset(player for player in account.players if book.units(player) < least_balance)
        if short:
            return self._leave(StakeRefused(short=True, players=short))
        held = frozenset(player for player in account.players if book.locked.get(player, deal_id) != deal_id)
        if held:
            return self._leave(StakeRefused(short=False, players=held))
        book.locked.update(dict.fromkeys(account.players, deal_id))
        return self._leave(Reserved(tuple(map(book.units, account.players))))

    async def settle(self, account: Account, deal_id: str, seq: int, payments: Sequence[Payment]) -> Settled:
        await self._enter("settle", account)
        if self.refuses is not None:
            raise Refusal(self.refuses)
        settled = self.books[account.asset].settled
        known = settled.get((account.table_id, seq))
        if known is None:
            if any(self.books[account.asset].locked.get(player) != deal_id for player in account.players):
                raise Refusal(Reason.STAKE_MISSING)
            known = settled[account.table_id, seq] = self._carried_out(account, payments)
            self.books[account.asset].lines[account.table_id, seq] = tuple(
                BookedLine(
                    account.players[payment.payer],
                    "system" if payment.payee is None else account.players[payment.payee],
                    paid,
                    payment.cause,
                )
                for payment, paid in zip(payments, known.paid, strict=True)
            )
        return self._leave(known)

    def _carried_out(self, account: Account, payments: Sequence[Payment]) -> Settled:
        book = self.books[account.asset]
        self.applied_count += 1
        paid = pay([book.units(player) for player in account.players], payments)
        after = dict(zip(account.players, paid.balances, strict=True))
        book.balances.update(after)
        return Settled(tuple(line.paid for line in paid.lines), after)

    async def penalize(self, account: Account, deal_id: str, seq: int, payment: Payment) -> Settled:
        assert payment.payee is None, payment
        self.penalties.append((account.players[payment.payer], payment.amount))
        return await self.settle(account, deal_id, seq, (payment,))

    async def release(self, account: Account, deal_id: str) -> None:
        await self._enter("release", account)
        locked = self.books[account.asset].locked
        of_table = f"{account.table_id}."
        for player in [
            name for name, deal in locked.items() if deal == deal_id or (not deal_id and deal.startswith(of_table))
        ]:
            del locked[player]
        self._leave(None)

    async def _enter(self, name: str, account: Account) -> None:
        self.calls.append(name)
        await asyncio.sleep(0)
        if self.away:
            raise ServiceAway
        if account.epoch < self.epochs.get((account.table_id, account.asset), 0):
            raise Refusal(Reason.FENCED)

    def _leave(self, answer: Value) -> Value:
        if self.forgetful and self.calls.count(self.calls[-1]) % 2:
            self.lost_count += 1
            raise ServiceAway
        return answer


@dataclass
class FakeSeats:
    """Players who were let go, by table: free, or back in the queue."""

    away: bool = False
    released: dict[str, tuple[str, ...]] = field(default_factory=dict)
    requeued: dict[str, tuple[str, ...]] = field(default_factory=dict)

    async def release(self, table_id: str, epoch: int, players: Sequence[str], *, requeue: bool) -> None:
        if self.away:
            raise ServiceAway
        (self.requeued if requeue else self.released)[table_id] = tuple(players)


class FixedEntropy:
    """Chance that repeats itself: the same seeds in the same order, floors as given."""

    def __init__(self, name: str = "seed", floor_ms: int | None = None) -> None:
        self._name = name
        self._count = 0
        self.floor_ms = floor_ms
        self.drawn: list[int] = []

    def seed(self) -> bytes:
        self._count += 1
        return hashlib.sha256(f"{self._name}:{self._count}".encode()).digest()

    def between(self, least: int, most: int) -> int:
        drawn = least if self.floor_ms is None else self.floor_ms
        assert least <= drawn <= most
        self.drawn.append(drawn)
        return drawn


class Reached:
    """Checkpoints that remember."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def reach(self, name: str) -> None:
        self.names.append(name)
