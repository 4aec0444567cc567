"""What the matchmaker needs from outside, and the values that pass through.

Everything here is plain data and protocols; no wire type and no store type. Methods of a port may raise
`refusals.Refusal` (STORE_UNAVAILABLE, DEPENDENCY_UNAVAILABLE) when what is behind it does not answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from refusals import Reason

ROBOT_PREFIX = "robot:"
"""How the accounts begin that bots play from."""


class ClaimTiming(StrEnum):
    """How claim questions close (PF-20)."""

    NATURAL = "natural"
    FIXED = "fixed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """A running configuration of tables (PF-1). Clocks in milliseconds, money in whole units of `asset`.

    Attributes:
        options: the variant's named options; those left out have their defaults.
        least_balance: least balance to enter.
        declare_limit_ms: clock of the question who declares a ready hand (BB-18).
        deals_max: deals a table plays before it is dissolved; 0 for no limit.
        spectator_delay_ms: how far behind the table spectators are.
        reconnect_grace_ms: how long a player may be offline before that is an escape (PF-23).
        escape_penalty: what an escape costs.
        etag: grows with every change; whole numbers as text.
        bot_wait_ms: how long the oldest ticket waits before bots fill the table, where they are allowed (PF-10).
        bot_policy: how those bots play.
        closed: whether the room takes no new players.
        moves_points: whether deals of a room played for coins move points too, by the raw score (PF-60).
    """

    room_id: str
    name: str
    variant: str
    options: Mapping[str, object] = field(default_factory=dict)
    asset: str
    stake: int
    least_balance: int
    turn_limit_ms: int
    claim_limit_ms: int
    declare_limit_ms: int
    claim_timing: ClaimTiming
    claim_floor_min_ms: int
    claim_floor_max_ms: int
    ready_limit_ms: int
    dealing_ms: int
    arrive_limit_ms: int
    bots_allowed: bool
    deals_max: int
    spectators_allowed: bool
    spectator_delay_ms: int
    reconnect_grace_ms: int
    escape_penalty: int
    etag: str
    bot_wait_ms: int
    bot_policy: str
    closed: bool
    moves_points: bool = False


@dataclass(frozen=True, slots=True)
class RoomActivity:
    """How busy a room is: tickets that wait, tables whose seats are not all free again."""

    queue_length: int
    tables_open: int


@dataclass(frozen=True, slots=True)
class Front:
    """The front of a queue: how long its first ticket has waited, and how many wait.

    The wait is beyond any bound for a player whom a table has sent back: he has had it.
    """

    waited_ms: int
    count: int


class TicketState(StrEnum):
    """Where a ticket stands. A player has at most one that is not cancelled (PF-11)."""

    WAITING = "waiting"
    MATCHED = "matched"
    SEATED = "seated"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Place:
    """A waiting ticket's place, from 1, in a queue of `queue_length`; the wait is None while unknown."""

    place: int
    queue_length: int
    expected_wait_ms: int | None


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket as the store has it; `place` only while it waits."""

    ticket_id: str
    player_id: str
    room_id: str
    state: TicketState
    place: Place | None


class JoinOutcome(StrEnum):
    """What became of an attempt to join."""

    FREE = "FREE"
    """Nothing stands against it; only from a look, never from a join."""
    JOINED = "JOINED"
    DUPLICATE = "DUPLICATE"
    REQUEST_REUSED = "REQUEST_REUSED"
    QUEUED = "QUEUED"
    SEATED = "SEATED"


@dataclass(frozen=True, slots=True)
class Joined:
    """Outcome, and the ticket it is about: the new one, the same one again, or the one that stands against it."""

    outcome: JoinOutcome
    ticket_id: str


class CancelOutcome(StrEnum):
    """What became of an attempt to cancel."""

    CANCELLED = "CANCELLED"
    UNKNOWN = "UNKNOWN"
    """The player has no such ticket."""
    MATCHED = "MATCHED"


@dataclass(frozen=True, slots=True)
class SeatDrawn:
    """Who sits where in a match."""

    seat: int
    ticket_id: str
    player_id: str

    @property
    def is_robot(self) -> bool:
        """Whether a bot plays it (PF-10)."""
        return self.player_id.startswith(ROBOT_PREFIX)


@dataclass(frozen=True, slots=True)
class Match:
    """A table in the making. Its id is the table's id, so that a repeated CreateTable makes no second table.

    Attributes:
        room: the room as it was when the players were taken (PF-2).
        seats: one a seat, in seat order.
        first_dealer: seat of the oldest ticket, the table's owner (BB-5), or 0 where chance decides (TY-10).
        pod: the pod last asked to make the table; empty before the first attempt.
        generation: grows when another replica takes the match over; steps of an older one are refused.
        correlation_id: of the call that completed it; everything about its table begins under it.
    """

    match_id: str
    room: Room
    seats: tuple[SeatDrawn, ...]
    first_dealer: int
    pod: str
    generation: int
    correlation_id: str = ""


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """A player's seat as the store has it; `generation` of the newest token given for it."""

    table_id: str
    seat: int
    player_id: str
    room_id: str
    pod: str
    authority: str
    generation: int


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table with a seat taken: the room as it was made with (PF-2), and where it was made."""

    room: Room
    pod: str
    authority: str


@dataclass(frozen=True, slots=True)
class Holders:
    """Who was seated at a table, and the epoch of the newest owner of the table that has spoken."""

    epoch: int
    player_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Released:
    """Whom a table let go now; `fenced` when a newer owner of the table has spoken before."""

    fenced: bool
    player_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pod:
    """A live table pod: where players connect, where services call, tables it would still take."""

    pod: str
    authority: str
    control_authority: str
    slots_free: int
    slots_used: int = 0
    slots_total: int = 0
    version: str = ""
    draining: bool = False


@dataclass(frozen=True, slots=True)
class SeatToken:
    """A bearer token for a seat and when it ends, in milliseconds since the epoch."""

    token: str
    expiry_ms: int


@dataclass(frozen=True, slots=True)
class Created:
    """The table exists, on this pod, under this epoch."""

    pod: str
    authority: str
    epoch: int


@dataclass(frozen=True, slots=True)
class Refused:
    """The pod did not make the table, for certain. `metadata` may name another pod (NOT_OWNER)."""

    reason: Reason
    metadata: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class OutcomeUnknown:
    """The pod may or may not have made the table: no answer, or one that does not say."""

    code: str


CreateOutcome = Created | Refused | OutcomeUnknown


class MatchStep(StrEnum):
    """Steps of making a table, in order; a matchmaker may die after each."""

    TAKEN = "taken"
    """The players are out of the queue, the match is recorded."""
    ASKED = "asked"
    """The pod is recorded, not called yet."""
    CREATED = "created"
    """The pod has answered, the answer is not recorded."""
    SEATED = "seated"
    """The seats are granted."""
    PUT_BACK = "put_back"
    """The tickets are back in the queue."""


class TicketStore(Protocol):
    """Tickets and seats."""

    async def look_before_join(self, player_id: str, room_id: str, request_id: str) -> Joined:
        """What `join` would answer; FREE instead of JOINED. Nothing is written."""
        ...

    async def join(self, player_id: str, room_id: str, request_id: str, ticket_id: str) -> Joined:
        """Puts a ticket at the end of the room's queue, unless something stands against it (PF-11)."""
        ...

    async def cancel(self, ticket_id: str, player_id: str) -> CancelOutcome:
        """Takes a waiting ticket out of its queue; idempotent."""
        ...

    async def ticket(self, ticket_id: str) -> Ticket | None:
        """One ticket with its place, None if there is no such ticket."""
        ...

    async def seat_of(self, player_id: str, *, renews: bool = False) -> SeatTaken | None:
        """The player's seat, None if he has none; `renews` begins the next generation of its tokens."""
        ...

    async def open_table(self, table_id: str) -> OpenTable | None:
        """A table that seats somebody, None if it does not (any more)."""
        ...

    async def open_tables(self, room_ids: Sequence[str]) -> tuple[str, ...]:
        """All tables of these rooms that seat somebody."""
        ...

    async def holders(self, table_id: str) -> Holders | None:
        """Who was seated at a table that seats somebody still."""
        ...

    async def release(self, table_id: str, epoch: int, player_ids: Sequence[str], *, requeue: bool) -> Released:
        """Frees players of a table, or puts them in front of the queue they came from; idempotent."""
        ...

    async def front(self, room_id: str) -> Front:
        """The front of a room's queue."""
        ...

    async def activity(self, room_ids: Sequence[str]) -> Mapping[str, RoomActivity]:
        """How busy each room is."""
        ...


class RobotStore(Protocol):
    """Robots without a seat."""

    async def borrow(self, count: int, lease_ms: int) -> Sequence[str]:
        """Sets so many aside, new ones where too few are free; after the lease they are free by themselves."""
        ...

    async def give_back(self, robots: Sequence[str], rest_ms: int = 0) -> None:
        """They are not needed; `rest_ms`: until they may be given a seat."""
        ...


class MatchStore(Protocol):
    """Matches in the making. Every step names the match's generation and is refused for an older one."""

    async def take(self, room: Room, match_id: str, seats: Sequence[int], robots: Sequence[str] = ()) -> Match | None:
        """Takes the first tickets of a room's queue, as many as `seats` beyond the robots, or none.

        Args:
            seats: `seats[i]` is the i-th oldest's seat; the robots' come last.
            robots: borrowed ones that take the seats left over; None too if one of them has a seat elsewhere.
        """
        ...

    async def claim_stale(self, limit: int) -> tuple[Match, ...]:
        """Takes over matches whose handler has let their lease run out."""
        ...

    async def ask(self, match: Match, pod: str) -> int | None:
        """Records the pod about to be asked and renews the lease.

        Returns: the match's age in milliseconds; None if it is no longer ours to go on with.
        """
        ...

    async def grant(self, match: Match, created: Created) -> bool:
        """Gives all seats at once; False if the match is no longer ours. Again, it says True again."""
        ...

    async def put_back(self, match: Match) -> bool:
        """Puts all tickets back where they were; False if the match is no longer ours."""
        ...


class RoomStore(Protocol):
    """Rooms, which operators may change at run time."""

    async def add_missing(self, rooms: Sequence[Room]) -> tuple[str, ...]:
        """Writes rooms the store does not have, leaves the others alone. Returns the ids written."""
        ...

    async def all(self) -> tuple[Room, ...]:
        """All rooms, by id."""
        ...

    async def get(self, room_id: str) -> Room | None:
        """One room, None if there is none."""
        ...


class Ledger(Protocol):
    """What players have."""

    async def balance(self, player_id: str, asset: str) -> int:
        """Units of the asset. Raises Refusal ACCOUNT_UNKNOWN or DEPENDENCY_UNAVAILABLE."""
        ...


class RobotAccounts(Protocol):
    """Accounts that bots play from."""

    async def open(self, robot: str, asset: str) -> int:
        """A new account; what it has of the asset. Raises Refusal BUDGET_EXHAUSTED, DEPENDENCY_UNAVAILABLE."""
        ...


class Pods(Protocol):
    """The table pods that are alive."""

    async def live(self) -> tuple[Pod, ...]:
        """All of them, full and draining ones too, by name."""
        ...


class Tables(Protocol):
    """Makes tables on pods."""

    async def create(self, pod: Pod, match: Match) -> CreateOutcome:
        """Asks one pod once, within a bounded time; never raises for what the pod does."""
        ...

    async def listed(self, pod: Pod) -> frozenset[str]:
        """The tables a pod has; none if it does not answer."""
        ...

    async def is_over(self, pod: Pod, table_id: str) -> bool | None:
        """Whether a table is over or not there at all; None if this pod gives no definite answer."""
        ...


class SeatTokens(Protocol):
    """Signs seat tokens."""

    def mint(self, player_id: str, table_id: str, seat: int, generation: int) -> SeatToken:
        """A fresh token for one seat; the table takes none of an older generation than it has seen."""
        ...

    def mint_spectator(self, player_id: str, table_id: str) -> SeatToken:
        """A fresh token to watch a table."""
        ...


class Chance(Protocol):
    """Randomness and ids."""

    def permutation(self, count: int) -> tuple[int, ...]:
        """0..count-1 in random order."""
        ...

    def pick(self, weights: Sequence[int]) -> int:
        """An index, as likely as its weight; weights are 0 or more, at least one above 0."""
        ...

    def new_id(self) -> str:
        """A new unique id."""
        ...


class Clock(Protocol):
    """The clock of `serving.runtime`, as far as it is needed here."""

    def monotonic_ms(self) -> int:
        """Milliseconds that only grow."""
        ...

    async def sleep_ms(self, ms: int) -> None:
        """Returns after `ms` milliseconds."""
        ...


class Checkpoints(Protocol):
    """Told after each step of making a table; tests end a matchmaker there."""

    async def reached(self, step: MatchStep) -> None:
        """Called right after the step."""
        ...


class Meters(Protocol):
    """What is measured; no label holds a player, a table or a ticket."""

    def queue_waiting(self, room_id: str, count: int) -> None:
        """Tickets that wait in a room now."""
        ...

    def match_ended(self, step: MatchStep) -> None:
        """A match came to its end: SEATED or PUT_BACK."""
        ...

    def filled(self, outcome: str) -> None:
        """Bots were to fill a table: "filled", "gone" (too few waited any more), "poor" or "exhausted"."""
        ...

    def create_attempt(self, outcome: str) -> None:
        """A pod was asked for a table: "created", "unknown" or the reason it refused."""
        ...


class Traces(Protocol):
    """Under which correlation id things happen."""

    def resume(self, correlation_id: str) -> None:
        """What this task does from now on, and what it calls, goes by this id."""
        ...


class Journal(Protocol):
    """The log of the service: event name and fields, as structlog's bound logger."""

    def info(self, event: str, **fields: object) -> object:
        """Something happened."""
        ...

    def warning(self, event: str, **fields: object) -> object:
        """Something happened that somebody may want to look into."""
        ...
