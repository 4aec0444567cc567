"""Answers of other services: a definite one, or another try."""

from collections.abc import Awaitable
from typing import TypeVar

import grpc.aio

from refusals import CATALOGUE
from services.table.ports import ServiceAway
from serving.refusing import refusal_of

Response = TypeVar("Response")

_WAITS = frozenset({grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED})
"""Our own keys are not known there yet, or not any more: an operator will see to it, the table waits."""


async def definite(call: Awaitable[Response]) -> Response:
    """The answer of a call.

    Raises:
        Refusal: a definite no.
        ServiceAway: everything else; whether the call took effect is not known.
    """
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        refusal = refusal_of(error)
        if refusal is None or CATALOGUE[refusal.reason].retry or error.code() in _WAITS:
            raise ServiceAway from error
        raise refusal from error
