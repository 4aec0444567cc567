"""Whether the store answers. While it does not, the tables' time stands still and nobody waits for it."""

import asyncio
from collections.abc import Callable

from refusals import Reason, Refusal

RETRY_AFTER_MS = 250
"""Told to callers while the store is away."""


def store_away() -> Refusal:
    """What callers are told meanwhile."""
    return Refusal(Reason.STORE_UNAVAILABLE, retry_after_ms=RETRY_AFTER_MS)


class StoreHealth:
    """What the store's connection reports, for everybody who needs to know."""

    def __init__(self) -> None:
        self._here = asyncio.Event()
        self._here.set()
        self._on_away: list[Callable[[], None]] = []
        self._on_back: list[Callable[[], None]] = []

    @property
    def away(self) -> bool:
        """Whether the store does not answer."""
        return not self._here.is_set()

    def listen(self, *, away: Callable[[], None], back: Callable[[], None]) -> None:
        """Have these called when the store goes away and when it comes back."""
        self._on_away.append(away)
        self._on_back.append(back)

    def lost(self) -> None:
        """The store does not answer."""
        if not self.away:
            self._here.clear()
            for call in self._on_away:
                call()

    def found(self) -> None:
        """The store answers again."""
        if self.away:
            self._here.set()
            for call in self._on_back:
                call()

    async def back(self) -> None:
        """Return when the store answers; at once if it does."""
        await self._here.wait()
