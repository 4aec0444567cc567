"""The tables of one process: made, taken over, found, let go."""

import asyncio
from collections import deque
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import Any

from refusals import Reason, Refusal
from services.table.app.adoption import adopt
from services.table.app.archiver import Archiver
from services.table.app.checking import check_later
from services.table.app.current import Current, Entry, Moment
from services.table.app.gone import Gone
from services.table.app.mailbox import Answer, Request
from services.table.app.outside import Outside
from services.table.app.requests import Requests
from services.table.app.store_health import store_away
from services.table.app.table import Table
from services.table.archives import ArchiveAway
from services.table.model import clocks as clocking
from services.table.model import play
from services.table.model import state as folding
from services.table.model.events import CloseCause, Created
from services.table.ports import Ownership, Pods, StoreAway, StoreFull, UnreadableEntry

_AT_ONCE = 16
"""Tables taken over at the same time."""


class Pod:
    """All tables this process owns, and its place among the other pods."""

    def __init__(self, outside: Outside) -> None:
        self._outside = outside
        self._pods: Pods
        self.authority = ""
        self._tables: dict[str, Table] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._unreadable: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._draining = False
        self._superseded = False
        self._silent_ms: Mapping[str, int] = {}
        self._creating_count = 0
        self._leasing = asyncio.Lock()
        self._withdrawn = False
        self._announced_ms = 0
        self._slots_changed = asyncio.Event()
        self._archiver = None if outside.archive is None else Archiver(outside, outside.archive)

    @property
    def name(self) -> str:
        """This pod's name."""
        return self._outside.pod

    @property
    def tables(self) -> Mapping[str, Table]:
        """Tables by id."""
        return self._tables

    # --- life ---------------------------------------------------------------------------

    async def start(self, pods: Pods, authority: str) -> None:
        """Enter the registry, and begin to take over what this pod's earlier processes left.

        Args:
            authority: `host:port` where game clients reach this process.
        Raises: StoreAway.
        """
        self._pods = pods
        self.authority = authority
        self._outside.health.listen(away=self._store_lost, back=self._store_found)
        await self._pods.enter()
        silent_ms = await self._pods.silent_ms()
        self._run(self._outside.alarms.run())
        await self._announce()
        self._silent_ms = silent_ms
        self._run(self._keep_lease())
        self._run(self._keep_adopting())
        self._run(check_later(self._outside, self._outside.limits.check_later_ms, self._set_aside))
        if self._archiver is not None:
            self._run(self._archiver.run())

    async def drain(self) -> None:
        """Take nothing new, let all tables go where they stand; their logs are whole."""
        self._draining = True
        await asyncio.gather(*(table.stop() for table in tuple(self._tables.values())))
        async with self._leasing:
            self._withdrawn = True
            try:
                await self._pods.withdraw()
            except StoreAway:
                self._outside.journal.warning("not_withdrawn")

    async def stop(self) -> None:
        """Let go of all tables at once."""
        self._draining = True
        await asyncio.gather(*(table.stop(patience_ms=0) for table in tuple(self._tables.values())))

    @property
    def tasks(self) -> tuple[asyncio.Task[None], ...]:
        """What runs beside the tables; to be ended by who started the pod."""
        return tuple(self._tasks)

    # --- tables -------------------------------------------------------------------------

    async def create(self, table_id: str, created: Created) -> tuple[Ownership, bool]:
        """Make a table; again, return it.

        Returns: who owns it, and whether it was there already.
        Raises: Refusal: NO_SLOT, SHUTTING_DOWN, TABLE_CONFLICT, INVALID_FIELD, OPTION_INVALID. StoreAway, StoreFull.
        """
        rules = play.rules_of(created.room)
        if rules.seat_count != len(created.players):
            raise Refusal(Reason.INVALID_FIELD, field="seats", detail=f"{rules.variant} has {rules.seat_count} seats")
        async with self._lock(table_id):
            owner = await self._outside.log.owner(table_id)
            if owner is None and self._outside.archive is not None and self._outside.archive.knows(table_id):
                raise Refusal(Reason.TABLE_CONFLICT, detail="the table is over")
            if owner is None and await self._create(table_id, created):
                return Ownership(1, self.name, self.authority, 1, None), False
        owner = await self._outside.log.owner(table_id)
        assert owner is not None
        rows = await self._outside.log.entries(table_id, 0, 1)
        first = self._outside.codec.decode(rows[0].data) if rows else None
        # A retry is another call: only its correlation id may differ.
        if not isinstance(first, Created) or replace(first, correlation_id=created.correlation_id) != created:
            raise Refusal(Reason.TABLE_CONFLICT)
        return owner, True

    async def _create(self, table_id: str, created: Created) -> bool:
        outside = self._outside
        if self._draining:
            raise Refusal(Reason.SHUTTING_DOWN)
        if len(self._tables) + self._creating_count >= outside.limits.slots:
            raise Refusal(Reason.NO_SLOT)
        self._creating_count += 1
        try:
            return await self._written(table_id, created)
        finally:
            self._creating_count -= 1

    async def _written(self, table_id: str, created: Created) -> bool:
        """Write a table's first entry and begin it; False if it was there already."""
        outside = self._outside
        state = folding.created(table_id, created)
        now_ms = outside.time.now_ms()
        clocks = clocking.following(state, (), now_ms, None)
        entry = Entry(1, created, outside.codec.encode(created))
        await outside.log.enlist(self.name, table_id)
        made = await outside.log.create(
            table_id,
            pod=self.name,
            authority=self.authority,
            entry=entry.data,
            clocks=clocking.written(clocks, now_ms),
        )
        if made:
            recent = deque([entry], maxlen=outside.limits.recent_count)
            outside.journal.info("table_created", table_id=table_id, room_id=created.room.room_id)
            past = (Moment(now_ms, (entry,), state, clocks),) if state.room.spectators_allowed else ()
            self._begin(Current(1, state, clocks, Requests(), recent, {1: 0}, past=past))
        return made

    async def find(self, table_id: str) -> Table:
        """A table of this pod.

        Raises: Refusal: NOT_OWNER, TABLE_UNKNOWN, TABLE_CLOSED, TABLE_QUARANTINED, SHUTTING_DOWN. StoreAway.
        """
        table = self._tables.get(table_id)
        if table is not None:
            return table
        if self._superseded:
            raise await self.owner_of(table_id)
        if self._draining:
            raise Refusal(Reason.SHUTTING_DOWN)
        if table_id in self._unreadable:
            raise Refusal(Reason.INTERNAL)
        owner = await self._outside.log.owner(table_id)
        if owner is not None and owner.finished is None and owner.pod == self.name:
            await self._adopt(table_id, self.name, self._silent_ms)
            table = self._tables.get(table_id)
        if table is None:
            raise await self._elsewhere(table_id, owner)
        return table

    async def ask(self, table: Table, request: Request) -> Answer:
        """Have a request decided by a table of this pod. Raises: as `owner_of` says, and `Table.ask`."""
        try:
            return await table.ask(request)
        except Refusal as refusal:
            if refusal.reason is Reason.SHUTTING_DOWN and (self._superseded or not self._draining):
                raise await self.owner_of(table.table_id) from None
            raise

    async def owner_of(self, table_id: str) -> Refusal:
        """What a caller is told who means another pod, or a table that is not here any more. Raises: StoreAway."""
        table = self._tables.get(table_id)
        if table is not None:
            return _not_owner(self.name, self.authority, table.current.epoch)
        return await self._elsewhere(table_id, await self._outside.log.owner(table_id))

    async def _elsewhere(self, table_id: str, owner: Ownership | None) -> Refusal:
        """Why a table is not in memory here."""
        finished = await self._archived(table_id) if owner is None else owner.finished
        if finished is not None:
            fault = finished in (CloseCause.FAULT, CloseCause.SCORING)
            return Refusal(Reason.TABLE_QUARANTINED if fault else Reason.TABLE_CLOSED)
        if owner is None:
            return Refusal(Reason.TABLE_UNKNOWN)
        if owner.pod == self.name and not self._superseded:
            return store_away()  # it is being read again
        return _not_owner(owner.pod, owner.authority, owner.epoch)

    async def _archived(self, table_id: str) -> CloseCause | None:
        """Why a table was dissolved whose log is in the archive; None if it is not there, as far as can be seen."""
        if self._outside.archive is None:
            return None
        try:
            log = await self._outside.archive.get(table_id)
        except ArchiveAway:
            self._outside.journal.warning("archive_away")
            return None
        return None if log is None else log.cause

    def _begin(self, current: Current) -> None:
        table = Table(self._outside, current, self._gone)
        self._tables[table.table_id] = table
        self._slots_changed.set()
        table.start()

    def _gone(self, table: Table, why: Gone) -> None:
        """A table has ended its task."""
        if self._tables.get(table.table_id) is table:
            del self._tables[table.table_id]
            self._slots_changed.set()
        self._outside.journal.info("table_gone", table_id=table.table_id, why=why)
        if why is Gone.MOVED:
            self._run(self._strike(table.table_id))
        elif why is Gone.FINISHED and self._archiver is not None:
            self._archiver.take(table.table_id)
        elif why is Gone.LOST_TAIL:
            self._run(self._adopt_soon(table.table_id))

    async def _set_aside(self, table_id: str, deal_id: str) -> None:
        table = self._tables.get(table_id)
        if table is not None:
            await table.set_aside(deal_id)

    async def _strike(self, table_id: str) -> None:
        try:
            owner = await self._outside.log.owner(table_id)
            if owner is None or owner.pod != self.name:
                await self._outside.log.strike(self.name, table_id)
        except StoreAway:
            self._outside.journal.warning("not_struck", table_id=table_id)  # found out again at the next start

    # --- taking over --------------------------------------------------------------------

    async def _adopt_soon(self, table_id: str) -> None:
        await self._adopt_all([table_id], self.name, {})

    async def _adopt_all(self, table_ids: Sequence[str], pod: str, silent_ms: Mapping[str, int]) -> None:
        gate = asyncio.Semaphore(_AT_ONCE)

        async def one(table_id: str) -> None:
            async with gate:
                try:
                    await self._adopt(table_id, pod, silent_ms)
                except (StoreAway, StoreFull):
                    self._outside.journal.warning("not_adopted", table_id=table_id)  # the next round tries again
                except Exception as error:  # one table that cannot be taken over keeps none of the others waiting
                    self._unreadable.add(table_id)
                    self._outside.journal.error("table_unreadable", table_id=table_id, error=type(error).__name__)

        await asyncio.gather(*(one(table_id) for table_id in table_ids))

    async def _adopt(self, table_id: str, pod: str, silent_ms: Mapping[str, int]) -> None:
        """Take a table over from a pod (from this one's earlier process, too), unless it is here, is over, belongs to
        another pod meanwhile, or cannot be read.
        """
        async with self._lock(table_id):
            if table_id in self._tables or table_id in self._unreadable or self._draining:
                return
            if self._archiver is not None and self._archiver.holds(table_id):
                return
            owner = await self._outside.log.owner(table_id)
            if owner is not None and owner.finished is not None and owner.pod == pod:
                await self._finish_for(table_id, pod)
                return
            if owner is None or owner.finished is not None or owner.pod != pod:
                await self._outside.log.strike(pod, table_id)
                return
            # Asked after the owner was read and before the claim, which holds for that owner only: a newer process of
            # this pod that has the table has announced itself before it took it, so that it cannot be taken back.
            if pod == self.name and not await self._announce():
                return
            try:
                await self._outside.log.enlist(self.name, table_id)
                current = await adopt(self._outside, table_id, owner, authority=self.authority, silent_ms=silent_ms)
            except UnreadableEntry as error:
                self._unreadable.add(table_id)
                self._outside.journal.error("table_unreadable", table_id=table_id, detail=str(error))
                return
            if current is not None:
                self._outside.journal.info("table_adopted", table_id=table_id, epoch=current.epoch)
                self._begin(current)
                if owner.pod != self.name:
                    await self._outside.log.strike(owner.pod, table_id)

    async def _finish_for(self, table_id: str, pod: str) -> None:
        """A finished table is on a pod's list still: its log is to be archived, or was to be struck off."""
        if self._archiver is not None and pod == self.name:
            self._archiver.take(table_id)
            return
        if self._archiver is not None:
            await self._outside.log.enlist(self.name, table_id)
            if await self._outside.log.inherit(table_id, pod, self.name):
                self._archiver.take(table_id)
        await self._outside.log.strike(pod, table_id)

    def _lock(self, table_id: str) -> asyncio.Lock:
        """One thing at a time about a table; locks nobody holds are dropped."""
        if len(self._locks) > 2 * len(self._tables) + 1_000:
            self._locks = {name: lock for name, lock in self._locks.items() if lock.locked()}
        return self._locks.setdefault(table_id, asyncio.Lock())

    # --- among other pods ---------------------------------------------------------------

    async def _keep_lease(self) -> None:
        while True:
            await self._a_third_of_the_lease()
            try:
                lapsed = self._outside.clock.monotonic_ms() - self._announced_ms > self._pods.lease_ms
                if not await self._announce():
                    return
                if lapsed:
                    await self._look_after_own()
            except (StoreAway, StoreFull):
                self._outside.journal.warning("not_announced")
            except Exception as error:  # a pod without a lease is dead: the loop goes on whatever happens
                self._outside.journal.error("not_announced", error=type(error).__name__)

    async def _a_third_of_the_lease(self) -> None:
        """Wait so long, or until a slot is taken or freed: matchmakers go by the card."""
        pause = asyncio.ensure_future(self._outside.clock.sleep_ms(max(1, self._pods.lease_ms // 3)))
        change = asyncio.ensure_future(self._slots_changed.wait())
        try:
            await asyncio.wait((pause, change), return_when=asyncio.FIRST_COMPLETED)
        finally:
            pause.cancel()
            change.cancel()

    async def _announce(self) -> bool:
        """Renew the lease; False if there is none to renew any more."""
        self._slots_changed.clear()
        async with self._leasing:
            if self._withdrawn or self._superseded:
                return False
            renewed = await self._pods.announce(slots_used=len(self._tables), draining=self._draining)
            self._superseded = not renewed
        if not renewed:
            self._outside.journal.error("superseded")
            self._draining = True
            await asyncio.gather(*(table.stop(Gone.MOVED) for table in tuple(self._tables.values())))
            return False
        self._announced_ms = self._outside.clock.monotonic_ms()
        return True

    async def _look_after_own(self) -> None:
        """After a silence others may have taken tables over, or the store may have lost the end of a log."""
        for table in tuple(self._tables.values()):
            known = table.current
            seq = known.state.seq
            owner = await self._outside.log.owner(table.table_id)
            if owner is None or owner.epoch != known.epoch:
                await table.stop(Gone.MOVED)
            elif owner.seq < seq:
                await table.stop(Gone.LOST_TAIL)

    async def _check_own(self) -> None:
        try:
            await self._look_after_own()
        except StoreAway:
            self._outside.journal.warning("own_tables_not_checked")  # it went away again, and will come back again

    async def _keep_adopting(self) -> None:
        """Take over this pod's own tables, then look for those whose pod is dead, again and again."""
        while not self._draining:
            try:
                await self._adopt_all(await self._outside.log.listed(self.name), self.name, self._silent_ms)
                await self._adopt_orphans()
            except (StoreAway, StoreFull):
                self._outside.journal.warning("orphans_not_looked_for")
            except Exception as error:  # nobody else looks for them
                self._outside.journal.error("orphans_not_looked_for", error=type(error).__name__)
            await self._outside.clock.sleep_ms(max(1, self._pods.lease_ms // 3))

    async def _adopt_orphans(self) -> None:
        silent_ms = await self._pods.silent_ms()
        for pod in await self._outside.log.listed_pods():
            alive = silent_ms.get(pod, self._pods.lease_ms + 1) <= self._pods.lease_ms
            if pod == self.name or alive:
                continue
            free = self._outside.limits.slots - len(self._tables)
            orphans = await self._outside.log.listed(pod)
            await self._adopt_all(orphans[: max(0, free)], pod, silent_ms)

    # --- the store ----------------------------------------------------------------------

    def _store_lost(self) -> None:
        self._outside.time.stop()
        self._outside.journal.warning("store_lost")
        for table in self._tables.values():
            table.store_lost()

    def _store_found(self) -> None:
        self._outside.time.go_on()
        self._outside.journal.info("store_found")
        for table in self._tables.values():
            table.store_found()
        self._run(self._check_own())

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._outside.journal.error("task_failed", error=type(error).__name__)


def _not_owner(pod: str, authority: str, epoch: int) -> Refusal:
    return Refusal(Reason.NOT_OWNER, metadata={"authority": authority, "pod": pod, "epoch": str(epoch)})
