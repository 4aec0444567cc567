"""Who may call what: over real sockets, with real keys."""

import importlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import cardroom
import grpc.aio
import jwt
import pytest
from cardroom.scoring.v1 import scoring_pb2, scoring_pb2_grpc
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from refusals import Reason, Refusal
from serving.auth import Caller, acting_as, current_caller
from serving.channels import connect
from serving.errors import StartError
from serving.refusing import refusal_of
from serving.roles import ANONYMOUS, METHOD_ROLES, PURPOSE_OF_ROLE
from serving.tokens import Minter, ServiceTokens, Verifier, create_keys
from tests.conftest import Mint
from tests.edge.scripted import SERVICES, Context, Scripted, list_rooms, no_rooms, one_goodbye, running, watch
from tests.fakes.clock import FakeClock


def _methods_of_the_wire() -> Iterator[str]:
    files = {file: root for root in cardroom.__path__ for file in Path(root).rglob("*_pb2.py")}
    for file, root in files.items():
        name = ".".join(file.relative_to(Path(root).parent).with_suffix("").parts)
        for service in importlib.import_module(name).DESCRIPTOR.services_by_name.values():
            yield from (f"/{service.full_name}/{method.name}" for method in service.methods)


@pytest.mark.fast
def test_every_method_of_the_wire_has_a_row_and_every_row_a_method() -> None:
    assert set(METHOD_ROLES) == set(_methods_of_the_wire())


@pytest.mark.fast
def test_the_rows_name_only_roles_that_a_token_can_carry_or_anonymous() -> None:
    assert set().union(*METHOD_ROLES.values()) <= {*PURPOSE_OF_ROLE, ANONYMOUS}


@pytest.mark.fast
@pytest.mark.parametrize(
    ("method", "role"),
    [
        ("/cardroom.ledger.v1.LedgerService/Settle", "table"),
        ("/cardroom.table.v1.TableControlService/CreateTable", "matchmaker"),
        ("/cardroom.ledger.v1.AccountAdminService/Grant", "operator"),
        ("/cardroom.ledger.v1.LedgerService/OpenAccount", "login"),
    ],
)
def test_only_tables_settle_only_the_matchmaker_creates_only_operators_grant(method: str, role: str) -> None:
    assert METHOD_ROLES[method] == {role}


Forge = Callable[[Path, Mint], str | None]


def _claims(**other: Any) -> dict[str, Any]:
    return {"iss": "cardroom", "iat": 1_600_000_000, "exp": 4_000_000_000, "sub": "anna", "role": "player", **other}


def _private(keys: Path, purpose: str) -> Any:
    return serialization.load_pem_private_key((keys / f"{purpose}.pem").read_bytes(), None)


def _header(keys: Path, mint: Mint) -> dict[str, str]:
    return {"kid": jwt.get_unverified_header(mint("player", "anna"))["kid"]}


def _signed(keys: Path, mint: Mint, purpose: str = "player", **claims: Any) -> str:
    header = {"kid": jwt.get_unverified_header(Minter(keys / f"{purpose}.pem").mint("x", "x", 1))["kid"]}
    return jwt.encode(_claims(**claims), _private(keys, purpose), algorithm="EdDSA", headers=header)


def _without(keys: Path, mint: Mint, claim: str) -> str:
    claims = _claims()
    del claims[claim]
    return jwt.encode(claims, _private(keys, "player"), algorithm="EdDSA", headers=_header(keys, mint))


def _public_pem(keys: Path) -> bytes:
    raw: bytes = (
        _private(keys, "player").public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    )
    return raw


def _tampered(keys: Path, mint: Mint) -> str:
    head, _, signature = mint("player", "anna").split(".")
    payload = mint("player", "boris").split(".")[1]
    return f"{head}.{payload}.{signature}"


_BAD_TOKENS: dict[str, tuple[Forge, Reason]] = {
    "missing": (lambda keys, mint: None, Reason.TOKEN_MISSING),
    "no scheme": (lambda keys, mint: mint("player", "anna"), Reason.TOKEN_INVALID),
    "other scheme": (lambda keys, mint: "Basic " + mint("player", "anna"), Reason.TOKEN_INVALID),
    "empty": (lambda keys, mint: "Bearer ", Reason.TOKEN_INVALID),
    "garbage": (lambda keys, mint: "Bearer a.b.c", Reason.TOKEN_INVALID),
    "huge": (lambda keys, mint: "Bearer " + "a" * 5000, Reason.TOKEN_INVALID),
    "expired": (lambda keys, mint: "Bearer " + mint("player", "anna", ttl_s=-1), Reason.TOKEN_EXPIRED),
    "changed payload": (lambda keys, mint: "Bearer " + _tampered(keys, mint), Reason.TOKEN_INVALID),
    "forged under our key's id": (
        lambda keys, mint: (
            "Bearer "
            + jwt.encode(_claims(), Ed25519PrivateKey.generate(), algorithm="EdDSA", headers=_header(keys, mint))
        ),
        Reason.TOKEN_INVALID,
    ),
    "a key of its own": (
        lambda keys, mint: (
            "Bearer " + jwt.encode(_claims(), Ed25519PrivateKey.generate(), algorithm="EdDSA", headers={"kid": "mine"})
        ),
        Reason.TOKEN_INVALID,
    ),
    "no key id": (
        lambda keys, mint: "Bearer " + jwt.encode(_claims(), _private(keys, "player"), algorithm="EdDSA"),
        Reason.TOKEN_INVALID,
    ),
    "alg none": (
        lambda keys, mint: (
            "Bearer " + jwt.encode(_claims(), cast(Any, None), algorithm="none", headers=_header(keys, mint))
        ),
        Reason.TOKEN_INVALID,
    ),
    "the public key as a shared secret": (
        lambda keys, mint: (
            "Bearer " + jwt.encode(_claims(), _public_pem(keys), algorithm="HS256", headers=_header(keys, mint))
        ),
        Reason.TOKEN_INVALID,
    ),
    "other issuer": (lambda keys, mint: "Bearer " + _signed(keys, mint, iss="casino"), Reason.TOKEN_INVALID),
    "unknown role": (lambda keys, mint: "Bearer " + _signed(keys, mint, role="king"), Reason.TOKEN_INVALID),
    "role anonymous": (lambda keys, mint: "Bearer " + _signed(keys, mint, role="anonymous"), Reason.TOKEN_INVALID),
    "role is a list": (lambda keys, mint: "Bearer " + _signed(keys, mint, role=["player"]), Reason.TOKEN_INVALID),
    "no subject": (lambda keys, mint: "Bearer " + _signed(keys, mint, sub=""), Reason.TOKEN_INVALID),
    "expiry is text": (lambda keys, mint: "Bearer " + _signed(keys, mint, exp="never"), Reason.TOKEN_INVALID),
    "without exp": (lambda keys, mint: "Bearer " + _without(keys, mint, "exp"), Reason.TOKEN_INVALID),
    "without iat": (lambda keys, mint: "Bearer " + _without(keys, mint, "iat"), Reason.TOKEN_INVALID),
    "without iss": (lambda keys, mint: "Bearer " + _without(keys, mint, "iss"), Reason.TOKEN_INVALID),
    "without role": (lambda keys, mint: "Bearer " + _without(keys, mint, "role"), Reason.TOKEN_INVALID),
    "table by the player key": (lambda keys, mint: "Bearer " + _signed(keys, mint, role="table"), Reason.TOKEN_INVALID),
    "operator by the seat key": (
        lambda keys, mint: "Bearer " + _signed(keys, mint, "seat", role="operator"),
        Reason.TOKEN_INVALID,
    ),
    "player by the service key": (lambda keys, mint: "Bearer " + _signed(keys, mint, "service"), Reason.TOKEN_INVALID),
    "role without this method": (
        lambda keys, mint: "Bearer " + mint("seat", "anna", table_id="t", seat=0),
        Reason.ROLE_NOT_ALLOWED,
    ),
}


@pytest.mark.fast
async def test_a_token_that_is_not_right_is_refused_each_with_its_reason_and_counted(keys: Path, mint: Mint) -> None:
    async def never(_: Context) -> None:
        raise AssertionError("the servicer was reached")

    found = {}
    async with running(keys, Scripted(never)) as house, connect(house.address) as channel:
        for name, (forge, _reason) in _BAD_TOKENS.items():
            authorization = forge(keys, mint)
            metadata = () if authorization is None else (("authorization", authorization),)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await list_rooms(channel, metadata=metadata)
            refusal = refusal_of(caught.value)
            found[name] = refusal and refusal.reason
        assert found == {name: reason for name, (_forge, reason) in _BAD_TOKENS.items()}
        await house.server.idle()  # a refusal is sent before it is counted
        for reason in set(found.values()):
            assert house.sample("cardroom_refusals_total", reason=str(reason)) == list(found.values()).count(reason)


@pytest.mark.fast
@pytest.mark.parametrize(
    "claims", [{}, {"table_id": "t"}, {"seat": 0}, {"table_id": 7, "seat": 0}, {"table_id": "t", "seat": True}]
)
def test_a_seat_token_names_its_table_and_seat(keys: Path, mint: Mint, claims: dict[str, Any]) -> None:
    verifier = Verifier(keys / "jwks.json")
    assert verifier.verify(mint("seat", "anna", table_id="t", seat=0)).claims["seat"] == 0
    with pytest.raises(Refusal) as caught:
        verifier.verify(mint("seat", "anna", **claims))
    assert caught.value.reason is Reason.TOKEN_INVALID


@pytest.mark.fast
async def test_servicers_know_their_caller_in_calls_and_in_streams(keys: Path, mint: Mint) -> None:
    seen: list[Caller] = []

    async def answer(context: Context) -> Any:
        seen.append(current_caller())
        return await no_rooms(context)

    async def stream(context: Context) -> AsyncIterator[Any]:
        seen.append(current_caller())
        async for message in one_goodbye(context):
            yield message
            seen.append(current_caller())

    async with running(keys, Scripted(answer, stream)) as house, connect(house.address) as channel:
        await list_rooms(channel, mint("player", "anna"))
        await watch(channel, mint("seat", "boris", table_id="t1", seat=3))
    assert [(caller.role, caller.subject) for caller in seen] == [("player", "anna"), *[("seat", "boris")] * 2]
    assert (seen[1].claims["table_id"], seen[1].claims["seat"]) == ("t1", 3)


@pytest.mark.fast
def test_a_caller_can_be_set_for_a_servicer_without_a_server() -> None:
    with acting_as(Caller("seat", "anna", {"seat": 2})):
        assert current_caller().claims["seat"] == 2
    with pytest.raises(RuntimeError):
        current_caller()


@pytest.mark.fast
async def test_without_a_token_only_where_the_setting_and_the_row_allow_it(keys: Path, mint: Mint) -> None:
    async def score(address: str, **call: Any) -> Reason | None:
        async with connect(address) as channel:
            try:
                await cast(Any, scoring_pb2_grpc.ScoringServiceStub(channel)).ScoreWin(
                    scoring_pb2.ScoreWinRequest(), **call
                )
            except grpc.aio.AioRpcError as error:
                return cast(Refusal, refusal_of(error)).reason
        return None

    async with running(keys) as house:
        assert await score(house.address) is Reason.TOKEN_MISSING
    async with running(keys, anonymous_allowed=True) as house, connect(house.address) as channel:
        assert await score(house.address) is None
        bad = (("authorization", "Bearer x.y.z"),)
        assert await score(house.address, metadata=bad) is Reason.TOKEN_INVALID
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await list_rooms(channel)
        assert cast(Refusal, refusal_of(caught.value)).reason is Reason.TOKEN_MISSING


@pytest.mark.fast
async def test_health_and_reflection_ask_for_no_token_and_know_every_service(keys: Path) -> None:
    async with running(keys) as house, connect(house.address) as channel:
        health: Any = health_pb2_grpc.HealthStub(channel)
        for service in ("", *SERVICES):
            answer = await health.Check(health_pb2.HealthCheckRequest(service=service))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        reflection: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
        asked = iter([reflection_pb2.ServerReflectionRequest(list_services="")])
        [answer] = [message async for message in reflection.ServerReflectionInfo(asked)]
        assert {row.name for row in answer.list_services_response.service} >= set(SERVICES)


_UNWRITTEN = "/cardroom.matchmaker.v1.RoomService/GetRoom"


@pytest.mark.fast
async def test_a_method_without_a_servicer_or_without_a_row_is_refused(keys: Path, mint: Mint) -> None:
    class Rowless(Scripted):
        def register(self, server: grpc.aio.Server) -> Sequence[str]:
            handler: Any = grpc.unary_unary_rpc_method_handler(no_rooms)
            server.add_registered_method_handlers("cardroom.x.v1.XService", {"New": handler})
            return super().register(server)

    token = (("authorization", f"Bearer {mint('operator', 'olga')}"),)
    async with running(keys, Rowless()) as house, connect(house.address) as channel:
        for method in (
            "/cardroom.x.v1.XService/New",
            "/cardroom.x.v1.XService/Old",
            _UNWRITTEN,
            "/x/y",
            "/cardroom.ledger.v1.Z/Z",
        ):
            call: Any = channel.unary_unary(method)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await call(b"", metadata=token)
            assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
            assert cast(Refusal, refusal_of(caught.value)).reason is Reason.METHOD_UNKNOWN


@pytest.mark.fast
def test_a_token_that_was_verified_expires_all_the_same(keys: Path, fake_clock: FakeClock) -> None:
    verifier = Verifier(keys / "jwks.json", fake_clock)
    token = Minter(keys / "player.pem", fake_clock).mint("player", "anna", ttl_s=60)
    fake_clock.advance(seconds=59)
    assert verifier.verify(token) is verifier.verify(token)
    fake_clock.advance(seconds=1)
    for _ in range(2):
        with pytest.raises(Refusal) as caught:
            verifier.verify(token)
        assert caught.value.reason is Reason.TOKEN_EXPIRED


@pytest.mark.fast
def test_a_key_that_is_added_to_the_file_is_found_and_one_taken_out_is_forgotten(
    tmp_path: Path, fake_clock: FakeClock
) -> None:
    old, new, jwks = tmp_path / "old", tmp_path / "new", tmp_path / "jwks.json"
    create_keys(old)
    create_keys(new)
    jwks.write_bytes((old / "jwks.json").read_bytes())
    verifier = Verifier(jwks, fake_clock)
    before, after = (Minter(keys / "player.pem", fake_clock).mint("player", "anna", 600) for keys in (old, new))
    assert verifier.verify(before).subject == "anna"
    jwks.write_bytes((new / "jwks.json").read_bytes())
    fake_clock.advance(seconds=2)
    assert verifier.verify(after).subject == "anna"
    with pytest.raises(Refusal):
        verifier.verify(before)
    jwks.write_text("{")  # caught half written: the keys that are known stay good
    fake_clock.advance(seconds=2)
    with pytest.raises(Refusal):
        verifier.verify(before)
    assert verifier.verify(after).subject == "anna"


@pytest.mark.fast
def test_what_was_verified_is_remembered_in_bounded_memory(keys: Path, mint: Mint) -> None:
    verifier = Verifier(keys / "jwks.json", remembered_count_max=3)
    tokens = [mint("player", f"p{number}") for number in range(10)]
    assert [verifier.verify(token).subject for token in tokens] == [f"p{number}" for number in range(10)]
    assert verifier.remembered_count == 3


@pytest.mark.fast
def test_a_service_renews_its_own_token_before_it_expires(keys: Path, fake_clock: FakeClock) -> None:
    verifier = Verifier(keys / "jwks.json", fake_clock)
    tokens = ServiceTokens(keys / "service.pem", "table", "table-0", ttl_s=100, clock=fake_clock)
    first = tokens()
    for _ in range(30):
        fake_clock.advance(seconds=10)
        assert verifier.verify(tokens()) == Caller("table", "table-0", verifier.verify(tokens()).claims)
    assert tokens() != first
    with pytest.raises(ValueError, match="no role of a service"):
        ServiceTokens(keys / "service.pem", "player", "anna")


@pytest.mark.fast
def test_keys_are_made_once_and_private_ones_are_the_owners_alone(tmp_path: Path) -> None:
    create_keys(tmp_path)
    first = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    create_keys(tmp_path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == first
    assert set(first) == {"jwks.json", "player.pem", "seat.pem", "service.pem"}
    assert {file.stat().st_mode & 0o777 for file in tmp_path.glob("*.pem")} == {0o600}
    assert b"PRIVATE" not in first["jwks.json"]


@pytest.mark.fast
@pytest.mark.parametrize("content", [None, b"", b"{}", b'{"keys": []}', b'{"keys": [{"crv": "Ed25519"}]}', b"[1]"])
def test_a_key_file_that_will_not_do_is_told_in_one_line(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "keys"
    if content is not None:
        file.write_bytes(content)
    for read in (Verifier, Minter):
        with pytest.raises(StartError) as caught:
            read(file)
        assert str(file) in str(caught.value)
        assert "\n" not in str(caught.value)
