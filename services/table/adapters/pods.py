"""The registry of pods behind the table's port."""

from collections.abc import Awaitable, Mapping
from typing import TypeVar

from redis.exceptions import RedisError

from services.table.ports import StoreAway
from serving.registry import PodCard, PodRegistry

VERSION = "0.1.0"

Value = TypeVar("Value")


class RegistryPods:
    """`Pods` in the shared registry."""

    def __init__(self, registry: PodRegistry, *, pod: str, authority: str, control_authority: str, slots: int) -> None:
        self._registry = registry
        self._pod = pod
        self._authority = authority
        self._control_authority = control_authority
        self._slots = slots
        self._incarnation = 0

    @property
    def lease_ms(self) -> int:
        """See `Pods`."""
        return self._registry.lease_ms

    async def enter(self) -> None:
        """See `Pods`."""
        self._incarnation = await _answered(self._registry.enter())

    async def announce(self, *, slots_used: int, draining: bool) -> bool:
        """See `Pods`."""
        card = PodCard(
            pod=self._pod,
            authority=self._authority,
            control_authority=self._control_authority,
            version=VERSION,
            slots_total=self._slots,
            slots_used=slots_used,
            draining=draining,
            incarnation=self._incarnation,
        )
        return await _answered(self._registry.announce(card))

    async def withdraw(self) -> None:
        """See `Pods`."""
        await _answered(self._registry.withdraw(self._pod, self._incarnation))

    async def silent_ms(self) -> Mapping[str, int]:
        """See `Pods`."""
        return await _answered(self._registry.silent_ms())


async def _answered(call: Awaitable[Value]) -> Value:
    try:
        return await call
    except (RedisError, OSError) as error:
        raise StoreAway from error
