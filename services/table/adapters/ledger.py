"""The ledger over gRPC."""

from collections.abc import Sequence

import grpc.aio
from cardroom.ledger.v1 import ledger_pb2, ledger_pb2_grpc

from games.kernel import Payment
from services.table.adapters.definite import definite
from services.table.ports import Account, Booked, BookedLine, Books, Reserved, Settled, StakeRefused

SYSTEM = "system"
_BELOW_MINIMUM = ledger_pb2.STAKE_REFUSAL_BELOW_MINIMUM


class GrpcLedger:
    """`Ledger` over a channel."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = ledger_pb2_grpc.LedgerServiceStub(channel)

    async def claim(self, account: Account, known_seq: int) -> Books:
        """See `Ledger`."""
        request = ledger_pb2.ClaimRequest(
            table_id=account.table_id, asset=account.asset, epoch=account.epoch, known_seq=known_seq
        )
        response = await definite(self._stub.Claim(request))
        return Books(response.last_seq, tuple(_booked(row) for row in response.missed))

    async def reserve(self, account: Account, deal_id: str, least_balance: int) -> Reserved | StakeRefused:
        """See `Ledger`."""
        request = ledger_pb2.ReserveStakeRequest(
            table_id=account.table_id,
            epoch=account.epoch,
            deal_id=deal_id,
            asset=account.asset,
            account_ids=account.players,
            least_balance=least_balance,
        )
        response = await definite(self._stub.ReserveStake(request))
        if response.reserved:
            return Reserved(tuple(row.balance for row in response.rows))
        refused = [row for row in response.rows if row.refusal]
        return StakeRefused(
            short=any(row.refusal == _BELOW_MINIMUM for row in refused),
            players=frozenset(row.account_id for row in refused),
        )

    async def settle(self, account: Account, deal_id: str, seq: int, payments: Sequence[Payment]) -> Settled:
        """See `Ledger`."""
        players = account.players
        request = ledger_pb2.SettleRequest(
            table_id=account.table_id,
            epoch=account.epoch,
            seq=seq,
            deal_id=deal_id,
            asset=account.asset,
            payments=[
                ledger_pb2.LedgerPayment(
                    payer=players[payment.payer],
                    payee=SYSTEM if payment.payee is None else players[payment.payee],
                    amount=payment.amount,
                    reason=payment.cause,
                    group_id=0 if payment.group is None else payment.group.number,
                )
                for payment in payments
            ],
            groups=_groups(account, payments),
        )
        response = await definite(self._stub.Settle(request))
        balances: dict[str, int] = {}
        for line in response.lines:
            balances[line.payer] = line.payer_balance_after
            balances[line.payee] = line.payee_balance_after
        return Settled(tuple(line.paid for line in response.lines), balances)

    async def penalize(self, account: Account, deal_id: str, seq: int, payment: Payment) -> Settled:
        """See `Ledger`."""
        payer = account.players[payment.payer]
        request = ledger_pb2.PenalizeRequest(
            table_id=account.table_id,
            epoch=account.epoch,
            seq=seq,
            deal_id=deal_id,
            asset=account.asset,
            account_id=payer,
            amount=payment.amount,
        )
        response = await definite(self._stub.Penalize(request))
        return Settled((response.paid,), {payer: response.balance_after})

    async def release(self, account: Account, deal_id: str) -> None:
        """See `Ledger`."""
        request = ledger_pb2.ReleaseStakeRequest(
            table_id=account.table_id, epoch=account.epoch, deal_id=deal_id, asset=account.asset
        )
        await definite(self._stub.ReleaseStake(request))


def _booked(row: ledger_pb2.MissedSettlement) -> Booked:
    return Booked(
        row.seq, tuple(BookedLine(line.payer, line.payee, line.paid, line.reason) for line in row.result.lines)
    )


def _groups(account: Account, payments: Sequence[Payment]) -> list[ledger_pb2.PaymentGroup]:
    """One row for each group of payments that share a shortfall (PF-52), in order."""
    groups = dict.fromkeys(payment.group for payment in payments if payment.group is not None)
    return [
        ledger_pb2.PaymentGroup(
            id=group.number, remainder_to="" if group.remainder_to is None else account.players[group.remainder_to]
        )
        for group in groups
    ]
