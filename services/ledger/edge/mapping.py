"""Messages of ``cardroom.ledger.v1`` to the ledger's values, and back."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from cardroom.ledger.v1 import account_pb2, admin_pb2, audit_pb2, ledger_pb2
from google.protobuf.timestamp_pb2 import Timestamp

from services.ledger.app.deals import Happening
from services.ledger.app.entries import Record
from services.ledger.app.fold import BooksState, Fault
from services.ledger.app.statements import AccountState, Movement
from services.ledger.app.titles import Title
from services.ledger.values import (
    ISSUANCE,
    PENALTIES,
    RELIEF_FUND,
    ROBOTS_FUND,
    Balance,
    Claimed,
    Entry,
    EntryKind,
    Freeze,
    Grant,
    Granted,
    Group,
    Leg,
    Line,
    Reservation,
    Resumption,
    Reversal,
    Settled,
    Settlement,
    Stake,
    StakeRefusal,
    Totals,
    Void,
)

_INT64_MAX: Final = 2**63 - 1
_UINT64_MAX: Final = 2**64 - 1

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


def void(request: ledger_pb2.VoidRequest) -> Void:
    """A void as it was asked."""
    return Void(request.table_id, request.epoch, request.seq, request.deal_id, request.asset, request.reason)


def penalty(request: ledger_pb2.PenalizeRequest) -> Settlement:
    """The settlement that a penalty is, without its payment."""
    return Settlement(request.table_id, request.epoch, request.seq, request.deal_id, request.asset, ())


def freeze(request: admin_pb2.FreezeAccountRequest) -> Freeze:
    """An account to be frozen."""
    return Freeze(request.request_id, request.account_id, EntryKind.FREEZE, request.reason)


def unfreeze(request: admin_pb2.UnfreezeAccountRequest) -> Freeze:
    """An account to be free again."""
    return Freeze(request.request_id, request.account_id, EntryKind.UNFREEZE, request.reason)


def reversal(request: admin_pb2.ReverseRequest) -> Reversal:
    """A reversal as it was asked."""
    return Reversal(request.request_id, request.asset, request.journal_number, request.reason)


def resumption(request: admin_pb2.ResumeBooksRequest) -> Resumption:
    """A resumption as it was asked."""
    return Resumption(request.request_id, request.asset, request.journal_number, request.reason)


def grant(request: admin_pb2.GrantRequest | admin_pb2.GrantReliefRequest) -> Grant:
    """A grant or relief as it was asked."""
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


def settled_line(line: Line) -> ledger_pb2.SettledLine:
    """What became of one leg, on the wire."""
    return ledger_pb2.SettledLine(
        payer=line.payer,
        payee=line.payee,
        asked=line.asked,
        paid=line.paid,
        payer_balance_after=line.payer_after,
        payee_balance_after=line.payee_after,
        reason=line.reason,
    )


def settle_response(settled: Settled) -> ledger_pb2.SettleResponse:
    """A settlement's result on the wire."""
    return ledger_pb2.SettleResponse(
        journal_number=settled.number,
        lines=map(settled_line, settled.lines),
        duplicate=settled.duplicate,
        voided=settled.voided,
    )


def void_response(settled: Settled) -> ledger_pb2.VoidResponse:
    """A void's result on the wire."""
    return ledger_pb2.VoidResponse(journal_number=settled.number, duplicate=settled.duplicate)


def penalize_response(settled: Settled) -> ledger_pb2.PenalizeResponse:
    """A penalty's result on the wire."""
    (line,) = settled.lines
    return ledger_pb2.PenalizeResponse(
        journal_number=settled.number, paid=line.paid, balance_after=line.payer_after, duplicate=settled.duplicate
    )


def claim_response(claimed: Claimed) -> ledger_pb2.ClaimResponse:
    """Where a table's settlements stand, on the wire; ``last_result`` is absent if there is none."""
    last = claimed.last_result
    return ledger_pb2.ClaimResponse(
        last_seq=claimed.last_seq,
        last_result=settle_response(last) if last is not None else None,
        missed=[
            ledger_pb2.MissedSettlement(seq=seq, result=settle_response(settled)) for seq, settled in claimed.missed
        ],
    )


def grant_response(granted: Granted) -> admin_pb2.GrantResponse:
    """A grant's result on the wire."""
    return admin_pb2.GrantResponse(
        journal_number=granted.number, balance_after=granted.after, duplicate=granted.duplicate
    )


def relief_response(granted: Granted) -> admin_pb2.GrantReliefResponse:
    """A relief's result on the wire."""
    return admin_pb2.GrantReliefResponse(
        journal_number=granted.number, balance_after=granted.after, duplicate=granted.duplicate
    )


def reverse_response(settled: Settled) -> admin_pb2.ReverseResponse:
    """A reversal's result on the wire."""
    return admin_pb2.ReverseResponse(
        journal_number=settled.number, lines=map(settled_line, settled.lines), duplicate=settled.duplicate
    )


def account_response(account: str, state: AccountState) -> account_pb2.GetAccountResponse:
    """An account on the wire."""
    return account_pb2.GetAccountResponse(
        account_id=account,
        balances=map(balance_row, state.balances),
        title=_title(state.title),
        next_title=_title(state.next_title),
    )


def statement_line(line: Movement) -> account_pb2.StatementLine:
    """A movement on the wire."""
    record = line.record
    return account_pb2.StatementLine(
        journal_number=record.number,
        leg=line.leg_index,
        time=_time(record),
        kind=record.kind,
        table_id=record.table,
        deal_id=record.deal,
        reason=line.leg.reason,
        counterparty=line.counterparty,
        asked=line.leg.asked,
        change=line.change,
        balance_after=line.after,
        reverses=record.reverses,
    )


def totals_response(totals: Totals, archived: int, stopped: str) -> audit_pb2.GetTotalsResponse:
    """What an asset comes to, on the wire."""
    supply, penalties = -totals.system[ISSUANCE], totals.system[PENALTIES]
    relief, robots = totals.system[RELIEF_FUND], totals.system[ROBOTS_FUND]
    return audit_pb2.GetTotalsResponse(
        journal_number=totals.head.number,
        journal_hash=totals.head.hash,
        archived_number=archived,
        account_count=totals.account_count,
        locked_count=totals.locked_count,
        frozen_count=totals.frozen_count,
        supply=supply,
        players_total=supply - penalties - relief - robots,
        penalties_total=penalties,
        relief_fund=relief,
        robots_fund=robots,
        stopped=stopped,
        wrong=totals.wrong,
    )


def entry_row(entry: Entry) -> audit_pb2.JournalEntry:
    """An entry on the wire. Bytes of a damaged one that are no text become question marks."""
    body = entry.body.encode("utf-8", "replace").decode("utf-8")
    return audit_pb2.JournalEntry(number=entry.number, body=body, hash=entry.hash)


def happening(seen: Happening) -> audit_pb2.WatchDealsResponse:
    """What happened at a table, on the wire."""
    record = seen.record
    if record is None:
        return audit_pb2.WatchDealsResponse(cursor=seen.cursor, heartbeat=audit_pb2.DealHeartbeat())
    response = audit_pb2.WatchDealsResponse(
        cursor=seen.cursor, time=_time(record), table_id=record.table, deal_id=record.deal
    )
    lines = [
        audit_pb2.DealLine(payer=leg.payer, payee=leg.payee, asked=leg.asked, paid=leg.paid, reason=leg.reason)
        for leg in record.legs
    ]
    if seen.results is not None:
        results = [audit_pb2.DealResult(account_id=name, change=by) for name, by in seen.results.changes.items()]
        response.finished.CopyFrom(
            audit_pb2.DealFinished(settlement_count=seen.results.settlement_count, results=results)
        )
    elif record.kind == EntryKind.VOID:
        response.voided.CopyFrom(audit_pb2.DealVoid(seq=record.seq, reason=record.why))
    elif record.kind == EntryKind.REVERSE:
        response.reversal.CopyFrom(
            audit_pb2.DealReversal(reverses=record.reverses, lines=lines, actor=record.actor, reason=record.why)
        )
    else:
        response.settlement.CopyFrom(audit_pb2.DealSettlement(seq=record.seq, lines=lines))
    return response


def _title(title: Title | None) -> account_pb2.Title | None:
    return None if title is None else account_pb2.Title(name=title.name, points=title.points)


def _time(record: Record) -> Timestamp:
    time = Timestamp()
    time.FromMilliseconds(record.at_ms)
    return time


def verify_response(state: BooksState) -> audit_pb2.VerifyBooksResponse:
    """The state of an asset's books on the wire."""
    return audit_pb2.VerifyBooksResponse(
        ok=not state.faults,
        entry_count=state.entry_count,
        account_count=state.account_count,
        supply=_int64(state.supply),
        players_total=_int64(state.players_total),
        penalties_total=_int64(state.penalties_total),
        funds_total=_int64(state.funds_total),
        sum_total=_int64(state.sum_total),
        faults=map(_fault, state.faults),
        accepted=map(_fault, state.accepted),
    )


def _fault(fault: Fault) -> audit_pb2.BookFault:
    return audit_pb2.BookFault(
        kind=fault.kind,
        account_id=_shown(fault.account),
        journal_number=min(max(fault.number, 0), _UINT64_MAX),
        detail=_shown(fault.detail),
    )


def _int64(units: int) -> int:
    """A sum as near as the wire can tell it: altered books may come to anything."""
    return min(max(units, -_INT64_MAX), _INT64_MAX)


def _shown(text: str) -> str:
    """A text of altered books, with question marks for what is no text."""
    return text.encode("utf-8", "replace").decode()
