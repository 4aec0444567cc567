"""Messages of ``cardroom.ledger.v1`` to the ledger's values, and back."""

from collections.abc import Mapping
from types import MappingProxyType

from cardroom.ledger.v1 import admin_pb2, audit_pb2, ledger_pb2

from services.ledger.app.fold import BooksState
from services.ledger.values import (
    Balance,
    Claimed,
    Grant,
    Granted,
    Group,
    Leg,
    Reservation,
    Settled,
    Settlement,
    Stake,
    StakeRefusal,
)

STAKE_REFUSALS: Mapping[StakeRefusal, ledger_pb2.StakeRefusal.ValueType] = MappingProxyType(
    {
        StakeRefusal.NONE: ledger_pb2.STAKE_REFUSAL_UNSPECIFIED,
        StakeRefusal.BELOW_MINIMUM: ledger_pb2.STAKE_REFUSAL_BELOW_MINIMUM,
        StakeRefusal.LOCKED_ELSEWHERE: ledger_pb2.STAKE_REFUSAL_LOCKED_ELSEWHERE,
        StakeRefusal.ACCOUNT_UNKNOWN: ledger_pb2.STAKE_REFUSAL_ACCOUNT_UNKNOWN,
        StakeRefusal.FROZEN: ledger_pb2.STAKE_REFUSAL_FROZEN,
    }
)
assert set(STAKE_REFUSALS) == set(StakeRefusal)


def settlement(request: ledger_pb2.SettleRequest) -> Settlement:
    """A settlement as it was asked."""
    return Settlement(
        table=request.table_id,
        epoch=request.epoch,
        seq=request.seq,
        deal=request.deal_id,
        asset=request.asset,
        legs=tuple(Leg(row.payer, row.payee, row.amount, row.reason, row.group_id) for row in request.payments),
        groups=tuple(Group(row.id, row.remainder_to) for row in request.groups),
    )


def stake(request: ledger_pb2.ReserveStakeRequest) -> Stake:
    """A reservation as it was asked."""
    return Stake(
        request.table_id,
        request.epoch,
        request.deal_id,
        request.asset,
        tuple(request.account_ids),
        request.least_balance,
    )


def grant(request: admin_pb2.GrantRequest) -> Grant:
    """A grant as it was asked."""
    return Grant(request.request_id, request.account_id, request.asset, request.amount, request.reason)


def balance_row(balance: Balance) -> ledger_pb2.AccountBalance:
    """An account's balance on the wire."""
    return ledger_pb2.AccountBalance(
        account_id=balance.account,
        asset=balance.asset,
        balance=balance.units,
        locked_by_table_id=balance.locked_by,
        frozen=balance.frozen,
    )


def reserve_response(reservation: Reservation) -> ledger_pb2.ReserveStakeResponse:
    """A reservation's result on the wire."""
    rows = [
        ledger_pb2.StakeRow(account_id=row.account, balance=row.units, refusal=STAKE_REFUSALS[row.refusal])
        for row in reservation.rows
    ]
    return ledger_pb2.ReserveStakeResponse(reserved=reservation.reserved, rows=rows)


def settle_response(settled: Settled) -> ledger_pb2.SettleResponse:
    """A settlement's result on the wire."""
    lines = [
        ledger_pb2.SettledLine(
            payer=line.payer,
            payee=line.payee,
            asked=line.asked,
            paid=line.paid,
            payer_balance_after=line.payer_after,
            payee_balance_after=line.payee_after,
            reason=line.reason,
        )
        for line in settled.lines
    ]
    return ledger_pb2.SettleResponse(journal_number=settled.number, lines=lines, duplicate=settled.duplicate)


def claim_response(claimed: Claimed) -> ledger_pb2.ClaimResponse:
    """Where a table's settlements stand, on the wire; ``last_result`` is absent if there is none."""
    last = claimed.last_result
    return ledger_pb2.ClaimResponse(
        last_seq=claimed.last_seq, last_result=settle_response(last) if last is not None else None
    )


def grant_response(granted: Granted) -> admin_pb2.GrantResponse:
    """A grant's result on the wire."""
    return admin_pb2.GrantResponse(
        journal_number=granted.number, balance_after=granted.after, duplicate=granted.duplicate
    )


def verify_response(state: BooksState) -> audit_pb2.VerifyBooksResponse:
    """The state of an asset's books on the wire."""
    faults = [
        audit_pb2.BookFault(kind=fault.kind, account_id=fault.account, journal_number=fault.number, detail=fault.detail)
        for fault in state.faults
    ]
    return audit_pb2.VerifyBooksResponse(
        ok=not faults,
        entry_count=state.entry_count,
        account_count=state.account_count,
        supply=state.supply,
        players_total=state.players_total,
        penalties_total=state.penalties_total,
        sum_total=state.sum_total,
        faults=faults,
    )
