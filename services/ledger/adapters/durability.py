"""Whether the store still keeps every write it acknowledges: asked at the start and every minute."""

from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import structlog.typing
from redis.exceptions import RedisClusterException, RedisError, ResponseError

from refusals import Reason, Refusal
from services.ledger.adapters.connecting import Faults

CHECK_EVERY_MS: Final = 60_000


class Sleeper(Protocol):
    """A clock one can sleep on."""

    async def sleep_ms(self, ms: int) -> None:
        """Sleep."""
        ...


class DurabilityWatch:
    """Asks the store for its settings and says no while they may lose money.

    Args:
        faults: asks the store.
        clock: for the pause between two checks.
        log: told when it changes.
        told: called with whether the store is durable, when that changes.
    """

    def __init__(
        self,
        faults: Faults,
        clock: Sleeper,
        log: structlog.typing.FilteringBoundLogger,
        told: Callable[[bool], Awaitable[None]],
    ) -> None:
        self._faults = faults
        self._clock = clock
        self._log = log
        self._told = told
        self._durable = True

    def guard(self) -> None:
        """Raises: Refusal STORE_NOT_DURABLE: the last check found a fault."""
        if not self._durable:
            raise Refusal(Reason.STORE_NOT_DURABLE)

    async def check(self) -> None:
        """Ask once. A store that does not answer tells nothing: its calls fail by themselves."""
        try:
            fault = await self._faults()
        except ResponseError:
            fault = "no longer tells its settings"
        except (RedisError, RedisClusterException, OSError):
            return
        if (fault is None) != self._durable:
            self._durable = fault is None
            if fault is None:
                self._log.warning("store_durable_again")
            else:
                self._log.error("store_not_durable", fault=fault)
            await self._told(self._durable)

    async def run(self) -> None:
        """Ask every minute, until cancelled."""
        while True:
            await self._clock.sleep_ms(CHECK_EVERY_MS)
            await self.check()
