"""Bad input for the table: moves, credentials, ids, sizes, deadlines."""

import base64
import json
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any
from uuid import uuid4

import grpc
import jwt
from cardroom.mahjong.v1 import action_pb2
from cardroom.table.v1 import control_pb2, control_pb2_grpc, event_pb2, room_pb2, table_pb2
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.faults.bare import LIMIT_SECONDS, BarePlayer, answer
from tests.faults.machine import room
from tests.faults.world import LOCK, LONG, PASS, PUNG, WIN, Case, World, discard, kong

ABSURD_SECONDS = 10 * 24 * 3600.0
NOW = event_pb2.LEAVE_WHEN_NOW
TOO_LARGE = b"x" * 70_000
"""Above the 64 KiB that a service receives at most."""

MOVES: Mapping[str, Case] = {
    # --- whose turn, which tile ---
    "out of turn, no decision named": Case(lambda w: w.turn.neither.act(discard(0), ""), "NOT_YOUR_TURN"),
    "out of turn, as if one were asked": Case(
        lambda w: w.turn.neither.act(discard(0), of_seat(w.turn.turn, w.turn.neither)), "NOT_YOUR_TURN"
    ),
    "a tile not held": Case(
        lambda w: w.turn.dealer.act(discard(w.turn.missing), w.turn.turn), "TILE_NOT_HELD", "action.tile"
    ),
    "a tile of another game": Case(
        lambda w: w.turn.dealer.act(discard(34), w.turn.turn), "TILE_UNKNOWN", "action.tile"
    ),
    "a tile that is none": Case(lambda w: w.turn.dealer.act(discard(99), w.turn.turn), "TILE_UNKNOWN", "action.tile"),
    "the largest tile of all": Case(
        lambda w: w.turn.dealer.act(discard(2**32 - 1), w.turn.turn), "TILE_UNKNOWN", "action.tile"
    ),
    "a kong of a tile that is none": Case(
        lambda w: w.turn.dealer.act(kong(2**32 - 1), w.turn.turn), "TILE_UNKNOWN", "action.tile"
    ),
    "a kong of a tile not held": Case(
        lambda w: w.turn.dealer.act(kong(w.turn.missing), w.turn.turn), "TILE_NOT_HELD", "action.tile"
    ),
    "a win with nothing": Case(lambda w: w.turn.dealer.act(WIN, w.turn.turn), "NOT_A_WIN"),
    "a lock before the discard": Case(lambda w: w.turn.dealer.act(LOCK, w.turn.turn), "HOLDS_DISCARD"),
    "a lock of a hand that is not ready": Case(lambda w: w.turn.neither.act(LOCK, ""), "NOT_READY"),
    "a pass in one's turn": Case(lambda w: w.turn.dealer.act(PASS, w.turn.turn), "NO_QUESTION"),
    "a claim of one's own draw": Case(lambda w: w.turn.dealer.act(PUNG, w.turn.turn), "NO_QUESTION"),
    # --- questions ---
    "a discard while others decide": Case(lambda w: w.asked.dealer.act(discard(w.asked.tile), ""), "QUESTION_OPEN"),
    "a claim of one's own discard": Case(lambda w: w.asked.dealer.act(PASS, ""), "NOT_ASKED"),
    "a claim without the tiles": Case(lambda w: w.asked.neither.act(PUNG, ""), "MELD_NOT_POSSIBLE"),
    "a pass of somebody who is not asked": Case(lambda w: w.asked.neither.act(PASS, ""), "NOT_ASKED"),
    "a win on a tile that does not win": Case(lambda w: w.asked.claimant.act(WIN, w.asked.claim), "NOT_A_WIN"),
    "a kong with two tiles": Case(lambda w: w.asked.claimant.act(kong(), w.asked.claim), "MELD_NOT_POSSIBLE"),
    "an answer after an answer": Case(lambda w: w.answered.claimant.act(PUNG, w.answered.claim), "ALREADY_ANSWERED"),
    "the same answer under another id": Case(
        lambda w: w.answered.claimant.act(PASS, w.answered.claim), "ALREADY_ANSWERED"
    ),
    # --- decisions ---
    "a decision that was made": Case(lambda w: w.asked.dealer.act(discard(0), w.asked.turn), "DECISION_STALE"),
    "a decision that never was": Case(lambda w: w.turn.dealer.act(discard(w.turn.tile), "99999-0"), "DECISION_STALE"),
    "another seat's decision": Case(
        lambda w: w.turn.neither.act(discard(0), w.turn.turn), "TOKEN_MISMATCH", "decision_id"
    ),
    "no decision named": Case(lambda w: w.turn.dealer.act(discard(w.turn.tile), ""), "INVALID_FIELD", "decision_id"),
    "words for a decision": Case(
        lambda w: w.turn.dealer.act(discard(w.turn.tile), "the last one"), "INVALID_FIELD", "decision_id"
    ),
    "a decision of absurd length": Case(
        lambda w: w.turn.dealer.act(discard(w.turn.tile), "9" * 5_000 + "-0"), "INVALID_FIELD", "decision_id"
    ),
    # --- requests ---
    "a move without an action": Case(lambda w: w.turn.dealer.act(None, w.turn.turn), "INVALID_FIELD", "action"),
    "an empty action": Case(lambda w: w.turn.dealer.act(action_pb2.Action(), w.turn.turn), "INVALID_FIELD", "action"),
    "a request id that is no UUID": Case(
        lambda w: w.turn.dealer.act(discard(w.turn.tile), w.turn.turn, request_id="7"), "INVALID_FIELD", "request_id"
    ),
    "a request id with braces": Case(
        lambda w: w.turn.dealer.act(discard(w.turn.tile), w.turn.turn, request_id=f"{{{uuid4()}}}"),
        "INVALID_FIELD",
        "request_id",
    ),
    "a request id for another move": Case(
        lambda w: w.asked.dealer.act(discard(w.asked.missing), w.asked.turn, request_id=w.asked.turn_request),
        "REQUEST_ID_REUSED",
        "request_id",
    ),
    "a request id for another answer": Case(
        lambda w: w.answered.claimant.act(PUNG, w.answered.claim, request_id=w.answered.claim_request),
        "REQUEST_ID_REUSED",
        "request_id",
    ),
    "a request id for the same move of another decision": Case(
        lambda w: w.asked.dealer.act(discard(w.asked.tile), "", request_id=w.asked.turn_request),
        "REQUEST_ID_REUSED",
        "request_id",
    ),
    # --- stages ---
    "a move before the deal": Case(lambda w: w.waiting.dealer.act(discard(0), ""), "WRONG_TABLE_STATE"),
    "ready in the midst of a deal": Case(lambda w: w.turn.dealer.ready(), "WRONG_TABLE_STATE"),
    "a nonce that is too long": Case(lambda w: ready(w, b"x" * 33), "INVALID_FIELD", "nonce"),
    "a player who leaves and does not say when": Case(
        lambda w: raw(w, "Leave", leaving(w).SerializeToString()), "INVALID_FIELD", "when"
    ),
    "a player who leaves some day": Case(
        lambda w: raw(w, "Leave", leaving(w).SerializeToString() + b"\x18\x09"), "INVALID_FIELD", "when"
    ),
    "a player who leaves under an id that is none": Case(
        lambda w: raw(w, "Leave", leaving(w, when=NOW, request_id="bye").SerializeToString()),
        "INVALID_FIELD",
        "request_id",
    ),
    "a trustee under an id that is none": Case(
        lambda w: raw(w, "SetTrustee", table_pb2.SetTrusteeRequest(table_id=w.turn.table_id).SerializeToString()),
        "INVALID_FIELD",
        "request_id",
    ),
    "a sign of life at another table": Case(
        lambda w: raw(w, "Heartbeat", table_pb2.HeartbeatRequest(table_id=w.asked.table_id).SerializeToString()),
        "TOKEN_MISMATCH",
        "table_id",
    ),
    "a place ahead of the log": Case(lambda w: watch(w, after_seq=10_000), "SEQ_AHEAD", "after_seq"),
    # --- tables ---
    "a table that is not there": Case(lambda w: at_table(w, "no-such-table"), "TABLE_UNKNOWN"),
    "a table id that is none": Case(lambda w: at_table(w, "{turn}:log *\n"), "TABLE_UNKNOWN"),
    "another pod's name": Case(
        lambda w: w.turn.dealer.act(discard(w.turn.tile), w.turn.turn, pod="table-7"),
        "NOT_OWNER",
        facts=lambda w: {"authority": w.pod.address, "pod": "table-0", "epoch": "1"},
    ),
    # --- transport ---
    "a message above the limit": Case(lambda w: ready(w, TOO_LARGE), "", code=grpc.StatusCode.RESOURCE_EXHAUSTED),
    "bytes that are no message": Case(lambda w: raw(w, "Act", b"\xff\xff\xff"), "INVALID_FIELD"),
    "a deadline of ten days": Case(
        lambda w: w.turn.dealer.act(discard(w.turn.tile), w.turn.turn, timeout=ABSURD_SECONDS), "DEADLINE_INVALID"
    ),
    "a method that is not there": Case(lambda w: raw(w, "Cheat", b""), "METHOD_UNKNOWN"),
}
"""Each by a seat's own good token."""

CALLERS: Mapping[str, Case] = {
    "no token": Case(lambda w: bare_call(w, ()), "TOKEN_MISSING"),
    "another scheme": Case(lambda w: bare_call(w, (("authorization", "Basic cGxheWVy"),)), "TOKEN_INVALID"),
    "a token that is none": Case(lambda w: with_token(w, "let-me-in"), "TOKEN_INVALID"),
    "a token of another signer": Case(lambda w: with_token(w, forged(w, keep_key_id=False)), "TOKEN_INVALID"),
    "a token of another signer under a known key's name": Case(
        lambda w: with_token(w, forged(w, keep_key_id=True)), "TOKEN_INVALID"
    ),
    "a token nobody signed": Case(lambda w: with_token(w, unsigned(w)), "TOKEN_INVALID"),
    "a token with another seat written into it": Case(lambda w: with_token(w, altered(w, seat=1)), "TOKEN_INVALID"),
    "a token that has expired": Case(
        lambda w: with_token(w, w.seat_token(w.turn.table_id, w.turn.names[0], 0, seconds=-1)), "TOKEN_EXPIRED"
    ),
    "a seat's token signed with the key of logins": Case(
        lambda w: with_token(w, w.seat_token(w.turn.table_id, w.turn.names[0], 0, key="player")), "TOKEN_INVALID"
    ),
    "a login's token": Case(
        lambda w: with_token(w, w.machine.token("player", "player", w.turn.names[0])), "ROLE_NOT_ALLOWED"
    ),
    "a spectator's token": Case(
        lambda w: with_token(w, w.machine.token("seat", "spectator", "guest", table_id=w.turn.table_id)),
        "ROLE_NOT_ALLOWED",
    ),
    "a service's token": Case(
        lambda w: with_token(w, w.machine.token("service", "table", "table-0")), "ROLE_NOT_ALLOWED"
    ),
    "another table's token": Case(
        lambda w: with_token(w, w.seat_token(w.asked.table_id, w.asked.names[0], 0)), "TOKEN_MISMATCH", "table_id"
    ),
    "another seat's token": Case(
        lambda w: with_token(w, w.seat_token(w.turn.table_id, w.turn.names[1], 1)), "TOKEN_MISMATCH", "decision_id"
    ),
    "a token for a seat that is another's": Case(
        lambda w: with_token(w, w.seat_token(w.turn.table_id, w.turn.names[1], 0)), "TOKEN_MISMATCH", "table_id"
    ),
    "a token for a seat that is not there": Case(
        lambda w: with_token(w, w.seat_token(w.turn.table_id, w.turn.names[0], 9)), "TOKEN_MISMATCH", "table_id"
    ),
    "watching with another table's token": Case(
        lambda w: watch(w, token=w.seat_token(w.asked.table_id, w.asked.names[0], 0)), "TOKEN_MISMATCH", "table_id"
    ),
    "a table made by a player": Case(lambda w: create(w, "player", "player"), "ROLE_NOT_ALLOWED"),
    "a table made by an operator": Case(lambda w: create(w, "service", "operator"), "ROLE_NOT_ALLOWED"),
    "a table made by a table": Case(lambda w: create(w, "service", "table"), "ROLE_NOT_ALLOWED"),
}
"""Each asks for a move that the dealer himself could make."""

CREATION: Mapping[str, Case] = {
    "a table that is there with other players": Case(
        lambda w: create(w, table_id=w.turn.table_id, players=w.asked.names), "TABLE_CONFLICT"
    ),
    "a table without an id": Case(lambda w: create(w, table_id=""), "INVALID_FIELD", "table_id"),
    "a table id with braces": Case(lambda w: create(w, table_id="{a}"), "INVALID_FIELD", "table_id"),
    "a table for three": Case(lambda w: create(w, players=("a", "b", "c")), "INVALID_FIELD", "seats"),
    "a table for nobody": Case(lambda w: create(w, players=()), "INVALID_FIELD", "seats"),
    "a table with one player twice": Case(
        lambda w: create(w, players=("a", "b", "c", "a")), "INVALID_FIELD", "seats[3].player_id"
    ),
    "a table with a player without a name": Case(
        lambda w: create(w, players=("a", "b", "", "d")), "INVALID_FIELD", "seats[2].player_id"
    ),
    "a dealer who does not sit there": Case(lambda w: create(w, first_dealer=4), "INVALID_FIELD", "first_dealer"),
    "a variant that is none": Case(lambda w: create(w, variant="poker"), "INVALID_FIELD", "room.variant"),
    "no stake": Case(lambda w: create(w, stake=0), "INVALID_FIELD", "room.stake"),
    "a stake below zero": Case(lambda w: create(w, stake=-1), "INVALID_FIELD", "room.stake"),
    "an asset that is none": Case(lambda w: create(w, asset="gold"), "INVALID_FIELD", "room.asset"),
    "a clock of no time": Case(lambda w: create(w, turn_limit_ms=0), "INVALID_FIELD", "room.turn_limit_ms"),
    "a clock of a year": Case(
        lambda w: create(w, claim_limit_ms=365 * 86_400_000), "INVALID_FIELD", "room.claim_limit_ms"
    ),
    "floors the wrong way round": Case(
        lambda w: create(w, claim_floor_min_ms=2, claim_floor_max_ms=1), "INVALID_FIELD", "room.claim_floor_min_ms"
    ),
    "an option that is none": Case(lambda w: create(w, options={"wild": True}), "OPTION_INVALID", "room.options.wild"),
}
"""Tables that cannot be made, asked for by the matchmaker."""


def of_seat(decision_id: str, player: BarePlayer) -> str:
    """A decision's id as it would be if the seat were asked."""
    return f"{decision_id.partition('-')[0]}-{player.seat.seat}"


def with_token(world: World, token: str) -> Awaitable[object]:
    """The dealer's first discard, with another token."""
    table = world.turn
    return table.dealer.act(discard(table.tile), table.turn, token=token)


def bare_call(world: World, metadata: tuple[tuple[str, str], ...]) -> Awaitable[object]:
    """The dealer's first discard, with this metadata alone."""
    table = world.turn
    request = table_pb2.ActRequest(
        table_id=table.table_id, request_id=str(uuid4()), decision_id=table.turn, mahjong=discard(table.tile)
    )
    return answer(table.dealer.stub.Act(request, metadata=metadata, timeout=LIMIT_SECONDS))


def at_table(world: World, table_id: str) -> Awaitable[object]:
    """A move at a table by somebody whose token says that he sits there."""
    token = world.seat_token(table_id, world.turn.names[0], 0)
    return world.turn.dealer.act(discard(0), world.turn.turn, table_id=table_id, token=token)


def ready(world: World, nonce: bytes) -> Awaitable[object]:
    """Ready at the table that waits, with a nonce."""
    dealer = world.waiting.dealer
    request = table_pb2.SetReadyRequest(table_id=dealer.seat.table_id, request_id=str(uuid4()), nonce=nonce)
    return answer(dealer.stub.SetReady(request, metadata=dealer.metadata(), timeout=LIMIT_SECONDS))


def watch(world: World, *, after_seq: int | None = None, token: str = "") -> Awaitable[object]:
    """The first message of a stream."""
    dealer = world.turn.dealer
    request = table_pb2.WatchRequest(table_id=dealer.seat.table_id, after_seq=after_seq, known_epoch=1)
    return answer(dealer.stub.Watch(request, metadata=dealer.metadata(token=token)).read())


def leaving(world: World, **changes: Any) -> table_pb2.LeaveRequest:
    """The dealer's request to leave, but for when."""
    fields = {"table_id": world.turn.table_id, "request_id": str(uuid4()), **changes}
    return table_pb2.LeaveRequest(**fields)


def raw(world: World, method: str, message: bytes) -> Awaitable[object]:
    """Bytes to a method of the table, by its name."""
    dealer = world.turn.dealer
    call: Any = dealer.channel.unary_unary(f"/cardroom.table.v1.TableService/{method}")
    return answer(call(message, metadata=dealer.metadata(), timeout=LIMIT_SECONDS))


def create(
    world: World,
    key: str = "service",
    role: str = "matchmaker",
    *,
    table_id: str = "one-more",
    players: Sequence[str] = ("a", "b", "c", "d"),
    first_dealer: int = 0,
    options: Mapping[str, bool] | None = None,
    **changes: object,
) -> Awaitable[object]:
    """One more table."""
    control = control_pb2_grpc.TableControlServiceStub(world.machine.plain(world.pod.address))
    described: room_pb2.Room = room(**{**LONG, **changes})
    described.options.update(options or {})
    request = control_pb2.CreateTableRequest(
        table_id=table_id,
        match_id=table_id,
        room=described,
        seats=[event_pb2.SeatTaken(seat=seat, player_id=player) for seat, player in enumerate(players)],
        first_dealer=first_dealer,
    )
    token = world.machine.token(key, role, "somebody")
    return answer(control.CreateTable(request, metadata=(("authorization", f"Bearer {token}"),), timeout=LIMIT_SECONDS))


# --- tokens ---------------------------------------------------------------------------------


def forged(world: World, *, keep_key_id: bool) -> str:
    """A token whose content is right, signed with a key nobody knows."""
    true = world.turn.dealer.seat.token
    headers = {"kid": jwt.get_unverified_header(true)["kid"] if keep_key_id else "mine"}
    claims = jwt.decode(true, options={"verify_signature": False})
    return jwt.encode(claims, Ed25519PrivateKey.generate(), algorithm="EdDSA", headers=headers)


def unsigned(world: World) -> str:
    """A token that says it needs no signature."""
    true = world.turn.dealer.seat.token
    kid = jwt.get_unverified_header(true)["kid"]
    claims = jwt.decode(true, options={"verify_signature": False})
    return jwt.encode(claims, "", algorithm="none", headers={"kid": kid})


def altered(world: World, **claims: object) -> str:
    """A good token with other claims under its signature."""
    head, body, signature = world.turn.dealer.seat.token.split(".")
    content = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    text = json.dumps({**content, **claims}).encode()
    return ".".join((head, base64.urlsafe_b64encode(text).decode().rstrip("="), signature))
