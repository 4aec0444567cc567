"""Who calls, and whether he may."""

from collections.abc import Iterator
from contextlib import contextmanager

from refusals import Reason, Refusal
from serving.calls import CURRENT, NOBODY, Call, Caller, new_correlation_id
from serving.roles import ANONYMOUS
from serving.tokens import Verifier

__all__ = ["Authenticator", "Caller", "acting_as", "current_caller"]

_SCHEME = "bearer "


def current_caller() -> Caller:
    """Who makes the call that runs; valid in unary and in stream handlers.

    Raises: RuntimeError: no call runs.
    """
    call = CURRENT.get()
    if call is None:
        raise RuntimeError("no call runs here")
    return call.caller


@contextmanager
def acting_as(caller: Caller) -> Iterator[None]:
    """Run a block as if this caller had made the call; for tests of servicers without a server."""
    token = CURRENT.set(Call(new_correlation_id(), caller))
    try:
        yield
    finally:
        CURRENT.reset(token)


class Authenticator:
    """Turns the metadata ``authorization`` into a caller that the method's row admits."""

    def __init__(self, verifier: Verifier, *, anonymous_allowed: bool) -> None:
        self._verifier = verifier
        self._anonymous_allowed = anonymous_allowed

    def admit(self, authorization: str | None, roles: frozenset[str]) -> Caller:
        """The caller, if one of these roles is his.

        Raises: Refusal: TOKEN_MISSING, TOKEN_INVALID, TOKEN_EXPIRED or ROLE_NOT_ALLOWED.
        """
        if authorization is None:
            if self._anonymous_allowed and ANONYMOUS in roles:
                return NOBODY
            raise Refusal(Reason.TOKEN_MISSING)
        if authorization[: len(_SCHEME)].lower() != _SCHEME:
            raise Refusal(Reason.TOKEN_INVALID)
        caller = self._verifier.verify(authorization[len(_SCHEME) :])
        if caller.role not in roles:
            raise Refusal(Reason.ROLE_NOT_ALLOWED)
        return caller
