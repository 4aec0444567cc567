"""The table pods as the registry has them."""

from services.matchmaker.adapters.redis_scripts import store_trouble
from services.matchmaker.ports import Pod
from serving.registry import PodRegistry


class RegistryPods:
    """The port `Pods`."""

    def __init__(self, registry: PodRegistry) -> None:
        self._registry = registry

    async def live(self) -> tuple[Pod, ...]:
        """All of them, full and draining ones too, by name."""
        with store_trouble():
            cards = await self._registry.live()
        return tuple(
            Pod(
                card.pod,
                card.authority,
                card.control_authority,
                card.slots_free,
                card.slots_used,
                card.slots_total,
                card.version,
                card.draining,
            )
            for card in cards
        )
