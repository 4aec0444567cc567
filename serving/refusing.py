"""Refusals on the wire: canonical code, ``google.rpc.ErrorInfo``, ``BadRequest``, ``RetryInfo`` - and back."""

from collections.abc import Mapping
from types import MappingProxyType

import grpc
import grpc.aio
import redis.exceptions
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from refusals import CATALOGUE, Reason, Refusal, Violation

DOMAIN = "cardroom"
RETRY_AFTER_MS = 1_000
"""Told to callers where a retry helps and the refusal names no time."""

STATUS: Mapping[Reason, grpc.StatusCode] = MappingProxyType(
    {reason: grpc.StatusCode[entry.code] for reason, entry in CATALOGUE.items()}
)
_DETAILS_KEY = "grpc-status-details-bin"
_RULE_KEY = "rule"

_FAULTS: tuple[tuple[type[Exception], Reason], ...] = (
    (redis.exceptions.OutOfMemoryError, Reason.OVERLOADED),
    (redis.exceptions.ConnectionError, Reason.STORE_UNAVAILABLE),
    (redis.exceptions.TimeoutError, Reason.STORE_UNAVAILABLE),
)
"""Exceptions of libraries that no servicer need translate: the first row that fits."""

_AWAY = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED})


def as_refusal(error: Exception) -> Refusal:
    """What the caller is told about an exception: nothing of its text unless it is a refusal.

    A store or a service that is away is told as such; everything else is INTERNAL.
    """
    if isinstance(error, Refusal):
        return error
    if isinstance(error, grpc.aio.AioRpcError) and error.code() in _AWAY:
        return Refusal(Reason.DEPENDENCY_UNAVAILABLE)
    for kind, reason in _FAULTS:
        if isinstance(error, kind):
            return Refusal(reason)
    return Refusal(Reason.INTERNAL)


def message_of(refusal: Refusal) -> str:
    """The status message: the refusal's own detail, or the catalogue's sentence; none for a fault of ours."""
    if refusal.detail or refusal.reason is Reason.INTERNAL:
        return refusal.detail
    return CATALOGUE[refusal.reason].en


def details_of(refusal: Refusal) -> tuple[tuple[str, bytes]]:
    """Trailing metadata that carries ErrorInfo and, where they apply, BadRequest and RetryInfo."""
    status = Status(code=STATUS[refusal.reason].value[0], message=message_of(refusal))
    facts = dict(refusal.metadata)
    if refusal.rule is not None:
        facts[_RULE_KEY] = refusal.rule
    status.details.add().Pack(ErrorInfo(reason=refusal.reason, domain=DOMAIN, metadata=facts))
    violations = _violations(refusal)
    if violations:
        rows = [BadRequest.FieldViolation(field=row.field, description=row.description) for row in violations]
        status.details.add().Pack(BadRequest(field_violations=rows))
    retry_ms = refusal.retry_after_ms
    if retry_ms is None and CATALOGUE[refusal.reason].retry:
        retry_ms = RETRY_AFTER_MS
    if retry_ms is not None:
        delay = Duration()
        delay.FromMilliseconds(retry_ms)
        status.details.add().Pack(RetryInfo(retry_delay=delay))
    return ((_DETAILS_KEY, status.SerializeToString()),)


def refusal_of(error: grpc.RpcError) -> Refusal | None:
    """The refusal that another service of ours answered with; None if the error is no such answer.

    None stands for a connection that failed, a deadline that passed, a code without details, another domain, or a
    reason of a newer release.
    """
    if not isinstance(error, grpc.aio.AioRpcError):
        return None
    packed = error.trailing_metadata().get(_DETAILS_KEY)
    if not isinstance(packed, bytes):
        return None
    try:
        return _unpacked(Status.FromString(packed))
    except DecodeError:
        return None


def _violations(refusal: Refusal) -> tuple[Violation, ...]:
    if refusal.field is None:
        return refusal.violations
    own = Violation(refusal.field, refusal.detail or CATALOGUE[refusal.reason].en)
    return (own, *(row for row in refusal.violations if row != own))


def _unpacked(status: Status) -> Refusal | None:
    info, bad, retry = ErrorInfo(), BadRequest(), RetryInfo()
    for packed in status.details:
        for message in (info, bad, retry):
            packed.Unpack(message)  # does nothing unless the type fits
    if info.domain != DOMAIN or info.reason not in Reason.__members__:
        return None
    facts = dict(info.metadata)
    rule = facts.pop(_RULE_KEY, None)
    violations = [Violation(row.field, row.description) for row in bad.field_violations]
    return Refusal(
        Reason[info.reason],
        field=violations[0].field if len(violations) == 1 else None,
        detail=status.message,
        rule=rule,
        metadata=facts,
        violations=violations,
        retry_after_ms=retry.retry_delay.ToMilliseconds() if retry.HasField("retry_delay") else None,
    )
