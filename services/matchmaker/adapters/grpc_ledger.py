"""Asks the ledger what players have."""

import grpc.aio
from cardroom.ledger.v1 import ledger_pb2, ledger_pb2_grpc

from refusals import Reason, Refusal
from serving.refusing import refusal_of

_RETRY_MS = 1_000


class GrpcLedger:
    """The port `Ledger`."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = ledger_pb2_grpc.LedgerServiceStub(channel)

    async def balance(self, player_id: str, asset: str) -> int:
        """Units of the asset. Raises Refusal ACCOUNT_UNKNOWN or DEPENDENCY_UNAVAILABLE."""
        request = ledger_pb2.GetBalancesRequest(account_ids=[player_id], asset=asset)
        try:
            response: ledger_pb2.GetBalancesResponse = await self._stub.GetBalances(request)
        except grpc.aio.AioRpcError as error:
            refusal = refusal_of(error)
            if refusal is not None and refusal.reason is Reason.ACCOUNT_UNKNOWN:
                raise Refusal(Reason.ACCOUNT_UNKNOWN) from error
            raise Refusal(Reason.DEPENDENCY_UNAVAILABLE, retry_after_ms=_RETRY_MS) from error
        return response.balances[0].balance
