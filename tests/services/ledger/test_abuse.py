"""Every method of the ledger, called by everybody, with everything: refused by name or carried out, never a fault."""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import grpc
import pytest
from cardroom.ledger.v1 import account_pb2, admin_pb2, audit_pb2, ledger_pb2
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from refusals import Reason
from serving.refusing import refusal_of
from tests.services.ledger.wire import Wire

SERVICES = [
    service
    for module in (ledger_pb2, account_pb2, admin_pb2, audit_pb2)
    for service in module.DESCRIPTOR.services_by_name.values()
]
METHODS = [method for service in SERVICES for method in service.methods]

_OF_TABLES = "ReserveStake ReleaseStake Claim Settle Void Penalize"
_OF_OPERATORS = (
    "Grant GrantRelief FreezeAccount UnfreezeAccount Reverse ResumeBooks VerifyBooks GetTotals ExportJournal WatchDeals"
)
ALLOWED: dict[str, set[str]] = {
    "OpenAccount": {"login"},
    "GetBalances": {"table", "matchmaker", "login", "operator"},
    "GetAccount": {"player", "operator"},
    "ListStatement": {"player", "operator"},
    **{name: {"table"} for name in _OF_TABLES.split()},
    "ReleaseStake": {"table", "operator"},
    **{name: {"operator"} for name in _OF_OPERATORS.split()},
}
"""Who may call what, written down a second time."""
ROLES: dict[str, dict[str, Any]] = {
    "player": {}, "seat": {"table_id": "t1", "seat": 0}, "spectator": {"table_id": "t1"}, "login": {}, "table": {},
    "matchmaker": {}, "scoring-caller": {}, "operator": {},
}  # fmt: skip

NAMES = ("", " ", "x" * 65, "x" * 129, "a b", "\x00", "奖🀄", "ann\n", "system", "penalties", "issuance", "fund:robots",
         "sys:x", "nobody", "ann", "bob")  # fmt: skip
NUMBERS = (0, 1, -1, 2**31 - 1, -(2**31), 2**32 - 1, 2**53 - 1, 2**53, 2**63 - 1, -(2**63), 2**64 - 1)
MANY = 10_000
TIMEOUT_S, WATCHED_S = 20.0, 1.0
FAULTS = {grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}


def call(wire: Wire, method: MethodDescriptor, role: str | None, request: Message) -> Any:
    """The call, not awaited; of a stream, its messages."""
    claims = ROLES.get(role or "", {})
    metadata = (("authorization", f"Bearer {wire.mint(role, 'ann', **claims)}"),) if role else ()
    channel = wire.channel(None)
    path = f"/{method.containing_service.full_name}/{method.name}"
    make = channel.unary_stream if method.server_streaming else channel.unary_unary
    answer = GetMessageClass(method.output_type)
    return make(path, request_serializer=type(request).SerializeToString, response_deserializer=answer.FromString)(
        request, metadata=metadata, timeout=TIMEOUT_S if method.name != "WatchDeals" else WATCHED_S
    )


async def status_of(call: Any) -> tuple[grpc.StatusCode, Reason | None]:
    """How it ends, or of a stream how it begins; and the reason of a refusal."""
    try:
        await (call.read() if hasattr(call, "read") else call)
    except grpc.aio.AioRpcError as error:
        refusal = refusal_of(error)
        return error.code(), refusal.reason if refusal else None
    finally:
        call.cancel()
    return grpc.StatusCode.OK, None


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
async def test_everybody_else_is_turned_away(wire: Wire, method: MethodDescriptor) -> None:
    request = GetMessageClass(method.input_type)()
    for role in ROLES:
        code, reason = await status_of(call(wire, method, role, request))
        is_turned_away = (code, reason) == (grpc.StatusCode.PERMISSION_DENIED, Reason.ROLE_NOT_ALLOWED)
        assert is_turned_away is (role not in ALLOWED[method.name]), (role, code, reason)
    assert await status_of(call(wire, method, None, request)) == (
        grpc.StatusCode.UNAUTHENTICATED, Reason.TOKEN_MISSING,
    )  # fmt: skip


def rightful(wire: Wire) -> dict[str, Message]:
    """A request of each method that would be carried out."""
    asset = wire.coins

    def asked(message: Callable[..., Message], **fields: object) -> Message:
        return message(request_id=str(uuid4()), reason="because", **fields)

    of_table: dict[str, Any] = {"table_id": "t1", "epoch": 1, "asset": asset, "deal_id": "d1"}
    payments = [
        ledger_pb2.LedgerPayment(payer="ann", payee="bob", amount=3, reason="rain", group_id=1),
        ledger_pb2.LedgerPayment(payer="ann", payee="cyd", amount=3, reason="rain", group_id=1),
    ]
    group = ledger_pb2.PaymentGroup(id=1, remainder_to="bob")
    return {
        "OpenAccount": ledger_pb2.OpenAccountRequest(account_id="ann"),
        "GetBalances": ledger_pb2.GetBalancesRequest(account_ids=["ann"], asset=asset),
        "ReserveStake": ledger_pb2.ReserveStakeRequest(**of_table, account_ids=["ann", "bob", "cyd"], least_balance=1),
        "ReleaseStake": ledger_pb2.ReleaseStakeRequest(**of_table | {"deal_id": "d0", "reason": "its table is gone"}),
        "Claim": ledger_pb2.ClaimRequest(table_id="t1", epoch=1, asset=asset),
        "Settle": ledger_pb2.SettleRequest(**of_table, seq=1, payments=payments, groups=[group]),
        "Void": ledger_pb2.VoidRequest(**of_table, seq=1, reason="because"),
        "Penalize": ledger_pb2.PenalizeRequest(**of_table, seq=1, account_id="ann", amount=3),
        "GetAccount": account_pb2.GetAccountRequest(account_id="ann"),
        "ListStatement": account_pb2.ListStatementRequest(account_id="ann", asset=asset, page_size=3),
        "Grant": asked(admin_pb2.GrantRequest, account_id="ann", asset=asset, amount=3),
        "GrantRelief": asked(admin_pb2.GrantReliefRequest, account_id="ann", asset=asset, amount=3),
        "FreezeAccount": asked(admin_pb2.FreezeAccountRequest, account_id="cyd"),
        "UnfreezeAccount": asked(admin_pb2.UnfreezeAccountRequest, account_id="cyd"),
        "Reverse": asked(admin_pb2.ReverseRequest, asset=asset, journal_number=1),
        "ResumeBooks": asked(admin_pb2.ResumeBooksRequest, asset=asset, journal_number=1),
        "VerifyBooks": audit_pb2.VerifyBooksRequest(asset=asset),
        "GetTotals": audit_pb2.GetTotalsRequest(asset=asset),
        "ExportJournal": audit_pb2.ExportJournalRequest(asset=asset),
        "WatchDeals": audit_pb2.WatchDealsRequest(asset=asset),
    }


def bent(request: Message) -> Iterator[tuple[str, Message]]:
    """The request with one field, at any depth, changed to each thing that it can hold and should not."""
    for field in request.DESCRIPTOR.fields:
        if field.is_repeated:
            for what, change in _bent_lists(request, field):
                yield f"{field.name} {what}", change
        else:
            for value in NUMBERS if field.cpp_type != FieldDescriptor.CPPTYPE_STRING else NAMES:
                changed = type(request)()
                changed.CopyFrom(request)
                try:
                    setattr(changed, field.name, value)
                except ValueError:
                    continue  # the wire cannot carry it
                yield f"{field.name} = {value!r}", changed


def _bent_lists(request: Message, field: Any) -> Iterator[tuple[str, Message]]:
    rows = list(getattr(request, field.name))
    other: dict[str, list[Any]] = {"absent": [], "twice": rows + rows, "very often": (rows * MANY)[:MANY]}
    if field.message_type is None:
        other |= {f"with {name!r}": [*rows[:-1], name] for name in NAMES}
    else:
        other |= {f"[-1] {what}": [*rows[:-1], changed] for what, changed in bent(rows[-1])}
    for what, values in other.items():
        changed = type(request)()
        changed.CopyFrom(request)
        changed.ClearField(field.name)
        getattr(changed, field.name).extend(values)
        yield what, changed


@pytest.fixture
async def seated(wire: Wire) -> Wire:
    """A ledger whose table t1 holds three players' coins, and that has something for relief."""
    await wire.seat("ann", "bob", "cyd")
    grant = admin_pb2.GrantRequest(
        request_id=str(uuid4()), account_id="fund:relief", asset=wire.coins, amount=100, reason="for relief"
    )
    await wire.admin().Grant(grant)
    return wire


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
async def test_a_request_with_anything_in_any_field_is_refused_by_name_or_carried_out(
    seated: Wire, method: MethodDescriptor
) -> None:
    """PF-50, PF-53: absurd numbers and names, empty lists and endless ones; whatever came, the books are right."""
    role = min(ALLOWED[method.name])
    rightly = {"Reverse": Reason.ENTRY_UNKNOWN, "ResumeBooks": Reason.INVALID_FIELD}.get(method.name)
    assert (await status_of(call(seated, method, role, rightful(seated)[method.name])))[1] is rightly
    count = 0
    for what, request in bent(rightful(seated)[method.name]):
        code, reason = await status_of(call(seated, method, role, request))
        assert code not in FAULTS, (what, code, reason)
        is_waiting = method.name == "WatchDeals" and code is grpc.StatusCode.DEADLINE_EXCEEDED
        assert code is grpc.StatusCode.OK or reason is not None or is_waiting or "very often" in what, (what, code)
        count += 1
    assert count >= 10
    state = await seated.audit().VerifyBooks(audit_pb2.VerifyBooksRequest(asset=seated.coins))
    assert state.ok, state.faults
    assert state.sum_total == 0
