"""Robots' accounts at the ledger, opened in the role of whoever logs people in."""

import grpc.aio
from cardroom.ledger.v1 import ledger_pb2, ledger_pb2_grpc

from refusals import Reason, Refusal
from serving.refusing import refusal_of

_RETRY_MS = 1_000


class GrpcRobotAccounts:
    """The port `RobotAccounts`."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        """`channel` carries tokens of the role `login`."""
        self._stub = ledger_pb2_grpc.LedgerServiceStub(channel)

    async def open(self, robot: str, asset: str) -> int:
        """A new account; what it has of the asset. Raises Refusal BUDGET_EXHAUSTED, DEPENDENCY_UNAVAILABLE."""
        try:
            opened = await self._stub.OpenAccount(ledger_pb2.OpenAccountRequest(account_id=robot))
        except grpc.aio.AioRpcError as error:
            refusal = refusal_of(error)
            if refusal is not None and refusal.reason is Reason.BUDGET_EXHAUSTED:
                raise Refusal(Reason.BUDGET_EXHAUSTED) from error
            raise Refusal(Reason.DEPENDENCY_UNAVAILABLE, retry_after_ms=_RETRY_MS) from error
        return next((row.balance for row in opened.balances if row.asset == asset), 0)
