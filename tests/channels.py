"""Channels of tests that speak to a service as any client would, with nothing of the project between."""

import grpc.aio

_OPTIONS = (
    ("grpc.use_local_subchannel_pool", 1),  # a port that an earlier test's server had is no place to give up on
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 200),
)


def bare_channel(address: str) -> grpc.aio.Channel:
    """A channel to host:port that adds nothing to a call and shares no connection; close it when done."""
    return grpc.aio.insecure_channel(address, options=_OPTIONS)
