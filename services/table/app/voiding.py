"""A deal is void: what its settlements moved is moved back at the ledger, once.

The ledger may know settlements that the log has lost. What has moved is read from both: from the log what was made of
the deal, from the ledger what the log does not know. If it does not cancel out, one settlement of "return" payments
moves it back, the last first, under the next number; who does all this again finds that nothing is left to move.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from games.kernel import Line, Payment
from refusals import Reason, Refusal
from services.table.app.outside import PAGE_COUNT, Outside
from services.table.model import flow
from services.table.model.events import DealStarted, DealVoided, PaymentsMade, VoidCause
from services.table.model.state import TableState
from services.table.ports import Account, BookedLine, Books, Settled, StakeRefused

RETURN = "return"
PENALTY = "penalty"
_ASIDE = (Reason.STAKE_MISSING, Reason.SETTLEMENT_CONFLICT)
"""The deal's stake was given back already, so that its players must be held once more; or that was done before."""


def deal_to_void(state: TableState) -> str:
    """Id of the deal that runs, or of the one that would be next: a tail that was lost is of one of them."""
    deal = state.deal
    return flow.next_deal_id(state) if deal is None or deal.settled else deal.deal_id


def void_stake_id(deal_id: str) -> str:
    """Under which a table's players are held while a deal is undone whose stake was given back."""
    return f"{deal_id}.void"


@dataclass(slots=True)
class _Told:
    """What the log tells of one asset.

    Attributes:
        made_seq: number of the last settlement that was made.
        moved: payments of the deal, as far as they moved anything.
        balances: when the deal began, one a seat; None if its beginning is lost.
    """

    made_seq: int = 0
    moved: list[Payment] = field(default_factory=list)
    balances: tuple[int, ...] | None = None


class Voider:
    """Declares deals of one table void."""

    def __init__(self, around: Outside, accounts: Sequence[Account]) -> None:
        self._around = around
        self._accounts = accounts

    async def void(self, state: TableState, cause: VoidCause, books: Mapping[str, Books]) -> tuple[DealVoided, ...]:
        """Undo the deal that runs, or the one that would be next, and whatever the log has lost.

        Args:
            books: by asset, where the ledger stood when this owner claimed the table.
        Returns: one event for each asset in which something had moved; one at least.
        Raises: Refusal: it cannot be undone. ServiceAway, StoreAway: to be repeated.
        """
        deal_id = deal_to_void(state)
        seed, told = await self._read(state, deal_id)
        events: list[DealVoided] = []
        for account in self._accounts:
            row, known = told[account.asset], books[account.asset]
            missed = _missed(account, known, row.made_seq)
            seq, lines, after = await self._undo(account, deal_id, known, [*row.moved, *missed])
            start = await self._held(account, deal_id) if row.balances is None else row.balances
            balances = tuple(after.get(player, units) for player, units in zip(state.players, start, strict=True))
            events.append(DealVoided(deal_id, cause, seq, account.asset, lines, balances, seed))
        return tuple(event for event in events if event.lines) or (events[0],)

    async def _read(self, state: TableState, deal_id: str) -> tuple[bytes | None, Mapping[str, _Told]]:
        """The deal's seed, and what the log tells of each asset."""
        seed: bytes | None = None
        told = {account.asset: _Told() for account in self._accounts}
        after_seq = 0
        while rows := await self._around.log.entries(state.table_id, after_seq, PAGE_COUNT):
            for row in rows:
                event = self._around.codec.decode(row.data)
                if isinstance(event, PaymentsMade):
                    told[event.asset].made_seq = event.settlement_seq
                    if event.deal_id == deal_id:
                        told[event.asset].moved += _moved(event.lines)
                elif isinstance(event, DealStarted) and event.deal_id == deal_id:
                    seed = event.seed
                    told[state.room.asset].balances = event.balances
                    for asset in told.keys() - {state.room.asset}:
                        told[asset].balances = event.points
            after_seq = rows[-1].seq
        return seed, told

    async def _undo(
        self, account: Account, deal_id: str, known: Books, moved: Sequence[Payment]
    ) -> tuple[int, tuple[Line, ...], Mapping[str, int]]:
        """Move back what does not cancel out. Returns: the settlement's number, its lines, balances after it."""
        if not any(_nets(moved).values()):
            returned = [payment for payment in moved if payment.cause == RETURN]
            return (known.last_seq if returned else 0), tuple(Line(each, each.amount) for each in returned), {}
        back = [
            Payment(each.payee, each.payer, each.amount, RETURN) for each in reversed(moved) if each.payee is not None
        ]
        seq = known.last_seq + 1
        settled = await self._settled(account, deal_id, seq, back)
        return (
            seq,
            tuple(Line(payment, paid) for payment, paid in zip(back, settled.paid, strict=True)),
            settled.balances,
        )

    async def _settled(self, account: Account, deal_id: str, seq: int, back: Sequence[Payment]) -> Settled:
        ledger = self._around.ledger
        try:
            return await ledger.settle(account, deal_id, seq, back)
        except Refusal as refusal:
            if refusal.reason not in _ASIDE:
                raise
        await self._hold(account, void_stake_id(deal_id))
        return await ledger.settle(account, void_stake_id(deal_id), seq, back)

    async def _held(self, account: Account, deal_id: str) -> tuple[int, ...]:
        """What everybody has, where the log has lost it: holding a stake again tells."""
        try:
            return await self._hold(account, deal_id)
        except Refusal as refusal:
            if refusal.reason not in _ASIDE:
                raise
        return await self._hold(account, void_stake_id(deal_id))

    async def _hold(self, account: Account, stake_id: str) -> tuple[int, ...]:
        """Hold all players. Raises: Refusal: somebody is held elsewhere."""
        answer = await self._around.ledger.reserve(account, stake_id, 0)
        if isinstance(answer, StakeRefused):
            raise Refusal(Reason.STAKE_MISSING)
        return answer.balances


def _missed(account: Account, known: Books, made_seq: int) -> list[Payment]:
    """What settlements moved that the log does not know. Raises: Refusal: the ledger does not remember all of them."""
    missed = [row for row in known.missed if row.seq > made_seq]
    if [row.seq for row in missed] != list(range(made_seq + 1, known.last_seq + 1)):
        raise Refusal(Reason.SETTLEMENT_OLD)
    return [payment for row in missed for line in row.lines if (payment := _payment(account, line)) is not None]


def _payment(account: Account, line: BookedLine) -> Payment | None:
    """A line of the ledger's between seats; None where it moved nothing, or is the system's."""
    if not line.paid or line.reason == PENALTY:
        return None
    return Payment(account.players.index(line.payer), account.players.index(line.payee), line.paid, line.reason)


def _moved(lines: Sequence[Line]) -> list[Payment]:
    return [
        Payment(line.payment.payer, line.payment.payee, line.paid, line.payment.cause)
        for line in lines
        if line.paid and line.payment.payee is not None
    ]


def _nets(moved: Sequence[Payment]) -> Mapping[int, int]:
    """What each seat has won or lost by payments between seats."""
    nets: dict[int, int] = {}
    for payment in moved:
        assert payment.payee is not None
        nets[payment.payer] = nets.get(payment.payer, 0) - payment.amount
        nets[payment.payee] = nets.get(payment.payee, 0) + payment.amount
    return nets
