"""The ledger as a login backend and an operator see it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self
from uuid import uuid4

from cardroom.ledger.v1 import admin_pb2, admin_pb2_grpc, audit_pb2, audit_pb2_grpc, ledger_pb2, ledger_pb2_grpc

from deploy.local.stack import Stack
from serving.channels import connect


@dataclass(frozen=True, slots=True)
class Books:
    """The state of one asset's books.

    Attributes:
        right: nothing is wrong with them.
        supply: units brought into being.
        text: all of it in one line.
    """

    right: bool
    supply: int
    text: str


class Bank:
    """Opens accounts, tops them up, reads balances and verifies the books of a running stack."""

    def __init__(self, stack: Stack) -> None:
        address = stack.address("ledger")
        self._login = connect(address, token=stack.service_tokens("login"), patient=True)
        self._operator = connect(address, token=stack.service_tokens("operator"), patient=True)
        self._assets: list[str] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._login.close()
        await self._operator.close()

    @property
    def assets(self) -> Sequence[str]:
        """The assets accounts have, as the ledger named them when one was opened."""
        return self._assets

    async def open_account(self, player_id: str) -> None:
        """Open an account with its opening grants; nothing happens if there is one."""
        ledger = ledger_pb2_grpc.LedgerServiceStub(self._login)
        answer = await ledger.OpenAccount(ledger_pb2.OpenAccountRequest(account_id=player_id))
        self._assets = [row.asset for row in answer.balances]

    async def balances(self, player_ids: Sequence[str], asset: str) -> list[int]:
        """What the players have, in the order asked."""
        ledger = ledger_pb2_grpc.LedgerServiceStub(self._login)
        answer = await ledger.GetBalances(ledger_pb2.GetBalancesRequest(account_ids=player_ids, asset=asset))
        return [row.balance for row in answer.balances]

    async def grant(self, player_id: str, asset: str, amount: int, reason: str) -> None:
        """Bring money into being for a player (PF-50)."""
        admin = admin_pb2_grpc.AccountAdminServiceStub(self._operator)
        request = admin_pb2.GrantRequest(
            request_id=str(uuid4()), account_id=player_id, asset=asset, amount=amount, reason=reason
        )
        await admin.Grant(request)

    async def books(self, asset: str) -> Books:
        """Verify one asset's books."""
        audit = audit_pb2_grpc.AuditServiceStub(self._operator)
        found = await audit.VerifyBooks(audit_pb2.VerifyBooksRequest(asset=asset), timeout=30)
        right = found.ok and not found.faults and found.sum_total == 0
        verdict = "right" if right else "WRONG: " + "; ".join(fault.detail for fault in found.faults)
        text = (
            f"{asset}: supply {found.supply} = players {found.players_total} + penalties {found.penalties_total} "
            f"+ funds {found.funds_total}; "
            f"sum over {found.account_count} accounts and the issue {found.sum_total}; "
            f"{found.entry_count} journal entries: {verdict}"
        )
        return Books(right, found.supply, text)
