"""What a table needs from outside: a log, money, seats, chance, time, a way to show things."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from games.kernel import Payment, Seat
from services.table.model.events import CloseCause, TableEvent
from services.table.model.play import GameEvent, GameState
from services.table.model.prompts import Prompt
from services.table.model.state import TableState

Frame = bytes
"""A message to a viewer, ready to be sent."""


class Farewell(StrEnum):
    """Why a viewer's stream ends."""

    MOVED = "moved"
    REPLACED = "replaced"
    ENDED = "ended"
    SLOW = "slow"
    RECONNECT = "reconnect"
    SHUTDOWN = "shutdown"
    LEFT = "left"


class StoreAway(Exception):
    """The store does not answer. Whether the call took effect is not known; it may be repeated as it was."""


class StoreFull(Exception):
    """The store takes nothing more; nothing was done."""


class ServiceAway(Exception):
    """Another service does not answer, or cannot now; the same call may be repeated."""


@dataclass(frozen=True, slots=True)
class RequestRow:
    """An accepted request as it is remembered: by seat and id, for one deal.

    Attributes:
        fingerprint: of its content.
        answer: what it was answered.
    """

    deal_number: int
    seat: Seat
    request_id: str
    fingerprint: str
    answer: str


@dataclass(frozen=True, slots=True)
class Batch:
    """What one turn of a table writes, all or nothing.

    Attributes:
        token: names this batch among those of its epoch, so that it can be repeated when its outcome is not known.
        expected_seq: number of the last entry before it.
        entries: encoded events; they get the numbers that follow.
        private: encoded answers to the question that stands open.
        clears_answers: whether the stored answers are void, since their question is closed.
        clocks: the side record of the clocks; None if it stays as it is.
        forgets_deal: number of a deal whose requests need not be remembered any more.
    """

    table_id: str
    epoch: int
    token: str
    expected_seq: int
    entries: tuple[bytes, ...]
    private: tuple[bytes, ...] = ()
    clears_answers: bool = False
    clocks: str | None = None
    request: RequestRow | None = None
    forgets_deal: int | None = None


class Appended(StrEnum):
    """What became of a batch.

    STORED: written, now or at an earlier try. FENCED: another owner has the table. BEHIND: the log ends elsewhere
    than this owner knows: it has lost entries. KNOWN: the request was accepted before.
    """

    STORED = "stored"
    FENCED = "fenced"
    BEHIND = "behind"
    KNOWN = "known"


@dataclass(frozen=True, slots=True)
class Ownership:
    """Who has a table.

    Attributes:
        seq: number of the last entry of its log.
        finished: why it was dissolved, once everything is done; None while it is open.
    """

    epoch: int
    pod: str
    authority: str
    seq: int
    finished: CloseCause | None


@dataclass(frozen=True, slots=True)
class Claimed:
    """A table taken over.

    Attributes:
        seq: number of the last entry; nobody else appends from now on.
        clocks: the side record of the clocks, and how long ago (by the store's time) it was written.
        answers: encoded answers to the open question, in order.
        epoch_starts: for each epoch the number of the last entry when it began.
        generations: for each seat that has used a renewed token the newest one's generation.
        now_ms: the store's clock when it was claimed.
    """

    epoch: int
    seq: int
    clocks: str
    clocks_age_ms: int
    answers: tuple[bytes, ...]
    epoch_starts: Mapping[int, int]
    generations: Mapping[Seat, int]
    now_ms: int


class StoredEntry(NamedTuple):
    """An entry as it is stored; `at_ms`: when, by the store's clock, in ms since 1970."""

    seq: int
    data: bytes
    at_ms: int


class TableLog(Protocol):
    """The logs of all tables, with what is kept beside them, and who owns which.

    Every call may raise `StoreAway`; every call that writes `StoreFull`.
    """

    async def create(self, table_id: str, *, pod: str, authority: str, entry: bytes, clocks: str) -> bool:
        """A new log with its first entry, epoch 1, owned by this pod. Returns: False if there is one already."""
        ...

    async def append(self, batch: Batch) -> Appended:
        """Write a batch; the same batch again writes nothing and answers the same."""
        ...

    async def owner(self, table_id: str) -> Ownership | None:
        """Who has the table; None if there is no such table."""
        ...

    async def claim(self, table_id: str, *, known_epoch: int, pod: str, authority: str) -> Claimed | None:
        """Take the table over under the next epoch. Returns: None if somebody else was faster."""
        ...

    async def renew(self, table_id: str, epoch: int, seat: Seat, generation: int) -> bool:
        """Note the generation of the newest token a seat has used. Returns: False if the table is another owner's."""
        ...

    async def entries(self, table_id: str, after_seq: int, count_max: int) -> Sequence[StoredEntry]:
        """Entries after a number, in order, at most so many."""
        ...

    async def now_ms(self) -> int:
        """The store's clock, in ms since 1970."""
        ...

    async def requests(self, table_id: str, deal_number: int) -> Sequence[RequestRow]:
        """Requests accepted for a deal; the last one of each seat last."""
        ...

    async def finish(self, table_id: str, *, epoch: int, cause: CloseCause, deal_number: int, keep_ms: int) -> None:
        """Everything about the table is done: nobody owns it any more. Its log is dropped after so long; 0: it stays
        until it is trimmed.
        """
        ...

    async def inherit(self, table_id: str, dead_pod: str, pod: str) -> bool:
        """See to a finished table instead of a dead pod. Returns: False if it is not that pod's (any more)."""
        ...

    async def trim(self, table_id: str) -> None:
        """Forget a finished table; nothing if it is not finished."""
        ...

    async def enlist(self, pod: str, table_id: str) -> None:
        """Note that a pod has a table; before it is created or claimed."""
        ...

    async def strike(self, pod: str, table_id: str) -> None:
        """A pod has the table no more."""
        ...

    async def listed(self, pod: str) -> Sequence[str]:
        """Tables that a pod has, or may have."""
        ...

    async def listed_pods(self) -> Sequence[str]:
        """Pods that may have tables."""
        ...


@dataclass(frozen=True, slots=True)
class Reserved:
    """All stakes are locked; balances in seat order."""

    balances: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StakeRefused:
    """Nothing is locked.

    Attributes:
        short: because somebody's balance is below the least.
        players: on whose account.
    """

    short: bool
    players: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Settled:
    """A settlement carried out.

    Attributes:
        paid: units moved, one a payment.
        balances: what each account that took part has now.
    """

    paid: tuple[int, ...]
    balances: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Account:
    """A table at the ledger: who asks, and for what."""

    table_id: str
    epoch: int
    asset: str
    players: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BookedLine:
    """A payment as the ledger carried it out: accounts, units moved, why."""

    payer: str
    payee: str
    paid: int
    reason: str


@dataclass(frozen=True, slots=True)
class Booked:
    """A settlement as the ledger carried it out."""

    seq: int
    lines: tuple[BookedLine, ...]


@dataclass(frozen=True, slots=True)
class Books:
    """Where a table stands at the ledger.

    Attributes:
        last_seq: number of its last settlement, 0 if none.
        missed: the settlements after the one the table knows, in order, as far as the ledger remembers them.
    """

    last_seq: int
    missed: tuple[Booked, ...] = ()


class Ledger(Protocol):
    """Money. Every call may raise `ServiceAway` (repeat it), and `Refusal` for a definite no."""

    async def claim(self, account: Account, known_seq: int) -> Books:
        """Become the only one who may settle for the table.

        Args:
            known_seq: number of the last settlement of which the table knows what it came to.
        """
        ...

    async def reserve(self, account: Account, deal_id: str, least_balance: int) -> Reserved | StakeRefused:
        """Lock all seats' balances for a deal."""
        ...

    async def settle(self, account: Account, deal_id: str, seq: int, payments: Sequence[Payment]) -> Settled:
        """Carry out a settlement; the same number again returns the first result."""
        ...

    async def penalize(self, account: Account, deal_id: str, seq: int, payment: Payment) -> Settled:
        """Take a penalty for the system: a settlement of one payment, under the same numbers (PF-54)."""
        ...

    async def release(self, account: Account, deal_id: str) -> None:
        """Give the stakes of a deal free, or without one whatever the table holds; nothing if they are."""
        ...


class Seats(Protocol):
    """The matchmaker's seats. May raise `ServiceAway` and `Refusal`."""

    async def release(self, table_id: str, epoch: int, players: Sequence[str], *, requeue: bool) -> None:
        """The players are free to sit elsewhere; with `requeue` they are in front of the queue they came from."""
        ...


class Scoring(Protocol):
    """The rules as another process has them; `ServiceAway` where it cannot be asked, or not in time."""

    async def same_win(self, before: GameState, event: GameEvent) -> bool | None:
        """Whether all winners' hands are worth there what the event says; None where there is no hand to ask about.

        Args:
            before: the deal just before the event.
        """
        ...

    def question(self, entries: Sequence[bytes]) -> bytes | None:
        """The record of a deal that is over, as it may be asked about; None where scoring knows no such game.

        Args:
            entries: the deal's own entries of the log, in order.
        """
        ...

    async def same_deal(self, question: bytes) -> bool:
        """Whether the record is what the rules say, payment for payment."""
        ...


class Unchecked(Protocol):
    """Deals that were settled while scoring was away. Every call may raise `StoreAway`, `keep` also `StoreFull`."""

    async def keep(self, table_id: str, deal_id: str, question: bytes) -> None:
        """Keep a deal's record to be asked about later."""
        ...

    async def some(self) -> Sequence[tuple[str, str, bytes]]:
        """A few of them: table, deal, question."""
        ...

    async def drop(self, table_id: str, deal_id: str) -> None:
        """It has been asked about."""
        ...


class Entropy(Protocol):
    """Chance."""

    def seed(self) -> bytes:
        """32 random bytes nobody can guess (PF-41)."""
        ...

    def between(self, least: int, most: int) -> int:
        """A whole number, `least <= n <= most`, all equally likely."""
        ...


class Checkpoints(Protocol):
    """Places in the work where a test may stop the process."""

    def reach(self, name: str) -> None:
        """A place is reached: received, stored, shown, answered, settle_asked, settle_answered, recorded, archived."""
        ...


class Codec(Protocol):
    """Events as bytes for the log."""

    def encode(self, event: TableEvent) -> bytes:
        """An entry of the log; also of a redacted event."""
        ...

    def decode(self, data: bytes) -> TableEvent:
        """The event of an entry. Raises: UnreadableEntry."""
        ...

    def encode_private(self, event: GameEvent) -> bytes:
        """An answer for the side record."""
        ...

    def decode_private(self, data: bytes) -> GameEvent:
        """The answer. Raises: UnreadableEntry."""
        ...


class UnreadableEntry(ValueError):
    """An entry this version cannot read: of a newer version, or damaged. The table is left to others."""


@dataclass(frozen=True, slots=True)
class Place:
    """What every message to a viewer begins with; `seq` is the number of the entry, or of the last one."""

    table_id: str
    epoch: int
    seq: int


@dataclass(frozen=True, slots=True)
class Present:
    """Whether a seat's player is there; `grace_ms`: until his absence is an escape (PF-23), where it is to be one."""

    online: bool
    grace_ms: int | None


@dataclass(frozen=True, slots=True)
class Sight:
    """All a viewer may know.

    Attributes:
        seat: the viewer's; None for a spectator.
        view: the deal as the viewer may know it; None before the first.
        remaining_ms: until the open stage or decision ends.
        last_request_id: of the seat's last accepted request; may be empty.
        rewound: whether the viewer's place was in entries that are lost.
        present: one a seat.
    """

    state: TableState
    seat: Seat | None
    view: GameState | None
    prompt: Prompt | None
    remaining_ms: int | None
    last_request_id: str
    rewound: bool
    present: Sequence[Present]


class Presenter(Protocol):
    """Messages to viewers."""

    def event(self, place: Place, data: bytes) -> Frame:
        """An entry, encoded by `Codec.encode`, whole or redacted."""
        ...

    def hidden(self, place: Place) -> Frame:
        """An entry of which the viewer may know nothing."""
        ...

    def prompt(self, place: Place, prompt: Prompt) -> Frame:
        """What the viewer is asked."""
        ...

    def snapshot(self, place: Place, sight: Sight) -> Frame:
        """The whole state."""
        ...

    def presence(self, place: Place, present: Sequence[Present]) -> Frame:
        """Who is there; one a seat."""
        ...

    def heartbeat(self, place: Place) -> Frame:
        """The stream is alive."""
        ...

    def goodbye(self, place: Place, farewell: Farewell) -> Frame:
        """The stream ends."""
        ...

    def joined(self, first: Frame, rest: Sequence[Frame]) -> Frame:
        """Several messages as one, in order."""
        ...


class Meters(Protocol):
    """Counting."""

    def moved(self) -> None:
        """A move is stored and shown."""
        ...

    def settled(self, seconds: float) -> None:
        """The ledger has answered a settlement."""
        ...

    def compared(self, outcome: str) -> None:
        """A win or a deal was compared with scoring: `app.checking.Outcome`."""
        ...

    def ran_out(self, clock: str) -> None:
        """A clock ran out."""
        ...

    def quarantined(self) -> None:
        """A fault has stopped a table."""
        ...

    def archived(self) -> None:
        """A log is in the archive and out of the store."""
        ...

    def staged(self, before: str | None, after: str | None) -> None:
        """A table has changed its stage; None: it is not on this pod."""
        ...

    def watched(self, change: int) -> None:
        """The number of viewers has changed."""
        ...


class Traces(Protocol):
    """Under which correlation id things happen."""

    def current(self) -> str:
        """That of the call that runs; a new one outside of calls."""
        ...

    def resume(self, correlation_id: str) -> None:
        """What this task does from now on, and what it calls, goes by this id."""
        ...


class Journal(Protocol):
    """The service's own log, for operators. No hidden tile is told to it but at debug."""

    def debug(self, event: str, **facts: Any) -> Any:
        """Something a developer wants to know."""
        ...

    def info(self, event: str, **facts: Any) -> Any:
        """Something an operator wants to know."""
        ...

    def warning(self, event: str, **facts: Any) -> Any:
        """Something that may need a look."""
        ...

    def error(self, event: str, **facts: Any) -> Any:
        """Something that needs a look."""
        ...


class Pods(Protocol):
    """The registry of table pods. Every call may raise `StoreAway`."""

    async def enter(self) -> None:
        """Once a process, before `announce`."""
        ...

    async def announce(self, *, slots_used: int, draining: bool) -> bool:
        """Renew the lease. Returns: False if a newer process has this pod's name."""
        ...

    async def withdraw(self) -> None:
        """Give the lease up."""
        ...

    async def silent_ms(self) -> Mapping[str, int]:
        """For every pod that has been heard of: milliseconds since it last renewed its lease."""
        ...

    @property
    def lease_ms(self) -> int:
        """After so long a silence a pod is dead."""
        ...
