"""The ledger's use cases: open, look, reserve, release, claim, settle, grant."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from refusals import Reason, Refusal
from services.ledger.app.checks import (
    ACCOUNTS_MAX,
    check_account,
    check_accounts,
    check_asset,
    check_counter,
    check_deal,
    check_grant,
    check_name,
    check_settlement,
    check_stake,
    request_key,
)
from services.ledger.app.fingerprint import grant_fingerprint, settlement_fingerprint
from services.ledger.ports import Call, LedgerStore
from services.ledger.values import (
    ISSUANCE,
    PENALTIES,
    Balance,
    Claimed,
    Grant,
    Granted,
    Reservation,
    Settled,
    Settlement,
    Stake,
)


class Books:
    """Everything that reads or moves money.

    Args:
        store: where it is kept.
        openings: for each asset the units a new account begins with (PF-50); its keys are the assets there are.
    """

    def __init__(self, store: LedgerStore, openings: Mapping[str, int]) -> None:
        self._store = store
        self._openings = dict(openings)

    @property
    def assets(self) -> tuple[str, ...]:
        """The assets there are, in the order of the settings."""
        return tuple(self._openings)

    async def open_account(self, account: str, call: Call) -> tuple[tuple[Balance, ...], bool]:
        """Opens an account in every asset, with its opening grants, once; again, it changes nothing.

        Returns: one balance an asset, and whether anything was opened now.
        """
        check_account(account, "account_id")
        opened_now = False
        balances = []
        for asset, opening in self._openings.items():
            balance, opened = await self._store.open_account(account, asset, opening, call)
            balances.append(balance)
            opened_now = opened_now or opened
        return tuple(balances), opened_now

    async def balances(self, accounts: Sequence[str], asset: str) -> tuple[Balance, ...]:
        """Balances at one moment, in the order asked; the system's accounts may be asked for too.

        Raises: Refusal ACCOUNT_UNKNOWN: it is not open.
        """
        check_asset(asset, self._openings)
        check_accounts(accounts, "account_ids", ACCOUNTS_MAX, also=(ISSUANCE, PENALTIES))
        found = await self._store.balances(accounts, asset)
        for index, (account, balance) in enumerate(zip(accounts, found, strict=True)):
            if balance is None:
                raise Refusal(
                    Reason.ACCOUNT_UNKNOWN,
                    field=f"account_ids[{index}]",
                    detail="no such account",
                    metadata={"account_id": account},
                )
        return tuple(balance for balance in found if balance is not None)

    async def reserve(self, stake: Stake, call: Call) -> Reservation:
        """Locks the balances of all seats for a deal, or none (PF-55)."""
        check_stake(stake, self._openings)
        return await self._store.reserve(stake, call)

    async def release(self, table: str, epoch: int, deal: str, asset: str, call: Call) -> tuple[str, ...]:
        """Unlocks the balances of a deal; returns the accounts unlocked now, none on a repeat."""
        check_name(table, "table_id")
        check_counter(epoch, "epoch")
        check_deal(deal, "deal_id")
        check_asset(asset, self._openings)
        return await self._store.release(table, epoch, deal, asset, call)

    async def claim(self, table: str, epoch: int, asset: str, call: Call) -> Claimed:
        """Makes an epoch the table's owner: older ones are FENCED from now on."""
        check_name(table, "table_id")
        check_counter(epoch, "epoch")
        check_asset(asset, self._openings)
        return await self._store.claim(table, epoch, asset, call)

    async def settle(self, settlement: Settlement, call: Call) -> Settled:
        """Carries out a settlement (PF-51), once (PF-53)."""
        check_settlement(settlement, self._openings)
        return await self._store.settle(settlement, settlement_fingerprint(settlement), call)

    async def grant(self, grant: Grant, call: Call) -> Granted:
        """Brings money into being for an account (PF-50), once a request id.

        Raises: Refusal REQUEST_ID_REUSED: the id came before with other content, in this asset or another.
        """
        check_grant(grant, self._openings)
        grant = replace(grant, request_id=request_key(grant.request_id))
        for asset in self._openings:
            if asset != grant.asset and await self._store.knows_request(grant.request_id, asset):
                raise Refusal(Reason.REQUEST_ID_REUSED, field="request_id", detail=f"a grant of {asset} has this id")
        return await self._store.grant(grant, grant_fingerprint(grant), call)
