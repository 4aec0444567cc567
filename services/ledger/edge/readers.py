"""The services of the ledger that show money, on the wire. They answer whatever the state of the store."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import aclosing
from typing import Any, Final

import grpc.aio
from cardroom.ledger.v1 import account_pb2, account_pb2_grpc, audit_pb2, audit_pb2_grpc

from refusals import Reason, Refusal
from services.ledger.app.audit import Auditor
from services.ledger.app.checks import check_asset
from services.ledger.app.deals import Deals
from services.ledger.app.journal import Journal
from services.ledger.app.statements import Statements
from services.ledger.app.stops import Stops
from services.ledger.edge import mapping
from services.ledger.edge.damage import damage_told
from services.ledger.ports import Clock, LedgerStore
from services.ledger.values import Entry
from serving.auth import current_caller

_Context = grpc.aio.ServicerContext[Any, Any]
_READ_AT_ONCE: Final = 200
_MESSAGE_BYTES: Final = 1_000_000
_OPERATOR: Final = "operator"


class AccountServicer(account_pb2_grpc.AccountServiceServicer):
    """Accounts, for their players."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements

    async def GetAccount(
        self, request: account_pb2.GetAccountRequest, context: _Context
    ) -> account_pb2.GetAccountResponse:
        """See the proto."""
        account = _own(request.account_id)
        return mapping.account_response(account, await self._statements.account(account))

    async def ListStatement(
        self, request: account_pb2.ListStatementRequest, context: _Context
    ) -> account_pb2.ListStatementResponse:
        """See the proto."""
        account = _own(request.account_id)
        with damage_told():
            lines, token = await self._statements.page(account, request.asset, request.page_size, request.page_token)
        return account_pb2.ListStatementResponse(lines=map(mapping.statement_line, lines), next_page_token=token)


def _own(asked: str) -> str:
    """The account a caller may see: his own; any for an operator. Raises: Refusal ROLE_NOT_ALLOWED."""
    caller = current_caller()
    if asked and asked != caller.subject and caller.role != _OPERATOR:
        raise Refusal(Reason.ROLE_NOT_ALLOWED, field="account_id", detail="players see their own account only")
    return asked or caller.subject


def _runs(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """The entries in runs that fit a message each."""
    run: list[Entry] = []
    size = 0
    for entry in entries:
        if run and size + len(entry.body) > _MESSAGE_BYTES:
            yield run
            run, size = [], 0
        run.append(entry)
        size += len(entry.body)
    if run:
        yield run


class AuditServicer(audit_pb2_grpc.AuditServiceServicer):
    """The books, for operators.

    Args:
        auditor: checks them.
        store: has totals.
        journal: has entries.
        deals: follows them.
        stops: which books are closed.
        assets: the assets there are.
        clock: ends streams.
        stream_deadline: when a stream that begins now says goodbye, in ms of the monotonic clock.
    """

    def __init__(
        self,
        auditor: Auditor,
        store: LedgerStore,
        journal: Journal,
        deals: Deals,
        stops: Stops,
        assets: tuple[str, ...],
        clock: Clock,
        stream_deadline: Callable[[], int],
    ) -> None:
        self._auditor = auditor
        self._store = store
        self._journal = journal
        self._deals = deals
        self._stops = stops
        self._assets = assets
        self._stream_deadline = stream_deadline
        self._clock = clock
        self._is_draining = False

    def drain(self) -> None:
        """Says goodbye on every stream, within the pause between two looks at the journal."""
        self._is_draining = True

    async def VerifyBooks(
        self, request: audit_pb2.VerifyBooksRequest, context: _Context
    ) -> audit_pb2.VerifyBooksResponse:
        """See the proto."""
        return mapping.verify_response(await self._auditor.verify(request.asset))

    async def GetTotals(self, request: audit_pb2.GetTotalsRequest, context: _Context) -> audit_pb2.GetTotalsResponse:
        """See the proto."""
        check_asset(request.asset, self._assets)
        totals = await self._store.totals(request.asset)
        with damage_told():
            archived = await self._journal.archived_head(request.asset)
        return mapping.totals_response(totals, archived.number, self._stops.why(request.asset))

    async def ExportJournal(
        self, request: audit_pb2.ExportJournalRequest, context: _Context
    ) -> AsyncIterator[audit_pb2.ExportJournalResponse]:
        """See the proto."""
        check_asset(request.asset, self._assets)
        after = request.after_number
        head = await self._journal.kept_head(request.asset)
        while after < head.number:
            count = min(_READ_AT_ONCE, head.number - after)
            with damage_told():
                entries = await self._journal.consecutive(request.asset, after, count)
            for run in _runs(entries):
                yield audit_pb2.ExportJournalResponse(entries=map(mapping.entry_row, run))
            after = entries[-1].number

    async def WatchDeals(
        self, request: audit_pb2.WatchDealsRequest, context: _Context
    ) -> AsyncIterator[audit_pb2.WatchDealsResponse]:
        """See the proto."""
        check_asset(request.asset, self._assets)
        cursor, until_ms = request.after_number, self._stream_deadline()

        def is_over() -> bool:
            return self._is_draining or self._clock.monotonic_ms() >= until_ms

        with damage_told():
            async with aclosing(self._deals.watch(request.asset, cursor, is_over)) as deals:
                async for seen in deals:
                    cursor = seen.cursor
                    yield mapping.happening(seen)
        yield audit_pb2.WatchDealsResponse(cursor=cursor, goodbye=audit_pb2.DealGoodbye())
