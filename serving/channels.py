"""Channels to other services: token, correlation id and deadline go with every call.

Plain interceptors of grpc.aio make a task for each call; this channel adds what is needed when the call is made.
"""

from collections.abc import Callable, Sequence
from typing import Any, Self

import grpc
import grpc.aio
from grpc.aio import Metadata

from serving.calls import CORRELATION, correlation_id, remaining_s

DEADLINE_S = 5.0
_AUTHORIZATION = "authorization"
MESSAGE_BYTES_MAX = 4 * 1024 * 1024
_SPREAD = '{"loadBalancingConfig": [{"round_robin": {}}]}'
"""A name may lead to several pods (a headless Service): calls go to each in turn."""

Token = Callable[[], str]


def connect(
    address: str,
    *,
    token: Token | None = None,
    deadline_ms: int = int(DEADLINE_S * 1000),
    message_bytes_max: int = MESSAGE_BYTES_MAX,
    patient: bool = False,
    options: Sequence[tuple[str, Any]] = (),
) -> grpc.aio.Channel:
    """A channel to a service; it connects when it is first used. Close it when done.

    Args:
        address: ``host:port``; of all addresses a name has, those that answer are called in turn.
        token: gives the bearer token at each call, e.g. a ``ServiceTokens``; absent: no token is sent.
        deadline_ms: of a unary call that names none; never longer than what is left to the call being handled.
        message_bytes_max: largest answer accepted.
        patient: a call waits for a service that cannot be reached, a unary one to its deadline; else it fails at once.
        options: further options of the transport.
    """
    inner = grpc.aio.insecure_channel(
        address,
        options=[
            ("grpc.max_receive_message_length", message_bytes_max),
            ("grpc.keepalive_time_ms", 10_000),
            ("grpc.keepalive_timeout_ms", 5_000),
            ("grpc.http2.ping_timeout_ms", 5_000),
            ("grpc.min_reconnect_backoff_ms", 5_000),  # what one attempt to connect may take
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 2_000),
            ("grpc.service_config", _SPREAD),
            ("grpc.dns_min_time_between_resolutions_ms", 5_000),
            # Shared connections share their pauses too: a new channel would have to wait for another one's to end.
            ("grpc.use_local_subchannel_pool", 1),
            *options,
        ],
    )
    return _Channel(inner, token, deadline_ms / 1000, patient=patient)


class _Call:
    """One method of a channel, as stubs call it."""

    def __init__(
        self, inner: Callable[..., Any], token: Token | None, deadline_s: float | None, *, patient: bool
    ) -> None:
        self._inner = inner
        self._token = token
        self._deadline_s = deadline_s
        self._patient = patient

    def __call__(self, *request: Any, timeout: float | None = None, metadata: Any = None, **rest: Any) -> Any:
        sent = Metadata(*(metadata or ()))
        if sent.get(CORRELATION) is None:
            sent.add(CORRELATION, correlation_id())
        if self._token is not None and sent.get(_AUTHORIZATION) is None:
            sent.add(_AUTHORIZATION, f"Bearer {self._token()}")
        if timeout is None and self._deadline_s is not None:
            left_s = remaining_s()
            timeout = self._deadline_s if left_s is None else max(min(left_s, self._deadline_s), 0.0)
        if self._patient:
            rest.setdefault("wait_for_ready", True)
        return self._inner(*request, timeout=timeout, metadata=sent, **rest)


class _Channel(grpc.aio.Channel):
    """A channel whose calls carry what ``connect`` promises; everything else is the inner channel's."""

    def __init__(self, inner: grpc.aio.Channel, token: Token | None, deadline_s: float, *, patient: bool) -> None:
        self._inner = inner
        self._token = token
        self._deadline_s = deadline_s
        self._patient = patient

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self, grace: float | None = None) -> None:
        await self._inner.close(grace)

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:
        return self._inner.get_state(try_to_connect)

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        await self._inner.wait_for_state_change(last_observed_state)

    async def channel_ready(self) -> None:
        await self._inner.channel_ready()

    def unary_unary(self, *args: Any, **kwargs: Any) -> Any:
        return _Call(self._inner.unary_unary(*args, **kwargs), self._token, self._deadline_s, patient=self._patient)

    def unary_stream(self, *args: Any, **kwargs: Any) -> Any:
        return _Call(self._inner.unary_stream(*args, **kwargs), self._token, None, patient=self._patient)

    def stream_unary(self, *args: Any, **kwargs: Any) -> Any:
        return _Call(self._inner.stream_unary(*args, **kwargs), self._token, None, patient=self._patient)

    def stream_stream(self, *args: Any, **kwargs: Any) -> Any:
        return _Call(self._inner.stream_stream(*args, **kwargs), self._token, None, patient=self._patient)
