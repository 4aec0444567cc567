"""What services do with the books: open, look, reserve, release, claim, settle, void, penalize."""

from collections.abc import Awaitable, Sequence

from refusals import Reason, Refusal
from services.ledger.app.checks import (
    ACCOUNTS_MAX,
    check_account,
    check_accounts,
    check_asset,
    check_counter,
    check_deal,
    check_name,
    check_settlement,
    check_stake,
    check_void,
    check_why,
)
from services.ledger.app.fingerprint import settlement_fingerprint, void_fingerprint
from services.ledger.app.funds import Funds
from services.ledger.app.journal import Journal
from services.ledger.app.stops import Stops
from services.ledger.ports import Call, LedgerStore
from services.ledger.values import (
    SYSTEM,
    SYSTEM_ACCOUNTS,
    Balance,
    Claimed,
    Leg,
    PaymentReason,
    Reservation,
    Settled,
    Settlement,
    Stake,
    Void,
)


class Books:
    """Everything that services read or move.

    Args:
        store: where it is kept.
        funds: what accounts begin with, and where that comes from (PF-50); its assets are the assets there are.
        journal: where old settlements are found; the store alone if absent.
        stops: which books are closed.
    """

    def __init__(
        self, store: LedgerStore, funds: Funds, *, journal: Journal | None = None, stops: Stops | None = None
    ) -> None:
        self._store = store
        self._funds = funds
        self._journal = journal or Journal(store)
        self._stops = stops or Stops()

    async def open_account(self, account: str, call: Call) -> tuple[tuple[Balance, ...], bool]:
        """Opens an account in every asset, with its opening grants, once; again, it changes nothing.

        Returns: one balance an asset, and whether anything was opened now.
        """
        check_account(account, "account_id")
        self._stops.guard(*self._funds.assets)
        opened_now = False
        balances = []
        for asset in self._funds.assets:
            source = self._funds.opening_source(account, asset)
            balance, opened = await self._store.open_account(account, asset, self._funds.opening(asset), source, call)
            balances.append(balance)
            opened_now = opened_now or opened
        return tuple(balances), opened_now

    async def balances(self, accounts: Sequence[str], asset: str) -> tuple[Balance, ...]:
        """Balances at one moment, in the order asked; the system's accounts may be asked for too.

        Raises: Refusal ACCOUNT_UNKNOWN: it is not open; BOOKS_STOPPED: nor can it be said whether it was.
        """
        check_asset(asset, self._funds.assets)
        check_accounts(accounts, "account_ids", ACCOUNTS_MAX, also=SYSTEM_ACCOUNTS)
        found = await self._store.balances(accounts, asset)
        for index, (account, balance) in enumerate(zip(accounts, found, strict=True)):
            if balance is None:
                self._stops.guard(asset)  # a store that lost entries may have lost the account
                raise Refusal(
                    Reason.ACCOUNT_UNKNOWN,
                    field=f"account_ids[{index}]",
                    detail="no such account",
                    metadata={"account_id": account},
                )
        return tuple(balance for balance in found if balance is not None)

    async def reserve(self, stake: Stake, call: Call) -> Reservation:
        """Locks the balances of all seats for a deal, or none (PF-55)."""
        check_stake(stake, self._funds.assets)
        self._stops.guard(stake.asset)
        return await self._store.reserve(stake, call)

    async def release(
        self, table: str, epoch: int, deal: str, asset: str, call: Call, *, why: str | None = None
    ) -> tuple[str, ...]:
        """Unlocks the balances of a deal; returns the accounts unlocked now, none on a repeat.

        Args:
            deal: empty when the table is over: whichever deal it holds a stake for.
            why: why an operator frees it; None: the table itself asks.
        Raises: Refusal FENCED, BOOKS_STOPPED.
        """
        check_name(table, "table_id")
        check_counter(epoch, "epoch")
        if deal:
            check_deal(deal, "deal_id")
        check_asset(asset, self._funds.assets)
        if why is not None:
            check_why(why)
        self._stops.guard(asset)
        return await self._store.release(table, epoch, deal, asset, call, why=why or "")

    async def claim(self, table: str, epoch: int, asset: str, call: Call, *, known_seq: int | None = None) -> Claimed:
        """Makes an epoch the table's owner: older ones are FENCED from now on.

        Returns: where its settlements stand; with ``known_seq`` also those after it that are remembered.
        """
        check_name(table, "table_id")
        check_counter(epoch, "epoch")
        check_asset(asset, self._funds.assets)
        self._stops.guard(asset)
        return await self._store.claim(table, epoch, asset, call, known_seq=known_seq)

    async def settle(self, settlement: Settlement, call: Call) -> Settled:
        """Carries out a settlement (PF-51), once (PF-53)."""
        check_settlement(settlement, self._funds.assets)
        self._stops.guard(settlement.asset)
        fingerprint = settlement_fingerprint(settlement)
        asked = self._store.settle(settlement, fingerprint, call)
        return await self._or_old(asked, settlement.asset, settlement.seq, fingerprint)

    async def void(self, void: Void, call: Call) -> Settled:
        """Takes the next seq of a table without moving anything, once."""
        check_void(void, self._funds.assets)
        self._stops.guard(void.asset)
        fingerprint = void_fingerprint(void)
        return await self._or_old(self._store.void(void, fingerprint, call), void.asset, void.seq, fingerprint)

    async def penalize(self, settlement: Settlement, account: str, amount: int, call: Call) -> Settled:
        """A settlement of one payment: ``account`` pays the system (PF-54). ``settlement`` has no legs yet."""
        leg = Leg(account, SYSTEM, amount, PaymentReason.PENALTY)
        return await self.settle(
            Settlement(settlement.table, settlement.epoch, settlement.seq, settlement.deal, settlement.asset, (leg,)),
            call,
        )

    async def _or_old(self, asked: Awaitable[Settled], asset: str, seq: int, fingerprint: str) -> Settled:
        """The answer, out of the journal where the table's record has forgotten it."""
        try:
            return await asked
        except Refusal as refusal:
            if refusal.reason is not Reason.SETTLEMENT_OLD:
                raise
            last = int(refusal.metadata["journal_number"])
            try:
                found = await self._journal.answered(asset, last, seq, fingerprint)
            except ValueError:
                raise Refusal(
                    Reason.SETTLEMENT_CONFLICT,
                    detail="this seq came before with other content",
                    metadata={"last_seq": refusal.metadata["last_seq"]},
                ) from None
            if found is None:
                raise
            return found
