"""What an account's player sees: balances, title, and every movement (PF-56)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from refusals import Reason, Refusal
from services.ledger.app.checks import check_account, check_asset, invalid
from services.ledger.app.entries import JournalLeg, Record, account_of
from services.ledger.app.journal import Journal
from services.ledger.app.titles import POINTS, Title, title_of
from services.ledger.ports import LedgerStore
from services.ledger.values import SYSTEM_ACCOUNTS, Balance

PAGE_DEFAULT: Final = 50
PAGE_MAX: Final = 200
_TOKEN = re.compile(r"([1-9]\d{0,15}):(\d{1,3})")


@dataclass(frozen=True, slots=True)
class Movement:
    """One line of a statement: a leg of a journal entry, seen from one of its accounts."""

    record: Record
    leg_index: int
    counterparty: str
    change: int
    after: int

    @property
    def leg(self) -> JournalLeg:
        """The leg."""
        return self.record.legs[self.leg_index]


@dataclass(frozen=True, slots=True)
class AccountState:
    """An account: a balance an asset; the title its points have, and the one that comes next."""

    balances: tuple[Balance, ...]
    title: Title | None
    next_title: Title | None


class Statements:
    """Reads accounts.

    Args:
        store: has balances.
        journal: has movements.
        assets: the assets there are.
    """

    def __init__(self, store: LedgerStore, journal: Journal, assets: Sequence[str]) -> None:
        self._store = store
        self._journal = journal
        self._assets = tuple(assets)

    async def account(self, account: str) -> AccountState:
        """Balances and title. Raises: Refusal ACCOUNT_UNKNOWN."""
        check_account(account, "account_id")
        found = [(await self._store.balances([account], asset))[0] for asset in self._assets]
        balances = tuple(balance for balance in found if balance is not None)
        if not balances:
            raise _unknown(account)
        points = next((balance.units for balance in balances if balance.asset == POINTS), 0)
        return AccountState(balances, *title_of(points))

    async def page(self, account: str, asset: str, size: int, token: str) -> tuple[list[Movement], str]:
        """Movements of an account, newest first, and the token of the next page; empty at the end.

        Args:
            size: most lines; 0 for PAGE_DEFAULT, above PAGE_MAX it is PAGE_MAX.
            token: of this page; empty for the newest.
        Raises: Refusal ACCOUNT_UNKNOWN; INVALID_FIELD: a token that this account's pages do not have.
        """
        if account not in SYSTEM_ACCOUNTS:
            check_account(account, "account_id")
        check_asset(asset, self._assets)
        size = min(size, PAGE_MAX) or PAGE_DEFAULT
        number, leg_index = _place(token) if token else (await self._newest(account, asset), None)
        if token and await self._journal.entry(asset, number) is None:
            raise invalid("page_token", "is not of this statement")
        records = await self._journal.walk(asset, number, account, size + 1)
        lines = [line for record in records for line in _movements(record, account)]
        if leg_index is not None:
            places = [(line.record.number, line.leg_index) for line in lines]
            if (number, leg_index) not in places:
                raise invalid("page_token", "is not of this statement")
            lines = lines[places.index((number, leg_index)) :]
        after = lines[size] if len(lines) > size else None
        return lines[:size], f"{after.record.number}:{after.leg_index}" if after else ""

    async def _newest(self, account: str, asset: str) -> int:
        if (await self._store.balances([account], asset))[0] is None:
            raise _unknown(account)
        return await self._store.last_entry(asset, account)


def _movements(record: Record, account: str) -> Iterator[Movement]:
    """The entry's lines of this account, from the last to the first."""
    for index in reversed(range(len(record.legs))):
        leg = record.legs[index]
        if account_of(leg.payer) == account:
            yield Movement(record, index, leg.payee, -leg.paid, leg.payer_after)
        elif account_of(leg.payee) == account:
            yield Movement(record, index, leg.payer, leg.paid, leg.payee_after)


def _place(token: str) -> tuple[int, int]:
    found = _TOKEN.fullmatch(token)
    if found is None:
        raise invalid("page_token", "is not one of ours")
    return int(found.group(1)), int(found.group(2))


def _unknown(account: str) -> Refusal:
    return Refusal(Reason.ACCOUNT_UNKNOWN, detail="no such account", metadata={"account_id": account})
