"""Bots fill a table's free seats once the oldest ticket has waited long enough, where the room allows (PF-10).

They play from accounts of their own, `robot:<n>`, that the ledger opens out of the robots' fund while it lasts. A robot
whose balance is below the room's least rests, another one takes its place; once the fund is spent no new ones come, and
the queue waits for people.
"""

from collections.abc import Sequence

from refusals import Reason, Refusal
from services.matchmaker.app.rooms import seat_count
from services.matchmaker.ports import (
    Chance,
    Ledger,
    Match,
    MatchStore,
    Meters,
    RobotAccounts,
    RobotStore,
    Room,
    TicketStore,
)

LEASE_MS = 10_000
"""How long robots stay set aside for a table in the making whose matchmaker dies."""
REST_MS = 60_000
"""How long a robot rests that has too little for a room."""
_POOR_COUNT_MAX = 16
"""Robots with too little that are looked at in one go."""


class NoRobots(Exception):
    """There are none for a room: `outcome` says why."""

    def __init__(self, outcome: str) -> None:
        super().__init__(outcome)
        self.outcome = outcome


class Filler:
    """Finds robots for the free seats of a room's next table."""

    def __init__(
        self,
        *,
        tickets: TicketStore,
        matches: MatchStore,
        robots: RobotStore,
        ledger: Ledger,
        accounts: RobotAccounts,
        chance: Chance,
        meters: Meters,
    ) -> None:
        self._tickets = tickets
        self._matches = matches
        self._robots = robots
        self._ledger = ledger
        self._accounts = accounts
        self._chance = chance
        self._meters = meters

    async def fill(self, room: Room) -> Match | None:
        """Take all who wait, and robots for the seats they leave.

        Returns: None if it is too early, or if people have come or gone meanwhile.
        Raises: NoRobots. Refusal.
        """
        count, front = seat_count(room), await self._tickets.front(room.room_id)
        if not 0 < front.count < count or front.waited_ms < room.bot_wait_ms:
            return None
        try:
            robots = await self._funded(room, count - front.count)
        except NoRobots as none:
            self._meters.filled(none.outcome)
            raise
        match = None
        try:
            match = await self._matches.take(room, self._chance.new_id(), self._chance.permutation(count), robots)
        finally:
            if match is None:
                await self._robots.give_back(robots)
        self._meters.filled("filled" if match else "gone")
        return match

    async def _funded(self, room: Room, count: int) -> Sequence[str]:
        """So many robots that have what the room asks for. Raises: NoRobots."""
        good: list[str] = []
        poor: list[str] = []
        try:
            while len(good) < count:
                for robot in await self._robots.borrow(count - len(good), LEASE_MS):
                    (good if await self._can_pay(robot, room) else poor).append(robot)
                if len(poor) > _POOR_COUNT_MAX:
                    raise NoRobots("poor")
        except BaseException:
            await self._robots.give_back(good)
            raise
        finally:
            await self._robots.give_back(poor, REST_MS)
        return good

    async def _can_pay(self, robot: str, room: Room) -> bool:
        """Whether a robot has what the room asks for. Raises: NoRobots: a new one has not, or there is none."""
        try:
            return await self._ledger.balance(robot, room.asset) >= room.least_balance
        except Refusal as refusal:
            if refusal.reason is not Reason.ACCOUNT_UNKNOWN:
                raise
        try:
            balance = await self._accounts.open(robot, room.asset)
        except Refusal as refused:
            if refused.reason is not Reason.BUDGET_EXHAUSTED:
                raise
            raise NoRobots("exhausted") from None
        if balance < room.least_balance:
            await self._robots.give_back([robot])
            raise NoRobots("poor")
        return True
