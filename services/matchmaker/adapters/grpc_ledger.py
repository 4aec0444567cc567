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
            if _says_no_account(refusal_of(error)):
                raise Refusal(Reason.ACCOUNT_UNKNOWN) from error
            raise Refusal(Reason.DEPENDENCY_UNAVAILABLE, retry_after_ms=_RETRY_MS) from error
        return response.balances[0].balance


def _says_no_account(refusal: Refusal | None) -> bool:
    """Whether there is no such account, or can be none: trying again would help neither."""
    if refusal is None:
        return False
    impossible = refusal.reason is Reason.INVALID_FIELD and (refusal.field or "").startswith("account_ids")
    return impossible or refusal.reason is Reason.ACCOUNT_UNKNOWN
