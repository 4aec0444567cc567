"""Players of a table that is gone without having let them go are set free (PF-11).

A table frees its players itself, from its outbox, again and again. Where it cannot any more (its log is lost, its last
duty was refused) they would sit nowhere and could sit nowhere else. So the tables that no pod lists are asked for, and
only a definite answer, twice, one round apart, sets anybody free: that there is no such table, or that it is over. A
table that nobody has taken over yet, that a pod cannot read, or about which nobody answers is left alone.
"""

from collections.abc import Sequence

from refusals import Refusal
from services.matchmaker.ports import Clock, Journal, Pod, Pods, RoomStore, Tables, TicketStore


class Sweeper:
    """Looks for tables that are gone, once every `every_ms`."""

    def __init__(
        self,
        *,
        rooms: RoomStore,
        tickets: TicketStore,
        pods: Pods,
        tables: Tables,
        clock: Clock,
        journal: Journal,
        every_ms: int,
    ) -> None:
        self._rooms = rooms
        self._tickets = tickets
        self._pods = pods
        self._tables = tables
        self._clock = clock
        self._journal = journal
        self._every_ms = every_ms
        self._suspects: frozenset[str] = frozenset()

    async def run(self) -> None:
        """Sweep until cancelled."""
        while True:
            await self._clock.sleep_ms(self._every_ms)
            try:
                await self.sweep()
            except Refusal as refusal:
                self._journal.warning("sweep_paused", reason=refusal.reason.value)
            except Exception as error:
                # Whatever it was, the next round looks again.
                self._journal.warning("sweep_paused", exc_info=error)

    async def sweep(self) -> tuple[str, ...]:
        """One round. Returns: the players who were set free."""
        rooms = await self._rooms.all()
        open_tables = await self._tickets.open_tables([room.room_id for room in rooms])
        live = await self._pods.live()
        listed: set[str] = set()
        for pod in live:
            listed |= await self._tables.listed(pod)
        gone = [table for table in open_tables if table not in listed and await self._is_over(table, live)]
        freed: list[str] = []
        for table_id in gone:
            if table_id in self._suspects:
                freed += await self._free(table_id)
        self._suspects = frozenset(gone)
        return tuple(freed)

    async def _is_over(self, table_id: str, live: Sequence[Pod]) -> bool:
        """Whether a pod that can tell says so; one answer is enough, since all read the same store."""
        for pod in live:
            over = await self._tables.is_over(pod, table_id)
            if over is not None:
                return over
        return False

    async def _free(self, table_id: str) -> tuple[str, ...]:
        held = await self._tickets.holders(table_id)
        if held is None:
            return ()
        released = await self._tickets.release(table_id, held.epoch, held.player_ids, requeue=False)
        if released.player_ids:
            self._journal.warning("table_swept", table_id=table_id, count=len(released.player_ids))
        return released.player_ids
