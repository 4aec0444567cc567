"""Bad input for the matchmaker and the ledger."""

from collections.abc import Awaitable, Mapping
from uuid import uuid4

from cardroom.ledger.v1 import admin_pb2, admin_pb2_grpc, ledger_pb2, ledger_pb2_grpc
from cardroom.matchmaker.v1 import seat_pb2, seat_pb2_grpc

from tests.faults.bare import LIMIT_SECONDS, answer
from tests.faults.machine import ASSET
from tests.faults.world import Case, QueueCaller, World, payment, settlement

QUEUEING: Mapping[str, Case] = {
    "a room that is not there": Case(lambda w: w.matchmaker(w.free).join("nowhere"), "ROOM_UNKNOWN"),
    "no room": Case(lambda w: w.matchmaker(w.free).join(""), "INVALID_FIELD", "room_id"),
    "a second ticket": Case(
        lambda w: w.matchmaker(w.queued).join("empty"), "ALREADY_QUEUED", facts=lambda w: {"ticket_id": w.ticket}
    ),
    "a second ticket in another room": Case(
        lambda w: w.matchmaker(w.queued).join("faults"), "ALREADY_QUEUED", facts=lambda w: {"ticket_id": w.ticket}
    ),
    "a ticket for somebody who sits at a table": Case(
        lambda w: w.matchmaker(w.seated[0]).join("empty"), "ALREADY_SEATED"
    ),
    "a room for the rich": Case(
        lambda w: w.matchmaker(w.free).join("rich"),
        "BALANCE_BELOW_MINIMUM",
        facts=lambda w: {"asset": ASSET, "balance": "1000", "least_balance": "1000000"},
    ),
    "a player without an account": Case(lambda w: w.matchmaker("nobody").join("empty"), "ACCOUNT_UNKNOWN"),
    "a request id that is no UUID": Case(
        lambda w: w.matchmaker(w.free).join("empty", request_id="again"), "INVALID_FIELD", "request_id"
    ),
    "a request id for another room": Case(
        lambda w: w.matchmaker(w.queued).join("faults", request_id=w.queue_request), "REQUEST_ID_REUSED"
    ),
    "a ticket that is not there": Case(lambda w: w.matchmaker(w.free).cancel(str(uuid4())), "TICKET_UNKNOWN"),
    "another player's ticket, given back": Case(lambda w: w.matchmaker(w.free).cancel(w.ticket), "TICKET_UNKNOWN"),
    "another player's ticket, watched": Case(lambda w: w.matchmaker(w.free).watch(w.ticket), "TICKET_UNKNOWN"),
    "a ticket that has its seat, given back": Case(
        lambda w: w.matchmaker(w.seated[-1]).cancel(w.seated_ticket), "TICKET_MATCHED"
    ),
    "the seat of somebody who has none": Case(lambda w: w.matchmaker(w.free).my_seat(), "NO_SEAT"),
    "a seat's token in the queue": Case(
        lambda w: QueueCaller(w.machine, w.turn.dealer.seat.token).join("empty"), "ROLE_NOT_ALLOWED"
    ),
    "seats released by a player": Case(lambda w: release_seats(w, "player", "player"), "ROLE_NOT_ALLOWED"),
    "seats released by an operator": Case(lambda w: release_seats(w, "service", "operator"), "ROLE_NOT_ALLOWED"),
    "seats released by an owner that is none any more": Case(lambda w: release_seats(w, epoch=0), "FENCED"),
    "seats of nobody": Case(lambda w: release_seats(w, players=()), "INVALID_FIELD", "player_ids"),
}

BOOKS: Mapping[str, Case] = {
    "a settlement by a player": Case(lambda w: settle(w, "player", "player"), "ROLE_NOT_ALLOWED"),
    "a settlement by a seat": Case(
        lambda w: settle(w, token=w.seat_token(w.turn.table_id, w.turn.names[0], 0)), "ROLE_NOT_ALLOWED"
    ),
    "a settlement by an operator": Case(lambda w: settle(w, "service", "operator"), "ROLE_NOT_ALLOWED"),
    "a settlement by the matchmaker": Case(lambda w: settle(w, "service", "matchmaker"), "ROLE_NOT_ALLOWED"),
    "a number for other payments": Case(
        lambda w: settle(w, payments=[payment(amount=4)]), "SETTLEMENT_CONFLICT", facts=lambda w: {"last_seq": "1"}
    ),
    "a number that leaves one out": Case(
        lambda w: settle(w, seq=3), "SETTLEMENT_GAP", facts=lambda w: {"last_seq": "1"}
    ),
    "an owner that is none any more": Case(
        lambda w: settle(w, epoch=1, seq=2), "FENCED", facts=lambda w: {"epoch": "2"}
    ),
    "no number": Case(lambda w: settle(w, seq=0), "INVALID_FIELD", "seq"),
    "no payments": Case(lambda w: settle(w, seq=2, payments=[]), "INVALID_FIELD", "payments"),
    "less than nothing": Case(
        lambda w: settle(w, seq=2, payments=[payment(amount=-1)]), "INVALID_FIELD", "payments[0].amount"
    ),
    "more than there can be": Case(
        lambda w: settle(w, seq=2, payments=[payment(amount=2**53)]), "AMOUNT_LIMIT", "payments[0].amount"
    ),
    "money to oneself": Case(
        lambda w: settle(w, seq=2, payments=[payment(payee="books.0")]), "INVALID_FIELD", "payments[0].payee"
    ),
    "money out of nothing": Case(
        lambda w: settle(w, seq=2, payments=[payment(payer="issuance")]), "INVALID_FIELD", "payments[0].payer"
    ),
    "a payer who has no account": Case(
        lambda w: settle(w, seq=2, payments=[payment(payer="nobody")]),
        "ACCOUNT_UNKNOWN",
        facts=lambda w: {"account_id": "nobody"},
    ),
    "a payer who has not staked": Case(
        lambda w: settle(w, seq=2, payments=[payment(payer=w.free)]),
        "STAKE_MISSING",
        facts=lambda w: {"account_id": w.free},
    ),
    "another table's stake": Case(
        lambda w: settle(w, table_id="thieves", epoch=1), "STAKE_MISSING", facts=lambda w: {"account_id": "books.0"}
    ),
    "an asset that is none": Case(lambda w: settle(w, seq=2, asset="gold"), "INVALID_FIELD", "asset"),
    "a grant by a player to himself": Case(lambda w: grant(w, "player", "player"), "ROLE_NOT_ALLOWED"),
    "a grant by a table": Case(lambda w: grant(w, "service", "table"), "ROLE_NOT_ALLOWED"),
    "a grant of less than nothing": Case(lambda w: grant(w, amount=-5), "INVALID_FIELD", "amount"),
    "a grant without a reason": Case(lambda w: grant(w, reason=""), "INVALID_FIELD", "reason"),
    "a grant to nobody": Case(lambda w: grant(w, account_id="nobody"), "ACCOUNT_UNKNOWN"),
    "an account opened by a player": Case(lambda w: open_account(w, "player", "player"), "ROLE_NOT_ALLOWED"),
    "an account under the system's name": Case(
        lambda w: open_account(w, account_id="issuance"), "INVALID_FIELD", "account_id"
    ),
}


def _metadata(world: World, key: str, role: str, token: str = "") -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token or world.machine.token(key, role, world.free)}"),)


def release_seats(
    world: World, key: str = "service", role: str = "table", *, epoch: int = 1, players: tuple[str, ...] | None = None
) -> Awaitable[object]:
    """The seats of the table out of the queue."""
    stub = seat_pb2_grpc.SeatServiceStub(world.machine.plain(world.machine.address("matchmaker")))
    names = world.seated if players is None else players
    request = seat_pb2.ReleaseSeatsRequest(table_id=world.seated_table, epoch=epoch, player_ids=names)
    return answer(stub.ReleaseSeats(request, metadata=_metadata(world, key, role), timeout=LIMIT_SECONDS))


def settle(
    world: World, key: str = "service", role: str = "table", *, token: str = "", **changes: object
) -> Awaitable[ledger_pb2.SettleResponse]:
    """The settlement that was carried out, or another one."""
    stub = ledger_pb2_grpc.LedgerServiceStub(world.machine.plain(world.machine.address("ledger")))
    return answer(
        stub.Settle(settlement(**changes), metadata=_metadata(world, key, role, token), timeout=LIMIT_SECONDS)
    )


def grant(
    world: World,
    key: str = "service",
    role: str = "operator",
    *,
    account_id: str = "",
    amount: int = 100,
    reason: str = "a present",
) -> Awaitable[object]:
    """Money for the player who is free."""
    stub = admin_pb2_grpc.AccountAdminServiceStub(world.machine.plain(world.machine.address("ledger")))
    request = admin_pb2.GrantRequest(
        request_id=str(uuid4()), account_id=account_id or world.free, asset=ASSET, amount=amount, reason=reason
    )
    return answer(stub.Grant(request, metadata=_metadata(world, key, role), timeout=LIMIT_SECONDS))


def open_account(
    world: World, key: str = "service", role: str = "login", *, account_id: str = "one.more"
) -> Awaitable[object]:
    """One more account."""
    stub = ledger_pb2_grpc.LedgerServiceStub(world.machine.plain(world.machine.address("ledger")))
    request = ledger_pb2.OpenAccountRequest(account_id=account_id)
    return answer(stub.OpenAccount(request, metadata=_metadata(world, key, role), timeout=LIMIT_SECONDS))
