"""How a refused call looks to a client: one exception with everything the server said."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

DOMAIN = "cardroom"
_DETAILS_KEY = "grpc-status-details-bin"


class CallRefused(Exception):
    """A call the server refused, or that never reached it.

    Attributes:
        reason: name of a `cardroom.errors.v1.Reason` without its prefix, such as "NOT_YOUR_TURN"; empty where
            gRPC itself refused (no connection, message too large) and there is only a code.
        code: the canonical status code.
        field: the request's field that is at fault, such as "room_id"; None if none is.
        detail: what is wrong with that field, for developers, such as the readings of an ambiguous play (TY-24).
        rule: the rule that forbids it, such as "BB-17"; None if no rule of play is concerned.
        message: one sentence for people.
        retry_after: seconds after which the same call may succeed; None where the server promises nothing.
        metadata: what else the server says, such as the owner's address with NOT_OWNER.
    """

    def __init__(
        self,
        reason: str,
        code: grpc.StatusCode,
        *,
        field: str | None = None,
        rule: str | None = None,
        message: str = "",
        retry_after: float | None = None,
        metadata: Mapping[str, str] | None = None,
        detail: str = "",
    ) -> None:
        self.reason = reason
        self.code = code
        self.field = field
        self.detail = detail
        self.rule = rule
        self.message = message
        self.retry_after = retry_after
        self.metadata: Mapping[str, str] = metadata or {}
        marks = "".join(f" [{mark}]" for mark in (field, rule) if mark)
        super().__init__(f"{reason or code.name}{marks}: {message}")


class TooLate(CallRefused):
    """A move that came after its question was closed: a clock ran out, or others' answers settled it.

    Nothing has changed. It is nobody's mistake and happens to every client on a slow line: the next prompt says what
    the player may do now.
    """

    def __init__(self, refusal: CallRefused) -> None:
        super().__init__(
            refusal.reason,
            refusal.code,
            field=refusal.field,
            rule=refusal.rule,
            message=refusal.message,
            retry_after=refusal.retry_after,
            metadata=refusal.metadata,
            detail=refusal.detail,
        )


OVERTAKEN = frozenset(
    {
        "DECISION_STALE",
        "NO_DECISION",
        "NO_QUESTION",
        "ALREADY_ANSWERED",
        "SEAT_AWAY",
        "WRONG_TABLE_STATE",
        "TABLE_CLOSED",
    }
)
"""Reasons for which a move is refused that was a good one when it was sent."""


class FailedCall(Protocol):
    """A failed call, of either kind of client."""

    def code(self) -> grpc.StatusCode:
        """The canonical status code."""
        ...

    def details(self) -> str | None:
        """The status message."""
        ...

    def trailing_metadata(self) -> Any:
        """What came with the status."""
        ...


def refused(error: FailedCall) -> CallRefused:
    """What a failed call says, read from the google.rpc.Status in its trailing metadata."""
    found: dict[str, Any] = {}
    for packed in _details(error):
        for kind, read in _READERS.items():
            if packed.Is(kind.DESCRIPTOR):
                detail = kind()
                packed.Unpack(detail)
                found.update(read(detail))
    return CallRefused(found.pop("reason", ""), error.code(), message=error.details() or "", **found)


def _error_info(info: Any) -> dict[str, Any]:
    if info.domain != DOMAIN:
        return {}
    return {"reason": info.reason, "rule": info.metadata.get("rule"), "metadata": dict(info.metadata)}


def _bad_request(bad: Any) -> dict[str, Any]:
    if not bad.field_violations:
        return {}
    first = bad.field_violations[0]
    return {"field": first.field, "detail": first.description}


def _retry_info(retry: Any) -> dict[str, Any]:
    return {"retry_after": retry.retry_delay.ToTimedelta().total_seconds()}


_READERS: Mapping[Any, Callable[[Any], dict[str, Any]]] = {
    error_details_pb2.ErrorInfo: _error_info,
    error_details_pb2.BadRequest: _bad_request,
    error_details_pb2.RetryInfo: _retry_info,
}


def _details(error: FailedCall) -> list[AnyMessage]:
    """The packed details of a status; none where the peer sent none or they cannot be read."""
    for key, value in error.trailing_metadata() or ():
        if key == _DETAILS_KEY and isinstance(value, bytes):
            try:
                return list(status_pb2.Status.FromString(value).details)
            except DecodeError:  # whatever stands between us and the server may have put anything there
                return []
    return []
