"""Who waits for news inside this process: streams for their ticket, the matcher for the queues."""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from refusals import Reason, Refusal
from services.matchmaker.ports import Clock


class NewsDesk:
    """Passes news of the store on to whoever waits for it here.

    News may be lost with the connection that brings it: everybody who waits here looks again by himself after a
    while, too.
    """

    def __init__(self, *, follower_count_max: int) -> None:
        """`follower_count_max`: streams that may wait at once."""
        self.rooms = asyncio.Event()
        self.closing = False
        self._follower_count_max = follower_count_max
        self._followers: dict[str, set[asyncio.Event]] = {}
        self._follower_count = 0

    @contextmanager
    def following(self, ticket_id: str) -> Iterator[asyncio.Event]:
        """An event that is set whenever there is news of a ticket. Raises Refusal OVERLOADED: too many wait."""
        if self._follower_count >= self._follower_count_max:
            raise Refusal(Reason.OVERLOADED, retry_after_ms=1_000)
        bell = asyncio.Event()
        self._follower_count += 1
        self._followers.setdefault(ticket_id, set()).add(bell)
        try:
            yield bell
        finally:
            self._follower_count -= 1
            bells = self._followers[ticket_id]
            bells.discard(bell)
            if not bells:
                del self._followers[ticket_id]

    def rooms_changed(self) -> None:
        """A queue has grown, or a slot may be free."""
        self.rooms.set()

    def tickets_changed(self, ticket_ids: Iterable[str]) -> None:
        """These tickets have changed."""
        for ticket_id in ticket_ids:
            for bell in self._followers.get(ticket_id, ()):
                bell.set()

    def close(self) -> None:
        """The service shuts down: everybody looks up, sees `closing` and ends."""
        self.closing = True
        self.rooms.set()
        self.tickets_changed(self._followers)


async def rung(bell: asyncio.Event, clock: Clock, limit_ms: int) -> bool:
    """Waits until the bell rings, at most `limit_ms`; whether it rang. The bell is left as it is."""
    if bell.is_set():
        return True
    ring = asyncio.ensure_future(bell.wait())
    limit = asyncio.ensure_future(clock.sleep_ms(limit_ms))
    try:
        await asyncio.wait((ring, limit), return_when=asyncio.FIRST_COMPLETED)
    finally:
        ring.cancel()
        limit.cancel()
    return bell.is_set()
