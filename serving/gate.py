"""The one interceptor: every call passes here once, on its way in and out.

In: correlation id, token and role, deadline. Out: refusals and faults as statuses, metrics, one log line.
A method's handler is wrapped at its first call and kept, so that a call costs a look-up and the wrapper.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from inspect import isasyncgenfunction, iscoroutinefunction
from typing import Any, TypeAlias

import grpc
import grpc.aio
from google.protobuf.message import DecodeError

from refusals import Reason, Refusal
from serving.auth import Authenticator
from serving.calls import CORRELATION, CURRENT, Call, accepted_correlation_id, new_correlation_id
from serving.metrics import CallMeter
from serving.refusing import STATUS, as_refusal, details_of, message_of
from serving.roles import METHOD_ROLES, OPEN_SERVICES
from serving.runtime import Runtime

_ABSURD_S = 24 * 3600.0
STREAM_GRACE_S = 10.0
"""How long a stream may go on after its age asked for a Goodbye."""

_UNKNOWN = "unknown"

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"  # generic for the type checker only
Context = grpc.aio.ServicerContext[Any, Any]
Behaviour = Callable[[Any, Context], Any]
Answer = Callable[[Any, Context], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class _Method:
    """What is fixed about a method. ``roles`` is None where nobody may call it; ``open`` ones ask for no token."""

    full_name: str
    roles: frozenset[str] | None
    open: bool
    streams: bool
    meter: CallMeter


class Gate(grpc.aio.ServerInterceptor):
    """Wraps each handler of a server.

    ``in_flight`` counts calls and streams of a component's own methods; ``idle`` waits until there are none.
    """

    def __init__(self, runtime: Runtime, authenticator: Authenticator) -> None:
        settings = runtime.settings
        self._authenticator = authenticator
        self._log = runtime.log
        self._metrics = runtime.metrics
        self._default_s = settings.default_deadline_ms / 1000
        self._cap_s = settings.deadline_cap_ms / 1000
        self._stream_s = settings.stream_max_age_ms / 1000 + STREAM_GRACE_S
        self._handlers: dict[str, Handler] = {}
        self._unknown = self._refusing_handler()
        self._idle = asyncio.Event()
        self._idle.set()
        self.in_flight = 0

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable["Handler | None"]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler:
        """The wrapped handler of the method called."""
        name = handler_call_details.method
        wrapped = self._handlers.get(name)
        if wrapped is None:
            handler = await continuation(handler_call_details)
            if handler is None:
                return self._unknown
            wrapped = self._handlers[name] = self._wrapped(name, handler)
        return wrapped

    async def idle(self) -> None:
        """Return when no call of a component's own methods runs."""
        await self._idle.wait()

    def _refusing_handler(self) -> Handler:
        """For methods no servicer has; they share one series, since callers choose their names."""
        meter = self._metrics.call_meter(_UNKNOWN, _UNKNOWN)
        method = _Method(_UNKNOWN, None, open=False, streams=True, meter=meter)
        return grpc.stream_stream_rpc_method_handler(self._answering(method, _never))

    def _wrapped(self, full_name: str, handler: Handler) -> Handler:
        shape = (bool(handler.request_streaming), bool(handler.response_streaming))
        make, attribute = _SHAPES[shape]
        _, service, name = full_name.split("/")
        method = _Method(
            full_name[1:],
            METHOD_ROLES.get(full_name),
            open=service in OPEN_SERVICES,
            streams=any(shape),
            meter=self._metrics.call_meter(service, name),
        )
        answer = _awaitable(getattr(handler, attribute))
        parse, pack = handler.request_deserializer, handler.response_serializer
        # A single message is parsed and packed on this side of the gate: gRPC would tell the caller what went wrong.
        if parse is not None and not handler.request_streaming:
            answer, parse = _parsing(answer, parse), None
        if pack is not None and not handler.response_streaming:
            answer, pack = _packing(answer, pack), None
        wrapped: Handler = make(self._answering(method, answer), parse, pack)
        return wrapped

    def _answering(self, method: _Method, answer: Answer) -> Answer:
        async def handle(request: Any, context: Context) -> Any:
            began = time.perf_counter()
            self._enter(method)
            call, code, error = Call(""), grpc.StatusCode.OK, None
            try:
                limit_s = self._admit(method, call, context)
                if limit_s is None:
                    return await answer(request, context)
                return await _in_time(answer(request, context), limit_s)
            except grpc.aio.AbortError:
                code = _code_of(context)
                raise
            except asyncio.CancelledError:
                code = _code_of_end(context)
                raise
            except _LateError:
                code = grpc.StatusCode.DEADLINE_EXCEEDED
                await context.abort(code, "The deadline has passed.")
            except Exception as caught:
                error, refusal = caught, as_refusal(caught)
                code = STATUS[refusal.reason]
                self._metrics.refused(refusal.reason)
                await context.abort(code, message_of(refusal), details_of(refusal))
            finally:
                self._leave(method, call, code, error, time.perf_counter() - began)

        return handle

    def _enter(self, method: _Method) -> None:
        method.meter.begin()
        if not method.open:
            self.in_flight += 1
            self._idle.clear()

    def _admit(self, method: _Method, call: Call, context: Context) -> float | None:
        """Fill in the call and make it the current one; returns the seconds to enforce, if any."""
        authorization = given = None
        for key, value in context.invocation_metadata() or ():
            if key == "authorization":
                authorization = value
            elif key == CORRELATION:
                given = value
        call.correlation_id = accepted_correlation_id(given) if isinstance(given, str) else new_correlation_id()
        CURRENT.set(call)
        if method.open:
            return None
        if method.roles is None:
            raise Refusal(Reason.METHOD_UNKNOWN)
        call.caller = self._authenticator.admit(_text(authorization), method.roles)
        if method.streams:
            return self._stream_s
        call.task = asyncio.current_task()
        return self._deadline(call, context.time_remaining())

    def _deadline(self, call: Call, remaining_s: float | None) -> float | None:
        """The deadline rule of a unary call. A client's own deadline within the cap is kept by gRPC itself."""
        if remaining_s is None:
            limit_s = self._default_s
        elif 0 < remaining_s <= self._cap_s:
            call.ends_at = time.monotonic() + remaining_s
            return None
        elif 0 < remaining_s <= _ABSURD_S:
            limit_s = self._cap_s
        else:
            raise Refusal(Reason.DEADLINE_INVALID)
        call.ends_at = time.monotonic() + limit_s
        return limit_s

    def _leave(
        self, method: _Method, call: Call, code: grpc.StatusCode, error: Exception | None, seconds: float
    ) -> None:
        if not method.open:
            self.in_flight -= 1
            if self.in_flight == 0:
                self._idle.set()
        method.meter.end(code.name, seconds)
        refusal = error if isinstance(error, Refusal) else None
        fault = error if refusal is None else None
        write = self._log.error if fault is not None else self._log.debug if method.open else self._log.info
        write(
            "call",
            method=method.full_name,
            code=code.name,
            ms=round(seconds * 1000, 3),
            correlation_id=call.correlation_id,
            role=call.caller.role,
            subject=call.caller.subject,
            **({"reason": refusal.reason} if refusal is not None else {}),
            **({"exc_info": fault} if fault is not None else {}),
        )
        if fault is not None:
            self._log.debug("fault", method=method.full_name, correlation_id=call.correlation_id, exc_info=fault)


class _LateError(Exception):
    """The deadline that the gate enforces has passed."""


async def _in_time(answer: Awaitable[Any], limit_s: float) -> Any:
    limit = asyncio.timeout(limit_s)
    try:
        async with limit:
            return await answer
    except TimeoutError:
        if limit.expired():
            raise _LateError from None
        raise


def _parsing(answer: Answer, parse: Callable[[bytes], Any]) -> Answer:
    async def parsed(packed: bytes, context: Context) -> Any:
        try:
            request = parse(packed)
        except DecodeError:
            raise Refusal(Reason.INVALID_FIELD, detail="The request is no message of the method's type.") from None
        return await answer(request, context)

    return parsed


def _packing(answer: Answer, pack: Callable[[Any], bytes]) -> Answer:
    async def packed(request: Any, context: Context) -> bytes:
        return pack(await answer(request, context))

    return packed


async def _never(request: Any, context: Context) -> None:
    raise Refusal(Reason.METHOD_UNKNOWN)


def _awaitable(behaviour: Behaviour) -> Answer:
    """A handler as a coroutine function. A generator's items are written here, so that its end is ours to see."""
    if isasyncgenfunction(behaviour):

        async def stream(request: Any, context: Context) -> None:
            items: AsyncIterator[Any]
            async with aclosing(behaviour(request, context)) as items:
                async for item in items:
                    await context.write(item)

        return stream
    if iscoroutinefunction(behaviour):
        return behaviour
    return _never  # what stubs have for methods that a servicer leaves out; ours are all asynchronous


def _text(value: str | bytes | None) -> str | None:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _code_of(context: Context) -> grpc.StatusCode:
    """The code a servicer aborted with itself."""
    code: object = context.code()  # a StatusCode by its type, but a number before grpcio made it one
    return code if isinstance(code, grpc.StatusCode) else _CODES.get(code, grpc.StatusCode.UNKNOWN)


def _code_of_end(context: Context) -> grpc.StatusCode:
    """Why gRPC cancelled a call: its client's deadline passed, or the client or the server gave it up."""
    left_s: float | None = context.time_remaining()
    late = left_s is not None and left_s <= 0
    return grpc.StatusCode.DEADLINE_EXCEEDED if late else grpc.StatusCode.CANCELLED


_CODES: dict[object, grpc.StatusCode] = {code.value[0]: code for code in grpc.StatusCode}
_SHAPES: dict[tuple[bool, bool], tuple[Callable[..., Handler], str]] = {
    (False, False): (grpc.unary_unary_rpc_method_handler, "unary_unary"),
    (False, True): (grpc.unary_stream_rpc_method_handler, "unary_stream"),
    (True, False): (grpc.stream_unary_rpc_method_handler, "stream_unary"),
    (True, True): (grpc.stream_stream_rpc_method_handler, "stream_stream"),
}
