"""Tokens: JWTs signed with EdDSA, with separate keys for players, seats and services."""

import base64
import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import jwt
import orjson
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from refusals import Reason, Refusal
from serving.calls import Caller
from serving.errors import StartError
from serving.roles import PURPOSE_OF_ROLE, SERVICE, TABLE_BOUND, Purpose
from serving.runtime import Clock, SystemClock

ISSUER = "cardroom"
JWKS_FILE = "jwks.json"
KEY_FILES = frozenset({JWKS_FILE, *(f"{purpose}.pem" for purpose in Purpose)})
"""What `create_keys` writes."""
_ALGORITHM = "EdDSA"
_REQUIRED = ["iss", "iat", "exp", "sub"]
_REMEMBERED_COUNT_MAX = 20_000
_LENGTH_MAX = 4_096
_RELOAD_AFTER_MS = 1_000
_EARLY = 0.8


def create_keys(directory: Path) -> None:
    """Write new keys: ``jwks.json`` and, readable by the owner only, ``player.pem``, ``seat.pem``, ``service.pem``.

    Keys that are there already stay as they are. Raises: StartError: the directory cannot be written.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for purpose in Purpose:
            _create_private_key(directory / f"{purpose}.pem")
        keys = [_jwk(_read_private_key(directory / f"{purpose}.pem").public_key(), purpose) for purpose in Purpose]
        _write(directory / JWKS_FILE, orjson.dumps({"keys": keys}, option=orjson.OPT_INDENT_2), 0o644)
    except OSError as error:
        raise StartError(f"cannot write keys to {directory}: {error.strerror}") from error


class Minter:
    """Signs tokens with one private key."""

    def __init__(self, private_key_file: Path, clock: Clock | None = None) -> None:
        """Raises: StartError: the file is missing or holds no Ed25519 key."""
        self._key = _read_private_key(private_key_file)
        self._header = {"kid": _key_id(self._key.public_key())}
        self._clock = clock or SystemClock()

    def mint(self, role: str, subject: str, ttl_s: int, **claims: object) -> str:
        """A token for ``subject`` in ``role`` that expires after ``ttl_s`` seconds.

        Seat tokens carry ``table_id`` and ``seat``, spectators' ``table_id``. The key must fit the role (players',
        seats' or services'); nobody accepts the token otherwise.
        """
        now_s = self._clock.now_ms() // 1000
        payload = {**claims, "iss": ISSUER, "iat": now_s, "exp": now_s + ttl_s, "sub": subject, "role": role}
        return jwt.encode(payload, self._key, algorithm=_ALGORITHM, headers=self._header)


class ServiceTokens:
    """Gives a service's own token and renews it in time; pass it to ``connect`` as ``token``."""

    def __init__(
        self, key_file: Path, role: str, subject: str, *, ttl_s: int = 600, clock: Clock | None = None
    ) -> None:
        """Raises: StartError: the key file is missing or holds no Ed25519 key."""
        if PURPOSE_OF_ROLE.get(role) is not SERVICE:
            raise ValueError(f"{role!r} is no role of a service")
        self._clock = clock or SystemClock()
        self._mint: Callable[[], str] = lambda: Minter(key_file, self._clock).mint(role, subject, ttl_s)
        self._token = self._mint()
        self._lifetime_ms = int(ttl_s * 1000 * _EARLY)
        self._renew_at_ms = self._clock.now_ms() + self._lifetime_ms

    def __call__(self) -> str:
        """The current token."""
        now_ms = self._clock.now_ms()
        if now_ms >= self._renew_at_ms:
            self._token = self._mint()
            self._renew_at_ms = now_ms + self._lifetime_ms
        return self._token


@dataclass(frozen=True, slots=True)
class _Key:
    public: Ed25519PublicKey
    purpose: Purpose


@dataclass(frozen=True, slots=True)
class _Verified:
    caller: Caller
    expires_at_ms: int


class Verifier:
    """Checks tokens against the public keys of a JWKS file; what was verified once is remembered until it expires."""

    def __init__(
        self, jwks_file: Path, clock: Clock | None = None, *, remembered_count_max: int = _REMEMBERED_COUNT_MAX
    ) -> None:
        """Raises: StartError: the file is missing or holds no usable key."""
        self._remembered_count_max = remembered_count_max
        self._file = jwks_file
        self._clock = clock or SystemClock()
        self._keys = _read_jwks(jwks_file)
        self._read_at_ms = self._clock.monotonic_ms()
        self._verified: dict[str, _Verified] = {}

    @property
    def remembered_count(self) -> int:
        """How many verified tokens are remembered."""
        return len(self._verified)

    def verify(self, token: str) -> Caller:
        """Who holds this token.

        Raises: Refusal: TOKEN_INVALID: malformed, forged, from an unknown key or from a key for other roles;
            TOKEN_EXPIRED: its time is over.
        """
        known = self._verified.get(token)
        if known is None:
            known = self._check(token)
            if len(self._verified) >= self._remembered_count_max:
                del self._verified[next(iter(self._verified))]
            self._verified[token] = known
        if self._clock.now_ms() >= known.expires_at_ms:
            self._verified.pop(token, None)
            raise Refusal(Reason.TOKEN_EXPIRED)
        return known.caller

    def _check(self, token: str) -> _Verified:
        if len(token) > _LENGTH_MAX:
            raise Refusal(Reason.TOKEN_INVALID)
        try:
            key = self._key(jwt.get_unverified_header(token).get("kid", ""))
            claims = jwt.decode(
                token,
                key.public,
                algorithms=[_ALGORITHM],
                issuer=ISSUER,
                options={"require": _REQUIRED, "verify_exp": False, "verify_iat": False, "verify_aud": False},
            )
        except (jwt.InvalidTokenError, TypeError, ValueError):
            raise Refusal(Reason.TOKEN_INVALID) from None
        return _verified(claims, key.purpose)

    def _key(self, key_id: object) -> _Key:
        """The key by its id; an unknown id may be a new key, so the file is read again, once a second at most."""
        if key_id not in self._keys and self._clock.monotonic_ms() - self._read_at_ms >= _RELOAD_AFTER_MS:
            self._read_at_ms = self._clock.monotonic_ms()
            self._reload()
        key = self._keys.get(key_id) if isinstance(key_id, str) else None
        if key is None:
            raise Refusal(Reason.TOKEN_INVALID)
        return key

    def _reload(self) -> None:
        try:
            self._keys = _read_jwks(self._file)
        except StartError:
            return  # half written or gone: the keys we know stay good
        self._verified.clear()


def _verified(claims: Mapping[str, Any], purpose: Purpose) -> _Verified:
    role, subject, expires_s = claims.get("role"), claims["sub"], claims["exp"]
    if not (isinstance(role, str) and isinstance(subject, str) and isinstance(expires_s, int)):
        raise Refusal(Reason.TOKEN_INVALID)
    if not subject or PURPOSE_OF_ROLE.get(role) is not purpose:
        raise Refusal(Reason.TOKEN_INVALID)
    for name, kind in TABLE_BOUND.get(role, {}).items():
        if type(claims.get(name)) is not kind:
            raise Refusal(Reason.TOKEN_INVALID)
    return _Verified(Caller(role, subject, MappingProxyType(dict(claims))), expires_s * 1000)


def _key_id(public: Ed25519PublicKey) -> str:
    raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return hashlib.sha256(raw).hexdigest()[:16]


def _jwk(public: Ed25519PublicKey, purpose: Purpose) -> dict[str, str]:
    raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    x = base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
    return {
        "kty": "OKP",
        "crv": "Ed25519",
        "alg": _ALGORITHM,
        "use": "sig",
        "kid": _key_id(public),
        "x": x,
        "purpose": purpose,
    }


def _read_jwks(file: Path) -> dict[str, _Key]:
    """Keys by id; ``purpose`` is a member of ours that says which roles a key signs for."""
    try:
        rows = orjson.loads(file.read_bytes())["keys"]
        keys = {
            row["kid"]: _Key(
                Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(row["x"] + "=" * (-len(row["x"]) % 4))),
                Purpose(row["purpose"]),
            )
            for row in rows
            if row.get("crv") == "Ed25519"
        }
    except OSError as error:
        raise StartError(_unreadable("the public keys", file, "CARDROOM_JWKS_FILE", error)) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StartError(f"{file} is no JWKS file of cardroom; make one with `cardroom keys DIRECTORY`") from error
    if not keys:
        raise StartError(f"{file} holds no Ed25519 key; make one with `cardroom keys DIRECTORY`")
    return keys


def _read_private_key(file: Path) -> Ed25519PrivateKey:
    try:
        key = serialization.load_pem_private_key(file.read_bytes(), password=None)
    except OSError as error:
        raise StartError(_unreadable("the private key", file, "CARDROOM_SERVICE_KEY_FILE", error)) from error
    except ValueError as error:
        raise StartError(f"{file} holds no private key in PEM form") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise StartError(f"{file} holds a key of another kind than Ed25519")
    return key


def _unreadable(what: str, file: Path, variable: str, error: OSError) -> str:
    return f"cannot read {what} {file} ({error.strerror}); `make run` makes keys, {variable} or --keys names others"


def _create_private_key(file: Path) -> None:
    if file.exists():
        return
    pem = Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    _write(file, pem, 0o600)


def _write(file: Path, content: bytes, mode: int) -> None:
    """Write beside and rename, so that nobody reads half a file."""
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
    draft.replace(file)
