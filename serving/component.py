"""What a service hands to ``serve``."""

from collections.abc import Sequence
from typing import Protocol

import grpc.aio


class Component(Protocol):
    """A service's insides, seen by the server around it.

    Order of calls: ``register``, ``start``, then the server takes calls; at the end ``drain``, then the server
    refuses calls, then ``stop``. Each is called once.

    A component may have an attribute ``serving_while_draining: bool``. If it is true, health stays SERVING during
    ``drain`` (a pod whose tables are moving still answers); without it health turns NOT_SERVING.
    """

    def register(self, server: grpc.aio.Server) -> Sequence[str]:
        """Add the servicers to the server; returns the full names of their services."""
        ...

    async def start(self) -> None:
        """Connect and get ready. Raises: StartError: what is missing, in one line."""
        ...

    async def drain(self) -> None:
        """Take no new work, bring work to an end or hand it over, say goodbye on own streams."""
        ...

    async def stop(self) -> None:
        """Release everything; called also when ``start`` failed."""
        ...
