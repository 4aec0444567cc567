"""What a table owes to other services, one thing after the other.

Duties follow from the state alone, so that a new owner finds the same ones. Each is repeated until its outcome is
definite; then the table is told, and the next one is looked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from games.kernel import Line, Payment, Seat
from refusals import Reason, Refusal
from services.table.app.checking import Checker
from services.table.app.outside import Outside
from services.table.app.record import DealRecord
from services.table.app.voiding import Voider, deal_to_void, void_stake_id
from services.table.model import flow
from services.table.model.events import FAULTS, CloseCause, DealVoided, PaymentsDue, VoidCause
from services.table.model.play import Rest
from services.table.model.room import POINTS
from services.table.model.state import Stage, TableState
from services.table.ports import Account, Books, ServiceAway, Settled, StakeRefused, StoreAway

RETRY_FIRST_MS = 100
RETRY_MOST_MS = 5_000


@dataclass(slots=True)
class Progress:
    """What this owner has done already and the log does not say.

    Attributes:
        claimed: whether the ledger knows this owner.
        taken_over_at: by asset, number of the last settlement that the log asked for when this owner took the table
            over; None for the owner that made it.
        all_released: whether the ledger has given back whatever it held for the table, which is over.
        seats_released: whether the players may sit elsewhere.
        faulted: whether a fault has stopped the table.
        unsettled: whether settlements that are due are given up, since the ledger refuses them.
        lost: by asset where the ledger stands, if it knows of settlements that the log has lost: the deal is void.
    """

    claimed: bool = False
    taken_over_at: Mapping[str, int] | None = None
    all_released: bool = False
    seats_released: bool = False
    faulted: bool = False
    unsettled: bool = False
    lost: Mapping[str, Books] | None = None

    @property
    def stopped(self) -> bool:
        """Whether nothing is played any more."""
        return self.faulted or self.lost is not None


@dataclass(frozen=True, slots=True)
class Claim:
    """Make the ledger know this owner; of each asset it may have carried out settlements up to the number known."""

    known_seqs: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Settle:
    """Have a settlement carried out."""

    due: PaymentsDue


@dataclass(frozen=True, slots=True)
class Reserve:
    """Have the stakes of the next deal locked."""

    deal_id: str


@dataclass(frozen=True, slots=True)
class Release:
    """Have the stakes of a deal given back."""

    deal_id: str


@dataclass(frozen=True, slots=True)
class ReleaseAll:
    """Have whatever stakes the ledger still holds given back: the table is over.

    Mostly those of the last deal; of an earlier one, if the ledger was set back. Stakes that were asked for are
    released by their ids, too: an asking that is still on its way then comes too late to lock anybody for ever.
    """

    stake_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VoidDeal:
    """Have what the deal has moved moved back, and what the log has lost."""

    books: Mapping[str, Books]


@dataclass(frozen=True, slots=True)
class CloseFaulted:
    """Write that a fault has ended the table."""


@dataclass(frozen=True, slots=True)
class ReleaseSeats:
    """Let the players sit elsewhere."""


@dataclass(frozen=True, slots=True)
class Finish:
    """Nothing is owed any more: the log need not be found by anybody, and ends some day."""


Duty = Claim | Settle | Reserve | Release | ReleaseAll | VoidDeal | CloseFaulted | ReleaseSeats | Finish
_AT_THE_LEDGER = (Settle, Reserve, Release, ReleaseAll)


def next_duty(state: TableState, progress: Progress) -> Duty | None:
    """What is to be done next; None if nothing."""
    duty = _next(state, progress)
    if progress.claimed:
        return duty
    if progress.taken_over_at is not None:
        return Claim(progress.taken_over_at)
    return Claim({}) if isinstance(duty, _AT_THE_LEDGER) else duty


def _next(state: TableState, progress: Progress) -> Duty | None:
    if state.stage is Stage.CLOSED:
        return _after_the_end(state, progress)
    if progress.lost is not None and not progress.faulted:
        return VoidDeal(progress.lost)
    if state.dues and not progress.unsettled:
        return Settle(state.dues[0])
    if progress.faulted:
        return CloseFaulted()
    if state.rest is Rest.OVER and state.deal is not None:
        return Release(state.deal.deal_id)
    if state.stage in (Stage.READYING, Stage.BETWEEN_DEALS) and state.all_ready:
        return Reserve(flow.next_deal_id(state))
    return None


def _after_the_end(state: TableState, progress: Progress) -> Duty:
    asked_for = _stakes_asked_for(state, progress)
    if asked_for and not progress.all_released:
        return ReleaseAll(asked_for)
    if not progress.seats_released:
        return ReleaseSeats()
    # What the log does not know of, as it lost its tail or the ledger was set back, keeps nobody from his seat while
    # the ledger is away.
    may_hold_more = state.deal is not None or progress.taken_over_at is not None
    return ReleaseAll() if may_hold_more and not progress.all_released else Finish()


def _stakes_asked_for(state: TableState, progress: Progress) -> tuple[str, ...]:
    """Ids of the stakes that may be locked when a table ends, as far as the table knows."""
    if state.voided or progress.lost is not None:
        deal_id = state.voided[0].deal_id if state.voided else deal_to_void(state)
        return deal_id, void_stake_id(deal_id)
    if state.deal is not None and not state.deal.settled:
        return (state.deal.deal_id,)
    return (flow.next_deal_id(state),) if state.all_ready else ()


@dataclass(frozen=True, slots=True)
class Claimed:
    """The ledger knows this owner."""


@dataclass(frozen=True, slots=True)
class TailLost:
    """The ledger knows this owner, and settlements that the log has lost."""

    books: Mapping[str, Books]


@dataclass(frozen=True, slots=True)
class DealUndone:
    """What a deal had moved is moved back."""

    events: tuple[DealVoided, ...]


@dataclass(frozen=True, slots=True)
class StakesReserved:
    """The next deal may begin."""

    deal_id: str
    balances: tuple[int, ...]
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StakesRefused:
    """The next deal may not begin, on account of these seats."""

    deal_id: str
    cause: CloseCause
    seats: frozenset[Seat] = frozenset()


@dataclass(frozen=True, slots=True)
class SettlementMade:
    """A settlement is carried out."""

    due: PaymentsDue
    lines: tuple[Line, ...]
    balances: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StakesReleased:
    """The stakes of a deal are given back."""

    deal_id: str


@dataclass(frozen=True, slots=True)
class AllReleased:
    """The ledger holds no stakes of the table."""


@dataclass(frozen=True, slots=True)
class SeatsReleased:
    """The players may sit elsewhere."""


@dataclass(frozen=True, slots=True)
class FaultDue:
    """It is time to write that a fault has ended the table."""


@dataclass(frozen=True, slots=True)
class ScoringDiffers:
    """Scoring finds another result of this deal than the table: nothing more of it is settled."""

    deal_id: str


@dataclass(frozen=True, slots=True)
class Finishing:
    """The table may be let go."""


@dataclass(frozen=True, slots=True)
class DutyRefused:
    """A definite no where none may be: the table cannot go on."""

    duty: Duty
    reason: Reason


Result = (
    Claimed
    | TailLost
    | DealUndone
    | StakesReserved
    | StakesRefused
    | SettlementMade
    | StakesReleased
    | AllReleased
    | SeatsReleased
    | FaultDue
    | ScoringDiffers
    | Finishing
    | DutyRefused
)


class Performer:
    """Performs a table's duties at other services; at the ledger for each asset that its deals move."""

    def __init__(self, around: Outside, state: TableState, epoch: int, record: DealRecord) -> None:
        self._around = around
        self._checker = Checker(around, record)
        self._epoch = epoch
        self._accounts = tuple(Account(state.table_id, epoch, asset, state.players) for asset in state.room.assets)
        self._voider = Voider(around, self._accounts)

    async def perform(self, duty: Duty, state: TableState) -> Result:
        """Do it, again and again until the outcome is definite."""
        pause_ms = RETRY_FIRST_MS
        while True:
            try:
                return await self._once(duty, state)
            except (ServiceAway, StoreAway):
                self._around.journal.warning("duty_waits", table_id=state.table_id, duty=type(duty).__name__)
            except Refusal as refused:
                return DutyRefused(duty, refused.reason)
            except Exception as error:  # a fault of ours stops this table alone
                self._around.journal.error("duty_failed", table_id=state.table_id, error=type(error).__name__)
                return DutyRefused(duty, Reason.INTERNAL)
            await self._around.clock.sleep_ms(pause_ms)
            pause_ms = min(2 * pause_ms, RETRY_MOST_MS)

    async def _once(self, duty: Duty, state: TableState) -> Result:
        match duty:
            case Claim():
                return await self._claim(duty)
            case Settle(due):
                if not await self._checker.agrees(state, due):
                    return ScoringDiffers(due.deal_id)
                return await self._settle(due, state)
            case Reserve(deal_id):
                return await self._reserve(deal_id, state)
            case Release(deal_id):
                if not await self._checker.agrees(state, None):
                    return ScoringDiffers(deal_id)
                await self._release(deal_id)
                return StakesReleased(deal_id)
            case ReleaseAll(stake_ids):
                for stake_id in (*stake_ids, ""):
                    await self._release(stake_id)
                return AllReleased()
            case VoidDeal(books):
                return DealUndone(await self._voider.void(state, VoidCause.LOST_TAIL, books))
            case ReleaseSeats():
                await self._release_seats(state)
                return SeatsReleased()
            case CloseFaulted():
                return FaultDue()
            case Finish():
                return await self._finish(state)

    async def _release_seats(self, state: TableState) -> None:
        """Those who go are free; those who want to play on are in front of their queue (PF-13)."""
        for requeue in (False, True):
            players = [state.players[seat] for seat in state.seats if (seat in state.requeued) is requeue]
            if players:
                await self._around.seats.release(state.table_id, self._epoch, players, requeue=requeue)

    async def _claim(self, duty: Claim) -> Result:
        # All that the ledger remembers is asked for: what the log knows is found out where it matters.
        books = {account.asset: await self._around.ledger.claim(account, 0) for account in self._accounts}
        if any(known.last_seq > duty.known_seqs.get(asset, 0) for asset, known in books.items()):
            return TailLost(books)
        return Claimed()

    async def _release(self, deal_id: str) -> None:
        for account in self._accounts:
            await self._around.ledger.release(account, deal_id)

    async def _settle(self, due: PaymentsDue, state: TableState) -> Result:
        around = self._around
        began_ms = around.clock.monotonic_ms()
        around.checkpoints.reach("settle_asked")
        settled = await self._moved(due)
        around.checkpoints.reach("settle_answered")
        around.meters.settled((around.clock.monotonic_ms() - began_ms) / 1000)
        lines = tuple(Line(payment, paid) for payment, paid in zip(due.payments, settled.paid, strict=True))
        before = zip(state.players, state.balances_of(due.asset), strict=True)
        balances = tuple(settled.balances.get(player, balance) for player, balance in before)
        return SettlementMade(due, lines, balances)

    async def _moved(self, due: PaymentsDue) -> Settled:
        """A settlement among players, or a penalty for the system (PF-54)."""
        ledger = self._around.ledger
        account = next(account for account in self._accounts if account.asset == due.asset)
        match due.payments:
            case (Payment(payee=None) as penalty,):
                return await ledger.penalize(account, due.deal_id, due.settlement_seq, penalty)
            case payments:
                return await ledger.settle(account, due.deal_id, due.settlement_seq, payments)

    async def _reserve(self, deal_id: str, state: TableState) -> Result:
        """All stakes of all assets, or none counts: what is locked before one is refused is given back at the end."""
        reserved: dict[str, tuple[int, ...]] = {}
        for account in self._accounts:
            least = state.room.least_balance if account.asset == state.room.asset else 0
            answer = await self._around.ledger.reserve(account, deal_id, least)
            if isinstance(answer, StakeRefused):
                seats = frozenset(seat for seat in state.seats if state.players[seat] in answer.players)
                return StakesRefused(deal_id, CloseCause.BALANCE if answer.short else CloseCause.STAKE, seats)
            reserved[account.asset] = answer.balances
        points = reserved[POINTS] if state.room.moves_points else ()
        return StakesReserved(deal_id, reserved[state.room.asset], points)

    async def _finish(self, state: TableState) -> Result:
        assert state.closed is not None
        limits = self._around.limits
        await self._linger(max(limits.linger_ms, state.room.spectator_delay_ms * state.room.spectators_allowed))
        keep_ms = limits.keep_faulted_log_ms if state.closed in FAULTS else limits.keep_log_ms
        archived = self._around.archive is not None
        await self._around.log.finish(
            state.table_id,
            epoch=self._epoch,
            cause=state.closed,
            deal_number=state.deal_number,
            keep_ms=0 if archived else keep_ms,
        )
        if not archived:
            await self._around.log.strike(self._around.pod, state.table_id)
        return Finishing()

    async def _linger(self, linger_ms: int) -> None:
        """Wait so long on the table's own time: viewers come back, spectators are not at the end yet."""
        ends_ms = self._around.time.now_ms() + linger_ms
        while (left_ms := ends_ms - self._around.time.now_ms()) > 0:
            await self._around.clock.sleep_ms(left_ms)
