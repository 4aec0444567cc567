"""The services of the ledger that move money, on the wire."""

from collections.abc import Callable
from typing import Any

import grpc.aio
from cardroom.ledger.v1 import admin_pb2, admin_pb2_grpc, ledger_pb2, ledger_pb2_grpc

from services.ledger.app.books import Books
from services.ledger.app.corrections import Corrections
from services.ledger.edge import mapping
from services.ledger.edge.damage import damage_told
from services.ledger.ports import Call, Clock
from serving.auth import current_caller
from serving.calls import remaining_s

_Context = grpc.aio.ServicerContext[Any, Any]


class Door:
    """Lets calls in while the store may be used.

    Args:
        guard: raises ``Refusal`` while it may not.
        clock: deadlines are kept on it.
    """

    def __init__(self, guard: Callable[[], None], clock: Clock) -> None:
        self._guard = guard
        self._clock = clock

    def enter(self) -> Call:
        """Who calls, and until when he waits. Raises: Refusal STORE_NOT_DURABLE."""
        self._guard()
        left_s = remaining_s()
        deadline_ms = None if left_s is None else self._clock.monotonic_ms() + int(left_s * 1000)
        return Call(current_caller().subject, deadline_ms)


class LedgerServicer(ledger_pb2_grpc.LedgerServiceServicer):
    """Accounts, stakes and settlements, for services."""

    def __init__(self, books: Books, door: Door) -> None:
        self._books = books
        self._door = door

    async def OpenAccount(
        self, request: ledger_pb2.OpenAccountRequest, context: _Context
    ) -> ledger_pb2.OpenAccountResponse:
        """See the proto."""
        balances, opened = await self._books.open_account(request.account_id, self._door.enter())
        return ledger_pb2.OpenAccountResponse(balances=map(mapping.balance_row, balances), opened=opened)

    async def GetBalances(
        self, request: ledger_pb2.GetBalancesRequest, context: _Context
    ) -> ledger_pb2.GetBalancesResponse:
        """See the proto."""
        self._door.enter()
        balances = await self._books.balances(tuple(request.account_ids), request.asset)
        return ledger_pb2.GetBalancesResponse(balances=map(mapping.balance_row, balances))

    async def ReserveStake(
        self, request: ledger_pb2.ReserveStakeRequest, context: _Context
    ) -> ledger_pb2.ReserveStakeResponse:
        """See the proto."""
        return mapping.reserve_response(await self._books.reserve(mapping.stake(request), self._door.enter()))

    async def ReleaseStake(
        self, request: ledger_pb2.ReleaseStakeRequest, context: _Context
    ) -> ledger_pb2.ReleaseStakeResponse:
        """See the proto."""
        freed = await self._books.release(
            request.table_id,
            request.epoch,
            request.deal_id,
            request.asset,
            self._door.enter(),
            why=request.reason if current_caller().role == "operator" else None,
        )
        return ledger_pb2.ReleaseStakeResponse(account_ids=freed)

    async def Claim(self, request: ledger_pb2.ClaimRequest, context: _Context) -> ledger_pb2.ClaimResponse:
        """See the proto."""
        return mapping.claim_response(
            await self._books.claim(
                request.table_id, request.epoch, request.asset, self._door.enter(), known_seq=request.known_seq
            )
        )

    async def Settle(self, request: ledger_pb2.SettleRequest, context: _Context) -> ledger_pb2.SettleResponse:
        """See the proto."""
        with damage_told():
            return mapping.settle_response(await self._books.settle(mapping.settlement(request), self._door.enter()))

    async def Void(self, request: ledger_pb2.VoidRequest, context: _Context) -> ledger_pb2.VoidResponse:
        """See the proto."""
        with damage_told():
            return mapping.void_response(await self._books.void(mapping.void(request), self._door.enter()))

    async def Penalize(self, request: ledger_pb2.PenalizeRequest, context: _Context) -> ledger_pb2.PenalizeResponse:
        """See the proto."""
        with damage_told():
            settled = await self._books.penalize(
                mapping.penalty(request), request.account_id, request.amount, self._door.enter()
            )
        return mapping.penalize_response(settled)


class AccountAdminServicer(admin_pb2_grpc.AccountAdminServiceServicer):
    """Accounts, for operators."""

    def __init__(self, corrections: Corrections, door: Door) -> None:
        self._corrections = corrections
        self._door = door

    async def Grant(self, request: admin_pb2.GrantRequest, context: _Context) -> admin_pb2.GrantResponse:
        """See the proto."""
        return mapping.grant_response(await self._corrections.grant(mapping.grant(request), self._door.enter()))

    async def GrantRelief(
        self, request: admin_pb2.GrantReliefRequest, context: _Context
    ) -> admin_pb2.GrantReliefResponse:
        """See the proto."""
        return mapping.relief_response(await self._corrections.relieve(mapping.grant(request), self._door.enter()))

    async def FreezeAccount(
        self, request: admin_pb2.FreezeAccountRequest, context: _Context
    ) -> admin_pb2.FreezeAccountResponse:
        """See the proto."""
        balances, duplicate = await self._corrections.freeze(mapping.freeze(request), self._door.enter())
        return admin_pb2.FreezeAccountResponse(balances=map(mapping.balance_row, balances), duplicate=duplicate)

    async def UnfreezeAccount(
        self, request: admin_pb2.UnfreezeAccountRequest, context: _Context
    ) -> admin_pb2.UnfreezeAccountResponse:
        """See the proto."""
        balances, duplicate = await self._corrections.freeze(mapping.unfreeze(request), self._door.enter())
        return admin_pb2.UnfreezeAccountResponse(balances=map(mapping.balance_row, balances), duplicate=duplicate)

    async def Reverse(self, request: admin_pb2.ReverseRequest, context: _Context) -> admin_pb2.ReverseResponse:
        """See the proto."""
        with damage_told():
            reversed_ = await self._corrections.reverse(mapping.reversal(request), self._door.enter())
        return mapping.reverse_response(reversed_)

    async def ResumeBooks(
        self, request: admin_pb2.ResumeBooksRequest, context: _Context
    ) -> admin_pb2.ResumeBooksResponse:
        """See the proto."""
        with damage_told():
            number, lost_count = await self._corrections.resume(mapping.resumption(request), self._door.enter())
        return admin_pb2.ResumeBooksResponse(journal_number=number, lost_count=lost_count)
