"""Channels of tests that speak to a service as any client would, with nothing of the project between."""

import grpc.aio

from deploy.local.process import EAGER


def bare_channel(address: str) -> grpc.aio.Channel:
    """A channel to host:port that adds nothing to a call and shares no connection; close it when done."""
    return grpc.aio.insecure_channel(address, options=EAGER)
