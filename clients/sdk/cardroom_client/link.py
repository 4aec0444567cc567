"""Connections: one channel an address, opened when first needed, closed together."""

from collections.abc import Sequence

import grpc

OPTIONS: Sequence[tuple[str, int]] = (
    ("grpc.keepalive_time_ms", 20_000),  # while a stream is open, notice a dead peer
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.max_reconnect_backoff_ms", 1_000),  # our own patience is the one that counts
    ("grpc.min_reconnect_backoff_ms", 5_000),  # what one attempt to connect may take
    ("grpc.initial_reconnect_backoff_ms", 100),
)
"""Of every connection: one that broke is tried again within a second."""


class Link:
    """Channels by address. A channel once opened stays until `close`, so that calls under way end by themselves."""

    def __init__(self, credentials: grpc.ChannelCredentials | None = None) -> None:
        """Without `credentials` connections are not encrypted."""
        self._credentials = credentials
        self._channels: dict[str, grpc.aio.Channel] = {}

    def channel(self, authority: str) -> grpc.aio.Channel:
        """The channel to host:port."""
        channel = self._channels.get(authority)
        if channel is None:
            if self._credentials is None:
                channel = grpc.aio.insecure_channel(authority, options=OPTIONS)
            else:
                channel = grpc.aio.secure_channel(authority, self._credentials, options=OPTIONS)
            self._channels[authority] = channel
        return channel

    async def close(self) -> None:
        """Close every channel; calls under way are cancelled."""
        channels, self._channels = self._channels, {}
        for channel in channels.values():
            await channel.close()


def metadata_of(token: str, correlation_id: str = "") -> tuple[tuple[str, str], ...]:
    """What goes with a call: the token, and the id under which the services' logs have the call, if one is wished."""
    bearer = ("authorization", f"Bearer {token}")
    return (bearer, ("x-correlation-id", correlation_id)) if correlation_id else (bearer,)
