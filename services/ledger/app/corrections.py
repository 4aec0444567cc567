"""What operators do: grant, help out, freeze, move back, and decide about lost entries. All of it is journaled."""

import asyncio
from dataclasses import replace
from typing import Final

from refusals import Reason, Refusal
from services.ledger.app.archiving import common_number
from services.ledger.app.checks import (
    check_account,
    check_asset,
    check_counter,
    check_grant,
    check_why,
    invalid,
    request_key,
)
from services.ledger.app.entries import Record, record_of
from services.ledger.app.fingerprint import (
    freeze_fingerprint,
    grant_fingerprint,
    relief_fingerprint,
    resumption_fingerprint,
    reversal_fingerprint,
)
from services.ledger.app.funds import Funds
from services.ledger.app.journal import Journal
from services.ledger.app.stops import Stops
from services.ledger.ports import ArchiveFault, Call, JournalArchive, JournalFault, LedgerStore
from services.ledger.values import (
    Balance,
    EntryKind,
    Freeze,
    Grant,
    Granted,
    Leg,
    Resumption,
    Reversal,
    Settled,
)

BUDGET: Final = "budget"
"""Reason of the leg that a fund begins with."""
REVERSIBLE: Final = frozenset({EntryKind.SETTLE, EntryKind.GRANT, EntryKind.RELIEF, EntryKind.REVERSE})
"""Entries that can be moved back: an account's opening cannot."""


class Corrections:
    """The operators' calls.

    Args:
        store: where the books are.
        funds: budgets, and the assets there are.
        journal: where entries are found.
        archive: what is set aside when books are resumed; None without one.
        stops: which books are closed.
    """

    def __init__(
        self,
        store: LedgerStore,
        funds: Funds,
        *,
        journal: Journal | None = None,
        archive: JournalArchive | None = None,
        stops: Stops | None = None,
    ) -> None:
        self._store = store
        self._funds = funds
        self._journal = journal or Journal(store)
        self._archive = archive
        self._stops = stops or Stops()

    async def grant(self, grant: Grant, call: Call) -> Granted:
        """Brings money into being for an account or a fund (PF-50), once a request id.

        Raises: Refusal REQUEST_ID_REUSED: the id came before with other content, in any asset; BOOKS_WRONG.
        """
        check_grant(grant, self._funds.assets)
        self._stops.guard(grant.asset)
        grant = replace(grant, request_id=request_key(grant.request_id))
        fingerprint = grant_fingerprint(grant)
        await self._store.bind_request(grant.request_id, fingerprint, call)
        source = self._funds.grant_source(grant.account, grant.asset)
        return await self._store.grant(grant, source, fingerprint, call)

    async def relieve(self, relief: Grant, call: Call) -> Granted:
        """Gives an account money of a fund, once a request id.

        Raises: Refusal BUDGET_EXHAUSTED: the fund has less; REQUEST_ID_REUSED; BOOKS_WRONG.
        """
        check_grant(relief, self._funds.assets, to_funds=False)
        self._stops.guard(relief.asset)
        relief = replace(relief, request_id=request_key(relief.request_id))
        fingerprint = relief_fingerprint(relief)
        await self._store.bind_request(relief.request_id, fingerprint, call)
        source = self._funds.relief_source(relief.account, relief.asset)
        return await self._store.grant(relief, source, fingerprint, call)

    async def freeze(self, freeze: Freeze, call: Call) -> tuple[tuple[Balance, ...], bool]:
        """Keeps an account from taking a seat, in every asset, or with the verb UNFREEZE ends that.

        A deal it sits in goes on to its end: its stake is released as ever, and not reserved again.
        Returns: one balance an asset, and whether all of it was carried out before.
        """
        check_account(freeze.account, "account_id")
        check_why(freeze.why)
        self._stops.guard(*self._funds.assets)
        freeze = replace(freeze, request_id=request_key(freeze.request_id))
        fingerprint = freeze_fingerprint(freeze)
        await self._store.bind_request(freeze.request_id, fingerprint, call)
        before = [await self._store.freeze(freeze, asset, fingerprint, call) for asset in self._funds.assets]
        found = [(await self._store.balances([freeze.account], asset))[0] for asset in self._funds.assets]
        return tuple(balance for balance in found if balance is not None), all(before)

    async def reverse(self, reversal: Reversal, call: Call) -> Settled:
        """Moves back what an entry moved, once an entry; each leg at most what is left (PF-51).

        Raises: Refusal ENTRY_UNKNOWN, ENTRY_REVERSED; LOCKED_ELSEWHERE: who would pay sits at a table;
            REQUEST_ID_REUSED; BOOKS_WRONG: the reversal of a grant would be taken back. JournalFault: the entry is
            missing or cannot be read.
        """
        check_asset(reversal.asset, self._funds.assets)
        check_counter(reversal.number, "journal_number")
        check_why(reversal.why)
        self._stops.guard(reversal.asset)
        reversal = replace(reversal, request_id=request_key(reversal.request_id))
        reversal = _mirrored(reversal, await self._reversible(reversal.asset, reversal.number))
        fingerprint = reversal_fingerprint(reversal)
        await self._store.bind_request(reversal.request_id, fingerprint, call)
        return await self._store.reverse(reversal, fingerprint, call)

    async def resume(self, resumption: Resumption, call: Call) -> tuple[int, int]:
        """Opens books that were stopped, without the entries that are lost; or, where a check found wrong figures in
        entries, accepts those up to a number, and has an archive that was cut before that number continued.

        Returns: number of the entry that says so, and how many entries the archive had besides; they are set aside.
        Raises: Refusal INVALID_FIELD: the books are open and right; stopped, and the journal ends at another number.
        """
        asset = resumption.asset
        check_asset(asset, self._funds.assets)
        check_why(resumption.why)
        is_stopped = bool(self._stops.why(asset))
        resumption = replace(resumption, request_id=request_key(resumption.request_id), is_end=is_stopped)
        fingerprint = resumption_fingerprint(resumption)
        first = await self._store.resumed(resumption, fingerprint)
        if first is None:
            await self._check_resumable(resumption)
        elif not is_stopped or not await self._is_unfinished(asset, first[0]):
            return first
        await self._store.bind_request(resumption.request_id, fingerprint, call)
        if self._archive is None or not is_stopped:
            resumption = replace(resumption, archived=await self._accepted_end(asset, resumption.number))
            number, lost_count = await self._store.resume(resumption, fingerprint, call)
        else:
            # What is lost is safe before the decision is journaled, and the archive, which keeps the books closed, is
            # cut only after that: whatever fails between leaves them closed, and the call is repeated.
            common = await common_number(self._store, self._archive, asset)
            lost_count = await asyncio.to_thread(self._archive.set_aside, asset, common)
            is_cut = await self._journal.shortened_archive(asset) is not None  # that is another matter, and stays named
            resumption = replace(resumption, lost_count=lost_count, archived=None if is_cut else common)
            number, lost_count = await self._store.resume(resumption, fingerprint, call)
            await asyncio.to_thread(self._archive.cut, asset, common)
        self._stops.clear(asset)
        return number, lost_count

    async def _accepted_end(self, asset: str, number: int) -> int | None:
        """Where an archive that was cut is to be continued.

        None: nobody has been told that it was cut; or what is accepted, up to ``number``, ends before what was cut off;
        or the store has not what is to follow there.
        """
        if self._archive is None:
            return None
        try:
            was_told = (await self._store.noted_archive(asset)).cut_to is not None
            short = await self._journal.shortened_archive(asset)
            if not was_told or short is None or number < min(short[1], (await self._store.head(asset)).number):
                return None
            return short[0] if await common_number(self._store, self._archive, asset) == short[0] else None
        except (ArchiveFault, OSError):
            return None  # damage that no decision mends

    async def _is_unfinished(self, asset: str, number: int) -> bool:
        """Whether the books are closed for what the decision in this entry is about, and not for something later."""
        if self._archive is None:
            return (await self._store.head(asset)).number == number
        return number > await common_number(self._store, self._archive, asset)

    async def _check_resumable(self, resumption: Resumption) -> None:
        totals = await self._store.totals(resumption.asset)
        if not resumption.is_end and not totals.wrong:
            raise invalid("asset", "the books of this asset are open and right")
        if resumption.is_end and totals.head.number != resumption.number:
            raise invalid("journal_number", f"the journal ends at {totals.head.number}")

    async def _reversible(self, asset: str, number: int) -> Record:
        entry = await self._journal.entry(asset, number)
        if entry is None and self._journal.is_archived and number <= (await self._store.head(asset)).number:
            raise JournalFault(f"entry {number} of {asset} is missing", number)
        record = record_of(entry) if entry is not None else None
        if record is None or record.kind not in REVERSIBLE:
            raise Refusal(
                Reason.ENTRY_UNKNOWN, field="journal_number", detail="no entry of this number can be moved back"
            )
        return record


def _mirrored(reversal: Reversal, record: Record) -> Reversal:
    """What moves an entry back: its legs from the last to the first, payer and payee changed, as much as was paid.

    The budget that a fund began with in the same entry stays where it is.
    """
    legs = tuple(
        Leg(leg.payee, leg.payer, leg.paid, "reversal") for leg in reversed(record.legs) if leg.reason != BUDGET
    )
    return replace(reversal, legs=legs, table=record.table, deal=record.deal)
